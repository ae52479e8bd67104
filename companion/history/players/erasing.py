"""Erasing a player: the name is gone from everything that is stored, and the scores stay."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from django.db import connection, transaction

from companion.core.cleaning import folded
from companion.history.models import Alias, Upload
from companion.history.statistics import ratings
from companion.people.models import Circle, Device, Player
from companion.tables.models import FoldedNote, KeptOptions, Place, Table

BLANK = "…"
"""What stands where the name stood."""


def erase(player: Player) -> None:
    """The player and the name, wherever people have typed it as a word; where it was declined, nobody can tell."""
    circle, without = player.circle, _without(player.name)
    with transaction.atomic():
        ratings.lock(circle.pk)
        player.delete()
        _notes(circle, without)
        _places(circle, without)
        _options(circle, without)
        _files(circle, without)
        for device in Device.objects.filter(circles=circle) | Device.objects.filter(attendances__table__circle=circle):
            label = without(device.label)
            if label != device.label:
                Device.objects.filter(pk=device.pk).update(label=label)
        ratings.forget(circle)
    forget_the_traces()


def forget_the_traces() -> None:
    """Empties what the database keeps beside its file of what was changed; its pages were overwritten already."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _without(name: str) -> Callable[[str], str]:
    """Replaces the name where it stands as a word of its own, however it is capitalized."""
    pattern = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
    return lambda text: pattern.sub(BLANK, text)


def _notes(circle: Circle, without: Callable[[str], str]) -> None:
    for table in Table.objects.filter(circle=circle).exclude(note="").iterator():
        note = without(table.note)
        if note != table.note:
            Table.objects.filter(pk=table.pk).update(note=note)
            FoldedNote.objects.filter(table=table).update(text=folded(note))


def _places(circle: Circle, without: Callable[[str], str]) -> None:
    """A place that is called as another one then becomes that one."""
    for place in Place.objects.filter(circle=circle):
        name = without(place.name)
        if name == place.name:
            continue
        twin = Place.objects.filter(circle=circle, name=name).first()
        if twin is None:
            Place.objects.filter(pk=place.pk).update(name=name)
        else:
            Table.objects.filter(place=place).update(place=twin)
            place.delete()


def _options(circle: Circle, without: Callable[[str], str]) -> None:
    """Names of games and of their boxes."""
    for pk, options in Table.objects.filter(circle=circle).values_list("pk", "options").iterator():
        words = _words_without(options, without)
        if words != options:
            Table.objects.filter(pk=pk).update(options=words, is_unread=True)
    for kept in KeptOptions.objects.filter(circle=circle):
        words = _words_without(kept.words, without)
        if words != kept.words or without(kept.key) != kept.key:
            kept.delete()  # it is offered again when a table is opened like that


def _files(circle: Circle, without: Callable[[str], str]) -> None:
    """What was sent and has not been taken in, and what is remembered of files; the player's own went already."""
    Upload.objects.filter(circle=circle).delete()
    for alias in Alias.objects.filter(circle=circle):
        if any(without(text) != text for text in (alias.called, alias.outside)):
            alias.delete()  # it is chosen again when such a file comes


def _words_without(words: dict[str, Any], without: Callable[[str], str]) -> dict[str, Any]:
    return {name: _distinct(word, without) if isinstance(word, str) else word for name, word in words.items()}


def _distinct(word: str, without: Callable[[str], str]) -> str:
    """A sequence without the name. Two boxes that are called alike after that are numbered: a sheet has none twice."""
    parts: list[str] = []
    for part in word.split(","):
        name = without(part)
        alike = sum(name in (own, own.rpartition(" ")[0]) for own in parts) if name != part else 0
        parts.append(f"{name} {alike + 1}" if alike else name)
    return ",".join(parts)
