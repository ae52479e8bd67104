"""Compilation of message catalogues (.po to .mo) without the gettext tools."""

import gettext
import logging
import os
from collections.abc import Iterable
from pathlib import Path

import polib

logger = logging.getLogger(__name__)


def compile_messages(folders: Iterable[Path]) -> None:
    """Compile stale catalogues. Broken ones are left out: one game must not take the others down."""
    for po in list_stale_catalogues(folders):
        try:
            _compile(po)
        except (OSError, ValueError) as error:
            po.with_suffix(".mo").unlink(missing_ok=True)
            message = f"A catalogue is left out, and its texts are in English. {po}: {error}"
            logger.error(message, extra={"fields": {"message": message}})


def _compile(po: Path) -> None:
    # Renamed into place, so that a server that starts meanwhile never reads half a catalogue.
    draft = po.with_suffix(f".{os.getpid()}.tmp")
    try:
        draft.write_bytes(polib.pofile(str(po), encoding="utf-8").to_binary())
        with draft.open("rb") as file:
            gettext.GNUTranslations(file)  # as Django will read it
        draft.replace(po.with_suffix(".mo"))
    finally:
        draft.unlink(missing_ok=True)


def list_stale_catalogues(folders: Iterable[Path]) -> list[Path]:
    """Return catalogues that have changed since they were compiled, or never were."""
    return [po for folder in folders for po in sorted(folder.rglob("*.po")) if _is_stale(po)]


def _is_stale(po: Path) -> bool:
    mo = po.with_suffix(".mo")
    return not mo.exists() or mo.stat().st_mtime < po.stat().st_mtime
