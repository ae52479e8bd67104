"""Who asks for which table: a request becomes a sitting, or a 404 that is the same for every stranger."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.http import Http404, HttpRequest

from companion.core.game import Game
from companion.core.match import Match
from companion.people.access import device_of
from companion.people.models import Device
from companion.tables.folding import Folded, folded, game_of
from companion.tables.models import Table


@dataclass(frozen=True)
class Sitting:
    """A table as one device sees it: its names by seat, and its log."""

    table: Table
    device: Device
    names: tuple[str, ...]
    players: tuple[int | None, ...]
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
    """The table of that id. Raises Http404 where it does not exist for whoever asks."""
    device = device_of(request)
    if device is None:
        raise Http404
    table = Table.objects.of(device.circle).filter(public_id=public_id).first()
    if table is None:
        raise Http404
    seats = list(table.seats.select_related("player"))
    names = tuple(seat.player.name if seat.player else "…" for seat in seats)
    players = tuple(seat.player_id for seat in seats)
    return Sitting(table, device, names, players, folded(table, len(seats)))
