"""What the statistics keep of every finished table, which can be made again from its log; short addresses; and keys."""

from __future__ import annotations

from django.db import models

from companion.people.models import LONGEST_NAME, Circle, Device, Player
from companion.tables.models import Table

LONGEST_CALLED = 80
CODE_LENGTH = 8


class Outcome(models.Model):
    """How a finished table ended for one seat."""

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="outcomes", db_index=False)
    circle = models.ForeignKey(Circle, on_delete=models.CASCADE, related_name="+", db_index=False)
    seat = models.PositiveSmallIntegerField()
    player = models.ForeignKey(Player, on_delete=models.SET_NULL, null=True, related_name="outcomes", db_index=False)
    game = models.CharField(max_length=40)
    called = models.CharField(max_length=LONGEST_CALLED, blank=True, default="")
    """The name of a game that has no folder of its own; empty for all others."""
    began_at = models.DateTimeField()
    side = models.PositiveSmallIntegerField()
    """Who has the same one scored together."""
    sides = models.PositiveSmallIntegerField()
    total = models.IntegerField()
    is_high_good = models.BooleanField()
    """Whether more points are better."""
    rank = models.PositiveSmallIntegerField()
    """From 1, shared by those who tie; 0 where nobody is ranked."""
    is_won = models.BooleanField()
    is_shared = models.BooleanField()
    """Whether the first place was shared with another side."""
    minutes = models.PositiveIntegerField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["table", "seat"], name="outcome_once_a_seat")]
        indexes = [
            models.Index(fields=["player", "-began_at", "-table"], name="outcomes_of_a_player"),
            models.Index(fields=["circle", "game", "called", "began_at", "table"], name="outcomes_of_a_game"),
            models.Index(
                fields=["circle", "began_at", "game", "called", "minutes"],
                name="outcomes_of_a_circle",
                condition=models.Q(seat=0),  # one a table
            ),
            models.Index(
                fields=["circle", "game", "called", "player", "is_won", "is_shared"], name="outcomes_by_player"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.game} {self.total}"


class Fact(models.Model):
    """A number that a finished table tells of a seat, or of all who sat there (no seat): what, the game says."""

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="facts")
    circle = models.ForeignKey(Circle, on_delete=models.CASCADE, related_name="+", db_index=False)
    seat = models.PositiveSmallIntegerField(null=True)
    player = models.ForeignKey(Player, on_delete=models.SET_NULL, null=True, related_name="facts", db_index=False)
    game = models.CharField(max_length=40)
    name = models.CharField(max_length=40)
    value = models.IntegerField()

    class Meta:
        indexes = [
            models.Index(
                fields=["player", "game", "name", "value"],
                name="facts_of_a_player",
                condition=models.Q(player__isnull=False),
            ),
            models.Index(
                fields=["circle", "game", "name", "value"],
                name="facts_of_a_game",
                condition=models.Q(seat__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.value}"


class Rating(models.Model):
    """How strong a player has shown to be at a game, reckoned from the outcomes in the order of play."""

    circle = models.ForeignKey(Circle, on_delete=models.CASCADE, related_name="+", db_index=False)
    game = models.CharField(max_length=40)
    called = models.CharField(max_length=LONGEST_CALLED, blank=True, default="")
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="ratings")
    value = models.FloatField()
    matches = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["circle", "game", "called", "player"], name="rating_once_a_player")
        ]

    def __str__(self) -> str:
        return f"{self.game} {self.value:.0f}"


class RatedUntil(models.Model):
    """The last table that the ratings of a game have seen; a change before it makes them begin anew."""

    circle = models.ForeignKey(Circle, on_delete=models.CASCADE, related_name="+", db_index=False)
    game = models.CharField(max_length=40)
    called = models.CharField(max_length=LONGEST_CALLED, blank=True, default="")
    began_at = models.DateTimeField()
    table = models.BigIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["circle", "game", "called"], name="rated_once_a_game")]

    def __str__(self) -> str:
        return f"{self.game} until {self.began_at}"


class ShortLink(models.Model):
    """A short address that leads to a table's play in another app, for a few minutes."""

    code = models.CharField(max_length=CODE_LENGTH, unique=True)
    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="short_links")
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.code


class ApiKeyQuerySet(models.QuerySet["ApiKey"]):
    def alive(self) -> ApiKeyQuerySet:
        """Those whose device has belonged to the circle ever since: who comes back has to make another one."""
        device = "device__memberships"
        return self.filter(
            **{f"{device}__circle": models.F("circle"), f"{device}__joined_at__lte": models.F("made_at")}
        )


class ApiKey(models.Model):
    """A key by which a program reads what a device of the circle may see. Here stands only its hash."""

    device = models.ForeignKey(Device, on_delete=models.CASCADE, related_name="api_keys")
    circle = models.ForeignKey(Circle, on_delete=models.CASCADE, related_name="+")
    key_hash = models.CharField(max_length=64, unique=True)
    label = models.CharField(max_length=LONGEST_NAME)
    made_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(null=True)
    """When a program last used it, to a few minutes."""

    objects = ApiKeyQuerySet.as_manager()

    class Meta:
        ordering = ["made_at", "pk"]

    def __str__(self) -> str:
        return self.label
