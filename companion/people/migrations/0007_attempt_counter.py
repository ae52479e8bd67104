"""Better names in Python; the database stays as it is."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("people", "0006_signs_of_players"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameModel(old_name="Tries", new_name="AttemptCounter"),
                migrations.AlterModelTable(name="AttemptCounter", table="people_tries"),
                migrations.AlterModelOptions(name="AttemptCounter", options={}),
            ]
        ),
    ]
