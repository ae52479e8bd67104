"""Rendering of translatable messages."""

import pytest

from companion.core.text import ENGLISH, SeatName, Text, _, join_texts, ngettext, pgettext


class ReversedLanguage:
    """A language that writes messages backwards, except placeholders, and names the seats."""

    def __init__(self, *names):
        self.names = names

    def gettext(self, message):
        return {"{name} lays {card}": "{card} syal {name}", "row": "wor"}.get(message, message)

    def ngettext(self, singular, plural, number):
        return {"{n} card": "{n} drac", "{n} cards": "{n} sdrac"}[singular if number == 1 else plural]

    def pgettext(self, context, message):
        return {("a code", "row"): "wor edoc"}.get((context, message), message)

    def seat(self, seat):
        return self.names[seat]

    def fill(self, pattern, values):
        return pattern.format_map(values)


def test_an_english_text_is_its_formatted_message():
    assert str(_("{card} is {distance} away from {end}", card=55, distance=14, end=41)) == "55 is 14 away from 41"


def test_a_context_selects_the_translation():
    texts = [_("row"), pgettext("a code", "row")]
    assert [text.render(ReversedLanguage()) for text in texts] == ["wor", "wor edoc"]
    assert [str(text) for text in texts] == ["row", "row"]


def test_seats_are_numbered_from_one():
    assert str(_("It is the turn of {name}.", name=SeatName(0))) == "It is the turn of Player 1."


def test_each_language_formats_its_own_message_and_names():
    text = _("{name} lays {card}", name=SeatName(1), card=34)
    assert text.render(ReversedLanguage("Alexis", "Marlen")) == "34 syal Marlen"
    assert text.render(ENGLISH) == "Player 2 lays 34"


def test_a_text_within_a_text_is_translated_too():
    assert _("a {row}", row=_("row")).render(ReversedLanguage()) == "a wor"


def test_singular_and_plural_differ():
    assert [str(ngettext("{n} card", "{n} cards", n)) for n in (0, 1, 2)] == ["0 cards", "1 card", "2 cards"]
    assert ngettext("{n} card", "{n} cards", 2).render(ReversedLanguage()) == "2 sdrac"


def test_the_plural_number_need_not_be_shown():
    text = ngettext("{names} wins with {best}.", "{names} share the win with {best}.", 1, names="A", best=20)
    assert str(text) == "A wins with 20."


def test_several_texts_are_joined_by_commas():
    names = tuple(_("{name}", name=SeatName(seat)) for seat in range(3))
    assert str(_("not {names}", names=names)) == "not Player 1, Player 2, Player 3"
    assert join_texts([], ENGLISH) == ""
    assert join_texts(["one"], ENGLISH) == "one"


@pytest.mark.parametrize("word", ["{card}", "{", "}", "{0}", "{part0}", "{card.__class__}", "%s", "%(card)s"])
def test_a_value_is_never_read_as_a_placeholder(word):
    assert str(_("“{word}” {card}", word=word, card=34)) == f"“{word}” 34"
    assert str(_("not {names}", names=(_("{word}", word=word), _("b")))) == f"not {word}, b"
    assert _("{name}", name=SeatName(0)).render(ReversedLanguage(word)) == word


def test_a_text_can_be_compared_and_hashed():
    assert _("{n} left", n=1) == _("{n} left", n=1)
    assert len({_("{n} left", n=1), _("{n} left", n=1), _("{n} left", n=2)}) == 2
    assert _("{n} left", n=1) == Text("{n} left", (("n", 1),))
    hash(_("{names}", names=(_("a"), _("b"))))
