"""How a value is spelt in a word and read again, by its type: numbers, truths, words, texts and sequences of them."""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from companion.core.errors import Incomplete, Malformed, display_word
from companion.core.sanitize import clean_text
from companion.core.text import _

WHOLE_NUMBER = re.compile(r"-?[0-9]{1,9}", re.ASCII)
SUM = re.compile(r"[+-]?[0-9]{1,9}(?:[+-][0-9]{1,9}){0,30}", re.ASCII)
MAX_SEQUENCE_LENGTH = 200
MAX_TEXT_LENGTH = 40
"""Letters of a text whose field does not say otherwise."""


@dataclass(frozen=True)
class Codec:
    decode: Callable[[str, str], object]
    encode: Callable[[Any], str]
    shape: str
    is_sequence: bool = False
    members: tuple[StrEnum, ...] = ()
    """All that it can be, where that is a list of words."""


def build_codec(hint: Any, metadata: Mapping[str, Any]) -> Codec:
    """The codec of a type: bool, int, str, a StrEnum, a class that can `read` words, or a tuple of one of them."""
    if isinstance(hint, types.UnionType):  # "X | None": absent is None, so only X is ever spelt
        hint = next(part for part in typing.get_args(hint) if part is not type(None))
    if typing.get_origin(hint) is tuple:
        return _sequence(build_codec(typing.get_args(hint)[0], metadata))
    if hint is bool:
        return Codec(_truth, lambda value: "yes" if value else "no", "yes|no")
    if hint is int:
        return _number_codec(metadata)
    if hint is str:
        return _text_codec(metadata)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return Codec(_word_of(hint), str, "|".join(hint), members=tuple(hint))
    if hasattr(hint, "read"):
        return Codec(_reader(hint), str, hint.__name__.lower())
    raise TypeError(f"no words for {hint!r}")


def parse_whole_number(word: str, name: str = "") -> int:
    """A number of at most nine plain digits. Raises Malformed."""
    if not WHOLE_NUMBER.fullmatch(word):
        raise Malformed(
            _("“{word}” is not a whole number written in the digits 0 to 9.", word=display_word(word)), name
        )
    return int(word)


def parse_sum(word: str, name: str = "") -> int:
    """What a sum such as `12+7-3` comes to. Raises Malformed, or Incomplete for one that ends with a sign."""
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
    number = parse_sum if metadata.get("accepts_sums") else parse_whole_number

    def decoded(word: str, name: str) -> int:
        value = number(word, name)
        if choices and str(value) not in choices:
            raise Malformed(
                _("“{word}” is not one of {words}.", word=display_word(word), words=", ".join(choices)), name
            )
        if allowed is not None and value not in allowed:
            least, most = allowed[0], allowed[-1]
            raise Malformed(_("{n} is not between {least} and {most}.", n=value, least=least, most=most), name)
        return value

    return Codec(decoded, str, "|".join(choices) if choices else "number")


def _text_codec(metadata: Mapping[str, Any]) -> Codec:
    longest = metadata.get("max_length") or MAX_TEXT_LENGTH

    def decoded(word: str, name: str) -> str:
        text = clean_text(word, longest=longest, name=name)
        if not text:
            raise Incomplete(_("It’s empty."), name)
        return re.sub(r"\s+", " ", text)

    return Codec(decoded, str, "text")


def _sequence(part: Codec) -> Codec:
    def decoded(word: str, name: str) -> tuple[object, ...]:
        if not word:
            return ()
        parts = word.split(",", MAX_SEQUENCE_LENGTH)
        if len(parts) > MAX_SEQUENCE_LENGTH:
            raise Malformed(_("That is more than a table can have."), name)
        return tuple(part.decode(one, name) for one in parts)

    spelt = "1,2,3" if part.shape == "number" else f"{part.shape},..."
    return Codec(decoded, lambda values: ",".join(map(part.encode, values)), spelt, True, part.members)


def _truth(word: str, name: str) -> bool:
    if word not in ("yes", "no"):
        raise Malformed(_("“{word}” is neither “yes” nor “no”.", word=display_word(word)), name)
    return word == "yes"


def _word_of(words: type[StrEnum]) -> Callable[[str, str], StrEnum]:
    def decoded(word: str, name: str) -> StrEnum:
        if word not in list(words):
            raise Malformed(_("“{word}” is not one of {words}.", word=display_word(word), words=", ".join(words)), name)
        return words(word)

    return decoded


def _reader(cls: Any) -> Callable[[str, str], object]:
    def decoded(word: str, name: str) -> object:
        try:
            return cls.read(word)
        except Malformed as error:
            raise type(error)(error.text, error.field or name) from None

    return decoded
