"""CSV export: a zip of tables, results and rounds."""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from io import TextIOWrapper
from tempfile import TemporaryFile
from typing import IO, TypeAlias

from companion.core.match import Round
from companion.exchange.export_records import TableRecord
from companion.exchange.formats.encoding import format_local, iter_chunks, stream_zip
from companion.web.i18n import translate_plain

CsvRow: TypeAlias = "tuple[int | str | None, ...]"
COLUMNS: dict[str, tuple[str, ...]] = {
    "tables.csv": (
        "table", "game", "began_at", "ended_at", "minutes", "place", "players", "rounds", "finished", "note", "options",
    ),
    "results.csv": ("table", "player", "seat", "total", "rank", "won"),
    "rounds.csv": ("table", "round", "player", "points", "entered_by", "entered_at"),
}  # fmt: skip
"""Columns by file. Booleans are 1 and 0, so that they can be summed."""
_FORMULA = re.compile(r"[\s\"'’]*?[=+\-@\t\r＝＋－＠]")
"""Start of a cell that a spreadsheet would evaluate."""


def write_archive(records: Iterable[TableRecord]) -> Iterator[bytes]:
    """Write the zip. The files are written in parallel, so that the records are read only once."""
    with ExitStack() as stack:
        files = {name: stack.enter_context(TemporaryFile()) for name in COLUMNS}
        _write_files(records, files)
        yield from stream_zip((name, iter_chunks(file)) for name, file in files.items())


def _write_files(records: Iterable[TableRecord], files: Mapping[str, IO[bytes]]) -> None:
    """Write the files, each with the byte order mark by which spreadsheets detect UTF-8."""
    texts = {name: TextIOWrapper(file, encoding="utf-8-sig", newline="") for name, file in files.items()}
    writers = {name: csv.writer(text, lineterminator="\r\n") for name, text in texts.items()}
    for name, writer in writers.items():
        writer.writerow(COLUMNS[name])
    for record in records:
        rounds = record.match.finished_rounds
        rows_by_file = {
            "tables.csv": [_build_table_row(record)],
            "results.csv": _build_result_rows(record) if rounds else [],
            "rounds.csv": [row for round_ in rounds for row in _build_round_rows(record, round_)],
        }
        for name, rows in rows_by_file.items():
            writers[name].writerows(map(_escape_formulas, rows))
    for text in texts.values():
        text.detach()


def _build_table_row(record: TableRecord) -> CsvRow:
    return (
        record.table.public_id,
        translate_plain(record.game_name),
        format_local(record.table.began_at),
        format_local(record.table.ended_at) if record.table.ended_at else "",
        record.table.minutes,
        record.place,
        len(record.seats),
        len(record.match.finished_rounds),
        int(record.is_finished),
        record.table.note,
        "; ".join(f"{name}={word}" for name, word in record.table.options.items()),
    )


def _build_result_rows(record: TableRecord) -> Iterator[CsvRow]:
    for seat, name in enumerate(record.names):
        rank = record.get_rank(seat) or None
        yield record.table.public_id, name, seat + 1, record.get_total(seat), rank, int(record.has_won(seat))


def _build_round_rows(record: TableRecord, round_: Round) -> Iterator[CsvRow]:
    """Yield a row per side, entered by the device that counted it, or else by the last one of the round."""
    entries = {entry.number: entry for entry in record.entries}
    counts = {getattr(step.entry, "seat", None): step.action.number for step in round_.counts if step.has_effect}
    points = round_.sheet.points if round_.sheet else ()
    for side, names, side_points in zip(record.sides, record.side_names, points, strict=False):
        number = counts.get(side[0], counts.get(None, round_.steps[-1].action.number))
        entry = entries[number]
        device = entry.device.label if entry.device else ""
        yield record.table.public_id, round_.number, names, side_points, device, format_local(entry.at)


def _escape_formulas(row: CsvRow) -> CsvRow:
    """Prefix texts that look like a formula with an apostrophe; numbers stay numbers."""
    return tuple(f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell for cell in row)
