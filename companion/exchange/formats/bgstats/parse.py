"""BG Stats import: the full export and the shared play.

The format is not documented. It is derived from a census of the fields of an export, and from programs that read or
write it. Unknown fields are ignored.
"""

import re
from typing import Any

from companion import limits
from companion.core import refusals
from companion.core.text import Text
from companion.exchange.formats.bgstats.plays import References, build_table
from companion.exchange.import_data import ImportedPlayer, ImportedTable, ImportFile, SkippedTable, truncate
from companion.exchange.schema import Field, ObjectType, clean_value, require
from companion.history.models import BGSTATS
from companion.people.validators import clean_name, clean_place

KIND = BGSTATS
MAX_ROWS = 20_000
"""Per list: three plays a day for twenty years."""
MAX_PLAYERS = 5_000
MAX_SCORES = 100
"""Per play."""
_check_id = require(re.compile(r"[0-9A-Za-z-]{1,60}").fullmatch, refusals.INVALID_ID)


def _clean_uuid(value: str) -> str:
    """Return a UUID in lower case, as programs differ in that. Raises Malformed."""
    return _check_id(value).lower()


def _clean_name(text: str) -> str:
    return clean_name(truncate(text, limits.MAX_NAME_LENGTH))


def _clean_place(text: str) -> str:
    return clean_place(truncate(text, limits.MAX_NAME_LENGTH))


class _ObjectType(ObjectType):
    """The fields that are used of an object; those given by name have a type, or a default if they are optional."""

    def __init__(self, *fields: Field, **more: type | str | int | list[Any]) -> None:
        self._defaults = {name: value for name, value in more.items() if not isinstance(value, type)}
        types = {name: value if isinstance(value, type) else type(value) for name, value in more.items()}
        super().__init__("", Text(""), *fields, *(Field(*pair) for pair in types.items()))

    def parse(self, value: Any, where: str) -> dict[str, Any]:
        """Return the fields; null counts as missing, and long comments are cut. Raises BadFile."""
        if isinstance(value, dict):
            names = [field.name for field in self.fields]
            value = {**self._defaults, **{name: value[name] for name in names if value.get(name) is not None}}
            if isinstance(value.get("comments"), str):
                value["comments"] = _truncate_comments(value["comments"])
        return super().parse(value, where)


_UUID = Field("uuid", str, clean=_clean_uuid)
_FILE = _ObjectType(players=list, games=list, plays=list, locations=[])
_PLAYER = _ObjectType(_UUID, id=int, name=str, isAnonymous=False)
_PLACE = _ObjectType(Field("name", str, clean=_clean_place), id=int)
_GAME = _ObjectType(Field("name", str, clean=_clean_name), id=int, highestWins=True, noPoints=False, cooperative=False)
_PLAY = _ObjectType(
    _UUID,
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
_SCORE = _ObjectType(playerRefId=int, score="", winner=False, seatOrder=0, team="")


def is_bgstats_file(document: Any) -> bool:
    """Return whether parsed JSON is a BG Stats file, valid or not."""
    return isinstance(document, dict) and "plays" in document and "format" not in document


def parse_document(document: Any) -> ImportFile:
    """Return the contents of parsed JSON. Raises BadFile."""
    file = _FILE.parse(document, "")
    players = _parse_players(file["players"])
    games = _GAME.parse_list(file["games"], MAX_ROWS, "games", unique=["id"])
    places = _PLACE.parse_list(file["locations"], MAX_ROWS, "locations", unique=["id"])
    references = References(
        players={number: player.id if player else None for number, player in players.items()},
        games={row["id"]: row for _where, row in games},
        places={row["id"]: row["name"] for _where, row in places},
    )
    tables, skipped = _parse_plays(file["plays"], references)
    return ImportFile(KIND, tuple(player for player in players.values() if player), tables, skipped)


def _parse_players(rows: list[Any]) -> dict[int, ImportedPlayer | None]:
    """Return the players by id; None for anonymous ones."""
    players: dict[int, ImportedPlayer | None] = {}
    for where, row in _PLAYER.parse_list(rows, MAX_PLAYERS, "players", unique=["id", "uuid"]):
        name = "" if row["isAnonymous"] else clean_value(_clean_name, row["name"], f"{where}.name")
        players[row["id"]] = ImportedPlayer(row["uuid"], name) if name else None
    return players


def _parse_plays(
    rows: list[Any], references: References
) -> tuple[tuple[ImportedTable, ...], tuple[tuple[str, Text], ...]]:
    """Return the tables of the plays, and the location and reason of each skipped play."""
    tables: list[ImportedTable] = []
    skipped: list[tuple[str, Text]] = []
    for where, play in _PLAY.parse_list(rows, MAX_ROWS, "plays", unique=["uuid"]):
        path = f"{where}.playerScores"
        scores = _SCORE.parse_list(play["playerScores"], MAX_SCORES, path, refusal=refusals.SEQUENCE_TOO_LONG)
        play["playerScores"] = [score for _path, score in scores]
        try:
            tables.append(build_table(play, references, where))
        except SkippedTable as error:
            skipped.append((where, error.text))
    return tuple(tables), tuple(skipped)


def _truncate_comments(text: str) -> str:
    start = text[: 4 * limits.MAX_NOTE_LENGTH].replace("\r\n", "\n").replace("\r", "\n")
    return truncate(start, limits.MAX_NOTE_LENGTH)
