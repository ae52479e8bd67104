"""The pad of a round: the boxes that a device fills in, and the progress of the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from companion.core.match import Round
from companion.core.text import Text
from companion.tables.auth import TableAccess
from companion.tables.forms import pad
from companion.tables.forms.pad import BoxGroup, OptionalBoxes, Preview
from companion.tables.services.guests import get_taken_seats


@dataclass(frozen=True)
class Pad:
    """Boxes of a round: those of a device at the table, of a count to correct, or of the calculator."""

    played: Round
    groups: tuple[BoxGroup, ...]
    form: Mapping[str, object]
    """Hidden fields of the form around the boxes."""
    preview: Preview | None = None

    @cached_property
    def optional_boxes(self) -> tuple[OptionalBoxes, ...]:
        return pad.collect_optional_boxes(self.groups)

    @property
    def has_sum_boxes(self) -> bool:
        return pad.has_sum_boxes(self.groups)


@dataclass(frozen=True)
class SideProgress:
    """How far the count of another side is."""

    label: Text | None
    is_counted: bool
    is_counting: bool
    """Whether a device has taken one of their seats, and has not counted yet."""


def split_groups(
    access: TableAccess, groups: Sequence[BoxGroup], *, is_for_all: bool = False
) -> tuple[tuple[BoxGroup, ...], tuple[SideProgress, ...]]:
    """Split the boxes of a pad into those that this device fills in, and the progress of the others.

    A device with a seat fills in its own boxes only, unless `is_for_all`; hidden counts always belong to the others.
    """
    own_groups, other_groups = [], []
    for group in groups:
        is_others = not access.can_enter or (
            access.seat is not None and group.seat != _get_own_group_seat(access, groups)
        )
        is_hidden = group.step is not None and group.step.action.number in access.visibility.hidden
        if group.seat is not None and (is_hidden or (is_others and not is_for_all)):
            other_groups.append(group)
        else:
            own_groups.append(group)
    return tuple(own_groups), _build_progress(access, other_groups)


def _build_progress(access: TableAccess, groups: Sequence[BoxGroup]) -> tuple[SideProgress, ...]:
    """Return the progress of each group; queries the taken seats only if a count is missing."""
    taken_seats = get_taken_seats(access.table) if any(group.step is None for group in groups) else frozenset()
    sides = {side[0]: side for side in access.game.scoring.sides(access.match.options, access.match.seats)}
    return tuple(
        SideProgress(
            group.label,
            is_counted=group.step is not None,
            is_counting=group.step is None and not taken_seats.isdisjoint(sides[group.seat or 0]),
        )
        for group in groups
    )


def _get_own_group_seat(access: TableAccess, groups: Sequence[BoxGroup]) -> int | None:
    """Return the seat under which the device's own side counts."""
    sides = access.game.scoring.sides(access.match.options, access.match.seats)
    own_side = next((side for side in sides if access.seat in side), ())
    return next((group.seat for group in groups if group.seat in own_side), None)
