"""Decoding of words into the dataclasses of a game, and back."""

import dataclasses
import typing
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import cache
from typing import Any, Self, TypeVar

from companion.core import refusals
from companion.core.codecs import Codec, build_codec, parse_whole_number
from companion.core.errors import Incomplete, Malformed, display_word
from companion.core.protocols import Record
from companion.core.text import SeatName, Text, _

__all__ = ["Choice", "Incomplete", "Malformed", "decode", "display_word", "encode", "field", "parse_whole_number"]

T = TypeVar("T", bound=Record)


@dataclasses.dataclass(frozen=True)
class Choice:
    """A value to choose, with its label and a line on what it does."""

    value: str
    label: Text
    hint: Text | None = None


class LabelledEnum(StrEnum):
    """Words of the notation, each with its label (by default the word) and perhaps a line on what it does."""

    label: Text
    hint: Text | None

    def __new__(cls, word: str, label: Text | None = None, hint: Text | None = None) -> Self:
        """Return the member `word`, as a class body declares it: `RED = "red", _("red")`."""
        member = str.__new__(cls, word)
        member._value_, member.label, member.hint = word, label or Text(word), hint
        return member


@dataclasses.dataclass(frozen=True)
class Seated:
    """A play or a count of one seat, which is its first field."""

    seat: int


class Meaning(StrEnum):
    """What the value of a field stands for."""

    SEAT = "seat"
    SEAT_ORDER = "order"
    """Seats in an order, such as that of going out."""
    PATTERN = "pattern"
    """Cells of five lines and five columns, as 11 to 55."""
    TABLE_SIZE = "table-size"
    """The number of seats, which the table knows."""


def field(
    label: Text,
    hint: Text | None = None,
    *,
    choices: tuple[Choice, ...] = (),
    range_: range | None = None,
    applies: Callable[[Any], bool] | None = None,
    box_labels: Callable[[Any, int], tuple[Text, ...]] | None = None,
    meaning: Meaning | None = None,
    max_length: int = 0,
    may_be_shorter: bool = False,
    accepts_sums: bool = False,
    **arguments: Any,
) -> Any:
    """Return a dataclass field with what a form needs to ask for it.

    `choices` and `range_` limit its values; a text has at most `max_length` letters. `meaning` says what the value
    stands for, where its type does not; `accepts_sums`: a number that may be typed as `12+7-3`. `applies` says, by the
    options, whether the field is asked for at all. `box_labels` labels the boxes of a sequence by options and seats
    (the default is one a seat); with `may_be_shorter` some may stay empty. Everything else goes to `dataclasses.field`.
    """
    metadata = {
        "label": label,
        "hint": hint,
        "choices": choices,
        "range": range_,
        "applies": applies,
        "box_labels": box_labels,
        "meaning": meaning,
        "max_length": max_length,
        "may_be_shorter": may_be_shorter,
        "accepts_sums": accepts_sums,
    }
    return dataclasses.field(metadata=metadata, **arguments)


def decode(cls: type[T], words: Mapping[str, str]) -> T:
    """Return an instance of a dataclass, read from its fields as words of the notation.

    Only the shape is checked, not the rules of a game. Raises Malformed for an unknown field or a value of the wrong
    shape, and Incomplete (a Malformed) for a missing field without a default; `error.field` is the name of the field.

    >>> @dataclasses.dataclass(frozen=True)
    ... class Extend:
    ...     seat: int
    ...     cards: tuple[int, ...] = ()
    >>> decode(Extend, {"seat": "1", "cards": "34,41"})
    Extend(seat=1, cards=(34, 41))
    >>> decode(Extend, {"cards": "34"})
    Traceback (most recent call last):
    companion.core.errors.Incomplete: Still missing: seat
    """
    codecs = _get_codecs(cls)
    values: dict[str, object] = {}
    for name, word in words.items():
        if name not in codecs:
            raise Malformed(refusals.UNKNOWN_FIELD.with_values(name=display_word(name)), name)
        values[name] = codecs[name].decode(word, name)
    for part in dataclasses.fields(cls):
        if part.name not in values and part.default is dataclasses.MISSING:
            raise Incomplete(_("Still missing: {label}", label=get_label(cls, part.name)), part.name)
    return cls(**values)


def encode(value: Record) -> dict[str, str]:
    """Return the fields of a dataclass as words, without those that have their default value.

    `decode(type(value), encode(value)) == value`.

    >>> @dataclasses.dataclass(frozen=True)
    ... class Options:
    ...     dealer: int = 0
    ...     professional: bool = False
    >>> encode(Options(professional=True))
    {'professional': 'yes'}
    """
    return {
        part.name: _get_codecs(type(value))[part.name].encode(getattr(value, part.name))
        for part in dataclasses.fields(value)
        if part.default is dataclasses.MISSING or getattr(value, part.name) != part.default
    }


def encode_field(cls: type[Record], name: str, value: object) -> str:
    """Return a value as the word of a field."""
    return _get_codecs(cls)[name].encode(value)


def decode_partial(cls: type[Record], words: Mapping[str, str]) -> dict[str, object] | None:
    """Return the values of some fields, or None if a field is unknown or a value has the wrong shape."""
    codecs = _get_codecs(cls)
    try:
        return {name: codecs[name].decode(word, name) for name, word in words.items()}
    except (KeyError, Malformed):
        return None


def is_sequence(cls: type[Record], name: str) -> bool:
    return name in _get_codecs(cls) and _get_codecs(cls)[name].is_sequence


def field_names(cls: type[Record]) -> tuple[str, ...]:
    """Return the names of a dataclass's fields, in order."""
    return tuple(part.name for part in dataclasses.fields(cls))


def content_names(cls: type[Record]) -> tuple[str, ...]:
    """Return the names of an entry's fields, in order, without its seat."""
    return tuple(name for name in field_names(cls) if name != "seat")


def is_optional(cls: type[Record], name: str) -> bool:
    return any(part.name == name and part.default is not dataclasses.MISSING for part in dataclasses.fields(cls))


def get_label(cls: type[Record], name: str) -> Text:
    """Return the label of a field, or else its name."""
    return get_field_metadata(cls, name).get("label") or Text(name)


def get_kind_label(cls: type[Record], kind: str) -> Text:
    """Return the `label` of the dataclass of a kind of entry, or else the kind."""
    label = getattr(cls, "label", None)
    return label if isinstance(label, Text) else Text(kind)


def describe_value(record: Record, name: str) -> Text:
    """Return the value of a field as people read it: a name, a label, yes or no, or else its word."""
    value = getattr(record, name)
    if isinstance(value, bool):
        return _("Yes") if value else _("No")
    if name == "seat" or get_field_metadata(type(record), name).get("meaning") is Meaning.SEAT:
        return _("{name}", name=SeatName(value))
    word = "" if value is None else encode_field(type(record), name, value)
    labels = {choice.value: choice.label for choice in get_choices(type(record), name)}
    return labels.get(word) or Text("{word}", (("word", word.replace(",", ", ")),))


def get_field_metadata(cls: type[Record], name: str) -> Mapping[str, Any]:
    """Return what `field` was given for a field; empty for a plain dataclass field."""
    return next((part.metadata for part in dataclasses.fields(cls) if part.name == name), {})


def get_choices(cls: type[Record], name: str) -> tuple[Choice, ...]:
    """Return the values to choose from: the choices of the field, or the members of its enum."""
    members = _get_codecs(cls)[name].members
    by_type = (
        Choice(str(member), getattr(member, "label", None) or Text(str(member)), getattr(member, "hint", None))
        for member in members
    )
    return get_field_metadata(cls, name).get("choices") or tuple(by_type)


def get_input_type(cls: type[Record], name: str) -> str:
    """Return the kind of input for a field: its meaning, or `flag`, `choice`, `number`, `sum`, `text` or `word`."""
    metadata, shape = get_field_metadata(cls, name), _get_codecs(cls)[name].shape
    if metadata.get("meaning"):
        return str(metadata["meaning"])
    if get_choices(cls, name):
        return "choice"
    if shape in ("number", "1,2,3"):
        return "sum" if metadata.get("accepts_sums") else "number"
    return {"yes|no": "flag", "text": "text", "text,...": "text"}.get(shape, "word")


def describe_shape(cls: type[Record], name: str) -> str:
    """Return the format of a field in a word: `number`, `yes|no`, `1,2,3`, or its values joined by `|`."""
    return _get_codecs(cls)[name].shape


def parse_small_number(word: str) -> int | None:
    """Return the number in a URL or a hidden field, or None if it is not one to nine ASCII digits.

    >>> parse_small_number("42"), parse_small_number("-1")
    (42, None)
    """
    return int(word) if word.isascii() and word.isdigit() and len(word) < 10 else None


@cache
def _get_codecs(cls: type[Record]) -> Mapping[str, Codec]:
    hints = typing.get_type_hints(cls)
    return {part.name: build_codec(hints[part.name], part.metadata) for part in dataclasses.fields(cls)}
