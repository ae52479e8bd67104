"""What a play of BG Stats becomes: one round on the sheet for any game. Reading the file is in reading.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.utils import timezone

from companion import limits
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
from companion.tables.services.details import MOST_MINUTES
from companion.web.i18n import translate_plain


@dataclass(frozen=True)
class References:
    """What plays refer to, by the numbers of the file; and the game that keeps a sheet for all others."""

    players: Mapping[int, str | None]
    games: Mapping[int, BgStatsGame]
    places: Mapping[int, str]
    sheet: Game


def build_table(play: Mapping[str, Any], file: References, where: str) -> ImportedTable:
    """The table of a play whose fields have been checked. Raises BadFile, and Left where it cannot be held."""
    if play["gameRefId"] not in file.games:
        raise BadFile(f"{where}.gameRefId", _("The file has no such game."))
    if play["locationRefId"] and play["locationRefId"] not in file.places:
        raise BadFile(f"{where}.locationRefId", _("The file has no such place."))
    kind = file.games[play["gameRefId"]]
    rows, teams = order_seats(_parse_scores(play, file, where), play["usesTeams"])
    sheet = score_play(rows, teams, kind, play["scoringSetting"])
    is_whole = not play["ignored"] and any(number is not None for number in sheet.points)
    began = _parse_start(play, where)
    minutes = play["durationMin"] if 0 < play["durationMin"] <= MOST_MINUTES else 0
    return ImportedTable(
        source=play["uuid"],
        game=None,
        game_name=kind.name,
        options=_build_options(sheet, is_whole),
        way=Table.Mode.PAD,
        seats=tuple(row.player for row in rows),
        entries=build_count_entries(sheet.counted, kind="bgstats", version=file.sheet.version),
        note=_build_note(play, rows, sheet, where),
        place=file.places.get(play["locationRefId"], ""),
        began_at=began,
        ended_at=began + timedelta(minutes=minutes) if minutes else None,
        game_version=file.sheet.version,
    )


def _parse_scores(play: Mapping[str, Any], file: References, where: str) -> list[PlayerScore]:
    scores = play["playerScores"]
    for index, score in enumerate(scores):
        if score["playerRefId"] not in file.players:
            raise BadFile(f"{where}.playerScores[{index}].playerRefId", _("The file has no such player."))
    named = [own for own in (file.players[score["playerRefId"]] for score in scores) if own is not None]
    if not scores:
        raise SkippedTable(_("It has no players."))
    if len(scores) > file.sheet.seats[-1]:
        raise SkippedTable(_("More than {n} players.", n=file.sheet.seats[-1]))
    if len(set(named)) < len(named):
        raise SkippedTable(_("The same player sits there twice."))
    return [parse_score(score, file.players[score["playerRefId"]]) for score in scores]


def _build_options(sheet: PlayScoring, is_whole: bool) -> dict[str, str]:
    """In the words of the notation; a table that does not count has no last round. Its name comes when it is chosen."""
    options = {"wins": sheet.wins}
    if sheet.teams:
        options["teams"] = str(sheet.teams)
    return {**options, "rounds": "1"} if is_whole else options


def _parse_start(play: Mapping[str, Any], where: str) -> datetime:
    """The local time of whoever wrote the file, which is taken to be the time here; the day is the file's day."""
    zone = timezone.get_current_timezone()
    try:
        moment = datetime.strptime(play["playDate"].strip(), "%Y-%m-%d %H:%M:%S").replace(tzinfo=zone)
        ymd = play["playDateYmd"]
        if ymd:
            moment = datetime.combine(date(ymd // 10_000, ymd // 100 % 100, ymd % 100), moment.timetz())
    except ValueError:
        raise BadFile(f"{where}.playDate", _("That’s not a valid date and time.")) from None
    check_start(moment, f"{where}.playDate")
    return moment


def _build_note(play: Mapping[str, Any], rows: Sequence[PlayerScore], sheet: PlayScoring, where: str) -> str:
    """The comments, cut to what there is room for, and what the sheet cannot say. Seats, no names: they can be erased.

    What is said is in the language of whoever takes the file in.
    """
    said = [translate_plain(text) for text in _list_remarks(play, rows, sheet)]
    below = truncate("\n".join(line for line in said if line), limits.MAX_NOTE_LENGTH)
    room = limits.MAX_NOTE_LENGTH - len(below) - 1
    comments = truncate(play["comments"], room) if room > 1 else ""
    return clean_text(clean_note, "\n".join(part for part in (comments, below) if part), f"{where}.comments")


def _list_remarks(play: Mapping[str, Any], rows: Sequence[PlayerScore], sheet: PlayScoring) -> list[Text]:
    found = [_("Board: {name}.", name=truncate(play["board"], limits.MAX_NAME_LENGTH))] if play["board"].strip() else []
    scores = [row.said or (str(row.points) if sheet.drops_points and row.points is not None else "") for row in rows]
    found += [_("Seat {n} had {score}.", n=seat + 1, score=score) for seat, score in enumerate(scores) if score]
    theirs = tuple(seat for seat, row in enumerate(rows) if row.is_winner)
    if sheet.wins == "shared":
        return [*found, _("Won.")] if theirs else found
    if play["usesTeams"] and not sheet.teams:
        found += [
            _("Seat {n} was in team {name}.", n=seat + 1, name=truncate(row.team, limits.MAX_NAME_LENGTH))
            for seat, row in enumerate(rows)
            if row.team
        ]
    if theirs and theirs != find_winners(sheet):
        seats = ", ".join(str(seat + 1) for seat in theirs)
        text = ngettext("Seat {seats} won.", "Seats {seats} won.", len(theirs), seats=seats)
        found.append(text)
    return found


def truncate(text: str, longest: int) -> str:
    text = text.strip()
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"
