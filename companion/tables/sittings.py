"""Who asks for which table: a request becomes a sitting, or a 404 that is the same for every stranger."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.http import Http404, HttpRequest

from companion.core.game import Game
from companion.core.match import Match
from companion.games import games
from companion.people.access import token_hash_of
from companion.people.models import Device
from companion.tables.folding import Folded, folded, game_of
from companion.tables.models import SEEN_BY, Table


@dataclass(frozen=True)
class Sitting:
    """A table as one device sees it: its names by seat, and its log."""

    table: Table
    device: Device
    names: tuple[str, ...]
    known: Folded

    @property
    def game(self) -> Game:
        return game_of(self.table)

    @property
    def match(self) -> Match:
        return self.known.match

    def after(self, known: Folded) -> Sitting:
        return replace(self, known=known)


def sitting_of(request: HttpRequest, public_id: str) -> Sitting:
    """The table of that id, in one query. Raises Http404 where it does not exist for whoever asks."""
    token_hash = token_hash_of(request)
    can_be = token_hash and public_id.isprintable()  # PostgreSQL refuses a zero byte
    rows = list(Table.objects.raw(SEEN_BY, [public_id, token_hash])) if can_be else []
    if not rows or rows[0].game not in games():
        raise Http404
    table = rows[0]
    found = vars(table)
    device = Device(pk=found["device_id"], circle_id=table.circle_id, label=found["device_label"])
    names = tuple(vars(row)["player_name"] or "…" for row in rows)
    return Sitting(table, device, names, folded(table, len(rows)))
