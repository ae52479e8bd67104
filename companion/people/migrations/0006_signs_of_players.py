from django.db import migrations
from django.db.migrations.state import StateApps

SIGNS = [
    "star",
    "moon",
    "sun",
    "leaf",
    "drop",
    "heart",
    "key",
    "bell",
    "boat",
    "fish",
    "flower",
    "mountain",
    "bolt",
    "kite",
    "house",
    "tree",
]


def tell_apart(apps: StateApps, schema_editor: object) -> None:
    """Players who were there before get the colours and signs that they would get now, one after the other."""
    Player = apps.get_model("people", "Player")
    changed, place, circle = [], 0, None
    for player in Player.objects.order_by("circle", "pk").iterator():
        place = place + 1 if player.circle_id == circle else 0
        circle = player.circle_id
        player.colour, player.sign = place % 8, SIGNS[(place + place // 16) % 16]
        changed.append(player)
    Player.objects.bulk_update(changed, ["colour", "sign"], batch_size=400)


class Migration(migrations.Migration):
    dependencies = [("people", "0005_colours_and_signs")]

    operations = [migrations.RunPython(tell_apart, migrations.RunPython.noop, elidable=True)]
