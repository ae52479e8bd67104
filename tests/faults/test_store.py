"""Tests of the history check: it finds each kind of fault."""

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
LINES = [StoredEntry(number, key, number, 0, number) for number, key in enumerate(KEYS, 1)]


def writer(attempts=SENT):
    own = Writer(Phone(0), "/tables/x/", 0)
    own.attempts = list(attempts)
    return own


def test_a_complete_history_passes():
    assert check_history(LINES, [writer()]) == HistoryCounts(acknowledged=3, unanswered=1, refused=1)


@pytest.mark.parametrize(
    ("lines", "attempts"),
    [
        (LINES[:2], SENT),
        ([*LINES, replace(LINES[2], number=4)], SENT),
        ([*LINES, StoredEntry(4, "from-nobody", 4, 0, 1)], SENT),
        ([LINES[0], replace(LINES[1], number=3), replace(LINES[2], number=4)], SENT),
        ([LINES[0], replace(LINES[2], number=2), replace(LINES[1], number=3)], SENT),
        ([*LINES, StoredEntry(4, "wrong-0-000001", 1, 0, -1)], SENT),
        ([LINES[0], replace(LINES[1], points=9), LINES[2]], SENT),
        (LINES, [replace(own, version=min(own.version, 2)) for own in SENT]),
    ],
    ids=["lost", "twice", "of nobody", "a gap", "out of order", "refused", "changed", "a version that went down"],
)
def test_faults_in_a_history_are_found(lines, attempts):
    with pytest.raises(AssertionError):
        check_history(lines, [writer(attempts)])
