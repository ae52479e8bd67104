"""Short-lived links to a table, short enough for a QR code."""

import re
import secrets
from datetime import timedelta
from string import ascii_lowercase

from django.db.models import QuerySet
from django.utils import timezone

from companion.history.models import SHORT_LINK_LENGTH, ShortLink
from companion.people.models import Device
from companion.people.services import lock_circle_for_member
from companion.tables.models import Table

LIFETIME = timedelta(minutes=10)
_CODE = re.compile(f"[a-z]{{{SHORT_LINK_LENGTH}}}")


def create_short_link(table: Table, *, by: Device | None) -> str:
    """Create a code that leads to the table for ten minutes, and delete expired ones. Raises Http404."""
    now = timezone.now()
    code = "".join(secrets.choice(ascii_lowercase) for _index in range(SHORT_LINK_LENGTH))
    with lock_circle_for_member(table.circle_id, by):
        ShortLink.objects.filter(expires_at__lte=now).delete()
        return ShortLink.objects.create(code=code, table_id=table.pk, expires_at=now + LIFETIME).code


def find_tables(code: str) -> QuerySet[Table]:
    """Return the table of a code; none if it has expired."""
    if not _CODE.fullmatch(code):
        return Table.objects.none()
    links = ShortLink.objects.filter(code=code, expires_at__gt=timezone.now())
    return Table.objects.not_binned().filter(pk__in=links.values("table"))
