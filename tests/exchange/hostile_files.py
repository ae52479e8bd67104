"""Broken, forged and hostile files: name, bytes, and the location of the error."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Iterator
from typing import Any

from tests.exchange.backups import build_shared_play

Case = tuple[str, bytes, str]


def iter_unknown_files() -> Iterator[Case]:
    """Yield files of no known format."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("plays.json", b" " * 5_000_000)
    yield "nothing", b"", ""
    yield "blanks", b" \n\t" * 1_000, ""
    yield "archive", packed.getvalue(), ""
    yield "gzip", gzip.compress(b"{}"), "Unpack it first"
    yield "noise", bytes(range(256)) * 400, "This isn’t a text file"
    yield "utf-16", '{"plays": []}'.encode("utf-16"), "This isn’t a text file"
    yield "nuls", b"\x00" * 1_000, "This isn’t a text file"
    yield "picture", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01", "This isn’t a text file"
    yield "paper", b"%PDF-1.7\n1 0 obj\n", "This isn’t a text file"
    yield "letters of old", "Βαθμοί".encode("iso8859-7"), "This isn’t a text file"
    yield "xml", b'<?xml version="1.0"?>\n<plays total="0"></plays>', "XML files can be exported, but not imported."
    yield (
        "for another site",
        b'{"plays":[{"playdate":"2025-11-20","players":[]}]}',
        "Files for BoardGameGeek can be exported",
    )
    yield "gamely", b"gamely take-that\nseats 3\n", "neither JSON nor a match in the notation."
    yield "a game in Latin-1", b"game take-that\nseats 3\n# \xe9\n", "Line 3"
    yield "page", b"<!doctype html><script>alert(1)</script>", "neither JSON nor a match in the notation."
    yield "table", b"name,score\nAda,=1+1\n", "neither JSON nor a match in the notation."
    yield "one long line", b"a" * 5_000_000, "neither JSON nor a match in the notation."
    yield "many lines", b"\n" * 5_000_000 + b"x", "neither JSON nor a match in the notation."
    yield "cut off", json.dumps(build_shared_play()).encode()[:-40], "Line 1"
    yield "two of them", json.dumps(build_shared_play()).encode() * 2, "Line 1"
    yield "no quotes", b'{\n\n"plays": [}', "Line 3"
    yield "latin", '{"plays": "\xe9"}'.encode("latin-1"), "Line 1"
    yield "half a letter", b'{"plays": "\xf0\x9f"}', "Line 1"
    yield "brackets", b"[" * 100_000, "Line 1"
    yield "objects", b'{"a":' * 100_000, "Line 1"
    yield "deep and closed", b"[" * 5_000 + b"]" * 5_000, "Line 1"
    yield "many empty lists", b"[" + b"[]," * 3_000_000 + b"[]]", "Line 1"
    yield "many texts", b'["",' + b'"",' * 3_000_000 + b'""]', "Line 1"
    yield "a text that never ends", b'{"plays": "' + b"\\\\" * 2_000_000, "Line 1"
    yield "many fields", b"{" + b",".join(b'"f%d": 1' % n for n in range(100_000)) + b"}", "Line 1"
    yield "a list", b"[]", ""
    yield "a list of plays", json.dumps([build_shared_play()]).encode(), ""
    yield "nothing in it", b"{}", ""
    yield "of nobody", b'{"format": "somebody", "version": 1}', ""
    yield "proto", b'{"__proto__": {"plays": []}}', ""


def iter_bgstats_files() -> Iterator[Case]:
    """Yield forged BG Stats files."""
    valid_file = json.dumps(build_shared_play())

    def replace(old: str, new: str) -> bytes:
        assert old in valid_file
        return valid_file.replace(old, new, 1).encode()

    def update(part: str, **fields: Any) -> bytes:
        content = build_shared_play()
        (content["plays"][0] if part == "play" else content[part][0]).update(fields)
        return json.dumps(content).encode()

    yield "a field twice", replace('"gameRefId": 1', '"gameRefId": 1, "gameRefId": 2'), "plays[0]"
    yield "plays twice", replace('"about"', '"plays": [], "about"'), ""
    yield "not a number", replace('"durationMin": 45', '"durationMin": NaN'), "plays[0].durationMin"
    yield "infinite", replace('"durationMin": 45', '"durationMin": -Infinity'), "plays[0].durationMin"
    yield "huge", replace('"durationMin": 45', '"durationMin": ' + "9" * 5_000), "plays[0].durationMin"
    yield "with a power", replace('"durationMin": 45', '"durationMin": 1e999'), "plays[0].durationMin"
    yield "surrogate", update("players", name="\ud800"), "players[0].name"
    yield "unseen", update("players", name="\u202e\u200b"), "players[0].name"
    yield "marks", update("players", name="Z" + "\u0301" * 30), "players[0].name"
    yield "control", update("play", comments="\x1b[31m"), "plays[0].comments"
    yield "path", update("players", uuid="../../etc/passwd"), "players[0].uuid"
    yield "in days to come", update("play", playDate="2199-01-01 20:00:00", playDateYmd=0), "That date is out of range."
    yield "many players", json.dumps({**build_shared_play(), "players": [0] * 1_000_000}).encode(), "players[5000]"
    yield "many plays", json.dumps({**build_shared_play(), "plays": [0] * 1_000_000}).encode(), "plays[20000]"
    yield "many scores", update("play", playerScores=[{"playerRefId": 1}] * 1_000), "plays[0].playerScores[100]"
    yield "no players", json.dumps({**build_shared_play(), "players": {}}).encode(), "players"
    yield "an unknown game", update("play", gameRefId=99), "plays[0].gameRefId"
    yield "an unknown place", update("play", locationRefId=99), "plays[0].locationRefId"
    yield "an unknown player", update("play", playerScores=[{"playerRefId": 9}]), "plays[0].playerScores[0].playerRefId"


def iter_companion_files(valid_file: str) -> Iterator[Case]:
    """Yield variants of a valid Companion file that has one table, its first round counted."""

    def update_file(**fields: Any) -> bytes:
        return json.dumps({**json.loads(valid_file), **fields}).encode()

    def update_table(**fields: Any) -> bytes:
        content = json.loads(valid_file)
        content["tables"][0].update(fields)
        return json.dumps(content).encode()

    def update_entry(**fields: Any) -> bytes:
        content = json.loads(valid_file)
        content["tables"][0]["entries"][0].update(fields)
        return json.dumps(content).encode()

    def update_result(**fields: Any) -> bytes:
        content = json.loads(valid_file)
        content["tables"][0]["result"].update(fields)
        return json.dumps(content).encode()

    table, entry = "tables[0]", "tables[0].entries[0]"
    yield "a later version", update_file(version=2), "version"
    yield "a field more", update_file(__proto__={}), "__proto__"
    yield "a million players", update_file(players=[{}] * 700_000), "players"
    yield "another game’s options", update_table(options={"hats": "3"}), f"{table}.options"
    yield "a game that is a path", update_table(game="../x"), f"{table}.game"
    yield "an id that is a path", update_table(id="../x"), f"{table}.id"
    yield "another way", update_table(way="cheat"), f"{table}.way"
    yield "an unknown player there", update_table(seats=["x", "y", "z"]), f"{table}.seats"
    yield "too many at it", update_table(seats=[None] * 5_000), f"{table}.seats"
    yield "a note too long", update_table(note="x" * 600), f"{table}.note"
    yield "long ago", update_table(began_at="0001-01-01T00:00:00Z"), f"{table}.began_at"
    yield "in days to come", update_table(began_at="2199-01-01T00:00:00Z"), "That date is out of range."
    yield "wrong totals", update_result(totals=[99, 98, 97]), f"{table}.result.totals"
    yield "wrong ranks", update_result(ranks=[1, 2, 3]), f"{table}.result.ranks"
    yield "a round more", update_result(rounds=2), f"{table}.result.rounds"
    yield "an unknown kind", update_entry(kind="leap"), f"{entry}.kind"
    yield "a number left out", update_entry(number=2), f"{entry}.number"
    yield "no key", update_entry(key=""), f"{entry}.key"
    yield "a rule that there is not", update_entry(overruled=["whim"]), f"{entry}.overruled[0]"
    yield "a round far away", update_entry(round=500), f"{entry}.round"
    yield "words that are none", update_entry(words={"seat": 1}), f"{entry}.words"
    yield "an undone future", update_entry(kind="undo", words={"target": "5"}, round=0), f"{entry}.words.target"


def iter_notation_files() -> Iterator[Case]:
    """Yield forged notation files."""
    yield "no game", b"seats 3\n", "neither JSON nor a match in the notation."
    yield "a game that there is not", b"game chess\nseats 2\n", "Line 1"
    yield "too many seats", b"game take-that\nseats 99\n", "Line"
    yield "an unknown play", b"game take-that\nseats 3\nleap seat=1\n", "Line 3"
    yield "an illegal play", b"game take-that\nseats 3\nextend seat=1 card=34\nextend seat=2 card=90\n", "Line 4"
    yield "in days to come", b"# table x\n# began 2199-01-01T00:00:00+00:00\ngame take-that\nseats 2\n", "Line 2"
    yield "a wrong score", b"game take-that\nseats 3\ncount seat=0 face_up=2 face_down=1 toads=0\n= 5,5,5\n", "Line 4"
    yield "comments without end", b"game take-that\nseats 3\n" + b"# x\n" * 1_000_000, ""
