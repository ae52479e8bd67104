"""Serialization of API responses."""

from collections.abc import Iterable, Sequence

from django.urls import reverse
from django.utils import translation

from companion.api import schema
from companion.core.examples import Trial
from companion.core.game import Game
from companion.exchange.export_records import TableRecord, build_player, make_player_uid
from companion.exchange.formats.companion_json import export_table
from companion.exchange.schema import JsonObject
from companion.exchange.sharing.result_text import strip_isolates
from companion.history.statistics.player_stats import HeadToHead, PlayerStats
from companion.people.models import Circle, Player
from companion.rulebook.loader import Prose, Rulebook, Section, WorkedExample
from companion.web.i18n import translate_plain


def serialize_table_summary(record: TableRecord) -> JsonObject:
    """Serialize a table without its log."""
    url = reverse("api-table", args=[record.table.public_id])
    return schema.TABLE_SUMMARY.serialize(record, **{**export_table(record), "url": url})


def serialize_player(circle: Circle, player: Player) -> JsonObject:
    exported = build_player(circle, player)
    url = reverse("api-player", args=[exported.uid])
    return schema.PLAYER_SUMMARY.serialize(exported, is_left_out=player.left_at is not None, url=url)


def serialize_player_stats(circle: Circle, player: Player, stats: PlayerStats, unread: int) -> JsonObject:
    return schema.PLAYER_STATS.serialize(
        stats,
        **serialize_player(circle, player),
        games=[schema.GAME_STATS.serialize(line, called=str(line.called)) for line in stats.by_game],
        against=_serialize_head_to_head(circle, stats.against),
        together=_serialize_head_to_head(circle, stats.together),
        unread=unread,
    )


def _serialize_head_to_head(circle: Circle, records: Iterable[HeadToHead]) -> list[JsonObject]:
    return [schema.HEAD_TO_HEAD.serialize(record, player=make_player_uid(circle, record.player)) for record in records]


def serialize_rulebook_summary(game: Game, language: str) -> JsonObject:
    with translation.override(language):
        title = translate_plain(game.title)
    url = reverse("api-rulebook", args=[game.slug, language])
    return schema.RULEBOOK_SUMMARY.serialize(game, language=language, title=title, url=url)


def serialize_rulebook(game: Game, language: str, book: Rulebook) -> JsonObject:
    with translation.override(language):
        sections = [_serialize_section(section) for section in book.sections]
    return schema.RULEBOOK.serialize(book, game=game.slug, language=language, sections=sections)


def _serialize_section(section: Section) -> JsonObject:
    return schema.SECTION.serialize(
        section,
        text="\n\n".join(part.source for part in section.parts if isinstance(part, Prose)),
        examples=[
            schema.EXAMPLE.serialize(part, tried=[_serialize_trial(trial, part.names) for trial in part.trials])
            for part in section.parts
            if isinstance(part, WorkedExample)
        ],
    )


def _serialize_trial(trial: Trial, names: Sequence[str]) -> JsonObject:
    return schema.TRIAL.serialize(
        trial,
        text=strip_isolates(translate_plain(trial.text, names)),
        rule=trial.rule or None,
        reason=strip_isolates(translate_plain(trial.reason, names)) if trial.reason else None,
    )
