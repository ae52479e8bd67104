"""Everything that writes to circles: who belongs to one, and the keys that let a device in. No page is drawn here."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.http import Http404
from django.utils import timezone

from companion import limits
from companion.avatars import COLOURS, SIGNS, get_sign
from companion.core.errors import Malformed
from companion.core.sanitize import fold_text
from companion.core.text import _
from companion.db.retry import retry
from companion.people.auth import add_to_circle, hash_token
from companion.people.models import Circle, Device, Invitation, Membership, Player
from companion.people.rate_limits import build_limit_error
from companion.web.logging import Event, log_security_event

INVITATION_LIFETIME = timedelta(minutes=10)


class InvalidInvitation(Exception):
    """The key is unknown, used, or too old: nobody is told which."""


def authorize_member(circle: int, by: Device | None) -> None:
    """Lock the circle until the transaction ends, and check that the device belongs to it.

    Removing a device takes the same lock. Call this first in the transaction that writes; `by` is None where the owner
    of the machine acts. Raises Http404 where the device does not belong to the circle (any more).
    """
    lock_circle(circle)
    if by is not None and not Membership.objects.filter(circle=circle, device=by).exists():
        raise Http404


def create_invitation(circle: Circle, *, by: Device | None) -> str:
    """Create an invitation to the circle: a key of 160 bits, for one device, for ten minutes. Raises Http404."""
    key = secrets.token_urlsafe(20)
    with transaction.atomic():
        authorize_member(circle.pk, by)
        Invitation.objects.filter(expires_at__lt=timezone.now()).delete()
        Invitation.objects.create(
            circle=circle, key_hash=hash_token(key), expires_at=timezone.now() + INVITATION_LIFETIME
        )
    return key


def is_invitation_valid(key: str) -> bool:
    """Whether the key opens a circle now."""
    return Invitation.objects.filter(key_hash=hash_token(key), expires_at__gt=timezone.now()).exists()


def redeem_invitation(key: str) -> Circle:
    """The circle that the key opens; the key is used up. Raises InvalidInvitation. To be called in a transaction."""
    live = Invitation.objects.filter(key_hash=hash_token(key), expires_at__gt=timezone.now())
    found = live.select_related("circle").first()
    lock_circle(found.circle_id if found else 0)  # before the invitation, as removing a device does
    if found is None or not live.delete()[0]:  # of two that come at once, one deletes it
        raise InvalidInvitation
    return found.circle


def admit_device(device: Device, circle: Circle) -> None:
    """Makes the device one of the circle's, for good. Raises Malformed where the circle has as many as it may."""
    lock_circle(circle.pk)
    if circle.memberships.exclude(device=device).count() >= limits.MAX_DEVICES:
        text = _("This circle has reached its limit of {n} phones. Remove one first.", n=limits.MAX_DEVICES)
        raise build_limit_error("MAX_DEVICES", text, "device")
    add_to_circle(device, circle)


def lock_circle(circle: int) -> None:
    """Until the end of the transaction nobody else who asks for this goes on; new rows of the circle need not wait."""
    list(Circle.objects.select_for_update(no_key=True).filter(pk=circle).values_list("pk"))


def get_or_create_player(circle: Circle, name: str) -> Player:
    """The circle's player of that name, a new one where there is none: with a colour and a sign of its own.

    Raises Malformed where the circle has as many as it may. To be called in a transaction.
    """
    known = Player.objects.filter(circle=circle, name=name).first()
    if known is not None:
        return known
    colour, sign = pick_look(_count_players_with_room(circle, 1))
    values = {"colour": colour, "sign": sign}
    return Player.objects.get_or_create(circle=circle, name=name, defaults=values)[0]


@dataclass(frozen=True)
class NewPlayer:
    """A name that the circle does not have yet, with the colour and the sign that it should have, if any."""

    name: str
    colour: int | None = None
    sign: str | None = None


def create_players(circle: Circle, newcomers: Sequence[NewPlayer]) -> dict[str, Player]:
    """Many new players at once, by their names, none of which is taken. Raises Malformed as `player_named` does."""
    place = _count_players_with_room(circle, len(newcomers)) if newcomers else 0
    rows = []
    for number, own in enumerate(newcomers, place):
        colour, sign = pick_look(number)
        known = own.sign if own.sign and get_sign(own.sign) else sign
        usual = own.colour if own.colour is not None and 0 <= own.colour < len(COLOURS) else colour
        rows.append(Player(circle=circle, name=own.name, colour=usual, sign=known))
    Player.objects.bulk_create(rows, batch_size=500)
    return {player.name: player for player in rows}


def _count_players_with_room(circle: Circle, newcomers: int) -> int:
    """How many players the circle has, if there is room for so many more. Raises Malformed."""
    lock_circle(circle.pk)
    place = Player.objects.filter(circle=circle).count()
    if place + newcomers > limits.MAX_PLAYERS:
        text = _("A circle can have at most {n} players. Merge duplicates, or erase some.", n=limits.MAX_PLAYERS)
        raise build_limit_error("MAX_PLAYERS", text, "seat")
    return place


def pick_look(place: int) -> tuple[int, str]:
    """Colour and sign of the players of a circle, one after the other: no pair comes twice before all have come."""
    return place % len(COLOURS), SIGNS[(place + place // len(SIGNS)) % len(SIGNS)].name


def rename_player(player: Player, *, name: str, by: Device | None) -> None:
    """Rename a player. Raises Malformed where the circle has another player of that name, whatever its capitals and
    accents, and Http404 as `authorize_member` does."""
    retry(lambda: _rename_player(player, name, by))


def _rename_player(player: Player, name: str, by: Device | None) -> None:
    with transaction.atomic():
        authorize_member(player.circle_id, by)  # of two who are given one name, one is refused
        others = Player.objects.filter(circle=player.circle_id).exclude(pk=player.pk).values_list("name", flat=True)
        if name != player.name and fold_text(name) in map(fold_text, others):
            raise Malformed(
                _("There is already a player with that name. If they are the same person, merge them."), "name"
            )
        Player.objects.filter(pk=player.pk).update(name=name)


def set_player_look(player: Player, *, colour: int, sign: str, by: Device | None) -> None:
    """Set the player's colour and sign; one that does not exist leaves the player's own. Raises Http404."""
    values: dict[str, int | str] = {}
    if 0 <= colour < len(COLOURS):
        values["colour"] = colour
    if get_sign(sign) is not None:
        values["sign"] = sign
    _update_player(player, by, **values)


def set_left_out(player: Player, *, is_left_out: bool, by: Device | None) -> None:
    """Stop or resume offering the player when a table is set; the scores stay. Raises Http404."""
    _update_player(player, by, left_at=(player.left_at or timezone.now()) if is_left_out else None)


def _update_player(player: Player, by: Device | None, **values: object) -> None:
    with transaction.atomic():
        authorize_member(player.circle_id, by)
        Player.objects.filter(pk=player.pk).update(**values)


def rename_device(device: Device, *, label: str, circle: Circle, by: Device | None) -> None:
    """Rename a device of the circle. Raises Http404 where either of the two does not belong to it."""
    with transaction.atomic():
        authorize_member(circle.pk, by)
        if not Device.objects.filter(pk=device.pk, circles=circle).update(label=label):
            raise Http404


def remove_device(device: Device, *, circle: Circle, by: Device | None) -> None:
    """Remove a device from the circle, and void all invitations to it, for the device may have read them.

    Raises Malformed for the last device, and Http404 as `authorize_member` does.
    """
    with transaction.atomic():
        authorize_member(circle.pk, by)
        if circle.memberships.exclude(device=device).count() == 0:
            raise Malformed(_("This is the only phone of the circle. Let another one in first."), "device")
        Membership.objects.filter(circle=circle, device=device).delete()
        Invitation.objects.filter(circle=circle).delete()
        other = Membership.objects.filter(device=device).values_list("circle", flat=True).last()
        Device.objects.filter(pk=device.pk, circle=circle).update(circle=other)
    log_security_event(Event.DEVICE_REMOVED, of="circle")


def choose_circle(device: Device, circle: Circle) -> None:
    """Let the device open its tables for this circle from now on. Raises Http404 where it does not belong to it."""
    with transaction.atomic():
        authorize_member(circle.pk, device)
        Device.objects.filter(pk=device.pk).update(circle=circle)
