"""Plain controls that boards are made of. The number grid is drawn here and not by a template: it is most of a page."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache, reduce
from itertools import groupby
from operator import add
from typing import Protocol

from django import template
from django.utils import translation
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from companion.core.text import Text
from companion.languages import said

register = template.Library()


class Cell(Hashable, Protocol):
    """A card of a number grid: `marks` are the words of how it looks, `data` what the page may know of it, and
    `says` what a screen reader says beside the number."""

    @property
    def number(self) -> int: ...

    @property
    def marks(self) -> str: ...

    @property
    def data(self) -> Sequence[tuple[str, str]]: ...

    @property
    def says(self) -> Sequence[Text]: ...


@register.simple_tag
def number_grid(cards: Iterable[Cell], name: str = "card") -> SafeString:
    """A button a card, by tens: a tap posts the number of the card under `name`."""
    language = translation.get_language()
    tens = (_ten(tuple(group), name, language) for _number, group in groupby(cards, lambda card: card.number // 10))
    return format_html_join("\n", "{}", ((ten,) for ten in tens))


@lru_cache(maxsize=4_000)
def _ten(cards: tuple[Cell, ...], name: str, language: str) -> SafeString:
    """A row of cards; most of a page's rows are those of the page before it."""
    cells = reduce(add, (_cell(card, name, language) for card in cards))
    row = '<div class="ten" role="group" aria-label="{}–{}">{}</div>'
    return format_html(row, cards[0].number, cards[-1].number, cells)


@lru_cache(maxsize=20_000)
def _cell(cell: Cell, name: str, language: str) -> SafeString:
    """A card as a button; there are few that differ, and a page has a hundred, so each is drawn once a language."""
    number = str(cell.number)
    extra = format_html_join("", ' data-{}="{}"', cell.data)
    if cell.says:
        extra += format_html(' aria-label="{}"', ", ".join([number, *(said(text) for text in cell.says)]))
    template = '<button class="card{}" id="{}-{}" name="{}" value="{}"{}>{}</button>'
    return format_html(template, cell.marks, name, number, name, number, extra, number)
