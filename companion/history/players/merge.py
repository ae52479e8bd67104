"""Two players who are one: everything of the one becomes the other's. Nothing is written where they have met."""

from __future__ import annotations

from django.db import transaction
from django.utils.formats import date_format

from companion.core.errors import Malformed
from companion.core.text import _
from companion.db.retry import retry
from companion.history.models import Alias, Fact, SeatResult
from companion.history.statistics import ratings
from companion.people.models import Device, Player
from companion.people.services import authorize_member
from companion.tables.models import Seat, Table


def merge_players(kept: Player, gone: Player, *, by: Device | None) -> None:
    """Give all that `gone` has played to `kept`. Nothing happens where `gone` no longer exists: the same tap has come
    twice. Raises Malformed where both sat at one table, naming it, and where `kept` no longer exists, and Http404 as
    `authorize_member` does."""
    retry(lambda: _merge_players(kept, gone, by))


def _merge_players(kept: Player, gone: Player, by: Device | None) -> None:
    with transaction.atomic():
        authorize_member(kept.circle_id, by)
        # Locked, so that whoever is just being seated with one of them sits when it is asked who has met whom.
        both = Player.objects.select_for_update().filter(pk__in=[kept.pk, gone.pk]).order_by("pk")
        here = set(both.values_list("pk", flat=True))
        if kept.pk not in here:
            raise Malformed(_("There is no player “{name}” here.", name=kept.name), "other")
        if gone.pk not in here:
            return
        met = find_shared_table(kept, gone)
        if met is not None:
            day = date_format(met.began_at, "j E Y")
            text = _("They sat at the same table on {day}, so they can’t be the same person.", day=day)
            raise Malformed(text, "other")
        for model in (Seat, SeatResult, Fact, Alias):
            model.objects.filter(player=gone).update(player=kept)
        last = max(filter(None, [kept.seated_at, gone.seated_at]), default=None)
        Player.objects.filter(pk=kept.pk).update(seated_at=last)
        Player.objects.filter(pk=gone.pk).delete()
        ratings.reset(kept.circle)


def find_shared_table(one: Player, other: Player) -> Table | None:
    """The last table at which both sat."""
    tables = Table.objects.filter(seats__player=one).filter(seats__player=other)
    return tables.order_by("-began_at").first()
