"""Template tags for entry forms, previews and cached parts of the table pages."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
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

from companion.tables.forms.entry import Intent
from companion.tables.forms.pad import BoxGroup, Preview, SidePoints
from companion.tables.models import Table

register = template.Library()

_READ_ONLY_BOARD = '<fieldset class="look" disabled>{}</fieldset>'


@register.simple_block_tag(takes_context=True)
def entry_form(context: dict[str, Any], content: str, id: str = "", **extra: object) -> SafeString:
    """Render a form that records an entry in the free slot of the page; `extra` are additional hidden fields."""
    if not context["can_enter"]:
        return format_html(_READ_ONLY_BOARD if id == "board" else "", content)
    seat = {"seat": context.get("acting_seat", context["turn"])} if id and _has_turn(context) else {}
    fields = {**context["form"], **seat, **extra}
    if "kind" in extra:
        fields["key"] = token_urlsafe(12)
    elif id == "board" and context.get("mode") == Table.Mode.PAD:
        fields["intent"] = Intent.COUNTS
    return _render_form(context, content, id, list(_list_fields(fields)), is_of_turn=bool(seat) and "seat" not in extra)


@register.simple_block_tag(takes_context=True)
def resend_form(
    context: dict[str, Any], content: str, resend: Sequence[tuple[str, str]], insists: Sequence[str] = ()
) -> SafeString:
    """Render a form that posts the fields of a notice again, overruling the rules in `insists`."""
    fields = [("key", token_urlsafe(12)), *resend, *(("insist", rule) for rule in insists)]
    return _render_form(context, content, "", fields)


@register.simple_tag(takes_context=True)
def preview_box(context: Any) -> SafeString:
    """Render the live preview of a pad; the calculator gets it from its own page."""
    table = context.get("table")
    method, url = ("post", reverse("preview", args=[table.public_id])) if table else ("get", context["request"].path)
    return format_html(
        '<div id="preview" role="status" hx-{}="{}" hx-trigger="input from:closest form delay:300ms"'
        ' hx-include="closest form" hx-target="this" hx-swap="innerHTML" hx-sync="this:replace">{}</div>',
        method,
        url,
        render_to_string("tables/_preview.html", context.flatten()) if context.get("preview") else "",
    )


@register.simple_tag
def cached_part(template: str, **values: Hashable) -> str:
    """Render a template that depends on these values only, cached per language: pages repeat most of their parts."""
    render = _render_cached.__wrapped__ if settings.DEBUG else _render_cached  # edits of templates show at once
    return render(template, tuple(values.items()), get_language())


@register.simple_tag(takes_context=True)
def cached_table_part(context: Any, template: str, **values: Hashable) -> str:
    """Render a cached part that also depends on the table."""
    return cached_part(
        template, **{name: context[name] for name in ("table_url", "game", "names", "is_read_only")}, **values
    )


@lru_cache(maxsize=4_000)
def _render_cached(template: str, values: tuple[tuple[str, Hashable], ...], language: str) -> str:
    return render_to_string(template, dict(values))


@register.filter
def points_of(preview: Preview, seat: int | None) -> SidePoints:
    return preview.get_points(seat)


@register.filter
def has_value(groups: Iterable[BoxGroup], field: str) -> bool:
    """Whether a box of this field is filled in, in any of the groups."""
    return any(box.value for group in groups for box in group.boxes_by_field.get(field, ()))


def _list_fields(fields: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for name, value in fields.items():
        if isinstance(value, tuple):
            yield from ((name, str(part)) for part in value)
        elif value not in (None, ""):
            yield name, str(value)


def _has_turn(context: dict[str, Any]) -> bool:
    return context.get("turn") is not None and context.get("mode") == "referee"


def _render_form(
    context: dict[str, Any], content: str, id: str, fields: list[tuple[str, str]], *, is_of_turn: bool = False
) -> SafeString:
    """Render a form; `is_of_turn` marks one whose seat is the player whose turn it is."""
    opening = _render_opening_tag(context["record_url"], id, is_of_turn)
    fields = [("csrfmiddlewaretoken", context["csrf_token"]), *fields]
    inputs = format_html('<input type="hidden" name="{}" value="{}">' * len(fields), *chain.from_iterable(fields))
    return format_html("{}{}{}</form>", opening, inputs, content)


@lru_cache(maxsize=1_000)
def _render_opening_tag(url: str, id: str, is_of_turn: bool) -> SafeString:
    id_attribute = format_html(' id="{}"', id) if id else ""
    turn_attribute = format_html(" {}", "data-turn") if is_of_turn else ""
    return format_html('<form method="post" action="{0}" hx-post="{0}"{1}{2}>', url, id_attribute, turn_attribute)
