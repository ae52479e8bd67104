"""Compilation of message catalogues (.po to .mo) without the gettext tools."""

import os
from collections.abc import Iterable
from pathlib import Path

import polib


def compile_messages(folders: Iterable[Path]) -> None:
    """Compile stale catalogues."""
    for po in list_stale_catalogues(folders):
        # Renamed into place, so that a server that starts meanwhile never reads half a catalogue.
        draft = po.with_suffix(f".{os.getpid()}.tmp")
        draft.write_bytes(polib.pofile(str(po), encoding="utf-8").to_binary())
        draft.replace(po.with_suffix(".mo"))


def list_stale_catalogues(folders: Iterable[Path]) -> list[Path]:
    """Return catalogues that have changed since they were compiled, or never were."""
    return [po for folder in folders for po in sorted(folder.rglob("*.po")) if _is_stale(po)]


def _is_stale(po: Path) -> bool:
    mo = po.with_suffix(".mo")
    return not mo.exists() or mo.stat().st_mtime < po.stat().st_mtime
