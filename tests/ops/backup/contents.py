"""Database contents for comparison, and a circle with rows in every table."""

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


def read_contents() -> Contents:
    """Return every row of every model as Python values that are equal on all databases."""
    connection.close()  # another process may have replaced the file
    return {
        model._meta.label: [tuple(map(_convert_value, row)) for row in model.objects.order_by("pk").values_list()]
        for model in apps.get_models(include_auto_created=True)
    }


def _convert_value(value: object) -> object:
    return bytes(value) if isinstance(value, memoryview) else value


def list_differences() -> list[object]:
    """Return the differences that `verify` reports."""
    return [difference for result in check_tables(Table.objects.all()) for difference in result.differences]


def create_full_circle(person, each: int = 1) -> Circle:
    """Fill the circle of a person with tables of all games, an upload, an alias and a binned table."""
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
