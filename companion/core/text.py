"""Translatable messages, rendered later in the language of each reader."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from gettext import NullTranslations
from typing import Protocol, TypeAlias


@dataclass(frozen=True)
class SeatName:
    """The name of the player at a seat, filled in when the message is rendered."""

    seat: int


TextValue: TypeAlias = "int | str | SeatName | Text | tuple[Text, ...]"


class Language(Protocol):
    """What rendering needs: a message catalogue, the names of the seats, and safe (escaping) formatting."""

    def gettext(self, message: str, /) -> str: ...

    def ngettext(self, singular: str, plural: str, number: int, /) -> str: ...

    def pgettext(self, context: str, message: str, /) -> str: ...

    def seat(self, seat: int) -> str: ...

    def fill(self, pattern: str, values: Mapping[str, object]) -> str: ...


@dataclass(frozen=True)
class Text:
    """An English message with named placeholders (`{card}`), and their values.

    >>> text = _("{card} is below {top}.", card=34, top=41)
    >>> str(text)
    '34 is below 41.'
    >>> str(ngettext("{n} card", "{n} cards", 2))
    '2 cards'
    """

    message: str
    values: tuple[tuple[str, TextValue], ...] = ()
    plural: str = ""
    number: int = 0
    context: str = ""
    """Tells equal messages with different translations apart."""

    def with_values(self, **values: TextValue) -> Text:
        """Return the text with its placeholders filled in."""
        return replace(self, values=tuple(values.items()))

    def render(self, language: Language) -> str:
        """Return the message in a language, its values rendered in it as well."""
        if self.plural:
            pattern = language.ngettext(self.message, self.plural, self.number)
        elif self.context:
            pattern = language.pgettext(self.context, self.message)
        else:
            pattern = language.gettext(self.message)
        return language.fill(pattern, {name: _render_value(value, language) for name, value in self.values})

    def __str__(self) -> str:
        return self.render(ENGLISH)


class _English(NullTranslations):
    """Untranslated messages, for the command line and tests. Seats are numbered from 1."""

    def seat(self, seat: int) -> str:
        return f"Player {seat + 1}"

    def fill(self, pattern: str, values: Mapping[str, object]) -> str:
        return pattern.format_map(values)


ENGLISH: Language = _English()


def _(message: str, /, **values: TextValue) -> Text:
    """Return a message marked for translation."""
    return Text(message, tuple(values.items()))


def ngettext(singular: str, plural: str, number: int, /, **values: TextValue) -> Text:
    """Return a message with a plural form, marked for translation; `{n}` is the number."""
    return Text(singular, (("n", number), *values.items()), plural, number)


def pgettext(context: str, message: str, /) -> Text:
    """Return a message that needs a context to be translated."""
    return Text(message, context=context)


def format_number(number: int) -> Text:
    """Return a bare number."""
    return Text("{n}", (("n", number),))


def name_seats(seats: Iterable[int]) -> tuple[Text, ...]:
    """Return the names of the players at some seats."""
    return tuple(_("{name}", name=SeatName(seat)) for seat in seats)


def _render_value(value: TextValue, language: Language) -> object:
    match value:
        case Text():
            return value.render(language)
        case SeatName(seat):
            return language.seat(seat)
        case tuple():
            return join_texts([text.render(language) for text in value], language)
        case _:
            return value


def join_texts(parts: list[str], language: Language) -> str:
    """Return the rendered parts joined by commas, formatted (and escaped) by the language."""
    values = {f"part{index}": part for index, part in enumerate(parts)}
    return language.fill(", ".join("{" + name + "}" for name in values), values)
