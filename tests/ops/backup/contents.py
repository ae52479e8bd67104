"""Database contents for comparison, and a circle with data in every table."""

from __future__ import annotations

from datetime import timedelta

from django.apps import apps
from django.db import connection
from django.utils import timezone

from companion.history.models import Alias, Upload
from companion.history.statistics import aggregation, ratings
from companion.people.models import Circle, Player
from companion.tables.models import Table
from companion.tables.services.integrity import check_tables
from tests.crowd import create_tables

Contents = dict[str, list[tuple[object, ...]]]


def contents() -> Contents:
    """Every row of every model, as Python reads it, whichever the database is."""
    connection.close()  # another process may have put another file there
    return {
        model._meta.label: [tuple(map(_plain, row)) for row in model.objects.order_by("pk").values_list()]
        for model in apps.get_models(include_auto_created=True)
    }


def _plain(value: object) -> object:
    return bytes(value) if isinstance(value, memoryview) else value


def differing() -> list[object]:
    """What `verify` would find."""
    return [difference for found in check_tables(Table.objects.all()) for difference in found.differences]


def furnished(person, each: int = 1) -> Circle:
    """The circle of somebody's phone, with tables of all games, and rows of what is seldom there."""
    person.open()
    circle = Circle.objects.get()
    create_tables(circle, each=each)
    aggregation.catch_up_fully(circle)
    for table in Table.objects.filter(circle=circle, is_over=True):
        ratings.catch_up(circle, table.game)
    player = Player.objects.filter(circle=circle).first()
    Upload.objects.create(circle=circle, name="α.json", content=bytes(range(256)))
    Alias.objects.create(circle=circle, source="bgstats", kind="player", external_id="X-1", player=player)
    Table.objects.filter(pk=Table.objects.last().pk).update(
        binned_at=timezone.now() - timedelta(days=3, microseconds=7), has_stale_stats=True
    )
    Table.objects.filter(pk=Table.objects.first().pk).update(began_at=timezone.now().replace(microsecond=500_000))
    return circle
