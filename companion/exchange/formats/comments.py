"""What is told of a table in words where a format has no field: rounds, note, options. Formats are elsewhere."""

from __future__ import annotations

from companion.exchange.export_records import Record
from companion.people.validators import shown_name
from companion.tables.presenters.score_sheet import agreed
from companion.web.i18n import translate_plain


def names_of(record: Record) -> tuple[str, ...]:
    """By seat; one who has been erased is called the same as on every page."""
    return tuple(shown_name(guest.name) for guest in record.seats)


def side_names(record: Record) -> tuple[str, ...]:
    """Who scores together, by side."""
    names = names_of(record)
    return tuple(" & ".join(names[seat] for seat in side) for side in record.sides)


def round_table(record: Record) -> str:
    """The points round by round, a line each, by side; nothing where no round counts yet."""
    rounds = [(played.number, played.sheet.points) for played in record.match.finished if played.sheet]
    if not rounds:
        return ""
    lines = [f"{number}: " + " / ".join(map(str, points)) for number, points in rounds]
    return "\n".join([" / ".join(side_names(record)), *lines])


def comment(record: Record) -> str:
    """The note, then the rounds."""
    return "\n\n".join(filter(None, (record.note, round_table(record))))


def variant(record: Record) -> str:
    """What was agreed on otherwise than usual."""
    return ", ".join(translate_plain(text) for text in agreed(record.match))
