"""An import file that has been read and judged, as bytes: compressed JSON, a line for each part."""

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


def pack(parcel: ImportFile) -> bytes:
    """Return the file as bytes; of every table its entries stand on a line of their own."""
    return zlib.compress("\n".join(_iter_lines(parcel)).encode(), 1)


def unpack(data: bytes, *, has_entries: bool = True) -> ImportFile:
    """Return the file; without its entries where only tables and people are needed.

    Raises BadFile for what another version of the app, or of a game, has judged.
    """
    try:
        head, *lines = zlib.decompress(data).decode().split("\n")
        about = json.loads(head)
        is_current = about["format"] == FORMAT and about["games"] == _get_game_versions()
    except (zlib.error, ValueError, KeyError, TypeError):
        is_current = False
    if not is_current:
        raise BadFile("", _("This file was read by another version of the app. Choose it again."))
    tables = zip(lines[::2], lines[1::2], strict=True)
    return ImportFile(
        kind=about["kind"],
        people=tuple(ImportedPlayer(*row) for row in about["people"]),
        sittings=tuple(_unpack_table(table, entries if has_entries else "[]") for table, entries in tables),
        left_out=tuple((where, _unpack_value(text)) for where, text in about["left_out"]),
    )


def pack_error(error: BadFile) -> bytes:
    return _dump_json([error.where, _pack_value(error.text)]).encode()


def unpack_error(data: bytes) -> BadFile:
    where, text = json.loads(data)
    return BadFile(where, _unpack_value(text))


def _get_game_versions() -> dict[str, int]:
    return {slug: game.version for slug, game in get_games().items()}


def _iter_lines(parcel: ImportFile) -> Iterator[str]:
    yield _dump_json(
        {
            "format": FORMAT,
            "games": _get_game_versions(),
            "kind": parcel.kind,
            "people": [[own.id, own.name, own.colour, own.sign] for own in parcel.people],
            "left_out": [[where, _pack_value(text)] for where, text in parcel.left_out],
        }
    )
    for sitting in parcel.sittings:
        columns = {name: getattr(sitting, name) for name in ImportedTable.__dataclass_fields__ if name != "entries"}
        yield _dump_json(
            {**columns, "began_at": _pack_time(sitting.began_at), "ended_at": _pack_time(sitting.ended_at)}
        )
        yield _dump_json([_pack_entry(written) for written in sitting.entries])


def _dump_json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _pack_entry(own: ImportedEntry) -> list[Any]:
    columns = [own.number, own.kind, own.words, own.round, own.overruled, own.key, _pack_time(own.at), own.who]
    return [*columns, own.game_version]


def _pack_time(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def _unpack_table(table: str, entries: str) -> ImportedTable:
    columns = json.loads(table)
    columns |= {"began_at": _unpack_time(columns["began_at"]), "ended_at": _unpack_time(columns["ended_at"])}
    columns |= {"seats": tuple(columns["seats"]), "entries": tuple(map(_unpack_entry, json.loads(entries)))}
    return ImportedTable(**columns)


def _unpack_entry(row: list[Any]) -> ImportedEntry:
    number, kind, words, round_, overruled, key, at, who, version = row
    return ImportedEntry(number, kind, words, round_, tuple(overruled), key, _unpack_time(at), who, version)


def _unpack_time(word: str | None) -> datetime | None:
    return datetime.fromisoformat(word) if word else None


def _pack_value(value: TextValue) -> Any:
    """What fills a gap of a sentence: a number and a word as they are, all else under its kind."""
    match value:
        case Text():
            gaps = [[name, _pack_value(own)] for name, own in value.values]
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
            return Text(message, tuple((name, _unpack_value(own)) for name, own in gaps), plural, number, context)
        case {"seat": seat}:
            return SeatName(seat)
        case list():
            return tuple(map(_unpack_value, value))
        case _:
            return value
