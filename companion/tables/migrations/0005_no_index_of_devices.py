import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("people", "0002_no_index_twice"),
        ("tables", "0004_kept_options"),
    ]

    operations = [
        migrations.AlterField(
            model_name="entry",
            name="device",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="entries",
                to="people.device",
            ),
        ),
    ]
