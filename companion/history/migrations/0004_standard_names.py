"""Better names in Python; the database stays as it is."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0013_standard_names"),
        ("history", "0003_upload_is_begun"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameModel(old_name="Outcome", new_name="SeatResult"),
                migrations.AlterModelTable(name="SeatResult", table="history_outcome"),
                migrations.AlterField(
                    model_name="SeatResult",
                    name="player",
                    field=models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="seat_results",
                        to="people.player",
                    ),
                ),
                migrations.AlterField(
                    model_name="SeatResult",
                    name="table",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="seat_results",
                        to="tables.table",
                    ),
                ),
                migrations.RenameModel(old_name="RatedUntil", new_name="RatingProgress"),
                migrations.AlterModelTable(name="RatingProgress", table="history_rateduntil"),
                migrations.RemoveConstraint(model_name="alias", name="alias_once_in_a_circle"),
                migrations.RenameField(model_name="alias", old_name="outside", new_name="external_id"),
                migrations.AlterField(
                    model_name="alias",
                    name="external_id",
                    field=models.CharField(db_column="outside", max_length=120),
                ),
                migrations.AddConstraint(
                    model_name="alias",
                    constraint=models.UniqueConstraint(
                        fields=("circle", "source", "kind", "external_id"), name="alias_once_in_a_circle"
                    ),
                ),
            ]
        ),
    ]
