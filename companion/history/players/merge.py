"""Merging duplicate players."""

from django.utils.formats import date_format

from companion.core.errors import Malformed
from companion.core.text import _
from companion.db.retry import retry
from companion.history.models import Alias, Fact, SeatResult
from companion.history.statistics import ratings
from companion.people.models import Device, Player
from companion.people.services import lock_circle_for_member
from companion.tables.models import Seat, Table


def merge_players(player: Player, duplicate: Player, *, by: Device | None) -> None:
    """Move everything of `duplicate` to `player` and delete `duplicate`; do nothing if it no longer exists.

    Raises Malformed if both sat at one table or `player` no longer exists, and Http404 as
    `lock_circle_for_member` does.
    """
    retry(lambda: _merge_players(player, duplicate, by))


def _merge_players(player: Player, duplicate: Player, by: Device | None) -> None:
    with lock_circle_for_member(player.circle_id, by):
        # Lock both, so that a table being opened with one of them is complete before the check for a shared table.
        rows = Player.objects.select_for_update().filter(pk__in=[player.pk, duplicate.pk]).order_by("pk")
        existing = set(rows.values_list("pk", flat=True))
        if player.pk not in existing:
            raise Malformed(_("There is no player “{name}” here.", name=player.name), "other")
        if duplicate.pk not in existing:
            return
        shared_tables = Table.objects.filter(seats__player=player).filter(seats__player=duplicate)
        if shared_table := shared_tables.order_by("-began_at").first():
            day = date_format(shared_table.began_at, "j E Y")
            text = _("They sat at the same table on {day}, so they can’t be the same person.", day=day)
            raise Malformed(text, "other")
        for model in (Seat, SeatResult, Fact, Alias):
            model.objects.filter(player=duplicate).update(player=player)
        seated_at = max(filter(None, [player.seated_at, duplicate.seated_at]), default=None)
        Player.objects.filter(pk=player.pk).update(seated_at=seated_at)
        Player.objects.filter(pk=duplicate.pk).delete()
        ratings.reset(player.circle)
