"""The append-only log of a table, and the match it folds to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from companion.core import refusals
from companion.core.entry import AMENDMENTS, TARGETED, UNJUDGED, Entry, EntryKind
from companion.core.game import Game
from companion.core.match import Action, Match, Round, Step
from companion.core.protocols import Options


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

        An entry that breaks a rule is recorded all the same: judge it first. Undo, redo and amendments replay the whole
        match. Raises NoSuchTarget if `target` is not the next entry to undo or redo, or for an amendment not an entry
        that counts.
        """
        self._check_target(entry)
        return self.extend((entry,))

    def extend(self, entries: Sequence[Entry]) -> Log:
        """Return the log with stored entries, replaying the match at most once.

        An undo or redo with an impossible target changes nothing.
        """
        undone, undoable, redoable = set(self.undone), list(self.undoable), list(self.redoable)
        is_closed = self.is_closed
        for entry in entries:
            match entry.kind:
                case EntryKind.CLOSE | EntryKind.REOPEN:
                    is_closed = entry.kind == EntryKind.CLOSE
                case EntryKind.UNDO if undoable[-1:] == [entry.target]:
                    undone.add(undoable.pop())
                    redoable.append(entry.target)
                case EntryKind.REDO if redoable[-1:] == [entry.target]:
                    undone.remove(redoable.pop())
                    undoable.append(entry.target)
                case EntryKind.UNDO | EntryKind.REDO:
                    pass
                case _:
                    undoable.append(entry.number)
                    redoable.clear()
        log = Log(self.match, (*self.entries, *entries), frozenset(undone), tuple(undoable), tuple(redoable), is_closed)
        if any(entry.kind in TARGETED for entry in entries):
            return replace(log, match=fold_actions(replace(self.match, rounds={}), log.actions))
        return replace(log, match=fold_actions(self.match, _list_actions(entries)))

    def get_step(self, number: int) -> Step | None:
        """Return the step of the entry with that number, or None if it does not count."""
        return self.match.get_step(number)

    @property
    def newest_step(self) -> Step | None:
        """The step that judges the newest entry; None if nothing is judged (undo, redo, strike, close)."""
        entry = self.entries[-1]
        if entry.kind in UNJUDGED:
            return None
        if entry.kind in AMENDMENTS:
            return self.get_step(entry.number if entry.kind == EntryKind.INSERT else entry.target)
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
        return _list_actions(entry for entry in self.entries if entry.number not in self.undone)

    def _check_target(self, entry: Entry) -> None:
        match entry.kind:
            case EntryKind.UNDO:
                targets = self.undoable[-1:]
            case EntryKind.REDO:
                targets = self.redoable[-1:]
            case _ if entry.kind in AMENDMENTS:
                targets = tuple(action.number for action in self.actions if action.kind != EntryKind.CONFIRM)
            case _:
                return
        if entry.target not in targets:
            raise NoSuchTarget(entry.kind)


class NoSuchTarget(ValueError):
    """The target of an entry does not count, or is not the next one to undo or redo."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        match kind:
            case EntryKind.UNDO:
                self.text = refusals.NOTHING_TO_UNDO
            case EntryKind.REDO:
                self.text = refusals.NOTHING_TO_REDO
            case _:
                self.text = refusals.ENTRY_WITHOUT_EFFECT


def fold_actions(match: Match, actions: Iterable[Action]) -> Match:
    """Return the match after recording actions in order."""
    for action in actions:
        match = match.record(action)
    return match


def _list_actions(entries: Iterable[Entry]) -> tuple[Action, ...]:
    """Return what the entries record, in order, each as amended by later ones."""
    actions: list[Action] = []
    for entry in entries:
        if entry.kind in AMENDMENTS:
            _amend(actions, entry)
        elif entry.kind not in UNJUDGED:
            actions.append(Action(entry.number, entry.round, entry.kind, entry.words, entry.overruled, entry.content))
    return tuple(actions)


def _amend(actions: list[Action], entry: Entry) -> None:
    """Amend the list in place; do nothing if the target has gone."""
    index = next((index for index, action in enumerate(actions) if action.number == entry.target), None)
    if index is None:
        return
    action = actions[index]
    amended = replace(
        action, kind=entry.new_kind, words=entry.new_words, overruled=entry.overruled, content=entry.content
    )
    match entry.kind:
        case EntryKind.CORRECT:
            actions[index] = amended
        case EntryKind.STRIKE:
            del actions[index]
        case EntryKind.INSIST:
            actions[index] = replace(action, overruled=(*action.overruled, *entry.overruled))
        case EntryKind.INSERT:
            actions.insert(index, replace(amended, number=entry.number))
