"""How templates say what core and games have to say."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from django import template
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.translation import get_language

from companion.core.game import Game, ScoreValue
from companion.core.match import Match, Round
from companion.core.text import SeatName, Text
from companion.games import get_games
from companion.web.i18n import translate
from companion.web.static_files import icon_url, static_url

register = template.Library()


@register.simple_tag(takes_context=True)
def say(context: dict[str, Any], text: Text) -> str:
    """A text in the language of the page, with the names of the table that the page is about."""
    return translate(text, context.get("names", ()))


@register.filter
def game_title(slug: str) -> Text:
    """The title of a game; its slug where it cannot be loaded."""
    game = get_games().get(slug)
    return game.title if game else Text("{slug}", (("slug", slug),))


@register.filter
def signed(points: ScoreValue) -> str:
    """Points with a real minus sign, or a question mark; nothing where there are none."""
    return "" if points is None else str(points).replace("-", "−")


@register.filter
def nth(values: Any, index: int) -> Any:
    """One of a sequence, by its place from 0; nothing beyond its end."""
    return values[index] if 0 <= index < len(values) else ""


@register.simple_tag
def drawing(game: Game | None) -> str:
    """The address of a game's own drawing, or of one that fits any game."""
    return icon_url(game.slug if game else "")


@register.simple_tag
def game_stylesheet(game: Game) -> str:
    """The link to a game's own colours; nothing where it has none, and looks like the app."""
    url = static_url(f"games/{game.slug}/style.css")
    return format_html('<link rel="stylesheet" href="{}">', url) if url else ""


@register.simple_tag
def sheet_css(paper: str, kind: str = "paper") -> str:
    """The address of the size of a sheet of paper."""
    return static(f"css/{kind}-{paper}.css")


@register.simple_tag
def game_script(game: Game) -> str:
    """The address of a game's own script; empty where it has none."""
    return static_url(f"games/{game.slug}/script.js")


@register.simple_tag(takes_context=True)
def seat_name(context: dict[str, Any], seat: int) -> str:
    return translate(Text("{name}", (("name", SeatName(seat)),)), context.get("names", ()))


@register.simple_tag(takes_context=True)
def describe(context: dict[str, Any], match: Match | Round, entry: Any) -> str:
    """A play or a count as the log says it."""
    return translate(match.game.describe(match.options, entry), context.get("names", ()))


@register.simple_tag
def picture(played: Round, entry: Any) -> Any:
    """What there is to draw of a count."""
    return played.game.picture(played.options, entry) if played.game.picture else None


@register.simple_tag
def drawn(game: Game, picture: Any) -> str:
    """A picture as its game draws it; nothing where there is none."""
    return _drawn(game.slug, picture, get_language()) if picture else ""


@lru_cache(maxsize=1_000)
def _drawn(slug: str, picture: Any, language: str) -> str:
    """Of the pictures on a page nearly all were on the page before it."""
    return render_to_string(f"games/{slug}/_picture.html", {"picture": picture})
