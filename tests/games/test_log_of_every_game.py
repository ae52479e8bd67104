"""State machine for the log of every game: recording, insisting, undo, redo and every correction.

The log is compared with a model that does not fold: a plain tuple of the actions that count, with its history.
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

from companion.core.entry import TARGETED, Entry, EntryKind
from companion.core.log import NoSuchTarget
from companion.core.match import Action
from companion.core.schema import encode
from companion.games import get_games
from tests.games.random_play import build_cases, random_play, random_setting, random_tally
from tests.scale import choose_count

pytestmark = pytest.mark.random

CHANCE = st.integers(0, 2**32).map(Random)


@dataclass(frozen=True)
class Change:
    """The actions before and after an entry that can be undone."""

    number: int
    before: tuple[Action, ...]
    after: tuple[Action, ...]


class Table(RuleBasedStateMachine):
    """A table of the game with this slug, which a subclass sets."""

    slug: str
    entered: Counter
    """Number of entries by kind, over all runs."""

    @initialize(chosen=st.integers(0, 999))
    def open(self, chosen):
        self.case = build_cases(self.slug)[chosen % len(build_cases(self.slug))]
        self.log = self.case.log()
        self.actions = ()
        self.done, self.undone = [], []
        self.matches = {(): self.log.match}

    # Operations

    @rule(chance=CHANCE)
    def play(self, chance):
        play = random_play(self.case.game, self.current.state, chance)
        if play is not None:
            self.enter(self.case.game.get_kind(play), encode(play))
            assert self.log.newest_step.is_valid or self.log.match.standing.is_over

    @rule(chance=CHANCE, insists=st.booleans())
    def play_wrongly(self, chance, insists):
        plays = list(self.case.game.referee.candidates(self.current.state)) if self.case.game.plays else []
        play = chance.choice(plays or [None])
        if play is not None:
            broken = [violation.rule for violation in self.case.game.referee.judge(self.current.state, play)]
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
        self.enter(EntryKind.CONFIRM, {})

    @rule(words=st.dictionaries(st.sampled_from(["seat", "card", "row", "x"]), st.text(max_size=3), max_size=3))
    def enter_nonsense(self, words):
        self.enter(next(iter(self.case.game.kinds)), words)

    @precondition(lambda self: self.done)
    @rule(times=st.integers(1, 5))
    def undo(self, times):
        for _time in range(min(times, len(self.done))):
            change = self.done.pop()
            self.append_targeted("undo", change.number)
            self.undone.append(change)
            self.actions = change.before
            self.log_has_the_actions_that_count()

    @precondition(lambda self: self.undone)
    @rule(times=st.integers(1, 5))
    def redo(self, times):
        for _time in range(min(times, len(self.undone))):
            change = self.undone.pop()
            self.append_targeted("redo", change.number)
            self.done.append(change)
            self.actions = change.after
            self.log_has_the_actions_that_count()

    @precondition(lambda self: self.done)
    @rule(times=st.integers(1, 3))
    def undo_redo_and_undo_again(self, times):
        for _time in range(times):
            self.undo(1)
            self.redo(1)
        self.undo(1)

    @precondition(lambda self: self.targets)
    @rule(data=st.data(), chance=CHANCE, is_insertion=st.booleans())
    def correct_or_insert(self, data, chance, is_insertion):
        index = data.draw(st.sampled_from(self.targets))
        target = self.actions[index]
        kind, words = self.random_content(target, chance)
        number = self.append_targeted("insert" if is_insertion else "correct", target.number, kind=kind, **words)
        new_action = Action(number if is_insertion else target.number, target.round, kind, words)
        rest = self.actions[index if is_insertion else index + 1 :]
        self.record_change(number, (*self.actions[:index], new_action, *rest))

    @precondition(lambda self: self.targets)
    @rule(data=st.data())
    def strike(self, data):
        index = data.draw(st.sampled_from(self.targets))
        number = self.append_targeted("strike", self.actions[index].number)
        self.record_change(number, (*self.actions[:index], *self.actions[index + 1 :]))

    @precondition(lambda self: self.targets)
    @rule(data=st.data())
    def insist(self, data):
        index = data.draw(st.sampled_from(self.targets))
        old_action = self.actions[index]
        rules = (data.draw(st.sampled_from(list(self.case.game.rules))).value,)
        number = self.append_targeted("insist", old_action.number, overruled=rules)
        new_action = replace(old_action, overruled=(*old_action.overruled, *rules))
        self.record_change(number, (*self.actions[:index], new_action, *self.actions[index + 1 :]))

    @rule()
    def target_invalid_numbers(self):
        """Only entries that count can be corrected; only the last one can be undone or redone."""
        correctable = {self.actions[index].number for index in self.targets}
        valid_targets = {
            "undo": {change.number for change in self.done[-1:]},
            "redo": {change.number for change in self.undone[-1:]},
            **dict.fromkeys(["correct", "strike", "insist", "insert"], correctable),
        }
        for kind, numbers in valid_targets.items():
            for number in set(range(-1, len(self.log.entries) + 2)) - numbers:
                with pytest.raises(NoSuchTarget):
                    self.log.append(self.build_entry(kind, {"target": str(number), "kind": EntryKind.CONFIRM}))

    @rule()
    def close_and_reopen(self):
        for kind in ("close", "reopen"):
            self.log = self.log.append(self.build_entry(kind, {}))
            assert self.log.is_closed is (kind == "close")

    # Invariants

    @invariant()
    def log_has_the_actions_that_count(self):
        assert self.log.actions == self.actions

    @invariant()
    def equal_actions_give_equal_matches(self):
        """Undo and redo restore the same match."""
        key = tuple(
            (action.number, action.kind, tuple(sorted(action.words.items())), action.overruled)
            for action in self.actions
        )
        assert self.matches.setdefault(key, self.log.match) == self.log.match

    @invariant()
    def replayed_entries_give_an_equal_log(self):
        replayed = self.case.log()
        for entry in self.log.entries:
            replayed = replayed.append(entry)
        assert replayed == self.log
        assert self.case.log().extend(self.log.entries) == self.log, "extended at once"
        half = len(self.log.entries) // 2
        assert self.case.log().extend(self.log.entries[:half]).extend(self.log.entries[half:]) == self.log

    @invariant()
    def invalid_steps_are_listed(self):
        match = self.log.match
        assert len(list(match.steps)) == len(self.actions)
        invalid_numbers = {step.action.number for step in match.invalid_steps}
        assert invalid_numbers == {
            step.action.number for step in match.steps if not step.is_valid and step.action.kind != EntryKind.CONFIRM
        }

    @invariant()
    def everything_can_be_rendered(self):
        match = self.log.match
        assert all(type(total) is int for total in match.standing.totals)
        for round_ in match.rounds.values():
            if referee := self.case.game.referee:
                assert referee.board(round_.state).turn in (None, *range(self.case.seats))
            assert (round_.sheet is None) is not round_.is_over
        for step in match.steps:
            assert "{" not in "".join(str(violation.message) for violation in step.violations)

    # Helpers
    @property
    def current(self):
        return self.log.match.get_round(self.log.match.current_number)

    @property
    def targets(self):
        """The indexes of the actions that can be corrected."""
        return [index for index, action in enumerate(self.actions) if action.kind != EntryKind.CONFIRM]

    def build_entry(self, kind, words, overruled=()):
        number = len(self.log.entries) + 1
        return Entry(number, kind, words, self.log.match.current_number, tuple(map(str, overruled)))

    def enter(self, kind, words, overruled=()):
        entry = self.build_entry(kind, words, overruled)
        self.log = self.log.append(entry)
        self.entered["entered"] += 1
        self.record_change(
            entry.number, (*self.actions, Action(entry.number, entry.round, kind, words, entry.overruled))
        )

    def append_targeted(self, command, target, overruled=(), **words):
        entry = self.build_entry(command, {**words, "target": str(target)}, overruled)
        before = self.log
        self.log = before.append(entry)
        assert self.log.entries[:-1] == before.entries
        self.entered[command] += 1
        return entry.number

    def record_change(self, number, actions):
        self.done.append(Change(number, self.actions, actions))
        self.undone.clear()
        self.actions = actions

    def random_content(self, action, chance):
        """Return kind and words of a random replacement for an action."""
        state = self.log.match_before(action.number).get_round(action.round).state
        play = random_play(self.case.game, state, chance)
        count = chance.choice(random_tally(self.case, chance))
        content = count if play is None or chance.random() < 0.3 else play
        return self.case.game.get_kind(content), encode(content)


class SettingTable(Table):
    """A table of a game with options that can be set during play."""

    @rule(chance=CHANCE)
    def set_option(self, chance):
        setting = random_setting(self.case.game, self.current.options, chance)
        self.enter(self.case.game.get_kind(setting), encode(setting))

    def random_content(self, action, chance):
        if chance.random() < 0.8:
            return super().random_content(action, chance)
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
"""Minimum number of entries: Hypothesis may stop before its limits."""


@pytest.mark.parametrize("slug", get_games())
def test_any_sequence_of_entries_keeps_the_log_consistent(slug):
    kind = SettingTable if get_games()[slug].options.settings else Table
    machine = type("Table", (kind,), {"slug": slug, "entered": Counter()})
    run_state_machine_as_test(machine, settings=SETTINGS)
    assert machine.entered.total() >= ENTRIES, machine.entered
    assert all(machine.entered[kind] for kind in ("entered", *TARGETED)), machine.entered
