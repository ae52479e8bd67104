"""Files between being sent and being matched: at most a few a circle, and none for longer than a day."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from companion import limits
from companion.history.models import LONGEST_FILE_NAME, Upload
from companion.people.models import Circle, Device
from companion.people.services import authorize_member

MAX_AGE = timedelta(days=1)


def save_upload(circle: Circle, device: Device, *, name: str, content: bytes) -> Upload:
    """Keep a file that has been read and packed, and delete those that nobody has come back to. Raises Http404 where
    the device does not belong to the circle (any more)."""
    with transaction.atomic():
        authorize_member(circle.pk, device)
        Upload.objects.filter(made_at__lt=timezone.now() - MAX_AGE).delete()
        upload = Upload.objects.create(circle=circle, device=device, name=name[-LONGEST_FILE_NAME:], content=content)
        _keep_newest(Upload.objects.filter(circle=circle), limits.MAX_PENDING_IMPORTS)
        _keep_newest(Upload.objects.all(), limits.MAX_PENDING_IMPORTS_TOTAL)
    return upload


def _keep_newest(uploads: QuerySet[Upload], most: int) -> None:
    older = uploads.order_by("-made_at", "-pk").values_list("pk", flat=True)[most:]
    Upload.objects.filter(pk__in=list(older)).delete()
