"""Random tables for export, with corrected, undone and insisted entries."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

from companion.core.entry import TARGETED, Entry, EntryKind
from companion.core.log import Log
from companion.core.schema import encode
from companion.exchange.export_records import ExportedPlayer, TableRecord
from companion.games import get_games
from companion.people.models import Device
from companion.tables.models import Entry as StoredEntry
from companion.tables.models import Place, Table
from tests.games.random_play import (
    build_cases,
    build_entry,
    correct_entry,
    is_done,
    next_content,
    random_play,
    random_tally,
)

TABLES_PER_GAME = 84
"""About 500 in all."""
BEGAN = datetime(2024, 11, 20, 19, 30, 0, 123456, tzinfo=UTC)
NAMES = ("Ann", "Βασίλης", "O’Brien", "李小龍", "=1+1", "Zoë 🦊", "<b>Bo", '"Q"', "x#y~z", "A,B", "-5", "@me")


def build_random_log(slug: str, number: int) -> Log:
    """Return a random log with every kind of entry; `number` is the seed."""
    chance = random.Random(f"{slug} {number}")
    case = chance.choice(build_cases(slug))
    log, steps = case.log(), chance.randrange(5, 60)
    while not is_done(log) and len(log.entries) < steps:
        log = _extend_log(case, log, chance)
    return log if chance.random() < 0.7 else _append_entry(log, "close")


def _extend_log(case, log, chance):
    roll = chance.random()
    if roll < 0.05 and log.undoable:
        return _append_entry(log, "undo", target=str(log.undoable[-1]))
    if roll < 0.08 and log.redoable:
        return _append_entry(log, "redo", target=str(log.redoable[-1]))
    if roll < 0.12 and (actions := [action for action in log.actions if action.kind != EntryKind.CONFIRM]):
        return _amend_log(case, log, chance, chance.choice(actions))
    if roll < 0.2 or not case.game.plays:
        return log.append(build_entry(log, chance.choice(random_tally(case, chance))))
    if roll < 0.25 and (
        plays := list(case.game.referee.candidates(log.match.get_round(log.match.current_number).state))
    ):
        play = chance.choice(plays)
        overruled = tuple(
            str(v.rule) for v in case.game.referee.judge(log.match.get_round(log.match.current_number).state, play)
        )
        return log.append(build_entry(log, play, overruled))
    content = next_content(case, log, chance)
    return log.append(build_entry(log, chance.choice(random_tally(case, chance)) if content is None else content))


def _amend_log(case, log, chance, action):
    if chance.random() < 0.3:
        return _append_entry(log, "strike", target=str(action.number))
    if chance.random() < 0.3:
        return _append_entry(log, "insist", (chance.choice(list(case.game.rules)).value,), target=str(action.number))
    state = log.match_before(action.number).get_round(action.round).state
    content = random_play(case.game, state, chance) or chance.choice(random_tally(case, chance))
    if chance.random() < 0.5:
        return correct_entry(log, action.number, content)
    return _append_entry(log, "insert", target=str(action.number), kind=case.game.get_kind(content), **encode(content))


def _append_entry(log, kind, overruled=(), /, **words):
    number = log.match.current_number if kind in TARGETED else 0
    return log.append(Entry(len(log.entries) + 1, kind, words, number, overruled))


def build_record(log: Log, number: int = 0, *, note="a fine evening,\nwith cake", place="Home") -> TableRecord:
    """Return a record as if loaded from the database."""
    device = Device(label="Ann’s phone")
    table = Table(
        public_id=f"table-{number}",
        game_version=1,
        options=encode(log.match.options),
        mode="referee" if log.match.game.plays else "pad",
        note=note,
        place=Place(name=place),
        began_at=BEGAN + timedelta(days=number),
        ended_at=BEGAN + timedelta(days=number, minutes=45),
    )
    entries = [
        StoredEntry(
            number=entry.number,
            kind=entry.kind,
            words=dict(entry.words),
            round=entry.round,
            overruled=list(entry.overruled),
            key=f"key-{entry.number:08d}",
            game_version=1,
            at=BEGAN,
            device=device,
        )
        for entry in log.entries
    ]
    seats = tuple(ExportedPlayer(f"p-{seat}", NAMES[seat], seat % 8, "star") for seat in range(log.match.seats))
    return TableRecord(table, seats, entries, log)


def build_random_records(slug: str, count: int = TABLES_PER_GAME) -> list[TableRecord]:
    return [build_record(build_random_log(slug, number), number) for number in range(count)]


SLUGS = tuple(get_games())
