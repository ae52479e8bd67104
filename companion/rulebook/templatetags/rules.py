"""Template tags for links to rules and their texts."""

from collections.abc import Mapping
from typing import Any

from django import template
from django.urls import reverse
from django.utils import translation
from django.utils.html import format_html

from companion.core.game import Game
from companion.core.schema import get_label
from companion.core.text import Text
from companion.rulebook.loader import Prose, Section, has_rulebook, load_rulebook
from companion.templatetags.texts import get_names
from companion.web.i18n import translate

register = template.Library()
register.filter("has_rules", has_rulebook)


@register.simple_tag
def rule_link(game: Game, rule: str) -> str:
    """Render a link to a rule with its heading; nothing if the game has no rulebook."""
    if not has_rulebook(game):
        return ""
    label = translation.gettext("Rule: %(title)s") % {"title": rule_title(game, rule)}
    return format_html('<a class="rule" href="{}#{}">{}</a>', reverse("rules", args=[game.slug]), rule, label)


@register.simple_tag
def prose(part: Prose) -> str:
    """Return the HTML of a text of a rulebook."""
    return format_html("{}", part)


@register.simple_tag
def rule_title(game: Game, rule: str) -> str:
    """Return the heading of a rule; its id if there is no rulebook."""
    section = rule_section(game, rule)
    return section.title if section else str(rule)


@register.simple_tag
def rule_section(game: Game, rule: str) -> Section | None:
    """Return the section of a rule; None if there is no rulebook."""
    return load_rulebook(game, translation.get_language()).section(rule) if has_rulebook(game) else None


@register.simple_tag(takes_context=True)
def play_label(context: Mapping[str, Any], label: str | Text) -> str:
    """Return the label of a legal play: a number or a few words."""
    return translate(label, get_names(context)) if isinstance(label, Text) else label


@register.filter
def in_language(texts: Mapping[str, Any]) -> Any:
    """Return the value for the current language, or else for English."""
    return texts.get(translation.get_language()) or texts["en"]


@register.simple_tag
def option_label(game: Game, option: str) -> str:
    """Return the label of an option in the new-table form."""
    return translate(get_label(game.options.cls, option))
