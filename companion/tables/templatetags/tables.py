"""The forms of a table: one tag draws the form of every entry, so that boards hold plain controls only."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from secrets import token_urlsafe
from typing import Any

from django import template
from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from companion.tables.forms.pad import Preview, SidePoints

register = template.Library()


_LOOK = '<fieldset class="look" disabled>{}</fieldset>'
"""The board of whoever may look on only."""


@register.simple_block_tag(takes_context=True)
def entry_form(context: dict[str, Any], content: str, id: str = "", **says: object) -> SafeString:
    """A form that records an entry in the slot that the page shows free; `says` are hidden fields of its own."""
    if not context["can_enter"]:
        return format_html(_LOOK if id == "board" else "", content)
    seat = {"seat": context.get("acting_seat", context["turn"])} if id and _has_turn(context) else {}
    fields = {**context["form"], **seat, **says}
    if "kind" in says:
        fields["key"] = token_urlsafe(12)
    return _form(context, content, id, list(_pairs(fields)), is_of_turn=bool(seat) and "seat" not in says)


@register.simple_block_tag(takes_context=True)
def resend_form(
    context: dict[str, Any], content: str, resend: Sequence[tuple[str, str]], insists: Sequence[str] = ()
) -> SafeString:
    """A form that sends again what a notice is about, with the rules that the table overrules."""
    fields = [("key", token_urlsafe(12)), *resend, *(("insist", rule) for rule in insists)]
    return _form(context, content, "", fields)


@register.simple_tag(takes_context=True)
def preview_box(context: Any) -> SafeString:
    """Where a pad says what its boxes come to while they are filled in; the calculator asks its own page."""
    table = context.get("table")
    way, url = ("post", reverse("preview", args=[table.public_id])) if table else ("get", context["request"].path)
    return format_html(
        '<div id="preview" role="status" hx-{}="{}" hx-trigger="input from:closest form delay:300ms"'
        ' hx-include="closest form" hx-target="this" hx-swap="innerHTML" hx-sync="this:replace">{}</div>',
        way,
        url,
        render_to_string("tables/_preview.html", context.flatten()) if context.get("preview") else "",
    )


@register.simple_tag
def part(template: str, **values: Hashable) -> str:
    """A part that depends on these values only. It is drawn once a language and then kept: of all that a page shows,
    nearly all has been shown on the page before it, or at another table."""
    draw = _kept.__wrapped__ if settings.DEBUG else _kept  # whoever edits the template wants to see it
    return draw(template, tuple(values.items()), get_language())


@register.simple_tag(takes_context=True)
def kept(context: Any, template: str, **values: Hashable) -> str:
    """The same of a part that depends on the table, too."""
    return part(template, **{name: context[name] for name in ("table_url", "game", "names", "is_read_only")}, **values)


@lru_cache(maxsize=4_000)
def _kept(template: str, values: tuple[tuple[str, Hashable], ...], language: str) -> str:
    return render_to_string(template, dict(values))


@register.filter
def points_of(preview: Preview, seat: int | None) -> SidePoints:
    return preview.get_points(seat)


def _pairs(fields: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for name, value in fields.items():
        if isinstance(value, tuple):
            yield from ((name, str(part)) for part in value)
        elif value not in (None, ""):
            yield name, str(value)


def _has_turn(context: dict[str, Any]) -> bool:
    return context.get("turn") is not None and context.get("mode") == "referee"


def _form(
    context: dict[str, Any], content: str, id: str, fields: list[tuple[str, str]], *, is_of_turn: bool = False
) -> SafeString:
    """`is_of_turn`: its seat is whoever's turn it is, and nobody's choice."""
    opening = _opening(context["record_url"], id, is_of_turn)
    fields = [("csrfmiddlewaretoken", context["csrf_token"]), *fields]
    inputs = format_html('<input type="hidden" name="{}" value="{}">' * len(fields), *chain.from_iterable(fields))
    return format_html("{}{}{}</form>", opening, inputs, content)


@lru_cache(maxsize=1_000)
def _opening(url: str, id: str, is_of_turn: bool) -> SafeString:
    own = format_html(' id="{}"', id) if id else ""
    turn = format_html(" {}", "data-turn") if is_of_turn else ""
    return format_html('<form method="post" action="{}"{}{}>', url, own, turn)
