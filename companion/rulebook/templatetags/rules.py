"""How other pages point at a rule."""

from __future__ import annotations

from django import template
from django.utils import translation
from django.utils.html import format_html

from companion.core.game import Game
from companion.rulebook.reading import Prose, has_rulebook, rulebook

register = template.Library()


@register.inclusion_tag("rulebook/_link.html")
def rule_link(game: Game, rule: str) -> dict[str, object]:
    """A link to the paragraph of a rule, with its heading; the id where there is no rulebook in this language."""
    return {"game": game, "rule": rule, "title": rule_name(game, rule)}


@register.simple_tag
def prose(part: Prose) -> str:
    """Running text of a rulebook."""
    return format_html("{}", part)


@register.simple_tag
def rule_name(game: Game, rule: str) -> str:
    """The heading of a rule's paragraph in the language of the page; its id where there is no rulebook."""
    language = translation.get_language()
    section = rulebook(game, language).section(rule) if has_rulebook(game, language) else None
    return section.title if section else str(rule)
