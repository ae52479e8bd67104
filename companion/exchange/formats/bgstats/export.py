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
from companion.exchange.export_records import UUID_NAMESPACE, TableRecord
from companion.exchange.formats.comments import format_comment, format_rounds, format_variant, get_seat_names

LINK = "https://app.bgstatsapp.com/createPlay.html?data="
MAX_LINK_LENGTH = 2_000
"""Letters of an address that every browser takes: comments that make it longer are left out."""
SOURCE = "Companion"
ABOUT = "Play file for Board Game Stats; open it with that app."

Values = dict[str, Any]


def build_link(record: TableRecord) -> str:
    """The address that makes the play in the app; only of a table that has ended, for all others arrive as lost."""
    for said in (format_comment(record), format_rounds(record), ""):
        data = json.dumps(_build_link_data(record, said), ensure_ascii=False, separators=(",", ":"))
        found = LINK + quote(data, safe="")
        if len(found) <= MAX_LINK_LENGTH:
            break
    return found


def _build_link_data(record: TableRecord, said: str) -> Values:
    """What the link says; what is not known is left out, but a truth never is."""
    known = {
        "durationMin": record.minutes,
        "comments": said,
        "board": format_variant(record),
        "location": record.place,
    }
    return {
        "sourceName": SOURCE,
        "sourcePlayId": record.uid,
        "playDate": f"{record.began_at.astimezone(UTC):%Y-%m-%d %H:%M:%S}",
        **{name: value for name, value in known.items() if value},
        "game": {
            "name": str(record.game_name),
            "sourceGameId": _format_game_key(record),
            "highestWins": record.game.highest_wins(record.match.options),
            "noPoints": False,
        },
        "players": [_build_link_player(record, seat, name) for seat, name in enumerate(get_seat_names(record))],
    }


def _build_link_player(record: TableRecord, seat: int, name: str) -> Values:
    return {
        "name": name,
        "sourcePlayerId": record.seats[seat].uid or f"{record.uid}-{seat}",
        "winner": record.has_won(seat),
        "startPlayer": seat == find_start_player(record),
        "score": record.get_total(seat),
        **({"rank": record.get_rank(seat)} if record.get_rank(seat) else {}),
        **_build_team(record, seat),
    }


def write_plays(records: Iterable[TableRecord]) -> Iterator[str]:
    """What one circle sends to somebody else: `.bgsplay`."""
    return _write(records, {"about": ABOUT}, {})


def write_full_export(records: Iterable[TableRecord], at: datetime) -> Iterator[str]:
    """The shape of the whole backup: the same, and lists for what we have not got."""
    empty = {name: list[Values]() for name in ("challenges", "deletedObjects", "groups", "tags")}
    user = {"appVersion": "", "device": SOURCE, "systemVersion": "", "exportDate": _format_time(at)}
    return _write(records, empty, user)


@dataclass
class _References:
    """Players, games and places by what they last under, each with its number in this file."""

    players: dict[str, Values] = field(default_factory=dict)
    games: dict[str, Values] = field(default_factory=dict)
    locations: dict[str, Values] = field(default_factory=dict)


def _write(records: Iterable[TableRecord], head: Values, user: Values) -> Iterator[str]:
    """The file play by play; all that plays point to comes after them, for only then it is known."""
    seen = _References()
    yield "{" + "".join(f"{json.dumps(name)}:{json.dumps(value)},\n" for name, value in head.items()) + '"plays":['
    for index, record in enumerate(records):
        yield (",\n" if index else "\n") + _dump_json(_build_play(record, seen))
    lists = {"players": seen.players, "locations": seen.locations, "games": seen.games}
    yield "\n]"
    for name, rows in lists.items():
        yield f",\n{json.dumps(name)}:" + _dump_json(list(rows.values()))
    yield ',\n"userInfo":' + _dump_json({"meRefId": 1, **user}) + "}\n"


def _build_play(record: TableRecord, seen: _References) -> Values:
    local, changed = localtime(record.began_at), _find_last_change(record)
    place = {"locationRefId": _add_location(record, seen)} if record.place else {}
    board = {"board": format_variant(record)} if format_variant(record) else {}
    return {
        "uuid": record.uid.upper(),
        "gameRefId": _add_game(record, seen),
        **place,
        "playDate": _format_time(record.began_at),
        "playDateYmd": int(f"{local:%Y%m%d}"),
        "entryDate": changed,
        "modificationDate": changed,
        "durationMin": record.minutes or 0,
        "rounds": len(record.match.finished_rounds),
        "usesTeams": record.uses_teams,
        "ignored": not record.is_finished,
        "manualWinner": False,
        "scoringSetting": 0,
        "rating": 0,
        "bggId": 0,
        "importPlayId": 0,
        "nemestatsId": 0,
        **board,
        "comments": format_comment(record),
        "expansionPlays": [],
        "playImages": "[]",
        "playerScores": [_build_score(record, seat, seen) for seat in range(len(record.seats))],
    }


def _build_score(record: TableRecord, seat: int, seen: _References) -> Values:
    return {
        "playerRefId": _add_player(record, seat, seen),
        "score": str(record.get_total(seat)) if record.match.finished_rounds else "",
        "winner": record.has_won(seat),
        "newPlayer": False,
        "startPlayer": seat == find_start_player(record),
        "rank": record.get_rank(seat) if record.is_finished else 0,
        "seatOrder": seat + 1,
        **_build_team(record, seat),
    }


def _add_player(record: TableRecord, seat: int, seen: _References) -> int:
    """The number of a player; those who have been erased are told apart by seat only, and by nothing else."""
    guest = record.seats[seat]
    values = {
        "name": get_seat_names(record)[seat] if guest.name else f"{get_seat_names(record)[seat]} {seat + 1}",
        "isAnonymous": not guest.name,
        "bggUsername": "",
        "modificationDate": _find_last_change(record),
    }
    return _add_row(seen.players, guest.uid or _make_uid(f"nobody {seat}"), values)


def _add_location(record: TableRecord, seen: _References) -> int:
    values = {"name": record.place, "modificationDate": _find_last_change(record)}
    return _add_row(seen.locations, _make_uid(f"place {fold_text(record.place)}"), values)


def _add_game(record: TableRecord, seen: _References) -> int:
    values = {
        "name": str(record.game_name),
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
        "modificationDate": _find_last_change(record),
    }
    return _add_row(seen.games, _make_uid(f"game {_format_game_key(record)}"), values)


def _add_row(rows: dict[str, Values], uid: str, values: Mapping[str, Any]) -> int:
    """The number of what lasts under that id: 1 for the first in the file."""
    if uid not in rows:
        rows[uid] = {"id": len(rows) + 1, "uuid": uid.upper(), **values}
    return int(rows[uid]["id"])


def _make_uid(what: str) -> str:
    return str(uuid5(UUID_NAMESPACE, what))


def _format_game_key(record: TableRecord) -> str:
    """What the game is remembered under: the slug, with the name where the table has given it one."""
    slug, named = record.game.slug, record.game.table_title
    is_named = named is not None and record.game_name != record.game.title
    return f"{slug}/{fold_text(str(record.game_name))}" if is_named else slug


def _build_team(record: TableRecord, seat: int) -> Values:
    return {"team": str(record.get_side(seat) + 1)} if record.uses_teams else {}


def find_start_player(record: TableRecord) -> int | None:
    """The seat that began the first round, where the rules of the game say so."""
    turn: int | None = record.game.board(
        record.match.get_round(1).game.setup(record.match.options, record.match.seats, 0)
    ).turn
    return turn


def _find_last_change(record: TableRecord) -> str:
    """When somebody last entered something: what is newer goes before what is older."""
    return _format_time(max((entry.at for entry in record.entries if entry.at), default=record.began_at))


def _format_time(moment: datetime) -> str:
    """On this machine's clock, without saying which."""
    return f"{localtime(moment):%Y-%m-%d %H:%M:%S}"


def _dump_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
