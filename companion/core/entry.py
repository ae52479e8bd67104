"""Entries of the log, and their kinds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from companion.core.protocols import Record


class EntryKind(StrEnum):
    """Kinds of entries that every game has, besides its own plays, counts and settings."""

    CONFIRM = "confirm"
    """The table accepts the tally that the referee computed."""
    UNDO = "undo"
    REDO = "redo"
    CORRECT = "correct"
    """Replaces an earlier entry."""
    INSERT = "insert"
    """Goes before an earlier entry."""
    STRIKE = "strike"
    """Removes an earlier entry."""
    INSIST = "insist"
    """Overrules the rules that an earlier entry breaks since a correction."""
    CLOSE = "close"
    REOPEN = "reopen"


AMENDMENTS = frozenset({EntryKind.CORRECT, EntryKind.STRIKE, EntryKind.INSIST, EntryKind.INSERT})
"""Kinds of entries that change how an earlier one counts, without overwriting it."""
TARGETED = AMENDMENTS | {EntryKind.UNDO, EntryKind.REDO}
"""Kinds of entries that have a `target`, the number of another entry."""
UNJUDGED = frozenset({EntryKind.UNDO, EntryKind.REDO, EntryKind.STRIKE, EntryKind.CLOSE, EntryKind.REOPEN})
"""Kinds of entries that cannot break a rule."""


@dataclass(frozen=True)
class Entry:
    """One line of the log, numbered from 1.

    `kind` is an EntryKind, or a play, count or setting of the game. `words` are its fields in notation; those of a
    correction hold `target`, `kind` and the new fields. `content` is what the (new) fields decode to, if known.
    """

    number: int
    kind: str
    words: Mapping[str, str]
    round: int = 0
    overruled: tuple[str, ...] = ()
    content: Record | None = field(default=None, compare=False, repr=False)

    @property
    def target(self) -> int:
        return int(self.words["target"])

    @property
    def new_kind(self) -> str:
        """The kind that a correction or insertion gives to what it records; empty for other entries."""
        return self.words.get("kind", "") if self.kind in (EntryKind.CORRECT, EntryKind.INSERT) else ""

    @property
    def new_words(self) -> dict[str, str]:
        """The fields without those that say which entry is amended."""
        return {name: word for name, word in self.words.items() if name not in ("target", "kind")}
