"""Who is at a table beside its circle: the door and its code, guests, and the seats that devices take."""

from __future__ import annotations

from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from companion import bounds
from companion.core.malformed import Malformed
from companion.core.text import _
from companion.journal import Event, tell
from companion.people.codes import new_code
from companion.people.limits import too_many
from companion.people.models import Device
from companion.people.services import lock_circle
from companion.tables.models import Attendance, Door, Table
from companion.tables.sittings import CIRCLE, SCORER, VIEWER, Sitting

OPEN_FOR = timedelta(minutes=15)


class NoSuchDoor(Exception):
    """The code is unknown, expired, or of a closed door or a full table: nobody is told which."""


def open_door(table: Table, *, role: Attendance.Role) -> Door:
    """Opens the door for guests of that role, with a new code, which no open door has."""
    Door.objects.filter(closes_at__lte=timezone.now()).update(code=None)
    values = {"role": role, "closes_at": timezone.now() + OPEN_FOR}
    for _again in range(20):
        try:
            with transaction.atomic():
                return Door.objects.update_or_create(table=table, defaults={**values, "code": new_code()})[0]
        except IntegrityError:  # one in many millions
            continue
    raise RuntimeError("no code is free")


def close_door(table: Table) -> None:
    Door.objects.filter(table=table).update(code=None, closes_at=timezone.now())


def door_of(table: Table) -> Door | None:
    """The door, if it is open."""
    return Door.objects.filter(table=table, code__isnull=False, closes_at__gt=timezone.now()).first()


def door_with(code: str) -> Door:
    """The open door with that code, of a table that has room. Raises NoSuchDoor, always after the same questions.

    To be called in a transaction: until its end nobody else comes in, so that of those who come at once none is one too
    many.
    """
    doors = Door.objects.select_related("table").filter(code=code or "-", closes_at__gt=timezone.now())
    door = doors.filter(table__binned_at=None).first()
    lock_circle(door.table.circle_id if door else 0)
    roles = list(Attendance.objects.filter(table=door.table_id if door else 0).values_list("role", flat=True))
    if door is None:
        raise NoSuchDoor
    is_full = len(roles) >= bounds.MOST_GUESTS
    if is_full or (door.role == SCORER and roles.count(SCORER) >= bounds.MOST_SCORERS):
        tell(Event.LIMIT_REACHED, limit="MOST_GUESTS" if is_full else "MOST_SCORERS")
        raise NoSuchDoor
    return door


def let_in(door: Door, device: Device) -> None:
    """Makes the device a guest; whoever belongs to the circle is none, and nobody loses what they may do already."""
    if device.memberships.filter(circle=door.table.circle_id).exists():
        return
    guest, is_new = Attendance.objects.get_or_create(table=door.table, device=device, defaults={"role": door.role})
    if not is_new and guest.role != SCORER:  # a viewer, or one who took a seat while still in the circle
        _give(Attendance.objects.filter(pk=guest.pk), Attendance.Role(door.role))


def set_role(table: Table, device: int, role: Attendance.Role) -> None:
    """What a guest may do from now on; a viewer has no seat. Raises Malformed for one scorer too many."""
    with transaction.atomic():
        lock_circle(table.circle_id)
        others = Attendance.objects.filter(table=table, role=SCORER).exclude(device=device)
        if role == SCORER and others.count() >= bounds.MOST_SCORERS:
            raise _too_many_scorers()
        _give(_guests(table).filter(device=device), role)


def _give(guests: QuerySet[Attendance], role: Attendance.Role) -> None:
    guests.update(role=role, **({"seat": None} if role == VIEWER else {}))


def _too_many_scorers() -> Malformed:
    text = _("{n} guests may enter something here, and no more: others can look on.", n=bounds.MOST_SCORERS)
    return too_many("MOST_SCORERS", text, "role")


def turn_out(table: Table, device: int) -> None:
    """A guest is none any more, and the code that let them in is void."""
    if leave(table, device):
        close_door(table)
        tell(Event.TURNED_OUT, of="table")


def leave(table: Table, device: int) -> int:
    """A guest goes by themselves; the number of those who did."""
    return _guests(table).filter(device=device).delete()[0]


def _guests(table: Table) -> QuerySet[Attendance]:
    return Attendance.objects.filter(table=table, role__in=(SCORER, VIEWER))


def take_seat(sitting: Sitting, seat: int | None) -> None:
    """The device is the phone of whoever sits there; of nobody, where `seat` is None."""
    defaults = {"seat": seat, "role": sitting.role}
    Attendance.objects.update_or_create(table=sitting.table, device=sitting.device, defaults=defaults)


def attendances(table: Table) -> tuple[list[Attendance], list[Attendance]]:
    """The guests, and the devices of the circle that have taken a seat, in the order of their coming."""
    found = Attendance.objects.filter(table=table).select_related("device")
    members = set(found.filter(device__memberships__circle=table.circle_id).values_list("pk", flat=True))
    guests = [own for own in found if own.pk not in members and own.role != CIRCLE]
    return guests, [own for own in found if own.pk in members and own.seat is not None]


def set_secrecy(table: Table, *, hides_counts: bool) -> None:
    Table.objects.filter(pk=table.pk).update(hides_counts=hides_counts)
