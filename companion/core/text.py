"""Sentences as data, so that each phone reads them in its own language; translating them is left to the caller."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias


@dataclass(frozen=True)
class SeatName:
    """The name of whoever sits at a seat, filled in where the sentence is shown."""

    seat: int


TextValue: TypeAlias = "int | str | SeatName | Text | tuple[Text, ...]"


class Language(Protocol):
    """What is needed to show a text: a catalogue, the names at the table, and a way to fill gaps safely."""

    def gettext(self, message: str) -> str: ...

    def ngettext(self, singular: str, plural: str, number: int) -> str: ...

    def pgettext(self, context: str, message: str) -> str: ...

    def seat(self, seat: int) -> str: ...

    def fill(self, pattern: str, values: Mapping[str, object]) -> str: ...


@dataclass(frozen=True)
class Text:
    """A message in English with named gaps (`{card}`), and what goes into them."""

    message: str
    values: tuple[tuple[str, TextValue], ...] = ()
    plural: str = ""
    number: int = 0
    context: str = ""
    """Which of several meanings: the same message may be another one in another language."""

    def render(self, language: Language) -> str:
        if self.plural:
            pattern = language.ngettext(self.message, self.plural, self.number)
        elif self.context:
            pattern = language.pgettext(self.context, self.message)
        else:
            pattern = language.gettext(self.message)
        return language.fill(pattern, {name: _rendered(value, language) for name, value in self.values})

    def __str__(self) -> str:
        return self.render(ENGLISH)


class _English:
    """The language of the source, for the command line and for tests; seats are shown from 1."""

    def gettext(self, message: str) -> str:
        return message

    def ngettext(self, singular: str, plural: str, number: int) -> str:
        return singular if number == 1 else plural

    def pgettext(self, context: str, message: str) -> str:
        return message

    def seat(self, seat: int) -> str:
        return f"Player {seat + 1}"

    def fill(self, pattern: str, values: Mapping[str, object]) -> str:
        return pattern.format_map(values)


ENGLISH: Language = _English()


def _(message: str, /, **values: TextValue) -> Text:
    """A text, marked for translation."""
    return Text(message, tuple(values.items()))


def ngettext(singular: str, plural: str, number: int, /, **values: TextValue) -> Text:
    """A text that differs between one and many, marked for translation; `{n}` is the number."""
    return Text(singular, (("n", number), *values.items()), plural, number)


def pgettext(context: str, message: str, /) -> Text:
    """A text that has more than one meaning, marked for translation."""
    return Text(message, context=context)


def _rendered(value: TextValue, language: Language) -> object:
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
    """The parts one after the other with commas, as one text."""
    gaps = {f"part{index}": part for index, part in enumerate(parts)}
    return language.fill(", ".join("{" + name + "}" for name in gaps), gaps)
