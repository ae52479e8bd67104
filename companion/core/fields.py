"""The gate of shape: turns words into the dataclasses of a game and back. What the rules allow is judged elsewhere."""

from __future__ import annotations

import dataclasses
import re
import types
import typing
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar

from companion.core.text import Text, _

T = TypeVar("T")

WHOLE_NUMBER = re.compile(r"-?[0-9]{1,9}", re.ASCII)
LONGEST_SEQUENCE = 200


class Malformed(ValueError):
    """Words that are no entry at all: an unknown kind or field, a missing one, or a value of the wrong shape."""

    def __init__(self, text: Text, field: str = "") -> None:
        super().__init__(str(text))
        self.text = text
        self.field = field


class Incomplete(Malformed):
    """Words that say nothing wrong, but not enough."""


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
    **arguments: Any,
) -> Any:
    """A dataclass field with what a person needs to fill it in; `applies` tells by the options whether it is asked."""
    metadata = {"label": label, "hint": hint, "choices": choices, "range": range_, "applies": applies}
    return dataclasses.field(metadata=metadata, **arguments)


def decode(cls: type[T], words: Mapping[str, str]) -> T:
    """The dataclass that the words spell. Raises Malformed, naming the field."""
    known = _codecs(cls)
    values: dict[str, object] = {}
    for name, word in words.items():
        if name not in known:
            raise Malformed(_("There is no field “{name}” here.", name=shown(name)), name)
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


def decode_some(cls: type, words: Mapping[str, str]) -> dict[str, object] | None:
    """The values of those fields that are given, or None if the class has no such field or the value no such shape."""
    known = _codecs(cls)
    try:
        return {name: known[name].decode(word, name) for name, word in words.items()}
    except (KeyError, Malformed):
        return None


def is_sequence(cls: type, name: str) -> bool:
    return name in _codecs(cls) and _codecs(cls)[name].is_sequence


def names(cls: Any) -> tuple[str, ...]:
    """The fields of a dataclass, in order."""
    return tuple(part.name for part in dataclasses.fields(cls))


def is_optional(cls: Any, name: str) -> bool:
    return any(part.name == name and part.default is not dataclasses.MISSING for part in dataclasses.fields(cls))


def label_of(cls: Any, name: str) -> Text | None:
    """How a field is asked for, if it is."""
    label: Text | None = next(part.metadata.get("label") for part in dataclasses.fields(cls) if part.name == name)
    return label


def shape(cls: type, name: str) -> str:
    """What a field looks like, in a word for the manual: `number`, `yes|no`, `1,2,3` or the values to choose from."""
    return _codecs(cls)[name].shape


def small_number(word: str) -> int | None:
    """The number of an address or a hidden field, of at most nine digits; None where the word is none."""
    return int(word) if word.isascii() and word.isdigit() and len(word) < 10 else None


def shown(word: str) -> str:
    """A stranger's word, short and printable enough to stand in an error message."""
    clean = "".join(letter if letter.isprintable() else "·" for letter in word[:24])
    return clean + ("…" if len(word) > 24 else "")


@dataclasses.dataclass(frozen=True)
class _Codec:
    decode: Callable[[str, str], object]
    encode: Callable[[Any], str]
    shape: str
    is_sequence: bool = False


def _codecs(cls: Any) -> Mapping[str, _Codec]:
    return _codecs_of(cls)


@cache
def _codecs_of(cls: Any) -> Mapping[str, _Codec]:
    hints = typing.get_type_hints(cls)
    return {part.name: _codec(hints[part.name], part.metadata) for part in dataclasses.fields(cls)}


def _codec(hint: Any, metadata: Mapping[str, Any]) -> _Codec:
    if isinstance(hint, types.UnionType):  # "X | None": absent is None, so only X is ever spelt
        hint = next(part for part in typing.get_args(hint) if part is not type(None))
    if hint is bool:
        return _Codec(_truth, lambda value: "yes" if value else "no", "yes|no")
    if hint is int:
        return _number_codec(metadata)
    if typing.get_origin(hint) is tuple:
        return _Codec(_numbers, lambda value: ",".join(map(str, value)), "1,2,3", is_sequence=True)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return _Codec(_word_of(hint), str, "|".join(hint))
    raise TypeError(f"no words for {hint!r}")


def _number_codec(metadata: Mapping[str, Any]) -> _Codec:
    choices = [choice.value for choice in metadata.get("choices", ())]
    allowed = metadata.get("range")
    spelt = "|".join(choices) if choices else "number"

    def decoded(word: str, name: str) -> int:
        value = whole_number(word, name)
        if choices and str(value) not in choices:
            raise Malformed(_("“{word}” is not one of {words}.", word=shown(word), words=", ".join(choices)), name)
        if allowed is not None and value not in allowed:
            least, most = allowed[0], allowed[-1]
            raise Malformed(_("{n} is not between {least} and {most}.", n=value, least=least, most=most), name)
        return value

    return _Codec(decoded, str, spelt)


def whole_number(word: str, name: str = "") -> int:
    """A number of at most nine plain digits. Raises Malformed."""
    if not WHOLE_NUMBER.fullmatch(word):
        raise Malformed(_("“{word}” is not a whole number written in the digits 0 to 9.", word=shown(word)), name)
    return int(word)


def _numbers(word: str, name: str) -> tuple[int, ...]:
    parts = word.split(",", LONGEST_SEQUENCE)
    if len(parts) > LONGEST_SEQUENCE:
        raise Malformed(_("That is more numbers than any table has."), name)
    return tuple(whole_number(part, name) for part in parts)


def _truth(word: str, name: str) -> bool:
    if word not in ("yes", "no"):
        raise Malformed(_("“{word}” is neither “yes” nor “no”.", word=shown(word)), name)
    return word == "yes"


def _word_of(words: type[StrEnum]) -> Callable[[str, str], StrEnum]:
    def decoded(word: str, name: str) -> StrEnum:
        if word not in list(words):
            raise Malformed(_("“{word}” is not one of {words}.", word=shown(word), words=", ".join(words)), name)
        return words(word)

    return decoded
