"""Finished tables of games that have a newer version are read again: their logs may be judged otherwise now."""

from typing import Any

from django.db import migrations
from django.db.models import Q

from companion.games import get_games


def mark_unread(apps: Any, schema_editor: Any) -> None:
    tables = apps.get_model("tables", "Table").objects.using(schema_editor.connection.alias)
    for slug, game in get_games().items():
        outdated = tables.filter(Q(is_over=True) | Q(is_closed=True), game=slug, game_version__lt=game.about.version)
        outdated.update(is_unread=True)


class Migration(migrations.Migration):
    dependencies = [("tables", "0011_no_ranks_before_first_round")]

    operations = [migrations.RunPython(mark_unread, migrations.RunPython.noop)]
