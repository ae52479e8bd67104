"""Encoding of field values as words of the notation, by type."""

import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from companion.core import refusals
from companion.core.errors import Incomplete, Malformed, display_word
from companion.core.sanitize import clean_text
from companion.core.text import _

WHOLE_NUMBER = re.compile(r"-?[0-9]{1,9}", re.ASCII)
SUM = re.compile(r"[+-]?[0-9]{1,9}(?:[+-][0-9]{1,9}){0,30}", re.ASCII)
MAX_SEQUENCE_LENGTH = 200
MAX_TEXT_LENGTH = 40
"""Letters of a text, unless its field sets `max_length`."""


@dataclass(frozen=True)
class Codec:
    """How values of one type are written and read."""

    decode: Callable[[str, str], object]
    """(word, field name) -> value. Raises Malformed or Incomplete."""
    encode: Callable[[Any], str]
    shape: str
    """The format in a word, as `schema.describe_shape` returns it."""
    is_sequence: bool = False
    members: tuple[StrEnum, ...] = ()
    """All values of an enum, or of a sequence of its members."""


def build_codec(hint: Any, metadata: Mapping[str, Any]) -> Codec:
    """Return the codec of a type: bool, int, str, a StrEnum, a class with a `read(word)` method, or a tuple of those.

    `metadata` is that of the field. Raises TypeError for any other type.

    >>> numbers = build_codec(tuple[int, ...], {})
    >>> numbers.decode("3,1", "cards"), numbers.encode((3, 1))
    ((3, 1), '3,1')
    """
    if isinstance(hint, types.UnionType):  # "X | None": None is never written, so only X needs a codec
        hint = next(part for part in typing.get_args(hint) if part is not type(None))
    if typing.get_origin(hint) is tuple:
        return _sequence_codec(build_codec(typing.get_args(hint)[0], metadata))
    if hint is bool:
        return Codec(_decode_bool, lambda value: "yes" if value else "no", "yes|no")
    if hint is int:
        return _number_codec(metadata)
    if hint is str:
        return _text_codec(metadata)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return Codec(_enum_decoder(hint), str, "|".join(hint), members=tuple(hint))
    if hasattr(hint, "read"):
        return Codec(_class_decoder(hint), str, hint.__name__.lower())
    raise TypeError(f"no codec for {hint!r}")


def parse_whole_number(word: str, name: str = "") -> int:
    """Return a number of at most nine ASCII digits, perhaps negative. Raises Malformed."""
    if not WHOLE_NUMBER.fullmatch(word):
        raise Malformed(
            _("“{word}” is not a whole number written in the digits 0 to 9.", word=display_word(word)), name
        )
    return int(word)


def parse_sum(word: str, name: str = "") -> int:
    """Return the value of a sum. Raises Malformed, or Incomplete if it ends with a sign.

    >>> parse_sum("12+7-3")
    16
    """
    plain = word.replace("−", "-").replace(" ", "")
    if plain.endswith(("+", "-")) and (len(plain) == 1 or SUM.fullmatch(plain[:-1])):
        raise Incomplete(_("The last number of the sum “{word}” is missing.", word=display_word(word)), name)
    if not SUM.fullmatch(plain):
        raise Malformed(_("“{word}” is neither a number nor a sum such as 12+7-3.", word=display_word(word)), name)
    total = sum(map(int, re.findall(r"[+-]?[0-9]+", plain)))
    if abs(total) >= 10**9:
        raise Malformed(_("“{word}” is more than can be counted here.", word=display_word(word)), name)
    return total


def _number_codec(metadata: Mapping[str, Any]) -> Codec:
    choices = [choice.value for choice in metadata.get("choices") or ()]
    allowed = metadata.get("range")
    parse_number = parse_sum if metadata.get("accepts_sums") else parse_whole_number

    def decode(word: str, name: str) -> int:
        value = parse_number(word, name)
        if choices and str(value) not in choices:
            raise Malformed(
                refusals.UNKNOWN_CHOICE.with_values(word=display_word(word), words=", ".join(choices)), name
            )
        if allowed is not None and value not in allowed:
            least, most = allowed[0], allowed[-1]
            raise Malformed(refusals.OUT_OF_RANGE.with_values(n=value, least=least, most=most), name)
        return value

    return Codec(decode, str, "|".join(choices) if choices else "number")


def _text_codec(metadata: Mapping[str, Any]) -> Codec:
    longest = metadata.get("max_length") or MAX_TEXT_LENGTH

    def decode(word: str, name: str) -> str:
        text = clean_text(word, longest=longest, name=name)
        if not text:
            raise Incomplete(_("It’s empty."), name)
        return re.sub(r"\s+", " ", text)

    return Codec(decode, str, "text")


def _sequence_codec(item: Codec) -> Codec:
    def decode(word: str, name: str) -> tuple[object, ...]:
        if not word:
            return ()
        words = word.split(",", MAX_SEQUENCE_LENGTH)
        if len(words) > MAX_SEQUENCE_LENGTH:
            raise Malformed(refusals.SEQUENCE_TOO_LONG, name)
        return tuple(item.decode(word, name) for word in words)

    shape = "1,2,3" if item.shape == "number" else f"{item.shape},..."
    return Codec(decode, lambda values: ",".join(map(item.encode, values)), shape, True, item.members)


def _decode_bool(word: str, name: str) -> bool:
    if word not in ("yes", "no"):
        raise Malformed(_("“{word}” is neither “yes” nor “no”.", word=display_word(word)), name)
    return word == "yes"


def _enum_decoder(cls: type[StrEnum]) -> Callable[[str, str], StrEnum]:
    def decode(word: str, name: str) -> StrEnum:
        if word not in list(cls):
            raise Malformed(refusals.UNKNOWN_CHOICE.with_values(word=display_word(word), words=", ".join(cls)), name)
        return cls(word)

    return decode


def _class_decoder(cls: Any) -> Callable[[str, str], object]:
    def decode(word: str, name: str) -> object:
        try:
            return cls.read(word)
        except Malformed as error:
            raise type(error)(error.text, error.field or name) from None

    return decode
