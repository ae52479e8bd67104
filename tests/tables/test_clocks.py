"""Clock jumps: entries are ordered by number, never by time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from companion.tables.models import Entry, Table
from tests.web.people import Person, assert_all_pages_open, load_fresh_log

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
DECADE = timedelta(days=3653)
CLOCKS = {
    "ten years back": [NOON, NOON - DECADE, NOON - DECADE + timedelta(seconds=9)],
    "ten years on, and back": [NOON, NOON + DECADE, NOON + timedelta(seconds=9)],
    "an hour back": [NOON, NOON - timedelta(hours=1), NOON - timedelta(minutes=59)],
    "the hour that comes twice in October": [datetime(2026, 10, 25, h, 30, tzinfo=UTC) for h in (0, 1, 2)],
    "standing still": [NOON] * 3,
}


def play_by_clock(monkeypatch: pytest.MonkeyPatch, clock: list[datetime]) -> tuple[Person, Table]:
    """Return a table with three counts and an undo, entered at the times of the clock."""
    person, times = Person(), iter([*clock[:1], *clock])
    monkeypatch.setattr(timezone, "now", lambda: clock[0])
    table = person.open()
    for enter in (
        lambda: person.count(table, 0, 12, 17, 0, insist="deal"),
        lambda: person.count(table, 1, 10, 4, 1, insist="deal"),
        lambda: person.enter(table, kind="undo", target=2),
        lambda: person.count(table, 1, 10, 6, 1, insist="deal"),
    ):
        now = next(times)
        monkeypatch.setattr(timezone, "now", lambda now=now: now)
        assert enter().status_code == 302
    return person, table


def read_log(person: Person, table: Table) -> tuple[object, ...]:
    """Return the log and its page as text."""
    lines = [line.text for line in person.page("log", table.public_id).all("span", **{"class": "no"})]
    news = person.get(reverse("news", args=[table.public_id])).json()["version"]
    log = load_fresh_log(table).log
    return log.entries, log.match.standing, [step.is_valid for step in log.match.steps], lines, news


@pytest.mark.django_db
@pytest.mark.parametrize("clock", CLOCKS.values(), ids=CLOCKS)
def test_a_clock_that_jumps_changes_no_order_or_verdict(monkeypatch, clock):
    usual = [NOON + timedelta(minutes=number) for number in range(3)]
    expected = read_log(*play_by_clock(monkeypatch, usual))
    person, table = play_by_clock(monkeypatch, clock)
    assert read_log(person, table) == expected
    assert list(Entry.objects.filter(table=table).values_list("number", flat=True)) == [1, 2, 3, 4]
    assert Entry.objects.filter(table=table, at=clock[-1]).exists()
    assert_all_pages_open(person, table)
