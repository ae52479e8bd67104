import json
from collections import namedtuple

import pytest
from django.db import OperationalError
from django.test import Client

from companion.ops.backup import retention
from companion.ops.health import databases, files, readiness
from companion.ops.health.findings import Severity
from companion.ops.health.readiness import CachedChecks, run_checks
from companion.tables.models import Table
from tests.web.people import Person

Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def probe(monkeypatch, settings, tmp_path):
    """A function that requests /readyz of a healthy server with a fresh backup."""
    settings.DATA = tmp_path
    retention.get_free_path().touch()
    monkeypatch.setattr(readiness.READINESS, "get", CachedChecks().get)
    monkeypatch.setattr(readiness.LOG_CHECK, "get", CachedChecks({"logs": readiness.check_logs}).get)

    def get_state():
        response = Client().get("/readyz")
        return response.status_code, json.loads(response.content)

    return get_state


def test_healthz_does_not_use_the_database():
    response = Client().get("/healthz")
    assert (response.status_code, response.content) == (200, b"ok\n")
    assert "no-store" in response["Cache-Control"] and response["Content-Security-Policy"]


@pytest.mark.parametrize(("address", "status"), [("/healthz", 200), ("/readyz", 200), ("/settings/", 301)])
def test_probes_are_not_redirected_to_https(db, settings, probe, address, status):
    settings.SECURE_SSL_REDIRECT = True
    assert Client().get(address).status_code == status


def test_probes_with_an_unknown_host_are_refused():
    assert Client().get("/healthz", headers={"host": "evil.example"}).status_code == 400


def test_a_ready_server_reports_only_its_checks(db, probe):
    checks = {"migrations": "ok", "write": "ok", "space": "ok", "backup": "ok", "logs": "ok"}
    assert probe() == (200, {"status": "ok", "checks": checks})


def raise_disk_error(*_args):
    raise OperationalError("disk I/O error in /home/ann/data")


@pytest.mark.parametrize("word", ["migrations", "write", "space"])
def test_readyz_names_the_failed_check(db, probe, monkeypatch, word):
    if word == "migrations":
        monkeypatch.setattr(databases, "list_missing_migrations", lambda _connection: [("people", "0009_more")])
    elif word == "write":
        monkeypatch.setattr(databases, "probe_write", raise_disk_error)
    else:
        monkeypatch.setattr(files.shutil, "disk_usage", lambda _path: Usage(9e9, 9e9, 199_000_000))
    status, body = probe()
    assert status == 503 and body["status"] == "failed"
    assert [name for name, state in body["checks"].items() if state == "failed"] == [word]
    assert "ann" not in str(body) and "0009" not in str(body)


def test_an_old_backup_only_degrades(db, probe):
    backup = next(iter(retention.list_backups())).path
    backup.rename(backup.with_name("companion-2026-01-01-040000.sqlite3"))
    retention.get_free_path(retention.DAMAGED).touch()  # does not count as a backup
    status, body = probe()
    assert (status, body["status"], body["checks"]["backup"]) == (200, "degraded", "degraded")


def test_a_check_that_raises_has_failed():
    assert run_checks({"a": raise_disk_error}) == {"a": Severity.ERROR}


def test_repeated_probes_cause_one_write(db, probe, monkeypatch):
    writes = []
    monkeypatch.setattr(databases, "probe_write", lambda: writes.append(1))
    assert [probe()[0] for _ in range(5)] == [200] * 5
    assert len(writes) == 1
    monkeypatch.setattr(readiness.READINESS, "get", CachedChecks(seconds=0.0).get)
    probe()
    assert len(writes) == 2


def test_a_table_that_differs_from_its_log_only_degrades(db, probe):
    table = Person().open()
    Table.objects.filter(pk=table.pk).update(is_over=True)
    status, body = probe()
    assert (status, body["status"], body["checks"]["logs"]) == (200, "degraded", "degraded")
