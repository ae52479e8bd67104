"""Plain controls that boards are made of. Grids are drawn here and not by a template: they are most of a page."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from functools import lru_cache, reduce
from itertools import groupby
from operator import add
from typing import Protocol

from django import template
from django.utils import translation
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from companion.core.text import Text, _
from companion.web.i18n import translate

register = template.Library()


class Cell(Hashable, Protocol):
    """A card of a grid: `word` is posted and `face` is shown, `marks` are the words of how it looks, `data` what the
    page may know of it, and `says` what a screen reader says beside its face."""

    @property
    def word(self) -> str: ...

    @property
    def face(self) -> Text | str: ...

    @property
    def marks(self) -> str: ...

    @property
    def data(self) -> Sequence[tuple[str, str]]: ...

    @property
    def says(self) -> Sequence[Text]: ...


@register.simple_tag
def card_grid(rows: Iterable[tuple[Text, tuple[Cell, ...]]], name: str = "card") -> SafeString:
    """Rows of cards, each with its label for a screen reader: a tap posts the word of the card under `name`."""
    language = translation.get_language()
    drawn = ((_row("card-row", translate(label), cells, name, language),) for label, cells in rows)
    return format_html_join("\n", "{}", drawn)


@register.simple_tag
def number_grid(cards: Iterable[Cell], name: str = "card") -> SafeString:
    """The same of cards whose words are numbers, by tens."""
    language = translation.get_language()
    tens = (tuple(group) for _ten, group in groupby(cards, lambda card: card.word[:-1]))
    drawn = ((_row("ten", f"{ten[0].word}–{ten[-1].word}", ten, name, language),) for ten in tens)
    return format_html_join("\n", "{}", drawn)


@register.simple_tag
def cell_grid(name: str, chosen: Collection[str]) -> SafeString:
    """Five lines of five cells to tap a pattern in; each is called by its line and column, 11 to 55."""
    return format_html_join(
        "\n",
        '<input type="checkbox" name="{}" value="{}" aria-label="{}"{}>',
        (
            (
                name,
                f"{line}{column}",
                translate(_place(line, column)),
                " checked" if f"{line}{column}" in chosen else "",
            )
            for line in range(1, 6)
            for column in range(1, 6)
        ),
    )


def _place(line: int, column: int) -> Text:
    return _("line {line}, column {column}", line=line, column=column)


@lru_cache(maxsize=4_000)
def _row(kind: str, label: str, cells: tuple[Cell, ...], name: str, language: str) -> SafeString:
    """A row of cards; most of a page's rows are those of the page before it."""
    drawn = reduce(add, (_cell(cell, name, language) for cell in cells))
    return format_html('<div class="{}" role="group" aria-label="{}">{}</div>', kind, label, drawn)


@lru_cache(maxsize=20_000)
def _cell(cell: Cell, name: str, language: str) -> SafeString:
    """A card as a button; there are few that differ, and a page has a hundred, so each is drawn once a language."""
    face = translate(cell.face) if isinstance(cell.face, Text) else cell.face
    extra = format_html_join("", ' data-{}="{}"', cell.data)
    if cell.says:
        extra += format_html(' aria-label="{}"', ", ".join([face, *(translate(text) for text in cell.says)]))
    template = '<button class="card{}" id="{}-{}" name="{}" value="{}"{}>{}</button>'
    return format_html(template, cell.marks, name, cell.word, name, cell.word, extra, face)
