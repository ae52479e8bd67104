"""Who plays: circles, their players, and the devices that may see and enter things for them."""

from __future__ import annotations

from django.db import models

LONGEST_NAME = 160
"""In code points; what counts as one letter on the screen may be several of them."""


class Circle(models.Model):
    """A household or a club: people who share players and history."""

    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"circle {self.pk}"


class Device(models.Model):
    """A browser that belongs to a circle. Its cookie is a secret; here stands only the hash."""

    circle = models.ForeignKey(Circle, on_delete=models.CASCADE, related_name="devices")
    token_hash = models.CharField(max_length=64, unique=True)
    label = models.CharField(max_length=LONGEST_NAME)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.label


class PlayerQuerySet(models.QuerySet["Player"]):
    def of(self, circle: Circle | None) -> PlayerQuerySet:
        """The players of a circle, those who played last first; none where there is no circle yet."""
        return self.none() if circle is None else self.filter(circle=circle).order_by("-seated_at", "name")


class Player(models.Model):
    """A person of a circle."""

    circle = models.ForeignKey(Circle, on_delete=models.CASCADE, related_name="players", db_index=False)
    name = models.CharField(max_length=LONGEST_NAME)
    seated_at = models.DateTimeField(null=True, blank=True)
    """When this player last sat down at a table."""

    objects = PlayerQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["circle", "name"], name="player_name_once_in_a_circle"),
            models.CheckConstraint(condition=~models.Q(name=""), name="player_has_a_name"),
        ]
        indexes = [models.Index(fields=["circle", "-seated_at"], name="players_of_a_circle")]

    def __str__(self) -> str:
        return self.name
