"""Tables by chance, as they go out: with corrections, undone entries and insists among what is played."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

from companion.core.log import TARGETED, Entry, Log
from companion.core.match import CONFIRM
from companion.core.schema import encode
from companion.exchange.export_records import ExportedPlayer, TableRecord
from companion.exchange.import_data import ImportedEntry
from companion.games import get_games
from tests.games.random_play import cases, corrected, entry, is_done, next_content, random_play, random_tally

TABLES_A_GAME = 84
"""Five hundred of all games."""
BEGAN = datetime(2024, 11, 20, 19, 30, 0, 123456, tzinfo=UTC)
NAMES = ("Ann", "Βασίλης", "O’Brien", "李小龍", "=1+1", "Zoë 🦊", "<b>Bo", '"Q"', "x#y~z", "A,B", "-5", "@me")


def drawn(slug: str, number: int) -> Log:
    """A log of the game in which everything happens that a table does; the same number is the same log."""
    chance = random.Random(f"{slug} {number}")
    case = chance.choice(cases(slug))
    log, steps = case.log(), chance.randrange(5, 60)
    while not is_done(log) and len(log.entries) < steps:
        log = _next(case, log, chance)
    return log if chance.random() < 0.7 else _said(log, "close")


def _next(case, log, chance):
    what = chance.random()
    if what < 0.05 and log.undoable:
        return _said(log, "undo", target=str(log.undoable[-1]))
    if what < 0.08 and log.redoable:
        return _said(log, "redo", target=str(log.redoable[-1]))
    if what < 0.12 and (own := [act for act in log.actions if act.kind != CONFIRM]):
        return _amended(case, log, chance, chance.choice(own))
    if what < 0.2 or not case.game.plays:
        return log.append(entry(log, chance.choice(random_tally(case, chance))))
    if what < 0.25 and (plays := list(case.game.candidates(log.match.get_round(log.match.current_number).state))):
        play = chance.choice(plays)
        broken = tuple(str(v.rule) for v in case.game.judge(log.match.get_round(log.match.current_number).state, play))
        return log.append(entry(log, play, broken))
    content = next_content(case, log, chance)
    return log.append(entry(log, chance.choice(random_tally(case, chance)) if content is None else content))


def _amended(case, log, chance, act):
    if chance.random() < 0.3:
        return _said(log, "strike", target=str(act.number))
    if chance.random() < 0.3:
        return _said(log, "insist", (chance.choice(list(case.game.rules)).value,), target=str(act.number))
    state = log.match_before(act.number).get_round(act.round).state
    content = random_play(case.game, state, chance) or chance.choice(random_tally(case, chance))
    if chance.random() < 0.5:
        return corrected(log, act.number, content)
    return _said(log, "insert", target=str(act.number), kind=case.game.get_kind(content), **encode(content))


def _said(log, command, overruled=(), /, **words):
    number = log.match.current_number if command in TARGETED else 0
    return log.append(Entry(len(log.entries) + 1, command, words, number, overruled))


def record_of(log: Log, number: int = 0, **changed) -> TableRecord:
    """A record as it would have been read from the database."""
    seats = tuple(ExportedPlayer(f"p-{seat}", NAMES[seat], seat, seat % 8, "star") for seat in range(log.match.seats))
    entries = tuple(
        ImportedEntry(
            e.number, e.kind, dict(e.words), e.round, tuple(e.overruled), f"key-{e.number:08d}", BEGAN, "Ann’s phone"
        )
        for e in log.entries
    )
    values = {
        "public_id": f"table-{number}",
        "game_version": 1,
        "options": encode(log.match.options),
        "way": "referee" if log.match.game.plays else "pad",
        "note": "a fine evening,\nwith cake",
        "place": "Home",
        "began_at": BEGAN + timedelta(days=number),
        "ended_at": BEGAN + timedelta(days=number, minutes=45),
        "minutes": 45,
        "hides_counts": False,
        "seats": seats,
        "entries": entries,
        "log": log,
        **changed,
    }
    return TableRecord(**values)


def drawn_records(slug: str, count: int = TABLES_A_GAME) -> list[TableRecord]:
    return [record_of(drawn(slug, number), number) for number in range(count)]


ALL = tuple(get_games())
