"""The append-only log of a table, and the match it folds to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from companion.core.game import Game, Options
from companion.core.match import CONFIRM, Action, Match, Round, Step
from companion.core.text import Text, _

UNDO, REDO = "undo", "redo"
CORRECT, STRIKE, INSIST, INSERT = "correct", "strike", "insist", "insert"
CLOSE, REOPEN = "close", "reopen"
AMENDMENTS = frozenset({CORRECT, STRIKE, INSIST, INSERT})
"""Kinds of entries that change how an earlier one counts, without overwriting it."""
TARGETED = AMENDMENTS | {UNDO, REDO}
"""Kinds of entries that have a `target`, the number of another entry."""


@dataclass(frozen=True)
class Entry:
    """One line of the log, numbered from 1.

    `words` are its fields in notation; those of a correction hold `target`, `kind` and the new fields.
    """

    number: int
    kind: str
    words: Mapping[str, str]
    round: int = 0
    overruled: tuple[str, ...] = ()

    @property
    def target(self) -> int:
        return int(self.words["target"])


@dataclass(frozen=True)
class Log:
    """The entries so far, and the match that follows from them. Immutable: appending returns a new log.

    `undone` are the numbers of entries that do not count; `undoable` and `redoable` are stacks, the next one last.
    """

    match: Match
    entries: tuple[Entry, ...] = ()
    undone: frozenset[int] = frozenset()
    undoable: tuple[int, ...] = ()
    redoable: tuple[int, ...] = ()
    is_closed: bool = False

    @classmethod
    def empty(cls, game: Game, options: Options, seats: int) -> Log:
        """Return the log of a new table."""
        return cls(Match(game, options, seats))

    def append(self, entry: Entry) -> Log:
        """Return the log with one more entry. Its number must be one more than the last.

        An entry that breaks a rule is recorded all the same: judge it first. Plays and counts are added in constant
        time; undo, redo and amendments replay the whole match. Raises NoSuchTarget if `target` is not the next entry
        to undo or redo, or for an amendment not an entry that counts.
        """
        self._check_target(entry)
        log = replace(self, entries=(*self.entries, entry))
        match entry.kind:
            case "close" | "reopen":
                return replace(log, is_closed=entry.kind == CLOSE)
            case "undo":
                return log._undo(entry.target)
            case "redo":
                return log._redo(entry.target)
        log = replace(log, undoable=(*self.undoable, entry.number), redoable=())
        if entry.kind in AMENDMENTS:
            return log._refold()
        return replace(log, match=self.match.record(_build_action(entry)))

    def extend(self, entries: Sequence[Entry]) -> Log:
        """Return the log with stored entries, replaying the match at most once.

        Equals appending them one by one, except that an entry with an impossible target changes nothing.
        """
        undone, undoable, redoable = set(self.undone), list(self.undoable), list(self.redoable)
        is_closed = self.is_closed
        for entry in entries:
            match entry.kind:
                case "close" | "reopen":
                    is_closed = entry.kind == CLOSE
                case "undo" if undoable[-1:] == [entry.target]:
                    undone.add(undoable.pop())
                    redoable.append(entry.target)
                case "redo" if redoable[-1:] == [entry.target]:
                    undone.remove(redoable.pop())
                    undoable.append(entry.target)
                case "undo" | "redo":
                    pass
                case _:
                    undoable.append(entry.number)
                    redoable.clear()
        log = Log(self.match, (*self.entries, *entries), frozenset(undone), tuple(undoable), tuple(redoable), is_closed)
        if any(entry.kind in TARGETED for entry in entries):
            return log._refold()
        actions = tuple(_build_action(entry) for entry in entries if entry.kind not in (CLOSE, REOPEN))
        return replace(log, match=fold_actions(self.match, actions))

    def get_step(self, number: int) -> Step | None:
        """Return the step of the entry with that number, or None if it does not count."""
        return self.match.get_step(number)

    def get_judged_step(self, entry: Entry) -> Step | None:
        """Return the step that judges a just appended entry; None if nothing is judged (undo, redo, strike, close)."""
        if entry.kind in (UNDO, REDO, STRIKE, CLOSE, REOPEN):
            return None
        if entry.kind in AMENDMENTS:
            return self.get_step(entry.target if entry.kind in (CORRECT, INSIST) else entry.number)
        return self.match.rounds[entry.round].steps[-1]

    def match_before(self, number: int) -> Match:
        """Return the match just before the entry with that number, with all corrections made since.

        The whole match if the entry does not count.
        """
        actions = self.actions
        index = next((index for index, action in enumerate(actions) if action.number == number), len(actions))
        return fold_actions(replace(self.match, rounds={}), actions[:index])

    def get_round_at(self, number: int, version: int) -> Round:
        """Return a round as it was after entry `version`, with all corrections made since."""
        actions = tuple(action for action in self.actions if action.round == number and action.number <= version)
        return fold_actions(replace(self.match, rounds={}), actions).get_round(number)

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """What counts, in order, after undo and corrections."""
        actions: list[Action] = []
        for entry in self.entries:
            if entry.number in self.undone or entry.kind in (UNDO, REDO, CLOSE, REOPEN):
                continue
            if entry.kind in AMENDMENTS:
                _amend(actions, entry)
            else:
                actions.append(_build_action(entry))
        return tuple(actions)

    def _undo(self, target: int) -> Log:
        rest = tuple(number for number in self.undoable if number != target)
        undone = replace(self, undone=self.undone | {target}, undoable=rest, redoable=(*self.redoable, target))
        return undone._refold()

    def _redo(self, target: int) -> Log:
        rest = tuple(number for number in self.redoable if number != target)
        redone = replace(self, undone=self.undone - {target}, undoable=(*self.undoable, target), redoable=rest)
        return redone._refold()

    def _refold(self) -> Log:
        return replace(self, match=fold_actions(replace(self.match, rounds={}), self.actions))

    def _check_target(self, entry: Entry) -> None:
        match entry.kind:
            case "undo":
                targets = self.undoable[-1:]
            case "redo":
                targets = self.redoable[-1:]
            case _ if entry.kind in AMENDMENTS:
                targets = tuple(action.number for action in self.actions if action.kind != CONFIRM)
            case _:
                return
        if entry.target not in targets:
            raise NoSuchTarget(entry.kind)


class NoSuchTarget(ValueError):
    """The target of an entry does not count, or is not the next one to undo or redo."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.text: Text = {
            UNDO: _("Nothing more to undo here."),
            REDO: _("Nothing to redo."),
        }.get(kind, _("That entry no longer counts."))


def fold_actions(match: Match, actions: Iterable[Action]) -> Match:
    """Return the match after recording actions in order."""
    for action in actions:
        match = match.record(action)
    return match


def _build_action(entry: Entry) -> Action:
    return Action(entry.number, entry.round, entry.kind, entry.words, entry.overruled)


def _amend(actions: list[Action], entry: Entry) -> None:
    """Amend the list in place; do nothing if the target has gone."""
    index = next((index for index, action in enumerate(actions) if action.number == entry.target), None)
    if index is None:
        return
    action = actions[index]
    words = {name: word for name, word in entry.words.items() if name not in ("target", "kind")}
    match entry.kind:
        case "correct":
            actions[index] = replace(action, kind=entry.words["kind"], words=words, overruled=entry.overruled)
        case "strike":
            del actions[index]
        case "insist":
            actions[index] = replace(action, overruled=(*action.overruled, *entry.overruled))
        case "insert":
            actions.insert(index, Action(entry.number, action.round, entry.words["kind"], words, entry.overruled))
