"""Full and read-only disks: no acknowledged entry is lost, and writing resumes."""

from __future__ import annotations

import pytest

from tests.faults.outages.disks import fill_disk, make_read_only, mount_small_disk
from tests.faults.outages.phones import SEATS, UNAVAILABLE, enter_count, entry_key, get_readiness, read_entry_keys
from tests.faults.phones import Phone, open_table
from tests.servers import serve


@pytest.fixture
def small_disk(data, tmp_path):
    """The 4 MB disk with the database of a server, the database file, and a phone."""
    with mount_small_disk(tmp_path / "disk") as disk:
        path = disk / "companion.sqlite3"
        path.write_bytes((data / "companion.sqlite3").read_bytes())
        with serve(data, DATABASE_URL=f"sqlite:///{path}") as (port, process):
            yield disk, path, Phone(port)
        output, _ = process.communicate()
    assert "Traceback" not in output
    assert "The database is unavailable" in output


def test_a_full_disk_is_answered_503_and_loses_nothing(small_disk):
    disk, path, phone = small_disk
    url = open_table(phone, SEATS)
    ballast = fill_disk(disk, spare=100_000)
    statuses: dict[int, int] = {}
    for number in range(2_000):
        statuses[number] = enter_count(phone, url, number)
        if statuses[number] != 302:
            break
    assert set(statuses.values()) == {302, UNAVAILABLE}
    full = len(statuses) - 1
    assert [enter_count(phone, url, full) for _ in range(4)] == [UNAVAILABLE] * 4
    assert read_entry_keys(path) == [entry_key(number) for number in range(full)]
    assert phone.request("GET", url)[0] == 200
    assert get_readiness(phone.port)[0] == 503
    ballast.unlink()
    for number in range(full, full + 8):
        assert enter_count(phone, url, number) == 302
    assert read_entry_keys(path) == [entry_key(number) for number in range(full + 8)]


def test_a_read_only_disk_recovers_without_a_restart(small_disk):
    disk, path, phone = small_disk
    make_read_only(disk, True)  # before the server opens the file
    fields = [("way", "pad"), ("option.name", "Farm"), ("seat", "n:P0"), ("action", "open")]
    phone.cookies["csrftoken"] = "c" * 32
    statuses = [phone.request("POST", "/tables/new/any-game/", fields)[0] for _ in range(6)]
    assert statuses == [UNAVAILABLE] * 6
    make_read_only(disk, False)
    url = open_table(phone, SEATS)
    for number in range(6):  # enough to reach every thread
        assert enter_count(phone, url, number) == 302
    assert read_entry_keys(path) == [entry_key(number) for number in range(6)]
