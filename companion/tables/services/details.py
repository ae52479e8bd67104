"""Date, place, duration and note of a table."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from companion.core.sanitize import fold_text
from companion.people.models import Device
from companion.people.services import lock_circle_for_member
from companion.tables.models import Place, SearchableNote, Table

MAX_MINUTES = 10_000
"""A week, the longest duration that a table can have."""
SUGGESTED_PLACES = 8


@dataclass(frozen=True)
class TableDetails:
    """Editable details of a table; `minutes` is None if unknown, or while the table is open."""

    note: str
    place: str
    began_at: datetime
    minutes: int | None


def update_details(table: Table, details: TableDetails, *, by: Device | None) -> None:
    """Store the details, and queue the table for the statistics again: its place in their order may have changed.

    The circle is locked, so that no other request deletes a place as unused while it is being assigned here. Raises
    Http404 as `lock_circle_for_member` does.
    """
    with lock_circle_for_member(table.circle_id, by):
        old_place = Place.objects.filter(tables=table).first()
        place = get_or_create_place(table.circle_id, details.place) if details.place else None
        is_finished = table.is_over or table.is_closed
        duration = timedelta(minutes=details.minutes) if is_finished and details.minutes is not None else None
        Table.objects.filter(pk=table.pk).update(
            place=place,
            began_at=details.began_at,
            ended_at=details.began_at + duration if duration is not None else None,
            has_stale_stats=is_finished or table.has_stale_stats,
        )
        if old_place is not None and old_place != place:
            delete_if_unused(old_place)
        _save_note(table, details.note)


def update_note(table: Table, *, note: str, by: Device | None) -> None:
    """Store the note. Raises Http404 as `lock_circle_for_member` does."""
    with lock_circle_for_member(table.circle_id, by):
        _save_note(table, note)


def get_or_create_place(circle: int, name: str) -> Place:
    """Return the circle's place of that name, now its most recently used."""
    place = find_place(circle, name) or Place.objects.get_or_create(circle_id=circle, name=name)[0]
    Place.objects.filter(pk=place.pk).update(used_at=timezone.now())
    return place


def find_place(circle: int, name: str) -> Place | None:
    """Return the circle's place of that name, ignoring case and accents.

    Of several, prefer the one spelled exactly so, then the most recently used.
    """
    matches = [place for place in Place.objects.filter(circle=circle) if fold_text(place.name) == fold_text(name)]
    return min(matches, key=lambda place: place.name != name, default=None)


def suggest_places(table: Table) -> list[str]:
    """Return the names of the circle's most recently used places, and of the table's own."""
    names = Place.objects.filter(circle=table.circle_id).values_list("name", flat=True)[:SUGGESTED_PLACES]
    return list(dict.fromkeys([*names, table.place.name] if table.place else names))


def delete_if_unused(place: Place) -> None:
    """Delete a place without tables (binned tables count)."""
    if not place.tables.exists():
        place.delete()


def _save_note(table: Table, note: str) -> None:
    Table.objects.filter(pk=table.pk).update(note=note)
    if note:
        values = {"circle_id": table.circle_id, "text": fold_text(note)}
        SearchableNote.objects.update_or_create(table=table, defaults=values)
    else:
        SearchableNote.objects.filter(table=table).delete()
