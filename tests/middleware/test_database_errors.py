"""503 responses for transient database errors."""

from __future__ import annotations

import json
import sqlite3

import psycopg
import pytest
from django.db import OperationalError
from django.urls import reverse

from companion.api import views as api_views
from companion.site import views as site_views
from companion.tables.presenters import table_page
from companion.tables.services import entries
from tests.web.people import FIRST_PLAY, Person


def build_sqlite_error(code: int) -> OperationalError:
    """Return an error as Django raises it for an SQLite error code."""
    error = OperationalError("a message of the database")
    error.__cause__ = sqlite3.OperationalError("a message of the database")
    error.__cause__.sqlite_errorcode = code
    return error


@pytest.fixture
def inject_error(monkeypatch):
    """A function that makes another one raise an SQLite error."""

    def inject(module, name, code=sqlite3.SQLITE_BUSY):
        def raise_error(*_args, **_kwargs):
            raise build_sqlite_error(code)

        monkeypatch.setattr(module, name, raise_error)

    return inject


@pytest.mark.parametrize("code", [sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY_DBMOVED])
def test_an_unsaved_entry_is_answered_503(alice, table, inject_error, code):
    inject_error(entries, "record_entries", code)
    response = alice.enter(table, htmx=True, **FIRST_PLAY)
    assert (response.status_code, response["Retry-After"]) == (503, "5")
    assert "Not saved" in response.content.decode() and 'id="table"' not in response.content.decode()


def test_an_error_page_is_sent_if_the_table_cannot_be_read(alice, table, inject_error):
    inject_error(entries, "record_entries")
    inject_error(table_page, "build_table_page")
    for is_part in (True, False):
        response = alice.enter(table, htmx=is_part, **FIRST_PLAY)
        html = response.content.decode()
        assert (response.status_code, response["Retry-After"]) == (503, "5")
        assert "Nothing was saved" in html and "Entries waiting on this phone are sent again automatically" in html
        assert ("<html" in html) is not is_part


@pytest.mark.parametrize("is_drawn", [True, False], ids=["the page can be drawn", "nor can the page"])
def test_a_connection_lost_midway_is_reported_as_uncertain(alice, table, monkeypatch, inject_error, is_drawn):
    def lose_connection(*_args, **_kwargs):
        raise OperationalError("server closed the connection") from psycopg.OperationalError("unexpectedly")

    monkeypatch.setattr(entries, "record_entries", lose_connection)
    if not is_drawn:
        inject_error(table_page, "build_table_page")
    for is_part in (True, False):
        response = alice.enter(table, htmx=is_part, **FIRST_PLAY)
        html = response.content.decode()
        assert (response.status_code, response["Retry-After"]) == (503, "5")
        assert "It isn’t known whether this was saved" in html
        assert "Not saved" not in html and "Nothing was saved" not in html


def test_an_error_after_the_commit_is_reported_as_uncertain(alice, table, inject_error):
    inject_error(table_page, "build_table_page")
    response = alice.enter(table, htmx=True, **FIRST_PLAY)
    assert (response.status_code, response["Retry-After"]) == (503, "5")
    assert "It isn’t known whether this was saved" in response.content.decode()
    table.refresh_from_db()
    assert table.version == 1


def test_api_clients_get_503_as_json(db, inject_error):
    inject_error(api_views, "_authenticate")
    response = Person().get(reverse("api"))
    assert (response.status_code, response["Retry-After"]) == (503, "5")
    assert json.loads(response.content) == {"error": "the database is unavailable"}


@pytest.mark.parametrize("where", ["a page", "an entry", "a program"])
def test_a_bug_is_answered_500_and_not_503(alice, table, inject_error, where):
    alice.raise_request_exception = False
    inject_error(site_views, "list_past_tables", sqlite3.SQLITE_ERROR)
    inject_error(entries, "record_entries", sqlite3.SQLITE_ERROR)
    inject_error(api_views, "_authenticate", sqlite3.SQLITE_ERROR)
    requests = {
        "a page": lambda: alice.get("/"),
        "an entry": lambda: alice.enter(table, htmx=True, **FIRST_PLAY),
        "a program": lambda: alice.get(reverse("api")),
    }
    assert requests[where]().status_code == 500
