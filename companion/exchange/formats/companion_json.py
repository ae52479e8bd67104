"""Our own format: tables with everything in them as JSON, written and read again. Its fields are in parts.py."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from companion.avatars import COLOURS, get_sign
from companion.core.game import Game
from companion.core.text import Text, _
from companion.exchange.export_records import ExportedPlayer, TableRecord
from companion.exchange.formats.companion_entries import (
    check_options,
    check_result,
    check_version,
    estimate_work,
    parse_entries,
)
from companion.exchange.formats.companion_schema import ENTRY, FILE, FORMAT, PLAYER, RESULT, TABLE, VERSION
from companion.exchange.formats.totals_only import convert_to_totals
from companion.exchange.import_data import (
    BadFile,
    ImportedEntry,
    ImportedPlayer,
    ImportedTable,
    ImportFile,
    SkippedTable,
)
from companion.exchange.judging import judge_table
from companion.exchange.safe_json import InvalidValue, parse_json
from companion.exchange.validation import check_start, clean_text, parse_object
from companion.games import get_games
from companion.people.validators import clean_name, clean_note, clean_place
from companion.tables.models import Table

MAX_PLAYERS, MAX_TABLES, MAX_SEATS, MAX_DEVICES = 5_000, 20_000, 100, 500
MAX_WORK = 8_000_000
"""To fold all logs of a file, as `work_of` weighs them: forty times that of most, and less than ten seconds."""
_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")
_SLUG = re.compile(r"[a-z0-9-]{1,40}")


def write_file(records: Iterable[TableRecord], at: datetime) -> Iterator[str]:
    """The file, a line a table; the players stand at its end, for only then it is known who they are."""
    players: dict[str, ExportedPlayer] = {}
    head = {"format": FORMAT, "version": VERSION, "written_at": _format_time(at)}
    yield _dump_json(head)[:-1] + ',\n"tables": ['
    for index, record in enumerate(records):
        players.update((guest.uid, guest) for guest in record.seats if guest.uid)
        yield (",\n" if index else "\n") + _dump_json(export_table(record))
    yield '\n],\n"players": ['
    for index, guest in enumerate(players.values()):
        yield (",\n" if index else "\n") + _dump_json(export_player(guest))
    yield "\n]}\n"


def export_player(guest: ExportedPlayer) -> dict[str, Any]:
    """A player as they stand in the file."""
    return {"id": guest.uid, "name": guest.name, "colour": guest.colour, "sign": guest.sign}


def export_table(record: TableRecord) -> dict[str, Any]:
    """A table as it stands in the file."""
    devices = list(dict.fromkeys(entry.who for entry in record.entries if entry.who))
    places = {label: place for place, label in enumerate(devices)}
    standing = record.match.standing
    return {
        "id": record.public_id,
        "game": record.game.slug,
        "game_version": record.game_version,
        "options": record.options,
        "way": record.way,
        "note": record.note,
        "place": record.place,
        "began_at": _format_time(record.began_at),
        "ended_at": _format_time(record.ended_at) if record.ended_at else None,
        "hides_counts": record.hides_counts,
        "seats": [guest.uid or None for guest in record.seats],
        "devices": devices,
        "entries": [_build_entry(entry, places) for entry in record.entries],
        "result": {
            "game_version": record.game.version,
            "totals": standing.totals,
            "ranks": standing.ranks,
            "rounds": len(record.match.finished_rounds),
        },
    }


def _build_entry(entry: ImportedEntry, places: dict[str, int]) -> dict[str, Any]:
    return {
        "number": entry.number,
        "key": entry.key,
        "kind": entry.kind,
        "round": entry.round,
        "words": entry.words,
        "overruled": entry.overruled,
        "game_version": entry.game_version,
        "who": places.get(entry.who),
        "at": _format_time(entry.at) if entry.at else None,
    }


def _dump_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _format_time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()


def parse_file(data: bytes) -> ImportFile:
    """The file, every table of it folded once to see whether its result is right. Raises BadFile."""
    found = parse_json(data)
    _check_format(found)
    file = parse_object(found, FILE, "")
    people = _parse_players(file["players"])
    known = {stranger.id for stranger in people}
    if len(file["tables"]) > MAX_TABLES:
        raise BadFile(f"tables[{MAX_TABLES}]", _("Too many: at most {n} can be read.", n=MAX_TABLES))
    read_here: list[tuple[str, ImportedTable, dict[str, Any]]] = []
    left_out: list[tuple[str, Text]] = []
    ids, work = [], 0
    for index, value in enumerate(file["tables"]):
        file["tables"][index] = None  # what has been read is let go: both at once would be too large
        where = f"tables[{index}]"
        sitting, result = _parse_table(value, known, where)
        ids.append(sitting.source)
        work += estimate_work(sitting.entries, get_games().get(sitting.game or ""))
        if work > MAX_WORK:
            raise BadFile(f"{where}.entries", _("The file is too large or too deeply nested."))
        try:
            read_here.append((where, sitting if sitting.game else convert_to_totals(sitting, result), result))
        except SkippedTable as left:
            left_out.append((where, left.text))
    _check_unique(ids, "tables")
    judged = [(where, judge_table(sitting), result) for where, sitting, result in read_here]
    for where, sitting, result in judged:
        check_result(sitting, result, f"{where}.result")
    return ImportFile(FORMAT, people, tuple(sitting for _where, sitting, _result in judged), tuple(left_out))


def _check_format(found: Any) -> None:
    """Raises BadFile, before anything else is looked at, for the file of another program or of a later version."""
    if isinstance(found, dict) and found.get("format") == FORMAT and type(found.get("version")) is int:
        if found["version"] != VERSION:
            raise BadFile("version", _("The file was written by a newer version of this app."))
        return
    if isinstance(found, InvalidValue):
        raise BadFile("line 1", found.text)
    raise BadFile("format", _("This is not a file of this app."))


def _parse_players(rows: list[Any]) -> tuple[ImportedPlayer, ...]:
    if len(rows) > MAX_PLAYERS:
        raise BadFile(f"players[{MAX_PLAYERS}]", _("Too many: at most {n} can be read.", n=MAX_PLAYERS))
    found = tuple(_parse_player(row, f"players[{index}]") for index, row in enumerate(rows))
    _check_unique([stranger.id for stranger in found], "players")
    return found


def _parse_player(row: Any, where: str) -> ImportedPlayer:
    said = parse_object(row, PLAYER, where)
    if not _ID.fullmatch(said["id"]):
        raise BadFile(f"{where}.id", _("This isn’t an id."))
    if not 0 <= said["colour"] < len(COLOURS):
        raise BadFile(f"{where}.colour", _("There is no such colour."))
    sign = get_sign(said["sign"])  # None: a newer version has more of them
    name = clean_text(clean_name, said["name"], f"{where}.name")
    return ImportedPlayer(said["id"], name, said["colour"], sign.name if sign else None)


def _parse_table(value: Any, people: set[str], where: str) -> tuple[ImportedTable, dict[str, Any]]:
    """A table, and the result that the file gives it."""
    said = parse_object(value, TABLE, where)
    _check_table(said, where)
    game: Game | None = get_games().get(said["game"])
    seats = _check_seats(said["seats"], people, f"{where}.seats")
    check_options(said["options"], game, len(seats), where)
    devices = _clean_devices(said["devices"], f"{where}.devices")
    rows = [parse_object(row, ENTRY, f"{where}.entries[{index}]") for index, row in enumerate(said["entries"])]
    result = parse_object(said["result"], RESULT, f"{where}.result")
    found = ImportedTable(
        source=said["id"],
        game=game.slug if game else None,
        game_name=said["game"],
        options=said["options"],
        way=said["way"],
        seats=seats,
        entries=parse_entries(rows, devices, game, f"{where}.entries"),
        note=clean_text(clean_note, said["note"], f"{where}.note"),
        place=clean_text(clean_place, said["place"], f"{where}.place"),
        began_at=said["began_at"],
        ended_at=said["ended_at"],
        hides_counts=said["hides_counts"],
        game_version=said["game_version"],
    )
    return found, result


def _check_table(said: dict[str, Any], where: str) -> None:
    if not _ID.fullmatch(said["id"]):
        raise BadFile(f"{where}.id", _("This isn’t an id."))
    if not _SLUG.fullmatch(said["game"]):
        raise BadFile(f"{where}.game", _("There is no such game."))
    if said["way"] not in Table.Mode.values:
        raise BadFile(f"{where}.way", _("There is no such mode."))
    check_version(said["game_version"], f"{where}.game_version")
    check_start(said["began_at"], f"{where}.began_at")


def _check_seats(ids: list[str | None], people: set[str], where: str) -> tuple[str | None, ...]:
    if not 0 < len(ids) <= MAX_SEATS:
        raise BadFile(where, _("A table has 1 to {n} seats.", n=MAX_SEATS))
    for index, own in enumerate(ids):
        if own is not None and own not in people:
            raise BadFile(f"{where}[{index}]", _("The file has no such player."))
        if own is not None and own in ids[:index]:
            raise BadFile(f"{where}[{index}]", _("The same player sits there twice."))
    return tuple(ids)


def _clean_devices(labels: list[str | None], where: str) -> list[str]:
    if len(labels) > MAX_DEVICES:
        raise BadFile(f"{where}[{MAX_DEVICES}]", _("Too many: at most {n} can be read.", n=MAX_DEVICES))
    return [clean_text(clean_name, label or "", f"{where}[{index}]") for index, label in enumerate(labels)]


def _check_unique(ids: list[str], where: str) -> None:
    """Raises BadFile where an id stands twice."""
    seen: set[str] = set()
    for index, own in enumerate(ids):
        if own in seen:
            raise BadFile(f"{where}[{index}].id", _("This id occurs twice."))
        seen.add(own)
