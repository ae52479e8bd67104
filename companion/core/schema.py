"""The gate of shape: turns words into the dataclasses of a game and back. What the rules allow is judged elsewhere."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar

from companion.core.codecs import Codec, build_codec, parse_whole_number
from companion.core.errors import Incomplete, Malformed, display_word
from companion.core.text import Text, _

__all__ = ["Choice", "Incomplete", "Malformed", "decode", "display_word", "encode", "field", "parse_whole_number"]

T = TypeVar("T")


@dataclasses.dataclass(frozen=True)
class Choice:
    """One value that an option can have, with its name and a line on what it does."""

    value: str
    label: Text
    hint: Text | None = None


def field(
    label: Text,
    hint: Text | None = None,
    *,
    choices: tuple[Choice, ...] = (),
    range_: range | None = None,
    applies: Callable[[Any], bool] | None = None,
    box_labels: Callable[[Any, int], tuple[Text, ...]] | None = None,
    input_type: str = "",
    max_length: int = 0,
    is_seat: bool = False,
    may_be_shorter: bool = False,
    accepts_sums: bool = False,
    **arguments: Any,
) -> Any:
    """Return a dataclass field with what a form needs to ask for it.

    `choices` and `range_` limit its values; a text has at most `max_length` letters. `is_seat`: a number that names a
    seat; `accepts_sums`: a number that may be typed as `12+7-3`. `applies` says, by the options, whether the field is
    asked for at all. `box_labels` labels the boxes of a sequence by options and seats (the default is one a seat);
    with `may_be_shorter` some may stay empty. `input_type` overrides what `get_input_type` derives. Everything else
    goes to `dataclasses.field`.
    """
    metadata = {
        "label": label,
        "hint": hint,
        "choices": choices,
        "range": range_,
        "applies": applies,
        "box_labels": box_labels,
        "input_type": input_type,
        "max_length": max_length,
        "is_seat": is_seat,
        "may_be_shorter": may_be_shorter,
        "accepts_sums": accepts_sums,
    }
    return dataclasses.field(metadata=metadata, **arguments)


def decode(cls: type[T], words: Mapping[str, str]) -> T:
    """The dataclass that the words spell. Raises Malformed, naming the field."""
    known = _codecs(cls)
    values: dict[str, object] = {}
    for name, word in words.items():
        if name not in known:
            raise Malformed(_("There is no field “{name}” here.", name=display_word(name)), name)
        values[name] = known[name].decode(word, name)
    for part in dataclasses.fields(cls):  # type: ignore[arg-type]
        if part.name not in values and part.default is dataclasses.MISSING:
            label = part.metadata.get("label") or Text(part.name)
            raise Incomplete(_("Still missing: {label}", label=label), part.name)
    return cls(**values)


def encode(value: Any) -> dict[str, str]:
    """The words of a dataclass, without those that say what is the default anyway."""
    return {
        part.name: _codecs(type(value))[part.name].encode(getattr(value, part.name))
        for part in dataclasses.fields(value)
        if part.default is dataclasses.MISSING or getattr(value, part.name) != part.default
    }


def encode_field(cls: Any, name: str, value: object) -> str:
    """The word of one field's value."""
    return _codecs(cls)[name].encode(value)


def decode_partial(cls: type, words: Mapping[str, str]) -> dict[str, object] | None:
    """The values of those fields that are given, or None if the class has no such field or the value no such shape."""
    known = _codecs(cls)
    try:
        return {name: known[name].decode(word, name) for name, word in words.items()}
    except (KeyError, Malformed):
        return None


def is_sequence(cls: type, name: str) -> bool:
    return name in _codecs(cls) and _codecs(cls)[name].is_sequence


def field_names(cls: Any) -> tuple[str, ...]:
    """The fields of a dataclass, in order."""
    return tuple(part.name for part in dataclasses.fields(cls))


def is_optional(cls: Any, name: str) -> bool:
    return any(part.name == name and part.default is not dataclasses.MISSING for part in dataclasses.fields(cls))


def get_label(cls: Any, name: str) -> Text | None:
    """How a field is asked for, if it is."""
    label: Text | None = next(part.metadata.get("label") for part in dataclasses.fields(cls) if part.name == name)
    return label


def get_field_metadata(cls: Any, name: str) -> Mapping[str, Any]:
    """What `field` says of a field; nothing of one that was made without it."""
    return next((part.metadata for part in dataclasses.fields(cls) if part.name == name), {})


def get_choices(cls: Any, name: str) -> tuple[Choice, ...]:
    """What there is to choose from: the choices of the field, or the members of its type by their labels."""
    members = _codecs(cls)[name].members
    by_type = (Choice(str(member), getattr(member, "label", None) or Text(str(member))) for member in members)
    return get_field_metadata(cls, name).get("choices") or tuple(by_type)


def get_input_type(cls: Any, name: str) -> str:
    """How a field is drawn: as it says, or as `flag`, `choice`, `seat`, `number`, `sum`, `text` or `word`."""
    said, kind = get_field_metadata(cls, name), _codecs(cls)[name].shape
    if said.get("input_type"):
        return str(said["input_type"])
    if said.get("is_seat"):
        return "seat"
    if get_choices(cls, name):
        return "choice"
    if kind in ("number", "1,2,3"):
        return "sum" if said.get("accepts_sums") else "number"
    return {"yes|no": "flag", "text": "text", "text,...": "text"}.get(kind, "word")


def describe_shape(cls: type, name: str) -> str:
    """What a field looks like, in a word for the manual: `number`, `yes|no`, `1,2,3` or the values to choose from."""
    return _codecs(cls)[name].shape


def parse_small_number(word: str) -> int | None:
    """The number of an address or a hidden field, of at most nine digits; None where the word is none."""
    return int(word) if word.isascii() and word.isdigit() and len(word) < 10 else None


def _codecs(cls: Any) -> Mapping[str, Codec]:
    return _codecs_of(cls)


@cache
def _codecs_of(cls: Any) -> Mapping[str, Codec]:
    hints = typing.get_type_hints(cls)
    return {part.name: build_codec(hints[part.name], part.metadata) for part in dataclasses.fields(cls)}
