"""Form for the counts of a round on the pad, and a preview of their score."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, fields, replace
from functools import cached_property
from typing import Any

from django.http import QueryDict

from companion.core.game import Game, Violation
from companion.core.match import Match, Round, Step, iter_count_slots
from companion.core.schema import (
    Choice,
    Malformed,
    Meaning,
    get_choices,
    get_field_metadata,
    get_input_type,
    get_label,
    is_optional,
    is_sequence,
)
from companion.core.scoring import ScoreSheet
from companion.core.text import SeatName, Text, _
from companion.tables.forms import entry
from companion.tables.forms.entry import build_box_name


@dataclass(frozen=True)
class Box:
    """One input box, of a count, a play or an option; `input_type` is as in `get_input_type`."""

    id: str
    name: str
    label: Text
    hint: Text | None
    value: str
    is_optional: bool
    input_type: str
    choices: tuple[Choice, ...] = ()
    default: int | None = None
    """What a blank number means, if known."""

    @property
    def values(self) -> tuple[str, ...]:
        """Items of a sequence."""
        return tuple(self.value.split(",")) if self.value else ()


@dataclass(frozen=True)
class BoxGroup:
    """The boxes of one count, of a seat or of the whole table; `step` is the count already recorded."""

    kind: str
    seat: int | None
    boxes: tuple[Box, ...]
    step: Step | None = None
    label: Text | None = None
    """Whose count it is; None for the whole table."""
    side_index: int = 0

    @cached_property
    def boxes_by_field(self) -> Mapping[str, tuple[Box, ...]]:
        by_field: dict[str, tuple[Box, ...]] = {}
        for box in self.boxes:
            name = box.name.rpartition(".")[2]
            by_field[name] = (*by_field.get(name, ()), box)
        return by_field

    @property
    def required(self) -> tuple[Box, ...]:
        return tuple(box for box in self.boxes if not box.is_optional)

    @property
    def optional(self) -> tuple[Box, ...]:
        return tuple(box for box in self.boxes if box.is_optional)


@dataclass(frozen=True)
class SidePoints:
    """Points of a side, by its first seat; None while they cannot be computed."""

    seat: int
    points: int | None
    is_filled: bool = False


@dataclass(frozen=True)
class Preview:
    """Score of the boxes as filled in so far, and what is wrong with them."""

    sums: tuple[SidePoints, ...]
    sheet: ScoreSheet | None
    violations: tuple[Violation, ...]
    malformed: Text | None = None
    so_far: Text | None = None
    """How much of the deck is accounted for."""
    pictures: tuple[tuple[int, Any], ...] = ()
    """Drawing of each seat's count, in games that draw counts; None if incomplete."""

    def limit_to_boxes(self, names: Iterable[str]) -> Preview:
        """Return the preview of only those seats that have a box of these names."""
        seats = {name.split(".")[1] for name in names if name.count(".") == 2}
        sums = tuple(points for points in self.sums if str(points.seat) in seats or "all" in seats)
        pictures = tuple((seat, picture) for seat, picture in self.pictures if str(seat) in seats)
        return replace(self, sums=sums, pictures=pictures)

    def get_points(self, seat: int | None) -> SidePoints:
        return next((points for points in self.sums if points.seat == (seat or 0)), SidePoints(seat or 0, None))


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


def build_groups(
    played: Round, values: Mapping[str, Sequence[str]], concealed: Container[int] = frozenset()
) -> tuple[BoxGroup, ...]:
    """Return the boxes of a round, by count; `values` are words typed but not recorded.

    A concealed entry counts as having effect: saying that it has none would give something away about other counts.
    """
    game, options, seats = played.game, played.options, played.seats
    counts = [step for step in played.counts if step.has_effect or step.action.number in concealed]
    by_slot = {(step.action.kind, getattr(step.entry, "seat", None)): step for step in counts}
    sides = [side[0] for side in game.scoring.sides(options, seats)]
    names = [format_side_name(seats, side) for side in game.scoring.sides(options, seats)]
    return tuple(
        BoxGroup(
            kind,
            seat,
            build_boxes(game, options, seats, kind, seat, values),
            by_slot.get((kind, seat)),
            None if seat is None else names[sides.index(seat)],
            0 if seat is None else sides.index(seat),
        )
        for kind, seat in iter_count_slots(game, options, seats)
    )


def format_side_name(seats: int, side: Sequence[int]) -> Text:
    """Return the names of a side's players, or "Everybody"."""
    if len(side) == seats > 1:
        return _("Everybody")
    return _("{names}", names=tuple(_("{name}", name=SeatName(seat)) for seat in side))


def build_boxes(
    game: Game, options: Any, seats: int, kind: str, seat: int | None, values: Mapping[str, Sequence[str]]
) -> tuple[Box, ...]:
    """Return the boxes of a count: one per field; for a sequence, one per label of the field or one per seat."""
    cls, result = game.pad.counts[kind], []
    for part in fields(cls):
        applies = part.metadata.get("applies")
        if part.name == "seat" or (applies and not applies(options)):
            continue
        name = build_box_name(kind, seat, part.name)
        filled = values.get(name, ())
        for index, label in enumerate(_get_box_labels(cls, part, options, seats)):
            box = build_box(cls, part.name, seats)
            value = filled[index] if index < len(filled) else ""
            result.append(replace(box, id=f"{name}.{index}", name=name, label=label, value=value))
    return tuple(result)


def build_box(cls: type, name: str, seats: int) -> Box:
    """Return an empty box for a field, which may lack a label."""
    input_type, hint = get_input_type(cls, name), get_field_metadata(cls, name).get("hint")
    choices = get_choices(cls, name)
    if name == "seat" or input_type in (Meaning.SEAT, Meaning.SEAT_ORDER):
        choices = tuple(Choice(str(number), label) for number, label in enumerate(_get_seat_labels(seats)))
    label = get_label(cls, name)
    return Box(name, name, label, hint, "", is_optional(cls, name), input_type, choices)


def _get_box_labels(cls: type, part: Field[Any], options: Any, seats: int) -> tuple[Text, ...]:
    """Return a label for each box of a field."""
    if not is_sequence(cls, part.name):
        return (part.metadata["label"],)
    labels: tuple[Text, ...] = (
        part.metadata["box_labels"](options, seats) if part.metadata["box_labels"] else _get_seat_labels(seats)
    )
    return labels


def _get_seat_labels(seats: int) -> tuple[Text, ...]:
    return tuple(_("{name}", name=SeatName(seat)) for seat in range(seats))


def encode_box_values(game: Game, kind: str, words: Mapping[str, str]) -> dict[str, list[str]]:
    """Return what the words of a count put into its boxes, by box name."""
    return {
        build_box_name(kind, words.get("seat"), name): word.split(",")
        if is_sequence(game.pad.counts[kind], name)
        else [word]
        for name, word in words.items()
        if name != "seat"
    }


def preview_posted_counts(data: QueryDict, match: Match, *, exclusive: bool = False) -> Preview:
    """Score the posted boxes, together with the recorded counts unless `exclusive`."""
    try:
        posted = entry.parse_entry(data, match.game)
        counts = entry.parse_complete_counts(posted, match)
    except Malformed as error:
        return build_preview(match, match.current_number, (), error.text)
    return build_preview(match, posted.round or match.current_number, counts, exclusive=exclusive)


def build_preview(
    match: Match, number: int, counts: Sequence[Any], malformed: Text | None = None, *, exclusive: bool = False
) -> Preview:
    """Score the boxes of a round, together with its recorded counts unless `exclusive`."""
    played = match.get_round(number)
    options, counted = played.options, () if exclusive else played.manual_counts
    slots = {(match.game.get_kind(count), getattr(count, "seat", None)): count for count in counted}
    slots.update({(match.game.get_kind(count), getattr(count, "seat", None)): count for count in counts})
    wanted = tuple(iter_count_slots(match.game, options, match.seats))
    tally = tuple(slots[slot] for slot in wanted if slot in slots)
    violations = tuple(match.game.pad.check(options, match.seats, tuple(slots.values())))
    filled = {0 if seat is None else seat for _kind, seat in slots}
    firsts = tuple(side[0] for side in match.game.scoring.sides(options, match.seats))
    if malformed or not tally or any(violation.binding for violation in violations):
        unscored = tuple(SidePoints(seat, None, seat in filled) for seat in firsts)
        return Preview(unscored, None, violations, malformed, pictures=_draw_pictures(played, {}))
    sheet = match.game.scoring.score(options, tally) if len(tally) == len(wanted) else None
    points = _score_sides(played, tally, sheet)
    sums = tuple(SidePoints(seat, points.get(seat), seat in filled) for seat in firsts)
    return Preview(
        sums, sheet, violations, so_far=match.game.pad.progress(tally), pictures=_draw_pictures(played, slots)
    )


def _draw_pictures(played: Round, slots: Mapping[tuple[str, int | None], Any]) -> tuple[tuple[int, Any], ...]:
    draw = played.game.pad.picture
    if draw is None:
        return ()
    wanted = iter_count_slots(played.game, played.options, played.seats)
    seats = ((kind, seat) for kind, seat in wanted if seat is not None)
    return tuple(
        (seat, draw(played.options, slots[kind, seat]) if (kind, seat) in slots else None) for kind, seat in seats
    )


def _score_sides(played: Round, tally: tuple[Any, ...], sheet: ScoreSheet | None) -> dict[int, int | None]:
    if sheet is not None:
        sides = played.game.scoring.sides(played.options, played.seats)
        return {side[0]: points for side, points in zip(sides, sheet.points, strict=True)}
    if played.game.pad.picture:
        return {}
    counted = [count.seat for count in tally if hasattr(count, "seat")]
    try:
        return dict(zip(sorted(counted), played.game.scoring.score(played.options, tally).points, strict=True))
    except (ValueError, Malformed):  # this game scores complete tallies only
        return {}
