"""What is stored beside tables: copies for the statistics, who is who in files, short addresses, and keys."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from companion.people.models import NAME_MAX_LENGTH, Circle, Device, Player
from companion.tables.models import Table

LONGEST_CALLED = 80
CODE_LENGTH = 8
BGSTATS = "bgstats"
"""The kind of file that knows results only."""
LONGEST_FILE_NAME = 120
LONGEST_OUTSIDE = 120


class SeatResult(models.Model):
    """How a finished table ended for one seat."""

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="seat_results", db_index=False)
    circle = models.ForeignKey(Circle, on_delete=models.CASCADE, related_name="+", db_index=False)
    seat = models.PositiveSmallIntegerField()
    player = models.ForeignKey(
        Player, on_delete=models.SET_NULL, null=True, related_name="seat_results", db_index=False
    )
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
        db_table = "history_outcome"
        constraints = [models.UniqueConstraint(fields=["table", "seat"], name="outcome_once_a_seat")]
        indexes = [
            models.Index(fields=["player", "-began_at", "-table"], name="outcomes_of_a_player"),
            models.Index(fields=["circle", "game", "called", "began_at", "table"], name="outcomes_of_a_game"),
            models.Index(
                fields=["circle", "game", "called", "began_at", "minutes"],
                name="outcomes_of_tables",
                condition=models.Q(seat=0),  # one a table
            ),
            models.Index(fields=["circle", "player", "is_won", "is_shared", "rank", "game"], name="outcomes_by_player"),
            models.Index(
                fields=["circle", "game", "called", "player", "is_won", "is_shared", "rank"],
                name="outcomes_by_game_and_player",
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


class RatingProgress(models.Model):
    """The last table that the ratings of a game have seen; a change before it makes them begin anew."""

    circle = models.ForeignKey(Circle, on_delete=models.CASCADE, related_name="+", db_index=False)
    game = models.CharField(max_length=40)
    called = models.CharField(max_length=LONGEST_CALLED, blank=True, default="")
    began_at = models.DateTimeField()
    table = models.BigIntegerField()

    class Meta:
        db_table = "history_rateduntil"
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


class Upload(models.Model):
    """A file that somebody has sent, until it is known who is who in it; kept for a day at most."""

    circle = models.ForeignKey(Circle, on_delete=models.CASCADE, related_name="+")
    device = models.ForeignKey(Device, on_delete=models.SET_NULL, null=True, related_name="+")
    name = models.CharField(max_length=LONGEST_FILE_NAME, blank=True, default="")
    content = models.BinaryField()
    """What was read out of the file, as `exchange.serialization` packs it."""
    is_begun = models.BooleanField(default=False)
    """Whether its tables are being taken in: by then its people have their players."""
    made_at = models.DateTimeField(default=timezone.now, db_index=True)

    def __str__(self) -> str:
        return self.name


class Alias(models.Model):
    """Who a player, or what a game, of other files is here: remembered, so that nobody is asked twice."""

    class Kind(models.TextChoices):
        PLAYER = "player"
        GAME = "game"

    circle = models.ForeignKey(Circle, on_delete=models.CASCADE, related_name="+", db_index=False)
    source = models.CharField(max_length=20)
    """The kind of file."""
    kind = models.CharField(max_length=10, choices=Kind)
    outside = models.CharField(max_length=LONGEST_OUTSIDE)
    """The id of a player there; for a game its name, folded."""
    player = models.ForeignKey(Player, on_delete=models.CASCADE, null=True, related_name="aliases")
    game = models.CharField(max_length=40, blank=True, default="")
    """The slug of a game that has a folder."""
    called = models.CharField(max_length=LONGEST_CALLED, blank=True, default="")
    """The name of a game that has none."""

    class Meta:
        verbose_name_plural = "aliases"
        constraints = [
            models.UniqueConstraint(fields=["circle", "source", "kind", "outside"], name="alias_once_in_a_circle")
        ]

    def __str__(self) -> str:
        return self.outside


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
    label = models.CharField(max_length=NAME_MAX_LENGTH)
    made_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(null=True)
    """When a program last used it, to a few minutes."""

    objects = ApiKeyQuerySet.as_manager()

    class Meta:
        ordering = ["made_at", "pk"]

    def __str__(self) -> str:
        return self.label
