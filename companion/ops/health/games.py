"""Checks that every game loads and that its templates compile, for the doctor and Django's system checks."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Warning
from django.template import TemplateSyntaxError
from django.template.loader import get_template

from companion.games import get_broken_games, get_games
from companion.ops.health.findings import Finding, Severity, error, ok


def check_games() -> Iterator[Finding]:
    """Yield the problems of each game, or one finding that all is well."""
    problems = [*(f"A game is left out. {broken}" for broken in get_broken_games().values()), *_find_template_errors()]
    for problem in problems:
        yield error("games", problem)
    if not problems:
        yield ok("games", f"All {len(get_games())} games can be loaded.")


def _find_template_errors() -> Iterator[str]:
    for slug in get_games():
        for path in sorted(Path(settings.GAMES, slug.replace("-", "_"), "templates").glob("*.html")):
            try:
                get_template(f"games/{slug}/{path.name}")
            except TemplateSyntaxError as problem:
                yield f"{slug}: templates/{path.name}: {problem}"


def games_system_check(app_configs: Sequence[AppConfig] | None, **options: Any) -> list[CheckMessage]:
    """Report problems to Django as warnings, as the server starts regardless."""
    return [Warning(finding.text, id="companion.W001") for finding in check_games() if finding.severity != Severity.OK]
