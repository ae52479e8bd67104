"""From catalogues that people edit (.po) to those that gettext reads (.mo), without gettext's own tools."""

import os
from collections.abc import Iterable
from pathlib import Path

import polib


def compile_messages(folders: Iterable[Path]) -> list[Path]:
    """Compile each catalogue that is newer than what was compiled from it; returns those written."""
    return [_compiled(po) for po in list_stale_catalogues(folders)]


def list_stale_catalogues(folders: Iterable[Path]) -> list[Path]:
    """The catalogues that have changed since they were compiled, or never were."""
    return [po for folder in folders for po in sorted(folder.rglob("*.po")) if _is_stale(po)]


def _is_stale(po: Path) -> bool:
    mo = po.with_suffix(".mo")
    return not mo.exists() or mo.stat().st_mtime < po.stat().st_mtime


def _compiled(po: Path) -> Path:
    mo = po.with_suffix(".mo")
    # Renamed into place: a server that starts meanwhile reads the old catalogue or the new one, never half of one.
    half = mo.with_suffix(f".{os.getpid()}.tmp")
    half.write_bytes(polib.pofile(str(po), encoding="utf-8").to_binary())
    half.replace(mo)
    return mo


def list_untranslated(po: Path) -> list[str]:
    """The texts of a catalogue that are not translated, or only guessed."""
    catalogue = polib.pofile(str(po), encoding="utf-8")
    return [entry.msgid for entry in catalogue if not entry.obsolete and (entry.fuzzy or not entry.translated())]
