"""A circle with a device, and tables in a given state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from secrets import token_urlsafe

from django.test import RequestFactory

from companion.core.notation import build_options
from companion.games import get_games
from companion.people.auth import create_member_device
from companion.people.models import Device
from companion.people.services import get_or_create_player
from companion.tables.log_cache import get_cached_log
from companion.tables.models import Table
from companion.tables.services import entries

NAMES = ("Sara", "Λίνος", "Alexis")


@dataclass(frozen=True)
class Household:
    device: Device
    token: str
    """Value of the device's cookie."""

    @classmethod
    def new(cls) -> Household:
        return cls(*create_member_device(RequestFactory().get("/", headers={"user-agent": "Android"})))

    def table(
        self,
        slug: str,
        *lines: str,
        names: Sequence[str] = NAMES,
        way: str = "referee",
        options: Mapping[str, str] | None = None,
    ) -> Table:
        """Create a table with entries `ROUND KIND FIELD=WORD... [~RULE...]`; the rules after `~` are overruled."""
        options = options or {}
        build_options(get_games()[slug], len(names), options)
        players = [get_or_create_player(self.device.circle, name) for name in names]
        table = entries.open_table(
            self.device.circle, game=get_games()[slug], players=players, options=options, mode=way
        )
        for line in lines:
            self.enter(table, line)
        return table

    def enter(self, table: Table, line: str) -> None:
        words, _insist, rules = line.partition("~")
        number, kind, *fields = words.split()
        draft = entries.NewEntry(
            token_urlsafe(12),
            kind,
            dict(field.split("=") for field in fields),
            int(number),
            insisted_rules=frozenset(rules.split()),
        )
        table.refresh_from_db()
        entries.record_entries(table, seats=table.seats.count(), device=self.device, new_entries=[draft])

    def entries(self, table: Table) -> list[str]:
        """The kinds of what stands in the log."""
        table.refresh_from_db()
        return [entry.kind for entry in get_cached_log(table, table.seats.count()).log.entries]
