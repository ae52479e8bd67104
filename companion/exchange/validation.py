"""The gate of shape for a file: every object has exactly its fields, and in each of them what is to stand there."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils import timezone

from companion.core.errors import Malformed, display_word
from companion.core.text import Text, _
from companion.exchange.import_data import BadFile
from companion.exchange.safe_json import Odd
from companion.exchange.schema import Field, Part, Shape
from companion.tables.forms.entry import LONGEST_WORD

MOST_WORDS = 40
LONGEST_TEXT = 4_000
YEARS = range(1900, 2200)
AHEAD = timedelta(days=2)
"""The end of tomorrow is never further away: the last day that can be chosen on a page."""
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|\+00:00)", re.ASCII)
_UNSHOWN = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,60}")


def checked(value: Any, part: Part, where: str) -> dict[str, Any]:
    """The fields of an object, times as datetimes. Raises BadFile for any other object."""
    if not isinstance(value, dict):
        raise _not(Shape.PART, value, where)
    known = {field.name for field in part.fields}
    for name in value:
        if name not in known:
            raise BadFile(
                _join(where, display_word(name)), _("There is no field “{name}” here.", name=display_word(name))
            )
    return {field.name: _field(value, field, where) for field in part.fields}


def _field(value: Mapping[str, Any], field: Field, where: str) -> Any:
    if field.name not in value:
        raise BadFile(_join(where, field.name), _("The field “{name}” is missing.", name=field.name))
    found = value[field.name]
    if found is None and field.is_optional:
        return None
    try:
        return _READERS[field.shape](found)
    except _Elsewhere as error:
        raise BadFile(_join(where, field.name) + error.where, error.text) from None


def cleaned(clean: Callable[[str], str], text: str, where: str) -> str:
    """The text as people may type it. Raises BadFile."""
    try:
        return clean(text)
    except Malformed as error:
        raise BadFile(where, error.text) from None


def check_began(moment: datetime, where: str) -> None:
    """Raises BadFile for a beginning that no table can have: very long ago, or later than tomorrow."""
    if moment.year not in YEARS or moment > timezone.now() + AHEAD:
        raise BadFile(where, _("Nobody played then."))


class _Elsewhere(ValueError):
    """Something is wrong in a field; `where` goes on after its name."""

    def __init__(self, text: Text, where: str = "") -> None:
        self.text = text
        self.where = where


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _wrong(Shape.TEXT, value)
    if len(value) > LONGEST_TEXT:
        raise _Elsewhere(_("That is too long."))
    if _UNSHOWN.search(value):
        raise _Elsewhere(_("There is a character in it that cannot be shown."))
    return value


def _number(value: Any) -> int:
    if type(value) is not int:
        raise _wrong(Shape.NUMBER, value)
    return value


def _truth(value: Any) -> bool:
    if type(value) is not bool:
        raise _wrong(Shape.TRUTH, value)
    return value


def _time(value: Any) -> datetime:
    if not isinstance(value, str) or not _TIME.fullmatch(value):
        raise _wrong(Shape.TIME, value)
    try:
        moment = datetime.fromisoformat(value).astimezone(UTC)
    except (ValueError, OverflowError):
        raise _wrong(Shape.TIME, value) from None
    if moment.year not in YEARS:
        raise _Elsewhere(_("Nobody played then."))
    return moment


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise _wrong(Shape.LIST, value)
    return value


def _texts(value: Any) -> list[str | None]:
    """A list of texts; whether one may be None is for whoever asked to say."""
    if not isinstance(value, list):
        raise _wrong(Shape.TEXTS, value)
    return [None if one is None else _inside(_text, one, f"[{index}]") for index, one in enumerate(value)]


def _numbers(value: Any) -> list[int]:
    if not isinstance(value, list):
        raise _wrong(Shape.NUMBERS, value)
    return [_inside(_number, one, f"[{index}]") for index, one in enumerate(value)]


def _words(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise _wrong(Shape.WORDS, value)
    if len(value) > MOST_WORDS:
        raise _Elsewhere(_("There are more fields than any entry has."))
    for name, word in value.items():
        if not _NAME.fullmatch(name):
            raise _Elsewhere(_("There is no field “{name}” here.", name=display_word(name)), f".{display_word(name)}")
        if len(_inside(_text, word, f".{name}")) > LONGEST_WORD:
            raise _Elsewhere(_("That is too long to be an entry."), f".{name}")
    return value


def _inside(read: Callable[[Any], Any], value: Any, where: str) -> Any:
    try:
        return read(value)
    except _Elsewhere as error:
        raise _Elsewhere(error.text, where + error.where) from None


_READERS: Mapping[Shape, Callable[[Any], Any]] = {
    Shape.TEXT: _text,
    Shape.NUMBER: _number,
    Shape.TRUTH: _truth,
    Shape.TIME: _time,
    Shape.WORDS: _words,
    Shape.TEXTS: _texts,
    Shape.NUMBERS: _numbers,
    Shape.LIST: _list,
    Shape.PART: lambda value: value,
}


def _wrong(shape: Shape, value: Any) -> _Elsewhere:
    return _Elsewhere(
        value.text if isinstance(value, Odd) else _("Here stands something else than {shape}.", shape=shape.label)
    )


def _not(shape: Shape, value: Any, where: str) -> BadFile:
    return BadFile(where, _wrong(shape, value).text)


def _join(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name
