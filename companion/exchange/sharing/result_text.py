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

from companion.exchange.export_records import Guest, Record, is_secret
from companion.people.validators import shown_name
from companion.web.i18n import translate_plain

_ISOLATED = re.compile("\u2068([^\u2069]*)\u2069")


@dataclass(frozen=True)
class Place:
    """A side: its place (0 where nobody is ranked), who is in it, and its total."""

    rank: int
    guests: tuple[Guest, ...]
    total: int

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(shown_name(guest.name) for guest in self.guests)


@dataclass(frozen=True)
class Shown:
    """What is told of a table that has ended."""

    game: str
    """The slug."""
    title: str
    verdict: str
    places: tuple[Place, ...]
    day: str
    place: str


def shown(record: Record) -> Shown | None:
    """What is told; None where there is no result, or where it is still a secret."""
    if not record.is_finished or is_secret(record):
        return None
    names = tuple(shown_name(guest.name) for guest in record.seats)
    verdict = record.match.standing.verdict
    return Shown(
        game=record.game.slug,
        title=translate_plain(record.called, names),
        verdict=unwrapped(translate_plain(verdict, names)) if verdict else gettext("The table is closed"),
        places=_places(record),
        day=formatted(localtime(record.began_at), "j E Y"),
        place=record.place,
    )


def text_of(told: Shown) -> str:
    """The title and the day, what is said of the result, and a line a place: `1. Ann 24`."""
    head = ", ".join(_apart(part) for part in (told.title, told.day, told.place) if part)
    return "\n".join([head, told.verdict, *map(_line, told.places)])


def signed(points: int) -> str:
    """Points with a real minus sign."""
    return str(points).replace("-", "−")


def _places(record: Record) -> tuple[Place, ...]:
    ranks, totals = record.match.standing.ranks, record.match.standing.totals
    found = [
        Place(ranks[index] if ranks else 0, tuple(record.seats[seat] for seat in side), totals[index])
        for index, side in enumerate(record.sides)
    ]
    return tuple(sorted(found, key=lambda place: place.rank))


def _line(place: Place) -> str:
    names = ", ".join(map(_apart, place.names))
    return f"{place.rank}. {names} {signed(place.total)}" if place.rank else f"{names}: {signed(place.total)}"


def unwrapped(text: str) -> str:
    """A text without the isolates around names that need none: not every program hides them."""
    return _ISOLATED.sub(lambda found: _apart(found[1]), text)


def _apart(name: str) -> str:
    """A name that is written from the right, kept from turning the number beside it."""
    is_from_right = any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in name)
    return f"\u2068{name}\u2069" if is_from_right else name
