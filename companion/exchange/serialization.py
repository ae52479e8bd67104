"""Serialization of parsed and judged import files: compressed JSON, one line per part."""

import json
import zlib
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from companion.core.text import SeatName, Text, _
from companion.exchange.import_data import BadFile, ImportedEntry, ImportedPlayer, ImportedTable, ImportFile
from companion.games import get_games

FORMAT = "companion-upload-2"


def pack(file: ImportFile) -> bytes:
    """Return the file as bytes; the entries of each table are on a line of their own."""
    return zlib.compress("\n".join(_iter_lines(file)).encode(), 1)


def unpack(data: bytes, *, has_entries: bool = True) -> ImportFile:
    """Return the file, or only its tables and players.

    Raises BadFile if another version of the app or of a game has packed it.
    """
    try:
        head, *lines = zlib.decompress(data).decode().split("\n")
        header = json.loads(head, object_hook=_decode)
        is_current = header["format"] == FORMAT and header["games"] == _get_game_versions()
    except (zlib.error, ValueError, KeyError, TypeError):
        is_current = False
    if not is_current:
        raise BadFile("", _("This file was read by another version of the app. Choose it again."))
    tables = zip(lines[::2], lines[1::2], strict=True)
    return ImportFile(
        kind=header["kind"],
        players=tuple(ImportedPlayer(*row) for row in header["people"]),
        tables=tuple(_unpack_table(table, entries if has_entries else "[]") for table, entries in tables),
        skipped=tuple(map(tuple, header["left_out"])),
    )


def pack_error(error: BadFile) -> bytes:
    return _dump_json([error.where, error.text]).encode()


def unpack_error(data: bytes) -> BadFile:
    return BadFile(*json.loads(data, object_hook=_decode))


def _get_game_versions() -> dict[str, int]:
    return {slug: game.about.version for slug, game in get_games().items()}


def _iter_lines(file: ImportFile) -> Iterator[str]:
    yield _dump_json(
        {
            "format": FORMAT,
            "games": _get_game_versions(),
            "kind": file.kind,
            "people": [list(vars(player).values()) for player in file.players],
            "left_out": file.skipped,
        }
    )
    for table in file.tables:
        columns = {name: value for name, value in vars(table).items() if name != "entries"}
        yield _dump_json(columns)
        yield _dump_json([list(vars(entry).values()) for entry in table.entries])


def _dump_json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), default=_encode)


def _encode(value: object) -> object:
    match value:
        case datetime():
            return value.isoformat()
        case Text():
            return {"text": [value.message, value.values, value.plural, value.number, value.context]}
        case SeatName(seat):
            return {"seat": seat}
    raise TypeError(value)


def _decode(value: dict[str, Any]) -> Any:
    """Return the text or seat in an object; any other object as it is."""
    match value:
        case {"text": [message, gaps, plural, number, context]}:
            values = ((name, tuple(part) if isinstance(part, list) else part) for name, part in gaps)
            return Text(message, tuple(values), plural, number, context)
        case {"seat": seat}:
            return SeatName(seat)
    return value


def _unpack_table(table: str, entries: str) -> ImportedTable:
    columns = json.loads(table)
    columns |= {"began_at": datetime.fromisoformat(columns["began_at"]), "ended_at": _unpack_time(columns["ended_at"])}
    columns |= {"seats": tuple(columns["seats"]), "entries": tuple(map(_unpack_entry, json.loads(entries)))}
    return ImportedTable(**columns)


def _unpack_entry(row: list[Any]) -> ImportedEntry:
    number, kind, words, round_, overruled, key, at, who, version = row
    return ImportedEntry(number, kind, words, round_, tuple(overruled), key, _unpack_time(at), who, version)


def _unpack_time(word: str | None) -> datetime | None:
    return datetime.fromisoformat(word) if word else None
