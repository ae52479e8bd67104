"""Goals of Sideboards on a sideboard: instances and rows, and claims of how often a pattern is met."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import groupby

from companion.core.game import Violation
from companion.core.text import Text, _, ngettext
from companion.games.sideboards.deck import LINES, Colour, Handle, SideboardCard
from companion.games.sideboards.packing import Mask, Pattern, list_placements, pack_pattern
from companion.games.sideboards.plays import HANDLE_ROW_GOALS, Options, is_single
from companion.games.sideboards.rules import Rule


@dataclass(frozen=True)
class CountedRow:
    """A row of one colour or handle that a goal counts."""

    line: int
    column: int
    length: int

    @property
    def mask(self) -> Mask:
        return sum(1 << (LINES * (self.column + step) + self.line) for step in range(self.length))


@dataclass(frozen=True)
class GoalResults:
    """Instances and rows on a sideboard; `colours` and `handles` are None while the pattern is not drawn."""

    colours: tuple[Mask, ...] | None
    handles: tuple[Mask, ...] | None
    rows: tuple[CountedRow, ...]

    @property
    def counts(self) -> tuple[int | None, int | None]:
        """The instances of the colour goal and of the handle goal."""
        return None if self.colours is None else len(self.colours), None if self.handles is None else len(self.handles)

    @property
    def lengths(self) -> tuple[int, ...]:
        return tuple(row.length for row in self.rows)


@lru_cache(maxsize=4_000)
def find_goals(options: Options, cards: tuple[SideboardCard, ...]) -> GoalResults:
    """Return the instances and rows on a sideboard, finished or not; cards run from left to right."""
    return GoalResults(
        find_instances(cards, options.colour_pattern, "".join(Colour), mirrored=options.mirrored),
        find_instances(cards, options.handle_pattern, "".join(Handle), mirrored=options.mirrored),
        find_rows(options, cards),
    )


def find_instances(
    cards: tuple[SideboardCard, ...], pattern: Pattern, letters: str, *, mirrored: bool
) -> tuple[Mask, ...] | None:
    """Return the most instances that share no drawer (rule `drawer-once-per-goal`), or None without a pattern.

    A drawer has only one colour and one handle, so each letter is packed separately.
    """
    if not pattern:
        return None
    packed: list[Mask] = []
    for letter in letters:
        cells = sum(1 << (LINES * column + card.lines[letter]) for column, card in enumerate(cards))
        packed += pack_pattern(cells, pattern, mirrored=mirrored)
    return tuple(packed)


def find_rows(options: Options, cards: tuple[SideboardCard, ...]) -> tuple[CountedRow, ...]:
    """Return the one or two rows that count; a row of length 0 for a line without handles."""
    is_handles = options.row_goal in HANDLE_ROW_GOALS
    if options.two_lines:
        return tuple(
            _sort_by_length(_list_rows(cards, line - 1, is_handles=is_handles))[0] for line in options.two_lines
        )
    kind = options.counted_kind
    rows = [row for line in range(LINES) for row in _list_rows(cards, line, is_handles=is_handles, only=kind)]
    return _sort_by_length(rows)[: 1 if is_single(options.row_goal) else 2]


def _sort_by_length(rows: list[CountedRow]) -> tuple[CountedRow, ...]:
    """Return the longest rows first, padded with two rows of length 0."""
    return (*sorted(rows, key=lambda row: -row.length), CountedRow(0, 0, 0), CountedRow(0, 0, 0))


def _list_rows(
    cards: tuple[SideboardCard, ...], line: int, *, is_handles: bool, only: Colour | Handle | None = None
) -> list[CountedRow]:
    """Return the longest possible rows of a line; a drawer without a handle ends a row of handles."""
    rows, column = [], 0
    for letter, group in groupby(card.handles[line] if is_handles else card.colours[line] for card in cards):
        length = sum(1 for _same in group)
        if letter != "-" and only in (None, letter):
            rows.append(CountedRow(line, column, length))
        column += length
    return rows


@dataclass(frozen=True)
class Claim:
    """A claim that a pattern is met a number of times on some drawers of a sideboard."""

    pattern: Pattern
    drawers: tuple[tuple[Colour | Handle, Mask], ...]
    """The drawers of each colour, or of each handle."""
    times: int
    mirrored: bool = False

    @property
    def rule(self) -> Rule:
        """The section of the rulebook on goals of this sort."""
        is_handles = any(isinstance(kind, Handle) for kind, _mask in self.drawers)
        return Rule.HANDLE_GOALS if is_handles else Rule.COLOUR_GOALS

    @cached_property
    def instances(self) -> dict[Colour | Handle, tuple[Mask, ...]]:
        """The most instances that share no drawer, by colour or handle; those without any are left out."""
        packed = {kind: pack_pattern(mask, self.pattern, mirrored=self.mirrored) for kind, mask in self.drawers}
        return {kind: masks for kind, masks in packed.items() if masks}

    @property
    def most(self) -> int:
        return sum(map(len, self.instances.values()))


def check_claim(claim: Claim) -> Iterator[Violation]:
    """Yield a violation if the pattern is met less often than claimed, with the reason."""
    if claim.times <= claim.most:
        return
    placements = (list_placements(mask, claim.pattern, mirrored=claim.mirrored) for _kind, mask in claim.drawers)
    if not claim.mirrored and replace(claim, mirrored=True).most >= claim.times:
        message = _(
            "It fits that often only if mirrored, and mirrored patterns don’t count here. {text}",
            text=_describe_most(claim),
        )
        yield Violation(Rule.PATTERNS, message)
    elif sum(map(len, placements)) >= claim.times:
        message = _("No drawer counts twice for the same goal. {text}", text=_describe_most(claim))
        yield Violation(Rule.DRAWER_ONCE, message)
    else:
        yield Violation(claim.rule, _describe_most(claim))


def _describe_most(claim: Claim) -> Text:
    if not claim.most:
        return _("It fits nowhere on these drawers.")
    kinds = tuple(_("{kind} {n}", kind=kind.label, n=len(masks)) for kind, masks in claim.instances.items())
    return ngettext("It fits {n} time: {kinds}.", "It fits {n} times: {kinds}.", claim.most, kinds=kinds)


def explain_claim(claim: Claim) -> Text:
    """Return how often the pattern fits, and in which colours or handles."""
    if claim.times < claim.most:
        return _("It fits more often than that. {text}", text=_describe_most(claim))
    return _describe_most(claim)
