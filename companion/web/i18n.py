"""Translation of core and game texts into the active language, as HTML or plain text."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from django.utils import translation
from django.utils.html import format_html

from companion.core.text import Text


class PageLanguage:
    """The active language with the names at a table; escapes what it fills in, so that no name becomes markup."""

    def __init__(self, names: Sequence[str] = ()) -> None:
        self.names = names

    gettext = staticmethod(translation.gettext)
    ngettext = staticmethod(translation.ngettext)
    pgettext = staticmethod(translation.pgettext)

    def seat(self, seat: int) -> str:
        if 0 <= seat < len(self.names):
            return format_html("<bdi>{}</bdi>", self.names[seat])
        return translation.gettext("Player {n}").format(n=seat + 1)

    def fill(self, pattern: str, values: Mapping[str, object]) -> str:
        return format_html(pattern, **_format_numbers(values)) if values else pattern


def _format_numbers(values: Mapping[str, object]) -> dict[str, object]:
    """Return the values, with a real minus sign in negative numbers."""
    return {name: str(value).replace("-", "−") if isinstance(value, int) else value for name, value in values.items()}


class PlainLanguage(PageLanguage):
    """The same without markup; Unicode isolates keep the direction of a name from affecting the text around it."""

    def seat(self, seat: int) -> str:
        if 0 <= seat < len(self.names):
            return f"\u2068{self.names[seat]}\u2069"
        return super().seat(seat)

    def fill(self, pattern: str, values: Mapping[str, object]) -> str:
        return pattern.format_map(_format_numbers(values)) if values else pattern


def translate_plain(text: Text, names: Sequence[str] = ()) -> str:
    """Return the text in the active language, unescaped: never to be used as markup."""
    return text.render(PlainLanguage(names))


def translate(text: Text, names: Sequence[str] = ()) -> str:
    """Return the text in the active language, as safe HTML."""
    return _translate(text, tuple(names), translation.get_language())


@lru_cache(maxsize=10_000)
def _translate(text: Text, names: tuple[str, ...], language: str) -> str:
    """Cached, as pages repeat most texts of the page before. The language is the active one; it is here as a key."""
    return text.render(PageLanguage(names))
