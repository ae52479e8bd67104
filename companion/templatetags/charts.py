"""How pictures of statistics say names: as words only, for in a drawing there is no markup."""

from __future__ import annotations

from typing import Any

from django import template

from companion.charts import truncate_text
from companion.core.text import Text
from companion.web.i18n import translate_plain

register = template.Library()


@register.simple_tag(takes_context=True)
def words(context: dict[str, Any], text: Text, room: float | None = None) -> str:
    """A text in the language of the page, without markup; cut to so many units of a picture."""
    whole = translate_plain(text, context.get("names", ()))
    return whole if room is None else truncate_text(whole, room)
