"""Circles, players, devices and invitations."""

from __future__ import annotations

from django.db import models
from django.utils import timezone
from django.utils.functional import cached_property

from companion import limits

NAME_MAX_LENGTH = 4 * limits.MAX_NAME_LENGTH
"""In code points; one letter on the screen can be several."""
MAX_NAMES = 6
"""Names that stand for a circle."""


class Circle(models.Model):
    """A household or a club: people who share players and history."""

    created_at = models.DateTimeField(auto_now_add=True)
    devices: models.ManyToManyField[Device, Membership] = models.ManyToManyField(
        "Device", through="Membership", related_name="circles"
    )

    @cached_property
    def recent_names(self) -> tuple[str, ...]:
        """The names of recent players, by which people recognize the circle."""
        return tuple(player.name for player in Player.objects.of(self)[:MAX_NAMES])


class Device(models.Model):
    """A browser, identified by a secret cookie of which only the hash is stored."""

    circle = models.ForeignKey(Circle, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    """The circle of its tables and history; null for guests who have never opened a table."""
    token_hash = models.CharField(max_length=64, unique=True)
    former_hash = models.CharField(max_length=64, blank=True, default="", db_index=True)
    """Hash of the previous token, valid until the new one is used: the response that set it may be lost."""
    label = models.CharField(max_length=NAME_MAX_LENGTH)
    created_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(default=timezone.now)
    """Last request, to a few minutes."""


class Membership(models.Model):
    """A device's membership of a circle; a device can belong to several."""

    circle = models.ForeignKey(Circle, on_delete=models.CASCADE, related_name="memberships", db_index=False)
    device = models.ForeignKey(Device, on_delete=models.CASCADE, related_name="memberships")
    joined_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["circle", "device"], name="device_once_in_a_circle")]


class Invitation(models.Model):
    """A single-use key that adds a device to a circle. Only the hash is stored."""

    circle = models.ForeignKey(Circle, on_delete=models.CASCADE, related_name="invitations")
    key_hash = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField()


class AttemptCounter(models.Model):
    """A rate-limit counter. `who` is a hash, never an address."""

    who = models.CharField(max_length=64, unique=True)
    began_at = models.BigIntegerField(db_index=True)
    """Start of the period, in seconds since 1970."""
    count = models.PositiveIntegerField()

    class Meta:
        db_table = "people_tries"


class PlayerQuerySet(models.QuerySet["Player"]):
    def of(self, circle: Circle | None) -> PlayerQuerySet:
        """The circle's players, last seated first; none without a circle."""
        return self.none() if circle is None else self.filter(circle=circle).order_by("-seated_at", "name")

    def present(self) -> PlayerQuerySet:
        """Players who are offered when a table is set."""
        return self.filter(left_at=None)


class Player(models.Model):
    """A person of a circle."""

    circle = models.ForeignKey(Circle, on_delete=models.CASCADE, related_name="players", db_index=False)
    name = models.CharField(max_length=NAME_MAX_LENGTH)
    seated_at = models.DateTimeField(null=True, blank=True)
    """When the player last sat down at a table."""
    colour = models.PositiveSmallIntegerField(default=0)
    """Index into `avatars.COLOURS`."""
    sign = models.CharField(max_length=20, blank=True, default="")
    """Name of a drawing in `avatars.SIGNS`, so that nobody is identified by colour alone."""
    left_at = models.DateTimeField(null=True, blank=True)
    """When the player was left out of new tables; the scores stay."""

    objects = PlayerQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["circle", "name"], name="player_name_once_in_a_circle"),
            models.CheckConstraint(condition=~models.Q(name=""), name="player_has_a_name"),
        ]
        indexes = [models.Index(fields=["circle", "-seated_at"], name="players_of_a_circle")]
