"""Tables, their seats, and the entries of their logs, as they are stored. Folding them is left to others."""

from __future__ import annotations

import secrets

from django.db import models
from django.utils import timezone

from companion.people.models import NAME_MAX_LENGTH, Circle, Device, Player

TABLE_ACCESS_SQL = """
SELECT tables_table.*, people_device.id AS device_id, people_device.label AS device_label,
    people_device.token_hash AS device_token_hash, people_device.former_hash AS device_former_hash,
    people_device.used_at AS device_used_at, people_device.circle_id AS device_circle,
    people_membership.id AS membership, tables_attendance.role AS guest_role, tables_attendance.seat AS own_seat,
    people_player.name AS player_name
FROM tables_table
JOIN people_device ON people_device.token_hash = %s OR people_device.former_hash = %s
LEFT JOIN people_membership ON people_membership.device_id = people_device.id
    AND people_membership.circle_id = tables_table.circle_id
LEFT JOIN tables_attendance ON tables_attendance.device_id = people_device.id
    AND tables_attendance.table_id = tables_table.id
JOIN tables_seat ON tables_seat.table_id = tables_table.id
LEFT JOIN people_player ON people_player.id = tables_seat.player_id
WHERE tables_table.public_id = %s
    AND (people_membership.id IS NOT NULL OR tables_attendance.role IN ('scorer', 'viewer'))
ORDER BY tables_seat.number
"""
"""A table by a device's token hash (twice) and its public id: a row a seat, none where the device may not see it.

Every request to a table begins with it, and the ORM takes four times as long to write it as the database to answer.
"""


def new_public_id() -> str:
    """What stands in the address of a table; not a secret, for only its circle may open it."""
    return secrets.token_urlsafe(9)


class TableQuerySet(models.QuerySet["Table"]):
    def of(self, circle: Circle | None) -> TableQuerySet:
        """The tables of a circle, played last first; none where there is no circle yet."""
        return self.none() if circle is None else self.filter(circle=circle).order_by("-began_at", "-id")

    def not_binned(self) -> TableQuerySet:
        return self.filter(binned_at=None)

    def visited_by(self, device: Device) -> TableQuerySet:
        """The tables at which the device is a guest, the newest first."""
        roles = (Attendance.Role.SCORER, Attendance.Role.VIEWER)
        guests = Attendance.objects.filter(device=device, role__in=roles)
        return self.filter(pk__in=guests.values("table")).exclude(circle__devices=device).order_by("-id")


class Place(models.Model):
    """Where a circle plays, as it calls it."""

    circle = models.ForeignKey(Circle, on_delete=models.CASCADE, related_name="places", db_index=False)
    name = models.CharField(max_length=NAME_MAX_LENGTH)
    used_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-used_at"]
        constraints = [models.UniqueConstraint(fields=["circle", "name"], name="place_once_in_a_circle")]

    def __str__(self) -> str:
        return self.name


class Table(models.Model):
    """One sitting of one game. Its log is the truth; `result` is a copy for lists, and can be rebuilt."""

    class Mode(models.TextChoices):
        PAD = "pad"
        REFEREE = "referee"

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id)
    circle = models.ForeignKey(Circle, on_delete=models.CASCADE, related_name="tables", db_index=False)
    game = models.CharField(max_length=40)
    game_version = models.PositiveSmallIntegerField()
    options = models.JSONField(default=dict)
    """In the words of the notation."""
    mode = models.CharField(max_length=10, choices=Mode, default=Mode.PAD, db_column="way")
    note = models.TextField(blank=True, default="")
    place = models.ForeignKey(
        Place, on_delete=models.SET_NULL, null=True, blank=True, related_name="tables", db_index=False
    )
    opened_at = models.DateTimeField(auto_now_add=True)
    """When it was opened here, or taken in from a file."""
    began_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)
    """When the match was over, or the table closed; none while it is played, and where nobody knows."""
    binned_at = models.DateTimeField(null=True, blank=True)
    binned_by = models.ForeignKey(
        Device, on_delete=models.SET_NULL, null=True, blank=True, related_name="+", db_index=False
    )
    form_key = models.CharField(  # noqa: DJ001 - unique, and not all have one
        max_length=64, unique=True, null=True, db_column="opened_with"
    )
    """The key of the form that opened it: the same form sent twice is one table."""
    rematch_of = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, blank=True, related_name="rematches")
    version = models.PositiveIntegerField(default=0)
    """The number of the last entry."""
    is_over = models.BooleanField(default=False)
    is_closed = models.BooleanField(default=False)
    result = models.JSONField(default=dict)
    """Totals, ranks and rounds as the log said last."""
    has_stale_stats = models.BooleanField(default=False, db_column="is_unread")
    """Whether the statistics have not yet seen how it stands now."""
    source = models.CharField(max_length=120, null=True, blank=True)  # noqa: DJ001 - unique, and most have none
    """What it is in the file that it was taken in from: the same file twice is the same tables."""
    hides_counts = models.BooleanField(default=False)
    """Whether what others have counted is kept from sight until the round is whole."""

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

    def __str__(self) -> str:
        return self.public_id


class SearchableNote(models.Model):
    """A note as it is searched, without capitals and accents: narrow, so that a hundred thousand are soon read."""

    table = models.OneToOneField(Table, on_delete=models.CASCADE, primary_key=True, related_name="searchable_note")
    circle = models.ForeignKey(Circle, on_delete=models.CASCADE, related_name="+")
    text = models.TextField()

    class Meta:
        db_table = "tables_foldednote"

    def __str__(self) -> str:
        return self.text[:40]


class SavedOptions(models.Model):
    """Options that a circle has used and is offered again: a drawn pattern, a sheet for a game of its own."""

    circle = models.ForeignKey(Circle, on_delete=models.CASCADE, related_name="saved_options", db_index=False)
    game = models.CharField(max_length=40)
    key = models.CharField(max_length=200)
    """What they are kept under, as the game says."""
    words = models.JSONField(default=dict)
    """In the words of the notation."""
    used_at = models.DateTimeField()

    class Meta:
        db_table = "tables_keptoptions"
        ordering = ["-used_at"]
        constraints = [models.UniqueConstraint(fields=["circle", "game", "key"], name="kept_once_in_a_circle")]

    def __str__(self) -> str:
        return f"{self.game} {self.key}"


class Seat(models.Model):
    """A place at a table, numbered clockwise from 0. A player who is erased leaves the seat behind."""

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="seats", db_index=False)
    number = models.PositiveSmallIntegerField()
    player = models.ForeignKey(Player, on_delete=models.SET_NULL, null=True, related_name="seats")

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="seat_once_at_a_table"),
            models.UniqueConstraint(fields=["table", "player"], name="player_once_at_a_table"),
        ]

    def __str__(self) -> str:
        return f"seat {self.number}"


class Attendance(models.Model):
    """A device at a table: what a guest may do there, and whose place it has taken."""

    class Role(models.TextChoices):
        CIRCLE = "circle"  # may do all because it belongs to the circle, and for no longer
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

    def __str__(self) -> str:
        return f"{self.device_id} at {self.table_id}: {self.role}"


class Door(models.Model):
    """A table's door: while it is open, whoever says the code comes in as a guest."""

    table = models.OneToOneField(Table, on_delete=models.CASCADE, primary_key=True, related_name="door")
    code = models.CharField(max_length=6, unique=True, null=True)  # noqa: DJ001 - unique, and a closed door has none
    role = models.CharField(max_length=10, choices=Attendance.Role)
    """As what guests come in."""
    closes_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"door of {self.table_id}"


class Entry(models.Model):
    """One line of a log. It is written once, and never changed or deleted."""

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="entries", db_index=False)
    number = models.PositiveIntegerField()
    key = models.CharField(max_length=80)
    """Made by the phone: the same key twice is one entry."""
    kind = models.CharField(max_length=40)
    round = models.PositiveSmallIntegerField(default=0)
    words = models.JSONField(default=dict)
    overruled = models.JSONField(default=list)
    game_version = models.PositiveSmallIntegerField()
    """The version of the game that judged it."""
    device = models.ForeignKey(
        Device, on_delete=models.SET_NULL, null=True, related_name="entries", db_index=False
    )  # asked for by table only; an index is a page more to write an entry
    at = models.DateTimeField(default=timezone.now)
    """When it was entered, here or where the file comes from."""

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="entry_number_once_at_a_table"),
            models.UniqueConstraint(fields=["table", "key"], name="entry_key_once_at_a_table"),
        ]

    def __str__(self) -> str:
        return f"{self.number} {self.kind}"
