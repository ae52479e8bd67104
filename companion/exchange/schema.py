"""What a documented object is made of: parts and fields, for a writer, a reader and the page that explains them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from companion.core.text import Text, _


class FieldType(StrEnum):
    """What stands in a field."""

    TEXT = "text"
    NUMBER = "number"
    TRUTH = "truth"
    TIME = "time"
    WORDS = "words"
    TEXTS = "texts"
    NUMBERS = "numbers"
    LIST = "list"
    PART = "part"

    @property
    def label(self) -> Text:
        return _LABELS[self]


_LABELS: Mapping[FieldType, Text] = {
    FieldType.TEXT: _("text"),
    FieldType.NUMBER: _("a whole number"),
    FieldType.TRUTH: _("true or false"),
    FieldType.TIME: _("a time in UTC, such as 2026-11-20T19:30:00+00:00"),
    FieldType.WORDS: _("an object of texts"),
    FieldType.TEXTS: _("a list of texts"),
    FieldType.NUMBERS: _("a list of whole numbers"),
    FieldType.LIST: _("a list of objects"),
    FieldType.PART: _("an object"),
}


@dataclass(frozen=True)
class Field:
    """A field: what stands in it, what it means, and whether it may be null."""

    name: str
    shape: FieldType
    means: Text
    is_optional: bool = False
    part: str = ""
    """Which kind of object is in it."""


@dataclass(frozen=True)
class ObjectType:
    """A kind of object with all its fields: each of them is always there."""

    name: str
    label: Text
    fields: tuple[Field, ...]
