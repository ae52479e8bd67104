"""Writes to circles: members, invitations, players and their looks."""

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
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
    """The key is unknown, used or expired; which one is not disclosed."""


@contextmanager
def lock_circle_for_member(circle: int, by: Device | None) -> Iterator[None]:
    """Open a transaction with the circle locked, after checking that the device is a member. Raises Http404.

    Removing a device takes the same lock. `by` is None for management commands.
    """
    with transaction.atomic():
        lock_circle(circle)
        if by is not None and not Membership.objects.filter(circle=circle, device=by).exists():
            raise Http404
        yield


def create_invitation(circle: Circle, *, by: Device | None) -> str:
    """Return a new 160-bit key that adds one device to the circle within ten minutes. Raises Http404."""
    key = secrets.token_urlsafe(20)
    with lock_circle_for_member(circle.pk, by):
        Invitation.objects.filter(expires_at__lt=timezone.now()).delete()
        circle.invitations.create(key_hash=hash_token(key), expires_at=timezone.now() + INVITATION_LIFETIME)
    return key


def find_invitation(key: str) -> QuerySet[Invitation]:
    """Return the invitation that can be redeemed with the key now, if there is one."""
    return Invitation.objects.filter(key_hash=hash_token(key), expires_at__gt=timezone.now())


def redeem_invitation(key: str) -> Circle:
    """Use up the key and return its circle. Call it in a transaction. Raises InvalidInvitation."""
    valid = find_invitation(key)
    invitation = valid.select_related("circle").first()
    lock_circle(invitation.circle_id if invitation else 0)  # before the invitation, as removing a device does
    if invitation is None or not valid.delete()[0]:  # of two concurrent requests, one deletes it
        raise InvalidInvitation
    return invitation.circle


def admit_device(device: Device, circle: Circle) -> None:
    """Add the device to the circle. Raises Malformed if the circle is full."""
    lock_circle(circle.pk)
    if circle.memberships.exclude(device=device).count() >= limits.MAX_DEVICES:
        text = _("This circle has reached its limit of {n} phones. Remove one first.", n=limits.MAX_DEVICES)
        raise build_limit_error("MAX_DEVICES", text, "device")
    add_to_circle(device, circle)


def lock_circle(circle: int) -> None:
    """Lock the circle until the transaction ends, without blocking inserts of rows that refer to it."""
    list(Circle.objects.select_for_update(no_key=True).filter(pk=circle).values_list("pk"))


def get_or_create_player(circle: Circle, name: str) -> Player:
    """Return the circle's player of that name, creating one with an unused look if there is none.

    Call it in a transaction. Raises Malformed if the circle is full.
    """
    if player := circle.players.filter(name=name).first():
        return player
    colour, sign = pick_look(_count_players_with_room(circle, 1))
    return circle.players.get_or_create(name=name, defaults={"colour": colour, "sign": sign})[0]


def create_players(circle: Circle, newcomers: Mapping[str, tuple[int | None, str | None]]) -> dict[str, Player]:
    """Create players by their untaken names, with the colour and sign that each prefers, if any; return them by name.

    Raises Malformed if the circle is full.
    """
    count = _count_players_with_room(circle, len(newcomers)) if newcomers else 0
    rows = []
    for number, (name, look) in enumerate(newcomers.items(), count):
        colour, sign = pick_look(number)
        rows.append(Player(circle=circle, name=name, **{"colour": colour, "sign": sign, **_select_known_look(*look)}))
    Player.objects.bulk_create(rows, batch_size=500)
    return {player.name: player for player in rows}


def _count_players_with_room(circle: Circle, newcomers: int) -> int:
    """Return the number of players, if there is room for that many more. Raises Malformed."""
    lock_circle(circle.pk)
    count = circle.players.count()
    if count + newcomers > limits.MAX_PLAYERS:
        text = _("A circle can have at most {n} players. Merge duplicates, or erase some.", n=limits.MAX_PLAYERS)
        raise build_limit_error("MAX_PLAYERS", text, "seat")
    return count


def pick_look(number: int) -> tuple[int, str]:
    """Return the colour and sign of the circle's player of that number; all pairs are used before one recurs."""
    return number % len(COLOURS), SIGNS[(number + number // len(SIGNS)) % len(SIGNS)].name


def rename_player(player: Player, *, name: str, by: Device | None) -> None:
    """Rename a player. Raises Http404, and Malformed if the name is taken, whatever its case and accents."""
    retry(lambda: _rename_player(player, name, by))


def _rename_player(player: Player, name: str, by: Device | None) -> None:
    with lock_circle_for_member(player.circle_id, by):  # serializes concurrent renames to one name
        others = Player.objects.filter(circle=player.circle_id).exclude(pk=player.pk).values_list("name", flat=True)
        if name != player.name and fold_text(name) in map(fold_text, others):
            text = _("There is already a player with that name. If they are the same person, merge them.")
            raise Malformed(text, "name")
        Player.objects.filter(pk=player.pk).update(name=name)


def set_player_look(player: Player, *, colour: int, sign: str, by: Device | None) -> None:
    """Set the player's colour and sign, ignoring values that do not exist. Raises Http404."""
    _update_player(player, by, **_select_known_look(colour, sign))


def _select_known_look(colour: int | None, sign: str | None) -> dict[str, Any]:
    """Return which of colour and sign exist here: they may come from another version."""
    values = {"colour": colour} if colour in range(len(COLOURS)) else {}
    return values | ({"sign": sign} if get_sign(sign or "") else {})


def set_left_out(player: Player, *, is_left_out: bool, by: Device | None) -> None:
    """Stop or resume offering the player for new tables; the scores stay. Raises Http404."""
    _update_player(player, by, left_at=(player.left_at or timezone.now()) if is_left_out else None)


def _update_player(player: Player, by: Device | None, **values: object) -> None:
    with lock_circle_for_member(player.circle_id, by):
        Player.objects.filter(pk=player.pk).update(**values)


def rename_device(device: Device, *, label: str, circle: Circle, by: Device | None) -> None:
    """Rename a device of the circle. Raises Http404 unless both devices are members."""
    with lock_circle_for_member(circle.pk, by):
        if not circle.devices.filter(pk=device.pk).update(label=label):
            raise Http404


def remove_device(device: Device, *, circle: Circle, by: Device | None) -> None:
    """Remove a device from the circle, and delete all invitations, which it may have read.

    Raises Malformed for the last device, and Http404.
    """
    with lock_circle_for_member(circle.pk, by):
        if not circle.memberships.exclude(device=device).exists():
            raise Malformed(_("This is the only phone of the circle. Add another one first."), "device")
        circle.memberships.filter(device=device).delete()
        circle.invitations.all().delete()
        other = Membership.objects.filter(device=device).values_list("circle", flat=True).last()
        Device.objects.filter(pk=device.pk, circle=circle).update(circle=other)
    log_security_event(Event.DEVICE_REMOVED, of="circle")


def choose_circle(device: Device, circle: Circle) -> None:
    """Set the circle for which the device opens tables. Raises Http404 unless it is a member."""
    with lock_circle_for_member(circle.pk, device):
        Device.objects.filter(pk=device.pk).update(circle=circle)
