"""Validation of parsed JSON against its schema."""

import re
from collections.abc import Callable, Container, Mapping, Sized
from datetime import UTC, datetime, timedelta
from typing import Any, get_args, get_origin

from django.utils import timezone

from companion.core import refusals
from companion.core.errors import Malformed, display_word
from companion.core.text import Text, _
from companion.exchange.import_data import BadFile
from companion.exchange.safe_json import InvalidValue
from companion.exchange.schema import LABELS, Field, ObjectType
from companion.tables.forms.entry import MAX_VALUE_LENGTH

TOO_MANY_ROWS = _("Too many: at most {n} can be read.")
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
    _check_type(value, dict, where)
    names = {field.name for field in object_type.fields}
    prefix = f"{where}." if where else ""
    for name in value:
        if name not in names:
            raise _build_unknown_field_error(name, prefix)
    return {field.name: _parse_field(value, field, prefix + field.name) for field in object_type.fields}


def _parse_field(fields: Mapping[str, Any], field: Field, where: str) -> Any:
    if field.name not in fields:
        raise BadFile(where, _("The field “{name}” is missing.", name=field.name))
    value = fields[field.name]
    return None if value is None and field.is_optional else _parse_value(value, field.value_type, where)


def clean_text(clean: Callable[[str], str], text: str, where: str) -> str:
    """Apply a validator of user input to a text. Raises BadFile."""
    try:
        return clean(text)
    except Malformed as error:
        raise BadFile(where, error.text) from None


def check_start(moment: datetime, where: str) -> None:
    """Check that a table began neither before 1900 nor after tomorrow. Raises BadFile."""
    if moment.year not in YEARS or moment > timezone.now() + MAX_FUTURE:
        raise BadFile(where, refusals.DATE_OUT_OF_RANGE)


def check_length(rows: Sized, limit: int, where: str, refusal: Text = TOO_MANY_ROWS) -> None:
    """Check the length of a list, before its items. Raises BadFile."""
    if len(rows) > limit:
        raise BadFile(f"{where}[{limit}]", refusal.with_values(n=limit))


def check_unused(id_: object, used: Container[object], where: str) -> None:
    """Check that nothing else in the file has this id. Raises BadFile."""
    if id_ in used:
        raise BadFile(where, _("This id occurs twice."))


def _parse_value(value: Any, value_type: type, where: str) -> Any:
    """Return a valid value as it is, and a time as a datetime. Raises BadFile.

    A list of texts may hold nulls; callers check whether they are allowed.
    """
    _check_type(value, value_type, where)
    match value:
        case str() if value_type is datetime:
            return _parse_time(value, where)
        case str():
            _check_text(value, where)
        case dict() if value_type is not dict:
            _check_words(value, where)
        case list():
            for item_type in get_args(value_type):
                for index, item in enumerate(value):
                    if item is not None or item_type is not str:
                        _parse_value(item, item_type, f"{where}[{index}]")
    return value


def _check_type(value: Any, value_type: type, where: str) -> None:
    """Check the type exactly: true is no number."""
    if type(value) is not (str if value_type is datetime else get_origin(value_type) or value_type):
        raise _build_type_error(value, value_type, where)


def _check_text(text: str, where: str) -> None:
    if len(text) > MAX_TEXT_LENGTH:
        raise BadFile(where, _("That is too long."))
    if _UNPRINTABLE.search(text):
        raise BadFile(where, refusals.UNPRINTABLE)


def _parse_time(text: str, where: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text if _TIME.fullmatch(text) else "").astimezone(UTC)
    except (ValueError, OverflowError):
        raise _build_type_error(text, datetime, where) from None
    if moment.year not in YEARS:
        raise BadFile(where, refusals.DATE_OUT_OF_RANGE)
    return moment


def _check_words(words: Mapping[str, Any], where: str) -> None:
    if len(words) > MAX_WORDS:
        raise BadFile(where, _("There are more fields than an entry can have."))
    for name, word in words.items():
        if not _NAME.fullmatch(name):
            raise _build_unknown_field_error(name, f"{where}.")
        if len(_parse_value(word, str, f"{where}.{name}")) > MAX_VALUE_LENGTH:
            raise BadFile(f"{where}.{name}", refusals.VALUE_TOO_LONG)


def _build_type_error(value: Any, value_type: type, where: str) -> BadFile:
    shape = LABELS[value_type]
    return BadFile(where, value.text if isinstance(value, InvalidValue) else _("Expected {shape}.", shape=shape))


def _build_unknown_field_error(name: str, prefix: str) -> BadFile:
    word = display_word(name)
    return BadFile(prefix + word, refusals.UNKNOWN_FIELD.with_values(name=word))
