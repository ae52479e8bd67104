"""The pages of the log."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlencode

from companion.core.entry import TARGETED, Entry
from companion.tables.presenters import score_sheet
from companion.tables.presenters.base_page import BasePage

LINES_PER_PAGE = 60


@dataclass(frozen=True)
class LogPage(BasePage):
    """A page of the log, of one round or of all, or of its amendments only; newest first."""

    before: int | None
    """The number of an entry, if not the newest are shown."""
    round_number: int | None
    is_corrections: bool

    @cached_property
    def entries(self) -> Sequence[Entry]:
        """Those of the page and all before it, oldest first."""
        return [
            entry
            for entry in self.log.entries[: (self.before or self.version + 1) - 1]
            if self.round_number in (None, entry.round) and (entry.kind in TARGETED or not self.is_corrections)
        ]

    @cached_property
    def lines(self) -> Sequence[score_sheet.LogLine]:
        return score_sheet.build_log_lines(self.access, reversed(self.entries[-LINES_PER_PAGE:]), self.devices)

    @property
    def older_query(self) -> str:
        """The query of the next page; empty on the last."""
        if len(self.entries) <= LINES_PER_PAGE:
            return ""
        query = {"before": self.entries[-LINES_PER_PAGE].number}
        query |= {"round": self.round_number} if self.round_number else {}
        return urlencode({**query, "corrections": "yes"} if self.is_corrections else query)
