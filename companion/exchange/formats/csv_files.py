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
from companion.exchange.export_records import TableRecord
from companion.exchange.formats.comments import get_seat_names, get_side_names
from companion.exchange.formats.zip_stream import iter_chunks, stream_zip
from companion.web.i18n import translate_plain

CsvRow: TypeAlias = "tuple[int | str | None, ...]"
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


def write_archive(records: Iterable[TableRecord]) -> Iterator[bytes]:
    """The three files in one; they are written side by side, for the tables are read only once."""
    with ExitStack() as stack:
        kept = {name: stack.enter_context(TemporaryFile()) for name in COLUMNS}
        _write_files(records, kept)
        yield from stream_zip((name, iter_chunks(file)) for name, file in kept.items())


def _write_files(records: Iterable[TableRecord], kept: Mapping[str, IO[bytes]]) -> None:
    """Fills the files, each with a mark at its beginning by which spreadsheets know UTF-8."""
    texts = {name: TextIOWrapper(file, encoding="utf-8-sig", newline="") for name, file in kept.items()}
    writers = {name: csv.writer(text, lineterminator="\r\n") for name, text in texts.items()}
    for name, writer in writers.items():
        writer.writerow(COLUMNS[name])
    for record in records:
        for name, rows in build_rows(record).items():
            writers[name].writerows(map(_escape_formulas, rows))
    for text in texts.values():
        text.detach()


def build_rows(record: TableRecord) -> dict[str, list[CsvRow]]:
    """What the three files say of one table."""
    return {
        "tables.csv": [_build_table_row(record)],
        "results.csv": list(_build_result_rows(record)) if record.match.finished_rounds else [],
        "rounds.csv": [row for played in record.match.finished_rounds for row in _build_round_rows(record, played)],
    }


def _build_table_row(record: TableRecord) -> CsvRow:
    return (
        record.public_id,
        translate_plain(record.called),
        _format_time(record.began_at),
        _format_time(record.ended_at),
        record.minutes,
        record.place,
        len(record.seats),
        len(record.match.finished_rounds),
        int(record.is_finished),
        record.note,
        "; ".join(f"{name}={word}" for name, word in record.options.items()),
    )


def _build_result_rows(record: TableRecord) -> Iterator[CsvRow]:
    for seat, name in enumerate(get_seat_names(record)):
        rank = record.rank(seat) or None
        yield record.public_id, name, seat + 1, record.total(seat), rank, int(record.has_won(seat))


def _build_round_rows(record: TableRecord, played: Round) -> Iterator[CsvRow]:
    """A row a side; who entered it is who counted it, or else who entered the last of the round."""
    entries = {written.number: written for written in record.entries}
    counts = {getattr(step.entry, "seat", None): step.action.number for step in played.counts if step.has_effect}
    points = played.sheet.points if played.sheet else ()
    for side, names, own in zip(record.sides, get_side_names(record), points, strict=False):
        number = counts.get(side[0], counts.get(None, played.steps[-1].action.number))
        written = entries[number]
        yield record.public_id, played.number, names, own, written.who, _format_time(written.at)


def _format_time(moment: datetime | None) -> str:
    """On this machine's clock, as spreadsheets read it."""
    return f"{localtime(moment):%Y-%m-%d %H:%M:%S}" if moment else ""


def _escape_formulas(row: CsvRow) -> CsvRow:
    """Texts that begin as a formula does get an apostrophe in front; numbers stay numbers."""
    return tuple(f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell for cell in row)
