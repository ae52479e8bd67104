"""A match folded out of what was recorded: rounds, their states and scores. Undo and correction live in the log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from companion.core.game import (
    Count,
    Game,
    Options,
    Play,
    ScoreSheet,
    Setting,
    Standing,
    State,
    Tally,
    Violation,
    apply_setting,
)
from companion.core.schema import Malformed, decode, field_names
from companion.core.text import Text, _, ngettext

CONFIRM = "confirm"
"""The one kind that every game has: the table agrees with the tally that the referee computed for a round."""


@dataclass(frozen=True)
class Action:
    """What was recorded and still counts, in a round numbered from 1: a play, a count, a setting or a confirmation."""

    number: int
    round: int
    kind: str
    words: Mapping[str, str]
    overruled: tuple[str, ...] = ()


@dataclass(frozen=True)
class Step:
    """An act with its verdict. `entry` is None for a confirmation and for what cannot be read (see `malformed`)."""

    action: Action
    entry: Play | Count | Setting | None = None
    violations: tuple[Violation, ...] = ()
    malformed: Text | None = None

    @cached_property
    def objections(self) -> tuple[Violation, ...]:
        """The violations that the table has not overruled, or never can."""
        return tuple(v for v in self.violations if v.binding or v.rule not in self.action.overruled)

    @property
    def overrulable_rules(self) -> tuple[str, ...]:
        """The rules that the table can overrule so that it stands; none where that would not help."""
        if self.malformed is not None or any(violation.binding for violation in self.objections):
            return ()
        return tuple(dict.fromkeys(str(violation.rule) for violation in self.objections))

    @property
    def is_valid(self) -> bool:
        return not self.objections and self.malformed is None

    @property
    def has_effect(self) -> bool:
        """What breaks a rule has happened all the same; only what is impossible has not."""
        return self.entry is not None and not any(v.binding for v in self.violations)


@dataclass(frozen=True)
class Round:
    """One round: the state that the plays led to, the counts entered by hand, and every step on the way.

    Its options are those of the round before it, with the settings that were recorded in it.
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
        """The counts entered by hand that have an effect."""
        return tuple(step.entry for step in self.counts if step.has_effect)

    @cached_property
    def missing_counts(self) -> tuple[tuple[str, int | None], ...]:
        """What has not been counted by hand: kind and seat, or kind and None where it is counted once a table."""
        taken = {get_count_slot(self.game, count) for count in self.manual_counts}
        return tuple(slot for slot in iter_count_slots(self.game, self.options, self.seats) if slot not in taken)

    @cached_property
    def tally(self) -> Tally | None:
        """What counts in the round: counts by hand take the place of the referee's; None while it is being played."""
        if not self.missing_counts:
            return self.manual_counts
        return self.game.tally(self.state) if self.game.is_round_over(self.state) else None

    @property
    def is_over(self) -> bool:
        return self.tally is not None

    @property
    def is_scored(self) -> bool:
        """Over, and nothing on its score sheet is open."""
        return self.sheet is not None and not self.sheet.is_open

    @property
    def is_settled(self) -> bool:
        """Scored, and the table has seen the tally: it counted itself, or confirmed what the referee computed."""
        return self.is_scored and (self.is_confirmed or not self.missing_counts)

    @cached_property
    def steps_by_number(self) -> Mapping[int, Step]:
        """The steps by the number of their entry."""
        return {step.action.number: step for step in self.steps}

    @cached_property
    def invalid_steps(self) -> tuple[Step, ...]:
        """As of a match."""
        return tuple(step for step in self.steps if not step.is_valid and step.action.kind != CONFIRM)

    @cached_property
    def sheet(self) -> ScoreSheet | None:
        return None if self.tally is None else self.game.score(self.options, self.tally)

    def judge(self, act: Action) -> Step:
        """The act with everything that it breaks here and now."""
        try:
            entry: Play | Count | Setting = decode(self.game.kinds[act.kind], act.words)
        except Malformed as error:
            return Step(act, malformed=error.text)
        if act.kind in self.game.plays:
            return Step(act, entry, tuple(self.game.judge(self.state, entry)))
        if act.kind in self.game.settings:
            options = apply_setting(self.options, entry)
            return Step(act, entry, tuple(self.game.check_options(options, self.seats)))
        before = set(self.game.check_tally(self.options, self.seats, self.manual_counts))
        found = self.game.check_tally(self.options, self.seats, (*self.manual_counts, entry))
        return Step(act, entry, tuple(violation for violation in found if violation not in before))

    def add_step(self, step: Step) -> Round:
        """The round after the step; a step without effect is kept among the steps, and changes nothing else."""
        steps = (*self.steps, step)
        if step.action.kind == CONFIRM:
            return replace(self, steps=steps, is_confirmed=self.is_confirmed or step.is_valid)
        if step.action.kind in self.game.counts:
            return replace(self, steps=steps, counts=(*self.counts, step))
        if step.action.kind in self.game.settings:
            return replace(self, steps=steps)._after_setting(step)
        state = self.game.apply(self.state, step.entry) if step.has_effect else self.state
        return replace(self, steps=steps, plays=(*self.plays, step), state=state)

    def _after_setting(self, step: Step) -> Round:
        """The round with the options that a setting leads to; what was counted before it is checked again."""
        if not step.has_effect:
            return self
        options = apply_setting(self.options, step.entry)
        state = replace(self.state, options=options)
        changed = replace(self, options=options, state=state, counts=())
        for count in self.counts:
            kept = tuple(own for own in count.violations if own.rule is self.game.match_rule)
            again = changed.judge(count.action)
            again = replace(again, violations=(*kept, *again.violations))
            changed = replace(changed, counts=(*changed.counts, again))
        by_number = {count.action.number: count for count in changed.counts}
        return replace(changed, steps=tuple(by_number.get(own.action.number, own) for own in self.steps))


@dataclass(frozen=True)
class Match:
    """All rounds played at a table, by number; nothing in it changes: recording gives a new match."""

    game: Game
    options: Options
    seats: int
    rounds: Mapping[int, Round] = field(default_factory=dict)

    def get_round(self, number: int) -> Round:
        """The round of that number, a fresh one where nothing has been recorded yet."""
        return self.rounds.get(number) or self._fresh(number)

    @cached_property
    def last_number(self) -> int:
        return max(self.rounds, default=1)

    @cached_property
    def current_number(self) -> int:
        """The number of the round that the next entry belongs to; the last one once the match is over.

        A round that has been opened again waits until all that were agreed on have begun.
        """
        if not self.get_round(self.last_number).is_settled or self.standing.is_over:
            return self.last_number
        rounds = self.game.round_count(self.options, self.seats)
        if self.unfinished_rounds and rounds is not None and self.last_number >= rounds:
            return self.unfinished_rounds[0].number
        return self.last_number + 1

    @cached_property
    def finished_rounds(self) -> tuple[Round, ...]:
        """The rounds whose scores count: settled ones, and those that the table has played on from."""
        return tuple(
            played
            for n, played in sorted(self.rounds.items())
            if played.is_settled or (played.is_scored and n < self.last_number)
        )

    @cached_property
    def unfinished_rounds(self) -> tuple[Round, ...]:
        """Earlier rounds that a correction has opened again: the table has played on, and they have no score."""
        earlier = (self.get_round(number) for number in range(1, self.last_number))
        return tuple(played for played in earlier if not played.is_scored)

    @cached_property
    def has_open_score(self) -> bool:
        """Whether a round is over and its score still open; nothing is ranked or called before it is known."""
        return any(played.is_over and not played.is_scored for played in self.rounds.values())

    @cached_property
    def standing(self) -> Standing:
        standing = self.standing_after(self.finished_rounds)
        return replace(standing, ranks=(), is_over=False, verdict=None) if self.has_open_score else standing

    @property
    def newest_options(self) -> Options:
        """The options of the last round, with everything that was said of them at the table."""
        return self.get_round(self.last_number).options

    def standing_after(self, rounds: tuple[Round, ...]) -> Standing:
        """Return the standing after the scored ones of these rounds; before the first, nobody is ranked or has won."""
        sheets = tuple(played.sheet for played in rounds if played.sheet is not None and not played.sheet.is_open)
        standing = self.game.standing(self.options, self.seats, sheets)
        return standing if sheets else replace(standing, ranks=(), verdict=None)

    @property
    def steps(self) -> Iterator[Step]:
        return (step for _number, played in sorted(self.rounds.items()) for step in played.steps)

    @property
    def invalid_steps(self) -> tuple[Step, ...]:
        """What was recorded and does not stand: after a correction, for the players to settle.

        Not a confirmation: a round that is not over, or no longer, is confirmed again when it is.
        """
        return tuple(step for _number, played in sorted(self.rounds.items()) for step in played.invalid_steps)

    def get_step(self, number: int) -> Step | None:
        """The step of an entry."""
        found = (played.steps_by_number.get(number) for played in self.rounds.values())
        return next(filter(None, found), None)

    def judge(self, act: Action) -> Step:
        if act.kind == CONFIRM:
            return Step(act, malformed=_not_to_confirm(self.get_round(act.round)))
        if act.kind not in self.game.kinds:
            return Step(act, malformed=_("There is no such kind of entry."))
        if act.round < 1:
            return Step(act, malformed=_("There is no such round."))
        step = self.get_round(act.round).judge(act)
        return replace(step, violations=(*self._played_out(act), *step.violations))

    def record(self, act: Action) -> Match:
        """The match with the act in it, whether it stands or not: a log can always be folded."""
        step = self.judge(act)
        return replace(self, rounds={**self.rounds, act.round: self.get_round(act.round).add_step(step)})

    def _played_out(self, act: Action) -> Iterator[Violation]:
        """What beginning a round breaks when the match needs no more of them: the game's match rule."""
        if act.round in self.rounds or act.round == 1:
            return
        before = self.standing_after(tuple(played for n, played in sorted(self.rounds.items()) if n < act.round))
        rounds = self.game.round_count(self.options, self.seats)
        if before.is_over:
            yield Violation(self.game.match_rule, _("The match is over: this would begin another round."))
        elif rounds is not None and act.round > rounds:
            message = ngettext(
                "The match has {n} round, and it is not finished: this would begin another.",
                "The match has {n} rounds, and not all are finished: this would begin another.",
                rounds,
            )
            yield Violation(self.game.match_rule, message)

    def _fresh(self, number: int) -> Round:
        before = self.rounds.get(max((n for n in self.rounds if n < number), default=0))
        options = before.options if before else self.options
        state = self.game.setup(options, self.seats, number - 1)
        return Round(self.game, options, self.seats, number, state)


def _not_to_confirm(played: Round) -> Text | None:
    """Why nobody can agree with the score of a round yet."""
    if not played.is_over:
        return _("This round is not over yet.")
    return None if played.is_scored else _("The score of this round is still open.")


def iter_count_slots(game: Game, options: Options, seats: int) -> Iterator[tuple[str, int | None]]:
    """Everything that is counted in a round: a kind with a `seat` by the first seat of each side, any other once."""
    for kind, cls in game.counts.items():
        if "seat" in field_names(cls):
            yield from ((kind, side[0]) for side in game.sides(options, seats))
        else:
            yield kind, None


def get_count_slot(game: Game, count: Count) -> tuple[str, int | None]:
    return game.get_kind(count), getattr(count, "seat", None)
