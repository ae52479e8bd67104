"""Access to tables: roles, and the table as one device sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC
from functools import cached_property
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import connection
from django.http import Http404, HttpRequest

from companion.core import refusals
from companion.core.game import Game
from companion.core.match import Match
from companion.core.text import Text
from companion.people.auth import get_token_hash, record_use
from companion.people.models import Device
from companion.people.validators import display_name
from companion.tables.log_cache import CachedLog, get_cached_log
from companion.tables.models import Attendance, Table
from companion.tables.visibility import Visibility, compute_visibility
from companion.web.logging import record_role

_ACCESS_SQL = """
SELECT tables_table.*, people_device.id AS device_id, people_device.label AS device_label,
    people_device.token_hash AS device_token_hash, people_device.former_hash AS device_former_hash,
    people_device.used_at AS device_used_at, people_device.circle_id AS device_circle,
    people_membership.id AS membership, tables_attendance.role AS guest_role, tables_attendance.seat AS own_seat,
    people_player.name AS player_name
FROM tables_table
JOIN people_device ON people_device.token_hash = %s OR people_device.former_hash = %s
LEFT JOIN people_membership ON people_membership.device_id = people_device.id
    AND people_membership.circle_id = tables_table.circle_id
LEFT JOIN tables_attendance ON tables_attendance.device_id = people_device.id
    AND tables_attendance.table_id = tables_table.id
JOIN tables_seat ON tables_seat.table_id = tables_table.id
LEFT JOIN people_player ON people_player.id = tables_seat.player_id
WHERE tables_table.public_id = %s
    AND (people_membership.id IS NOT NULL OR tables_attendance.role IN ('scorer', 'viewer'))
ORDER BY tables_seat.number
"""
"""A table by device token hash (twice) and public id: one row per seat, none if the device may not see the table.

Every request to a table begins with it, and the ORM takes three times as long.
"""
_MEMBERSHIP_SQL = "SELECT id FROM people_membership WHERE circle_id = %s AND device_id = %s"
"""The membership of a device. Every entry asks for it, and the ORM takes five times as long."""
CIRCLE, SCORER, VIEWER = Attendance.Role.CIRCLE, Attendance.Role.SCORER, Attendance.Role.VIEWER


class NotAllowed(PermissionDenied):
    """The device may not record the entry: because of its role, or because of the entry itself."""

    def __init__(self, text: Text, *, is_due_to_role: bool = True) -> None:
        super().__init__(str(text))
        self.text = text
        self.is_due_to_role = is_due_to_role


class ViewOnly(NotAllowed):
    """The device is a viewer and may not record entries."""

    def __init__(self) -> None:
        super().__init__(refusals.VIEW_ONLY)


@dataclass(frozen=True)
class TableAccess:
    """A table as seen by one device."""

    table: Table
    device: Device
    role: Attendance.Role
    seat: int | None
    """The seat that the device has taken."""
    player_names: tuple[str | None, ...]
    """By seat; None for a player who has been erased."""
    cached_log: CachedLog

    @property
    def game(self) -> Game:
        return self.match.game

    @property
    def match(self) -> Match:
        return self.cached_log.match

    @property
    def can_enter(self) -> bool:
        return self.role != VIEWER

    @property
    def is_member(self) -> bool:
        return self.role == CIRCLE

    @cached_property
    def names(self) -> tuple[str, ...]:
        """By seat, as shown."""
        return tuple(map(display_name, self.player_names))

    @cached_property
    def visibility(self) -> Visibility:
        """What the device sees of hidden counts."""
        return compute_visibility(self.cached_log, self.device.pk) if self.table.hides_counts else Visibility()

    def get_device_label(self, number: int) -> str:
        """Return the label of the device that made an entry; empty if it is unknown."""
        return self._device_labels.get(self.cached_log.entry_meta[number].device or 0, "")

    @cached_property
    def _device_labels(self) -> Mapping[int, str]:
        """Of the devices in the log; queries only if there are others than this one."""
        device_ids = {meta.device for meta in self.cached_log.entry_meta.values() if meta.device}
        labels = {self.device.pk: self.device.label}
        if device_ids - set(labels):
            labels.update(Device.objects.filter(pk__in=device_ids).values_list("pk", "label"))
        return labels

    def with_log(self, cached_log: CachedLog) -> TableAccess:
        return replace(self, cached_log=cached_log)


def get_access_or_404(request: HttpRequest, public_id: str, at_least: Attendance.Role = VIEWER) -> TableAccess:
    """Return the table of that id as the request's device sees it, in one query.

    `at_least` is the role needed: VIEWER to see the table, SCORER to make entries, CIRCLE for everything else. Raises
    Http404 if the device has no role at all, PermissionDenied if its role is not enough, and GameUnavailable if the
    game cannot be loaded.
    """
    token_hash = get_token_hash(request)
    can_be = token_hash and public_id.isprintable()  # PostgreSQL refuses a zero byte
    rows: list[Any] = list(Table.objects.raw(_ACCESS_SQL, [token_hash, token_hash, public_id])) if can_be else []
    if not rows:
        raise Http404
    row = rows[0]
    role = CIRCLE if row.membership else Attendance.Role(row.guest_role)
    record_role(role)
    if (at_least == CIRCLE and role != CIRCLE) or (at_least == SCORER and role == VIEWER):
        raise PermissionDenied
    device = Device(
        pk=row.device_id,
        circle_id=row.device_circle,
        label=row.device_label,
        token_hash=row.device_token_hash,
        former_hash=row.device_former_hash,
        used_at=row.device_used_at.replace(tzinfo=UTC),  # which raw queries on SQLite leave out
    )
    record_use(device, token_hash)
    names = tuple(seat_row.player_name for seat_row in rows)
    seat = row.own_seat if row.own_seat in range(len(rows)) else None
    return TableAccess(row, device, role, seat, names, get_cached_log(row, len(rows)))


def check_and_lock_role(table: Table, device: Device, *, at_least: Attendance.Role) -> Attendance.Role:
    """Return the device's role at the table, and lock it until the transaction ends.

    The lock is on the row that grants the role, which revoking changes or deletes. Raises Http404 if the device has no
    role (any more), ViewOnly or PermissionDenied if it is less.
    """
    lock = " FOR NO KEY UPDATE" if connection.features.has_select_for_no_key_update else ""
    with connection.cursor() as cursor:
        cursor.execute(_MEMBERSHIP_SQL + lock, [table.circle_id, device.pk])
        if cursor.fetchone():
            return CIRCLE
    guests = Attendance.objects.filter(table=table, device=device, role__in=(SCORER, VIEWER))
    role = guests.select_for_update(no_key=True).values_list("role", flat=True).first()
    if role is None:
        raise Http404
    if at_least == CIRCLE:
        raise PermissionDenied
    if at_least == SCORER and role == VIEWER:
        raise ViewOnly
    return Attendance.Role(role)
