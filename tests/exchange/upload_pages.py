"""Uploads and imports of files through the pages."""

from __future__ import annotations

import json
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.http import HttpResponse
from django.urls import reverse

from companion.exchange import detect
from companion.exchange.serialization import pack
from companion.history.models import Alias, Upload
from tests.web.html import parse_html
from tests.web.people import Person, dump_database


def upload_file(person: Person, content: bytes | dict[str, Any], name: str = "plays.json") -> HttpResponse:
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    return person.post(reverse("import"), {"file": SimpleUploadedFile(name, data)})


def pack_file(content: bytes | dict[str, Any], name: str = "plays.json") -> bytes:
    """Return a file as stored in an upload."""
    return pack(detect.parse_upload(content if isinstance(content, bytes) else json.dumps(content).encode(), name))


def import_file(
    person: Person, content: bytes | dict[str, Any], name: str = "plays.json", **choices: str
) -> HttpResponse:
    """Upload a file and submit its matches, with changed fields (person__0 for `person.0`)."""
    response = upload_file(person, content, name)
    assert response.status_code == 302, response.content.decode()
    return submit_matches(person, response["Location"], **choices)


def submit_matches(person: Person, url: str, **choices: str) -> HttpResponse:
    page = parse_html(person.get(url).content.decode())
    forms = [form for form in page.all("form") if form.attrs.get("method") == "post" and "action" not in form.attrs]
    if not forms:
        return person.send(url, {})
    forms[0].attrs["action"] = url
    fields = {name.replace("__", "."): value for name, value in choices.items()}
    return person.submit(page, forms[0], **fields)


def dump_with_uploads() -> tuple[object, ...]:
    """Return all rows of the database, uploads and aliases included."""
    with connection.cursor() as cursor:
        return (*dump_database(), *(_rows(cursor, model._meta.db_table) for model in (Alias, Upload)))


def _rows(cursor: Any, table: str) -> list[tuple[object, ...]]:
    cursor.execute(f"SELECT * FROM {table} ORDER BY id")
    return cursor.fetchall()
