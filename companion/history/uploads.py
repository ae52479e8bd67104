"""Storage of uploaded files until they are imported."""

from datetime import timedelta

from django.db.models import QuerySet
from django.utils import timezone

from companion import limits
from companion.history.models import MAX_FILE_NAME_LENGTH, Upload
from companion.people.models import Circle, Device
from companion.people.services import lock_circle_for_member

MAX_AGE = timedelta(days=1)


def save_upload(circle: Circle, device: Device, *, name: str, content: bytes) -> Upload:
    """Store a parsed file, and delete expired uploads and the oldest ones above the limits.

    Raises Http404 if the device does not belong to the circle (any more).
    """
    with lock_circle_for_member(circle.pk, device):
        Upload.objects.filter(made_at__lt=timezone.now() - MAX_AGE).delete()
        upload = Upload.objects.create(circle=circle, device=device, name=name[-MAX_FILE_NAME_LENGTH:], content=content)
        _delete_oldest(Upload.objects.filter(circle=circle), limits.MAX_PENDING_IMPORTS)
        _delete_oldest(Upload.objects.all(), limits.MAX_PENDING_IMPORTS_TOTAL)
    return upload


def _delete_oldest(uploads: QuerySet[Upload], limit: int) -> None:
    older = uploads.order_by("-made_at", "-pk").values_list("pk", flat=True)[limit:]
    Upload.objects.filter(pk__in=list(older)).delete()
