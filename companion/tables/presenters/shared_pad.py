"""What a device is shown of a pad that several fill in: its own part, how far the others are, and nothing that is still
a secret."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from companion.core.log import TARGETED
from companion.core.log import Entry as LogEntry
from companion.core.schema import parse_small_number
from companion.core.text import SeatName, Text, _
from companion.tables.auth import TableAccess
from companion.tables.forms.pad import BoxGroup
from companion.tables.services.guests import get_taken_seats


@dataclass(frozen=True)
class SideProgress:
    """Somebody else's part of the pad."""

    label: Text | None
    is_counted: bool
    is_counting: bool
    """Whether a phone holds a seat of theirs, and has not counted yet."""


def split_groups(
    access: TableAccess, found: Sequence[BoxGroup], *, is_asked_for_all: bool = False
) -> tuple[tuple[BoxGroup, ...], tuple[SideProgress, ...]]:
    """The groups of a pad that this device fills in, and the others of which it sees how far they are.

    A device that has taken a seat fills in its own, unless everybody's is asked for; what is hidden is never shown.
    """
    own, others = [], []
    for group in found:
        is_others = not access.can_enter or (
            access.seat is not None and group.seat != _get_own_group_seat(access, found)
        )
        is_hidden = group.step is not None and group.step.action.number in access.visibility.hidden
        if group.seat is not None and (is_hidden or (is_others and not is_asked_for_all)):
            others.append(group)
        else:
            own.append(group)
    return tuple(own), _build_progress(access, others)


def _build_progress(access: TableAccess, groups: Sequence[BoxGroup]) -> tuple[SideProgress, ...]:
    """How far others are; asks which seats are held only where somebody has not counted."""
    held = get_taken_seats(access.table) if any(group.step is None for group in groups) else frozenset()
    sides = {side[0]: side for side in access.game.sides(access.match.options, access.match.seats)}
    return tuple(
        SideProgress(
            group.label, group.step is not None, group.step is None and not held.isdisjoint(sides[group.seat or 0])
        )
        for group in groups
    )


def describe_hidden_entry(entry: LogEntry) -> Text:
    """What is said of a hidden entry."""
    seat = parse_small_number(entry.words.get("seat", ""))
    if entry.kind in TARGETED:
        return _("No. {n} changed", n=entry.target)
    return _("{name} has counted", name=SeatName(seat)) if seat is not None else _("A count")


def _get_own_group_seat(access: TableAccess, found: Sequence[BoxGroup]) -> int | None:
    """The seat under which the device's own side counts."""
    sides = access.game.sides(access.match.options, access.match.seats)
    own = next((side for side in sides if access.seat in side), ())
    return next((group.seat for group in found if group.seat in own), None)
