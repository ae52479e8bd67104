"""Conversion of BG Stats plays to tables of the generic game, with one round each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.utils import timezone

from companion import limits
from companion.core import refusals
from companion.core.game import Game
from companion.core.text import Text, _, ngettext
from companion.exchange.formats.bgstats.scores import (
    BgStatsGame,
    PlayerScore,
    PlayScoring,
    find_winners,
    order_seats,
    parse_score,
    score_play,
)
from companion.exchange.import_data import BadFile, ImportedTable, SkippedTable, build_count_entries
from companion.exchange.validation import check_start, clean_text
from companion.people.validators import clean_note
from companion.tables.models import Table
from companion.tables.services.details import MAX_MINUTES
from companion.web.i18n import translate_plain


@dataclass(frozen=True)
class References:
    """Everything that plays refer to, by id; and the generic game."""

    players: Mapping[int, str | None]
    games: Mapping[int, BgStatsGame]
    places: Mapping[int, str]
    generic_game: Game


def build_table(play: Mapping[str, Any], references: References, where: str) -> ImportedTable:
    """Return the table of a play whose fields are valid. Raises BadFile and SkippedTable."""
    if play["gameRefId"] not in references.games:
        raise BadFile(f"{where}.gameRefId", _("The file has no such game."))
    if play["locationRefId"] and play["locationRefId"] not in references.places:
        raise BadFile(f"{where}.locationRefId", _("The file has no such place."))
    game = references.games[play["gameRefId"]]
    scores, teams = order_seats(_parse_scores(play, references, where), play["usesTeams"])
    scoring = score_play(scores, teams, game, play["scoringSetting"])
    is_complete = not play["ignored"] and any(number is not None for number in scoring.points)
    began_at = _parse_start(play, where)
    minutes = play["durationMin"] if 0 < play["durationMin"] <= MAX_MINUTES else 0
    return ImportedTable(
        source=play["uuid"],
        game=None,
        game_name=game.name,
        options=_build_options(scoring, is_complete),
        mode=Table.Mode.PAD,
        seats=tuple(row.player for row in scores),
        entries=build_count_entries(
            scoring.scored_sides, kind="bgstats", version=references.generic_game.about.version
        ),
        note=_build_note(play, scores, scoring, where),
        place=references.places.get(play["locationRefId"], ""),
        began_at=began_at,
        ended_at=began_at + timedelta(minutes=minutes) if minutes else None,
        game_version=references.generic_game.about.version,
    )


def _parse_scores(play: Mapping[str, Any], references: References, where: str) -> list[PlayerScore]:
    scores = play["playerScores"]
    for index, score in enumerate(scores):
        if score["playerRefId"] not in references.players:
            raise BadFile(f"{where}.playerScores[{index}].playerRefId", refusals.UNKNOWN_PLAYER_IN_FILE)
    player_ids = [
        player_id
        for player_id in (references.players[score["playerRefId"]] for score in scores)
        if player_id is not None
    ]
    if not scores:
        raise SkippedTable(_("It has no players."))
    if len(scores) > references.generic_game.about.seats[-1]:
        raise SkippedTable(refusals.TOO_MANY_PLAYERS.with_values(n=references.generic_game.about.seats[-1]))
    if len(set(player_ids)) < len(player_ids):
        raise SkippedTable(refusals.PLAYER_SEATED_TWICE)
    return [parse_score(score, references.players[score["playerRefId"]]) for score in scores]


def _build_options(scoring: PlayScoring, is_complete: bool) -> dict[str, str]:
    """Return the options; without `rounds` the table never ends, and does not count. The name is set once chosen."""
    options = {"wins": scoring.wins}
    if scoring.teams:
        options["teams"] = str(scoring.teams)
    return {**options, "rounds": "1"} if is_complete else options


def _parse_start(play: Mapping[str, Any], where: str) -> datetime:
    """Return the start. The file has local times, which are taken to be in the server's time zone."""
    time_zone = timezone.get_current_timezone()
    try:
        moment = datetime.strptime(play["playDate"].strip(), "%Y-%m-%d %H:%M:%S").replace(tzinfo=time_zone)
        ymd = play["playDateYmd"]
        if ymd:
            moment = datetime.combine(date(ymd // 10_000, ymd // 100 % 100, ymd % 100), moment.timetz())
    except ValueError:
        raise BadFile(f"{where}.playDate", refusals.INVALID_TIME) from None
    check_start(moment, f"{where}.playDate")
    return moment


def _build_note(play: Mapping[str, Any], scores: Sequence[PlayerScore], scoring: PlayScoring, where: str) -> str:
    """Return the comments and the remarks, cut to the length of a note.

    Remarks name seats rather than players, who can be erased, and are in the language of the request.
    """
    remarks = [translate_plain(text) for text in _list_remarks(play, scores, scoring)]
    below = truncate("\n".join(line for line in remarks if line), limits.MAX_NOTE_LENGTH)
    room = limits.MAX_NOTE_LENGTH - len(below) - 1
    comments = truncate(play["comments"], room) if room > 1 else ""
    return clean_text(clean_note, "\n".join(part for part in (comments, below) if part), f"{where}.comments")


def _list_remarks(play: Mapping[str, Any], rows: Sequence[PlayerScore], scoring: PlayScoring) -> list[Text]:
    remarks = (
        [_("Board: {name}.", name=truncate(play["board"], limits.MAX_NAME_LENGTH))] if play["board"].strip() else []
    )
    lost_scores = [
        row.lost_score or (str(row.points) if scoring.replaces_points and row.points is not None else "")
        for row in rows
    ]
    remarks += [_("Seat {n} had {score}.", n=seat + 1, score=score) for seat, score in enumerate(lost_scores) if score]
    winners = tuple(seat for seat, row in enumerate(rows) if row.is_winner)
    if scoring.wins == "shared":
        return [*remarks, _("Won.")] if winners else remarks
    if play["usesTeams"] and not scoring.teams:
        remarks += [
            _("Seat {n} was in team {name}.", n=seat + 1, name=truncate(row.team, limits.MAX_NAME_LENGTH))
            for seat, row in enumerate(rows)
            if row.team
        ]
    if winners and winners != find_winners(scoring):
        seats = ", ".join(str(seat + 1) for seat in winners)
        text = ngettext("Seat {seats} won.", "Seats {seats} won.", len(winners), seats=seats)
        remarks.append(text)
    return remarks


def truncate(text: str, max_length: int) -> str:
    text = text.strip()
    return text if len(text) <= max_length else text[: max_length - 1].rstrip() + "…"
