"""Who plays: circles, their players, and the devices that may see and enter things for them."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from companion import limits

NAME_MAX_LENGTH = 4 * limits.MAX_NAME_LENGTH
"""In code points; what counts as one letter on the screen may be several of them."""


class Circle(models.Model):
    """A household or a club: people who share players and history."""

    created_at = models.DateTimeField(auto_now_add=True)
    devices: models.ManyToManyField[Device, Membership] = models.ManyToManyField(
        "Device", through="Membership", related_name="circles"
    )

    def __str__(self) -> str:
        return f"circle {self.pk}"


class Device(models.Model):
    """A browser. Its cookie is a secret; here stands only the hash."""

    circle = models.ForeignKey(Circle, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    """Where it opens tables and whose history it shows; none for a guest who has never opened one."""
    token_hash = models.CharField(max_length=64, unique=True)
    former_hash = models.CharField(max_length=64, blank=True, default="", db_index=True)
    """Of the secret before the last exchange: it counts until the new one has been seen, for an answer can be lost."""
    label = models.CharField(max_length=NAME_MAX_LENGTH)
    created_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(default=timezone.now)
    """When it last asked for anything, to a few minutes."""

    def __str__(self) -> str:
        return self.label


class Membership(models.Model):
    """A device that belongs to a circle. Joining one circle leaves no other."""

    circle = models.ForeignKey(Circle, on_delete=models.CASCADE, related_name="memberships", db_index=False)
    device = models.ForeignKey(Device, on_delete=models.CASCADE, related_name="memberships")
    joined_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["circle", "device"], name="device_once_in_a_circle")]

    def __str__(self) -> str:
        return f"{self.device_id} in {self.circle_id}"


class Invitation(models.Model):
    """A key that lets one more device into a circle: once, and not for long. Here stands only its hash."""

    circle = models.ForeignKey(Circle, on_delete=models.CASCADE, related_name="invitations")
    key_hash = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"to circle {self.circle_id}"


class AttemptCounter(models.Model):
    """How often somebody has tried a code that was wrong; `who` is a hash, never an address."""

    who = models.CharField(max_length=64, unique=True)
    began_at = models.BigIntegerField(db_index=True)
    """Seconds since 1970: when the first of them was."""
    count = models.PositiveIntegerField()

    class Meta:
        db_table = "people_tries"

    def __str__(self) -> str:
        return f"{self.count} by {self.who[:8]}"


class PlayerQuerySet(models.QuerySet["Player"]):
    def of(self, circle: Circle | None) -> PlayerQuerySet:
        """The players of a circle, those who played last first; none where there is no circle yet."""
        return self.none() if circle is None else self.filter(circle=circle).order_by("-seated_at", "name")

    def present(self) -> PlayerQuerySet:
        """Without those who are left out: they are not offered when a table is set."""
        return self.filter(left_at=None)


class Player(models.Model):
    """A person of a circle."""

    circle = models.ForeignKey(Circle, on_delete=models.CASCADE, related_name="players", db_index=False)
    name = models.CharField(max_length=NAME_MAX_LENGTH)
    seated_at = models.DateTimeField(null=True, blank=True)
    """When this player last sat down at a table."""
    colour = models.PositiveSmallIntegerField(default=0)
    """Its place among the colours by which players are told apart in pictures."""
    sign = models.CharField(max_length=20, blank=True, default="")
    """The name of the drawing that goes with it: nobody is told apart by colour alone."""
    left_at = models.DateTimeField(null=True, blank=True)
    """Since when this player is no longer offered; the scores stay."""

    objects = PlayerQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["circle", "name"], name="player_name_once_in_a_circle"),
            models.CheckConstraint(condition=~models.Q(name=""), name="player_has_a_name"),
        ]
        indexes = [models.Index(fields=["circle", "-seated_at"], name="players_of_a_circle")]

    def __str__(self) -> str:
        return self.name
