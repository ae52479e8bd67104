"""Counts hidden until everybody has counted: which entries reveal them, and to whom."""

from dataclasses import dataclass, replace

from companion.core.entry import TARGETED, Entry, EntryKind
from companion.core.log import Log
from companion.core.match import Step, get_count_slot, iter_count_slots
from companion.core.schema import decode
from companion.tables.log_cache import CachedLog


@dataclass(frozen=True)
class Visibility:
    """The entries of a log that a device may not see, by number."""

    concealed: frozenset[int] = frozenset()
    """Entries that reveal a count of a round in which not everybody has counted."""
    hidden: frozenset[int] = frozenset()
    """Those that this device does not see, because others entered them."""


def compute_visibility(cached_log: CachedLog, device: int | None) -> Visibility:
    """Return what the device sees of the log of a table that hides counts.

    Entries without a device were imported, and are not hidden.
    """
    concealed = find_concealed_entries(cached_log.log)
    hidden: set[int] = set()
    for number in sorted(concealed):
        entry, owner = cached_log.log.entries[number - 1], cached_log.entry_meta[number].device
        if owner not in (None, device) or (entry.kind in TARGETED and entry.target in hidden):
            hidden.add(number)
    return Visibility(concealed, frozenset(hidden))


def find_concealed_entries(log: Log) -> frozenset[int]:
    """Return the numbers of entries that reveal a count of a round in which not everybody has counted.

    These include corrections and undos of such a count. Once the table has ended, undone counts are revealed.
    """
    rounds: dict[int, int] = {}
    concealed: set[int] = set()
    waiting = {number for number in {entry.round for entry in log.entries} if _is_waiting(log, number)}
    for entry in log.entries if waiting else ():
        is_aimed = entry.kind in TARGETED
        rounds[entry.number] = number = rounds.get(entry.target, 0) if is_aimed else entry.round
        reveals_target = is_aimed and entry.kind != EntryKind.INSERT and entry.target in concealed
        if reveals_target or ((entry.new_kind or entry.kind) in log.match.game.pad.counts and number in waiting):
            concealed.add(entry.number)
    return frozenset(concealed)


def find_hidden_seat(cached_log: CachedLog, hidden: frozenset[int], entry: Entry) -> int | None:
    """Return the seat whose hidden count an entry would change or replace, or None."""
    if entry.kind not in TARGETED:
        return None
    step = cached_log.log.get_step(entry.target)
    if entry.target in hidden:
        return int((step.action if step else cached_log.log.entries[entry.target - 1]).words.get("seat", 0))
    if step is None or entry.new_kind not in cached_log.game.pad.counts:
        return None
    game, words = cached_log.game, entry.new_words
    slot = get_count_slot(game, entry.content or decode(game.pad.counts[entry.new_kind], words))
    counts = cached_log.match.get_round(step.action.round).counts
    hidden_counts = (other.entry for other in counts if other.entry is not None and other.action.number in hidden)
    return int(words.get("seat", 0)) if any(get_count_slot(game, other) == slot for other in hidden_counts) else None


def judge_visible(log: Log, step: Step, hidden: frozenset[int]) -> Step:
    """Return the step of a count, judged without the counts that are hidden from its author.

    A verdict based on them would reveal their sum. If all counts do not fit together, that is listed for settlement
    once they are visible. Any other step is returned unchanged.
    """
    if step.entry is None or step.action.kind not in log.match.game.pad.counts:
        return step
    played = log.match.get_round(step.action.round)
    others = tuple(other for other in played.counts if other.action.number != step.action.number)
    visible = tuple(other for other in others if other.action.number not in hidden)
    return step if visible == others else replace(played, counts=visible).judge(step.action)


def _is_waiting(log: Log, number: int) -> bool:
    """Whether somebody has yet to count in the round; impossible counts count as well."""
    played = log.match.get_round(number)
    if not played.counts and (log.is_closed or log.match.standing.is_over):
        return False
    counted = {get_count_slot(played.game, step.entry) for step in played.counts if step.entry is not None}
    return not counted.issuperset(iter_count_slots(played.game, played.options, played.seats))
