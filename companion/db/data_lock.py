"""Who uses the data folder: all who serve from it at once, or the one who puts a backup back."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings


class DataFolderInUse(Exception):
    """Somebody else uses the data folder in a way that does not go with this one; the text is a sentence."""


def acquire_shared_lock() -> int:
    """Until this process and all copies of it have ended (or the descriptor is closed) no backup is put back here.

    Raises InUse while that is being done.
    """
    return _locked(is_shared=True, otherwise="A backup is just being put back here. Start again when that is done.")


@contextmanager
def shared_lock() -> Iterator[None]:
    """The same for as long as it takes. Raises InUse."""
    descriptor = acquire_shared_lock()
    try:
        yield
    finally:
        os.close(descriptor)


@contextmanager
def exclusive_lock() -> Iterator[None]:
    """Nobody serves from the data folder meanwhile, as far as this machine can tell. Raises InUse."""
    descriptor = _locked(
        is_shared=False, otherwise="The companion is running. Stop it first: what is entered meanwhile would be lost."
    )
    try:
        yield
    finally:
        os.close(descriptor)


def _locked(*, is_shared: bool, otherwise: str) -> int:
    """A descriptor that holds the lock: the system lets go of it however the process ends."""
    descriptor = os.open(Path(settings.DATA) / "in-use.lock", os.O_RDWR | os.O_CREAT, 0o600)
    if sys.platform != "win32":  # there nobody can be told
        import fcntl

        try:
            fcntl.flock(descriptor, (fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except OSError as error:
            os.close(descriptor)
            raise DataFolderInUse(otherwise) from error
    return descriptor
