"""Tests of uploads and of the transactions of an import."""

from __future__ import annotations

import json
import zlib

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from companion.core.log import Log
from companion.exchange import detect, importer, name_matching
from companion.exchange.formats import companion_json
from companion.exchange.import_data import BadFile
from companion.exchange.serialization import pack, unpack
from companion.history.models import Alias, Upload
from companion.people.models import Circle, Player
from companion.tables.log_cache import load_log
from companion.tables.models import Seat, Table
from companion.tables.services.entries import summarize_log
from tests.exchange.backups import build_backup, build_shared_play
from tests.exchange.sample_files import SLUGS, build_random_records
from tests.exchange.test_companion_json import write_companion_file
from tests.exchange.upload_pages import submit_matches, upload_file
from tests.faults.phones import run_concurrently
from tests.web.html import parse_html
from tests.web.people import Person, create_mate

PLAY_COUNT = 2 * importer.BATCH_TABLES + 10


@pytest.fixture
def forbid_folding(monkeypatch):
    """A function after whose call folding a log fails the test."""

    def forbid() -> None:
        monkeypatch.setattr(Log, "extend", lambda *_: pytest.fail("a log was folded"))

    return forbid


def list_seats() -> list[tuple[str | None, int, str | None]]:
    """Return the source, seat and player name of every seat of imported tables."""
    rows = Seat.objects.filter(table__source__isnull=False).order_by("table__source", "number")
    return list(rows.values_list("table__source", "number", "player__name"))


def list_renamed_players() -> list[str]:
    """Return the players with a number added because their name was taken."""
    return list(Player.objects.filter(name__regex=r"Person \d+ \d+$").values_list("name", flat=True))


def read_match_form(person: Person, url: str) -> dict[str, str]:
    """Return the initial values of the match form."""
    page = parse_html(person.get(url).content.decode())
    return {
        select.attrs["name"]: next(o.attrs["value"] for o in select.all("option") if "selected" in o.attrs)
        for select in page.all("select")
    }


@pytest.mark.parametrize(
    "content", [write_companion_file(build_random_records("take-that", 3)), json.dumps(build_backup(plays=5)).encode()]
)
def test_an_upload_is_folded_only_once(alice, forbid_folding, content):
    url = upload_file(alice, content)["Location"]
    form = read_match_form(alice, url)
    forbid_folding()
    assert alice.get(url).status_code == 200
    assert alice.send(url, form).status_code == 302
    assert Table.objects.filter(source__isnull=False).count() >= 3


@pytest.mark.parametrize("slug", SLUGS)
def test_packing_and_unpacking_loses_nothing(slug):
    parsed_file = detect.parse_upload(write_companion_file(build_random_records(slug, 12)), "tables.json")
    assert all(table.state for table in parsed_file.tables)
    unpacked = unpack(pack(parsed_file))
    assert json.loads(json.dumps([table.state for table in unpacked.tables])) == json.loads(
        json.dumps([table.state for table in parsed_file.tables])
    )
    assert [table.entries for table in unpacked.tables] == [table.entries for table in parsed_file.tables]
    assert (unpacked.kind, unpacked.players, unpacked.skipped) == (
        parsed_file.kind,
        parsed_file.players,
        parsed_file.skipped,
    )
    assert pack(unpacked) == pack(parsed_file)
    assert not any(table.entries for table in unpack(pack(parsed_file), has_entries=False).tables)


def test_reasons_of_skipped_tables_are_packed():
    content = build_shared_play()
    content["plays"][0]["playerScores"] = []
    parsed_file = detect.parse_upload(json.dumps(content).encode(), "plays.json")
    assert parsed_file.skipped and unpack(pack(parsed_file)).skipped == parsed_file.skipped


@pytest.mark.parametrize("content", [b"", b"game take-that\n", zlib.compress(b"{}"), zlib.compress(b"[]\n1")])
def test_an_upload_of_another_app_version_must_be_repeated(alice, table, content):
    upload = Upload.objects.create(circle=table.circle, content=content)
    response = alice.get(reverse("import-match", args=[upload.pk]))
    assert response.status_code == 422 and "another version" in response.content.decode()
    with pytest.raises(BadFile):
        unpack(content)


def test_an_upload_judged_by_another_game_version_must_be_repeated(monkeypatch):
    data = pack(detect.parse_upload(json.dumps(build_shared_play()).encode(), "plays.json"))
    monkeypatch.setattr("companion.exchange.serialization._get_game_versions", lambda: {"take-that": 99})
    with pytest.raises(BadFile):
        unpack(data)


@pytest.mark.parametrize("slug", SLUGS)
def test_the_stored_state_matches_the_stored_log(alice, table, slug):
    circle = table.circle
    parsed_file = unpack(pack(detect.parse_upload(write_companion_file(build_random_records(slug, 12)), "tables.json")))
    importer.import_tables(name_matching.match_file(circle, parsed_file))
    for row in Table.objects.filter(source__isnull=False):
        expected = summarize_log(load_log(row, row.seats.count()).log)
        assert {name: getattr(row, name) for name in expected} == json.loads(json.dumps(expected))


def test_a_large_file_is_imported_in_short_transactions(alice, monkeypatch):
    pauses = []
    monkeypatch.setattr(importer.time, "sleep", pauses.append)
    url = upload_file(alice, build_backup(plays=PLAY_COUNT))["Location"]
    form = read_match_form(alice, url)
    with CaptureQueriesContext(connection) as captured:
        assert alice.send(url, form)["Location"].endswith(f"?new={PLAY_COUNT}&known=0&left=0")
    sql_parts = "\n".join(query["sql"] for query in captured.captured_queries).split("RELEASE SAVEPOINT")
    transactions = [part for part in sql_parts if 'INSERT INTO "tables_table"' in part]
    assert len(transactions) == len(pauses) == 3 and all(pause > 0 for pause in pauses)


def test_a_small_file_is_imported_atomically(alice, monkeypatch):
    url = upload_file(alice, build_backup(plays=20))["Location"]
    form, before = read_match_form(alice, url), Player.objects.count()
    monkeypatch.setattr(importer.Entry.objects, "bulk_create", lambda *_, **_more: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        alice.send(url, form)
    assert not Table.objects.filter(source__isnull=False).exists()
    assert Player.objects.count() == before and not Alias.objects.exists()
    assert not Upload.objects.get().is_begun


def test_an_interrupted_import_can_be_repeated(alice, monkeypatch):
    """Submitting the form again creates no players twice."""
    url = upload_file(alice, build_backup(plays=PLAY_COUNT))["Location"]
    form = read_match_form(alice, url)
    write_tables, batches = importer._write_tables, []

    def fail_later(*args):
        if batches:
            raise ZeroDivisionError
        batches.append(args)
        return write_tables(*args)

    with monkeypatch.context() as patch:
        patch.setattr(importer, "_write_tables", fail_later)
        with pytest.raises(ZeroDivisionError):
            alice.send(url, form)
    assert 0 < Table.objects.filter(source__isnull=False).count() < PLAY_COUNT
    assert alice.send(url, form).status_code == 302
    resumed = list_seats()
    names = set(Player.objects.values_list("name", flat=True))
    Table.objects.filter(source__isnull=False).delete()
    Alias.objects.all().delete()
    Player.objects.exclude(name__in=("Ann", "Bo", "Cleo")).delete()
    assert submit_matches(alice, upload_file(alice, build_backup(plays=PLAY_COUNT))["Location"]).status_code == 302
    assert (list_seats(), set(Player.objects.values_list("name", flat=True))) == (resumed, names)
    assert not Upload.objects.exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("plays", [20, PLAY_COUNT])
def test_two_devices_import_an_upload_once(plays, monkeypatch):
    monkeypatch.setattr("companion.web.concurrency.MAX_WAIT_SECONDS", 60)
    alice = Person()
    alice.open()
    url = upload_file(alice, build_backup(plays=plays))["Location"]
    form, people = read_match_form(alice, url), [alice, create_mate(alice)]
    run_concurrently(lambda number: people[number].send(url, form).status_code, range(2))
    assert Table.objects.filter(source__isnull=False).count() == plays
    assert not list_renamed_players()
    assert Circle.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_processes_import_a_file_once():
    """Call the importer from two threads, past the concurrency limit of a process."""
    alice = Person()
    alice.open()
    circle = Circle.objects.get()
    upload = Upload.objects.get(
        pk=int(upload_file(alice, build_backup(plays=PLAY_COUNT))["Location"].strip("/").split("/")[-1])
    )
    parsed_file = unpack(bytes(upload.content))

    def import_upload(_number: int) -> int:
        upload_row = Upload.objects.get(pk=upload.pk)
        for _attempt in range(5):
            try:
                return importer.import_tables(name_matching.match_file(circle, parsed_file), upload_row).new
            except importer.ImportAlreadyStarted:
                upload_row.is_begun = True
        raise AssertionError

    assert sum(run_concurrently(import_upload, range(2))) == PLAY_COUNT
    assert Table.objects.filter(source__isnull=False).count() == PLAY_COUNT
    assert not list_renamed_players()


def test_companion_files_are_folded_once_when_parsed(monkeypatch):
    folds, extended = [], Log.extend
    monkeypatch.setattr(Log, "extend", lambda self, entries: folds.append(1) or extended(self, entries))
    content = write_companion_file(build_random_records("take-that", 3))
    folds.clear()
    assert len(detect.parse_upload(content, "x").tables) == 3 == len(folds)
    assert companion_json.FORMAT
