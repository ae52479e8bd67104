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
from companion.exchange.safe_json import InvalidValue
from companion.exchange.schema import Field, FieldType, ObjectType
from companion.tables.forms.entry import MAX_VALUE_LENGTH

MAX_WORDS = 40
MAX_TEXT_LENGTH = 4_000
YEARS = range(1900, 2200)
MAX_FUTURE = timedelta(days=2)
"""The end of tomorrow is never further away: the last day that can be chosen on a page."""
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|\+00:00)", re.ASCII)
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,60}")


def parse_object(value: Any, part: ObjectType, where: str) -> dict[str, Any]:
    """The fields of an object, times as datetimes. Raises BadFile for any other object."""
    if not isinstance(value, dict):
        raise _build_type_error(FieldType.PART, value, where)
    known = {field.name for field in part.fields}
    for name in value:
        if name not in known:
            raise BadFile(
                _join_path(where, display_word(name)), _("There is no field “{name}” here.", name=display_word(name))
            )
    return {field.name: _parse_field(value, field, where) for field in part.fields}


def _parse_field(value: Mapping[str, Any], field: Field, where: str) -> Any:
    if field.name not in value:
        raise BadFile(_join_path(where, field.name), _("The field “{name}” is missing.", name=field.name))
    found = value[field.name]
    if found is None and field.is_optional:
        return None
    try:
        return _PARSERS[field.shape](found)
    except _FieldError as error:
        raise BadFile(_join_path(where, field.name) + error.where, error.text) from None


def clean_text(clean: Callable[[str], str], text: str, where: str) -> str:
    """The text as people may type it. Raises BadFile."""
    try:
        return clean(text)
    except Malformed as error:
        raise BadFile(where, error.text) from None


def check_start(moment: datetime, where: str) -> None:
    """Raises BadFile for a beginning that no table can have: very long ago, or later than tomorrow."""
    if moment.year not in YEARS or moment > timezone.now() + MAX_FUTURE:
        raise BadFile(where, _("That date is out of range."))


class _FieldError(ValueError):
    """Something is wrong in a field; `where` goes on after its name."""

    def __init__(self, text: Text, where: str = "") -> None:
        self.text = text
        self.where = where


def _parse_text(value: Any) -> str:
    if not isinstance(value, str):
        raise _type_error(FieldType.TEXT, value)
    if len(value) > MAX_TEXT_LENGTH:
        raise _FieldError(_("That is too long."))
    if _UNPRINTABLE.search(value):
        raise _FieldError(_("It contains a character that can’t be displayed."))
    return value


def _parse_number(value: Any) -> int:
    if type(value) is not int:
        raise _type_error(FieldType.NUMBER, value)
    return value


def _parse_boolean(value: Any) -> bool:
    if type(value) is not bool:
        raise _type_error(FieldType.TRUTH, value)
    return value


def _parse_time(value: Any) -> datetime:
    if not isinstance(value, str) or not _TIME.fullmatch(value):
        raise _type_error(FieldType.TIME, value)
    try:
        moment = datetime.fromisoformat(value).astimezone(UTC)
    except (ValueError, OverflowError):
        raise _type_error(FieldType.TIME, value) from None
    if moment.year not in YEARS:
        raise _FieldError(_("That date is out of range."))
    return moment


def _parse_list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise _type_error(FieldType.LIST, value)
    return value


def _parse_texts(value: Any) -> list[str | None]:
    """A list of texts; whether one may be None is for whoever asked to say."""
    if not isinstance(value, list):
        raise _type_error(FieldType.TEXTS, value)
    return [None if one is None else _parse_nested(_parse_text, one, f"[{index}]") for index, one in enumerate(value)]


def _parse_numbers(value: Any) -> list[int]:
    if not isinstance(value, list):
        raise _type_error(FieldType.NUMBERS, value)
    return [_parse_nested(_parse_number, one, f"[{index}]") for index, one in enumerate(value)]


def _parse_words(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise _type_error(FieldType.WORDS, value)
    if len(value) > MAX_WORDS:
        raise _FieldError(_("There are more fields than an entry can have."))
    for name, word in value.items():
        if not _NAME.fullmatch(name):
            raise _FieldError(_("There is no field “{name}” here.", name=display_word(name)), f".{display_word(name)}")
        if len(_parse_nested(_parse_text, word, f".{name}")) > MAX_VALUE_LENGTH:
            raise _FieldError(_("That is too long for an entry."), f".{name}")
    return value


def _parse_nested(read: Callable[[Any], Any], value: Any, where: str) -> Any:
    try:
        return read(value)
    except _FieldError as error:
        raise _FieldError(error.text, where + error.where) from None


_PARSERS: Mapping[FieldType, Callable[[Any], Any]] = {
    FieldType.TEXT: _parse_text,
    FieldType.NUMBER: _parse_number,
    FieldType.TRUTH: _parse_boolean,
    FieldType.TIME: _parse_time,
    FieldType.WORDS: _parse_words,
    FieldType.TEXTS: _parse_texts,
    FieldType.NUMBERS: _parse_numbers,
    FieldType.LIST: _parse_list,
    FieldType.PART: lambda value: value,
}


def _type_error(shape: FieldType, value: Any) -> _FieldError:
    return _FieldError(value.text if isinstance(value, InvalidValue) else _("Expected {shape}.", shape=shape.label))


def _build_type_error(shape: FieldType, value: Any, where: str) -> BadFile:
    return BadFile(where, _type_error(shape, value).text)


def _join_path(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name
