"""Template tags for entry forms and cached parts of boards."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, reduce
from itertools import chain
from operator import add
from secrets import token_urlsafe
from typing import Any

from django import template
from django.conf import settings
from django.template.loader import render_to_string
from django.utils.html import format_html
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
    seat = {"seat": page.acting_seat} if id and page.turn is not None else {}
    pad = context.get("pad")
    fields = {**(pad.form if pad else page.form), **seat, **extra}
    if "kind" in extra:
        fields["key"] = token_urlsafe(12)
    elif id == "board" and pad:
        fields["intent"] = Intent.COUNTS
    return _render_form(context, content, id, list(_list_fields(fields)), is_of_turn=bool(seat) and "seat" not in extra)


@register.simple_block_tag(takes_context=True)
def resend_form(
    context: dict[str, Any], content: str, resend: Sequence[tuple[str, str]], insists: Sequence[str] = ()
) -> SafeString:
    """Render a form that posts the fields of a notice again, overruling the rules in `insists`."""
    fields = [("key", token_urlsafe(12)), *resend, *(("insist", rule) for rule in insists)]
    return _render_form(context, content, "", fields)


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


def _list_fields(fields: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for name, value in fields.items():
        if isinstance(value, tuple):
            yield from ((name, str(part)) for part in value)
        elif value not in (None, ""):
            yield name, str(value)


def _render_form(
    context: dict[str, Any], content: str, id: str, fields: list[tuple[str, str]], *, is_of_turn: bool = False
) -> SafeString:
    """Render a form; `is_of_turn` marks one whose seat is the player whose turn it is."""
    id_attribute = format_html(' id="{}"', id) if id else ""
    turn_attribute = format_html(" {}", "data-turn") if is_of_turn else ""
    fields = [("csrfmiddlewaretoken", context["csrf_token"]), *fields]
    inputs = format_html('<input type="hidden" name="{}" value="{}">' * len(fields), *chain.from_iterable(fields))
    url = context["page"].record_url
    return format_html(
        '<form method="post" action="{0}" hx-post="{0}"{1}{2}>{3}{4}</form>',
        url,
        id_attribute,
        turn_attribute,
        inputs,
        content,
    )
