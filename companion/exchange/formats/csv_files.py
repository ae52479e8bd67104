"""Tables for a spreadsheet: three files that go together, of tables, results and rounds."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from datetime import datetime
from io import TextIOWrapper
from tempfile import TemporaryFile
from typing import IO, TypeAlias

from django.utils.timezone import localtime

from companion.core.match import Round
from companion.exchange.export_records import Record
from companion.exchange.formats.comments import names_of, side_names
from companion.exchange.formats.zip_stream import pieces_of, zipped
from companion.web.i18n import translate_plain

Row: TypeAlias = "tuple[int | str | None, ...]"
COLUMNS: dict[str, tuple[str, ...]] = {
    "tables.csv": (
        "table", "game", "began_at", "ended_at", "minutes", "place", "players", "rounds", "finished", "note", "options",
    ),
    "results.csv": ("table", "player", "seat", "total", "rank", "won"),
    "rounds.csv": ("table", "round", "player", "points", "entered_by", "entered_at"),
}  # fmt: skip
"""Of each file. Truths are 1 and 0, so that they can be summed."""
_FORMULA = re.compile(r"[\s\"'’]*?[=+\-@\t\r＝＋－＠]")
"""What a spreadsheet would reckon with instead of showing it."""


def archive(records: Iterable[Record]) -> Iterator[bytes]:
    """The three files in one; they are written side by side, for the tables are read only once."""
    with ExitStack() as stack:
        kept = {name: stack.enter_context(TemporaryFile()) for name in COLUMNS}
        _write(records, kept)
        yield from zipped((name, pieces_of(file)) for name, file in kept.items())


def _write(records: Iterable[Record], kept: Mapping[str, IO[bytes]]) -> None:
    """Fills the files, each with a mark at its beginning by which spreadsheets know UTF-8."""
    texts = {name: TextIOWrapper(file, encoding="utf-8-sig", newline="") for name, file in kept.items()}
    writers = {name: csv.writer(text, lineterminator="\r\n") for name, text in texts.items()}
    for name, writer in writers.items():
        writer.writerow(COLUMNS[name])
    for record in records:
        for name, rows in rows_of(record).items():
            writers[name].writerows(map(_safe, rows))
    for text in texts.values():
        text.detach()


def rows_of(record: Record) -> dict[str, list[Row]]:
    """What the three files say of one table."""
    return {
        "tables.csv": [_table(record)],
        "results.csv": list(_results(record)) if record.match.finished else [],
        "rounds.csv": [row for played in record.match.finished for row in _points(record, played)],
    }


def _table(record: Record) -> Row:
    return (
        record.public_id,
        translate_plain(record.called),
        _time(record.began_at),
        _time(record.ended_at),
        record.minutes,
        record.place,
        len(record.seats),
        len(record.match.finished),
        int(record.is_finished),
        record.note,
        "; ".join(f"{name}={word}" for name, word in record.options.items()),
    )


def _results(record: Record) -> Iterator[Row]:
    for seat, name in enumerate(names_of(record)):
        rank = record.rank(seat) or None
        yield record.public_id, name, seat + 1, record.total(seat), rank, int(record.has_won(seat))


def _points(record: Record, played: Round) -> Iterator[Row]:
    """A row a side; who entered it is who counted it, or else who entered the last of the round."""
    entries = {written.number: written for written in record.entries}
    counts = {getattr(step.entry, "seat", None): step.act.number for step in played.counts if step.has_effect}
    points = played.sheet.points if played.sheet else ()
    for side, names, own in zip(record.sides, side_names(record), points, strict=False):
        number = counts.get(side[0], counts.get(None, played.steps[-1].act.number))
        written = entries[number]
        yield record.public_id, played.number, names, own, written.who, _time(written.at)


def _time(moment: datetime | None) -> str:
    """On this machine's clock, as spreadsheets read it."""
    return f"{localtime(moment):%Y-%m-%d %H:%M:%S}" if moment else ""


def _safe(row: Row) -> Row:
    """Texts that begin as a formula does get an apostrophe in front; numbers stay numbers."""
    return tuple(f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell for cell in row)
