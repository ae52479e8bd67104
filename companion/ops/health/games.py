"""Whether every game can be loaded, and has what its pages look for; for the doctor and for Django's system check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Warning
from django.template import TemplateSyntaxError
from django.template.loader import get_template

from companion.games import get_broken_games, get_games
from companion.ops.health.findings import Finding, Severity
from companion.web.static_files import is_static_file


def check_games() -> Iterator[Finding]:
    """Return what is wrong with each game, by file; one sentence where nothing is."""
    found = [*_left_out(), *_served_without(), *_badly_drawn()]
    yield from found or [Finding.ok("games", f"All {len(get_games())} games can be loaded.")]


def _left_out() -> Iterator[Finding]:
    for broken in get_broken_games().values():
        yield Finding.error("games", f"A game is left out. {broken}")


def _served_without() -> Iterator[Finding]:
    """Yield what is missing and not needed: such a game looks like the app itself."""
    for slug in get_games():
        for what, file in (("stylesheet", f"games/{slug}/style.css"), ("drawing", f"games/{slug}/drawing.svg")):
            if not is_static_file(file):
                yield Finding.warning("games", f"{slug}: {file}: The {what} is missing; the game is served without it.")


def _badly_drawn() -> Iterator[Finding]:
    for slug in get_games():
        for path in sorted(Path(settings.GAMES, slug.replace("-", "_"), "templates").glob("*.html")):
            try:
                get_template(f"games/{slug}/{path.name}")
            except TemplateSyntaxError as error:
                yield Finding.error("games", f"{slug}: templates/{path.name}: {error}")


def games_system_check(app_configs: Sequence[AppConfig] | None, **more: Any) -> list[CheckMessage]:
    """Tell Django what is wrong; as warnings, for the server starts all the same."""
    return [Warning(found.text, id="companion.W001") for found in check_games() if found.severity != Severity.OK]
