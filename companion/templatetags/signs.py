"""How templates draw the signs by which players are told apart."""

from __future__ import annotations

from functools import lru_cache

from django import template
from django.utils.html import format_html

from companion.avatars import COLOURS, get_sign

register = template.Library()


@register.simple_tag
def sign(name: str, colour: int | None) -> str:
    """A sign in its colour, beside the name that it stands for; nothing where there is no such sign."""
    return _drawn(name, colour)


@lru_cache(maxsize=500)
def _drawn(name: str, colour: int | None) -> str:
    found = get_sign(name)
    if found is None:
        return ""
    tone = "" if colour is None else f" look{colour % len(COLOURS)}"
    pattern = '<svg class="sign{}" viewBox="0 0 24 24" aria-hidden="true"><path fill-rule="evenodd" d="{}"/></svg>'
    return format_html(pattern, tone, found.path)
