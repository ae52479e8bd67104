"""Validation of parsed JSON against its schema."""

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
"""Covers the end of tomorrow in every time zone: the last day that a page lets anyone choose."""
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|\+00:00)", re.ASCII)
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,60}")


def parse_object(value: Any, object_type: ObjectType, where: str) -> dict[str, Any]:
    """Return the fields of an object, times as datetimes. Raises BadFile for missing, unknown or invalid fields."""
    if not isinstance(value, dict):
        raise _build_type_error(FieldType.OBJECT, value, where)
    names = {field.name for field in object_type.fields}
    for name in value:
        if name not in names:
            raise BadFile(
                _join_path(where, display_word(name)), _("There is no field “{name}” here.", name=display_word(name))
            )
    return {field.name: _parse_field(value, field, where) for field in object_type.fields}


def _parse_field(value: Mapping[str, Any], field: Field, where: str) -> Any:
    if field.name not in value:
        raise BadFile(_join_path(where, field.name), _("The field “{name}” is missing.", name=field.name))
    raw = value[field.name]
    if raw is None and field.is_optional:
        return None
    try:
        return _PARSERS[field.type](raw)
    except _FieldError as error:
        raise BadFile(_join_path(where, field.name) + error.where, error.text) from None


def clean_text(clean: Callable[[str], str], text: str, where: str) -> str:
    """Apply a validator of user input to a text. Raises BadFile."""
    try:
        return clean(text)
    except Malformed as error:
        raise BadFile(where, error.text) from None


def check_start(moment: datetime, where: str) -> None:
    """Check that a table began neither before 1900 nor after tomorrow. Raises BadFile."""
    if moment.year not in YEARS or moment > timezone.now() + MAX_FUTURE:
        raise BadFile(where, _("That date is out of range."))


class _FieldError(ValueError):
    """A value of a field is invalid; `where` is its path below the field."""

    def __init__(self, text: Text, where: str = "") -> None:
        self.text = text
        self.where = where


def _parse_text(value: Any) -> str:
    if not isinstance(value, str):
        raise _build_field_error(FieldType.TEXT, value)
    if len(value) > MAX_TEXT_LENGTH:
        raise _FieldError(_("That is too long."))
    if _UNPRINTABLE.search(value):
        raise _FieldError(_("It contains a character that can’t be displayed."))
    return value


def _parse_number(value: Any) -> int:
    if type(value) is not int:
        raise _build_field_error(FieldType.NUMBER, value)
    return value


def _parse_boolean(value: Any) -> bool:
    if type(value) is not bool:
        raise _build_field_error(FieldType.BOOLEAN, value)
    return value


def _parse_time(value: Any) -> datetime:
    if not isinstance(value, str) or not _TIME.fullmatch(value):
        raise _build_field_error(FieldType.TIME, value)
    try:
        moment = datetime.fromisoformat(value).astimezone(UTC)
    except (ValueError, OverflowError):
        raise _build_field_error(FieldType.TIME, value) from None
    if moment.year not in YEARS:
        raise _FieldError(_("That date is out of range."))
    return moment


def _parse_list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise _build_field_error(FieldType.LIST, value)
    return value


def _parse_texts(value: Any) -> list[str | None]:
    """Parse a list of texts or nulls; callers check whether null is allowed."""
    if not isinstance(value, list):
        raise _build_field_error(FieldType.TEXTS, value)
    return [
        None if item is None else _parse_nested(_parse_text, item, f"[{index}]") for index, item in enumerate(value)
    ]


def _parse_numbers(value: Any) -> list[int]:
    if not isinstance(value, list):
        raise _build_field_error(FieldType.NUMBERS, value)
    return [_parse_nested(_parse_number, item, f"[{index}]") for index, item in enumerate(value)]


def _parse_words(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise _build_field_error(FieldType.TEXT_OBJECT, value)
    if len(value) > MAX_WORDS:
        raise _FieldError(_("There are more fields than an entry can have."))
    for name, word in value.items():
        if not _NAME.fullmatch(name):
            raise _FieldError(_("There is no field “{name}” here.", name=display_word(name)), f".{display_word(name)}")
        if len(_parse_nested(_parse_text, word, f".{name}")) > MAX_VALUE_LENGTH:
            raise _FieldError(_("That is too long for an entry."), f".{name}")
    return value


def _parse_nested(parse: Callable[[Any], Any], value: Any, where: str) -> Any:
    try:
        return parse(value)
    except _FieldError as error:
        raise _FieldError(error.text, where + error.where) from None


_PARSERS: Mapping[FieldType, Callable[[Any], Any]] = {
    FieldType.TEXT: _parse_text,
    FieldType.NUMBER: _parse_number,
    FieldType.BOOLEAN: _parse_boolean,
    FieldType.TIME: _parse_time,
    FieldType.TEXT_OBJECT: _parse_words,
    FieldType.TEXTS: _parse_texts,
    FieldType.NUMBERS: _parse_numbers,
    FieldType.LIST: _parse_list,
    FieldType.OBJECT: lambda value: value,
}


def _build_field_error(field_type: FieldType, value: Any) -> _FieldError:
    return _FieldError(
        value.text if isinstance(value, InvalidValue) else _("Expected {shape}.", shape=field_type.label)
    )


def _build_type_error(field_type: FieldType, value: Any, where: str) -> BadFile:
    return BadFile(where, _build_field_error(field_type, value).text)


def _join_path(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name
