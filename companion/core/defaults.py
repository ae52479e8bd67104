"""Functions that a game leaves out, and their derivation."""

from dataclasses import fields, replace
from typing import Never, TypeVar

from companion.core.protocols import Record

PartT = TypeVar("PartT", bound=Record)


def derived(*_arguments: object) -> Never:
    """Stand for a function that `build_game` derives from the dataclasses of a game."""
    raise LookupError("not derived yet")


def complete_part(part: PartT, defaults: PartT) -> PartT:
    """Return a part of a game with the functions of `defaults` in place of those that it leaves out."""
    missing = [field.name for field in fields(part) if getattr(part, field.name) is derived]
    return replace(part, **{name: getattr(defaults, name) for name in missing})
