"""How other pages point at a rule, and print one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template
from django.utils import translation
from django.utils.html import format_html

from companion.core.game import Game
from companion.core.schema import get_label
from companion.core.text import Text
from companion.rulebook.loader import Prose, Section, has_rulebook, load_rulebook
from companion.web.i18n import translate

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
    section = rule_section(game, rule)
    return section.title if section else str(rule)


@register.simple_tag
def rule_section(game: Game, rule: str) -> Section | None:
    """A rule as it is printed, in the language of the page; None where there is no rulebook."""
    language = translation.get_language()
    return load_rulebook(game, language).section(rule) if has_rulebook(game, language) else None


@register.simple_tag(takes_context=True)
def short(context: Mapping[str, Any], what: str | Text) -> str:
    """A play as a list of legal plays shows it: a number, or a few words."""
    return translate(what, context.get("names", ())) if isinstance(what, Text) else what


@register.simple_tag
def question_title(game: Game, kind: str) -> str:
    """What a question is about, where a game can be asked several."""
    return translate(game.questions[kind].title)


@register.filter
def in_language(texts: Mapping[str, Any]) -> Any:
    """Of what is there in every language, that of the page."""
    return texts[translation.get_language()]


@register.filter
def option_label(game: Game, option: str) -> str:
    """What an option is called where a table is opened."""
    label = get_label(game.options, option)
    return translate(label) if label else option
