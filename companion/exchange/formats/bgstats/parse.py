"""BG Stats import: the full export and the shared play.

The format is not documented. It is derived from a census of the fields of an export, and from programs that read or
write it. Unknown fields are ignored.
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
"""Per list: three plays a day for twenty years."""
MAX_PLAYERS = 5_000
MAX_SCORES = 100
"""Per play."""
_ID = re.compile(r"[0-9A-Za-z-]{1,60}")
_FIELD_TYPES = {str: FieldType.TEXT, int: FieldType.NUMBER, bool: FieldType.BOOLEAN, list: FieldType.LIST}


@dataclass(frozen=True)
class _ObjectReader:
    """Reader of the fields that are used of an object: types of the required ones, defaults of the others."""

    required: Mapping[str, FieldType]
    defaults: Mapping[str, Any]

    @cached_property
    def object_type(self) -> ObjectType:
        types = {**self.required, **{name: _FIELD_TYPES[type(value)] for name, value in self.defaults.items()}}
        return ObjectType("", Text(""), tuple(Field(name, field_type, Text("")) for name, field_type in types.items()))

    def read(self, value: Any, where: str) -> dict[str, Any]:
        """Return the fields; null counts as missing. Raises BadFile."""
        if not isinstance(value, dict):
            return parse_object(value, self.object_type, where)
        names = self.required.keys() | self.defaults.keys()
        present = {name: field for name, field in value.items() if name in names and field is not None}
        return parse_object({**self.defaults, **present}, self.object_type, where)


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
    """Parse a file. Raises BadFile."""
    return parse_document(parse_json(data))


def is_bgstats_file(document: Any) -> bool:
    """Return whether parsed JSON is a BG Stats file, valid or not."""
    return isinstance(document, dict) and "plays" in document and "format" not in document


def parse_document(document: Any) -> ImportFile:
    """Return the contents of parsed JSON. Raises BadFile."""
    file = _FILE.read(document, "")
    for name, limit in (("players", MAX_PLAYERS), ("games", MAX_ROWS), ("locations", MAX_ROWS), ("plays", MAX_ROWS)):
        if len(file[name]) > limit:
            raise BadFile(f"{name}[{limit}]", _("Too many: at most {n} can be read.", n=limit))
    players = _parse_players(file["players"])
    references = References(
        players={number: player.id if player else None for number, player in players.items()},
        games=_parse_games(file["games"]),
        places=_parse_locations(file["locations"]),
        generic_game=get_generic_game(),
    )
    tables, skipped = _parse_plays(file["plays"], references)
    return ImportFile(KIND, tuple(player for player in players.values() if player), tables, skipped)


def _parse_players(rows: list[Any]) -> dict[int, ImportedPlayer | None]:
    """Return the players by id; None for anonymous ones."""
    players: dict[int, ImportedPlayer | None] = {}
    seen: set[str] = set()
    for index, value in enumerate(rows):
        where = f"players[{index}]"
        row = _PLAYER.read(value, where)
        _check_unused(row["id"], players, f"{where}.id")
        uuid = _parse_uuid(row["uuid"], seen, f"{where}.uuid")
        is_nobody = row["isAnonymous"]
        players[row["id"]] = None if is_nobody else ImportedPlayer(uuid, _clean_name(row["name"], f"{where}.name"))
    return players


def _parse_games(rows: list[Any]) -> dict[int, BgStatsGame]:
    games: dict[int, BgStatsGame] = {}
    for index, value in enumerate(rows):
        where = f"games[{index}]"
        row = _GAME.read(value, where)
        _check_unused(row["id"], games, f"{where}.id")
        name = _clean_name(row["name"], f"{where}.name")
        games[row["id"]] = BgStatsGame(name, row["highestWins"], row["noPoints"], row["cooperative"])
    return games


def _parse_locations(rows: list[Any]) -> dict[int, str]:
    locations: dict[int, str] = {}
    for index, value in enumerate(rows):
        where = f"locations[{index}]"
        row = _PLACE.read(value, where)
        _check_unused(row["id"], locations, f"{where}.id")
        locations[row["id"]] = clean_text(clean_place, truncate(row["name"], limits.MAX_NAME_LENGTH), f"{where}.name")
    return locations


def _parse_plays(
    rows: list[Any], references: References
) -> tuple[tuple[ImportedTable, ...], tuple[tuple[str, Text], ...]]:
    """Return the tables of the plays, and the location and reason of each skipped play."""
    tables: list[ImportedTable] = []
    skipped: list[tuple[str, Text]] = []
    seen: set[str] = set()
    for index, value in enumerate(rows):
        where = f"plays[{index}]"
        play = _PLAY.read(_truncate_comments(value), where)
        rows[index] = None  # free the parsed JSON: both at once would take too much memory
        play["uuid"] = _parse_uuid(play["uuid"], seen, f"{where}.uuid")
        if len(play["playerScores"]) > MAX_SCORES:
            raise BadFile(f"{where}.playerScores[{MAX_SCORES}]", _("That is more than a table can have."))
        scores = enumerate(play["playerScores"])
        play["playerScores"] = [_SCORE.read(score, f"{where}.playerScores[{n}]") for n, score in scores]
        try:
            tables.append(build_table(play, references, where))
        except SkippedTable as error:
            skipped.append((where, error.text))
    return tuple(tables), tuple(skipped)


def _truncate_comments(play: Any) -> Any:
    """Cut the comments to the length of a note."""
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


def _parse_uuid(value: str, seen: set[str], where: str) -> str:
    """Return a UUID in lower case, as programs differ in that. Raises BadFile if it occurs twice."""
    if not _ID.fullmatch(value):
        raise BadFile(where, _("This isn’t an id."))
    uuid = value.lower()
    if uuid in seen:
        raise BadFile(where, _("This id occurs twice."))
    seen.add(uuid)
    return uuid


def _check_unused(number: int, used: Mapping[int, object], where: str) -> None:
    if number in used:
        raise BadFile(where, _("This id occurs twice."))
