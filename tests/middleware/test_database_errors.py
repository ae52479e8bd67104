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


def fault(code: int) -> OperationalError:
    """Return the error that SQLite raises with a code."""
    raised = OperationalError("a message of the database")
    raised.__cause__ = sqlite3.OperationalError("a message of the database")
    raised.__cause__.sqlite_errorcode = code
    return raised


@pytest.fixture
def failing(monkeypatch):
    """Make a function raise an SQLite error."""

    def make(module, name, code=sqlite3.SQLITE_BUSY):
        def fails(*_args, **_more):
            raise fault(code)

        monkeypatch.setattr(module, name, fails)

    return make


@pytest.mark.parametrize("code", [sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY_DBMOVED])
def test_an_unsaved_entry_is_answered_503(alice, table, failing, code):
    failing(entries, "record_entries", code)
    answer = alice.enter(table, htmx=True, **FIRST_PLAY)
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert "Not saved" in answer.content.decode() and 'id="table"' not in answer.content.decode()


def test_an_error_page_is_sent_if_the_table_cannot_be_read(alice, table, failing):
    failing(entries, "record_entries")
    failing(table_page, "build_table_context")
    for is_part in (True, False):
        answer = alice.enter(table, htmx=is_part, **FIRST_PLAY)
        words = answer.content.decode()
        assert (answer.status_code, answer["Retry-After"]) == (503, "5")
        assert "Nothing was saved" in words and "Entries waiting on this phone are sent again automatically" in words
        assert ("<html" in words) is not is_part


@pytest.mark.parametrize("is_drawn", [True, False], ids=["the page can be drawn", "nor can the page"])
def test_a_connection_lost_midway_is_reported_as_uncertain(alice, table, monkeypatch, failing, is_drawn):
    def lost(*_args, **_more):
        raise OperationalError("server closed the connection") from psycopg.OperationalError("unexpectedly")

    monkeypatch.setattr(entries, "record_entries", lost)
    if not is_drawn:
        failing(table_page, "build_table_context")
    for is_part in (True, False):
        answer = alice.enter(table, htmx=is_part, **FIRST_PLAY)
        words = answer.content.decode()
        assert (answer.status_code, answer["Retry-After"]) == (503, "5")
        assert "It isn’t known whether this was saved" in words
        assert "Not saved" not in words and "Nothing was saved" not in words


def test_an_error_after_the_commit_is_reported_as_uncertain(alice, table, failing):
    failing(table_page, "build_table_context")
    answer = alice.enter(table, htmx=True, **FIRST_PLAY)
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert "It isn’t known whether this was saved" in answer.content.decode()
    table.refresh_from_db()
    assert table.version == 1


def test_api_clients_get_503_as_json(db, failing):
    failing(api_views, "_authenticate")
    answer = Person().get(reverse("api"))
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert json.loads(answer.content) == {"error": "the database is unavailable"}


@pytest.mark.parametrize("where", ["a page", "an entry", "a program"])
def test_a_bug_is_answered_500_and_not_503(alice, table, failing, where):
    alice.raise_request_exception = False
    failing(site_views, "list_past_tables", sqlite3.SQLITE_ERROR)
    failing(entries, "record_entries", sqlite3.SQLITE_ERROR)
    failing(api_views, "_authenticate", sqlite3.SQLITE_ERROR)
    ask = {
        "a page": lambda: alice.get("/"),
        "an entry": lambda: alice.enter(table, htmx=True, **FIRST_PLAY),
        "a program": lambda: alice.get(reverse("api")),
    }
    assert ask[where]().status_code == 500
