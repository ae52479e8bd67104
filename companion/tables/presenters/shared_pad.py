"""The pad of a round: the boxes that a device fills in, and the progress of the others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from companion.core.match import Round
from companion.tables.auth import TableAccess
from companion.tables.forms.pad import Box, BoxGroup, Preview
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
    def optional_boxes(self) -> tuple[tuple[Box, tuple[Box, ...]], ...]:
        """A sample of each optional field, with the boxes of those who have not counted yet; shown collapsed."""
        groups = [group for group in self.groups if group.step is None and group.required]
        labels = [group.label for group in groups]
        return tuple(
            (boxes[0], tuple(replace(box, label=label or box.label) for box, label in zip(boxes, labels, strict=True)))
            for boxes in zip(*(group.optional for group in groups), strict=True)
        )

    @property
    def has_sum_boxes(self) -> bool:
        """Whether a box takes sums, so that the keypad needs signs."""
        return any(box.input_type == "sum" for group in self.groups for box in group.boxes)


def split_groups(
    access: TableAccess, groups: Sequence[BoxGroup], *, is_for_all: bool
) -> tuple[tuple[BoxGroup, ...], tuple[BoxGroup, ...]]:
    """Split the boxes of a pad into those that this device fills in, and those of the others.

    A device with a seat fills in its own boxes only, unless `is_for_all`; hidden counts always belong to the others.
    """
    sides = {side[0]: side for side in access.game.scoring.sides(access.match.options, access.match.seats)}
    own_groups: list[BoxGroup] = []
    other_groups: list[BoxGroup] = []
    for group in groups:
        is_hidden = group.step is not None and group.step.action.number in access.visibility.hidden
        is_own = is_for_all or (access.can_enter and access.seat in (None, *sides[group.seat or 0]))
        (own_groups if group.seat is None or (is_own and not is_hidden) else other_groups).append(group)
    return tuple(own_groups), tuple(other_groups)


def list_progress(access: TableAccess, groups: Sequence[BoxGroup]) -> list[tuple[BoxGroup, bool]]:
    """Return the boxes of the others, and whether a device has taken one of their seats and not counted yet.

    Queries the taken seats only if a count is missing.
    """
    taken_seats = get_taken_seats(access.table) if any(group.step is None for group in groups) else frozenset()
    sides = {side[0]: side for side in access.game.scoring.sides(access.match.options, access.match.seats)}
    return [(group, not (group.step or taken_seats.isdisjoint(sides[group.seat or 0]))) for group in groups]
