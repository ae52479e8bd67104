import sqlite3
from contextlib import closing

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.db.backends.sqlite3.base import DatabaseWrapper

from companion.db.settings import choose_journal_mode, database_config


@pytest.mark.parametrize(
    "version", [(3, 40, 1), (3, 44, 5), (3, 45, 0), (3, 50, 6), (3, 51, 0), (3, 51, 2), (3, 52, 0)]
)
def test_a_library_with_the_wal_reset_bug_does_not_get_wal(version):
    assert choose_journal_mode(version) == "TRUNCATE"


@pytest.mark.parametrize("version", [(3, 44, 6), (3, 50, 7), (3, 51, 3), (3, 53, 0), (3, 53, 4), (4, 0, 0)])
def test_a_library_without_the_wal_reset_bug_gets_wal(version):
    assert choose_journal_mode(version) == "WAL"


def test_sqlite_connections_are_opened_with_durable_settings(tmp_path):
    wrapper = DatabaseWrapper(database_config("", tmp_path) | {"TIME_ZONE": None, "AUTOCOMMIT": True})
    names = ("journal_mode", "synchronous", "foreign_keys", "secure_delete", "busy_timeout")
    with closing(wrapper.get_new_connection(wrapper.get_connection_params())) as connection:
        pragmas = {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names}
    assert pragmas == {
        "journal_mode": choose_journal_mode(sqlite3.sqlite_version_info).lower(),
        "synchronous": 2,
        "foreign_keys": 1,
        "secure_delete": 1,
        "busy_timeout": 20_000,
    }
    assert wrapper.transaction_mode == "IMMEDIATE"
    assert (tmp_path / "companion.sqlite3").exists()


def test_a_postgresql_url_needs_no_other_setting(tmp_path):
    config = database_config("postgresql://ann:secret@db.example:5433/cards", tmp_path)
    assert config["ENGINE"] == "django.db.backends.postgresql"
    assert (config["HOST"], config["PORT"], config["NAME"], config["USER"]) == ("db.example", 5433, "cards", "ann")
    assert "transaction_mode" not in config.get("OPTIONS", {})
    assert config["CONN_MAX_AGE"] is None
    assert config["ATOMIC_REQUESTS"] is False


@pytest.mark.parametrize("url", ["", "postgres://ann@db.example/cards"])
def test_requests_are_not_wrapped_in_transactions(tmp_path, url):
    assert database_config(url, tmp_path)["ATOMIC_REQUESTS"] is False


@pytest.mark.parametrize(
    "url", ["nonsense://ann:secret@db/cards", "postgres://ann:sec/ret@db/cards", "postgres://a:secret@[db"]
)
def test_an_invalid_url_is_refused_without_quoting_its_password(tmp_path, url):
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL") as refused:
        database_config(url, tmp_path)
    assert "sec" not in str(refused.value) and refused.value.__cause__ is None


def test_postgresql_waits_are_shorter_than_those_of_phones(tmp_path):
    options = database_config("postgres://db/cards", tmp_path)["OPTIONS"]
    assert "-c lock_timeout=7s" in options["options"] and "-c synchronous_commit=on" in options["options"]
    assert 0 < options["connect_timeout"] < 8


def test_options_in_the_url_take_precedence(tmp_path):
    config = database_config(
        "postgres://db/cards?connect_timeout=3&sslmode=require&options=-c%20lock_timeout%3D1s", tmp_path
    )
    assert config["OPTIONS"]["connect_timeout"] == 3 and config["OPTIONS"]["sslmode"] == "require"
    assert config["OPTIONS"]["options"].endswith("-c lock_timeout=1s")


@pytest.mark.skipif(connection.vendor != "postgresql", reason="needs PostgreSQL")
@pytest.mark.django_db
def test_postgresql_connections_have_the_settings_asked_for():
    names = ("lock_timeout", "synchronous_commit", "transaction_isolation", "idle_in_transaction_session_timeout")
    with connection.cursor() as cursor:
        values = []
        for name in names:
            cursor.execute(f"SHOW {name}")
            values += cursor.fetchone()
    assert values == ["7s", "on", "read committed", "1min"]
