"""Tests that the stored result of a table agrees with its log."""

import random

import pytest

from tests.web.people import load_fresh_log, open_stuck_table


def compute_expected_row(table):
    """Return the values that the row should have according to the log."""
    cached = load_fresh_log(table)
    standing = cached.match.standing
    result = {
        "totals": list(standing.totals),
        "ranks": list(standing.ranks),
        "rounds": len(cached.match.finished_rounds),
    }
    return standing.is_over, cached.log.is_closed, result, cached.version


def get_stored_row(table):
    table.refresh_from_db()
    return table.is_over, table.is_closed, table.result, table.version


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.random
def test_stored_result_equals_the_log_after_every_random_entry(alice, seed):
    chance = random.Random(seed)
    table = alice.open(names=("Ann", "Bo", "Cleo"), rounds=str(chance.randint(1, 4)))
    for _turn in range(40):
        number = len(load_fresh_log(table).log.entries)
        kinds = ["count", "count", "count", "extend", "correct", "strike", "undo", "redo", "close"]
        kind = "reopen" if load_fresh_log(table).log.is_closed else chance.choice(kinds)
        counts = {
            "count.0.face_up": 2 * chance.randint(0, 9),
            "count.0.face_down": chance.randint(1, 9),
            "count.0.toads": chance.randint(0, 1),
        }
        insist = ["deal", "match", "turn", "extend-within-ten"]
        round_number, target = (
            chance.randint(1, load_fresh_log(table).match.last_number + 1),
            chance.randint(1, number + 1),
        )
        if kind == "count":
            seat = chance.randint(0, 2)
            alice.enter(
                table,
                round=round_number,
                insist=insist,
                **{name.replace(".0.", f".{seat}."): n for name, n in counts.items()},
            )
        elif kind == "extend":
            alice.enter(
                table,
                round=round_number,
                kind=kind,
                seat=chance.randint(0, 2),
                card=chance.randint(12, 98),
                insist=insist,
            )
        elif kind == "correct":
            alice.enter(table, amend=kind, target=target, round=round_number, insist=insist, **counts)
        else:
            log = load_fresh_log(table).log
            targets = {"undo": log.undoable[-1:], "redo": log.redoable[-1:]}.get(kind, (target,))
            alice.enter(table, kind=kind, target=targets[0] if targets else target)
        if load_fresh_log(table).log.entries:
            assert get_stored_row(table) == compute_expected_row(table)
    assert load_fresh_log(table).version > 12


def test_stored_result_of_a_refereed_game_waits_for_confirmation(alice):
    table = open_stuck_table(alice)
    assert get_stored_row(table) == compute_expected_row(table)
    assert not table.is_over
    alice.enter(table, kind="confirm")
    assert get_stored_row(table) == compute_expected_row(table)
    assert table.is_over
    alice.enter(table, kind="undo", target=load_fresh_log(table).log.undoable[-1])
    assert get_stored_row(table) == compute_expected_row(table)
    assert not table.is_over
