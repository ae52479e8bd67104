"""Counts that are hidden until everybody has counted: which entries tell them, and what a device may do with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from companion.core.game import Count
from companion.core.log import CORRECT, INSERT, TARGETED, Log
from companion.core.match import Match, Step, get_count_slot, iter_count_slots
from companion.core.schema import decode
from companion.tables.log_cache import CachedLog


@dataclass(frozen=True)
class Visibility:
    """What a device sees of a log, by the numbers of entries."""

    concealed: frozenset[int] = frozenset()
    """Entries that tell a count of a round in which not everybody has counted."""
    hidden: frozenset[int] = frozenset()
    """Those of them that this device does not see: it has not entered them itself."""


def compute_visibility(cached_log: CachedLog, device: int | None, *, hides_counts: bool) -> Visibility:
    """Return what the device of that number sees of the log of a table that hides counts, or does not.

    What no known device has entered is not hidden: it came in a file.
    """
    if not hides_counts:
        return Visibility()
    concealed = find_concealed_entries(cached_log.log)
    hidden: set[int] = set()
    for number in sorted(concealed):
        entry, owner = cached_log.log.entries[number - 1], cached_log.entry_meta[number].device
        if owner not in (None, device) or (entry.kind in TARGETED and entry.target in hidden):
            hidden.add(number)
    return Visibility(concealed, frozenset(hidden))


def find_concealed_entries(log: Log) -> frozenset[int]:
    """Return the numbers of all entries that tell a count of a round in which not everybody has counted.

    Entries that change such a count, or undo it, tell it as well. What was taken back is told once nobody will count
    it again, at a table that has ended.
    """
    rounds: dict[int, int] = {}
    concealed: set[int] = set()
    waiting = {number for number in {entry.round for entry in log.entries} if _is_waiting(log, number)}
    for entry in log.entries if waiting else ():
        is_aimed = entry.kind in TARGETED
        rounds[entry.number] = number = rounds.get(entry.target, 0) if is_aimed else entry.round
        said = entry.words.get("kind", "") if entry.kind in (CORRECT, INSERT) else entry.kind
        tells_target = is_aimed and entry.kind != INSERT and entry.target in concealed
        if tells_target or (said in log.match.game.counts and number in waiting):
            concealed.add(entry.number)
    return frozenset(concealed)


def find_hidden_seat(cached_log: CachedLog, hidden: frozenset[int], kind: str, words: Mapping[str, str]) -> int | None:
    """Return whose hidden count an entry of that kind would change, or take the place of by a correction."""
    if kind not in TARGETED or not hidden:
        return None
    target = int(words["target"])
    step = cached_log.log.get_step(target)
    if target in hidden:
        return int((step.action.words if step else cached_log.log.entries[target - 1].words).get("seat", 0))
    if step is None or kind not in (CORRECT, INSERT) or words["kind"] not in cached_log.game.counts:
        return None
    said = {name: word for name, word in words.items() if name not in ("target", "kind")}
    count: Count = decode(cached_log.game.counts[words["kind"]], said)
    return int(said.get("seat", 0)) if _is_hidden_slot(cached_log.match, hidden, step.action.round, count) else None


def judge_visible(log: Log, step: Step, hidden: frozenset[int]) -> Step:
    """Return the step of a count as judged without the counts of its round that are hidden from whoever enters it.

    A verdict that knew them would tell what they come to. Where all do not fit together, that is listed to be settled
    when all are seen. Any other step is returned as it is.
    """
    if step.entry is None or step.action.kind not in log.match.game.counts:
        return step
    played = log.match.get_round(step.action.round)
    others = [own for own in played.counts if own.action.number != step.action.number]
    if not any(own.action.number in hidden for own in others):
        return step
    seen = tuple(own.entry for own in others if own.has_effect and own.action.number not in hidden)
    before = set(played.game.check_tally(played.options, played.seats, seen))
    found = played.game.check_tally(played.options, played.seats, (*seen, step.entry))
    return replace(step, violations=tuple(violation for violation in found if violation not in before))


def _is_hidden_slot(match: Match, hidden: frozenset[int], number: int, count: Count) -> bool:
    """Whether a hidden entry fills the slot of the count in the round of that number."""
    steps = (step for step in match.get_round(number).counts if step.action.number in hidden and step.entry is not None)
    return any(get_count_slot(match.game, step.entry) == get_count_slot(match.game, count) for step in steps)


def _is_waiting(log: Log, number: int) -> bool:
    """Whether somebody has yet to count in the round; a count that is impossible is one as well."""
    played = log.match.get_round(number)
    if not played.counts and (log.is_closed or log.match.standing.is_over):
        return False
    counted = {get_count_slot(played.game, step.entry) for step in played.counts if step.entry is not None}
    return not counted.issuperset(iter_count_slots(played.game, played.options, played.seats))
