"""Serialization of API responses."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from django.urls import reverse
from django.utils import translation

from companion.api.schema import DETAIL_ONLY_FIELDS
from companion.core.game import Game
from companion.exchange.export_records import TableRecord, build_player, make_player_uid
from companion.exchange.formats.companion_json import export_player, export_table
from companion.exchange.sharing.result_text import strip_isolates
from companion.history.statistics.player_stats import HeadToHead, PlayerGameStats, PlayerStats
from companion.people.models import Circle, Player
from companion.rulebook.loader import Prose, Rulebook, Section, WorkedExample
from companion.web.i18n import translate_plain

JsonObject = dict[str, Any]


def serialize_table_summary(record: TableRecord) -> JsonObject:
    """Serialize a table without its log."""
    table = export_table(record)
    return {
        **{name: value for name, value in table.items() if name not in DETAIL_ONLY_FIELDS},
        "has_ended": record.has_ended,
        "url": reverse("api-table", args=[record.public_id]),
    }


def serialize_player(circle: Circle, player: Player) -> JsonObject:
    data = export_player(build_player(circle, player))
    return {**data, "is_left_out": player.left_at is not None, "url": reverse("api-player", args=[data["id"]])}


def serialize_player_stats(circle: Circle, player: Player, stats: PlayerStats, unread: int) -> JsonObject:
    return {
        **serialize_player(circle, player),
        "plays": stats.matches,
        "decided": stats.decided,
        "wins": stats.wins,
        "shared": stats.shared_wins,
        "longest_streak": stats.streak.longest,
        "streak": stats.streak.current,
        "first": _format_time(stats.first),
        "last": _format_time(stats.last),
        "games": [_serialize_game_stats(line) for line in stats.by_game],
        "against": _serialize_head_to_head(circle, stats.against),
        "together": _serialize_head_to_head(circle, stats.together),
        "unread": unread,
    }


def _serialize_game_stats(line: PlayerGameStats) -> JsonObject:
    return {
        "game": line.slug,
        "called": str(line.called),
        "plays": line.matches,
        "wins": line.wins,
        "shared": line.shared_wins,
        "best": line.best,
        "usual": line.median_total,
    }


def _serialize_head_to_head(circle: Circle, records: Iterable[HeadToHead]) -> list[JsonObject]:
    return [
        {
            "player": make_player_uid(circle, record.player),
            "plays": record.matches,
            "ahead": record.ahead,
            "level": record.tied,
            "behind": record.behind,
            "wins": record.wins,
        }
        for record in records
    ]


def serialize_rulebook_summary(game: Game, language: str) -> JsonObject:
    with translation.override(language):
        title = translate_plain(game.title)
    url = reverse("api-rulebook", args=[game.slug, language])
    return {"game": game.slug, "language": language, "title": title, "url": url}


def serialize_rulebook(game: Game, language: str, book: Rulebook) -> JsonObject:
    with translation.override(language):
        sections = [_serialize_section(section) for section in book.sections]
    intro = book.intro.source
    return {"game": game.slug, "language": language, "title": book.title, "intro": intro, "sections": sections}


def _serialize_section(section: Section) -> JsonObject:
    return {
        "id": section.id,
        "title": section.title,
        "text": "\n\n".join(part.source for part in section.parts if isinstance(part, Prose)),
        "examples": [_serialize_example(part) for part in section.parts if isinstance(part, WorkedExample)],
    }


def _serialize_example(worked: WorkedExample) -> JsonObject:
    tried_plays = [
        {
            "text": strip_isolates(translate_plain(trial.text, worked.names)),
            "rule": trial.rule or None,
            "reason": strip_isolates(translate_plain(trial.reason, worked.names)) if trial.reason else None,
        }
        for trial in worked.trials
    ]
    return {"caption": worked.caption, "tried": tried_plays}


def _format_time(moment: datetime | None) -> str | None:
    return moment.astimezone(UTC).isoformat() if moment else None
