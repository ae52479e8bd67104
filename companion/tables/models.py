"""Tables, seats, guests and log entries."""

import secrets
from datetime import timedelta
from typing import Self

from django.db import models
from django.utils import timezone

from companion.people.models import NAME_MAX_LENGTH, Circle, Device, Player

BIN_RETENTION = timedelta(days=30)
"""How long a table stays in the bin before it is deleted."""


def new_public_id() -> str:
    """Return an id for a table's URL. It is not a secret: access is checked."""
    return secrets.token_urlsafe(9)


class TableQuerySet(models.QuerySet["Table"]):
    def of(self, circle: Circle | None) -> Self:
        """The circle's tables, newest first; none without a circle."""
        return self.none() if circle is None else self.filter(circle=circle).order_by("-began_at", "-id")

    def not_binned(self) -> Self:
        return self.filter(binned_at=None)

    def expired(self) -> Self:
        """Tables that have been in the bin for `BIN_RETENTION`."""
        return self.filter(binned_at__lte=timezone.now() - BIN_RETENTION)

    def visited_by(self, device: Device) -> Self:
        """Tables at which the device is a guest, newest first."""
        roles = (Attendance.Role.SCORER, Attendance.Role.VIEWER)
        guests = Attendance.objects.filter(device=device, role__in=roles)
        return self.filter(pk__in=guests.values("table")).exclude(circle__devices=device).order_by("-id")


class Place(models.Model):
    """A named place where a circle plays."""

    circle = models.ForeignKey(Circle, on_delete=models.CASCADE, related_name="places", db_index=False)
    name = models.CharField(max_length=NAME_MAX_LENGTH)
    used_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-used_at"]
        constraints = [models.UniqueConstraint(fields=["circle", "name"], name="place_once_in_a_circle")]

    def __str__(self) -> str:
        return self.name


class Table(models.Model):
    """One sitting of one game. Its log is the source of truth; `result` is derived from it for lists."""

    class Mode(models.TextChoices):
        PAD = "pad"
        REFEREE = "referee"

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id)
    circle = models.ForeignKey(Circle, on_delete=models.CASCADE, related_name="tables", db_index=False)
    game = models.CharField(max_length=40)
    game_version = models.PositiveSmallIntegerField()
    options = models.JSONField(default=dict)
    """Encoded as in the notation."""
    mode = models.CharField(max_length=10, choices=Mode, default=Mode.PAD, db_column="way")
    note = models.TextField(blank=True, default="")
    place = models.ForeignKey(
        Place, on_delete=models.SET_NULL, null=True, blank=True, related_name="tables", db_index=False
    )
    opened_at = models.DateTimeField(auto_now_add=True)
    """When it was opened here, or imported."""
    began_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)
    """When the match ended or the table was closed; null while in play, or if unknown."""
    binned_at = models.DateTimeField(null=True, blank=True)
    binned_by = models.ForeignKey(
        Device, on_delete=models.SET_NULL, null=True, blank=True, related_name="+", db_index=False
    )
    form_key = models.CharField(  # noqa: DJ001 - unique, and not all have one
        max_length=64, unique=True, null=True, db_column="opened_with"
    )
    """Idempotency key of the form that opened it."""
    rematch_of = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, blank=True, related_name="rematches")
    version = models.PositiveIntegerField(default=0)
    """The number of the last entry."""
    is_over = models.BooleanField(default=False)
    is_closed = models.BooleanField(default=False)
    result = models.JSONField(default=dict)
    """Totals, ranks and number of rounds, derived from the log."""
    has_stale_stats = models.BooleanField(default=False, db_column="is_unread")
    """Whether the statistics have yet to read the table's latest state."""
    source = models.CharField(max_length=120, null=True, blank=True)  # noqa: DJ001 - unique, and most have none
    """Its id in the imported file, so that a file imported twice does not duplicate tables."""
    hides_counts = models.BooleanField(default=False)
    """Whether counts are hidden from other devices until the round is complete."""

    objects = TableQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["circle", "-began_at", "-id"], name="tables_of_a_circle"),
            models.Index(fields=["circle", "game", "-began_at", "-id"], name="tables_of_a_game"),
            models.Index(
                fields=["place", "-began_at", "-id"], name="tables_at_a_place", condition=models.Q(place__isnull=False)
            ),
            models.Index(
                fields=["circle", "began_at", "id"], name="tables_to_be_read", condition=models.Q(has_stale_stats=True)
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["circle", "source"], name="taken_in_once", condition=models.Q(source__isnull=False)
            )
        ]

    @property
    def minutes(self) -> int | None:
        """How long it lasted, if known."""
        return None if self.ended_at is None else max(round((self.ended_at - self.began_at).total_seconds() / 60), 0)


class SearchableNote(models.Model):
    """A table's note without case and accents, for searching; a narrow row, so that scans are fast."""

    table = models.OneToOneField(Table, on_delete=models.CASCADE, primary_key=True, related_name="searchable_note")
    circle = models.ForeignKey(Circle, on_delete=models.CASCADE, related_name="+")
    text = models.TextField()

    class Meta:
        db_table = "tables_foldednote"


class SavedOptions(models.Model):
    """Options that a circle has used and is offered again: a drawn pattern, a score sheet of its own."""

    circle = models.ForeignKey(Circle, on_delete=models.CASCADE, related_name="saved_options", db_index=False)
    game = models.CharField(max_length=40)
    key = models.CharField(max_length=200)
    """The key of the game's preset."""
    words = models.JSONField(default=dict)
    """Encoded as in the notation."""
    used_at = models.DateTimeField()

    class Meta:
        db_table = "tables_keptoptions"
        ordering = ["-used_at"]
        constraints = [models.UniqueConstraint(fields=["circle", "game", "key"], name="kept_once_in_a_circle")]


class Seat(models.Model):
    """A seat at a table, numbered clockwise from 0. It outlives an erased player."""

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="seats", db_index=False)
    number = models.PositiveSmallIntegerField()
    player = models.ForeignKey(Player, on_delete=models.SET_NULL, null=True, related_name="seats")

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="seat_once_at_a_table"),
            models.UniqueConstraint(fields=["table", "player"], name="player_once_at_a_table"),
        ]


class Attendance(models.Model):
    """A device at a table: a guest's role, and the seat that it has taken."""

    class Role(models.TextChoices):
        CIRCLE = "circle"  # only while the device is a member of the circle
        SCORER = "scorer"
        VIEWER = "viewer"

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="attendances", db_index=False)
    device = models.ForeignKey(Device, on_delete=models.CASCADE, related_name="attendances")
    role = models.CharField(max_length=10, choices=Role)
    seat = models.PositiveSmallIntegerField(null=True)
    joined_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["joined_at"]
        constraints = [models.UniqueConstraint(fields=["table", "device"], name="device_once_at_a_table")]


class Door(models.Model):
    """A table's door: while it is open, its code admits guests."""

    table = models.OneToOneField(Table, on_delete=models.CASCADE, primary_key=True, related_name="door")
    code = models.CharField(max_length=6, unique=True, null=True)  # noqa: DJ001 - unique, and a closed door has none
    role = models.CharField(max_length=10, choices=Attendance.Role)
    """The role of those it admits."""
    closes_at = models.DateTimeField()


class Entry(models.Model):
    """A line of a table's log; never changed or deleted."""

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="entries", db_index=False)
    number = models.PositiveIntegerField()
    key = models.CharField(max_length=80)
    """Idempotency key made by the phone."""
    kind = models.CharField(max_length=40)
    round = models.PositiveSmallIntegerField(default=0)
    words = models.JSONField(default=dict)
    overruled = models.JSONField(default=list)
    game_version = models.PositiveSmallIntegerField()
    """The version of the game by which it was judged."""
    device = models.ForeignKey(
        Device, on_delete=models.SET_NULL, null=True, related_name="entries", db_index=False
    )  # only queried by table; an index would be one more page to write per entry
    at = models.DateTimeField(default=timezone.now)
    """When it was entered, here or where it was imported from."""

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="entry_number_once_at_a_table"),
            models.UniqueConstraint(fields=["table", "key"], name="entry_key_once_at_a_table"),
        ]
