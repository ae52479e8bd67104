"""Guest access: doors with their codes and links, guests and the rate of their entries, seats taken by devices."""

import re
from base64 import urlsafe_b64encode
from datetime import timedelta
from itertools import islice, takewhile

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac

from companion import limits
from companion.core import refusals
from companion.core.errors import Malformed
from companion.core.text import _
from companion.people.join_codes import CODE_LENGTH, generate_code
from companion.people.models import Circle, Device
from companion.people.rate_limits import RateLimitExceeded, build_limit_error
from companion.people.services import lock_circle, lock_circle_for_member, remove_device
from companion.tables.auth import CIRCLE, SCORER, VIEWER, check_and_lock_role
from companion.tables.log_cache import CachedLog, get_cached_log
from companion.tables.models import Attendance, Door, Table
from companion.tables.services.tables import FORM_KEY_LIFETIME
from companion.tables.visibility import find_concealed_entries
from companion.web.logging import Event, log_security_event

DOOR_LIFETIME = timedelta(minutes=15)
LINK_SECRET_PATTERN = re.compile(rf"([0-9A-Z]{{{CODE_LENGTH}}})([A-Za-z0-9_-]{{27}})", re.ASCII)
"""Code and key, as in the fragment of a link to an open door; the key has 160 bits, so it needs no rate limit."""


class InvalidCode(Exception):
    """The code is unknown or expired, the door closed or the table full; which one is not disclosed."""


def open_door(table: Table, *, role: Attendance.Role, by: Device | None) -> Door:
    """Open the door with a new code that admits guests in that role. Raises Http404."""
    values = {"role": role, "closes_at": timezone.now() + DOOR_LIFETIME}
    for _attempt in range(20):
        try:
            with lock_circle_for_member(table.circle_id, by):
                Door.objects.filter(closes_at__lte=timezone.now()).update(code=None)
                return Door.objects.update_or_create(table=table, defaults={**values, "code": generate_code()})[0]
        except IntegrityError:  # the code is in use: one chance in many millions
            continue
    raise RuntimeError("no code is free")


def close_door(table: Table, *, by: Device | None) -> None:
    """Close the door and void its code. Raises Http404."""
    with lock_circle_for_member(table.circle_id, by):
        _void_codes(Door.objects.filter(table=table))


def _void_codes(doors: QuerySet[Door]) -> None:
    doors.update(code=None, closes_at=timezone.now())


def get_open_door(table: Table) -> Door | None:
    """Return the table's door if it is open, else None."""
    return Door.objects.filter(table=table, code__isnull=False, closes_at__gt=timezone.now()).first()


def get_door_by_code(code: str) -> Door:
    """Return the open door with that code, if its table has room. Raises InvalidCode.

    Call it in a transaction: it locks the circle, so that concurrent guests cannot exceed the limit, nor the door be
    closed. The same queries run whatever the code, so that response times reveal nothing.
    """
    doors = Door.objects.select_related("table").filter(code=code or "-", closes_at__gt=timezone.now())
    unlocked_door = doors.first()
    door_id = unlocked_door.pk if unlocked_door else 0
    lock_circle(unlocked_door.table.circle_id if unlocked_door else 0)
    door = doors.filter(pk=door_id, table__binned_at=None).first()
    roles = list(Attendance.objects.filter(table=door_id).values_list("role", flat=True))
    if door is None:
        raise InvalidCode
    is_full = len(roles) >= limits.MAX_GUESTS
    if is_full or (door.role == SCORER and roles.count(SCORER) >= limits.MAX_SCORERS):
        log_security_event(Event.LIMIT_REACHED, limit="MAX_GUESTS" if is_full else "MAX_SCORERS")
        raise InvalidCode
    return door


def build_link_secret(door: Door) -> str:
    """Return the fragment of a link to the door; it is void as soon as the code is."""
    return f"{door.code}{_derive_key(door)}"


def resolve_link_secret(secret: str) -> str:
    """Return the code of the open door to which a link leads. Raises InvalidCode, also if the key is wrong."""
    match = LINK_SECRET_PATTERN.fullmatch(secret)
    code, key = match.groups() if match else ("-", "")
    door = Door.objects.filter(code=code, closes_at__gt=timezone.now()).first()
    is_right = constant_time_compare(key, _derive_key(door or Door()))
    if door is None or not is_right:
        raise InvalidCode
    return str(code)


def _derive_key(door: Door) -> str:
    """Return a key derived from the door, its code and its closing time, so that nothing is stored."""
    value = f"{door.pk} {door.code} {door.closes_at and door.closes_at.isoformat()}"
    digest = salted_hmac("companion.tables.services.join_links", value).digest()
    return urlsafe_b64encode(digest[:20]).decode().rstrip("=")


def admit_guest(door: Door, device: Device) -> None:
    """Make the device a guest, unless it is a member of the circle. A scorer stays a scorer."""
    if device.memberships.filter(circle=door.table.circle_id).exists():
        return
    guest, is_new = Attendance.objects.get_or_create(table=door.table, device=device, defaults={"role": door.role})
    if not is_new and guest.role != SCORER:  # a viewer, or a former member who took a seat
        _assign_role(Attendance.objects.filter(pk=guest.pk), Attendance.Role(door.role))


def set_guest_role(table: Table, device: int, role: Attendance.Role, *, by: Device | None) -> None:
    """Set a guest's role; a viewer loses their seat.

    An open door for scorers is closed when a guest becomes a viewer: its code would make them a scorer again. Raises
    Malformed if there are too many scorers, and Http404.
    """
    with lock_circle_for_member(table.circle_id, by):
        others = Attendance.objects.filter(table=table, role=SCORER).exclude(device=device)
        if role == SCORER and others.count() >= limits.MAX_SCORERS:
            text = _("{n} guests can keep score here, and no more: others can watch.", n=limits.MAX_SCORERS)
            raise build_limit_error("MAX_SCORERS", text, "role")
        if _assign_role(_filter_guests(table).filter(device=device), role) and role == VIEWER:
            _void_codes(Door.objects.filter(table=table, role=SCORER))


def _assign_role(guests: QuerySet[Attendance], role: Attendance.Role) -> int:
    return guests.update(role=role, **({"seat": None} if role == VIEWER else {}))


def remove_guest(table: Table, device: int, *, by: Device | None) -> None:
    """Remove a guest from the table, and void the code that admitted them. Raises Http404."""
    with lock_circle_for_member(table.circle_id, by):
        removed, _models = _filter_guests(table).filter(device=device).delete()
        if removed:
            _void_codes(Door.objects.filter(table=table))
    if removed:
        log_security_event(Event.DEVICE_REMOVED, of="table")


def remove_member(device: Device, *, circle: Circle, by: Device | None) -> None:
    """Remove a device from the circle, and close every way back in that it may know.

    These are invitations, door codes, seats, and the keys of forms that have just opened a table. Raises Malformed for
    the last device of the circle, and Http404.
    """
    with transaction.atomic():
        remove_device(device, circle=circle, by=by)
        Attendance.objects.filter(table__circle=circle, device=device).delete()
        _void_codes(Door.objects.filter(table__circle=circle, code__isnull=False))
        Table.objects.filter(circle=circle, opened_at__gt=timezone.now() - FORM_KEY_LIFETIME).update(form_key=None)


def leave_table(table: Table, device: int) -> None:
    """Remove a guest at their own request."""
    _filter_guests(table).filter(device=device).delete()


def _filter_guests(table: Table) -> QuerySet[Attendance]:
    return Attendance.objects.filter(table=table, role__in=(SCORER, VIEWER))


def check_entry_rate(cached_log: CachedLog, device: Device, count: int) -> None:
    """Check that a guest's device may make `count` more entries now. Raises RateLimitExceeded.

    The rate is computed from the log, so that it costs no extra write.
    """
    rate = limits.GUEST_ENTRY_RATE
    period_start = timezone.now() - timedelta(seconds=rate.seconds)
    newest_first = (cached_log.entry_meta[number] for number in range(cached_log.version, 0, -1))
    recent = takewhile(lambda meta: meta.at > period_start, newest_first)
    times = [meta.at for meta in islice((meta for meta in recent if meta.device == device.pk), rate.limit + 1)]
    if times and len(times) + count > rate.limit:
        log_security_event(Event.LIMIT_REACHED, limit="GUEST_ENTRY_RATE")
        raise RateLimitExceeded(max(1, round((times[-1] - period_start).total_seconds())))


def take_seat(table: Table, seat: int | None, *, by: Device) -> None:
    """Assign the seat to the device; None gives it up. Raises Http404 and ViewOnly."""
    with transaction.atomic():
        lock_circle(table.circle_id)
        role = check_and_lock_role(table, by, at_least=SCORER)
        Attendance.objects.update_or_create(table=table, device=by, defaults={"seat": seat, "role": role})


def list_attendances(table: Table) -> tuple[list[Attendance], list[Attendance]]:
    """Return the guests, and the circle's devices that have taken a seat, in order of arrival."""
    rows = Attendance.objects.filter(table=table).select_related("device")
    members = set(rows.filter(device__memberships__circle=table.circle_id).values_list("pk", flat=True))
    guests = [row for row in rows if row.pk not in members and row.role != CIRCLE]
    return guests, [row for row in rows if row.pk in members and row.seat is not None]


def get_taken_seats(table: Table) -> frozenset[int]:
    """Return the seats taken by devices of guests or members."""
    is_present = Q(role=SCORER) | Q(device__memberships__circle=table.circle_id)
    seats = Attendance.objects.filter(is_present, table=table).values_list("seat", flat=True)
    return frozenset(seat for seat in seats if seat is not None)


def set_hides_counts(table: Table, *, hides_counts: bool, by: Device | None) -> None:
    """Set whether counts are hidden until a round is complete.

    Raises Malformed if that would reveal counts that are hidden now, and Http404.
    """
    with lock_circle_for_member(table.circle_id, by):
        locked_table = Table.objects.select_for_update().get(pk=table.pk)
        if (
            locked_table.hides_counts
            and not hides_counts
            and find_concealed_entries(get_cached_log(locked_table, locked_table.seats.count()).log)
        ):
            raise Malformed(refusals.SOMEBODY_COUNTED, "hides")
        Table.objects.filter(pk=table.pk).update(hides_counts=hides_counts)
