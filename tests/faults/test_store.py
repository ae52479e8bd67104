"""Faults that the history check detects."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.faults.phones import Attempt, Phone, Writer
from tests.faults.store import HistoryCounts, StoredEntry, check_history

KEYS = ("entry-0-000001", "entry-0-000002", "entry-0-000003")
SENT = [
    Attempt(KEYS[0], 1, 200, 1),
    Attempt("wrong-0-000001", -1, 400, 0),
    Attempt(KEYS[1], 2, 0, 0),
    Attempt(KEYS[1], 2, 200, 2),
    Attempt(KEYS[2], 3, 200, 3),
]
ENTRIES = [StoredEntry(number, key, number, 0, number) for number, key in enumerate(KEYS, 1)]


def create_writer(attempts=SENT):
    writer = Writer(Phone(0), "/tables/x/", 0)
    writer.attempts = list(attempts)
    return writer


def test_a_complete_history_passes():
    assert check_history(ENTRIES, [create_writer()]) == HistoryCounts(acknowledged=3, unanswered=1, refused=1)


@pytest.mark.parametrize(
    ("entries", "attempts"),
    [
        (ENTRIES[:2], SENT),
        ([*ENTRIES, replace(ENTRIES[2], number=4)], SENT),
        ([*ENTRIES, StoredEntry(4, "from-nobody", 4, 0, 1)], SENT),
        ([ENTRIES[0], replace(ENTRIES[1], number=3), replace(ENTRIES[2], number=4)], SENT),
        ([ENTRIES[0], replace(ENTRIES[2], number=2), replace(ENTRIES[1], number=3)], SENT),
        ([*ENTRIES, StoredEntry(4, "wrong-0-000001", 1, 0, -1)], SENT),
        ([ENTRIES[0], replace(ENTRIES[1], points=9), ENTRIES[2]], SENT),
        (ENTRIES, [replace(attempt, version=min(attempt.version, 2)) for attempt in SENT]),
    ],
    ids=["lost", "twice", "of nobody", "a gap", "out of order", "refused", "changed", "a version that went down"],
)
def test_faults_in_a_history_are_found(entries, attempts):
    with pytest.raises(AssertionError):
        check_history(entries, [create_writer(attempts)])
