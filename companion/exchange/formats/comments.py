"""What is told of a table in words where a format has no field: rounds, note, options. Formats are elsewhere."""

from __future__ import annotations

from companion.exchange.export_records import TableRecord
from companion.people.validators import display_name
from companion.tables.presenters.score_sheet import describe_options
from companion.web.i18n import translate_plain


def get_seat_names(record: TableRecord) -> tuple[str, ...]:
    """By seat; one who has been erased is called the same as on every page."""
    return tuple(display_name(guest.name) for guest in record.seats)


def get_side_names(record: TableRecord) -> tuple[str, ...]:
    """Who scores together, by side."""
    names = get_seat_names(record)
    return tuple(" & ".join(names[seat] for seat in side) for side in record.sides)


def format_rounds(record: TableRecord) -> str:
    """The points round by round, a line each, by side; nothing where no round counts yet."""
    rounds = [(played.number, played.sheet.points) for played in record.match.finished_rounds if played.sheet]
    if not rounds:
        return ""
    lines = [f"{number}: " + " / ".join(map(str, points)) for number, points in rounds]
    return "\n".join([" / ".join(get_side_names(record)), *lines])


def format_comment(record: TableRecord) -> str:
    """The note, then the rounds."""
    return "\n\n".join(filter(None, (record.note, format_rounds(record))))


def format_variant(record: TableRecord) -> str:
    """What was agreed on otherwise than usual."""
    return ", ".join(translate_plain(text) for text in describe_options(record.match))
