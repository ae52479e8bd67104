"""Static file collection and addresses, and the id of the running release."""

import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.templatetags.static import static

CODE_SUFFIXES = frozenset({".py", ".html", ".md", ".toml", ".po"})
"""Suffixes of the files that, beside the static ones, make up a release."""
BUNDLERS = [Path(__file__).with_name(f"{name}.py") for name in ("scripts", "static_storage", "stylesheets")]
"""Modules that decide how static files are collected."""


def collect_static() -> bool:
    """Collect static files if any has changed since the last time; return whether it did."""
    # Beside STATIC_ROOT, not in it: everything in there is served.
    marker = Path(settings.DATA) / "static.fingerprint"
    fingerprint = _hash_files([*_list_static_files(), *((path.name, path) for path in BUNDLERS)])
    is_collected = Path(settings.STATIC_ROOT, "staticfiles.json").exists()
    if is_collected and marker.exists() and marker.read_text() == fingerprint:
        return False
    # Not cleared: a page open on a phone during an upgrade still finds the files of its version.
    call_command("collectstatic", interactive=False, verbosity=0)
    marker.write_text(fingerprint)
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
    """Return a hash of the code in use, the same in all processes.

    Phones compare that of the page with that of the service worker which caches pages.
    """
    return _hash_files([*_list_static_files(), *_list_code_files()])[:12]


def _list_code_files() -> Iterator[tuple[str, Path]]:
    for folder in ("companion", "templates"):
        for path in Path(settings.ROOT, folder).rglob("*"):
            if path.suffix in CODE_SUFFIXES:
                yield str(path.relative_to(settings.ROOT)), path


def _hash_files(files: Iterable[tuple[str, Path]]) -> str:
    digest = hashlib.sha256()
    for name, path in sorted(files):
        digest.update(f"{name} {path.stat().st_size} ".encode() + path.read_bytes())
    return digest.hexdigest()


def _list_static_files() -> Iterator[tuple[str, Path]]:
    for finder in finders.get_finders():
        for name, storage in finder.list([]):
            yield name, Path(storage.path(name))
