"""Serialization of parsed and judged import files: compressed JSON, one line per part."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from companion.core.text import SeatName, Text, TextValue, _
from companion.exchange.import_data import BadFile, ImportedEntry, ImportedPlayer, ImportedTable, ImportFile
from companion.games import get_games

FORMAT = "companion-upload-1"


def pack(file: ImportFile) -> bytes:
    """Return the file as bytes; the entries of each table are on a line of their own."""
    return zlib.compress("\n".join(_iter_lines(file)).encode(), 1)


def unpack(data: bytes, *, has_entries: bool = True) -> ImportFile:
    """Return the file, or only its tables and players.

    Raises BadFile if another version of the app or of a game has packed it.
    """
    try:
        head, *lines = zlib.decompress(data).decode().split("\n")
        header = json.loads(head)
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
        skipped=tuple((where, _unpack_value(text)) for where, text in header["left_out"]),
    )


def pack_error(error: BadFile) -> bytes:
    return _dump_json([error.where, _pack_value(error.text)]).encode()


def unpack_error(data: bytes) -> BadFile:
    where, text = json.loads(data)
    return BadFile(where, _unpack_value(text))


def _get_game_versions() -> dict[str, int]:
    return {slug: game.about.version for slug, game in get_games().items()}


def _iter_lines(file: ImportFile) -> Iterator[str]:
    yield _dump_json(
        {
            "format": FORMAT,
            "games": _get_game_versions(),
            "kind": file.kind,
            "people": [list(vars(player).values()) for player in file.players],
            "left_out": [[where, _pack_value(text)] for where, text in file.skipped],
        }
    )
    for table in file.tables:
        columns = {name: value for name, value in vars(table).items() if name != "entries"}
        columns["way"] = columns.pop("mode")  # the stored name
        yield _dump_json(columns)
        yield _dump_json([list(vars(entry).values()) for entry in table.entries])


def _dump_json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), default=datetime.isoformat)


def _unpack_table(table: str, entries: str) -> ImportedTable:
    columns = json.loads(table)
    columns["mode"] = columns.pop("way")
    columns |= {"began_at": _unpack_time(columns["began_at"]), "ended_at": _unpack_time(columns["ended_at"])}
    columns |= {"seats": tuple(columns["seats"]), "entries": tuple(map(_unpack_entry, json.loads(entries)))}
    return ImportedTable(**columns)


def _unpack_entry(row: list[Any]) -> ImportedEntry:
    number, kind, words, round_, overruled, key, at, who, version = row
    return ImportedEntry(number, kind, words, round_, tuple(overruled), key, _unpack_time(at), who, version)


def _unpack_time(word: str | None) -> datetime | None:
    return datetime.fromisoformat(word) if word else None


def _pack_value(value: TextValue) -> Any:
    """Return a value of a Text as JSON: numbers and words as they are, all else under its type."""
    match value:
        case Text():
            gaps = [[name, _pack_value(part)] for name, part in value.values]
            return {"text": [value.message, gaps, value.plural, value.number, value.context]}
        case SeatName(seat):
            return {"seat": seat}
        case tuple():
            return [_pack_value(text) for text in value]
        case _:
            return value


def _unpack_value(value: Any) -> Any:
    match value:
        case {"text": [message, gaps, plural, number, context]}:
            return Text(message, tuple((name, _unpack_value(part)) for name, part in gaps), plural, number, context)
        case {"seat": seat}:
            return SeatName(seat)
        case list():
            return tuple(map(_unpack_value, value))
        case _:
            return value
