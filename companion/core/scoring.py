"""The one scoring of a game: score sheets and standings, and how they follow from what is counted."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, Generic, Literal, TypeAlias, TypeVar

from companion.core.defaults import complete_part, derived
from companion.core.protocols import Count, Options, Tally
from companion.core.schema import content_names, field_names, get_label
from companion.core.text import Text, _, name_seats, ngettext

OptionsT = TypeVar("OptionsT", bound=Options)
CountT = TypeVar("CountT", bound=Count)
OPEN: Final = "?"
"""Score sheet value that is not known yet."""
ScoreValue: TypeAlias = int | Literal["?"] | None
"""A number on a score sheet; None if the line does not apply to the side, OPEN if it is not known yet."""


class CountingRule(StrEnum):
    """Rules of a game that is only counted, and has no rules of its own."""

    PLAYERS = "players"
    SCORE = "score"
    END = "end"


@dataclass(frozen=True)
class ScoreLine:
    """A line of a score sheet: its label and the value of each side."""

    label: Text
    values: tuple[ScoreValue, ...]


@dataclass(frozen=True)
class ScoreSheet:
    """The score of a round: its lines, and the points of each side (None while a line is open)."""

    lines: tuple[ScoreLine, ...]
    points: tuple[int | None, ...]
    verdict: Text | None = None

    @property
    def is_open(self) -> bool:
        """Whether a side's points are not known yet. Such a round is not over and does not count."""
        return None in self.points


@dataclass(frozen=True)
class Standing:
    """The totals of a match by side. Ranks start at 1, ties share one; empty if nobody is ranked (yet)."""

    totals: tuple[int, ...]
    ranks: tuple[int, ...]
    is_over: bool
    verdict: Text | None


@dataclass(frozen=True)
class Scoring(Generic[OptionsT, CountT]):
    """The one scoring that pad, referee and calculator share."""

    score: Callable[[OptionsT, tuple[CountT, ...]], ScoreSheet] = derived
    """(options, complete tally) -> the score sheet of a round; by default the sum of what is counted."""
    standing: Callable[[OptionsT, int, tuple[ScoreSheet, ...]], Standing] = derived
    """(options, seats, score sheets by round, none of them open) -> totals, ranks, verdict, and whether it is over.

    By default the highest sum wins after the last round, or once a total has reached the option `target`. A single side
    has the verdict of its best round."""
    match_rule: StrEnum = CountingRule.END
    """The rule that is broken by starting a round after the match is over."""
    sides: Callable[[OptionsT, int], tuple[tuple[int, ...], ...]] = derived
    """(options, seats) -> the seats of each side. Like `round_count`, independent of settings.

    By default every seat for itself, or the whole table if no count has a seat."""
    round_count: Callable[[OptionsT, int], int | None] = derived
    """(options, seats) -> the rounds of a match; None if the table plays as long as it likes. Default: the option."""
    highest_wins: Callable[[OptionsT], bool] = lambda options: True
    """(options) -> whether the highest total wins."""
    is_won_together: Callable[[OptionsT, Standing], bool] | None = None
    """(options, standing) -> whether the table has won together; None if players play against each other."""


def complete_scoring(scoring: Scoring[Options, Count], counts: Iterable[type[Count]]) -> Scoring[Options, Count]:
    """Return the scoring of these counts, with functions in place of those that it leaves out."""
    has_seats = any("seat" in field_names(cls) for cls in counts)

    def list_sides(options: Options, seats: int) -> tuple[tuple[int, ...], ...]:
        return tuple((seat,) for seat in range(seats)) if has_seats else (tuple(range(seats)),)

    def get_round_count(options: Options, seats: int) -> int | None:
        return getattr(options, "rounds", None)

    defaults: Scoring[Options, Count] = Scoring(sides=list_sides, round_count=get_round_count, score=_add_up)
    scoring = complete_part(scoring, defaults)

    def build_standing(options: Options, seats: int, sheets: tuple[ScoreSheet, ...]) -> Standing:
        """Rank the totals; the match is over after its last round, or once a total has reached the target."""
        sides, rounds = scoring.sides(options, seats), scoring.round_count(options, seats)
        start = getattr(options, "start", 0)
        totals = tuple(start + sum_points(sheets, side) for side in range(len(sides)))
        ranks = rank_totals(totals, highest_first=scoring.highest_wins(options)) if len(sides) > 1 else ()
        is_last = rounds is not None and len(sheets) >= rounds
        is_over = bool(sheets) and (is_last or _has_reached_target(options, totals))
        if not (is_over or (sheets and rounds is None)):
            return Standing(totals, ranks, is_over, None)
        if ranks:
            return Standing(totals, ranks, is_over, name_winners(sides, totals, ranks))
        choose_best = max if scoring.highest_wins(options) else min
        best = choose_best(sheets, key=lambda sheet: sum_points((sheet,), 0))
        return Standing(totals, ranks, is_over, best.verdict or _describe_total(options, totals[0]))

    return complete_part(scoring, replace(defaults, standing=build_standing))


def _has_reached_target(options: Options, totals: tuple[int, ...]) -> bool:
    """Return whether a total has reached or passed the target, coming from the start score."""
    target: int | None = getattr(options, "target", None)
    if target is None:
        return False
    return max(totals) >= target if target > getattr(options, "start", 0) else min(totals) <= target


def _describe_total(options: Options, total: int) -> Text:
    """Return the verdict for a single side."""
    target = getattr(options, "target", None)
    if target is None:
        return ngettext("{n} point in all.", "{n} points in all.", total)
    if _has_reached_target(options, (total,)):
        return _("Target reached: {n} of {target}.", n=total, target=target)
    return _("Target missed: {n} of {target}.", n=total, target=target)


def _add_up(options: Options, tally: Tally) -> ScoreSheet:
    """Score the sum of the numbers that are counted."""
    counts = sorted(tally, key=lambda count: getattr(count, "seat", 0))
    values = {name: tuple(_get_number(count, name) for count in counts) for name in content_names(type(counts[0]))}
    lines = tuple(ScoreLine(get_label(type(counts[0]), name), numbers) for name, numbers in values.items())
    return ScoreSheet(lines, tuple(map(sum, zip(*values.values(), strict=True))))


def _get_number(count: Count, name: str) -> int:
    value = getattr(count, name)
    return sum(value) if isinstance(value, tuple) else int(value or 0)


def sum_points(sheets: Iterable[ScoreSheet], side: int) -> int:
    """Return the total points of a side. Raises ValueError if a sheet is open.

    >>> sum_points([ScoreSheet((), (-5, 2)), ScoreSheet((), (8, 0))], 0)
    3
    """
    points = [sheet.points[side] for sheet in sheets]
    if None in points:
        raise ValueError("an open sheet has no total")
    return sum(value for value in points if value is not None)


def name_winners(sides: Iterable[tuple[int, ...]], totals: tuple[int, ...], ranks: tuple[int, ...]) -> Text:
    """Return who has won and with how many points; equal totals share the win."""
    winners = [side for side, rank in zip(sides, ranks, strict=True) if rank == 1]
    names = name_seats(seat for side in winners for seat in side)
    best = totals[ranks.index(1)]
    if len(winners) == 1 < len(names):
        return _("{names} win with {best}.", names=names, best=best)
    return ngettext(
        "{names} wins with {best}.", "{names} share the win with {best}.", len(winners), names=names, best=best
    )


def rank_totals(totals: Iterable[int], *, highest_first: bool = True) -> tuple[int, ...]:
    """Return the rank of each total, from 1. Ties share the better rank, and the next ones are skipped.

    >>> rank_totals([12, 30, 30])
    (3, 1, 1)
    >>> rank_totals([12, 30, 30], highest_first=False)
    (1, 2, 2)
    """
    totals = tuple(totals)
    return tuple(1 + sum((other > total) if highest_first else (other < total) for other in totals) for total in totals)
