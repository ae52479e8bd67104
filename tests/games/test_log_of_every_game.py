"""The log of every game under whatever its table does: recording, insisting, undo, redo and every correction.

Beside the log runs a model that knows nothing of folding: what counts, in a plain list with its history.
"""

from collections import Counter
from dataclasses import dataclass, replace
from random import Random

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from companion.core.log import TARGETED, Entry, NoSuchTarget
from companion.core.match import CONFIRM, Action
from companion.core.schema import encode
from companion.games import get_games
from tests.games.random_play import build_cases, random_play, random_setting, random_tally
from tests.scale import choose_count

pytestmark = pytest.mark.random

CHANCE = st.integers(0, 2**32).map(Random)


@dataclass(frozen=True)
class Change:
    """What one entry that can be undone has made of the acts: before and after."""

    number: int
    before: tuple[Action, ...]
    after: tuple[Action, ...]


class Table(RuleBasedStateMachine):
    """A table at which everything may happen; `slug` is set by a subclass."""

    slug: str
    entered: Counter
    """How many entries of which kind there have been in all runs."""

    @initialize(chosen=st.integers(0, 999))
    def open(self, chosen):
        self.case = build_cases(self.slug)[chosen % len(build_cases(self.slug))]
        self.log = self.case.log()
        self.acts = ()
        self.done, self.undone = [], []
        self.matches = {(): self.log.match}

    # What the table does

    @rule(chance=CHANCE)
    def play(self, chance):
        play = random_play(self.case.game, self.current.state, chance)
        if play is not None:
            self.enter(self.case.game.get_kind(play), encode(play))
            assert self.log.get_judged_step(self.log.entries[-1]).is_valid or self.log.match.standing.is_over

    @rule(chance=CHANCE, insists=st.booleans())
    def play_wrongly(self, chance, insists):
        plays = list(self.case.game.candidates(self.current.state)) if self.case.game.plays else []
        play = chance.choice(plays or [None])
        if play is not None:
            broken = [violation.rule for violation in self.case.game.judge(self.current.state, play)]
            self.enter(self.case.game.get_kind(play), encode(play), broken if insists else ())

    @rule(chance=CHANCE)
    def count(self, chance):
        count = chance.choice(random_tally(self.case, chance))
        self.enter(self.case.game.get_kind(count), encode(count))

    @rule(chance=CHANCE)
    def count_all(self, chance):
        for count in random_tally(self.case, chance):
            self.enter(self.case.game.get_kind(count), encode(count))

    @rule()
    def confirm(self):
        self.enter(CONFIRM, {})

    @rule(words=st.dictionaries(st.sampled_from(["seat", "card", "row", "x"]), st.text(max_size=3), max_size=3))
    def enter_nonsense(self, words):
        self.enter(next(iter(self.case.game.kinds)), words)

    @precondition(lambda self: self.done)
    @rule(times=st.integers(1, 5))
    def undo(self, times):
        for _time in range(min(times, len(self.done))):
            change = self.done.pop()
            self.say("undo", change.number)
            self.undone.append(change)
            self.acts = change.before
            self.the_acts_are_those_that_count()

    @precondition(lambda self: self.undone)
    @rule(times=st.integers(1, 5))
    def redo(self, times):
        for _time in range(min(times, len(self.undone))):
            change = self.undone.pop()
            self.say("redo", change.number)
            self.done.append(change)
            self.acts = change.after
            self.the_acts_are_those_that_count()

    @precondition(lambda self: self.done)
    @rule(times=st.integers(1, 3))
    def change_their_minds(self, times):
        """Undo, redo and undo again."""
        for _time in range(times):
            self.undo(1)
            self.redo(1)
        self.undo(1)

    @precondition(lambda self: self.targets)
    @rule(data=st.data(), chance=CHANCE)
    def correct(self, data, chance):
        place = data.draw(st.sampled_from(self.targets))
        old = self.acts[place]
        kind, words = self.something(old, chance)
        number = self.say("correct", old.number, kind=kind, **words)
        changed = replace(old, kind=kind, words=words, overruled=())
        self.change(number, (*self.acts[:place], changed, *self.acts[place + 1 :]))

    @precondition(lambda self: self.targets)
    @rule(data=st.data())
    def strike(self, data):
        place = data.draw(st.sampled_from(self.targets))
        number = self.say("strike", self.acts[place].number)
        self.change(number, (*self.acts[:place], *self.acts[place + 1 :]))

    @precondition(lambda self: self.targets)
    @rule(data=st.data())
    def insist(self, data):
        place = data.draw(st.sampled_from(self.targets))
        old = self.acts[place]
        rules = (data.draw(st.sampled_from(list(self.case.game.rules))).value,)
        number = self.say("insist", old.number, overruled=rules)
        changed = replace(old, overruled=(*old.overruled, *rules))
        self.change(number, (*self.acts[:place], changed, *self.acts[place + 1 :]))

    @precondition(lambda self: self.targets)
    @rule(data=st.data(), chance=CHANCE)
    def insert(self, data, chance):
        place = data.draw(st.sampled_from(self.targets))
        old = self.acts[place]
        kind, words = self.something(old, chance)
        number = self.say("insert", old.number, kind=kind, **words)
        self.change(number, (*self.acts[:place], Action(number, old.round, kind, words), *self.acts[place:]))

    @rule()
    def aim_at_what_is_not_there(self):
        """Whatever number is tried, only what counts can be corrected, and only the last undone or redone."""
        corrected = {self.acts[place].number for place in self.targets}
        known = {
            "undo": {change.number for change in self.done[-1:]},
            "redo": {change.number for change in self.undone[-1:]},
            **dict.fromkeys(["correct", "strike", "insist", "insert"], corrected),
        }
        for kind, numbers in known.items():
            for number in set(range(-1, len(self.log.entries) + 2)) - numbers:
                with pytest.raises(NoSuchTarget):
                    self.log.append(self.entry(kind, {"target": str(number), "kind": CONFIRM}))

    @rule()
    def close_and_reopen(self):
        for kind in ("close", "reopen"):
            self.log = self.log.append(self.entry(kind, {}))
            assert self.log.is_closed is (kind == "close")

    # What holds whatever it does

    @invariant()
    def the_acts_are_those_that_count(self):
        assert self.log.actions == self.acts

    @invariant()
    def the_same_acts_make_the_same_match(self):
        """Undo and redo bring back exactly the match that was there."""
        key = tuple((act.number, act.kind, tuple(sorted(act.words.items())), act.overruled) for act in self.acts)
        assert self.matches.setdefault(key, self.log.match) == self.log.match

    @invariant()
    def the_log_replayed_from_its_entries_is_the_log(self):
        again = self.case.log()
        for entry in self.log.entries:
            again = again.append(entry)
        assert again == self.log
        assert self.case.log().extend(self.log.entries) == self.log, "read at once"
        half = len(self.log.entries) // 2
        assert self.case.log().extend(self.log.entries[:half]).extend(self.log.entries[half:]) == self.log

    @invariant()
    def what_does_not_stand_is_listed(self):
        match = self.log.match
        assert len(list(match.steps)) == len(self.acts)
        listed = {step.action.number for step in match.invalid_steps}
        assert listed == {
            step.action.number for step in match.steps if not step.is_valid and step.action.kind != CONFIRM
        }

    @invariant()
    def everything_can_be_shown(self):
        match = self.log.match
        assert all(type(total) is int for total in match.standing.totals)
        for round_ in match.rounds.values():
            assert self.case.game.board(round_.state).turn in (None, *range(self.case.seats))
            assert (round_.sheet is None) is not round_.is_over
        for step in match.steps:
            assert "{" not in "".join(str(violation.message) for violation in step.violations)

    # How

    @property
    def current(self):
        return self.log.match.get_round(self.log.match.current_number)

    @property
    def targets(self):
        """The places among the acts of what can be corrected."""
        return [place for place, act in enumerate(self.acts) if act.kind != CONFIRM]

    def entry(self, kind, words, overruled=()):
        number = len(self.log.entries) + 1
        return Entry(number, kind, words, self.log.match.current_number, tuple(map(str, overruled)))

    def enter(self, kind, words, overruled=()):
        entry = self.entry(kind, words, overruled)
        self.log = self.log.append(entry)
        self.entered["entered"] += 1
        self.change(entry.number, (*self.acts, Action(entry.number, entry.round, kind, words, entry.overruled)))

    def say(self, command, target, overruled=(), **words):
        entry = self.entry(command, {**words, "target": str(target)}, overruled)
        before = self.log
        self.log = before.append(entry)
        assert self.log.entries[:-1] == before.entries
        self.entered[command] += 1
        return entry.number

    def change(self, number, acts):
        self.done.append(Change(number, self.acts, acts))
        self.undone.clear()
        self.acts = acts

    def something(self, old, chance):
        """Kind and words of something that might have been entered in the place of an act."""
        state = self.log.match_before(old.number).get_round(old.round).state
        play = random_play(self.case.game, state, chance)
        count = chance.choice(random_tally(self.case, chance))
        content = count if play is None or chance.random() < 0.3 else play
        return self.case.game.get_kind(content), encode(content)


class SettingTable(Table):
    """A table of a game some of whose options can be said while it is played."""

    @rule(chance=CHANCE)
    def set_option(self, chance):
        setting = random_setting(self.case.game, self.current.options, chance)
        self.enter(self.case.game.get_kind(setting), encode(setting))

    def something(self, old, chance):
        if chance.random() < 0.8:
            return super().something(old, chance)
        setting = random_setting(self.case.game, self.current.options, chance)
        return self.case.game.get_kind(setting), encode(setting)


SETTINGS = settings(
    max_examples=choose_count(8, 20),
    stateful_step_count=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


ENTRIES = choose_count(150, 400)
"""That many at least: Hypothesis may stop earlier than it is allowed to."""


@pytest.mark.parametrize("slug", get_games())
def test_any_sequence_of_entries_keeps_the_log_consistent(slug):
    kind = SettingTable if get_games()[slug].settings else Table
    machine = type("Table", (kind,), {"slug": slug, "entered": Counter()})
    run_state_machine_as_test(machine, settings=SETTINGS)
    assert machine.entered.total() >= ENTRIES, machine.entered
    assert all(machine.entered[kind] for kind in ("entered", *TARGETED)), machine.entered
