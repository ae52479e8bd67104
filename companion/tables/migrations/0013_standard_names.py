"""Better names in Python; the database stays as it is."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0012_unread_after_new_versions"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameModel(old_name="FoldedNote", new_name="SearchableNote"),
                migrations.AlterModelTable(name="SearchableNote", table="tables_foldednote"),
                migrations.RenameModel(old_name="KeptOptions", new_name="SavedOptions"),
                migrations.AlterModelTable(name="SavedOptions", table="tables_keptoptions"),
                migrations.AlterField(
                    model_name="SearchableNote",
                    name="table",
                    field=models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="searchable_note",
                        serialize=False,
                        to="tables.table",
                    ),
                ),
                migrations.AlterField(
                    model_name="SavedOptions",
                    name="circle",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="saved_options",
                        to="people.circle",
                    ),
                ),
                migrations.RemoveIndex(model_name="table", name="tables_to_be_read"),
                migrations.RenameField(model_name="table", old_name="way", new_name="mode"),
                migrations.RenameField(model_name="table", old_name="opened_with", new_name="form_key"),
                migrations.RenameField(model_name="table", old_name="is_unread", new_name="has_stale_stats"),
                migrations.AlterField(
                    model_name="table",
                    name="mode",
                    field=models.CharField(
                        choices=[("pad", "Pad"), ("referee", "Referee")], db_column="way", default="pad", max_length=10
                    ),
                ),
                migrations.AlterField(
                    model_name="table",
                    name="form_key",
                    field=models.CharField(db_column="opened_with", max_length=64, null=True, unique=True),
                ),
                migrations.AlterField(
                    model_name="table",
                    name="has_stale_stats",
                    field=models.BooleanField(db_column="is_unread", default=False),
                ),
                migrations.AddIndex(
                    model_name="table",
                    index=models.Index(
                        condition=models.Q(("has_stale_stats", True)),
                        fields=["circle", "began_at", "id"],
                        name="tables_to_be_read",
                    ),
                ),
            ]
        ),
    ]
