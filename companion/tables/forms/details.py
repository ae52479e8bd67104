"""What a table is remembered by beside its log: when, where, how long, and a note. The log is left to services.py."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from django.db import transaction
from django.http import QueryDict
from django.utils import timezone

from companion import limits
from companion.core.sanitize import fold_text
from companion.core.schema import Malformed, parse_whole_number
from companion.core.text import _
from companion.people.models import Device
from companion.people.services import authorize_member
from companion.people.validators import clean_note, clean_place
from companion.tables.models import FoldedNote, Place, Table

MOST_MINUTES = 10_000
"""A week: longer ago it began, not longer it lasted."""
EARLIEST = date(1900, 1, 1)
PLACES_OFFERED = 8


@dataclass(frozen=True)
class Details:
    """What a form says of a table; `minutes` None where nobody knows, or it is still being played."""

    note: str
    place: str
    began_at: datetime
    minutes: int | None


def read(data: QueryDict, table: Table) -> Details:
    """The form as it was posted; the place typed goes before the one tapped. Raises Malformed."""
    place = clean_place(data.get("new_place", "")) or clean_place(data.get("place", ""))
    minutes = data.get("minutes", "").strip()
    return Details(
        note=clean_note(data.get("note", "")),
        place=place,
        began_at=_moment(data.get("day", ""), data.get("time", ""), table.began_at),
        minutes=_minutes(minutes) if minutes else None,
    )


def set_details(table: Table, details: Details, *, by: Device | None) -> None:
    """Store all of it; the statistics read the table anew, for its place in the order may have changed.

    The circle is locked: of two phones, one must not drop the place that the other is just giving to its table. Raises
    Http404 as `authorize_member` does.
    """
    with transaction.atomic():
        authorize_member(table.circle_id, by)
        left = Place.objects.filter(tables=table).first()
        place = place_named(table.circle_id, details.place) if details.place else None
        is_finished = table.is_over or table.is_closed
        length = timedelta(minutes=details.minutes) if is_finished and details.minutes is not None else None
        Table.objects.filter(pk=table.pk).update(
            place=place,
            began_at=details.began_at,
            ended_at=details.began_at + length if length is not None else None,
            is_unread=is_finished or table.is_unread,
        )
        if left is not None and left != place:
            drop_unused(left)
        _keep_note(table, details.note)


def set_note(table: Table, *, note: str, by: Device | None) -> None:
    """Store the note. Raises Http404 as `authorize_member` does."""
    with transaction.atomic():
        authorize_member(table.circle_id, by)
        _keep_note(table, note)


def place_named(circle: int, name: str) -> Place:
    """The place that a circle calls so, a new one where there is none; it is offered first from now on."""
    place = known_place(circle, name) or Place.objects.get_or_create(circle_id=circle, name=name)[0]
    Place.objects.filter(pk=place.pk).update(used_at=timezone.now())
    return place


def known_place(circle: int, name: str) -> Place | None:
    """The place that a circle calls so, whatever its capitals and accents; if there are several, the one of just that
    name, else the one used last."""
    alike = [place for place in Place.objects.filter(circle=circle) if fold_text(place.name) == fold_text(name)]
    return min(alike, key=lambda place: place.name != name, default=None)


def places_offered(table: Table) -> list[str]:
    """The places that the circle used last, and the one where the table was."""
    names = Place.objects.filter(circle=table.circle_id).values_list("name", flat=True)[:PLACES_OFFERED]
    return list(dict.fromkeys([*names, table.place.name] if table.place else names))


def typed(data: QueryDict, table: Table) -> dict[str, str]:
    """What the boxes of the form hold: what was typed, or what is kept."""
    local, minutes = timezone.localtime(table.began_at), minutes_of(table)
    kept = {
        "note": table.note,
        "place": table.place.name if table.place else "",
        "new_place": "",
        "day": f"{local:%Y-%m-%d}",
        "time": f"{local:%H:%M}",
        "minutes": "" if minutes is None else str(minutes),
    }
    return {name: data.get(name, word)[: 4 * limits.MAX_NOTE_LENGTH] for name, word in kept.items()}


def minutes_of(table: Table) -> int | None:
    """How long the table lasted, as far as that is known."""
    return None if table.ended_at is None else max(round((table.ended_at - table.began_at).total_seconds() / 60), 0)


def drop_unused(place: Place) -> None:
    """A place where no table is left, as after a slip of the finger, is offered no more; the bin counts too."""
    if not place.tables.exists():
        place.delete()


def _keep_note(table: Table, note: str) -> None:
    Table.objects.filter(pk=table.pk).update(note=note)
    if note:
        values = {"circle_id": table.circle_id, "text": fold_text(note)}
        FoldedNote.objects.update_or_create(table=table, defaults=values)
    else:
        FoldedNote.objects.filter(table=table).delete()


def _moment(day: str, clock: str, before: datetime) -> datetime:
    """The local day and time that were chosen; a form that shows minutes must not lose the seconds."""
    try:
        chosen = datetime.combine(date.fromisoformat(day), time.fromisoformat(clock or "12:00")).replace(tzinfo=None)
    except ValueError:
        raise Malformed(_("That is no day and time."), "day") from None
    local = timezone.localtime(before).replace(tzinfo=None)
    if chosen.replace(second=0, microsecond=0) == local.replace(second=0, microsecond=0):
        return before
    if not EARLIEST <= chosen.date() <= timezone.localdate() + timedelta(days=1):
        raise Malformed(_("A table cannot have begun before 1900, or in days to come."), "day")
    return timezone.make_aware(chosen)


def _minutes(word: str) -> int:
    minutes = parse_whole_number(word, "minutes")
    if not 0 <= minutes <= MOST_MINUTES:
        raise Malformed(_("{n} is not between {least} and {most}.", n=minutes, least=0, most=MOST_MINUTES), "minutes")
    return minutes
