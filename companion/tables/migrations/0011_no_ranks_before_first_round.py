from django.db import migrations
from django.db.migrations.state import StateApps


def unrank(apps: StateApps, schema_editor: object) -> None:
    """Nobody is ranked before a round counts; the copies of the result said that everybody was first."""
    Table = apps.get_model("tables", "Table")
    for table in Table.objects.filter(result__rounds=0).exclude(result__ranks=[]).only("result").iterator():
        table.result["ranks"] = []
        table.save(update_fields=["result"])


class Migration(migrations.Migration):
    dependencies = [("tables", "0010_binned_by")]

    operations = [migrations.RunPython(unrank, migrations.RunPython.noop, elidable=True)]
