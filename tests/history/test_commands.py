"""Tests of the management commands `verify`, `erase_player` and `purge`."""

import io
import json
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.urls import reverse
from django.utils import timezone

from companion.history import cleanup
from companion.history.models import ApiKey, Fact, SeatResult, ShortLink, Upload
from companion.history.statistics import aggregation
from companion.ops.backup import retention
from companion.people.models import AttemptCounter, Circle, Device, Invitation, Membership, Player
from companion.tables.models import BIN_RETENTION, Attendance, Door, Entry, Place, SearchableNote, Seat, Table
from companion.tables.services import integrity
from tests.crowd import create_tables
from tests.history.test_players import NAME, play_table, read_database_files
from tests.web.people import Person, dump_database, get_device


@pytest.fixture(autouse=True)
def data(tmp_path, settings):
    settings.DATA = tmp_path


def run(*arguments):
    out = io.StringIO()
    call_command(*arguments, stdout=out, stderr=out)
    return out.getvalue()


def run_failing(*arguments):
    """Return the output and the error message of a command that fails."""
    out = io.StringIO()
    with pytest.raises(CommandError) as failed:
        call_command(*arguments, stdout=out, stderr=out)
    return f"{out.getvalue()}{failed.value}"


# Verify


@pytest.fixture
def crowd(db):
    """Tables with a finished match of every game, in the statistics; another circle has an unfinished one."""
    circle = Circle.objects.create()
    tables = create_tables(circle, each=1)
    aggregation.catch_up_fully(circle)
    Person().open()
    return tables


def get_played_table(tables):
    return next(table for table in tables if table.game == "take-that")


def set_column(column, value):
    return lambda table: Table.objects.filter(pk=table.pk).update(**{column: value})


CORRUPTIONS = {
    "version": set_column("version", 10_000),
    "is_over": lambda table: Table.objects.filter(pk=table.pk).update(is_over=not table.is_over),
    "is_closed": lambda table: Table.objects.filter(pk=table.pk).update(is_closed=not table.is_closed),
    "ended_at": set_column("ended_at", None),
    "result": set_column("result", {"totals": [1, 2, 3], "ranks": [3, 2, 1], "rounds": 1}),
    "number": lambda table: Entry.objects.filter(table=table, number=2).update(number=9_999),
    "log": set_column("game", "no-such-game"),
    "options": set_column("options", {"rounds": "many"}),
    "entry 2": lambda table: Entry.objects.filter(table=table, number=2).update(words={"seat": "x"}),
    "seats": lambda table: Seat.objects.filter(table=table, number=0).update(number=9),
    "seat_results": lambda table: SeatResult.objects.filter(table=table, seat=0).update(total=123_456),
    "facts": lambda table: Fact.objects.create(
        table=table, circle=table.circle, game=table.game, name="made-up", value=1
    ),
}


def test_verify_accepts_intact_tables(crowd):
    assert run("verify") == "Everything agrees with the logs.\n"
    assert run("verify", "--sample", "4") == "Everything agrees with the logs.\n"
    assert integrity.check_sample(100) == []


def test_verify_reports_every_difference_with_both_values(crowd):
    table = get_played_table(crowd)
    for column, corrupt in CORRUPTIONS.items():
        with transaction.atomic():
            corrupt(table)
            before = dump_database()
            lines = run_failing("verify").splitlines()[:-1]
            assert dump_database() == before
            assert all(line.startswith(f"{table.public_id}  ") for line in lines), "the report names another table"
            matching = [line for line in lines if line.startswith(f"{table.public_id}  {column}: stored ")]
            assert matching and "the log says" in matching[0], (column, lines)
            assert bool(integrity.check_sample(100)) == (column not in ("seat_results", "facts"))
            transaction.set_rollback(True)
    assert run("verify") == "Everything agrees with the logs.\n"


def test_verify_tolerates_an_entry_made_while_it_reads(alice, table):
    def count_before_reading_entries(execute, sql, *rest):
        if 'FROM "tables_entry" WHERE "tables_entry"."table_id" IN (' in sql and not Entry.objects.exists():
            alice.count(table, 0, 2, 3, 1)
        return execute(sql, *rest)

    with connection.execute_wrapper(count_before_reading_entries):
        assert run("verify") == "Everything agrees with the logs.\n"
    assert Entry.objects.count() == 1


# Erasing


@pytest.mark.django_db(transaction=True)
def test_erase_player_removes_the_name_and_mentions_backups():
    person = Person()
    table = play_table(person, NAME, "Bo", name=f"{NAME} rummy")
    person.send(reverse("note", args=[table.public_id]), {"note": f"{NAME} came late. " * 9})
    Device.objects.update(label=f"{NAME}’s phone")
    call_command("backup", verbosity=0)
    output = run("erase_player", str(table.circle_id), "ευρυδικη", "--yes")
    assert "The scores of 1 tables stay" in output and f"{retention.MAX_AGE.days} days" in output
    assert not Player.objects.filter(name=NAME).exists()
    assert Table.objects.get(pk=table.pk).result["totals"] == table.result["totals"]
    if connection.vendor == "sqlite":
        content = read_database_files()
        assert b"Bo" in content
        assert NAME.encode() not in content and NAME.encode("unicode_escape") not in content


@pytest.mark.django_db(transaction=True)
def test_erase_player_finds_players_of_its_circle_by_name_or_id(alice, stranger):
    circle, xena = Player.objects.get(name="Ann").circle_id, Player.objects.get(name="Xena")
    assert "no player Xena" in run_failing("erase_player", str(circle), "Xena", "--yes")
    assert "no player" in run_failing("erase_player", str(circle), str(xena.pk), "--yes")
    run("erase_player", str(circle), str(Player.objects.get(name="Bo").pk), "--yes")
    assert set(Player.objects.values_list("name", flat=True)) == {"Ann", "Cleo", "Xena", "Yannis"}


def test_erase_player_needs_confirmation(alice, monkeypatch):
    monkeypatch.setattr("builtins.input", lambda _question: "y")
    before = dump_database()
    assert "Nothing has changed" in run_failing("erase_player", str(Circle.objects.get().pk), "Ann")
    assert dump_database() == before


# Purging


def bin_since(table, time):
    Table.objects.filter(pk=table.pk).update(binned_at=timezone.now() - time, has_stale_stats=True)


def count_dependants(table):
    """Return the number of rows that refer to the table, by model."""
    related = {field.related_model: field.field for field in Table._meta.related_objects}
    return {model: model.objects.filter(**{field.name: table.pk}).count() for model, field in related.items()}


@pytest.mark.django_db(transaction=True)
def test_purge_deletes_tables_after_30_days_in_the_bin():
    person = Person()
    table = play_table(person, "Ann", "Bo")
    other = person.open(names=("Ann", "Bo"))
    details = {"note": f"{NAME} came late", "new_place": f"At {NAME}’s", "day": "2026-11-01", "time": "20:00"}
    person.send(reverse("details", args=[table.public_id]), details)
    person.send(reverse("door", args=[table.public_id]), {"role": "viewer"})
    Attendance.objects.get_or_create(table=table, device=get_device(person), defaults={"role": "circle"})
    ShortLink.objects.create(code="abcdefgh", table=table, expires_at=timezone.now() + timedelta(hours=1))
    Table.objects.filter(pk=other.pk).update(rematch_of=table)
    aggregation.catch_up_fully(table.circle)
    Fact.objects.create(table=table, circle=table.circle, game=table.game, name="made-up", value=1)
    Table.objects.filter(pk=table.pk).update(source="file 7")
    assert all(count_dependants(table).values()), count_dependants(table)
    bin_since(table, BIN_RETENTION - timedelta(minutes=1))
    assert run("purge").startswith("Deleted: nothing")
    bin_since(table, BIN_RETENTION + timedelta(minutes=1))
    before = dump_database()
    assert run("purge", "--dry-run") == "To be deleted: 1 tables.\n"
    assert dump_database() == before
    assert run("purge") == "Deleted: 1 tables.\n"
    assert set(Table.objects.values_list("pk", flat=True)) == {other.pk}
    assert not any(count_dependants(table).values()) and not Place.objects.exists()
    assert person.get(reverse("table", args=[other.public_id])).status_code == 200
    if connection.vendor == "sqlite":
        content = read_database_files()
        assert other.public_id.encode() in content
        assert NAME.encode() not in content and table.public_id.encode() not in content


@pytest.mark.django_db(transaction=True)
def test_purge_keeps_a_table_restored_from_the_bin_as_it_runs(alice, table, monkeypatch):
    bin_since(table, BIN_RETENTION + timedelta(days=1))
    update_table = aggregation.update_table

    def update_and_unbin(expired):
        update_table(expired)
        alice.send(reverse("unbin-table", args=[table.public_id]), [])

    monkeypatch.setattr(aggregation, "update_table", update_and_unbin)
    cleanup.purge()
    assert Table.objects.filter(pk=table.pk).exists()


@pytest.mark.django_db(transaction=True)
def test_purge_deletes_expired_data_and_nothing_else(alice, table):
    now, circle = timezone.now(), table.circle
    long_ago = now - timedelta(days=401)
    for hash_, at in (("old", now - timedelta(minutes=1)), ("new", now + timedelta(minutes=1))):
        Invitation.objects.create(circle=circle, key_hash=hash_, expires_at=at)
        ShortLink.objects.create(code=hash_, table=table, expires_at=at)
        AttemptCounter.objects.create(who=hash_, began_at=int(at.timestamp()) - 24 * 3600, count=1)
        Upload.objects.create(circle=circle, name=hash_, content=b"x", made_at=at - timedelta(days=1))
    for label, used in (("lost", long_ago), ("with a program", long_ago), ("used", now)):
        device = Device.objects.create(token_hash=label, label=label, used_at=used)
        Membership.objects.create(circle=circle, device=device)
        if label == "with a program":
            ApiKey.objects.create(circle=circle, device=device, key_hash=label, label="x", used_at=now)
    alice.count(table, 0, 2, 3, 1)
    Entry.objects.update(device=Device.objects.get(label="lost"))
    Door.objects.create(table=table, code="ABCDEF", role="viewer", closes_at=now)
    cleanup.purge()
    assert [model.objects.count() for model in (Invitation, ShortLink, Upload)] == [1, 1, 1]
    assert list(AttemptCounter.objects.filter(who__in=["old", "new"]).values_list("who", flat=True)) == ["new"]
    assert Upload.objects.get().name == "new"
    assert set(Device.objects.values_list("token_hash", flat=True)) >= {"with a program", "used"}
    assert not Device.objects.filter(label="lost").exists()
    assert Entry.objects.get().device is None and Door.objects.get().code is None
    assert (
        SearchableNote.objects.count() == 0 and alice.get(reverse("table", args=[table.public_id])).status_code == 200
    )


def test_bin_page_states_how_long_tables_stay(alice):
    assert f"After {BIN_RETENTION.days} days here, a table is deleted permanently" in alice.page("bin").text
    assert "deleted permanently" not in alice.page("history").text


# Export by player


def test_export_by_player_has_their_tables_and_no_others(alice):
    expected = alice.open("any-game", names=("Ann", "Dora"))
    alice.open("any-game", names=("Bo", "Cleo"))
    dora = Player.objects.get(name="Dora")
    file = alice.get(reverse("export-history", args=["json"]), {"player": dora.pk})
    tables = json.loads(b"".join(file.streaming_content))["tables"]
    assert [exported["id"] for exported in tables] == [expected.public_id]
