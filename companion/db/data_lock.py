"""Data folder lock: shared by everything that uses the data, exclusive while a backup is restored."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from django.conf import settings
from django.core.management.base import CommandError


class DataFolderInUse(CommandError):
    """The data folder is locked by another process."""


@contextmanager
def _hold_lock(*, is_shared: bool, refusal: str) -> Iterator[None]:
    """Hold the lock inside the block; the system releases it however the process and its forks end."""
    with open(Path(settings.DATA) / "in-use.lock", "a", opener=partial(os.open, mode=0o600)) as file:
        if sys.platform != "win32":  # Windows has no flock
            import fcntl

            try:
                fcntl.flock(file, (fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
            except OSError as error:
                raise DataFolderInUse(refusal) from error
        yield


shared_lock = partial(
    _hold_lock, is_shared=True, refusal="A backup is being restored here. Start again when that is done."
)
"""Prevent restores inside the block. Raises DataFolderInUse."""
exclusive_lock = partial(
    _hold_lock,
    is_shared=False,
    refusal="The companion is running. Stop it first: entries made meanwhile would be lost.",
)
"""Prevent anything on this machine from serving the data folder inside the block. Raises DataFolderInUse."""
