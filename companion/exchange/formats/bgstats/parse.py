"""The files of BG Stats, the full export and the shared play, as far as public material shows them: reading only.

Sources: the field census of an export, and readers and writers of others; absent and unknown fields are let be. What a
play becomes is in plays.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from companion import limits
from companion.core.text import Text, _
from companion.exchange.formats.bgstats.plays import References, build_table, truncate
from companion.exchange.formats.bgstats.scores import BgStatsGame
from companion.exchange.import_data import BadFile, ImportedPlayer, ImportedTable, ImportFile, SkippedTable
from companion.exchange.safe_json import parse_json
from companion.exchange.schema import Field, FieldType, ObjectType
from companion.exchange.validation import clean_text, parse_object
from companion.games import get_generic_game
from companion.history.models import BGSTATS
from companion.people.validators import clean_name, clean_place

KIND = BGSTATS
MAX_ROWS = 20_000
"""Of anything in a list: three plays a day for twenty years."""
MAX_PLAYERS = 5_000
MAX_SCORES = 100
"""Of one play."""
_ID = re.compile(r"[0-9A-Za-z-]{1,60}")
_OF_TYPE = {str: FieldType.TEXT, int: FieldType.NUMBER, bool: FieldType.TRUTH, list: FieldType.LIST}


@dataclass(frozen=True)
class _ObjectReader:
    """The fields of an object that are looked at: those that must be there, and what stands for those that need not."""

    wanted: Mapping[str, FieldType]
    usual: Mapping[str, Any]

    @cached_property
    def part(self) -> ObjectType:
        shapes = {**self.wanted, **{name: _OF_TYPE[type(word)] for name, word in self.usual.items()}}
        return ObjectType("", Text(""), tuple(Field(name, shape, Text("")) for name, shape in shapes.items()))

    def read(self, value: Any, where: str) -> dict[str, Any]:
        """Raises BadFile for a field of another type; null is as good as nothing."""
        if not isinstance(value, dict):
            return parse_object(value, self.part, where)
        names = self.wanted.keys() | self.usual.keys()
        known = {name: word for name, word in value.items() if name in names and word is not None}
        return parse_object({**self.usual, **known}, self.part, where)


_FILE = _ObjectReader(
    {"players": FieldType.LIST, "games": FieldType.LIST, "plays": FieldType.LIST}, {"locations": list[Any]()}
)
_PLAYER = _ObjectReader(
    {"id": FieldType.NUMBER, "uuid": FieldType.TEXT, "name": FieldType.TEXT}, {"isAnonymous": False}
)
_PLACE = _ObjectReader({"id": FieldType.NUMBER, "name": FieldType.TEXT}, {})
_GAME = _ObjectReader(
    {"id": FieldType.NUMBER, "name": FieldType.TEXT},
    {"highestWins": True, "noPoints": False, "cooperative": False},
)
_PLAY = _ObjectReader(
    {"uuid": FieldType.TEXT, "gameRefId": FieldType.NUMBER, "playDate": FieldType.TEXT, "playerScores": FieldType.LIST},
    {
        "locationRefId": 0,
        "playDateYmd": 0,
        "durationMin": 0,
        "scoringSetting": 0,
        "usesTeams": False,
        "ignored": False,
        "board": "",
        "comments": "",
    },
)
_SCORE = _ObjectReader({"playerRefId": FieldType.NUMBER}, {"score": "", "winner": False, "seatOrder": 0, "team": ""})


def parse_file(data: bytes) -> ImportFile:
    """Raises BadFile with the path."""
    return parse_document(parse_json(data))


def is_bgstats_file(found: Any) -> bool:
    """Whether plain data is such a file, however broken."""
    return isinstance(found, dict) and "plays" in found and "format" not in found


def parse_document(found: Any) -> ImportFile:
    """Raises BadFile with the path."""
    file = _FILE.read(found, "")
    for name, most in (("players", MAX_PLAYERS), ("games", MAX_ROWS), ("locations", MAX_ROWS), ("plays", MAX_ROWS)):
        if len(file[name]) > most:
            raise BadFile(f"{name}[{most}]", _("Too many: at most {n} can be read.", n=most))
    players = _parse_players(file["players"])
    known = References(
        players={number: player.id if player else None for number, player in players.items()},
        games=_parse_games(file["games"]),
        places=_parse_locations(file["locations"]),
        sheet=get_generic_game(),
    )
    sittings, left_out = _parse_plays(file["plays"], known)
    return ImportFile(KIND, tuple(player for player in players.values() if player), sittings, left_out)


def _parse_players(rows: list[Any]) -> dict[int, ImportedPlayer | None]:
    """By their numbers in the file; None for whoever has no name there."""
    found: dict[int, ImportedPlayer | None] = {}
    seen: set[str] = set()
    for index, value in enumerate(rows):
        where = f"players[{index}]"
        row = _PLAYER.read(value, where)
        _check_unused(row["id"], found, f"{where}.id")
        own = _parse_uuid(row["uuid"], seen, f"{where}.uuid")
        is_nobody = row["isAnonymous"]
        found[row["id"]] = None if is_nobody else ImportedPlayer(own, _clean_name(row["name"], f"{where}.name"))
    return found


def _parse_games(rows: list[Any]) -> dict[int, BgStatsGame]:
    found: dict[int, BgStatsGame] = {}
    for index, value in enumerate(rows):
        where = f"games[{index}]"
        row = _GAME.read(value, where)
        _check_unused(row["id"], found, f"{where}.id")
        name = _clean_name(row["name"], f"{where}.name")
        found[row["id"]] = BgStatsGame(name, row["highestWins"], row["noPoints"], row["cooperative"])
    return found


def _parse_locations(rows: list[Any]) -> dict[int, str]:
    found: dict[int, str] = {}
    for index, value in enumerate(rows):
        where = f"locations[{index}]"
        row = _PLACE.read(value, where)
        _check_unused(row["id"], found, f"{where}.id")
        found[row["id"]] = clean_text(clean_place, truncate(row["name"], limits.MAX_NAME_LENGTH), f"{where}.name")
    return found


def _parse_plays(rows: list[Any], file: References) -> tuple[tuple[ImportedTable, ...], tuple[tuple[str, Text], ...]]:
    """What can be taken in, and which plays cannot, with the reasons."""
    found: list[ImportedTable] = []
    left_out: list[tuple[str, Text]] = []
    seen: set[str] = set()
    for index, value in enumerate(rows):
        where = f"plays[{index}]"
        play = _PLAY.read(_truncate_comments(value), where)
        rows[index] = None  # what has been read is let go: both at once would be too large
        play["uuid"] = _parse_uuid(play["uuid"], seen, f"{where}.uuid")
        if len(play["playerScores"]) > MAX_SCORES:
            raise BadFile(f"{where}.playerScores[{MAX_SCORES}]", _("That is more than a table can have."))
        scores = enumerate(play["playerScores"])
        play["playerScores"] = [_SCORE.read(score, f"{where}.playerScores[{n}]") for n, score in scores]
        try:
            found.append(build_table(play, file, where))
        except SkippedTable as error:
            left_out.append((where, error.text))
    return tuple(found), tuple(left_out)


def _truncate_comments(play: Any) -> Any:
    """The play with comments that are not longer than what is kept of them."""
    comments = play.get("comments") if isinstance(play, dict) else None
    if not isinstance(comments, str):
        return play
    return {
        **play,
        "comments": truncate(
            comments[: 4 * limits.MAX_NOTE_LENGTH].replace("\r\n", "\n").replace("\r", "\n"), limits.MAX_NOTE_LENGTH
        ),
    }


def _clean_name(text: str, where: str) -> str:
    return clean_text(clean_name, truncate(text, limits.MAX_NAME_LENGTH), where)


def _parse_uuid(word: str, seen: set[str], where: str) -> str:
    """The id that lasts, in small letters: programs differ in that. Raises BadFile where it stands twice."""
    if not _ID.fullmatch(word):
        raise BadFile(where, _("This isn’t an id."))
    own = word.lower()
    if own in seen:
        raise BadFile(where, _("This id occurs twice."))
    seen.add(own)
    return own


def _check_unused(number: int, known: Mapping[int, object], where: str) -> None:
    if number in known:
        raise BadFile(where, _("This id occurs twice."))
