"""Result of a finished table, for sharing as text or image. Contains no URLs or keys."""

import re
import unicodedata
from dataclasses import dataclass

from django.utils.dateformat import format as formatted
from django.utils.timezone import localtime
from django.utils.translation import gettext

from companion.exchange.export_records import ExportedPlayer, TableRecord
from companion.people.validators import display_name
from companion.web.i18n import translate_plain

_ISOLATED = re.compile("\u2068([^\u2069]*)\u2069")


@dataclass(frozen=True)
class ResultRow:
    """A side: its rank (0 if nobody is ranked), players and total."""

    rank: int
    players: tuple[ExportedPlayer, ...]
    total: int

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(display_name(player.name) for player in self.players)


@dataclass(frozen=True)
class SharedResult:
    """The result of a finished table, in the language of the request."""

    game: str
    """The slug."""
    title: str
    verdict: str
    rows: tuple[ResultRow, ...]
    day: str
    place: str


def build_result(record: TableRecord) -> SharedResult | None:
    """Return the result; None if there is none."""
    if not record.is_finished:
        return None
    verdict, ranks, totals = record.match.standing.verdict, record.match.standing.ranks, record.match.standing.totals
    rows = [
        ResultRow(ranks[index] if ranks else 0, tuple(record.seats[seat] for seat in side), totals[index])
        for index, side in enumerate(record.sides)
    ]
    return SharedResult(
        game=record.game.slug,
        title=translate_plain(record.game_name, record.names),
        verdict=strip_isolates(translate_plain(verdict, record.names)) if verdict else gettext("The table is closed"),
        rows=tuple(sorted(rows, key=lambda row: row.rank)),
        day=formatted(localtime(record.table.began_at), "j E Y"),
        place=record.place,
    )


def format_result(result: SharedResult) -> str:
    """Return title, day and place, the verdict, and a line per side such as `1. Ann 24`."""
    head = ", ".join(_isolate(part) for part in (result.title, result.day, result.place) if part)
    return "\n".join([head, result.verdict, *map(_format_row, result.rows)])


def format_points(points: int) -> str:
    """Format points with a typographic minus sign."""
    return str(points).replace("-", "−")


def _format_row(row: ResultRow) -> str:
    names = ", ".join(map(_isolate, row.names))
    return f"{row.rank}. {names} {format_points(row.total)}" if row.rank else f"{names}: {format_points(row.total)}"


def strip_isolates(text: str) -> str:
    """Remove bidi isolates around left-to-right names, as some programs display them."""
    return _ISOLATED.sub(lambda match: _isolate(match[1]), text)


def _isolate(name: str) -> str:
    """Isolate a right-to-left name, which would reverse the number next to it."""
    is_from_right = any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in name)
    return f"\u2068{name}\u2069" if is_from_right else name
