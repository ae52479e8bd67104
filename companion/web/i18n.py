"""Shows the texts of core and games in the language of the phone that asks, safe to stand in a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from django.utils import translation
from django.utils.html import format_html

from companion.core.text import Text


class PageLanguage:
    """The language that is active, with the names at a table; fills gaps so that no name is ever markup."""

    def __init__(self, names: Sequence[str] = ()) -> None:
        self.names = names

    def gettext(self, message: str) -> str:
        return translation.gettext(message)

    def ngettext(self, singular: str, plural: str, number: int) -> str:
        return translation.ngettext(singular, plural, number)

    def pgettext(self, context: str, message: str) -> str:
        return translation.pgettext(context, message)

    def seat(self, seat: int) -> str:
        if 0 <= seat < len(self.names):
            return format_html("<bdi>{}</bdi>", self.names[seat])
        return translation.gettext("Player {n}").format(n=seat + 1)

    def fill(self, pattern: str, values: Mapping[str, object]) -> str:
        shown = {name: _with_minus(value) if isinstance(value, int) else value for name, value in values.items()}
        return format_html(pattern, **shown) if values else pattern


def _with_minus(number: int) -> str:
    """A number with a real minus sign."""
    return str(number).replace("-", "−")


class PlainLanguage(PageLanguage):
    """The same without markup, for what is no page; a name is kept apart from the text around it by isolates."""

    def seat(self, seat: int) -> str:
        if 0 <= seat < len(self.names):
            return f"\u2068{self.names[seat]}\u2069"
        return super().seat(seat)

    def fill(self, pattern: str, values: Mapping[str, object]) -> str:
        shown = {name: _with_minus(value) if isinstance(value, int) else value for name, value in values.items()}
        return pattern.format_map(shown) if values else pattern


def translate_plain(text: Text, names: Sequence[str] = ()) -> str:
    """The text in the active language, as words only: never to be put into a page as markup."""
    return text.render(PlainLanguage(names))


def translate(text: Text, names: Sequence[str] = ()) -> str:
    """The text in the active language, as safe markup."""
    return _said(text, tuple(names), translation.get_language())


@lru_cache(maxsize=10_000)
def _said(text: Text, names: tuple[str, ...], language: str) -> str:
    """A page says mostly what the page before it has said. The language is the active one, and part of the key."""
    return text.render(PageLanguage(names))
