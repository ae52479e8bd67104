"""Permanent deletion of binned tables and of expired rows."""

import logging
import time
from collections.abc import Mapping
from datetime import timedelta

from django.db import OperationalError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from companion.db.data_lock import shared_lock
from companion.history.models import MAX_UPLOAD_AGE, ApiKey, ShortLink, Upload
from companion.history.players.erase import truncate_wal
from companion.history.statistics import aggregation
from companion.people import rate_limits
from companion.people.auth import COOKIE_AGE
from companion.people.models import AttemptCounter, Device, Invitation
from companion.people.services import lock_circle
from companion.tables.models import Door, Table
from companion.tables.services.details import delete_if_unused

log = logging.getLogger(__name__)


def expired_rows() -> Mapping[str, QuerySet[Invitation | AttemptCounter | Upload | ShortLink]]:
    """Return the expired rows other than tables and devices, by their name in the command's output."""
    now = timezone.now()
    return {
        "invitations": Invitation.objects.filter(expires_at__lte=now),
        "wrong tries": AttemptCounter.objects.filter(began_at__lt=int(time.time()) - rate_limits.COUNTER_LIFETIME),
        "files": Upload.objects.filter(made_at__lt=now - MAX_UPLOAD_AGE),
        "short links": ShortLink.objects.filter(expires_at__lte=now),
    }


def abandoned_devices() -> QuerySet[Device]:
    """Return the devices whose cookie has expired and whose API keys have not been made or used since."""
    cutoff = timezone.now() - timedelta(seconds=COOKIE_AGE)
    keys = ApiKey.objects.filter(Q(used_at__gte=cutoff) | Q(made_at__gte=cutoff), device=OuterRef("pk"))
    return Device.objects.filter(~Exists(keys), used_at__lt=cutoff)


def count_expired() -> dict[str, int]:
    """Return how many rows of each kind `purge` would delete now."""
    querysets = {"tables": Table.objects.expired(), **expired_rows(), "devices": abandoned_devices()}
    return {name: rows.count() for name, rows in querysets.items()}


def purge() -> dict[str, int]:
    """Delete everything that has expired, each table in its own transaction. Return the number of rows of each kind.

    Raises DataFolderInUse.
    """
    with shared_lock():
        counts = {"tables": sum(_delete_table(table) for table in list(Table.objects.expired()))}
        for name, rows in expired_rows().items():
            counts[name] = rows.delete()[0]
        Door.objects.filter(code__isnull=False, closes_at__lte=timezone.now()).update(code=None)
        abandoned = list(abandoned_devices().values_list("pk", flat=True))
        Device.objects.filter(pk__in=abandoned).delete()
        counts["devices"] = len(abandoned)
        if any(counts.values()):
            truncate_wal()
    return counts


def purge_at_start() -> None:
    """Purge when the server starts, for installations without a nightly job. Logs database errors."""
    try:
        purge()
    except OperationalError as error:
        log.warning("Could not purge expired data: %s", error)


def _delete_table(table: Table) -> int:
    """Delete a table and everything that belongs to it, unless it has just been taken out of the bin."""
    if table.has_stale_stats:
        aggregation.update_table(table)  # takes it out of the ratings
    with transaction.atomic():
        lock_circle(table.circle_id)
        locked = Table.objects.expired().select_for_update().filter(pk=table.pk).first()
        if locked is None:
            return 0
        locked.delete()
        if locked.place is not None:
            delete_if_unused(locked.place)
    return 1
