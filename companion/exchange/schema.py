"""Schema of JSON objects, by which they are written, checked and documented."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from typing import Any, TypeAlias, TypeVar, get_args, get_origin

from django.utils import timezone

from companion.core import refusals
from companion.core.errors import Malformed, display_word
from companion.core.text import Text, _
from companion.exchange.formats.encoding import format_utc
from companion.exchange.import_data import BadFile
from companion.exchange.safe_json import InvalidValue
from companion.tables.forms.entry import MAX_VALUE_LENGTH

Value = TypeVar("Value")
JsonObject: TypeAlias = dict[str, Any]
LABELS: Mapping[type, Text] = {
    str: _("text"),
    int: _("a whole number"),
    bool: _("true or false"),
    datetime: _("a time in UTC, such as 2026-11-20T19:30:00+00:00"),
    dict[str, str]: _("an object of texts"),
    list[str]: _("a list of texts"),
    list[int]: _("a list of whole numbers"),
    list: _("a list of objects"),
    dict: _("an object"),
}
"""The types of fields, in words."""
TOO_MANY_ROWS = _("Too many: at most {n} can be read.")
MAX_WORDS = 40
MAX_TEXT_LENGTH = 4_000
YEARS = range(1900, 2200)
MAX_FUTURE = timedelta(days=2)
"""Covers the end of tomorrow in every time zone: the last day that a page lets anyone choose."""
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|\+00:00)", re.ASCII)
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,60}")


@dataclass(frozen=True)
class Field:
    """A field of an object; an optional one may be null."""

    name: str
    value_type: type
    description: Text = Text("")
    source: str = ""
    """Attribute of what is exported, with dots; the name of the field unless given."""
    is_optional: bool = False
    object_type: str = ""
    """Name of the type of the object, or of the objects in the list."""
    clean: Callable[[Any], Any] | None = None
    """Returns what a value of this type stands for. Raises Malformed."""

    @property
    def label(self) -> Text:
        return LABELS[self.value_type]

    def read(self, item: object) -> object:
        """Return the value of the field in what is exported."""
        value = attrgetter(self.source or self.name)(item)
        return format_utc(value) if isinstance(value, datetime) else value

    def parse(self, fields: Mapping[str, Any], where: str) -> Any:
        """Return the value of the field in parsed JSON. Raises BadFile."""
        if self.name not in fields:
            raise BadFile(where, _("The field “{name}” is missing.", name=self.name))
        value = fields[self.name]
        if value is None and self.is_optional:
            return None
        value = _parse_value(value, self.value_type, where)
        return clean_value(self.clean, value, where) if self.clean else value


class ObjectType:
    """A type of object; all its fields are required."""

    def __init__(self, name: str, label: Text, *fields: Field) -> None:
        self.name, self.label, self.fields = name, label, fields

    def serialize(self, item: object, **values: object) -> JsonObject:
        """Return an object with the given values; the other fields are read from the item."""
        return {field.name: values[field.name] if field.name in values else field.read(item) for field in self.fields}

    def parse(self, value: Any, where: str) -> dict[str, Any]:
        """Return the fields, times as datetimes. Raises BadFile for missing, unknown or invalid fields."""
        _check_type(value, dict, where)
        names = {field.name for field in self.fields}
        prefix = f"{where}." if where else ""
        for name in value:
            if name not in names:
                raise _build_unknown_field_error(name, prefix)
        return {field.name: field.parse(value, prefix + field.name) for field in self.fields}

    def parse_list(
        self, rows: list[Any], limit: int, where: str, *, unique: Sequence[str] = (), refusal: Text = TOO_MANY_ROWS
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the location and the fields of each object, emptying the list: both would take too much memory.

        Raises BadFile, also if two objects have the same value of a `unique` field.
        """
        check_length(rows, limit, where, refusal)
        used_ids: set[tuple[str, object]] = set()
        for index, value in enumerate(rows):
            rows[index] = None
            path = f"{where}[{index}]"
            fields = self.parse(value, path)
            for name in unique:
                if (name, fields[name]) in used_ids:
                    raise BadFile(f"{path}.{name}", _("This id occurs twice."))
                used_ids.add((name, fields[name]))
            yield path, fields


def clean_value(clean: Callable[[Value], Value], value: Value, where: str) -> Value:
    """Apply a validator of user input. Raises BadFile."""
    try:
        return clean(value)
    except Malformed as error:
        raise BadFile(where, error.text) from None


def require(is_valid: Callable[[Value], object], refusal: Text) -> Callable[[Value], Value]:
    """Return a validator that refuses with Malformed whatever fails the test."""

    def clean(value: Value) -> Value:
        if not is_valid(value):
            raise Malformed(refusal)
        return value

    return clean


def clean_start(moment: datetime) -> datetime:
    """Check that a table began neither before 1900 nor after tomorrow. Raises Malformed."""
    if moment.year not in YEARS or moment > timezone.now() + MAX_FUTURE:
        raise Malformed(refusals.DATE_OUT_OF_RANGE)
    return moment


def check_length(rows: Sized, limit: int, where: str, refusal: Text = TOO_MANY_ROWS) -> None:
    """Check the length of a list, before its items. Raises BadFile."""
    if len(rows) > limit:
        raise BadFile(f"{where}[{limit}]", refusal.with_values(n=limit))


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
