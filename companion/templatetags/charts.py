"""Template tags for text and signs in charts."""

from typing import Any

from django import template
from django.utils.html import format_html

from companion.avatars import GRID, get_sign
from companion.charts.scales import SIGN_SIZE
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


@register.simple_tag
def chart_sign(name: str, x: float, y: float) -> str:
    """Draw a sign centred at a point of a chart; nothing if there is no such sign."""
    sign = get_sign(name)
    pattern = '<path fill="currentColor" fill-rule="evenodd" transform="translate({} {}) scale({})" d="{}"/>'
    corner = (f"{coordinate - SIGN_SIZE / 2:g}" for coordinate in (x, y))
    return format_html(pattern, *corner, f"{SIGN_SIZE / GRID:g}", sign.path) if sign else ""
