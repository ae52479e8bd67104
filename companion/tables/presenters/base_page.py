"""Base class of the pages of a table, and their templates."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache, cached_property

from django.template.loader import select_template
from django.urls import reverse
from django.utils import timezone

from companion.core.entry import TARGETED, EntryKind
from companion.core.game import Game
from companion.core.log import Log
from companion.core.match import Match
from companion.core.scoring import Standing
from companion.core.text import Text
from companion.people.models import Device
from companion.tables.auth import TableAccess
from companion.tables.models import Table

UNDO_OFFERED_FOR = timedelta(seconds=10)
"""How long the stylesheet shows the undo button (`.fleeting`)."""


@dataclass(frozen=True)
class Ending:
    """The closing or binning of a table; `device_label` is empty if the device is unknown or gone."""

    device_label: str
    is_own: bool
    at: datetime
    can_undo: bool
    """Whether this device did it a moment ago."""


@dataclass(frozen=True)
class BasePage:
    """A page of a table, as one device sees it. Parts are computed when the template first asks for them."""

    access: TableAccess

    @property
    def table(self) -> Table:
        return self.access.table

    @cached_property
    def game(self) -> Game:
        return self.access.game

    @property
    def match(self) -> Match:
        return self.access.match

    @property
    def names(self) -> tuple[str, ...]:
        return self.access.names

    @property
    def log(self) -> Log:
        return self.access.cached_log.log

    @property
    def version(self) -> int:
        return self.access.cached_log.version

    @property
    def standing(self) -> Standing:
        return self.match.standing

    @property
    def can_enter(self) -> bool:
        return self.access.can_enter

    @property
    def is_member(self) -> bool:
        return self.access.is_member

    @cached_property
    def is_read_only(self) -> bool:
        return self.log.is_closed or not self.can_enter

    @cached_property
    def table_url(self) -> str:
        return reverse("table", args=[self.table.public_id])

    @property
    def news_url(self) -> str:
        return reverse("news", args=[self.table.public_id])

    @cached_property
    def record_url(self) -> str:
        return reverse("record", args=[self.table.public_id])

    @cached_property
    def table_title(self) -> Text:
        return self.game.get_table_title(self.match.options)

    @property
    def file_name(self) -> str:
        """Name of a file of the table, with the local date of the table, without a suffix."""
        return f"{self.game.slug}-{timezone.localtime(self.table.began_at):%Y-%m-%d}"

    @cached_property
    def entry_counts(self) -> Sequence[tuple[str, int]]:
        """How many entries each device has made, most first; unknown ones have no label. Empty if all are unknown."""
        counts = Counter(map(self.access.get_device_label, self.access.cached_log.entry_meta))
        return counts.most_common() if any(counts) else ()

    @property
    def corrections(self) -> int:
        """How many entries change an earlier one."""
        return sum(entry.kind in TARGETED for entry in self.log.entries)

    @cached_property
    def closing(self) -> Ending | None:
        """The closing of the table, if it is closed."""
        if not self.log.is_closed:
            return None
        number = next(entry.number for entry in reversed(self.log.entries) if entry.kind == EntryKind.CLOSE)
        meta = self.access.cached_log.entry_meta[number]
        return self._build_ending(meta.device, self.access.get_device_label(number), meta.at)

    @cached_property
    def binning(self) -> Ending | None:
        """The binning of the table, if it is in the bin."""
        if self.table.binned_at is None:
            return None
        label = Device.objects.filter(pk=self.table.binned_by_id or 0).values_list("label", flat=True).first()
        return self._build_ending(self.table.binned_by_id, label or "", self.table.binned_at)

    def _build_ending(self, device: int | None, label: str, at: datetime) -> Ending:
        is_own = device is not None and device == self.access.device.pk
        is_fresh = timezone.now() - at < UNDO_OFFERED_FOR
        return Ending(label, is_own, at, can_undo=is_own and is_fresh and self.is_member)


@cache
def select_game_template(slug: str, name: str, default: str = "") -> object:
    """Return the template of that name of a game, or the one for games that have none."""
    return select_template([f"games/{slug}/{name}.html", f"tables/{default or name}.html"])
