import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("people", "0002_no_index_twice"),
        ("tables", "0003_opened_with"),
    ]

    operations = [
        migrations.CreateModel(
            name="KeptOptions",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("game", models.CharField(max_length=40)),
                ("key", models.CharField(max_length=200)),
                ("words", models.JSONField(default=dict)),
                ("used_at", models.DateTimeField()),
                (
                    "circle",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="kept_options",
                        to="people.circle",
                    ),
                ),
            ],
            options={
                "ordering": ["-used_at"],
                "constraints": [
                    models.UniqueConstraint(fields=("circle", "game", "key"), name="kept_once_in_a_circle")
                ],
            },
        ),
    ]
