"""Texts about a table for formats that lack a field for its rounds, note or options."""

from __future__ import annotations

from companion.exchange.export_records import TableRecord
from companion.people.validators import display_name
from companion.tables.presenters.score_sheet import describe_options
from companion.web.i18n import translate_plain


def get_seat_names(record: TableRecord) -> tuple[str, ...]:
    """Return the names by seat, with a placeholder for erased players."""
    return tuple(display_name(player.name) for player in record.seats)


def get_side_names(record: TableRecord) -> tuple[str, ...]:
    """Return the joined names of each side."""
    names = get_seat_names(record)
    return tuple(" & ".join(names[seat] for seat in side) for side in record.sides)


def format_rounds(record: TableRecord) -> str:
    """Return the points by side, one line per round; empty if no round is finished."""
    rounds = [(round_.number, round_.sheet.points) for round_ in record.match.finished_rounds if round_.sheet]
    if not rounds:
        return ""
    lines = [f"{number}: " + " / ".join(map(str, points)) for number, points in rounds]
    return "\n".join([" / ".join(get_side_names(record)), *lines])


def format_comment(record: TableRecord) -> str:
    """Return the note and the rounds."""
    return "\n\n".join(filter(None, (record.note, format_rounds(record))))


def format_variant(record: TableRecord) -> str:
    """Return the options that differ from the defaults."""
    return ", ".join(translate_plain(text) for text in describe_options(record.match))
