"""Form for the details of a table."""

from datetime import date, datetime, time, timedelta

from django.http import QueryDict
from django.utils import timezone

from companion import limits
from companion.core import refusals
from companion.core.schema import Malformed, parse_whole_number
from companion.core.text import _
from companion.people.validators import clean_note, clean_place
from companion.tables.models import Table
from companion.tables.services.details import MAX_MINUTES, TableDetails

EARLIEST = date(1900, 1, 1)


def parse_details(data: QueryDict, table: Table) -> TableDetails:
    """Parse the form; a place that was typed wins over one that was picked. Raises Malformed."""
    place = clean_place(data.get("new_place", "")) or clean_place(data.get("place", ""))
    minutes = data.get("minutes", "").strip()
    return TableDetails(
        note=clean_note(data.get("note", "")),
        place=place,
        began_at=_parse_began_at(data.get("day", ""), data.get("time", ""), table.began_at),
        minutes=_parse_minutes(minutes) if minutes else None,
    )


def build_form_values(data: QueryDict, table: Table) -> dict[str, str]:
    """Return the value of each field: as posted, else as stored."""
    began_at = timezone.localtime(table.began_at)
    stored = {
        "note": table.note,
        "place": table.place.name if table.place else "",
        "new_place": "",
        "day": f"{began_at:%Y-%m-%d}",
        "time": f"{began_at:%H:%M}",
        "minutes": "" if table.minutes is None else str(table.minutes),
    }
    return {name: data.get(name, value)[: 4 * limits.MAX_NOTE_LENGTH] for name, value in stored.items()}


def _parse_began_at(day: str, clock: str, stored: datetime) -> datetime:
    """Return the local day and time, or `stored` if they show the same minute, so that its seconds are kept."""
    try:
        parsed = datetime.combine(date.fromisoformat(day), time.fromisoformat(clock or "12:00")).replace(tzinfo=None)
    except ValueError:
        raise Malformed(refusals.INVALID_TIME, "day") from None
    local = timezone.localtime(stored).replace(tzinfo=None)
    if parsed.replace(second=0, microsecond=0) == local.replace(second=0, microsecond=0):
        return stored
    if not EARLIEST <= parsed.date() <= timezone.localdate() + timedelta(days=1):
        raise Malformed(_("The start can’t be before 1900 or in the future."), "day")
    return timezone.make_aware(parsed)


def _parse_minutes(word: str) -> int:
    minutes = parse_whole_number(word, "minutes")
    if not 0 <= minutes <= MAX_MINUTES:
        raise Malformed(refusals.OUT_OF_RANGE.with_values(n=minutes, least=0, most=MAX_MINUTES), "minutes")
    return minutes
