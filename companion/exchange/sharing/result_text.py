"""A result to show off: what is told of a finished table, in the language of whoever asks, and as a few lines of text.

The picture of it is drawn in posters.py. Neither tells an address or a key.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from django.utils.dateformat import format as formatted
from django.utils.timezone import localtime
from django.utils.translation import gettext

from companion.exchange.export_records import ExportedPlayer, TableRecord, has_concealed_counts
from companion.people.validators import display_name
from companion.web.i18n import translate_plain

_ISOLATED = re.compile("\u2068([^\u2069]*)\u2069")


@dataclass(frozen=True)
class ResultRow:
    """A side: its place (0 where nobody is ranked), who is in it, and its total."""

    rank: int
    guests: tuple[ExportedPlayer, ...]
    total: int

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(display_name(guest.name) for guest in self.guests)


@dataclass(frozen=True)
class SharedResult:
    """What is told of a table that has ended."""

    game: str
    """The slug."""
    title: str
    verdict: str
    places: tuple[ResultRow, ...]
    day: str
    place: str


def build_result(record: TableRecord) -> SharedResult | None:
    """What is told; None where there is no result, or where it is still a secret."""
    if not record.is_finished or has_concealed_counts(record):
        return None
    names = tuple(display_name(guest.name) for guest in record.seats)
    verdict = record.match.standing.verdict
    return SharedResult(
        game=record.game.slug,
        title=translate_plain(record.game_name, names),
        verdict=strip_isolates(translate_plain(verdict, names)) if verdict else gettext("The table is closed"),
        places=_build_rows(record),
        day=formatted(localtime(record.began_at), "j E Y"),
        place=record.place,
    )


def format_result(told: SharedResult) -> str:
    """The title and the day, what is said of the result, and a line a place: `1. Ann 24`."""
    head = ", ".join(_isolate(part) for part in (told.title, told.day, told.place) if part)
    return "\n".join([head, told.verdict, *map(_format_row, told.places)])


def format_points(points: int) -> str:
    """Points with a real minus sign."""
    return str(points).replace("-", "−")


def _build_rows(record: TableRecord) -> tuple[ResultRow, ...]:
    ranks, totals = record.match.standing.ranks, record.match.standing.totals
    found = [
        ResultRow(ranks[index] if ranks else 0, tuple(record.seats[seat] for seat in side), totals[index])
        for index, side in enumerate(record.sides)
    ]
    return tuple(sorted(found, key=lambda place: place.rank))


def _format_row(place: ResultRow) -> str:
    names = ", ".join(map(_isolate, place.names))
    return (
        f"{place.rank}. {names} {format_points(place.total)}"
        if place.rank
        else f"{names}: {format_points(place.total)}"
    )


def strip_isolates(text: str) -> str:
    """A text without the isolates around names that need none: not every program hides them."""
    return _ISOLATED.sub(lambda found: _isolate(found[1]), text)


def _isolate(name: str) -> str:
    """A name that is written from the right, kept from turning the number beside it."""
    is_from_right = any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in name)
    return f"\u2068{name}\u2069" if is_from_right else name
