"""An import file that has been read and judged, as bytes: compressed JSON, a line for each part."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from companion.core.text import SeatName, Text, TextValue, _
from companion.exchange.import_data import BadFile, Incoming, Parcel, Stranger, Written
from companion.games import get_games

FORMAT = "companion-upload-1"


def pack(parcel: Parcel) -> bytes:
    """Return the file as bytes; of every table its entries stand on a line of their own."""
    return zlib.compress("\n".join(_lines(parcel)).encode(), 1)


def unpack(data: bytes, *, has_entries: bool = True) -> Parcel:
    """Return the file; without its entries where only tables and people are needed.

    Raises BadFile for what another version of the app, or of a game, has judged.
    """
    try:
        head, *lines = zlib.decompress(data).decode().split("\n")
        about = json.loads(head)
        is_current = about["format"] == FORMAT and about["games"] == _game_versions()
    except (zlib.error, ValueError, KeyError, TypeError):
        is_current = False
    if not is_current:
        raise BadFile("", _("This file was read by another version of the app. Choose it again."))
    tables = zip(lines[::2], lines[1::2], strict=True)
    return Parcel(
        kind=about["kind"],
        people=tuple(Stranger(*row) for row in about["people"]),
        sittings=tuple(_read_sitting(table, entries if has_entries else "[]") for table, entries in tables),
        left_out=tuple((where, _read_value(text)) for where, text in about["left_out"]),
    )


def pack_error(error: BadFile) -> bytes:
    return _json([error.where, _value(error.text)]).encode()


def unpack_error(data: bytes) -> BadFile:
    where, text = json.loads(data)
    return BadFile(where, _read_value(text))


def _game_versions() -> dict[str, int]:
    return {slug: game.version for slug, game in get_games().items()}


def _lines(parcel: Parcel) -> Iterator[str]:
    yield _json(
        {
            "format": FORMAT,
            "games": _game_versions(),
            "kind": parcel.kind,
            "people": [[own.id, own.name, own.colour, own.sign] for own in parcel.people],
            "left_out": [[where, _value(text)] for where, text in parcel.left_out],
        }
    )
    for sitting in parcel.sittings:
        columns = {name: getattr(sitting, name) for name in Incoming.__dataclass_fields__ if name != "entries"}
        yield _json({**columns, "began_at": _time(sitting.began_at), "ended_at": _time(sitting.ended_at)})
        yield _json([_entry(written) for written in sitting.entries])


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _entry(own: Written) -> list[Any]:
    columns = [own.number, own.kind, own.words, own.round, own.overruled, own.key, _time(own.at), own.who]
    return [*columns, own.game_version]


def _time(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def _read_sitting(table: str, entries: str) -> Incoming:
    columns = json.loads(table)
    columns |= {"began_at": _read_time(columns["began_at"]), "ended_at": _read_time(columns["ended_at"])}
    columns |= {"seats": tuple(columns["seats"]), "entries": tuple(map(_read_entry, json.loads(entries)))}
    return Incoming(**columns)


def _read_entry(row: list[Any]) -> Written:
    number, kind, words, round_, overruled, key, at, who, version = row
    return Written(number, kind, words, round_, tuple(overruled), key, _read_time(at), who, version)


def _read_time(word: str | None) -> datetime | None:
    return datetime.fromisoformat(word) if word else None


def _value(value: TextValue) -> Any:
    """What fills a gap of a sentence: a number and a word as they are, all else under its kind."""
    match value:
        case Text():
            gaps = [[name, _value(own)] for name, own in value.values]
            return {"text": [value.message, gaps, value.plural, value.number, value.context]}
        case SeatName(seat):
            return {"seat": seat}
        case tuple():
            return [_value(text) for text in value]
        case _:
            return value


def _read_value(value: Any) -> Any:
    match value:
        case {"text": [message, gaps, plural, number, context]}:
            return Text(message, tuple((name, _read_value(own)) for name, own in gaps), plural, number, context)
        case {"seat": seat}:
            return SeatName(seat)
        case list():
            return tuple(map(_read_value, value))
        case _:
            return value
