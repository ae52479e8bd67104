"""JSON parser for untrusted files that bounds memory and time."""

import json
import re
from dataclasses import dataclass
from typing import Any

from companion import limits
from companion.core import refusals
from companion.core.errors import display_word
from companion.core.text import Text, _
from companion.exchange.import_data import BadFile

MAX_DEPTH = 20
MAX_TOKENS = 1_500_000
"""Strings and brackets: a file of nothing but brackets would take thirty times its size in memory."""
MAX_STRINGS_PER_OBJECT = 120
"""Twice as many as any object of a valid file has."""
MAX_NUMBER_LENGTH = 12
_TOKEN = re.compile(r'"(?:[^"\\]+|\\.)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
"""A whole string (up to the end of the file if it is never closed) or a bracket; matches in linear time."""


@dataclass(frozen=True)
class InvalidValue:
    """A value that JSON allows and this format does not; `validation` refuses it with its path."""

    text: Text


def decode_text(data: bytes) -> str:
    """Decode UTF-8. Raises BadFile if the file is too large or not text."""
    if len(data) > limits.MAX_FILE_BYTES:
        raise BadFile("", refusals.FILE_TOO_LARGE.with_values(n=limits.MAX_FILE_BYTES // 1_000_000))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise BadFile(f"line {line}", refusals.NOT_UTF8) from None


def parse_json(data: bytes) -> Any:
    """Return lists, dicts, strings, integers, booleans, None and `InvalidValue`. Raises BadFile."""
    text = decode_text(data)
    _check_size(text)
    try:
        return json.loads(
            text,
            object_pairs_hook=_build_object,
            parse_int=_parse_int,
            parse_float=_reject_number,
            parse_constant=_reject_number,
        )
    except json.JSONDecodeError as error:
        refusal = _("This isn’t valid JSON: the file is cut off or was changed.")
        raise BadFile(f"line {error.lineno}", refusal) from None


def _check_size(text: str) -> None:
    """Check depth and size in one pass, before anything is built. Raises BadFile."""
    counts: list[int] = []  # strings in each open bracket
    for tokens, token in enumerate(_TOKEN.finditer(text), 1):
        match token[0]:
            case "{" | "[":
                counts.append(0 if token[0] == "{" else -MAX_TOKENS)
            case "}" | "]":
                if counts:
                    counts.pop()
            case _:
                if counts:
                    counts[-1] += 1
        if len(counts) > MAX_DEPTH:
            raise BadFile(_line_at(text, token), _("Brackets are nested more than {n} deep.", n=MAX_DEPTH))
        if tokens > MAX_TOKENS or (counts and counts[-1] > MAX_STRINGS_PER_OBJECT):
            raise BadFile(_line_at(text, token), refusals.FILE_TOO_COMPLEX)


def _build_object(pairs: list[tuple[str, Any]]) -> Any:
    result = dict(pairs)
    if len(result) == len(pairs):
        return result
    names = [name for name, _value in pairs]
    duplicate = next(name for name in names if names.count(name) > 1)
    return InvalidValue(refusals.REPEATED_FIELD.with_values(name=display_word(duplicate)))


def _parse_int(word: str) -> int | InvalidValue:
    return int(word) if len(word) <= MAX_NUMBER_LENGTH else _reject_number(word)


def _reject_number(word: str) -> InvalidValue:
    return InvalidValue(_("“{word}” is not a number that fits here.", word=display_word(word)))


def _line_at(text: str, token: re.Match[str]) -> str:
    line = text.count("\n", 0, token.start()) + 1
    return f"line {line}"
