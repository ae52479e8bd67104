"""Template tags for the avatars and names of players."""

from collections.abc import Iterable
from functools import lru_cache

from django import template
from django.utils.html import format_html, format_html_join

from companion.avatars import COLOURS, get_sign

register = template.Library()


@register.simple_tag
def avatar(name: str, colour: int | None) -> str:
    """Render a sign in its colour; nothing if there is no such sign."""
    return _render(name, colour)


@lru_cache(maxsize=500)
def _render(name: str, colour: int | None) -> str:
    sign = get_sign(name)
    if sign is None:
        return ""
    look = "" if colour is None else f" look{colour % len(COLOURS)}"
    pattern = '<svg class="sign{}" viewBox="0 0 24 24" aria-hidden="true"><path fill-rule="evenodd" d="{}"/></svg>'
    return format_html(pattern, look, sign.path)


@register.filter
def join_names(names: Iterable[str]) -> str:
    """Render names, each isolated from the direction of the text around it, with commas between them."""
    return format_html_join(", ", "<bdi>{}</bdi>", ((name,) for name in names))
