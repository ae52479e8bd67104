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
from companion.exchange.formats.bgstats.plays import File, cut, sitting_of
from companion.exchange.formats.bgstats.scores import Kind
from companion.exchange.import_data import BadFile, Incoming, Left, Parcel, Stranger
from companion.exchange.safe_json import tree
from companion.exchange.schema import Field, Part, Shape
from companion.exchange.validation import checked, cleaned
from companion.games import get_generic_game
from companion.history.models import BGSTATS
from companion.people.validators import clean_name, clean_place

KIND = BGSTATS
MOST = 20_000
"""Of anything in a list: three plays a day for twenty years."""
MOST_PEOPLE = 5_000
MOST_SCORES = 100
"""Of one play."""
_ID = re.compile(r"[0-9A-Za-z-]{1,60}")
_OF_TYPE = {str: Shape.TEXT, int: Shape.NUMBER, bool: Shape.TRUTH, list: Shape.LIST}


@dataclass(frozen=True)
class _Looked:
    """The fields of an object that are looked at: those that must be there, and what stands for those that need not."""

    wanted: Mapping[str, Shape]
    usual: Mapping[str, Any]

    @cached_property
    def part(self) -> Part:
        shapes = {**self.wanted, **{name: _OF_TYPE[type(word)] for name, word in self.usual.items()}}
        return Part("", Text(""), tuple(Field(name, shape, Text("")) for name, shape in shapes.items()))

    def read(self, value: Any, where: str) -> dict[str, Any]:
        """Raises BadFile for a field of another type; null is as good as nothing."""
        if not isinstance(value, dict):
            return checked(value, self.part, where)
        names = self.wanted.keys() | self.usual.keys()
        known = {name: word for name, word in value.items() if name in names and word is not None}
        return checked({**self.usual, **known}, self.part, where)


_FILE = _Looked({"players": Shape.LIST, "games": Shape.LIST, "plays": Shape.LIST}, {"locations": list[Any]()})
_PLAYER = _Looked({"id": Shape.NUMBER, "uuid": Shape.TEXT, "name": Shape.TEXT}, {"isAnonymous": False})
_PLACE = _Looked({"id": Shape.NUMBER, "name": Shape.TEXT}, {})
_GAME = _Looked(
    {"id": Shape.NUMBER, "name": Shape.TEXT},
    {"highestWins": True, "noPoints": False, "cooperative": False},
)
_PLAY = _Looked(
    {"uuid": Shape.TEXT, "gameRefId": Shape.NUMBER, "playDate": Shape.TEXT, "playerScores": Shape.LIST},
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
_SCORE = _Looked({"playerRefId": Shape.NUMBER}, {"score": "", "winner": False, "seatOrder": 0, "team": ""})


def read(data: bytes) -> Parcel:
    """Raises BadFile with the path."""
    return parcel_of(tree(data))


def is_known(found: Any) -> bool:
    """Whether plain data is such a file, however broken."""
    return isinstance(found, dict) and "plays" in found and "format" not in found


def parcel_of(found: Any) -> Parcel:
    """Raises BadFile with the path."""
    file = _FILE.read(found, "")
    for name, most in (("players", MOST_PEOPLE), ("games", MOST), ("locations", MOST), ("plays", MOST)):
        if len(file[name]) > most:
            raise BadFile(f"{name}[{most}]", _("There are too many: at most {n} can be read.", n=most))
    players = _players(file["players"])
    known = File(
        players={number: player.id if player else None for number, player in players.items()},
        games=_games(file["games"]),
        places=_places(file["locations"]),
        sheet=get_generic_game(),
    )
    sittings, left_out = _sittings(file["plays"], known)
    return Parcel(KIND, tuple(player for player in players.values() if player), sittings, left_out)


def _players(rows: list[Any]) -> dict[int, Stranger | None]:
    """By their numbers in the file; None for whoever has no name there."""
    found: dict[int, Stranger | None] = {}
    seen: set[str] = set()
    for index, value in enumerate(rows):
        where = f"players[{index}]"
        row = _PLAYER.read(value, where)
        _check_new(row["id"], found, f"{where}.id")
        own = _uuid(row["uuid"], seen, f"{where}.uuid")
        is_nobody = row["isAnonymous"]
        found[row["id"]] = None if is_nobody else Stranger(own, _name(row["name"], f"{where}.name"))
    return found


def _games(rows: list[Any]) -> dict[int, Kind]:
    found: dict[int, Kind] = {}
    for index, value in enumerate(rows):
        where = f"games[{index}]"
        row = _GAME.read(value, where)
        _check_new(row["id"], found, f"{where}.id")
        name = _name(row["name"], f"{where}.name")
        found[row["id"]] = Kind(name, row["highestWins"], row["noPoints"], row["cooperative"])
    return found


def _places(rows: list[Any]) -> dict[int, str]:
    found: dict[int, str] = {}
    for index, value in enumerate(rows):
        where = f"locations[{index}]"
        row = _PLACE.read(value, where)
        _check_new(row["id"], found, f"{where}.id")
        found[row["id"]] = cleaned(clean_place, cut(row["name"], limits.MAX_NAME_LENGTH), f"{where}.name")
    return found


def _sittings(rows: list[Any], file: File) -> tuple[tuple[Incoming, ...], tuple[tuple[str, Text], ...]]:
    """What can be taken in, and which plays cannot, with the reasons."""
    found: list[Incoming] = []
    left_out: list[tuple[str, Text]] = []
    seen: set[str] = set()
    for index, value in enumerate(rows):
        where = f"plays[{index}]"
        play = _PLAY.read(_shortened(value), where)
        rows[index] = None  # what has been read is let go: both at once would be too large
        play["uuid"] = _uuid(play["uuid"], seen, f"{where}.uuid")
        if len(play["playerScores"]) > MOST_SCORES:
            raise BadFile(f"{where}.playerScores[{MOST_SCORES}]", _("That is more than any table has."))
        scores = enumerate(play["playerScores"])
        play["playerScores"] = [_SCORE.read(score, f"{where}.playerScores[{n}]") for n, score in scores]
        try:
            found.append(sitting_of(play, file, where))
        except Left as error:
            left_out.append((where, error.text))
    return tuple(found), tuple(left_out)


def _shortened(play: Any) -> Any:
    """The play with comments that are not longer than what is kept of them."""
    comments = play.get("comments") if isinstance(play, dict) else None
    if not isinstance(comments, str):
        return play
    return {
        **play,
        "comments": cut(
            comments[: 4 * limits.MAX_NOTE_LENGTH].replace("\r\n", "\n").replace("\r", "\n"), limits.MAX_NOTE_LENGTH
        ),
    }


def _name(text: str, where: str) -> str:
    return cleaned(clean_name, cut(text, limits.MAX_NAME_LENGTH), where)


def _uuid(word: str, seen: set[str], where: str) -> str:
    """The id that lasts, in small letters: programs differ in that. Raises BadFile where it stands twice."""
    if not _ID.fullmatch(word):
        raise BadFile(where, _("This is no id."))
    own = word.lower()
    if own in seen:
        raise BadFile(where, _("This id is there twice."))
    seen.add(own)
    return own


def _check_new(number: int, known: Mapping[int, object], where: str) -> None:
    if number in known:
        raise BadFile(where, _("This id is there twice."))
