"""What is deleted for good because its time is over: tables in the bin, and whatever serves nobody any more."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from datetime import timedelta

from django.db import OperationalError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from companion.db.data_lock import shared_lock
from companion.history import uploads
from companion.history.models import ApiKey, ShortLink, Upload
from companion.history.players.erase import truncate_wal
from companion.history.statistics import aggregation
from companion.people import rate_limits
from companion.people.auth import COOKIE_AGE
from companion.people.models import AttemptCounter, Device, Invitation
from companion.people.services import lock_circle
from companion.tables.models import Door, Table
from companion.tables.services.details import delete_if_unused
from companion.tables.services.entries import BIN_RETENTION

log = logging.getLogger(__name__)


def expired_tables() -> QuerySet[Table]:
    """Tables that have been in the bin for long enough."""
    return Table.objects.filter(binned_at__lte=timezone.now() - BIN_RETENTION)


def expired_rows() -> Mapping[
    str, QuerySet[Invitation] | QuerySet[AttemptCounter] | QuerySet[Upload] | QuerySet[ShortLink]
]:
    """What nobody can use any more, by what it is called."""
    now = timezone.now()
    return {
        "invitations": Invitation.objects.filter(expires_at__lte=now),
        "wrong tries": AttemptCounter.objects.filter(began_at__lt=int(time.time()) - rate_limits.COUNTER_LIFETIME),
        "files": Upload.objects.filter(made_at__lt=now - uploads.MAX_AGE),
        "short links": ShortLink.objects.filter(expires_at__lte=now),
    }


def abandoned_devices() -> QuerySet[Device]:
    """Those whose cookie no browser keeps any more, and whose keys no program has used since."""
    before = timezone.now() - timedelta(seconds=COOKIE_AGE)
    keys = ApiKey.objects.filter(Q(used_at__gte=before) | Q(made_at__gte=before), device=OuterRef("pk"))
    return Device.objects.filter(~Exists(keys), used_at__lt=before)


def count_expired() -> dict[str, int]:
    """How much of everything would be deleted now."""
    rows = {"tables": expired_tables(), **expired_rows(), "devices": abandoned_devices()}
    return {name: found.count() for name, found in rows.items()}


def purge() -> dict[str, int]:
    """Deletes it all, each table in a transaction of its own; how much it was. Raises InUse."""
    with shared_lock():
        counts = {"tables": sum(_delete_table(table) for table in list(expired_tables()))}
        for name, rows in expired_rows().items():
            counts[name] = rows.delete()[0]
        Door.objects.filter(code__isnull=False, closes_at__lte=timezone.now()).update(code=None)
        lost = list(abandoned_devices().values_list("pk", flat=True))
        Device.objects.filter(pk__in=lost).delete()
        counts["devices"] = len(lost)
        if any(counts.values()):
            truncate_wal()
    return counts


def purge_at_start() -> None:
    """The same when the companion starts, for whom nobody calls it at night; it is not worth not to start."""
    try:
        purge()
    except OperationalError as error:
        log.warning("What has been in the bin for long could not be deleted: %s", error)


def _delete_table(table: Table) -> int:
    """A table with all that belongs to it, unless somebody has just taken it out of the bin."""
    if table.has_stale_stats:
        aggregation.update_table(table)  # so that ratings do not keep what it was counted with
    with transaction.atomic():
        lock_circle(table.circle_id)
        still = expired_tables().select_for_update().filter(pk=table.pk).first()
        if still is None:
            return 0
        still.delete()
        if still.place is not None:
            delete_if_unused(still.place)
    return 1
