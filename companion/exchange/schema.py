"""Schema of documented JSON objects, for writers, readers and the documentation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from companion.core.text import Text, _


class FieldType(StrEnum):
    TEXT = "text"
    NUMBER = "number"
    BOOLEAN = "boolean"
    TIME = "time"
    TEXT_OBJECT = "text_object"
    TEXTS = "texts"
    NUMBERS = "numbers"
    LIST = "list"
    OBJECT = "object"

    @property
    def label(self) -> Text:
        return _LABELS[self]


_LABELS: Mapping[FieldType, Text] = {
    FieldType.TEXT: _("text"),
    FieldType.NUMBER: _("a whole number"),
    FieldType.BOOLEAN: _("true or false"),
    FieldType.TIME: _("a time in UTC, such as 2026-11-20T19:30:00+00:00"),
    FieldType.TEXT_OBJECT: _("an object of texts"),
    FieldType.TEXTS: _("a list of texts"),
    FieldType.NUMBERS: _("a list of whole numbers"),
    FieldType.LIST: _("a list of objects"),
    FieldType.OBJECT: _("an object"),
}


@dataclass(frozen=True)
class Field:
    """A field of an object; an optional one may be null."""

    name: str
    type: FieldType
    description: Text
    is_optional: bool = False
    object_type: str = ""
    """Name of the type of the object, or of the objects in the list."""


@dataclass(frozen=True)
class ObjectType:
    """A type of object; all its fields are required."""

    name: str
    label: Text
    fields: tuple[Field, ...]
