"""Protocols of the frozen dataclasses that a game defines."""

from dataclasses import Field
from typing import Any, ClassVar, Protocol, TypeAlias

from companion.core.text import Text


class Record(Protocol):
    """A frozen dataclass of ints, strings, StrEnums, tuples and frozensets."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __hash__(self) -> int: ...


Play: TypeAlias = Record
"""One thing that a player does."""
Count: TypeAlias = Record
"""A result counted at the end of a round, of a side (with `seat`, its first one) or of the whole table."""
Setting: TypeAlias = Record
"""A dataclass that the options inherit from: options that can still be set during play, such as a goal card.
A setting never changes which plays are legal, only what is counted and scored."""
Tally: TypeAlias = tuple[Count, ...]


class Options(Record, Protocol):
    """The variants and house rules of a table.

    Where players may agree on a number of `rounds`, a `target` or a `start` score, these are fields too.
    """

    @property
    def dealer(self) -> int:
        """The seat that deals first."""


class State(Record, Protocol):
    """The public state of a round."""

    @property
    def options(self) -> Options: ...

    @property
    def seats(self) -> int:
        """The number of seats."""

    @property
    def is_over(self) -> bool:
        """Whether the plays have ended the round."""


class Board(Record, Protocol):
    """What a page shows of a state."""

    @property
    def turn(self) -> int | None:
        """The seat to play; None if it is nobody's turn."""


class Question(Record, Protocol):
    """A question about an imagined position ("may I lay this card here?"). All fields have defaults."""

    title: ClassVar[Text]
