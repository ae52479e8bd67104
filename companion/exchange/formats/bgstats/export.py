"""Tables for BG Stats: its file of plays, its full export, and the link that makes a play in the app.

Fields and their types are those that its files hold; what it has no field for, such as rounds, stands in a comment. An
`id` is good within one file, and a `uuid` lasts: the same table imported again is the same play.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote
from uuid import uuid5

from django.utils.timezone import localtime

from companion.core.sanitize import fold_text
from companion.exchange.export_records import NAMESPACE, Record
from companion.exchange.formats.comments import comment, names_of, round_table, variant

LINK = "https://app.bgstatsapp.com/createPlay.html?data="
LONGEST_LINK = 2_000
"""Letters of an address that every browser takes: comments that make it longer are left out."""
SOURCE = "Companion"
ABOUT = "Play file for Board Game Stats; open it with that app."

Values = dict[str, Any]


def link(record: Record) -> str:
    """The address that makes the play in the app; only of a table that has ended, for all others arrive as lost."""
    for said in (comment(record), round_table(record), ""):
        data = json.dumps(_pushed(record, said), ensure_ascii=False, separators=(",", ":"))
        found = LINK + quote(data, safe="")
        if len(found) <= LONGEST_LINK:
            break
    return found


def _pushed(record: Record, said: str) -> Values:
    """What the link says; what is not known is left out, but a truth never is."""
    known = {
        "durationMin": record.minutes,
        "comments": said,
        "board": variant(record),
        "location": record.place,
    }
    return {
        "sourceName": SOURCE,
        "sourcePlayId": record.uid,
        "playDate": f"{record.began_at.astimezone(UTC):%Y-%m-%d %H:%M:%S}",
        **{name: value for name, value in known.items() if value},
        "game": {
            "name": str(record.called),
            "sourceGameId": _source(record),
            "highestWins": record.game.highest_wins(record.match.options),
            "noPoints": False,
        },
        "players": [_pushed_player(record, seat, name) for seat, name in enumerate(names_of(record))],
    }


def _pushed_player(record: Record, seat: int, name: str) -> Values:
    return {
        "name": name,
        "sourcePlayerId": record.seats[seat].uid or f"{record.uid}-{seat}",
        "winner": record.has_won(seat),
        "startPlayer": seat == first_player(record),
        "score": record.total(seat),
        **({"rank": record.rank(seat)} if record.rank(seat) else {}),
        **_team(record, seat),
    }


def file(records: Iterable[Record]) -> Iterator[str]:
    """What one circle sends to somebody else: `.bgsplay`."""
    return _pieces(records, {"about": ABOUT}, {})


def export(records: Iterable[Record], at: datetime) -> Iterator[str]:
    """The shape of the whole backup: the same, and lists for what we have not got."""
    empty = {name: list[Values]() for name in ("challenges", "deletedObjects", "groups", "tags")}
    user = {"appVersion": "", "device": SOURCE, "systemVersion": "", "exportDate": _time(at)}
    return _pieces(records, empty, user)


@dataclass
class _Seen:
    """Players, games and places by what they last under, each with its number in this file."""

    players: dict[str, Values] = field(default_factory=dict)
    games: dict[str, Values] = field(default_factory=dict)
    locations: dict[str, Values] = field(default_factory=dict)


def _pieces(records: Iterable[Record], head: Values, user: Values) -> Iterator[str]:
    """The file play by play; all that plays point to comes after them, for only then it is known."""
    seen = _Seen()
    yield "{" + "".join(f"{json.dumps(name)}:{json.dumps(value)},\n" for name, value in head.items()) + '"plays":['
    for index, record in enumerate(records):
        yield (",\n" if index else "\n") + _json(_play(record, seen))
    lists = {"players": seen.players, "locations": seen.locations, "games": seen.games}
    yield "\n]"
    for name, rows in lists.items():
        yield f",\n{json.dumps(name)}:" + _json(list(rows.values()))
    yield ',\n"userInfo":' + _json({"meRefId": 1, **user}) + "}\n"


def _play(record: Record, seen: _Seen) -> Values:
    local, changed = localtime(record.began_at), _changed(record)
    place = {"locationRefId": _location(record, seen)} if record.place else {}
    board = {"board": variant(record)} if variant(record) else {}
    return {
        "uuid": record.uid.upper(),
        "gameRefId": _game(record, seen),
        **place,
        "playDate": _time(record.began_at),
        "playDateYmd": int(f"{local:%Y%m%d}"),
        "entryDate": changed,
        "modificationDate": changed,
        "durationMin": record.minutes or 0,
        "rounds": len(record.match.finished),
        "usesTeams": record.uses_teams,
        "ignored": not record.is_finished,
        "manualWinner": False,
        "scoringSetting": 0,
        "rating": 0,
        "bggId": 0,
        "importPlayId": 0,
        "nemestatsId": 0,
        **board,
        "comments": comment(record),
        "expansionPlays": [],
        "playImages": "[]",
        "playerScores": [_score(record, seat, seen) for seat in range(len(record.seats))],
    }


def _score(record: Record, seat: int, seen: _Seen) -> Values:
    return {
        "playerRefId": _player(record, seat, seen),
        "score": str(record.total(seat)) if record.match.finished else "",
        "winner": record.has_won(seat),
        "newPlayer": False,
        "startPlayer": seat == first_player(record),
        "rank": record.rank(seat) if record.is_finished else 0,
        "seatOrder": seat + 1,
        **_team(record, seat),
    }


def _player(record: Record, seat: int, seen: _Seen) -> int:
    """The number of a player; those who have been erased are told apart by seat only, and by nothing else."""
    guest = record.seats[seat]
    values = {
        "name": names_of(record)[seat] if guest.name else f"{names_of(record)[seat]} {seat + 1}",
        "isAnonymous": not guest.name,
        "bggUsername": "",
        "modificationDate": _changed(record),
    }
    return _numbered(seen.players, guest.uid or _lasting(f"nobody {seat}"), values)


def _location(record: Record, seen: _Seen) -> int:
    values = {"name": record.place, "modificationDate": _changed(record)}
    return _numbered(seen.locations, _lasting(f"place {fold_text(record.place)}"), values)


def _game(record: Record, seen: _Seen) -> int:
    values = {
        "name": str(record.called),
        "bggId": 0,
        "bggName": "",
        "bggYear": 0,
        "highestWins": record.game.highest_wins(record.match.options),
        "noPoints": False,
        "cooperative": record.is_cooperative,
        "usesTeams": record.uses_teams,
        "isBaseGame": 1,
        "isExpansion": 0,
        "minPlayerCount": record.game.seats[0],
        "maxPlayerCount": record.game.seats[-1],
        "minPlayTime": record.game.minutes or 0,
        "maxPlayTime": record.game.minutes or 0,
        "minAge": 0,
        "rating": 0,
        "preferredImage": 0,
        "previouslyPlayedAmount": 0,
        "copies": [],
        "modificationDate": _changed(record),
    }
    return _numbered(seen.games, _lasting(f"game {_source(record)}"), values)


def _numbered(rows: dict[str, Values], uid: str, values: Mapping[str, Any]) -> int:
    """The number of what lasts under that id: 1 for the first in the file."""
    if uid not in rows:
        rows[uid] = {"id": len(rows) + 1, "uuid": uid.upper(), **values}
    return int(rows[uid]["id"])


def _lasting(what: str) -> str:
    return str(uuid5(NAMESPACE, what))


def _source(record: Record) -> str:
    """What the game is remembered under: the slug, with the name where the table has given it one."""
    slug, named = record.game.slug, record.game.named
    is_named = named is not None and record.called != record.game.title
    return f"{slug}/{fold_text(str(record.called))}" if is_named else slug


def _team(record: Record, seat: int) -> Values:
    return {"team": str(record.side_of(seat) + 1)} if record.uses_teams else {}


def first_player(record: Record) -> int | None:
    """The seat that began the first round, where the rules of the game say so."""
    turn: int | None = record.game.board(
        record.match.round(1).game.setup(record.match.options, record.match.seats, 0)
    ).turn
    return turn


def _changed(record: Record) -> str:
    """When somebody last entered something: what is newer goes before what is older."""
    return _time(max((entry.at for entry in record.entries if entry.at), default=record.began_at))


def _time(moment: datetime) -> str:
    """On this machine's clock, without saying which."""
    return f"{localtime(moment):%Y-%m-%d %H:%M:%S}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
