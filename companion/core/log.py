"""The log of a table: an append-only list of entries, and the match that it folds to. Storing it is left to others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from companion.core.game import Game, Options
from companion.core.match import CONFIRM, Action, Match, Round, Step
from companion.core.text import Text, _

UNDO, REDO = "undo", "redo"
CORRECT, STRIKE, INSIST, INSERT = "correct", "strike", "insist", "insert"
CLOSE, REOPEN = "close", "reopen"
AMENDMENTS = frozenset({CORRECT, STRIKE, INSIST, INSERT})
"""Entries that change how an earlier one counts; the earlier one stays in the log as it was."""
TARGETED = AMENDMENTS | {UNDO, REDO}
"""Entries that carry a `target`, the number of the entry they speak of."""


@dataclass(frozen=True)
class Entry:
    """One line of the log, numbered from 1. For a correction, `words` holds `target`, `kind` and the new fields."""

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
    """The entries so far and what follows from them. Appending gives a new log; nothing is ever overwritten."""

    match: Match
    entries: tuple[Entry, ...] = ()
    undone: frozenset[int] = frozenset()
    undoable: tuple[int, ...] = ()
    redoable: tuple[int, ...] = ()
    is_closed: bool = False

    @classmethod
    def empty(cls, game: Game, options: Options, seats: int) -> Log:
        return cls(Match(game, options, seats))

    def append(self, entry: Entry) -> Log:
        """The log with the entry in it. Raises NoSuchTarget if it speaks of an entry that it cannot speak of."""
        self._aims(entry)
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
            return log._refolded()
        return replace(log, match=self.match.record(_act(entry)))

    def extend(self, entries: Sequence[Entry]) -> Log:
        """The log with entries that were recorded before, folded once; one that speaks of nothing changes nothing."""
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
            return log._refolded()
        plain = tuple(_act(entry) for entry in entries if entry.kind not in (CLOSE, REOPEN))
        return replace(log, match=fold_actions(self.match, plain))

    def get_step(self, number: int) -> Step | None:
        """The step of the entry of that number, if it counts."""
        return self.match.get_step(number)

    def get_judged_step(self, entry: Entry) -> Step | None:
        """The step whose verdict decides about an entry that has just been appended; None where nothing is judged."""
        if entry.kind in (UNDO, REDO, STRIKE, CLOSE, REOPEN):
            return None
        if entry.kind in AMENDMENTS:
            return self.get_step(entry.target if entry.kind in (CORRECT, INSIST) else entry.number)
        return self.match.rounds[entry.round].steps[-1]

    def match_before(self, number: int) -> Match:
        """The match as it stood when the entry of that number was recorded, with all corrections made since."""
        acts = self.actions
        kept = acts[: next((index for index, act in enumerate(acts) if act.number == number), len(acts))]
        return fold_actions(replace(self.match, rounds={}), kept)

    def get_round_at(self, number: int, version: int) -> Round:
        """Return a round as a page showed it at a version, with all corrections made since."""
        kept = tuple(act for act in self.actions if act.round == number and act.number <= version)
        return fold_actions(replace(self.match, rounds={}), kept).get_round(number)

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """What counts, in order, after undoing and correcting."""
        acts: list[Action] = []
        for entry in self.entries:
            if entry.number in self.undone or entry.kind in (UNDO, REDO, CLOSE, REOPEN):
                continue
            if entry.kind in AMENDMENTS:
                _amend(acts, entry)
            else:
                acts.append(_act(entry))
        return tuple(acts)

    def _undo(self, target: int) -> Log:
        rest = tuple(number for number in self.undoable if number != target)
        undone = replace(self, undone=self.undone | {target}, undoable=rest, redoable=(*self.redoable, target))
        return undone._refolded()

    def _redo(self, target: int) -> Log:
        rest = tuple(number for number in self.redoable if number != target)
        redone = replace(self, undone=self.undone - {target}, undoable=(*self.undoable, target), redoable=rest)
        return redone._refolded()

    def _refolded(self) -> Log:
        return replace(self, match=fold_actions(replace(self.match, rounds={}), self.actions))

    def _aims(self, entry: Entry) -> None:
        match entry.kind:
            case "undo":
                known = self.undoable[-1:]
            case "redo":
                known = self.redoable[-1:]
            case _ if entry.kind in AMENDMENTS:
                known = tuple(act.number for act in self.actions if act.kind != CONFIRM)
            case _:
                return
        if entry.target not in known:
            raise NoSuchTarget(entry.kind)


class NoSuchTarget(ValueError):
    """An entry speaks of one that is not there, or that is not the last one to undo or redo."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.text: Text = {
            UNDO: _("Nothing more to undo here."),
            REDO: _("Nothing to redo."),
        }.get(kind, _("That entry no longer counts."))


def fold_actions(match: Match, acts: tuple[Action, ...]) -> Match:
    for act in acts:
        match = match.record(act)
    return match


def _act(entry: Entry) -> Action:
    return Action(entry.number, entry.round, entry.kind, entry.words, entry.overruled)


def _amend(acts: list[Action], entry: Entry) -> None:
    """Changes the list of acts as a correction says; one whose target has gone changes nothing."""
    place = next((index for index, act in enumerate(acts) if act.number == entry.target), None)
    if place is None:
        return
    act = acts[place]
    words = {name: word for name, word in entry.words.items() if name not in ("target", "kind")}
    match entry.kind:
        case "correct":
            acts[place] = replace(act, kind=entry.words["kind"], words=words, overruled=entry.overruled)
        case "strike":
            del acts[place]
        case "insist":
            acts[place] = replace(act, overruled=(*act.overruled, *entry.overruled))
        case "insert":
            acts.insert(place, Action(entry.number, act.round, entry.words["kind"], words, entry.overruled))
