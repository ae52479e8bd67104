"""Statistics derived from tables, import state, short links and API keys."""

from __future__ import annotations

from datetime import timedelta

from django.db import models
from django.utils import timezone

from companion.core.text import Text
from companion.history.game_titles import get_game_title
from companion.people.models import NAME_MAX_LENGTH, Circle, Device, Player
from companion.tables.models import Table

MAX_GAME_NAME_LENGTH = 80
SHORT_LINK_LENGTH = 8
BGSTATS = "bgstats"
"""The `Alias.source` of files of Board Game Stats, which hold results only."""
MAX_FILE_NAME_LENGTH = 120
MAX_UPLOAD_AGE = timedelta(days=1)
MAX_EXTERNAL_ID_LENGTH = 120


class SeatResult(models.Model):
    """The result of a finished table for one seat."""

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="seat_results", db_index=False)
    circle = models.ForeignKey(Circle, on_delete=models.CASCADE, related_name="+", db_index=False)
    seat = models.PositiveSmallIntegerField()
    player = models.ForeignKey(
        Player, on_delete=models.SET_NULL, null=True, related_name="seat_results", db_index=False
    )
    game = models.CharField(max_length=40)
    called = models.CharField(max_length=MAX_GAME_NAME_LENGTH, blank=True, default="")
    """Name of a game that has no folder; empty for the others."""
    began_at = models.DateTimeField()
    side = models.PositiveSmallIntegerField()
    """Seats with the same number scored together."""
    sides = models.PositiveSmallIntegerField()
    total = models.IntegerField()
    is_high_good = models.BooleanField()
    rank = models.PositiveSmallIntegerField()
    """From 1, shared in a tie; 0 if the game ranks nobody."""
    is_won = models.BooleanField()
    is_shared = models.BooleanField()
    """Whether the first place was shared."""
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
                condition=models.Q(seat=0),  # one per table
            ),
            models.Index(fields=["circle", "player", "is_won", "is_shared", "rank", "game"], name="outcomes_by_player"),
            models.Index(
                fields=["circle", "game", "called", "player", "is_won", "is_shared", "rank"],
                name="outcomes_by_game_and_player",
            ),
        ]


class Fact(models.Model):
    """A number that a game reports of a finished table, about a seat or (no seat) the whole table."""

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


class Rating(models.Model):
    """A player's rating at a game, computed from results in order of play."""

    circle = models.ForeignKey(Circle, on_delete=models.CASCADE, related_name="+", db_index=False)
    game = models.CharField(max_length=40)
    called = models.CharField(max_length=MAX_GAME_NAME_LENGTH, blank=True, default="")
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="ratings")
    value = models.FloatField()
    matches = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["circle", "game", "called", "player"], name="rating_once_a_player")
        ]

    @property
    def title(self) -> Text:
        return get_game_title(self.game, self.called)


class RatingProgress(models.Model):
    """The last table included in a game's ratings; a change before it resets them."""

    circle = models.ForeignKey(Circle, on_delete=models.CASCADE, related_name="+", db_index=False)
    game = models.CharField(max_length=40)
    called = models.CharField(max_length=MAX_GAME_NAME_LENGTH, blank=True, default="")
    began_at = models.DateTimeField()
    table = models.BigIntegerField()

    class Meta:
        db_table = "history_rateduntil"
        constraints = [models.UniqueConstraint(fields=["circle", "game", "called"], name="rated_once_a_game")]


class ShortLink(models.Model):
    """A short URL by which another app can fetch a table for a few minutes."""

    code = models.CharField(max_length=SHORT_LINK_LENGTH, unique=True)
    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="short_links")
    expires_at = models.DateTimeField(db_index=True)


class Upload(models.Model):
    """An uploaded file that waits for its players to be matched; kept for a day at most."""

    circle = models.ForeignKey(Circle, on_delete=models.CASCADE, related_name="+")
    device = models.ForeignKey(Device, on_delete=models.SET_NULL, null=True, related_name="+")
    name = models.CharField(max_length=MAX_FILE_NAME_LENGTH, blank=True, default="")
    content = models.BinaryField()
    """The parsed file, as packed by `exchange.serialization`."""
    is_begun = models.BooleanField(default=False)
    """Whether importing has begun: its players have been matched."""
    made_at = models.DateTimeField(default=timezone.now, db_index=True)


class Alias(models.Model):
    """The player or game that an id in a file stands for, remembered so that it is asked once."""

    class Kind(models.TextChoices):
        PLAYER = "player"
        GAME = "game"

    circle = models.ForeignKey(Circle, on_delete=models.CASCADE, related_name="+", db_index=False)
    source = models.CharField(max_length=20)
    """Kind of file."""
    kind = models.CharField(max_length=10, choices=Kind)
    external_id = models.CharField(max_length=MAX_EXTERNAL_ID_LENGTH, db_column="outside")
    """A player's id in the file, or a game's case-folded name."""
    player = models.ForeignKey(Player, on_delete=models.CASCADE, null=True, related_name="aliases")
    game = models.CharField(max_length=40, blank=True, default="")
    """Slug of a game that has a folder."""
    called = models.CharField(max_length=MAX_GAME_NAME_LENGTH, blank=True, default="")
    """Name of a game that has none."""

    class Meta:
        verbose_name_plural = "aliases"
        constraints = [
            models.UniqueConstraint(fields=["circle", "source", "kind", "external_id"], name="alias_once_in_a_circle")
        ]


class ApiKeyQuerySet(models.QuerySet["ApiKey"]):
    def valid(self) -> ApiKeyQuerySet:
        """Keys whose device has been a member ever since; leaving the circle voids them for good."""
        device = "device__memberships"
        return self.filter(
            **{f"{device}__circle": models.F("circle"), f"{device}__joined_at__lte": models.F("made_at")}
        )


class ApiKey(models.Model):
    """A key with which a program reads what the device may see. Only the hash is stored."""

    device = models.ForeignKey(Device, on_delete=models.CASCADE, related_name="api_keys")
    circle = models.ForeignKey(Circle, on_delete=models.CASCADE, related_name="+")
    key_hash = models.CharField(max_length=64, unique=True)
    label = models.CharField(max_length=NAME_MAX_LENGTH)
    made_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(null=True)
    """Last use, to a few minutes."""

    objects = ApiKeyQuerySet.as_manager()

    class Meta:
        ordering = ["made_at", "pk"]
