"""The page that says what is kept, compared with the database."""

import re
from pathlib import Path

from django.apps import apps
from django.conf import settings

from companion.people.auth import COOKIE_AGE
from companion.people.services import INVITATION_LIFETIME
from companion.tables.services.entries import BIN_RETENTION
from companion.tables.services.guests import DOOR_LIFETIME

PAGE = Path(settings.ROOT, "docs/privacy.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `([\w.]+)` \| (.+) \| (.+) \|$", PAGE, re.MULTILINE)


def test_every_column_of_the_database_has_a_purpose_and_a_time():
    columns = {
        f"{model._meta.label}.{field.column}"
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.local_concrete_fields
    }
    assert len(ROWS) == len(columns)
    assert {column for column, _what, _long in ROWS} == columns
    assert all(what.strip() and long.strip() for _column, what, long in ROWS)


def test_the_times_are_those_of_the_code():
    long = {column: how for column, _what, how in ROWS}
    assert f"{BIN_RETENTION.days} days" in long["tables.Table.note"]
    assert f"{COOKIE_AGE // 86_400} days" in long["people.Device.label"]
    assert f"{DOOR_LIFETIME.seconds // 60} minutes" in long["tables.Door.code"]
    assert f"{INVITATION_LIFETIME.seconds // 60} minutes" in long["people.Invitation.key_hash"]
