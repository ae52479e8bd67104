"""Who closed a table or put it into the bin, as its pages say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from companion.core.log import CLOSE
from companion.people.models import Device
from companion.tables.auth import TableAccess

UNDO_OFFERED_FOR = timedelta(seconds=10)
"""As long as the stylesheet shows the button (`.fleeting`)."""


@dataclass(frozen=True)
class Ending:
    """One who ended something: the label of their phone, empty where it is not known (any more)."""

    who: str
    is_own: bool
    at: datetime
    can_undo: bool
    """Whether this phone has only just done it."""


def get_closing(access: TableAccess, devices: Mapping[int, str]) -> Ending | None:
    """Return who closed the table, if it is closed; `devices` are the labels of those that wrote its log."""
    known = access.cached_log
    number = next((entry.number for entry in reversed(known.log.entries) if entry.kind == CLOSE), None)
    if number is None or not known.log.is_closed:
        return None
    receipt = known.entry_meta[number]
    return _build_ending(access, receipt.device, devices.get(receipt.device or 0, ""), receipt.at)


def get_binning(access: TableAccess) -> Ending | None:
    """Return who put the table into the bin, if it lies there."""
    table = access.table
    if table.binned_at is None:
        return None
    label = Device.objects.filter(pk=table.binned_by_id or 0).values_list("label", flat=True).first()
    return _build_ending(access, table.binned_by_id, label or "", table.binned_at)


def _build_ending(access: TableAccess, device: int | None, label: str, at: datetime) -> Ending:
    is_own = device is not None and device == access.device.pk
    is_fresh = timezone.now() - at < UNDO_OFFERED_FOR
    return Ending(label, is_own, at, can_undo=is_own and is_fresh and access.is_member)
