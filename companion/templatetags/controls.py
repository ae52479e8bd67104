"""Template tags for grids of cards, numbers and cells, built in Python because they are most of a page."""

from collections.abc import Collection, Iterable
from functools import lru_cache, reduce
from itertools import groupby, product
from operator import add

from django import template
from django.utils import translation
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from companion.core.card_view import CardView
from companion.core.text import Text, _
from companion.web.i18n import translate

register = template.Library()


@register.simple_tag
def card_grid(rows: Iterable[tuple[Text, tuple[CardView, ...]]], name: str = "card") -> SafeString:
    """Render labelled rows of cards as buttons that post the word of the card under `name`."""
    language = translation.get_language()
    rendered = ((_render_row("card-row", translate(label), cards, name, language),) for label, cards in rows)
    return format_html_join("\n", "{}", rendered)


@register.simple_tag
def number_grid(cards: Iterable[CardView], name: str = "card") -> SafeString:
    """Render numbered cards as buttons, in rows of ten."""
    language = translation.get_language()
    tens = (tuple(group) for _ten, group in groupby(cards, lambda card: card.word[:-1]))
    rendered = ((_render_row("ten", f"{ten[0].word}–{ten[-1].word}", ten, name, language),) for ten in tens)
    return format_html_join("\n", "{}", rendered)


@register.simple_tag
def cell_grid(name: str, chosen: Collection[str]) -> SafeString:
    """Render five rows of five checkboxes; their values are row and column, 11 to 55."""
    pattern = '<input type="checkbox" name="{}" value="{}" aria-label="{}"{}>'
    cells = [
        (f"{line}{column}", translate(_("line {line}, column {column}", line=line, column=column)))
        for line, column in product(range(1, 6), repeat=2)
    ]
    rows = ((name, cell, label, " checked" if cell in chosen else "") for cell, label in cells)
    return format_html_join("\n", pattern, rows)


@lru_cache(maxsize=4_000)
def _render_row(kind: str, label: str, cards: tuple[CardView, ...], name: str, language: str) -> SafeString:
    # cached because consecutive pages show nearly the same rows
    buttons = reduce(add, (_render_card(card, name, language) for card in cards))
    return format_html('<div class="{}" role="group" aria-label="{}">{}</div>', kind, label, buttons)


@lru_cache(maxsize=20_000)
def _render_card(card: CardView, name: str, language: str) -> SafeString:
    # cached because a page has about a hundred cards of few kinds
    face = translate(card.face) if isinstance(card.face, Text) else card.face
    extra = format_html_join("", ' data-{}="{}"', card.details)
    if card.notes:
        extra += format_html(' aria-label="{}"', ", ".join([face, *(translate(text) for text in card.notes)]))
    classes = " ".join(["card", *["legal"] * card.is_legal, *card.tags])
    template = '<button class="{}" id="{}-{}" name="{}" value="{}"{}>{}</button>'
    return format_html(template, classes, name, card.word, name, card.word, extra, face)
