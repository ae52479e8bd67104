"""Opening tables, rematches and the bin."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from companion.core.game import Game, get_setting
from companion.core.notation import build_options
from companion.core.schema import encode_field, field_names
from companion.people.models import Circle, Device, Player
from companion.people.services import lock_circle_for_member
from companion.tables.log_cache import CachedLog
from companion.tables.models import Place, Seat, Table
from companion.tables.services import saved_options

FORM_KEY_LIFETIME = timedelta(minutes=10)
"""How long sending a form again leads to the table that it opened."""


def open_table(
    circle: Circle,
    *,
    game: Game,
    players: Sequence[Player],
    options: Mapping[str, str],
    mode: str,
    key: str | None = None,
    rematch_of: Table | None = None,
) -> Table:
    """Open a table with the players clockwise from seat 0; `key` is the form's idempotency key.

    Raises Malformed for options that the game does not have, and IntegrityError if the key has been used, or a player
    is erased at the same time.
    """
    decoded_options = build_options(game, len(players), options)
    with transaction.atomic():
        table = Table.objects.create(
            circle=circle,
            game=game.slug,
            game_version=game.about.version,
            options=dict(options),
            mode=mode,
            form_key=key,
            rematch_of=rematch_of,
            place=Place.objects.filter(pk=rematch_of.place_id or 0).first() if rematch_of else None,
        )
        Seat.objects.bulk_create(Seat(table=table, number=n, player=player) for n, player in enumerate(players))
        Player.objects.filter(pk__in=[player.pk for player in players]).update(seated_at=timezone.now(), left_at=None)
        saved_options.save_options(game, circle, decoded_options)
    return table


def build_rematch_options(table: Table, cached_log: CachedLog) -> dict[str, str]:
    """Return the latest options, with the deal passed on by one seat per round played."""
    match = cached_log.match
    dealer = (match.options.dealer + max(len(match.finished_rounds), 1)) % match.seats
    settings = [get_setting(match.newest_options, cls) for cls in match.game.options.settings.values()]
    words = {
        name: encode_field(type(setting), name, getattr(setting, name))
        for setting in settings
        for name in field_names(type(setting))
    }
    return saved_options.merge_options(table.options, {**words, "dealer": str(dealer)})


def bin_table(table: Table, *, by: Device | None) -> None:
    """Move a table to the bin, from which it can be restored. Raises Http404."""
    with lock_circle_for_member(table.circle_id, by):
        rows = Table.objects.filter(pk=table.pk, binned_at=None)
        rows.update(binned_at=timezone.now(), binned_by=by, has_stale_stats=True)


def unbin_table(table: Table, *, by: Device | None) -> None:
    """Restore a table from the bin. Raises Http404."""
    with lock_circle_for_member(table.circle_id, by):
        Table.objects.filter(pk=table.pk).update(binned_at=None, binned_by=None, has_stale_stats=True)
