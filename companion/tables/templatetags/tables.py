"""Template tags for entry forms and cached parts of boards."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import lru_cache, reduce
from operator import add
from secrets import token_urlsafe
from typing import Any

from django import template
from django.conf import settings
from django.template.loader import render_to_string
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from companion.tables.forms.entry import Intent
from companion.tables.forms.pad import BoxGroup, Preview, SidePoints
from companion.tables.presenters.base_page import select_game_template

register = template.Library()
register.filter(select_game_template)

_READ_ONLY_BOARD = '<fieldset class="look" disabled>{}</fieldset>'


@register.simple_block_tag(takes_context=True)
def entry_form(context: dict[str, Any], content: str, id: str = "", **extra: object) -> SafeString:
    """Render a form that records an entry in the free slot of the page; `extra` are additional hidden fields."""
    page = context["page"]
    if not page.can_enter:
        return format_html(_READ_ONLY_BOARD if id == "board" else "", content)
    pad = context.get("pad")
    seat = {"seat": page.acting_seat} if id and page.turn is not None else {}
    own: dict[str, object] = {**seat, **extra}
    if "kind" in extra:
        own["key"] = token_urlsafe(12)
    elif id == "board" and pad:
        own["intent"] = Intent.COUNTS
    shared = {name: value for name, value in (pad.form if pad else page.form).items() if name not in own}
    is_of_turn = bool(seat) and "seat" not in extra
    return _render_form(context, content, id, _list_fields(shared), _list_fields(own), is_of_turn=is_of_turn)


@register.simple_block_tag(takes_context=True)
def resend_form(
    context: dict[str, Any], content: str, resend: Sequence[tuple[str, str]], insists: Sequence[str] = ()
) -> SafeString:
    """Render a form that posts the fields of a notice again, overruling the rules in `insists`."""
    fields = (("key", token_urlsafe(12)), *resend, *(("insist", rule) for rule in insists))
    return _render_form(context, content, "", (), fields)


@register.simple_tag
def cached_part(template: str, **values: Hashable) -> str:
    """Render a template that depends on these values only, cached per language: pages repeat most of their parts."""
    render = _render_cached.__wrapped__ if settings.DEBUG else _render_cached  # edits of templates show at once
    return render(template, tuple(values.items()), get_language())


@lru_cache(maxsize=4_000)
def _render_cached(template: str, values: tuple[tuple[str, Hashable], ...], language: str) -> str:
    return render_to_string(template, dict(values))


@register.simple_tag
def cached_parts(template: str, name: str, items: Iterable[Hashable], **values: Hashable) -> str:
    """Render a template for each of the items, which it knows by that name; cached as by `cached_part`."""
    parts = [cached_part(template, **{name: item}, **values) for item in items]
    return reduce(add, parts) if parts else ""  # the sum of safe strings is safe


@register.filter
def points_of(preview: Preview, seat: int | None) -> SidePoints:
    return preview.get_points(seat)


@register.filter
def has_value(groups: Iterable[BoxGroup], field: str) -> bool:
    """Whether a box of this field is filled in, in any of the groups."""
    return any(box.value for group in groups for box in group.boxes_by_field.get(field, ()))


Fields = tuple[tuple[str, str], ...]


def _list_fields(values: Mapping[str, object]) -> Fields:
    """Return the names and values of inputs: one for each part of a tuple, none for what is empty."""
    pairs: list[tuple[str, object]] = []
    for name, value in values.items():
        if isinstance(value, tuple):
            pairs += ((name, part) for part in value)
        elif value not in (None, ""):
            pairs.append((name, value))
    return tuple((name, str(value)) for name, value in pairs)


def _render_form(
    context: dict[str, Any], content: str, id: str, shared: Fields, own: Fields, *, is_of_turn: bool = False
) -> SafeString:
    """Render a form; `shared` are fields of all forms of the page.

    `is_of_turn` marks one whose seat is the player whose turn it is.
    """
    id_attribute = format_html(' id="{}"', id) if id else ""
    turn_attribute = format_html(" {}", "data-turn") if is_of_turn else ""
    shared_inputs = _render_shared_inputs((("csrfmiddlewaretoken", str(context["csrf_token"])), *shared))
    return format_html(
        '<form method="post" action="{0}" hx-post="{0}"{1}{2}>{3}{4}{5}</form>',
        context["page"].record_url,
        id_attribute,
        turn_attribute,
        shared_inputs,
        _render_inputs(own),
        content,
    )


def _render_inputs(fields: Fields) -> SafeString:
    return format_html_join("", '<input type="hidden" name="{}" value="{}">', fields)


_render_shared_inputs = lru_cache(maxsize=16)(_render_inputs)
"""Cached because a page has up to eight forms."""
