"""A circle with a device, and tables in any given state."""

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
from companion.tables.services import entries, tables

NAMES = ("Sara", "Λίνος", "Alexis")


@dataclass(frozen=True)
class Household:
    device: Device
    token: str
    """Cookie value of the device."""

    @classmethod
    def create(cls) -> Household:
        return cls(*create_member_device(RequestFactory().get("/", headers={"user-agent": "Android"})))

    def create_table(
        self,
        slug: str,
        *lines: str,
        names: Sequence[str] = NAMES,
        mode: str = "referee",
        options: Mapping[str, str] | None = None,
    ) -> Table:
        """Create a table with entries `ROUND KIND FIELD=VALUE... [~RULE...]`; the rules after `~` are overruled."""
        options = options or {}
        build_options(get_games()[slug], len(names), options)
        players = [get_or_create_player(self.device.circle, name) for name in names]
        table = tables.open_table(
            self.device.circle, game=get_games()[slug], players=players, options=options, mode=mode
        )
        for line in lines:
            self.record_entry(table, line)
        return table

    def record_entry(self, table: Table, line: str) -> None:
        entry, _insist, rules = line.partition("~")
        round_number, kind, *fields = entry.split()
        new_entry = entries.NewEntry(
            token_urlsafe(12),
            kind,
            dict(field.split("=") for field in fields),
            int(round_number),
            insisted_rules=frozenset(rules.split()),
        )
        table.refresh_from_db()
        entries.record_entries(table, seats=table.seats.count(), device=self.device, new_entries=[new_entry])

    def get_entry_kinds(self, table: Table) -> list[str]:
        """Return the kinds of the entries in the log."""
        table.refresh_from_db()
        return [entry.kind for entry in get_cached_log(table, table.seats.count()).log.entries]
