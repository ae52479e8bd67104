"""An entry that is taken in from a file was entered long ago. The column stays as it is: nothing is written."""

import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tables", "0008_times_of_tables")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name="entry", name="at", field=models.DateTimeField(default=django.utils.timezone.now)
                )
            ]
        )
    ]
