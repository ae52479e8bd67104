"""Decoding and encoding of field values."""

from dataclasses import dataclass
from enum import StrEnum

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from companion.core.codecs import MAX_SEQUENCE_LENGTH
from companion.core.schema import (
    Choice,
    Incomplete,
    LabelledEnum,
    Malformed,
    decode,
    decode_partial,
    describe_shape,
    display_word,
    encode,
    field,
    get_choices,
    is_sequence,
    parse_whole_number,
)
from companion.core.text import Text, _
from companion.games import get_games


class Colour(StrEnum):
    RED = "red"
    GREEN = "green"


@dataclass(frozen=True)
class Sample:
    seat: int
    cards: tuple[int, ...] = ()
    colour: Colour = Colour.RED
    is_open: bool = False
    extra: int | None = None
    level: int = field(_("Level"), range_=range(1, 10), default=1)
    step: int = field(_("Step"), choices=(Choice("1", _("One")), Choice("3", _("Three"))), default=1)


@dataclass(frozen=True)
class Mark:
    """A value with its own `read` and `str`."""

    letters: str

    @classmethod
    def read(cls, word):
        if not word.isalpha():
            raise Malformed(_("Only letters, please."))
        return cls(word)

    def __str__(self):
        return self.letters


@dataclass(frozen=True)
class TextSample:
    name: str = field(_("Name"), max_length=12, default="-")
    marks: tuple[Mark, ...] = (Mark("x"),)
    colours: tuple[Colour, ...] = ()
    labels: tuple[str, ...] = field(_("Labels"), max_length=5, default=())
    points: tuple[int, ...] = field(_("Points"), accepts_sums=True, default=())


def get_error_field(words, cls=Sample):
    with pytest.raises(Malformed) as error:
        decode(cls, words)
    str(error.value).encode("utf-8")
    return error.value.field


def test_words_become_a_dataclass_and_back():
    words = {
        "seat": "2",
        "cards": "3,1,2",
        "colour": "green",
        "is_open": "yes",
        "extra": "-4",
        "level": "9",
        "step": "3",
    }
    sample = decode(Sample, words)
    assert sample == Sample(2, (3, 1, 2), Colour.GREEN, True, -4, 9, 3)
    assert encode(sample) == words


def test_default_values_are_not_encoded():
    assert encode(Sample(2)) == {"seat": "2"}
    assert decode(Sample, {"seat": "2"}) == Sample(2)


def test_a_missing_field_is_named():
    assert get_error_field({}) == "seat"
    assert get_error_field({"level": "2"}) == "seat"


def test_an_unknown_field_is_named():
    assert get_error_field({"seat": "2", "sea": "2"}) == "sea"


@pytest.mark.parametrize("name", ["__class__", "__init__", "Seat", "seat ", "", "\ud800", "seat\n", "x" * 100_000])
def test_attributes_that_are_not_fields_are_rejected(name):
    assert get_error_field({"seat": "2", name: "1"}) == name


@pytest.mark.parametrize(
    "word",
    [
        "",
        " ",
        "1 ",
        " 1",
        "1\n",
        "\n1",
        "+1",
        "--1",
        "1_000",
        "1.0",
        "1e3",
        "0x10",
        "1,000",
        "NaN",
        "nan",
        "inf",
        "one",
        "None",
        "null",
        "true",
        "yes",
        "٣",
        "３",
        "γ",
        "①",
        "²",
        "½",
        "−1",
        "1\x00",
        "\x00",
        "\ud800",
        "1\ud800",
        "1" * 10,
        "9" * 5_000,
        "-" + "9" * 10,
        "0" * 5_000,
        "<b>1</b>",
        "{seat}",
        "%d",
    ],
)
def test_a_number_has_at_most_nine_plain_digits(word):
    assert get_error_field({"seat": word}) == "seat"


@pytest.mark.parametrize(("word", "number"), [("0", 0), ("7", 7), ("-7", -7), ("999999999", 999_999_999), ("-0", 0)])
def test_a_plain_number_is_read(word, number):
    assert parse_whole_number(word) == number
    assert decode(Sample, {"seat": word}).seat == number


def test_minus_zero_is_zero():
    assert encode(decode(Sample, {"seat": "-0"})) == {"seat": "0"}


@pytest.mark.parametrize("word", [",", "1,", ",1", "1,,2", "1, 2", "1;2", "1 2", "1,x", "1,٣", "1,NaN", "(1,2)", "[1]"])
def test_a_sequence_is_numbers_with_commas_between(word):
    assert get_error_field({"seat": "0", "cards": word}) == "cards"


def test_an_empty_sequence_is_an_empty_word():
    assert decode(Sample, {"seat": "0", "cards": ""}).cards == ()
    assert encode(TextSample(marks=()))["marks"] == ""


def test_a_sequence_keeps_its_order_and_repetitions():
    assert decode(Sample, {"seat": "0", "cards": "3,1,3"}).cards == (3, 1, 3)


def test_a_sequence_has_a_maximum_length():
    assert len(decode(Sample, {"seat": "0", "cards": ",".join("1" * MAX_SEQUENCE_LENGTH)}).cards) == MAX_SEQUENCE_LENGTH
    assert get_error_field({"seat": "0", "cards": ",".join("1" * (MAX_SEQUENCE_LENGTH + 1))}) == "cards"
    assert get_error_field({"seat": "0", "cards": "1," * 1_000_000}) == "cards"


# Texts, values with their own `read`, sequences and sums


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ({"name": "  Ticket\u00a0 to "}, TextSample(name="Ticket to")),
        ({"marks": "ab,c"}, TextSample(marks=(Mark("ab"), Mark("c")))),
        ({"colours": "red,green,red"}, TextSample(colours=(Colour.RED, Colour.GREEN, Colour.RED))),
        ({"labels": "Coins, War"}, TextSample(labels=("Coins", "War"))),
        ({"points": "12+7-3,-4,+5,3−9"}, TextSample(points=(16, -4, 5, -6))),
    ],
)
def test_every_type_survives_a_round_trip(words, value):
    assert decode(TextSample, words) == value
    assert decode(TextSample, encode(value)) == value


@pytest.mark.parametrize(
    "words",
    [
        {"name": ""},
        {"name": "\u200b \n"},
        {"name": "a\x00b"},
        {"name": "thirteen-long"},
        {"marks": "ab,1"},
        {"marks": "ab,"},
        {"colours": "red,blue"},
        {"labels": "Coins,,War"},
        {"labels": "toolong"},
        *(
            {"points": word}
            for word in ["12+", "+", "1++2", "1*2", "0x1", "1e3", "1.5", "٣+1", "9999999999", "1+" * 40]
        ),
        {"points": "999999999+1"},
    ],
)
def test_a_malformed_value_names_its_field(words):
    assert get_error_field(words, TextSample) == next(iter(words))


@pytest.mark.parametrize("word", ["", "Yes", "YES", "true", "1", "on", "y", " yes", "ναι", "\ud800"])
def test_only_yes_and_no_are_booleans(word):
    assert get_error_field({"seat": "0", "is_open": word}) == "is_open"


@pytest.mark.parametrize("word", ["", "Red", "RED", "blue", "red ", "Colour.RED", "\ud800"])
def test_an_enum_accepts_only_its_members(word):
    assert get_error_field({"seat": "0", "colour": word}) == "colour"


@pytest.mark.parametrize("word", ["0", "10", "-1", "100"])
def test_a_number_stays_in_its_range(word):
    assert get_error_field({"seat": "0", "level": word}) == "level"


def test_a_number_out_of_range_names_the_range():
    with pytest.raises(Malformed, match="10 is not between 1 and 9"):
        decode(Sample, {"seat": "0", "level": "10"})


@pytest.mark.parametrize("word", ["0", "2", "4", "13"])
def test_a_number_with_choices_must_be_one_of_them(word):
    with pytest.raises(Malformed, match=f"“{word}” is not one of 1, 3"):
        decode(Sample, {"seat": "0", "step": word})


def test_an_absent_value_is_none_and_not_encoded():
    assert decode(Sample, {"seat": "0"}).extra is None
    assert get_error_field({"seat": "0", "extra": ""}) == "extra"
    assert get_error_field({"seat": "0", "extra": "None"}) == "extra"


def test_decode_partial_returns_values_or_none():
    assert decode_partial(Sample, {"level": "3"}) == {"level": 3}
    assert decode_partial(Sample, {}) == {}
    assert decode_partial(Sample, {"level": "30"}) is None
    assert decode_partial(Sample, {"lvl": "3"}) is None


def test_describe_shape_names_the_format_of_a_field():
    shapes = {
        name: describe_shape(Sample, name) for name in ("seat", "cards", "colour", "is_open", "level", "step", "extra")
    }
    assert shapes == {
        "seat": "number",
        "cards": "1,2,3",
        "colour": "red|green",
        "is_open": "yes|no",
        "level": "number",
        "step": "1|3",
        "extra": "number",
    }
    assert is_sequence(Sample, "cards")
    assert not is_sequence(Sample, "seat")
    assert not is_sequence(Sample, "no such field")


def test_display_word_is_short_and_printable():
    assert display_word("abc") == "abc"
    assert display_word("a\x00b\ud800c\n") == "a·b·c·"
    assert display_word("x" * 25) == "x" * 24 + "…"
    assert len(display_word("\u202e" * 100_000)) == 25
    assert "\u202e" not in display_word("\u202e")


def test_a_field_type_without_codec_raises_type_error():
    @dataclass(frozen=True)
    class Unsupported:
        amount: float

    with pytest.raises(TypeError):
        decode(Unsupported, {"amount": "1.5"})


WORDS = (
    st.text(max_size=12)
    | st.from_regex(r"-?[0-9,]{0,12}", fullmatch=True)
    | st.sampled_from(["yes", "no", "red", "up-1"])
)
CLASSES = [Sample, *(cls for game in get_games().values() for cls in (game.options.cls, *game.kinds.values()))]


@given(st.sampled_from(CLASSES), st.data())
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)  # the machine may be busy
def test_any_input_is_decoded_or_malformed(cls, data):
    names = st.sampled_from(sorted(cls.__dataclass_fields__)) | st.text(max_size=5)
    words = data.draw(st.dictionaries(names, WORDS, max_size=6))
    try:
        value = decode(cls, words)
    except Malformed as error:
        str(error).encode("utf-8")
    else:
        assert decode(cls, encode(value)) == value
        assert encode(decode(cls, encode(value))) == encode(value)


@given(
    st.builds(
        Sample,
        seat=st.integers(-999_999_999, 999_999_999),
        cards=st.lists(st.integers(-999_999_999, 999_999_999), min_size=1, max_size=MAX_SEQUENCE_LENGTH).map(tuple),
        colour=st.sampled_from(Colour),
        is_open=st.booleans(),
        extra=st.none() | st.integers(-999_999_999, 999_999_999),
        level=st.integers(1, 9),
        step=st.sampled_from([1, 3]),
    )
)
def test_every_value_survives_encoding(sample):
    assert decode(Sample, encode(sample)) == sample


@given(st.text())
@example("٣")
@example("1\n")
def test_numbers_are_read_from_ascii_digits_only(word):
    try:
        parse_whole_number(word)
    except Malformed:
        return
    assert word.removeprefix("-").isascii() and word.removeprefix("-").isdigit()


@pytest.mark.parametrize("word", ["12+", "+", "-", "12+7−", "1" + "+1" * 30 + "-"])
def test_a_sum_that_ends_with_a_sign_is_incomplete(word):
    with pytest.raises(Incomplete) as error:
        decode(TextSample, {"points": word})
    assert error.value.field == "points"
    assert word[:24] in str(error.value)


class Pace(LabelledEnum):
    SLOW = "slow", _("Slow"), _("Take your time.")
    FAST = "fast"


@dataclass(frozen=True)
class Walk:
    pace: Pace = Pace.SLOW


def test_choices_of_an_enum_have_its_labels_and_hints():
    assert decode(Walk, {"pace": "slow"}) == Walk(Pace.SLOW)
    assert get_choices(Walk, "pace") == (
        Choice("slow", _("Slow"), _("Take your time.")),
        Choice("fast", Text("fast")),
    )
