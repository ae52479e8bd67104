"""Unsuitable data folders and databases are refused at startup and by doctor."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from tests.faults.outages.disks import make_read_only, small_disk
from tests.ops.test_serve import ROOT, free_port

FILE = "companion.sqlite3"


def manage(data, *words, **environment):
    env = {**os.environ, "DATABASE_URL": "", "PUBLIC_URL": "", "COMPANION_DATA": str(data), **environment}
    command = [sys.executable, "manage.py", *words]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=120, check=False)


def refused(data, **environment):
    """What the start says, after nothing but that."""
    done = manage(data, "serve", PORT=str(free_port()), **environment)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr and done.stdout == ""
    return done.stderr


def test_a_database_on_a_read_only_disk_is_refused(data, tmp_path):
    with small_disk(tmp_path / "disk") as disk:
        shutil.copy(data / FILE, disk)
        make_read_only(disk, True)
        said = refused(data, DATABASE_URL=f"sqlite:///{disk}/{FILE}")
    assert f"{disk}/{FILE}: it is read-only" in said


def test_a_read_only_data_folder_is_refused(tmp_path):
    with small_disk(tmp_path / "disk") as disk:
        make_read_only(disk, True)
        assert f"COMPANION_DATA: the folder {disk} is not writable" in refused(disk)


def test_a_database_of_a_newer_release_is_refused_untouched(data):
    with closing(sqlite3.connect(data / FILE)) as file, file:
        file.execute("INSERT INTO django_migrations (app, name, applied) VALUES ('tables', '9999_next', '2027-01-01')")
    before = (data / FILE).read_bytes()
    assert "belongs to a newer release, which this one cannot use (it has tables.9999_next)" in refused(data)
    assert (data / FILE).read_bytes() == before


def test_an_unreachable_postgresql_is_reported_without_its_password(data):
    said = refused(data, DATABASE_URL=f"postgres://ann:secret-to-all@127.0.0.1:{free_port()}/cards")
    assert "database cards, user ann. Is it running and listening there?" in said
    assert "secret-to-all" not in said


def test_doctor_passes_for_a_used_installation(data):
    done = manage(data, "doctor", PORT=str(free_port()))
    assert done.returncode == 0, done.stdout
    assert all(line.startswith(("ok ", "warn ")) for line in done.stdout.splitlines())
    assert "synchronous FULL" in done.stdout and "The database is up to date" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("spoilt", ["a folder in its place", "a file of something else"])
def test_doctor_reports_an_unusable_database(data, spoilt):
    (data / FILE).unlink()
    if spoilt.startswith("a folder"):
        (data / FILE).mkdir()
    else:
        (data / FILE).write_text("These are the notes of Ann.\n" * 500)
    done = manage(data, "doctor", PORT=str(free_port()), DEBUG="1")
    assert done.returncode == 1
    errors = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("error")]
    assert errors == ["debug", "database"]
    assert "Traceback" not in done.stdout + done.stderr
