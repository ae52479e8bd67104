"""Schema of JSON objects, by which they are written, checked and documented."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Any, TypeAlias

from companion.core.text import Text, _
from companion.exchange.formats.encoding import format_utc

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

    @property
    def label(self) -> Text:
        return LABELS[self.value_type]

    def read(self, item: object) -> object:
        """Return the value of the field in what is exported."""
        value = attrgetter(self.source or self.name)(item)
        return format_utc(value) if isinstance(value, datetime) else value


class ObjectType:
    """A type of object; all its fields are required."""

    def __init__(self, name: str, label: Text, *fields: Field) -> None:
        self.name, self.label, self.fields = name, label, fields

    def serialize(self, item: object, **values: object) -> JsonObject:
        """Return an object with the given values; the other fields are read from the item."""
        return {field.name: values[field.name] if field.name in values else field.read(item) for field in self.fields}
