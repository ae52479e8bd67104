"""The table page: a round on its pad or board, the score sheet and the log, or the end of the match."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from urllib.parse import urlencode

from companion import limits
from companion.charts.line_chart import LineChart
from companion.core.match import Match, Round, Step
from companion.core.scoring import ScoreValue
from companion.core.text import Text
from companion.tables.auth import TableAccess
from companion.tables.forms import pad
from companion.tables.forms.pad import BoxGroup, Pad
from companion.tables.models import Table
from companion.tables.presenters import score_sheet
from companion.tables.presenters.board_page import BoardPage, SettingForm, build_setting_forms
from companion.tables.services.guests import get_taken_seats

MODES = tuple(Table.Mode.values)
TEMPLATE = "tables/table.html"
RECENT_LINES = 5
"""How many entries of the log the page shows."""


@dataclass(frozen=True)
class TablePage(BoardPage):
    """A round at the table: to play, to confirm, or the last of a finished match."""

    stage: str
    """`play`; `tally` if the score of the round is to be confirmed; `final` if the match is over."""
    values: Mapping[str, Sequence[str]]
    """Words typed but not recorded, by box."""
    is_for_all: bool
    """Whether a device that has a seat counts for the others as well."""

    is_correction = False

    @cached_property
    def title(self) -> Text:
        number = self.match.last_number if self.stage == "final" else self.played.number
        return score_sheet.format_round_title(self.match, number)

    @property
    def help_url(self) -> str:
        """Where to look up what can be played or counted; empty once the round is over."""
        if self.stage != "play":
            return ""
        return f"{self.table_url}help/?{urlencode({'way': self.mode, 'round': self.played.number})}"

    @property
    def other_mode(self) -> str:
        """The mode that the round can be switched to; empty if it cannot."""
        if self.stage != "play" or self.is_read_only or not self.game.referee:
            return ""
        return Table.Mode.REFEREE if self.mode == Table.Mode.PAD else Table.Mode.PAD

    @cached_property
    def changed_options(self) -> tuple[Text, ...]:
        return score_sheet.describe_options(self.match)

    # What can be entered

    @property
    def acting_seat(self) -> int | None:
        return self.turn

    @cached_property
    def settings(self) -> tuple[SettingForm, ...]:
        """The forms of what can still be set in the round."""
        return build_setting_forms(self.game, self.options) if self.stage != "final" else ()

    @cached_property
    def pad(self) -> Pad | None:
        """The boxes that this device fills in, if there are any."""
        groups, _others = self._groups
        return Pad(self.played, groups, self.form) if groups else None

    @cached_property
    def others(self) -> Sequence[tuple[BoxGroup, bool]]:
        """The boxes of those who count on other devices, and whether they are about to."""
        _own_groups, groups = self._groups
        taken_seats = get_taken_seats(self.table) if any(group.step is None for group in groups) else frozenset()
        return [(group, not (group.step or taken_seats.isdisjoint(self._sides[group.side_index]))) for group in groups]

    @property
    def last_round(self) -> int:
        return self.match.game.scoring.round_count(self.match.options, self.match.seats) or limits.MAX_ROUNDS

    @cached_property
    def next_pad(self) -> Pad | None:
        """The pad of the next round, for a device that goes offline; it is reused for all rounds after it."""
        is_current = self.played.number == self.match.current_number < self.last_round
        if not is_current or self.mode != Table.Mode.PAD or not self.can_enter:
            return None
        played = replace(self.match, rounds={}).get_round(self.played.number + 1)
        groups, _others = self._split_groups(played, {})
        return Pad(played, groups, self.build_form(played))

    @property
    def next_title(self) -> Text:
        return score_sheet.format_round_title(self.match, self.played.number + 1)

    @property
    def undo_target(self) -> int | None:
        return _get_visible_target(self.log.undoable, self.access.visibility.hidden)

    @property
    def can_undo(self) -> bool:
        return self.undo_target is not None

    @property
    def redo_target(self) -> int | None:
        return _get_visible_target(self.log.redoable, self.access.visibility.hidden)

    @property
    def can_end_match(self) -> bool:
        """Whether rounds have been played of a match that has no end of its own."""
        has_end = self.game.scoring.round_count(self.match.options, self.match.seats) is not None
        return self.stage == "play" and not has_end and bool(self.score_grid.rows)

    # What has been entered

    @cached_property
    def score_grid(self) -> score_sheet.ScoreGrid:
        return score_sheet.ScoreGrid(self.match)

    @cached_property
    def lines(self) -> Sequence[score_sheet.LogLine]:
        """The newest lines of the log, newest first."""
        return score_sheet.build_log_lines(self.access, self.log.entries[: -RECENT_LINES - 1 : -1])

    @property
    def has_more_lines(self) -> bool:
        return self.version > RECENT_LINES

    @cached_property
    def unsettled(self) -> Sequence[tuple[Step, Text]]:
        """Steps that are no longer valid, without concealed ones, and their texts, for those who can settle them."""
        steps = self.match.invalid_steps if self.can_enter else ()
        return [
            (step, score_sheet.describe_entry(self.match, step.action.kind, step.action.words, step.entry))
            for step in steps
            if step.action.number not in self.access.visibility.concealed
        ]

    @property
    def unfinished(self) -> Sequence[int]:
        """Numbers of rounds that a correction has reopened, for those who can finish them."""
        return [played.number for played in self.match.unfinished_rounds] if self.can_enter else ()

    # How it ended

    @property
    def shared_total(self) -> ScoreValue:
        """What the only side has scored, if anything; None if there are several."""
        return self.score_grid.totals[0] if self.score_grid.rows and not self.score_grid.ranking else None

    @cached_property
    def score_chart(self) -> LineChart | None:
        return score_sheet.build_score_chart(self.match, list(self.table.seats.select_related("player")))

    @property
    def only_round(self) -> Round | None:
        """The round of a match that had one."""
        rounds = self.match.finished_rounds
        return rounds[0] if len(rounds) == 1 else None

    @property
    def next_round(self) -> int:
        """The round after the last."""
        return self.match.last_number + 1

    @cached_property
    def _groups(self) -> tuple[tuple[BoxGroup, ...], tuple[BoxGroup, ...]]:
        return self._split_groups(self.played, self.values) if self.mode == Table.Mode.PAD else ((), ())

    def _split_groups(
        self, played: Round, values: Mapping[str, Sequence[str]]
    ) -> tuple[tuple[BoxGroup, ...], tuple[BoxGroup, ...]]:
        """Return the boxes of a pad that this device fills in, and those of the others.

        A device with a seat fills in its own boxes only, unless it counts for all; hidden counts always belong to the
        others.
        """
        own_groups: list[BoxGroup] = []
        other_groups: list[BoxGroup] = []
        for group in pad.build_groups(played, values, self.access.visibility.concealed):
            is_hidden = group.step is not None and group.step.action.number in self.access.visibility.hidden
            is_own = self.is_for_all or (self.can_enter and self.access.seat in (None, *self._sides[group.side_index]))
            (own_groups if group.seat is None or (is_own and not is_hidden) else other_groups).append(group)
        return tuple(own_groups), tuple(other_groups)

    @cached_property
    def _sides(self) -> Sequence[Sequence[int]]:
        return self.game.scoring.sides(self.match.options, self.match.seats)

    def build_form(self, played: Round) -> dict[str, object]:
        return {**super().build_form(played), "all": "yes" if self.is_for_all else ""}


def build_table_page(
    access: TableAccess,
    *,
    mode: str = "",
    number: int = 0,
    values: Mapping[str, Sequence[str]] | None = None,
    is_for_all: bool = False,
) -> TablePage:
    """Return the table page.

    `number` is the requested round, 0 for the current one; `values` are words typed but not recorded; with `is_for_all`
    a device that has a seat counts for the others as well.
    """
    played, mode = get_round(access.match, number), get_mode(access, mode)
    stage = get_stage(access, played, mode, is_requested=number > 0)
    is_for_all = is_for_all and access.seat is not None and mode == Table.Mode.PAD
    return TablePage(access, played, mode, stage, values or {}, is_for_all)


def get_round(match: Match, number: int) -> Round:
    """Return the requested round if it exists, or the current one."""
    return match.get_round(number if 1 <= number <= match.last_number + 1 else match.current_number)


def get_mode(access: TableAccess, mode: str) -> str:
    """Return the requested mode, or the table's own if it is unknown or the game has no referee."""
    return mode if mode in MODES and access.game.referee else access.table.mode


def get_stage(access: TableAccess, played: Round, mode: str, *, is_requested: bool) -> str:
    """Return the stage of a round on the page, as in `TablePage`."""
    if access.cached_log.log.is_closed or (access.match.standing.is_over and not is_requested):
        return "final"
    is_manual = played.manual_counts or (is_requested and mode == Table.Mode.PAD)
    return "tally" if played.is_over and not played.is_settled and not is_manual else "play"


def _get_visible_target(targets: Sequence[int], hidden: Container[int]) -> int | None:
    """Return the entry to undo or redo, unless it is hidden from the device."""
    return targets[-1] if targets and targets[-1] not in hidden else None
