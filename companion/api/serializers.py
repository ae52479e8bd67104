"""What the interface for programs sends, object by object. What each field means is in parts.py."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from django.urls import reverse
from django.utils import translation

from companion.api.schema import NOT_LISTED
from companion.core.game import Game
from companion.exchange.export_records import Record, guest_of, player_uid
from companion.exchange.formats.companion_json import as_player, as_table
from companion.exchange.sharing.result_text import unwrapped
from companion.history.statistics.player_stats import Company, GameLine, Portrait
from companion.people.models import Circle, Player
from companion.rulebook.loader import Prose, Rulebook, Section, Worked
from companion.web.i18n import translate_plain

Part = dict[str, Any]


def listed(record: Record) -> Part:
    """A table in a list: without its log."""
    whole = as_table(record)
    return {
        **{name: value for name, value in whole.items() if name not in NOT_LISTED},
        "has_ended": record.is_over or record.is_closed,
        "url": reverse("api-table", args=[record.public_id]),
    }


def member(circle: Circle, player: Player) -> Part:
    own = as_player(guest_of(circle, player))
    return {**own, "is_left_out": player.left_at is not None, "url": reverse("api-player", args=[own["id"]])}


def portrait(circle: Circle, player: Player, told: Portrait, unread: int) -> Part:
    return {
        **member(circle, player),
        "plays": told.plays,
        "decided": told.ranked,
        "wins": told.wins,
        "shared": told.shared,
        "longest_streak": told.streak.longest,
        "streak": told.streak.now,
        "first": _time(told.first),
        "last": _time(told.last),
        "games": [_game_line(line) for line in told.by_game],
        "against": _companies(circle, told.against),
        "together": _companies(circle, told.together),
        "unread": unread,
    }


def _game_line(line: GameLine) -> Part:
    return {
        "game": line.key,
        "called": str(line.called),
        "plays": line.plays,
        "wins": line.wins,
        "shared": line.shared,
        "best": line.best,
        "usual": line.usual,
    }


def _companies(circle: Circle, found: Iterable[Company]) -> list[Part]:
    return [
        {
            "player": player_uid(circle, company.player),
            "plays": company.plays,
            "ahead": company.ahead,
            "level": company.level,
            "behind": company.behind,
            "wins": company.wins,
        }
        for company in found
    ]


def book_line(game: Game, language: str) -> Part:
    with translation.override(language):
        title = translate_plain(game.title)
    url = reverse("api-rulebook", args=[game.slug, language])
    return {"game": game.slug, "language": language, "title": title, "url": url}


def whole_book(game: Game, language: str, book: Rulebook) -> Part:
    with translation.override(language):
        sections = [_section(section) for section in book.sections]
    intro = book.intro.source
    return {"game": game.slug, "language": language, "title": book.title, "intro": intro, "sections": sections}


def _section(section: Section) -> Part:
    return {
        "id": section.id,
        "title": section.title,
        "text": "\n\n".join(part.source for part in section.parts if isinstance(part, Prose)),
        "examples": [_example(part) for part in section.parts if isinstance(part, Worked)],
    }


def _example(worked: Worked) -> Part:
    tried = [
        {
            "text": unwrapped(translate_plain(trial.text, worked.names)),
            "rule": trial.rule or None,
            "reason": unwrapped(translate_plain(trial.reason, worked.names)) if trial.reason else None,
        }
        for trial in worked.trials
    ]
    return {"caption": worked.caption, "tried": tried}


def _time(moment: datetime | None) -> str | None:
    return moment.astimezone(UTC).isoformat() if moment else None
