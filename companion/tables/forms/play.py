"""Forms for the plays of a game that has no board of its own."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from companion.core.match import Round
from companion.core.schema import field_names, get_kind_label, is_sequence
from companion.core.text import Text
from companion.tables.forms.pad import Box, build_box


@dataclass(frozen=True)
class PlayForm:
    """The form of one kind of play: a box for each field that the turn leaves open."""

    id: str
    kind: str
    label: Text
    boxes: tuple[Box, ...]


def build_play_forms(
    played: Round, turn: int | None, recorded_kind: str = "", words: Mapping[str, str] | None = None
) -> tuple[PlayForm, ...]:
    """Return a form for every kind of play; the one of a recorded play is filled in with its `words`.

    A kind is named by the `label` of its dataclass, if it has one.
    """
    forms: list[PlayForm] = []
    for kind, cls in played.game.plays.items():
        values = (words or {}) if kind == recorded_kind else {}
        names = (name for name in field_names(cls) if turn is None or name != "seat")
        boxes = tuple(_build_box(cls, kind, name, played.seats, values.get(name, "")) for name in names)
        forms.append(PlayForm(f"board-{kind}" if forms else "board", kind, get_kind_label(cls, kind), boxes))
    return tuple(forms)


def _build_box(cls: type, kind: str, name: str, seats: int, value: str) -> Box:
    """Return the box of a field; a sequence is written in one, as `1,2,3`."""
    box = replace(build_box(cls, name, seats), id=f"{kind}-{name}", value=value)
    return replace(box, input_type="word") if is_sequence(cls, name) else box
