"""BG Stats import: the full export and the shared play.

The format is not documented. It is derived from a census of the fields of an export, and from programs that read or
write it. Unknown fields are ignored.
"""

import re
from collections.abc import Iterator
from typing import Any

from companion import limits
from companion.core import refusals
from companion.core.text import Text
from companion.exchange.formats.bgstats.plays import References, build_table
from companion.exchange.import_data import BadFile, ImportedPlayer, ImportedTable, ImportFile, SkippedTable, truncate
from companion.exchange.schema import Field, ObjectType
from companion.exchange.validation import check_length, check_unused, clean_text, parse_object
from companion.history.models import BGSTATS
from companion.people.validators import clean_name, clean_place

KIND = BGSTATS
MAX_ROWS = 20_000
"""Per list: three plays a day for twenty years."""
MAX_PLAYERS = 5_000
MAX_SCORES = 100
"""Per play."""
_ID = re.compile(r"[0-9A-Za-z-]{1,60}")


class _ObjectReader:
    """Reader of the fields that are used of an object, each given by its type, or by its default if optional."""

    def __init__(self, **fields: type | str | int | list[Any]) -> None:
        self._defaults = {name: value for name, value in fields.items() if not isinstance(value, type)}
        types = {name: value if isinstance(value, type) else type(value) for name, value in fields.items()}
        self._object_type = ObjectType("", Text(""), *(Field(*pair) for pair in types.items()))

    def read(self, value: Any, where: str) -> dict[str, Any]:
        """Return the fields; null counts as missing. Raises BadFile."""
        if isinstance(value, dict):
            names = [field.name for field in self._object_type.fields]
            value = {**self._defaults, **{name: value[name] for name in names if value.get(name) is not None}}
        return parse_object(value, self._object_type, where)


_FILE = _ObjectReader(players=list, games=list, plays=list, locations=[])
_PLAYER = _ObjectReader(id=int, uuid=str, name=str, isAnonymous=False)
_PLACE = _ObjectReader(id=int, name=str)
_GAME = _ObjectReader(id=int, name=str, highestWins=True, noPoints=False, cooperative=False)
_PLAY = _ObjectReader(
    uuid=str,
    gameRefId=int,
    playDate=str,
    playerScores=list,
    locationRefId=0,
    playDateYmd=0,
    durationMin=0,
    scoringSetting=0,
    usesTeams=False,
    ignored=False,
    board="",
    comments="",
)
_SCORE = _ObjectReader(playerRefId=int, score="", winner=False, seatOrder=0, team="")


def is_bgstats_file(document: Any) -> bool:
    """Return whether parsed JSON is a BG Stats file, valid or not."""
    return isinstance(document, dict) and "plays" in document and "format" not in document


def parse_document(document: Any) -> ImportFile:
    """Return the contents of parsed JSON. Raises BadFile."""
    file = _FILE.read(document, "")
    for name, limit in (("players", MAX_PLAYERS), ("games", MAX_ROWS), ("locations", MAX_ROWS), ("plays", MAX_ROWS)):
        check_length(file[name], limit, name)
    players = _parse_players(file["players"])
    references = References(
        players={number: player.id if player else None for number, player in players.items()},
        games={
            row["id"]: {**row, "name": _clean_name(row["name"], f"{where}.name")}
            for where, row in _iter_rows(file["games"], _GAME, "games")
        },
        places={
            row["id"]: clean_text(clean_place, truncate(row["name"], limits.MAX_NAME_LENGTH), f"{where}.name")
            for where, row in _iter_rows(file["locations"], _PLACE, "locations")
        },
    )
    tables, skipped = _parse_plays(file["plays"], references)
    return ImportFile(KIND, tuple(player for player in players.values() if player), tables, skipped)


def _parse_players(rows: list[Any]) -> dict[int, ImportedPlayer | None]:
    """Return the players by id; None for anonymous ones."""
    players: dict[int, ImportedPlayer | None] = {}
    seen: set[str] = set()
    for where, row in _iter_rows(rows, _PLAYER, "players"):
        uuid = _parse_uuid(row["uuid"], seen, f"{where}.uuid")
        name = "" if row["isAnonymous"] else _clean_name(row["name"], f"{where}.name")
        players[row["id"]] = ImportedPlayer(uuid, name) if name else None
    return players


def _iter_rows(rows: list[Any], reader: _ObjectReader, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the location and the fields of each object in a list. Raises BadFile if an id occurs twice."""
    ids: set[int] = set()
    for index, value in enumerate(rows):
        where = f"{name}[{index}]"
        row = reader.read(value, where)
        check_unused(row["id"], ids, f"{where}.id")
        ids.add(row["id"])
        yield where, row


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
        check_length(play["playerScores"], MAX_SCORES, f"{where}.playerScores", refusals.SEQUENCE_TOO_LONG)
        scores = enumerate(play["playerScores"])
        play["playerScores"] = [_SCORE.read(score, f"{where}.playerScores[{n}]") for n, score in scores]
        try:
            tables.append(build_table(play, references, where))
        except SkippedTable as error:
            skipped.append((where, error.text))
    return tuple(tables), tuple(skipped)


def _truncate_comments(play: Any) -> Any:
    if not isinstance(play, dict) or not isinstance(play.get("comments"), str):
        return play
    comments = play["comments"][: 4 * limits.MAX_NOTE_LENGTH].replace("\r\n", "\n").replace("\r", "\n")
    return {**play, "comments": truncate(comments, limits.MAX_NOTE_LENGTH)}


def _clean_name(text: str, where: str) -> str:
    return clean_text(clean_name, truncate(text, limits.MAX_NAME_LENGTH), where)


def _parse_uuid(value: str, seen: set[str], where: str) -> str:
    """Return a UUID in lower case, as programs differ in that. Raises BadFile if it occurs twice."""
    if not _ID.fullmatch(value):
        raise BadFile(where, refusals.INVALID_ID)
    uuid = value.lower()
    check_unused(uuid, seen, where)
    seen.add(uuid)
    return uuid
