"""Who closed or binned a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from companion.core.entry import EntryKind
from companion.people.models import Device
from companion.tables.auth import TableAccess

UNDO_OFFERED_FOR = timedelta(seconds=10)
"""How long the stylesheet shows the undo button (`.fleeting`)."""


@dataclass(frozen=True)
class Ending:
    """The closing or binning of a table; `device_label` is empty if the device is unknown or gone."""

    device_label: str
    is_own: bool
    at: datetime
    can_undo: bool
    """Whether this device did it a moment ago."""


def get_closing(access: TableAccess, devices: Mapping[int, str]) -> Ending | None:
    """Return the closing of the table, if it is closed; `devices` are the labels of the devices in its log."""
    cached_log = access.cached_log
    number = next((entry.number for entry in reversed(cached_log.log.entries) if entry.kind == EntryKind.CLOSE), None)
    if number is None or not cached_log.log.is_closed:
        return None
    meta = cached_log.entry_meta[number]
    return _build_ending(access, meta.device, devices.get(meta.device or 0, ""), meta.at)


def get_binning(access: TableAccess) -> Ending | None:
    """Return the binning of the table, if it is in the bin."""
    table = access.table
    if table.binned_at is None:
        return None
    label = Device.objects.filter(pk=table.binned_by_id or 0).values_list("label", flat=True).first()
    return _build_ending(access, table.binned_by_id, label or "", table.binned_at)


def _build_ending(access: TableAccess, device: int | None, label: str, at: datetime) -> Ending:
    is_own = device is not None and device == access.device.pk
    is_fresh = timezone.now() - at < UNDO_OFFERED_FOR
    return Ending(label, is_own, at, can_undo=is_own and is_fresh and access.is_member)
