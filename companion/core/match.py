"""Matches and rounds: the state, verdicts and scores that follow from recorded actions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from companion.core import refusals
from companion.core.entry import EntryKind
from companion.core.game import Game, Violation, apply_setting
from companion.core.protocols import Count, Options, Record, State, Tally
from companion.core.schema import Malformed, decode, field_names
from companion.core.scoring import ScoreSheet, Standing
from companion.core.text import Text, _, ngettext


@dataclass(frozen=True)
class Action:
    """A play, count, setting or confirmation that counts: neither undone nor struck out, and corrected where need be.

    `number` is that of its entry; `round` is numbered from 1; `overruled` are the ids of the rules the table overruled;
    `content` is what the words decode to, if that is known.
    """

    number: int
    round: int
    kind: str
    words: Mapping[str, str]
    overruled: tuple[str, ...] = ()
    content: Record | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Step:
    """An action with its verdict. `entry` is None for a confirmation or if it is `malformed`."""

    action: Action
    entry: Record | None = None
    violations: tuple[Violation, ...] = ()
    malformed: Text | None = None

    @cached_property
    def objections(self) -> tuple[Violation, ...]:
        """The violations that the table has not overruled, or cannot."""
        return tuple(v for v in self.violations if v.binding or v.rule not in self.action.overruled)

    @property
    def overrulable_rules(self) -> tuple[str, ...]:
        """The rules to overrule to make the action valid; empty if that is impossible (or not needed)."""
        if self.malformed is not None or any(violation.binding for violation in self.objections):
            return ()
        return tuple(dict.fromkeys(str(violation.rule) for violation in self.objections))

    @property
    def is_valid(self) -> bool:
        return not self.objections and self.malformed is None

    @property
    def has_effect(self) -> bool:
        """Whether the action changes the round. Illegal plays do: they happened. Impossible ones do not."""
        return self.entry is not None and not any(v.binding for v in self.violations)


@dataclass(frozen=True)
class Round:
    """One round: the state its plays led to, the counts entered by hand, and all of its steps.

    Its options are those of the round before, plus the settings recorded in it.
    """

    game: Game
    options: Options
    seats: int
    number: int
    state: State
    steps: tuple[Step, ...] = ()
    plays: tuple[Step, ...] = ()
    counts: tuple[Step, ...] = ()
    is_confirmed: bool = False

    @cached_property
    def manual_counts(self) -> Tally:
        """The counts entered by hand, without those that have no effect."""
        return tuple(step.entry for step in self.counts if step.entry is not None and step.has_effect)

    @cached_property
    def missing_counts(self) -> tuple[tuple[str, int | None], ...]:
        """Slots without a count by hand: (kind, seat), or (kind, None) for a count of the whole table."""
        counted = {get_count_slot(self.game, count) for count in self.manual_counts}
        return tuple(slot for slot in iter_count_slots(self.game, self.options, self.seats) if slot not in counted)

    @cached_property
    def tally(self) -> Tally | None:
        """All counts by hand, if complete; otherwise the referee's; None while the round is being played."""
        if self.counts and not self.missing_counts:
            return self.manual_counts
        return self.game.referee.tally(self.state) if self.game.referee and self.state.is_over else None

    @property
    def is_over(self) -> bool:
        return self.tally is not None

    @property
    def is_scored(self) -> bool:
        """Whether the round is over and no side's points are open."""
        return self.sheet is not None and not self.sheet.is_open

    @property
    def is_settled(self) -> bool:
        """Whether the round is scored and the table has counted by hand or confirmed the referee's tally."""
        return self.is_scored and (self.is_confirmed or not self.missing_counts)

    @cached_property
    def steps_by_number(self) -> Mapping[int, Step]:
        """Steps by entry number."""
        return {step.action.number: step for step in self.steps}

    @cached_property
    def invalid_steps(self) -> tuple[Step, ...]:
        """Invalid steps, except confirmations: see `Match.invalid_steps`."""
        return tuple(step for step in self.steps if not step.is_valid and step.action.kind != EntryKind.CONFIRM)

    @cached_property
    def sheet(self) -> ScoreSheet | None:
        return None if self.tally is None else self.game.scoring.score(self.options, self.tally)

    def judge(self, action: Action) -> Step:
        """Return the action with everything that it breaks at this point of the round. Never raises.

        A count is blamed only for violations that the counts before it do not have; a setting is judged by
        `Game.check_options`.
        """
        try:
            entry: Record = action.content or decode(self.game.kinds[action.kind], action.words)
        except Malformed as error:
            return Step(action, malformed=error.text)
        if self.game.referee and action.kind in self.game.plays:
            return Step(action, entry, tuple(self.game.referee.judge(self.state, entry)))
        if action.kind in self.game.options.settings:
            options = apply_setting(self.options, entry)
            return Step(action, entry, tuple(self.game.options.check(options, self.seats)))
        before = set(self.game.pad.check(self.options, self.seats, self.manual_counts))
        violations = self.game.pad.check(self.options, self.seats, (*self.manual_counts, entry))
        return Step(action, entry, tuple(violation for violation in violations if violation not in before))

    def add_step(self, step: Step) -> Round:
        """Return the round after a step. A step without effect is listed but changes nothing else."""
        steps = (*self.steps, step)
        if step.action.kind == EntryKind.CONFIRM:
            return replace(self, steps=steps, is_confirmed=self.is_confirmed or step.is_valid)
        if step.action.kind in self.game.pad.counts:
            return replace(self, steps=steps, counts=(*self.counts, step))
        if step.action.kind in self.game.options.settings:
            return replace(self, steps=steps)._apply_setting(step)
        return replace(self, steps=steps, plays=(*self.plays, step), state=self._apply_play(step))

    def _apply_play(self, step: Step) -> State:
        if step.entry is None or not step.has_effect or self.game.referee is None:
            return self.state
        return self.game.referee.apply(self.state, step.entry)

    def _apply_setting(self, step: Step) -> Round:
        """Return the round with a setting; the counts before it are judged again."""
        if step.entry is None or not step.has_effect:
            return self
        options = apply_setting(self.options, step.entry)
        state = replace(self.state, options=options)
        changed = replace(self, options=options, state=state, counts=())
        for count in self.counts:
            match_violations = tuple(v for v in count.violations if v.rule is self.game.scoring.match_rule)
            judged = changed.judge(count.action)
            judged = replace(judged, violations=(*match_violations, *judged.violations))
            changed = replace(changed, counts=(*changed.counts, judged))
        by_number = {count.action.number: count for count in changed.counts}
        return replace(changed, steps=tuple(by_number.get(old.action.number, old) for old in self.steps))


@dataclass(frozen=True)
class Match:
    """All rounds played at a table, by number. Immutable: recording an action returns a new match."""

    game: Game
    options: Options
    seats: int
    rounds: Mapping[int, Round] = field(default_factory=dict)

    def get_round(self, number: int) -> Round:
        """Return a round by number; a new one if nothing has been recorded in it yet."""
        return self.rounds.get(number) or self._set_up_round(number)

    @cached_property
    def last_number(self) -> int:
        """The highest number of a round in which something was recorded, or 1."""
        return max(self.rounds, default=1)

    @cached_property
    def current_number(self) -> int:
        """The number of the round that the next entry belongs to; the last round once the match is over.

        A round that a correction has reopened waits until all agreed rounds have begun.
        """
        if not self.get_round(self.last_number).is_settled or self.standing.is_over:
            return self.last_number
        rounds = self.game.scoring.round_count(self.options, self.seats)
        if self.unfinished_rounds and rounds is not None and self.last_number >= rounds:
            return self.unfinished_rounds[0].number
        return self.last_number + 1

    @cached_property
    def finished_rounds(self) -> tuple[Round, ...]:
        """The rounds whose scores count: settled ones, and scored ones that the table has moved on from."""
        return tuple(
            played
            for n, played in sorted(self.rounds.items())
            if played.is_settled or (played.is_scored and n < self.last_number)
        )

    @cached_property
    def unfinished_rounds(self) -> tuple[Round, ...]:
        """Rounds before the last one that have no score, because a correction reopened them."""
        earlier = (self.get_round(number) for number in range(1, self.last_number))
        return tuple(played for played in earlier if not played.is_scored)

    @cached_property
    def has_open_score(self) -> bool:
        """Whether a round is over but its score still open; until it is known nobody is ranked."""
        return any(played.is_over and not played.is_scored for played in self.rounds.values())

    @cached_property
    def standing(self) -> Standing:
        """The standing after the finished rounds."""
        standing = self.standing_after(self.finished_rounds)
        return replace(standing, ranks=(), is_over=False, verdict=None) if self.has_open_score else standing

    @property
    def newest_options(self) -> Options:
        """The options of the last round, including all settings recorded so far."""
        return self.get_round(self.last_number).options

    def standing_after(self, rounds: tuple[Round, ...]) -> Standing:
        """Return the standing after these rounds, ignoring unscored ones. With none scored, nobody is ranked."""
        sheets = tuple(played.sheet for played in rounds if played.sheet is not None and not played.sheet.is_open)
        standing = self.game.scoring.standing(self.options, self.seats, sheets)
        return standing if sheets else replace(standing, ranks=(), verdict=None)

    @property
    def steps(self) -> Iterator[Step]:
        """The steps of all rounds, in order."""
        return (step for _number, played in sorted(self.rounds.items()) for step in played.steps)

    @property
    def invalid_steps(self) -> tuple[Step, ...]:
        """Recorded steps that are no longer valid after a correction, for the players to settle.

        Confirmations are left out: a reopened round is simply confirmed again once it is over.
        """
        return tuple(step for _number, played in sorted(self.rounds.items()) for step in played.invalid_steps)

    def get_step(self, number: int) -> Step | None:
        """Return the step of the entry with that number, or None."""
        steps = (played.steps_by_number.get(number) for played in self.rounds.values())
        return next(filter(None, steps), None)

    def judge(self, action: Action) -> Step:
        """Return the action with everything that it breaks if recorded now. Never raises.

        Adds the game's match rule for an action that starts a round after the match is over. An unknown kind, a round
        below 1 and a confirmation that comes too early are malformed.
        """
        if action.kind == EntryKind.CONFIRM:
            return Step(action, malformed=_explain_unconfirmable(self.get_round(action.round)))
        if action.kind not in self.game.kinds:
            return Step(action, malformed=refusals.UNKNOWN_KIND)
        if action.round < 1:
            return Step(action, malformed=refusals.UNKNOWN_ROUND)
        step = self.get_round(action.round).judge(action)
        return replace(step, violations=(*self._check_new_round(action), *step.violations))

    def record(self, action: Action) -> Match:
        """Return the match with an action in it, valid or not, so that any log can be replayed. Never raises.

        `action.round` must be at least 1. See `Step.has_effect` for what an invalid action changes.
        """
        step = self.judge(action)
        return replace(self, rounds={**self.rounds, action.round: self.get_round(action.round).add_step(step)})

    def _check_new_round(self, action: Action) -> Iterator[Violation]:
        """Yield a violation of the match rule if the action starts a round that the match does not need."""
        if action.round in self.rounds or action.round == 1:
            return
        before = self.standing_after(tuple(played for n, played in sorted(self.rounds.items()) if n < action.round))
        rounds = self.game.scoring.round_count(self.options, self.seats)
        if before.is_over:
            yield Violation(self.game.scoring.match_rule, _("The match is over: this would begin another round."))
        elif rounds is not None and action.round > rounds:
            message = ngettext(
                "The match has {n} round, and it is not finished: this would begin another.",
                "The match has {n} rounds, and not all are finished: this would begin another.",
                rounds,
            )
            yield Violation(self.game.scoring.match_rule, message)

    def _set_up_round(self, number: int) -> Round:
        before = self.rounds.get(max((n for n in self.rounds if n < number), default=0))
        options = before.options if before else self.options
        state = self.game.set_up_round(options, self.seats, number - 1)
        return Round(self.game, options, self.seats, number, state)


def _explain_unconfirmable(played: Round) -> Text | None:
    """Return why the score of a round cannot be confirmed yet, or None if it can."""
    if not played.is_over:
        return refusals.ROUND_NOT_OVER
    return None if played.is_scored else refusals.SCORE_OPEN


def iter_count_slots(game: Game, options: Options, seats: int) -> Iterator[tuple[str, int | None]]:
    """Yield the slots of a round's counts: (kind, first seat of a side), or (kind, None) for a kind without `seat`."""
    for kind, cls in game.pad.counts.items():
        if "seat" in field_names(cls):
            yield from ((kind, side[0]) for side in game.scoring.sides(options, seats))
        else:
            yield kind, None


def get_count_slot(game: Game, count: Count) -> tuple[str, int | None]:
    return game.get_kind(count), getattr(count, "seat", None)
