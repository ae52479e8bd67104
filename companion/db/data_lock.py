"""Data folder lock: shared by everything that uses the data, exclusive while a backup is restored."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.core.management.base import CommandError


class DataFolderInUse(CommandError):
    """The data folder is locked by another process."""


def acquire_shared_lock() -> int:
    """Prevent restores until this process and its forks have ended; return the descriptor that holds the lock.

    Raises DataFolderInUse while a backup is being restored.
    """
    return _lock(is_shared=True, refusal="A backup is being restored here. Start again when that is done.")


@contextmanager
def shared_lock() -> Iterator[None]:
    """Prevent restores inside the block. Raises DataFolderInUse."""
    with os.fdopen(acquire_shared_lock()):
        yield


@contextmanager
def exclusive_lock() -> Iterator[None]:
    """Prevent anything on this machine from serving the data folder inside the block. Raises DataFolderInUse."""
    descriptor = _lock(
        is_shared=False, refusal="The companion is running. Stop it first: entries made meanwhile would be lost."
    )
    with os.fdopen(descriptor):
        yield


def _lock(*, is_shared: bool, refusal: str) -> int:
    """Return a descriptor that holds the lock; the system releases it however the process ends."""
    descriptor = os.open(Path(settings.DATA) / "in-use.lock", os.O_RDWR | os.O_CREAT, 0o600)
    if sys.platform != "win32":  # Windows has no flock
        import fcntl

        try:
            fcntl.flock(descriptor, (fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except OSError as error:
            os.close(descriptor)
            raise DataFolderInUse(refusal) from error
    return descriptor
