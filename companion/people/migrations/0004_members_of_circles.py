from django.db import migrations
from django.db.migrations.state import StateApps


def enrol_all(apps: StateApps, schema_editor: object) -> None:
    """Until now a device belonged to the one circle that it stands in."""
    Device = apps.get_model("people", "Device")
    Membership = apps.get_model("people", "Membership")
    pairs = Device.objects.exclude(circle=None).values_list("pk", "circle_id")
    Membership.objects.bulk_create(
        (Membership(device_id=device, circle_id=circle) for device, circle in pairs), batch_size=500
    )


class Migration(migrations.Migration):
    dependencies = [("people", "0003_devices_and_guests")]

    operations = [migrations.RunPython(enrol_all, migrations.RunPython.noop, elidable=True)]
