"""Reading what has been played, page by page. Nothing is stored here: a table's row says how it stands."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Prefetch, QuerySet

from companion.core.fields import Malformed
from companion.core.game import Game, Options
from companion.core.notation import options_of
from companion.core.text import Text
from companion.games import games
from companion.people.models import Circle, Device, Player
from companion.tables.models import Seat, Table

LINES_A_PAGE = 20
VISITS_SHOWN = 3


@dataclass(frozen=True)
class Filters:
    """What a list is narrowed to; `before` is the key of the last table on the page before."""

    game: str = ""
    player: Player | None = None
    before: int | None = None
    is_bin: bool = False


@dataclass(frozen=True)
class Result:
    """A side of a table in the list: who, with which total, and in which place (0 where nobody is ranked)."""

    names: tuple[str, ...]
    total: int | None
    rank: int


@dataclass(frozen=True)
class PastSitting:
    """A table as the list shows it."""

    table: Table
    game: Game | None
    called: Text | None
    results: tuple[Result, ...]

    @property
    def is_finished(self) -> bool:
        return self.table.is_over or self.table.is_closed


def page_of(circle: Circle | None, filters: Filters) -> list[PastSitting]:
    """The newest tables before a key, one more than a page holds: found by index, however many there are."""
    rows = Table.objects.of(circle).filter(binned_at__isnull=not filters.is_bin)
    if filters.game:
        rows = rows.filter(game=filters.game)
    if filters.player is not None:
        rows = rows.filter(seats__player=filters.player)
    if filters.before is not None:
        rows = rows.filter(pk__lt=filters.before)
    return _pasts(rows[: LINES_A_PAGE + 1])


def visited(device: Device) -> list[PastSitting]:
    """The tables at which a device is a guest, the newest first, while they last."""
    rows = Table.objects.visited_by(device).in_sight().filter(is_over=False, is_closed=False)
    return _pasts(rows[:VISITS_SHOWN])


def _pasts(rows: QuerySet[Table]) -> list[PastSitting]:
    seats = Prefetch("seats", queryset=Seat.objects.select_related("player"))
    return [_past(table) for table in rows.prefetch_related(seats)]


def _past(table: Table) -> PastSitting:
    names = tuple(seat.player.name if seat.player else "…" for seat in table.seats.all())
    game = games().get(table.game)
    totals, ranks = table.result.get("totals", []), table.result.get("ranks", [])
    options = _options(table, game, len(names)) if game else None
    sides = game.sides(options, len(names)) if game and options else ()
    called = game.name_of(options) if game and options else None
    if not table.result.get("rounds") or len(sides) != len(totals):
        return PastSitting(table, game, called, (Result(names, None, 0),))
    found = [
        Result(tuple(names[seat] for seat in side), totals[index], ranks[index] if ranks else 0)
        for index, side in enumerate(sides)
    ]
    return PastSitting(table, game, called, tuple(sorted(found, key=lambda result: result.rank)))


def _options(table: Table, game: Game, seats: int) -> Options | None:
    """The options of a table; None where another version of the game had them."""
    try:
        return options_of(game, seats, table.options)
    except Malformed:
        return None
