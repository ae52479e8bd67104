"""Unsuitable data folders and databases are refused at startup and by doctor."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from tests.faults.outages.disks import make_read_only, mount_small_disk
from tests.servers import ROOT, get_free_port

FILE = "companion.sqlite3"


def run_manage(data, *arguments, **environment):
    env = {**os.environ, "DATABASE_URL": "", "PUBLIC_URL": "", "COMPANION_DATA": str(data), **environment}
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=120, check=False)


def get_startup_error(data, **environment):
    """Return the error of a start that fails with nothing else in the output."""
    process = run_manage(data, "serve", PORT=str(get_free_port()), **environment)
    assert process.returncode == 1
    assert "Traceback" not in process.stderr and process.stdout == ""
    return process.stderr


def test_a_database_on_a_read_only_disk_is_refused(data, tmp_path):
    with mount_small_disk(tmp_path / "disk") as disk:
        shutil.copy(data / FILE, disk)
        make_read_only(disk, True)
        error = get_startup_error(data, DATABASE_URL=f"sqlite:///{disk}/{FILE}")
    assert f"{disk}/{FILE}: it is read-only" in error


def test_a_read_only_data_folder_is_refused(tmp_path):
    with mount_small_disk(tmp_path / "disk") as disk:
        make_read_only(disk, True)
        assert f"COMPANION_DATA: the folder {disk} is not writable" in get_startup_error(disk)


def test_a_database_of_a_newer_release_is_refused_untouched(data):
    with closing(sqlite3.connect(data / FILE)) as connection, connection:
        connection.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('tables', '9999_next', '2027-01-01')"
        )
    before = (data / FILE).read_bytes()
    assert "belongs to a newer release, which this one cannot use (it has tables.9999_next)" in get_startup_error(data)
    assert (data / FILE).read_bytes() == before


def test_an_unreachable_postgresql_is_reported_without_its_password(data):
    error = get_startup_error(data, DATABASE_URL=f"postgres://ann:secret-to-all@127.0.0.1:{get_free_port()}/cards")
    assert "database cards, user ann. Is it running and listening there?" in error
    assert "secret-to-all" not in error


def test_doctor_passes_for_a_used_installation(data):
    process = run_manage(data, "doctor", PORT=str(get_free_port()))
    assert process.returncode == 0, process.stdout
    assert all(line.startswith(("ok ", "warn ")) for line in process.stdout.splitlines())
    assert "synchronous FULL" in process.stdout and "The database is up to date" in process.stdout
    assert process.stderr == ""


@pytest.mark.parametrize("damage", ["a folder in its place", "a file of something else"])
def test_doctor_reports_an_unusable_database(data, damage):
    (data / FILE).unlink()
    if damage.startswith("a folder"):
        (data / FILE).mkdir()
    else:
        (data / FILE).write_text("These are the notes of Ann.\n" * 500)
    process = run_manage(data, "doctor", PORT=str(get_free_port()), DEBUG="1")
    assert process.returncode == 1
    errors = [line.split()[1] for line in process.stdout.splitlines() if line.startswith("error")]
    assert errors == ["debug", "database"]
    assert "Traceback" not in process.stdout + process.stderr
