"""Database fixtures of a release: random tables and their scores, for the tests of later releases.

    PYTHONPATH=. python tests/releases/filling.py 0.7 TABLES-OF-EACH-GAME

Run it with the code of the release, from 0.7 on; the data of 0.1 to 0.6 was written by earlier versions of this file.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import random
import sqlite3
import sys
import tempfile
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
TOKEN = "r" * 43
"""Token of the device that opened all tables."""
NAMES = ("Άννα", "Bo", "Cleo", "Δημήτρης", "Ελένη", "Freya", "Γιώργος", "Hugo", "Ιωάννα", "Jan", "Lea", "Μάρθα",
         *(f"P{number}" for number in range(8)))  # fmt: skip
MAX_TURNS = 150
"""Turns after which a table is left unfinished."""
MAX_ROUNDS = 4
"""Rounds after which an open-ended match stops."""


def describe_table(log: Any, names: list[str], note: str) -> dict[str, Any]:
    """Return the visible state of a folded table, and a hash of the verdict on every entry."""
    match, standing = log.match, log.match.standing
    steps = [
        [step.action.number, step.action.round, step.action.kind, sorted(step.action.words.items()),
         list(step.action.overruled),
         [str(violation.rule) for violation in step.violations], step.is_valid, step.has_effect]
        for step in match.steps
    ]  # fmt: skip
    entries = [[e.number, e.round, e.kind, sorted(e.words.items()), list(e.overruled)] for e in log.entries]
    sheets = [[played.number, list(played.sheet.points)] for played in match.finished_rounds]
    verdict = [log.is_closed, sorted(log.undone), match.current_number, standing.is_over, sheets]
    canonical = json.dumps([entries, steps, verdict], ensure_ascii=True, sort_keys=True)
    return {
        "game": match.game.slug,
        "version": match.game.about.version,
        "entries": len(log.entries),
        "totals": list(standing.totals),
        "ranks": list(standing.ranks),
        "names": names,
        "note": note,
        "hash": hashlib.sha256(canonical.encode()).hexdigest(),
    }


class RandomMatch:
    """A table played at random through the services; refused entries are dropped."""

    def __init__(self, table: Any, case: Any, devices: list[Any], chance: random.Random) -> None:
        self.table, self.case, self.devices, self.chance = table, case, devices, chance
        self.sent = 0

    @property
    def log(self) -> Any:
        return get_log(self.table)

    def enter(self, kind: str, words: dict[str, str], insists: bool = False, **more: Any) -> None:
        from companion.tables.services import entries

        self.sent += 1
        rules = frozenset(map(str, self.case.game.rules)) if insists else frozenset()
        new_entry = entries.NewEntry(f"key-{self.sent:06d}", kind, words, insisted_rules=rules, **more)
        refusals = (
            entries.EntryRefused,
            entries.NoSuchTarget,
            entries.TableClosed,
            entries.Malformed,
            entries.NotAllowed,
        )
        with suppress(*refusals):
            device = self.chance.choice(self.devices)
            entries.record_entries(self.table, seats=self.case.seats, device=device, new_entries=[new_entry])

    def play(self, turns: int) -> None:
        """Make mostly legal entries, with some illegal ones and every kind of correction."""
        from companion.core.entry import EntryKind
        from companion.core.schema import encode
        from tests.games.random_play import next_content, random_tally

        is_counted = self.chance.random() < 0.5
        for _turn in range(turns):
            log = self.log
            if self.chance.random() < 0.25:
                self.amend_log(log)
            elif log.match.standing.is_over or len(log.match.finished_rounds) >= MAX_ROUNDS:
                break
            elif (is_counted or not self.case.game.plays) and not log.match.get_round(log.match.current_number).plays:
                for count in random_tally(self.case, self.chance):
                    self.enter(self.case.game.get_kind(count), encode(count), round=log.match.current_number)
            else:
                content = next_content(self.case, log, self.chance)
                kind = EntryKind.CONFIRM if content is EntryKind.CONFIRM else self.case.game.get_kind(content)
                self.enter(
                    kind, {} if content is EntryKind.CONFIRM else encode(content), round=log.match.current_number
                )
        if self.chance.random() < 0.5:
            self.enter("close", {})

    def amend_log(self, log: Any) -> None:
        """Undo, redo, correct, strike, insert, insist, or close and reopen."""
        amendment = self.chance.choice(
            ["undo", "undo", "redo", "correct", "correct", "strike", "insert", "wrong", "close"]
        )
        amendable = [action for action in log.actions if action.kind != "confirm"]
        if amendment in ("undo", "redo"):
            targets = log.undoable if amendment == "undo" else log.redoable
            if targets:
                self.enter(amendment, {"target": str(targets[-1])})
        elif amendment == "close":
            self.enter("close", {})
            self.enter("reopen", {})
        elif amendment == "wrong" and self.case.game.plays:
            state = log.match.get_round(log.match.current_number).state
            self.enter_random("", log.match.current_number, state, insists=True)
        elif amendment == "strike" and amendable:
            self.enter("strike", {"target": str(self.chance.choice(amendable).number)})
        elif amendable:
            old = self.chance.choice(amendable)
            self.enter_random(amendment, old.round, log.match_before(old.number).get_round(old.round).state, old=old)

    def enter_random(self, amendment: str, number: int, state: Any, old: Any = None, insists: bool = False) -> None:
        """Enter a random play or count, or one of the same kind that replaces or precedes an old entry."""
        from companion.core.schema import encode
        from tests.games.random_play import random_tally

        contents = list(self.case.game.referee.candidates(state)) if self.case.game.plays else []
        if not contents or (old is not None and old.kind in self.case.game.pad.counts):
            contents = list(random_tally(self.case, self.chance))
            if old is not None:
                contents = [
                    count for count in contents if encode(count).get("seat") == old.words.get("seat")
                ] or contents
        content = self.chance.choice(contents)
        words = encode(content)
        kind = self.case.game.get_kind(content)
        target = {"target": str(old.number), "kind": kind} if old is not None and amendment else {}
        self.enter(amendment or kind, {**target, **words}, insists=insists or bool(amendment), round=number)


def create_circle() -> tuple[Any, list[Any]]:
    """Return a circle with the devices of two members and two guests."""
    from companion.people import models

    circle = models.Circle.objects.create()
    devices = [
        models.Device.objects.create(
            circle=circle, token_hash=hashlib.sha256(token.encode()).hexdigest(), label=label
        )
        for token, label in ((TOKEN, "Android"), ("s" * 43, "iPhone της Άννας"))
    ]  # fmt: skip
    for device in devices:
        models.Membership.objects.create(circle=circle, device=device)
    devices += [models.Device.objects.create(token_hash=f"{n:064d}", label=f"Guest {n}") for n in range(2)]
    return circle, devices


def play_random_tables(each: int) -> list[Any]:
    """Play this many tables of each game."""
    from companion.core.notation import encode
    from companion.games import get_games
    from companion.people.models import Player
    from companion.tables.services.tables import open_table
    from tests.games.random_play import build_cases

    chance = random.Random(20161015)
    circle, devices = create_circle()
    players = [Player.objects.create(circle=circle, name=name) for name in NAMES]
    tables: list[Any] = []
    for slug, game in get_games().items():
        for number in range(each):
            case = chance.choice(build_cases(slug))
            table = open_table(
                circle, game=game, players=chance.sample(players, case.seats), options=encode(case.options),
                mode="referee" if game.plays else "pad", key=f"form-{slug}-{number}",
                rematch_of=tables[-1] if tables and tables[-1].game == slug and number % 4 == 0 else None,
            )  # fmt: skip
            add_details(table, devices, chance)
            RandomMatch(table, case, devices, chance).play(chance.choice([2, 20, 60, MAX_TURNS]))
            tables.append(table)
    return tables


def add_details(table: Any, devices: list[Any], chance: random.Random) -> None:
    """Add a note, a place and guests at random, or bin the table."""
    from companion.tables import models
    from companion.tables.services import details
    from companion.tables.services.tables import bin_table

    if chance.random() < 0.5:
        note = f'Βραδιά {table.pk}: "the toads" came late; it\'s true.'
        details.update_note(table, note=note, by=None)
        place = details.get_or_create_place(table.circle_id, "Λευκάδα")
        models.Table.objects.filter(pk=table.pk).update(place=place)
    for device, role, seat in zip(devices[1:], ("circle", "scorer", "viewer"), (0, 1, None), strict=True):
        models.Attendance.objects.create(table=table, device=device, role=role, seat=seat)
    if chance.random() < 0.1:
        bin_table(table, by=None)


def main(release: str, each: str) -> None:
    with tempfile.TemporaryDirectory() as data:
        os.environ |= {"COMPANION_DATA": data, "DJANGO_SETTINGS_MODULE": "companion.settings", "TZ": "UTC"}
        os.environ.pop("DATABASE_URL", None)
        import django

        django.setup()
        from django.core.management import call_command
        from django.db import connection

        call_command("migrate", verbosity=0)
        states = {}
        for table in play_random_tables(int(each)):
            log = get_log(table)
            names = [seat.player.name for seat in table.seats.select_related("player")]
            states[table.public_id] = describe_table(log, names, table.note)
        connection.close()
        with closing(sqlite3.connect(next(Path(data).glob("*.sqlite3")))) as database:
            dump = "\n".join(database.iterdump())
    (HERE / f"{release}.sql.xz").write_bytes(lzma.compress(dump.encode(), preset=9 | lzma.PRESET_EXTREME))
    (HERE / f"{release}.json").write_text(json.dumps(states, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def get_log(table: Any) -> Any:
    from companion.tables.log_cache import get_cached_log

    table.refresh_from_db()
    return get_cached_log(table, table.seats.count()).log


if __name__ == "__main__":
    main(*sys.argv[1:])
