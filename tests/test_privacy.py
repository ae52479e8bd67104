"""The tables of the privacy page, compared with the models."""

import re
from pathlib import Path

from django.apps import apps
from django.conf import settings

from companion.people.auth import COOKIE_AGE
from companion.people.services import INVITATION_LIFETIME
from companion.tables.models import BIN_RETENTION
from companion.tables.services.guests import DOOR_LIFETIME

PAGE = Path(settings.ROOT, "docs/privacy.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `([\w.]+)` \| (.+) \| (.+) \|$", PAGE, re.MULTILINE)


def test_every_column_has_a_purpose_and_a_retention():
    columns = {
        f"{model._meta.label}.{field.column}"
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.local_concrete_fields
    }
    assert sorted(column for column, _purpose, _retention in ROWS) == sorted(columns)
    assert all(purpose.strip() and retention.strip() for _column, purpose, retention in ROWS)


def test_documented_retention_matches_the_code():
    retentions = {column: retention for column, _purpose, retention in ROWS}
    assert f"{BIN_RETENTION.days} days" in retentions["tables.Table.note"]
    assert f"{COOKIE_AGE // 86_400} days" in retentions["people.Device.label"]
    assert f"{DOOR_LIFETIME.seconds // 60} minutes" in retentions["tables.Door.code"]
    assert f"{INVITATION_LIFETIME.seconds // 60} minutes" in retentions["people.Invitation.key_hash"]
