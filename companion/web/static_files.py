"""Collects the static files, compressed and under names of their content, when one has changed; names the release."""

import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.templatetags.static import static

CODE_SUFFIXES = frozenset({".py", ".html", ".md", ".toml", ".po"})
"""Endings of the files, beside the static ones, that make a page what it is."""


def collect_static() -> bool:
    """Collect unless nothing has changed since the last time; returns whether it did."""
    # Beside the collected files, not among them: whatever lies there is served.
    mark = Path(settings.DATA) / "static.fingerprint"
    fingerprint = _fingerprint()
    if mark.exists() and mark.read_text() == fingerprint and Path(settings.STATIC_ROOT, "staticfiles.json").exists():
        return False
    # Not cleared: a page that is open on a phone during an upgrade still finds the files of its version.
    call_command("collectstatic", interactive=False, verbosity=0)
    mark.write_text(fingerprint)
    return True


@cache
def is_static_file(name: str) -> bool:
    return finders.find(name) is not None


def static_url(name: str) -> str:
    """Return the address of a static file; empty where there is none."""
    try:
        return static(name) if is_static_file(name) else ""
    except ValueError:  # not collected yet
        return ""


def icon_url(slug: str) -> str:
    """Return the address of a game's own drawing, or of one that fits any game."""
    return static_url(f"games/{slug}/drawing.svg") or static_url("icons/game.svg")


@cache
def get_release_id() -> str:
    """A name of the code in use: the same in all processes, and another as soon as one of its files says another thing.

    Phones compare it: pages carry it, and so does the worker that keeps them.
    """
    found = hashlib.sha256()
    for name, path in sorted([*_sources(), *_code()]):
        found.update(f"{name} {path.stat().st_size} ".encode() + path.read_bytes())
    return found.hexdigest()[:12]


def _code() -> Iterator[tuple[str, Path]]:
    for folder in ("companion", "templates"):
        for path in Path(settings.ROOT, folder).rglob("*"):
            if path.suffix in CODE_SUFFIXES:
                yield str(path.relative_to(settings.ROOT)), path


def _fingerprint() -> str:
    lines = (f"{name} {path.stat().st_size} {path.stat().st_mtime_ns}" for name, path in sorted(_sources()))
    return hashlib.sha256("\n".join([str(settings.STATIC_ROOT), *lines]).encode()).hexdigest()


def _sources() -> Iterator[tuple[str, Path]]:
    for finder in finders.get_finders():
        for name, storage in finder.list([]):
            yield name, Path(storage.path(name))
