"""Full and read-only disks: nothing is acknowledged in vain, and writing resumes."""

from __future__ import annotations

import pytest

from tests.faults.outages.disks import fill, make_read_only, small_disk
from tests.faults.outages.phones import NOT_NOW, SEATS, enter, kept, key, ready
from tests.faults.phones import Phone, open_table
from tests.ops.test_serve import free_port, serving, wait_until_it_answers


@pytest.fixture
def on_small_disk(served, data, tmp_path):
    """A companion whose database alone is on a disk of 4 MB: the disk, the file, and a phone."""
    port = free_port()
    with small_disk(tmp_path / "disk") as disk:
        path = disk / "companion.sqlite3"
        path.write_bytes((data / "companion.sqlite3").read_bytes())
        with serving(data, port, DATABASE_URL=f"sqlite:///{path}") as process:
            wait_until_it_answers(port)
            yield disk, path, Phone(port)
            process.terminate()
            words, _ = process.communicate(timeout=20)
    assert "Traceback" not in words
    assert "The database is unavailable" in words


def test_a_full_disk_is_answered_503_and_loses_nothing(on_small_disk):
    disk, path, phone = on_small_disk
    url = open_table(phone, SEATS)
    ballast = fill(disk, spare=100_000)
    answers: dict[int, int] = {}
    for number in range(2_000):
        answers[number] = enter(phone, url, number)
        if answers[number] != 302:
            break
    assert set(answers.values()) == {302, NOT_NOW}
    full = len(answers) - 1
    assert [enter(phone, url, full) for _again in range(4)] == [NOT_NOW] * 4
    assert kept(path) == [key(number) for number in range(full)]
    assert phone.ask("GET", url)[0] == 200
    assert ready(phone.port)[0] == 503
    ballast.unlink()
    for number in range(full, full + 8):
        assert enter(phone, url, number) == 302
    assert kept(path) == [key(number) for number in range(full + 8)]


def test_a_read_only_disk_recovers_without_a_restart(on_small_disk):
    disk, path, phone = on_small_disk
    make_read_only(disk, True)  # before anybody has the file open
    opening = [("way", "pad"), ("option.name", "Farm"), ("seat", "n:P0"), ("action", "open")]
    phone.cookies["csrftoken"] = "c" * 32
    tried = [phone.ask("POST", "/tables/new/any-game/", opening)[0] for _again in range(6)]
    assert tried == [NOT_NOW] * 6
    make_read_only(disk, False)
    url = open_table(phone, SEATS)
    for number in range(6):  # whichever thread answers
        assert enter(phone, url, number) == 302
    assert kept(path) == [key(number) for number in range(6)]
