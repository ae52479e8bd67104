"""What the pad shows: the boxes of a round's counts, and what they would score. Shared with the calculator."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, fields, replace
from functools import cached_property
from typing import Any

from django.http import QueryDict

from companion.core.codecs import MAX_SEQUENCE_LENGTH
from companion.core.game import Game, ScoreSheet, Violation
from companion.core.match import Match, Round, Step, iter_count_slots
from companion.core.schema import Choice, Malformed, get_choices, get_input_type, is_optional, is_sequence
from companion.core.text import SeatName, Text, _
from companion.tables.forms import entry
from companion.tables.forms.entry import build_box_name


@dataclass(frozen=True)
class Box:
    """One box to fill in; `form` is as in `get_input_type`, and `choices` what there is to choose from."""

    id: str
    name: str
    label: Text
    hint: Text | None
    value: str
    is_optional: bool
    form: str
    choices: tuple[Choice, ...] = ()


@dataclass(frozen=True)
class BoxGroup:
    """What is counted together: the boxes of a seat or of the table, or the count that has been entered already."""

    kind: str
    seat: int | None
    boxes: tuple[Box, ...]
    step: Step | None = None
    label: Text | None = None
    """Who counts, where it is not the whole table that has one result."""
    place: int = 0
    """Among the sides."""

    @cached_property
    def field(self) -> Mapping[str, tuple[Box, ...]]:
        """The boxes by the field that they belong to."""
        found: dict[str, tuple[Box, ...]] = {}
        for box in self.boxes:
            name = box.name.rpartition(".")[2]
            found[name] = (*found.get(name, ()), box)
        return found

    @property
    def needed(self) -> tuple[Box, ...]:
        return tuple(box for box in self.boxes if not box.is_optional)

    @property
    def optional(self) -> tuple[Box, ...]:
        return tuple(box for box in self.boxes if box.is_optional)


@dataclass(frozen=True)
class OptionalBoxes:
    """Boxes that may stay blank, folded away together: those of one field, by the seat that they belong to."""

    label: Text
    hint: Text | None
    boxes: tuple[Box, ...]


@dataclass(frozen=True)
class SidePoints:
    """The points of a seat (of 0 where the table is one side), if it is filled in and can be scored."""

    seat: int
    points: int | None
    is_filled: bool = False


@dataclass(frozen=True)
class Preview:
    """What the boxes would score as they are filled in now, and what is wrong with them."""

    sums: tuple[SidePoints, ...]
    sheet: ScoreSheet | None
    violations: tuple[Violation, ...]
    malformed: Text | None = None
    so_far: Text | None = None
    """How much of the deck is accounted for."""
    pictures: tuple[tuple[int, Any], ...] = ()
    """What there is to see of each seat's count, in games that draw counts; None where it is not whole."""

    def only(self, names: Iterable[str]) -> Preview:
        """The same with the sums of those seats only whose boxes are among the names."""
        seats = {name.split(".")[1] for name in names if name.count(".") == 2}
        sums = tuple(own for own in self.sums if str(own.seat) in seats or "all" in seats)
        return replace(self, sums=sums, pictures=tuple(own for own in self.pictures if str(own[0]) in seats))

    def sum_of(self, seat: int | None) -> SidePoints:
        return next((own for own in self.sums if own.seat == (seat or 0)), SidePoints(seat or 0, None))


def build_groups(
    played: Round, values: Mapping[str, Sequence[str]], concealed: Container[int] = frozenset()
) -> tuple[BoxGroup, ...]:
    """The pad of a round; `values` are boxes that were filled in before and not recorded.

    Of a concealed entry nobody is told that it has no effect: that would tell something of the others.
    """
    game, options, seats = played.game, played.options, played.seats
    counts = [step for step in played.counts if step.has_effect or step.action.number in concealed]
    by_slot = {(step.action.kind, getattr(step.entry, "seat", None)): step for step in counts}
    sides = [side[0] for side in game.sides(options, seats)]
    names = [format_side_name(seats, side) for side in game.sides(options, seats)]
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
    """Who scores together, by name; everybody together have no names."""
    if len(side) == seats > 1:
        return _("Everybody")
    return _("{names}", names=tuple(_("{name}", name=SeatName(seat)) for seat in side))


def collect_optional_boxes(found: Sequence[BoxGroup]) -> tuple[OptionalBoxes, ...]:
    """The boxes that may stay blank, of all groups that are not counted yet."""
    open_groups = [group for group in found if group.step is None and group.needed]
    by_field = zip(*(group.optional for group in open_groups), strict=True)
    return tuple(
        OptionalBoxes(
            own[0].label,
            own[0].hint,
            tuple(replace(box, label=group.label or box.label) for group, box in zip(open_groups, own, strict=True)),
        )
        for own in by_field
    )


def has_sums(found: Sequence[BoxGroup]) -> bool:
    """Whether a box takes sums, so that the number pad needs signs."""
    return any(box.form == "sum" for group in found for box in group.boxes)


def build_boxes(
    game: Game, options: Any, seats: int, kind: str, seat: int | None, values: Mapping[str, Sequence[str]]
) -> tuple[Box, ...]:
    """The boxes of one count: a box a field, and for a sequence those that the field names, or a box a seat."""
    cls = game.counts[kind]
    found: list[Box] = []
    for part in fields(cls):
        applies = part.metadata.get("applies")
        if part.name == "seat" or (applies and not applies(options)):
            continue
        name, form = build_box_name(kind, seat, part.name), get_input_type(cls, part.name)
        filled, hint, optional = values.get(name, ()), part.metadata["hint"], is_optional(cls, part.name)
        choices = get_choices(cls, part.name)
        if form in ("seat", "order"):
            choices = tuple(Choice(str(own), label) for own, label in enumerate(_get_seat_labels(seats)))
        for index, label in enumerate(_get_box_labels(cls, part, options, seats)):
            value = filled[index] if index < len(filled) else ""
            found.append(Box(f"{name}.{index}", name, label, hint, value, optional, form, choices))
    return tuple(found)


def _get_box_labels(cls: type, part: Field[Any], options: Any, seats: int) -> tuple[Text, ...]:
    """The labels of a field's boxes, one each."""
    if not is_sequence(cls, part.name):
        return (part.metadata["label"],)
    named: tuple[Text, ...] = (
        part.metadata["boxes"](options, seats) if part.metadata["boxes"] else _get_seat_labels(seats)
    )
    return named


def count_boxes(match: Match, kind: str, name: str) -> int:
    """How many boxes a field has, if there is such a field; a form with more is left as it is, to be refused."""
    cls = match.game.counts.get(kind)
    part = next((part for part in fields(cls) if part.name == name), None) if cls else None
    return len(_get_box_labels(cls, part, match.options, match.seats)) if cls and part else MAX_SEQUENCE_LENGTH


def _get_seat_labels(seats: int) -> tuple[Text, ...]:
    return tuple(_("{name}", name=SeatName(seat)) for seat in range(seats))


def encode_box_values(game: Game, kind: str, words: Mapping[str, str]) -> dict[str, list[str]]:
    """The boxes as a count that is there, in words, would have filled them in."""
    return {
        build_box_name(kind, words.get("seat"), name): word.split(",")
        if is_sequence(game.counts[kind], name)
        else [word]
        for name, word in words.items()
        if name != "seat"
    }


def preview_posted_counts(data: QueryDict, match: Match, *, alone: bool = False) -> Preview:
    """Return what the posted boxes of a pad come to, `alone` or with what has been counted already."""
    try:
        posted = entry.parse_entry(data, match.game)
        counts = entry.parse_complete_counts(posted, match)
    except Malformed as error:
        return build_preview(match, match.current_number, (), error.text)
    return build_preview(match, posted.round or match.current_number, counts, alone=alone)


def build_preview(
    match: Match, number: int, counts: Sequence[Any], malformed: Text | None = None, *, alone: bool = False
) -> Preview:
    """What the counts already entered, and those still in the boxes, come to; `alone` those in the boxes only."""
    played = match.get_round(number)
    options, counted = played.options, () if alone else played.manual_counts
    slots = {(match.game.get_kind(count), getattr(count, "seat", None)): count for count in counted}
    slots.update({(match.game.get_kind(count), getattr(count, "seat", None)): count for count in counts})
    wanted = tuple(iter_count_slots(match.game, options, match.seats))
    tally = tuple(slots[slot] for slot in wanted if slot in slots)
    violations = tuple(match.game.check_tally(options, match.seats, tuple(slots.values())))
    filled = {0 if seat is None else seat for _kind, seat in slots}
    firsts = tuple(side[0] for side in match.game.sides(options, match.seats))
    if malformed or not tally or any(violation.binding for violation in violations):
        unscored = tuple(SidePoints(seat, None, seat in filled) for seat in firsts)
        return Preview(unscored, None, violations, malformed, pictures=_draw_pictures(played, {}))
    sheet = match.game.score(options, tally) if len(tally) == len(wanted) else None
    points = _score_sides(played, tally, sheet)
    sums = tuple(SidePoints(seat, points.get(seat), seat in filled) for seat in firsts)
    return Preview(sums, sheet, violations, so_far=match.game.progress(tally), pictures=_draw_pictures(played, slots))


def _draw_pictures(played: Round, slots: Mapping[tuple[str, int | None], Any]) -> tuple[tuple[int, Any], ...]:
    draw = played.game.picture
    if draw is None:
        return ()
    wanted = iter_count_slots(played.game, played.options, played.seats)
    seats = ((kind, seat) for kind, seat in wanted if seat is not None)
    return tuple(
        (seat, draw(played.options, slots[kind, seat]) if (kind, seat) in slots else None) for kind, seat in seats
    )


def _score_sides(played: Round, tally: tuple[Any, ...], sheet: ScoreSheet | None) -> dict[int, int | None]:
    if sheet is not None:
        sides = played.game.sides(played.options, played.seats)
        return {side[0]: points for side, points in zip(sides, sheet.points, strict=True)}
    if not played.game.can_score_single_count:
        return {}
    counted = [count.seat for count in tally if hasattr(count, "seat")]
    try:
        return dict(zip(sorted(counted), played.game.score(played.options, tally).points, strict=True))
    except (ValueError, Malformed):  # a game that scores only whole tallies
        return {}
