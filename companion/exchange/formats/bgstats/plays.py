"""Conversion of BG Stats plays to tables of the generic game, with one round each."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from django.utils import timezone

from companion import limits
from companion.core import refusals
from companion.core.text import Text, _, ngettext
from companion.exchange.import_data import (
    BadFile,
    ImportedTable,
    SkippedTable,
    build_count_entries,
    check_seat_count,
    truncate,
)
from companion.exchange.schema import clean_start, clean_value
from companion.games import get_generic_game
from companion.people.validators import clean_note
from companion.tables.models import Table
from companion.tables.services.details import MAX_MINUTES
from companion.web.i18n import translate_plain

NO_POINTS, COOPERATIVE, UNDECIDED = 2, 4, 8
"""Bits of `scoringSetting`; if it is 0, the settings of the game apply."""
MAX_TEAMS = 6
MAX_SUM_LENGTH, MAX_SHOWN_LENGTH = 60, 40
_NUMBER = r"[0-9]{1,9}(?:\.[0-9]{1,6})?"
_SUM = re.compile(rf"[+-]?{_NUMBER}(?:(?:\+-|[+-]){_NUMBER})*", re.ASCII)
_TERM = re.compile(rf"\+?-?{_NUMBER}", re.ASCII)


@dataclass(frozen=True)
class References:
    """What plays refer to, by id: players, of whom anonymous ones are None, fields of games, and places."""

    players: Mapping[int, str | None]
    games: Mapping[int, Mapping[str, Any]]
    places: Mapping[int, str]


@dataclass(frozen=True)
class PlayerScore:
    """Score of a player; `lost_score` is its text if `points` does not represent it exactly."""

    player: str | None
    points: int | None
    lost_score: str
    is_winner: bool
    team: str
    order: int


@dataclass(frozen=True)
class PlayScoring:
    """Sides of a play and the points of each; None if the file does not say."""

    wins: str
    sides: tuple[tuple[int, ...], ...]
    points: tuple[int | None, ...]
    teams: int = 0
    replaces_points: bool = False
    """Whether the points are replaced by one for each winner, as some are missing."""

    @property
    def scored_sides(self) -> list[tuple[int, int]]:
        """First seat and points of each side that has points."""
        return [(side[0], own) for side, own in zip(self.sides, self.points, strict=True) if own is not None]

    @property
    def winners(self) -> tuple[int, ...]:
        """The winning seats; none if points are missing."""
        points = [number for number in self.points if number is not None]
        if len(points) < len(self.points):
            return ()
        best = max(points) if self.wins == "highest" else min(points)
        return tuple(sorted(seat for side, own in zip(self.sides, points, strict=True) if own == best for seat in side))


def build_table(play: Mapping[str, Any], references: References, where: str) -> ImportedTable:
    """Return the table of a play whose fields are valid. Raises BadFile and SkippedTable."""
    if play["gameRefId"] not in references.games:
        raise BadFile(f"{where}.gameRefId", _("The file has no such game."))
    if play["locationRefId"] and play["locationRefId"] not in references.places:
        raise BadFile(f"{where}.locationRefId", _("The file has no such place."))
    game = references.games[play["gameRefId"]]
    scores, teams = _order_seats(_parse_scores(play, references, where), play["usesTeams"])
    scoring = _score_play(scores, teams, game, play["scoringSetting"])
    is_complete = not play["ignored"] and any(number is not None for number in scoring.points)
    began_at = _parse_start(play, where)
    minutes = play["durationMin"] if 0 < play["durationMin"] <= MAX_MINUTES else 0
    return ImportedTable(
        source=play["uuid"],
        game=None,
        game_name=game["name"],
        options=_build_options(scoring, is_complete),
        mode=Table.Mode.PAD,
        seats=tuple(row.player for row in scores),
        entries=build_count_entries(scoring.scored_sides, kind="bgstats"),
        note=_build_note(play, scores, scoring, where),
        place=references.places.get(play["locationRefId"], ""),
        began_at=began_at,
        ended_at=began_at + timedelta(minutes=minutes) if minutes else None,
        game_version=get_generic_game().about.version,
    )


def _parse_scores(play: Mapping[str, Any], references: References, where: str) -> list[PlayerScore]:
    scores = play["playerScores"]
    for index, score in enumerate(scores):
        if score["playerRefId"] not in references.players:
            raise BadFile(f"{where}.playerScores[{index}].playerRefId", refusals.UNKNOWN_PLAYER_IN_FILE)
    players = [references.players[score["playerRefId"]] for score in scores]
    player_ids = [player_id for player_id in players if player_id is not None]
    if not scores:
        raise SkippedTable(_("It has no players."))
    check_seat_count(len(scores))
    if len(set(player_ids)) < len(player_ids):
        raise SkippedTable(refusals.PLAYER_SEATED_TWICE)
    return [_parse_score(score, player_id) for score, player_id in zip(scores, players, strict=True)]


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
    return clean_value(clean_start, moment, f"{where}.playDate")


def _build_note(play: Mapping[str, Any], scores: Sequence[PlayerScore], scoring: PlayScoring, where: str) -> str:
    """Return the comments and the remarks, cut to the length of a note.

    Remarks name seats rather than players, who can be erased, and are in the language of the request.
    """
    remarks = [translate_plain(text) for text in _list_remarks(play, scores, scoring)]
    below = truncate("\n".join(line for line in remarks if line), limits.MAX_NOTE_LENGTH)
    room = limits.MAX_NOTE_LENGTH - len(below) - 1
    comments = truncate(play["comments"], room) if room > 1 else ""
    return clean_value(clean_note, "\n".join(part for part in (comments, below) if part), f"{where}.comments")


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
    if winners and winners != scoring.winners:
        seats = ", ".join(str(seat + 1) for seat in winners)
        remarks.append(ngettext("Seat {seats} won.", "Seats {seats} won.", len(winners), seats=seats))
    return remarks


def _parse_score(score: Mapping[str, Any], player: str | None) -> PlayerScore:
    text = score["score"].strip()
    exact = _parse_sum(text)
    points = None if exact is None else int(exact.quantize(Decimal(1), ROUND_HALF_UP))  # half away from zero
    lost_score = text[:MAX_SHOWN_LENGTH] if exact is None or exact != points else ""
    return PlayerScore(player, points, lost_score, score["winner"], score["team"].strip(), score["seatOrder"])


def _parse_sum(text: str) -> Decimal | None:
    """Evaluate a sum such as `3+4-1`; None for anything else."""
    terms = text.replace(" ", "").replace("−", "-")
    if len(terms) > MAX_SUM_LENGTH or not _SUM.fullmatch(terms):
        return None
    return sum((Decimal(term.replace("+-", "-")) for term in _TERM.findall(terms)), Decimal(0))


def _order_seats(scores: list[PlayerScore], uses_teams: bool) -> tuple[list[PlayerScore], int]:
    """Return the scores in seat order, team-mates alternating, and the number of equally large teams (0 if none)."""
    if len({score.order for score in scores if score.order > 0}) == len(scores):
        scores = sorted(scores, key=lambda score: score.order)
    names = list(dict.fromkeys(score.team for score in scores))
    size, remainder = divmod(len(scores), len(names))
    teams = [[score for score in scores if score.team == name] for name in names]
    is_valid = uses_teams and "" not in names and not remainder and size >= 2 and 2 <= len(names) <= MAX_TEAMS
    if not is_valid or any(len(team) != size for team in teams):
        return scores, 0
    return [score for group in zip(*teams, strict=True) for score in group], len(names)


def _score_play(scores: Sequence[PlayerScore], teams: int, game: Mapping[str, Any], setting: int) -> PlayScoring:
    is_cooperative = bool(setting & COOPERATIVE) if setting else game["cooperative"]
    has_no_points = bool(setting & NO_POINTS) if setting else game["noPoints"]
    seats = range(len(scores))
    count = 1 if is_cooperative else teams or len(scores)
    sides = tuple(tuple(seats[first::count]) for first in range(count))
    is_decided = any(score.is_winner for score in scores) or (is_cooperative and not setting & UNDECIDED)
    points = tuple(_combine_points([scores[seat].points for seat in side]) for side in sides)
    has_points = any(score.points is not None for score in scores)
    replaces_points = has_no_points or not has_points or (None in points and is_decided)
    if replaces_points:
        side_won = [any(scores[seat].is_winner for seat in side) for side in sides]
        points = tuple(int(one) if is_decided else None for one in side_won)
    wins = "highest" if replaces_points or game["highestWins"] else "lowest"
    return PlayScoring(
        wins="shared" if is_cooperative else wins,
        sides=sides,
        points=points,
        teams=0 if is_cooperative else teams,
        replaces_points=replaces_points and has_points and not has_no_points,
    )


def _combine_points(scores: Sequence[int | None]) -> int | None:
    """Return the points of a side: those that all its players have, or else their sum."""
    points = [score for score in scores if score is not None]
    if not points:
        return None
    return points[0] if len(set(points)) == 1 else sum(points)
