"""Template tags and filters for texts, points and pictures of games."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from django import template
from django.template.defaultfilters import capfirst
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from companion.core.game import Game
from companion.core.match import Match, Round
from companion.core.scoring import ScoreValue
from companion.core.text import SeatName, Text
from companion.web.i18n import translate
from companion.web.static_files import icon_url, static_url

register = template.Library()


def get_names(context: Mapping[str, Any]) -> Sequence[str]:
    """Return the names of the players whose seats a text may mention: those of a part, or else of its page."""
    return context["names"] if "names" in context else getattr(context.get("page"), "names", ())


@register.simple_tag(takes_context=True)
def say(context: dict[str, Any], text: Text) -> str:
    """Translate a text, with the names of the players of the table."""
    return translate(text, get_names(context))


@register.simple_tag(takes_context=True)
def say_joined(context: dict[str, Any], texts: Iterable[Text]) -> SafeString:
    """Translate texts, with a dot between them."""
    return format_html_join(" · ", "{}", ((say(context, text),) for text in texts))


@register.simple_tag(takes_context=True)
def say_sentence(context: dict[str, Any], text: Text) -> str:
    """Translate a text that begins a sentence."""
    return capfirst(say(context, text))


@register.filter
def signed(points: ScoreValue) -> str:
    """Format points with a typographic minus sign; `?` for open points, nothing for None."""
    return "" if points is None else str(points).replace("-", "−")


@register.filter
def nth(values: Any, index: int) -> Any:
    """Return an item of a sequence by its index, or an empty string."""
    return values[index] if 0 <= index < len(values) else ""


@register.simple_tag
def game_image(game: Game | None) -> str:
    """Return the URL of a game's image, or of the default one."""
    return icon_url(game.slug if game else "")


@register.simple_tag
def game_stylesheet(game: Game) -> str:
    """Return the link to a game's stylesheet, if it has one."""
    url = static_url(f"games/{game.slug}/style.css")
    return format_html('<link rel="stylesheet" href="{}">', url) if url else ""


@register.simple_tag
def paper_css(paper: str, kind: str = "paper") -> str:
    """Return the URL of the stylesheet of a paper size."""
    return static(f"css/{kind}-{paper}.css")


@register.simple_tag
def game_script(game: Game) -> str:
    """Return the URL of a game's script, or an empty string."""
    return static_url(f"games/{game.slug}/script.js")


@register.simple_tag(takes_context=True)
def seat_name(context: dict[str, Any], seat: int) -> str:
    return translate(Text("{name}", (("name", SeatName(seat)),)), get_names(context))


@register.simple_tag(takes_context=True)
def describe(context: dict[str, Any], match: Match | Round, entry: Any) -> str:
    """Return the text of a play or a count."""
    return translate(match.game.help.describe(match.options, entry), get_names(context))


@register.simple_tag
def get_picture(played: Round, entry: Any) -> Any:
    """Return the picture of a count, if its game draws counts."""
    return played.game.pad.picture(played.options, entry) if played.game.pad.picture else None


@register.simple_tag
def render_picture(game: Game, picture: Any) -> str:
    """Render a picture in the template of its game; nothing for None."""
    return _render_picture(game.slug, picture, get_language()) if picture else ""


@lru_cache(maxsize=1_000)
def _render_picture(slug: str, picture: Any, language: str) -> str:
    # cached because consecutive pages show nearly the same pictures
    return render_to_string(f"games/{slug}/_picture.html", {"picture": picture})


@register.filter
def strip(text: str) -> str:
    """Remove the whitespace around a block that becomes an attribute."""
    return text.strip()
