"""`manage.py replay FILE...`: judge files of notation without a database."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from companion.core import refusals
from companion.core.notation import Replay, replay_notation
from companion.core.notation_lexer import NotationError
from companion.games import get_games

AGREES, DIFFERS, UNREADABLE = 0, 1, 2


class Command(BaseCommand):
    help = "Judge files of notation. Exit status: 0 as expected, 1 a verdict or score differs, 2 unreadable."
    requires_system_checks = []
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE", type=Path)
        parser.add_argument(
            "--json", action="store_true", help="print one JSON object per file, with the verdict of every line"
        )

    def handle(self, *args: Any, files: list[Path], json: bool, **options: Any) -> None:
        exit_code = max(self._replay_file(path, as_json=json) for path in files)
        if exit_code:
            raise SystemExit(exit_code)

    def _replay_file(self, path: Path, *, as_json: bool) -> int:
        try:
            result = replay_notation(_read_text(path), get_games())
        except (OSError, NotationError) as error:
            line, reason = getattr(error, "line", None), getattr(error, "strerror", None) or str(error)
            if as_json:
                self.stdout.write(json.dumps({"file": str(path), "ok": False, "line": line, "error": reason}))
            self.stderr.write(f"{path}: cannot be read: {reason}")
            return UNREADABLE
        if as_json:
            self.stdout.write(json.dumps({"file": str(path), **build_report(result)}))
        for verdict in result.problems:
            self.stderr.write(f"{path}:{verdict.line}: {_escape_controls(verdict.text)}: {verdict.problem}")
        if not as_json:
            standing = result.match.standing_after(result.rounds)
            self.stdout.write(f"{path}: {len(result.rounds)} rounds, totals {','.join(map(str, standing.totals))}")
        return DIFFERS if result.problems else AGREES


def _read_text(path: Path) -> str:
    """Return the file as text. Raises OSError, and NotationError with the first line that is not UTF-8."""
    data = path.read_bytes()
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise NotationError(line, refusals.NOT_UTF8) from None


def _escape_controls(text: str) -> str:
    """Replace control characters, which could move the cursor of a terminal."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


def build_report(result: Replay) -> dict[str, Any]:
    """Return the replay as the JSON object of `--json`."""
    match = result.match
    standing = match.standing_after(result.rounds)
    return {
        "ok": not result.problems,
        "game": match.game.slug,
        "version": match.game.about.version,
        "seats": match.seats,
        "lines": [
            {
                "line": verdict.line,
                "text": verdict.text,
                "kind": verdict.kind,
                "round": verdict.round,
                "recorded": verdict.is_recorded,
                "rules": list(verdict.rules),
                "reasons": [str(reason) for reason in verdict.reasons],
                "problem": str(verdict.problem) if verdict.problem else None,
            }
            for verdict in result.verdicts
        ],
        "sheets": [
            {
                "round": played.number,
                "lines": [{"label": str(line.label), "values": list(line.values)} for line in played.sheet.lines],
                "points": list(played.sheet.points),
                "verdict": str(played.sheet.verdict) if played.sheet.verdict else None,
            }
            for played in result.rounds
            if played.sheet is not None
        ],
        "totals": list(standing.totals),
        "ranks": list(standing.ranks),
        "over": standing.is_over,
        "verdict": str(standing.verdict) if standing.verdict else None,
    }
