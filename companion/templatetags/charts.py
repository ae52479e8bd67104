"""Template tag for text in charts."""

from __future__ import annotations

from typing import Any

from django import template

from companion.charts.text_width import truncate_text
from companion.core.text import Text
from companion.templatetags.texts import get_names
from companion.web.i18n import translate_plain

register = template.Library()


@register.simple_tag(takes_context=True)
def plain_text(context: dict[str, Any], text: Text, room: float | None = None) -> str:
    """Translate a text without markup, shortened to a width of `room` units of the chart."""
    whole = translate_plain(text, get_names(context))
    return whole if room is None else truncate_text(whole, room)
