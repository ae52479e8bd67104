"""BG Stats export: a file of plays, a full export, and a link that creates a play in the app.

Data without a field of its own, such as rounds, goes into the comment. An `id` is valid within one file only; a `uuid`
is permanent, so that importing a table again updates its play.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote
from uuid import uuid5

from django.utils.timezone import localtime

from companion.core.sanitize import fold_text
from companion.exchange.export_records import UUID_NAMESPACE, TableRecord
from companion.exchange.formats.encoding import dump_json, format_local, iter_json_rows

LINK = "https://app.bgstatsapp.com/createPlay.html?data="
MAX_LINK_LENGTH = 2_000
"""Characters that every browser accepts in a URL; longer comments are shortened or left out."""
SOURCE = "Companion"
ABOUT = "Play file for Board Game Stats; open it with that app."

Values = dict[str, Any]
References = dict[str, dict[str, Values]]
"""The players, locations and games of a file, each by UUID."""


def build_link(record: TableRecord) -> str:
    """Return the URL that creates the play in the app. Only for finished tables: others would arrive as lost."""
    for text in (record.format_comment(), record.format_rounds(), ""):
        url = LINK + quote(dump_json(_build_link_data(record, text)), safe="")
        if len(url) <= MAX_LINK_LENGTH:
            break
    return url


def _build_link_data(record: TableRecord, text: str) -> Values:
    """Return the JSON of the link; unknown values are left out, except booleans."""
    optional = {
        "durationMin": record.table.minutes,
        "comments": text,
        "board": record.variant,
        "location": record.place,
    }
    return {
        "sourceName": SOURCE,
        "sourcePlayId": record.uid,
        "playDate": f"{record.table.began_at.astimezone(UTC):%Y-%m-%d %H:%M:%S}",
        **{name: value for name, value in optional.items() if value},
        "game": {
            "name": str(record.game_name),
            "sourceGameId": _format_game_key(record),
            "highestWins": record.game.scoring.highest_wins(record.match.options),
            "noPoints": False,
        },
        "players": [_build_link_player(record, seat) for seat in range(len(record.seats))],
    }


def _build_link_player(record: TableRecord, seat: int) -> Values:
    return {
        "name": record.names[seat],
        "sourcePlayerId": record.seats[seat].uid or f"{record.uid}-{seat}",
        "winner": record.has_won(seat),
        "startPlayer": seat == find_start_player(record),
        "score": record.get_total(seat),
        **({"rank": record.get_rank(seat)} if record.get_rank(seat) else {}),
        **_build_team(record, seat),
    }


def write_plays(records: Iterable[TableRecord]) -> Iterator[str]:
    """Write a `.bgsplay` file of plays to share."""
    return _write(records, {"about": ABOUT}, {})


def write_full_export(records: Iterable[TableRecord], exported_at: datetime) -> Iterator[str]:
    """Write a full export, with empty lists for data that the companion does not have."""
    empty = {name: list[Values]() for name in ("challenges", "deletedObjects", "groups", "tags")}
    user = {"appVersion": "", "device": SOURCE, "systemVersion": "", "exportDate": format_local(exported_at)}
    return _write(records, empty, user)


def _write(records: Iterable[TableRecord], head: Values, user: Values) -> Iterator[str]:
    """Write the plays one by one, then everything that they refer to, which is only known then."""
    references: References = {"players": {}, "locations": {}, "games": {}}
    yield "{" + "".join(f"{json.dumps(name)}:{json.dumps(value)},\n" for name, value in head.items()) + '"plays":['
    yield from iter_json_rows(_build_play(record, references) for record in records)
    yield "\n]"
    for name, rows in references.items():
        yield f",\n{json.dumps(name)}:" + dump_json(list(rows.values()))
    yield ',\n"userInfo":' + dump_json({"meRefId": 1, **user}) + "}\n"


def _build_play(record: TableRecord, references: References) -> Values:
    changed, variant = _find_last_change(record), record.variant
    return {
        "uuid": record.uid.upper(),
        "gameRefId": _add_game(record, references),
        **({"locationRefId": _add_place(record, references)} if record.place else {}),
        "playDate": format_local(record.table.began_at),
        "playDateYmd": int(f"{localtime(record.table.began_at):%Y%m%d}"),
        "entryDate": changed,
        "modificationDate": changed,
        "durationMin": record.table.minutes or 0,
        "rounds": len(record.match.finished_rounds),
        "usesTeams": record.uses_teams,
        "ignored": not record.is_finished,
        "manualWinner": False,
        "scoringSetting": 0,
        "rating": 0,
        "bggId": 0,
        "importPlayId": 0,
        "nemestatsId": 0,
        **({"board": variant} if variant else {}),
        "comments": record.format_comment(),
        "expansionPlays": [],
        "playImages": "[]",
        "playerScores": [_build_score(record, seat, references) for seat in range(len(record.seats))],
    }


def _build_score(record: TableRecord, seat: int, references: References) -> Values:
    return {
        "playerRefId": _add_player(record, seat, references),
        "score": str(record.get_total(seat)) if record.match.finished_rounds else "",
        "winner": record.has_won(seat),
        "newPlayer": False,
        "startPlayer": seat == find_start_player(record),
        "rank": record.get_rank(seat) if record.is_finished else 0,
        "seatOrder": seat + 1,
        **_build_team(record, seat),
    }


def _add_player(record: TableRecord, seat: int, references: References) -> int:
    """Return the id of a player. Erased players are told apart by nothing but their seat."""
    player = record.seats[seat]
    values = {
        "name": record.names[seat] if player.name else f"{record.names[seat]} {seat + 1}",
        "isAnonymous": not player.name,
        "bggUsername": "",
        "modificationDate": _find_last_change(record),
    }
    return _add_row(references["players"], player.uid or _make_uid(f"nobody {seat}"), values)


def _add_place(record: TableRecord, references: References) -> int:
    values = {"name": record.place, "modificationDate": _find_last_change(record)}
    return _add_row(references["locations"], _make_uid(f"place {fold_text(record.place)}"), values)


def _add_game(record: TableRecord, references: References) -> int:
    values = {
        "name": str(record.game_name),
        "bggId": 0,
        "bggName": "",
        "bggYear": 0,
        "highestWins": record.game.scoring.highest_wins(record.match.options),
        "noPoints": False,
        "cooperative": len(record.sides) == 1 < record.match.seats,
        "usesTeams": record.uses_teams,
        "isBaseGame": 1,
        "isExpansion": 0,
        "minPlayerCount": record.game.about.seats[0],
        "maxPlayerCount": record.game.about.seats[-1],
        "minPlayTime": record.game.about.minutes or 0,
        "maxPlayTime": record.game.about.minutes or 0,
        "minAge": 0,
        "rating": 0,
        "preferredImage": 0,
        "previouslyPlayedAmount": 0,
        "copies": [],
        "modificationDate": _find_last_change(record),
    }
    return _add_row(references["games"], _make_uid(f"game {_format_game_key(record)}"), values)


def _add_row(rows: dict[str, Values], uid: str, values: Mapping[str, Any]) -> int:
    """Return the id, from 1, of the row with this UUID, which is added if it is new."""
    if uid not in rows:
        rows[uid] = {"id": len(rows) + 1, "uuid": uid.upper(), **values}
    return int(rows[uid]["id"])


def _make_uid(key: str) -> str:
    return str(uuid5(UUID_NAMESPACE, key))


def _format_game_key(record: TableRecord) -> str:
    """Return the permanent key of the game: its slug, and its name if the table has given it one."""
    slug, named = record.game.slug, record.game.options.table_title
    is_named = named is not None and record.game_name != record.game.title
    return f"{slug}/{fold_text(str(record.game_name))}" if is_named else slug


def _build_team(record: TableRecord, seat: int) -> Values:
    return {"team": str(record.get_side(seat) + 1)} if record.uses_teams else {}


def find_start_player(record: TableRecord) -> int | None:
    """Return the seat that began the first round, if the rules say so."""
    referee, match = record.game.referee, record.match
    return referee.board(referee.setup(match.options, match.seats, 0)).turn if referee else None


def _find_last_change(record: TableRecord) -> str:
    """Return the time of the last entry; on import, newer data replaces older."""
    return format_local(max((entry.at for entry in record.entries), default=record.table.began_at))
