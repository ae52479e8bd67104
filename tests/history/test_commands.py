"""The operator's commands that look through tables, erase a player, and delete what has had its time."""

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
from companion.tables.models import Attendance, Door, Entry, Place, SearchableNote, Seat, Table
from companion.tables.services import integrity
from companion.tables.services.entries import BIN_RETENTION
from tests.crowd import played
from tests.history.test_players import NAME, bytes_of_database, finished
from tests.web.people import Person, device_of, state


@pytest.fixture(autouse=True)
def data(tmp_path, settings):
    settings.DATA = tmp_path


def said(*words):
    out = io.StringIO()
    call_command(*words, stdout=out, stderr=out)
    return out.getvalue()


def complained(*words):
    """What is printed by a command that fails, and why it does."""
    out = io.StringIO()
    with pytest.raises(CommandError) as failed:
        call_command(*words, stdout=out, stderr=out)
    return f"{out.getvalue()}{failed.value}"


# Verify


@pytest.fixture
def crowd(db):
    """A circle with a match of every game, read by the statistics, and one that is still being played."""
    circle = Circle.objects.create()
    tables = played(circle, each=1)
    aggregation.catch_up_fully(circle)
    Person().open()
    return tables


def a_played(tables):
    return next(table for table in tables if table.game == "take-that")


def set_on(column, value):
    return lambda table: Table.objects.filter(pk=table.pk).update(**{column: value})


SPOILT = {
    "version": set_on("version", 10_000),
    "is_over": lambda table: Table.objects.filter(pk=table.pk).update(is_over=not table.is_over),
    "is_closed": lambda table: Table.objects.filter(pk=table.pk).update(is_closed=not table.is_closed),
    "ended_at": set_on("ended_at", None),
    "result": set_on("result", {"totals": [1, 2, 3], "ranks": [3, 2, 1], "rounds": 1}),
    "number": lambda table: Entry.objects.filter(table=table, number=2).update(number=9_999),
    "log": set_on("game", "no-such-game"),
    "options": set_on("options", {"rounds": "many"}),
    "entry 2": lambda table: Entry.objects.filter(table=table, number=2).update(words={"seat": "x"}),
    "seats": lambda table: Seat.objects.filter(table=table, number=0).update(number=9),
    "outcomes": lambda table: SeatResult.objects.filter(table=table, seat=0).update(total=123_456),
    "facts": lambda table: Fact.objects.create(
        table=table, circle=table.circle, game=table.game, name="made-up", value=1
    ),
}


def test_what_is_as_the_logs_say_is_right(crowd):
    assert said("verify") == "Everything agrees with the logs.\n"
    assert said("verify", "--sample", "4") == "Everything agrees with the logs.\n"
    assert integrity.check_sample(100) == []


def test_whatever_is_kept_otherwise_is_named_with_its_table_and_both_values(crowd):
    table = a_played(crowd)
    for column, spoil in SPOILT.items():
        with transaction.atomic():
            spoil(table)
            before = state()
            words = complained("verify").splitlines()[:-1]
            assert state() == before
            assert all(line.startswith(f"{table.public_id}  ") for line in words), "another table is named"
            own = [line for line in words if line.startswith(f"{table.public_id}  {column}: stored ")]
            assert own and "the log says" in own[0], (column, words)
            assert bool(integrity.check_sample(100)) == (column not in ("outcomes", "facts"))
            transaction.set_rollback(True)
    assert said("verify") == "Everything agrees with the logs.\n"


def test_an_entry_that_comes_between_the_row_and_its_log_is_no_difference(alice, table, monkeypatch):
    read = integrity._check_batch

    def slow(tables):
        if slow.is_first:
            slow.is_first = False
            alice.count(table, 0, 2, 3, 1)
        return read(tables)

    slow.is_first = True
    monkeypatch.setattr(integrity, "_check_batch", slow)
    assert said("verify") == "Everything agrees with the logs.\n"
    assert Entry.objects.count() == 1


# Erasing a player


@pytest.mark.django_db(transaction=True)
def test_an_erased_player_is_gone_and_it_is_said_which_backups_hold_the_name():
    person = Person()
    table = finished(person, NAME, "Bo", name=f"{NAME} rummy")
    person.send(reverse("note", args=[table.public_id]), {"note": f"{NAME} came late. " * 9})
    Device.objects.update(label=f"{NAME}’s phone")
    call_command("backup", verbosity=0)
    words = said("erase_player", str(table.circle_id), "ευρυδικη", "--yes")
    assert "The scores of 1 tables stay" in words and f"{retention.MAX_AGE.days} days" in words
    assert not Player.objects.filter(name=NAME).exists()
    assert Table.objects.get(pk=table.pk).result["totals"] == table.result["totals"]
    if connection.vendor == "sqlite":
        left = bytes_of_database()
        assert b"Bo" in left
        assert NAME.encode() not in left and NAME.encode("unicode_escape") not in left


@pytest.mark.django_db(transaction=True)
def test_a_player_is_found_by_name_or_number_and_never_in_another_circle(alice, stranger):
    circle, xena = Player.objects.get(name="Ann").circle_id, Player.objects.get(name="Xena")
    assert "no player Xena" in complained("erase_player", str(circle), "Xena", "--yes")
    assert "no player" in complained("erase_player", str(circle), str(xena.pk), "--yes")
    said("erase_player", str(circle), str(Player.objects.get(name="Bo").pk), "--yes")
    assert set(Player.objects.values_list("name", flat=True)) == {"Ann", "Cleo", "Xena", "Yannis"}


def test_nobody_is_erased_without_a_yes(alice, monkeypatch):
    monkeypatch.setattr("builtins.input", lambda _question: "y")
    before = state()
    assert "Nothing has changed" in complained("erase_player", str(Circle.objects.get().pk), "Ann")
    assert state() == before


# Purging


def binned_for(table, time):
    Table.objects.filter(pk=table.pk).update(binned_at=timezone.now() - time, has_stale_stats=True)


def dependants(table):
    """How many rows belong to a table, by their model; every model that points to tables is among them."""
    related = {field.related_model: field.field for field in Table._meta.related_objects}
    return {model: model.objects.filter(**{field.name: table.pk}).count() for model, field in related.items()}


@pytest.mark.django_db(transaction=True)
def test_a_table_that_was_in_the_bin_for_30_days_is_gone_with_all_that_belongs_to_it():
    person = Person()
    table = finished(person, "Ann", "Bo")
    other = person.open(names=("Ann", "Bo"))
    details = {"note": f"{NAME} came late", "new_place": f"At {NAME}’s", "day": "2026-11-01", "time": "20:00"}
    person.send(reverse("details", args=[table.public_id]), details)
    person.send(reverse("door", args=[table.public_id]), {"role": "viewer"})
    Attendance.objects.get_or_create(table=table, device=device_of(person), defaults={"role": "circle"})
    ShortLink.objects.create(code="abcdefgh", table=table, expires_at=timezone.now() + timedelta(hours=1))
    Table.objects.filter(pk=other.pk).update(rematch_of=table)
    aggregation.catch_up_fully(table.circle)
    Fact.objects.create(table=table, circle=table.circle, game=table.game, name="made-up", value=1)
    Table.objects.filter(pk=table.pk).update(source="file 7")
    assert all(dependants(table).values()), dependants(table)
    binned_for(table, BIN_RETENTION - timedelta(minutes=1))
    assert said("purge").startswith("Deleted: nothing")
    binned_for(table, BIN_RETENTION + timedelta(minutes=1))
    before = state()
    assert said("purge", "--dry-run") == "To be deleted: 1 tables.\n"
    assert state() == before
    assert said("purge") == "Deleted: 1 tables.\n"
    assert set(Table.objects.values_list("pk", flat=True)) == {other.pk}
    assert not any(dependants(table).values()) and not Place.objects.exists()
    assert person.get(reverse("table", args=[other.public_id])).status_code == 200
    if connection.vendor == "sqlite":
        left = bytes_of_database()
        assert other.public_id.encode() in left
        assert NAME.encode() not in left and table.public_id.encode() not in left


@pytest.mark.django_db(transaction=True)
def test_a_table_that_is_taken_out_at_the_last_moment_stays(alice, table, monkeypatch):
    binned_for(table, BIN_RETENTION + timedelta(days=1))
    read = aggregation.update_table

    def taken_out(own):
        read(own)
        alice.send(reverse("unbin-table", args=[table.public_id]), [])

    monkeypatch.setattr(aggregation, "update_table", taken_out)
    cleanup.purge()
    assert Table.objects.filter(pk=table.pk).exists()


@pytest.mark.django_db(transaction=True)
def test_what_nobody_can_use_any_more_goes_and_all_else_stays(alice, table):
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


def test_the_bin_says_how_long_it_keeps_what_is_in_it(alice):
    assert f"{BIN_RETENTION.days} days" in alice.page("bin").text
    assert f"{BIN_RETENTION.days} days is deleted" not in alice.page("history").text


# One person's data


def test_all_tables_of_one_person_go_out_as_a_file_and_no_others(alice):
    wanted = alice.open("any-game", names=("Ann", "Dora"))
    alice.open("any-game", names=("Bo", "Cleo"))
    dora = Player.objects.get(name="Dora")
    file = alice.get(reverse("export-history", args=["json"]), {"player": dora.pk})
    tables = json.loads(b"".join(file.streaming_content))["tables"]
    assert [own["id"] for own in tables] == [wanted.public_id]
