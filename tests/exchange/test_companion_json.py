"""Tests of Companion JSON."""

import copy
import json
import tracemalloc
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from companion import limits
from companion.core.entry import Entry
from companion.core.log import Log
from companion.core.notation import build_options
from companion.exchange.export_records import ExportedPlayer
from companion.exchange.formats import companion_json
from companion.exchange.formats.companion_schema import OBJECT_TYPES
from companion.exchange.import_data import BadFile, ImportFile
from companion.exchange.safe_json import parse_json
from companion.games import get_games, get_generic_game
from tests.exchange.sample_files import SLUGS, build_random_log, build_random_records, build_record
from tests.scale import LONG

NOW = datetime(2026, 11, 22, 8, 0, tzinfo=UTC)


def write_companion_file(records) -> bytes:
    return "".join(companion_json.write_file(records, NOW)).encode()


def build_log(table) -> Log:
    game = get_games()[table.game]
    options = build_options(game, len(table.seats), table.options)
    return Log.empty(game, options, len(table.seats)).extend([imported.entry for imported in table.entries])


@pytest.mark.parametrize("slug", SLUGS)
def test_an_exported_file_imports_unchanged(slug):
    records = build_random_records(slug)
    parsed_file = companion_json.parse_document(parse_json(write_companion_file(records)))
    assert parsed_file.kind == "companion"
    names = {player.id: (player.name, player.colour, player.sign) for player in parsed_file.players}
    for record, table in zip(records, parsed_file.tables, strict=True):
        for imported, entry in zip(table.entries, record.entries, strict=True):
            assert imported.entry == Entry(entry.number, entry.kind, entry.words, entry.round, tuple(entry.overruled))
            assert (imported.key, imported.at, imported.device) == (entry.key, entry.at, entry.device.label)
            assert imported.game_version == entry.game_version
        assert build_log(table) == record.log
        assert [names[seat] for seat in table.seats] == [
            (player.name, player.colour, player.sign) for player in record.seats
        ]
        for name in ("mode", "note", "began_at", "ended_at", "hides_counts", "game_version", "options"):
            assert getattr(table, name) == getattr(record.table, name)
        assert table.place == record.place
        assert (table.source, table.game) == (record.table.public_id, slug)


def test_random_logs_cover_every_kind_of_entry():
    kinds = {entry.kind for slug in SLUGS for number in range(40) for entry in build_random_log(slug, number).entries}
    assert kinds >= {"undo", "redo", "correct", "strike", "insist", "insert", "close", "confirm"}
    assert any(
        entry.overruled for slug in SLUGS for number in range(40) for entry in build_random_log(slug, number).entries
    )


def test_documented_fields_are_exactly_those_written():
    file = json.loads(write_companion_file(build_random_records("take-that", 3)))
    tables = file["tables"]
    entries = [entry for table in tables for entry in table["entries"]]
    objects = {
        "file": [file],
        "player": file["players"],
        "table": tables,
        "entry": entries,
        "result": [table["result"] for table in tables],
    }
    assert list(objects) == [object_type.name for object_type in OBJECT_TYPES]
    for object_type in OBJECT_TYPES:
        assert {frozenset(value) for value in objects[object_type.name]} == {
            frozenset(field.name for field in object_type.fields)
        }


def test_the_seat_of_an_erased_player_is_empty():
    record = build_record(build_random_log("take-that", 1))
    seats = (ExportedPlayer(), *record.seats[1:])
    data = write_companion_file([replace(record, seats=seats)])
    assert companion_json.parse_document(parse_json(data)).tables[0].seats[0] is None
    assert b'Ann"' not in data


def parse_unknown_game(seats: int, totals: list[int], ranks: list[int], **fields) -> ImportFile:
    """Parse a file with a table of an unknown game and its result."""
    file = json.loads(write_companion_file(build_random_records("take-that", 1)))
    table = file["tables"][0]
    rounds = fields.pop("rounds", 1)
    table |= {"game": "hats", "options": {"brim": "wide"}, "seats": [None] * seats, "ended_at": None, **fields}
    table["result"] |= {"totals": totals, "ranks": ranks, "rounds": rounds}
    return companion_json.parse_document(parse_json(json.dumps(file).encode()))


ONE_ROUND = {"rounds": "1"}
UNKNOWN_GAMES = [
    ("each alone", 3, [5, 9, -2], [2, 1, 3], {"wins": "highest", **ONE_ROUND}),
    ("the lowest wins", 3, [5, 9, -2], [2, 3, 1], {"wins": "lowest", **ONE_ROUND}),
    ("all are first", 2, [5, 5], [1, 1], {"wins": "highest", **ONE_ROUND}),
    ("together", 3, [12], [1], {"wins": "shared", **ONE_ROUND}),
    ("alone", 1, [12], [1], {"wins": "highest", **ONE_ROUND}),
    ("partners", 4, [30, 20], [1, 2], {"wins": "highest", "teams": "2", **ONE_ROUND}),
    ("not finished", 2, [3, 4], [], {"wins": "highest"}),
]


@pytest.mark.parametrize(
    ("seats", "totals", "ranks", "options"),
    [case[1:] for case in UNKNOWN_GAMES],
    ids=[case[0] for case in UNKNOWN_GAMES],
)
def test_an_unknown_game_keeps_its_name_and_totals(seats, totals, ranks, options):
    (table,) = parse_unknown_game(seats, totals, ranks).tables
    assert (table.game, table.game_name, table.mode, table.options) == (None, "hats", "pad", options)
    log = build_log(replace(table, game=get_generic_game().slug))
    assert list(log.match.standing.totals) == totals
    assert log.match.standing.is_over == bool(ranks)
    if ranks and len(totals) > 1:
        assert list(log.match.standing.ranks) == ranks


def test_an_unknown_game_without_rounds_is_skipped():
    """Up to release 0.6, such a file ranked everybody first."""
    parsed_file = parse_unknown_game(3, [0, 0, 0], [1, 1, 1], rounds=0, ended_at="2024-11-20T21:00:00Z")
    assert parsed_file.tables == () and [where for where, _why in parsed_file.skipped] == ["tables[0]"]


def test_an_ended_table_is_finished_without_ranks():
    (table,) = parse_unknown_game(2, [3, 4], [], ended_at="2024-11-20T21:00:00Z").tables
    assert table.options["rounds"] == "1"


@pytest.mark.parametrize(("seats", "totals"), [(3, []), (3, [1, 2]), (4, [1, 2, 3]), (2, [10**9, 1]), (14, [1] * 7)])
def test_an_unknown_game_with_impossible_totals_is_skipped(seats, totals):
    parsed_file = parse_unknown_game(seats, totals, [])
    ((where, why),) = parsed_file.skipped
    assert (parsed_file.tables, where) == ((), "tables[0]")
    assert str(why) == (
        "More than 12 players." if seats > 12 else "This game isn’t known here, and the file has no totals for it."
    )


def test_the_log_of_an_unknown_game_is_not_read():
    file = json.loads(write_companion_file(build_random_records("take-that", 1)))
    file["tables"][0] |= {"game": "hats", "entries": [{"kind": "of another time"}]}
    (table,) = companion_json.parse_document(parse_json(json.dumps(file).encode())).tables
    assert {entry.kind for entry in table.entries} == {"count"}


def test_errors_after_a_skipped_table_name_the_right_path():
    file = json.loads(write_companion_file(build_random_records("take-that", 2)))
    file["tables"][0] |= {"game": "hats"}
    file["tables"][0]["result"] |= {"totals": [], "ranks": []}
    assert len(companion_json.parse_document(parse_json(json.dumps(file).encode())).tables) == 1
    file["tables"][1]["result"]["totals"] = [99] * 9
    assert get_refusal(json.dumps(file).encode()).where == "tables[1].result.totals"


# Manipulations of a valid file, and the path of the error


@pytest.fixture(scope="module")
def valid_file() -> dict:
    """Two tables: one with undone and corrected entries, and a finished one."""
    corrected = next(
        n for n in range(99) if {"undo", "correct"} <= {e.kind for e in build_random_log("take-that", n).entries}
    )
    ended = next(n for n in range(99) if len(build_random_log("the-game", n).match.finished_rounds) == 1)
    records = [
        build_record(build_random_log("take-that", corrected), 0),
        build_record(build_random_log("the-game", ended), 1),
    ]
    return json.loads(write_companion_file(records))


def set_value(path, value):
    """Return a change that sets the value at a path, or deletes it if the value is `...`."""

    def change(file):
        *parents, last = path
        for step in parents:
            file = file[step]
        if value is ...:
            del file[last]
        else:
            file[last] = value

    return change


TABLE, ENTRY = ("tables", 0), ("tables", 0, "entries", 0)
T, E = "tables[0]", "tables[0].entries[0]"
CHANGES = [
    ("format", set_value(("format",), "other"), "format"),
    ("no format", set_value(("format",), ...), "format"),
    ("later version", set_value(("version",), 2), "version"),
    ("earlier version", set_value(("version",), 0), "version"),
    ("version as text", set_value(("version",), "1"), "format"),
    ("unknown field of the file", set_value(("hat",), 1), "hat"),
    ("missing field of the file", set_value(("players",), ...), "players"),
    ("no time", set_value(("written_at",), "yesterday"), "written_at"),
    ("players are no list", set_value(("players",), {}), "players"),
    ("tables are no list", set_value(("tables",), None), "tables"),
    ("a player is no object", set_value(("players", 0), "Ann"), "players[0]"),
    ("a player twice", lambda f: f["players"].append(f["players"][0]), "players[{last_player}].id"),
    ("id of a player", set_value(("players", 0, "id"), "a b"), "players[0].id"),
    ("name of a player", set_value(("players", 0, "name"), " \u200b "), "players[0].name"),
    ("long name", set_value(("players", 0, "name"), "x" * 41), "players[0].name"),
    ("name as number", set_value(("players", 0, "name"), 7), "players[0].name"),
    ("name with a zero byte", set_value(("players", 0, "name"), "A\x00"), "players[0].name"),
    ("half a letter", set_value(("players", 0, "name"), "A\ud800"), "players[0].name"),
    ("colour", set_value(("players", 0, "colour"), 8), "players[0].colour"),
    ("colour as truth", set_value(("players", 0, "colour"), True), "players[0].colour"),
    ("colour below", set_value(("players", 0, "colour"), -1), "players[0].colour"),
    ("too many players", lambda f: f["players"].extend([f["players"][0]] * 5_001), "players[5000]"),
    ("a table is no object", set_value(TABLE, []), T),
    ("a table twice", lambda f: f["tables"].append(f["tables"][0]), "tables[2].id"),
    ("id of a table", set_value((*TABLE, "id"), "../x"), f"{T}.id"),
    ("game", set_value((*TABLE, "game"), "Take That!"), f"{T}.game"),
    ("version of the game", set_value((*TABLE, "game_version"), 0), f"{T}.game_version"),
    ("unknown option", set_value((*TABLE, "options"), {"hats": "yes"}), f"{T}.options"),
    ("value of an option", set_value((*TABLE, "options"), {"rounds": "-5"}), f"{T}.options"),
    ("option as number", set_value((*TABLE, "options"), {"rounds": 5}), f"{T}.options.rounds"),
    ("way", set_value((*TABLE, "way"), "guess"), f"{T}.way"),
    ("long note", set_value((*TABLE, "note"), "x" * 501), f"{T}.note"),
    ("note as null", set_value((*TABLE, "note"), None), f"{T}.note"),
    ("long place", set_value((*TABLE, "place"), "x" * 41), f"{T}.place"),
    ("began never", set_value((*TABLE, "began_at"), None), f"{T}.began_at"),
    ("no such day", set_value((*TABLE, "began_at"), "2026-02-30T10:00:00+00:00"), f"{T}.began_at"),
    ("time of no zone", set_value((*TABLE, "began_at"), "2026-02-20T10:00:00"), f"{T}.began_at"),
    ("time long ago", set_value((*TABLE, "began_at"), "0001-01-01T00:00:00Z"), f"{T}.began_at"),
    ("time to come", set_value((*TABLE, "began_at"), "2199-12-31T00:00:00Z"), f"{T}.began_at"),
    ("ended as number", set_value((*TABLE, "ended_at"), 1_700_000_000), f"{T}.ended_at"),
    ("hides as text", set_value((*TABLE, "hides_counts"), "no"), f"{T}.hides_counts"),
    ("no seats", set_value((*TABLE, "seats"), []), f"{T}.seats"),
    ("too many seats", set_value((*TABLE, "seats"), [None] * 101), f"{T}.seats"),
    ("more seats than the game has", set_value((*TABLE, "seats"), [None] * 60), f"{T}.seats"),
    ("somebody who is not in the file", set_value((*TABLE, "seats", 0), "p-99"), f"{T}.seats[0]"),
    ("the same player twice", set_value((*TABLE, "seats", 1), "p-0"), f"{T}.seats[1]"),
    ("a seat as number", set_value((*TABLE, "seats", 0), 3), f"{T}.seats[0]"),
    ("a phone without a name", set_value((*TABLE, "devices"), [""]), f"{T}.devices[0]"),
    ("too many phones", set_value((*TABLE, "devices"), ["x"] * 501), f"{T}.devices[500]"),
    ("unknown field of a table", set_value((*TABLE, "hat"), 1), f"{T}.hat"),
    ("missing result", set_value((*TABLE, "result"), ...), f"{T}.result"),
    ("result as list", set_value((*TABLE, "result"), []), f"{T}.result"),
    ("wrong totals", set_value((*TABLE, "result", "totals"), [1, 2, 3]), f"{T}.result.totals"),
    ("totals as texts", set_value((*TABLE, "result", "totals"), ["1"]), f"{T}.result.totals[0]"),
    ("wrong ranks", set_value(("tables", 1, "result", "ranks"), [1]), "tables[1].result.ranks"),
    ("wrong rounds", set_value((*TABLE, "result", "rounds"), 99), f"{T}.result.rounds"),
    ("entries are no list", set_value((*TABLE, "entries"), "none"), f"{T}.entries"),
    ("an entry is no object", set_value(ENTRY, None), E),
    ("number from 0", set_value((*ENTRY, "number"), 0), f"{E}.number"),
    ("a gap", set_value((*TABLE, "entries", 1), ...), f"{T}.entries[1].number"),
    ("number as text", set_value((*ENTRY, "number"), "1"), f"{E}.number"),
    ("short key", set_value((*ENTRY, "key"), "x"), f"{E}.key"),
    ("key with a space", set_value((*ENTRY, "key"), "key 00000001"), f"{E}.key"),
    ("long key", set_value((*ENTRY, "key"), "k" * 65), f"{E}.key"),
    ("key twice", set_value((*ENTRY, "key"), "key-00000002"), f"{T}.entries[1].key"),
    ("unknown kind", set_value((*ENTRY, "kind"), "dance"), f"{E}.kind"),
    ("kind of another game", set_value((*ENTRY, "kind"), "end-turn"), f"{E}.kind"),
    ("round below", set_value((*ENTRY, "round"), -1), f"{E}.round"),
    ("round 0 of a play", set_value((*ENTRY, "round"), 0), f"{E}.round"),
    ("round far ahead", set_value((*ENTRY, "round"), 3), f"{E}.round"),
    ("round above all", set_value((*ENTRY, "round"), 10_000), f"{E}.round"),
    ("words as list", set_value((*ENTRY, "words"), ["seat", "1"]), f"{E}.words"),
    ("word as number", set_value((*ENTRY, "words", "seat"), 1), f"{E}.words.seat"),
    ("words in words", set_value((*ENTRY, "words", "seat"), {"a": "b"}), f"{E}.words.seat"),
    ("long word", set_value((*ENTRY, "words", "seat"), "9" * 1_001), f"{E}.words.seat"),
    ("too many words", set_value((*ENTRY, "words"), {f"w{n}": "1" for n in range(41)}), f"{E}.words"),
    ("name of a word", set_value((*ENTRY, "words"), {"a b": "1"}), f"{E}.words.a b"),
    ("rules as text", set_value((*ENTRY, "overruled"), "turn"), f"{E}.overruled"),
    ("unknown rule", set_value((*ENTRY, "overruled"), ["turn", "hats"]), f"{E}.overruled[1]"),
    ("null as rule", set_value((*ENTRY, "overruled"), [None]), f"{E}.overruled[0]"),
    ("a phone that is not in the list", set_value((*ENTRY, "who"), 1), f"{E}.who"),
    ("a phone below", set_value((*ENTRY, "who"), -1), f"{E}.who"),
    ("entered never", set_value((*ENTRY, "at"), ...), f"{E}.at"),
    ("entered at noon", set_value((*ENTRY, "at"), "12:00"), f"{E}.at"),
    ("unknown field of an entry", set_value((*ENTRY, "hat"), 1), f"{E}.hat"),
    ("a number with a point", set_value((*ENTRY, "number"), 1.0), f"{E}.number"),
    ("no number at all", set_value((*ENTRY, "round"), float("nan")), f"{E}.round"),
    ("endless", set_value((*ENTRY, "round"), float("-inf")), f"{E}.round"),
    ("a huge number", set_value((*ENTRY, "round"), 10**500), f"{E}.round"),
]  # fmt: skip


def get_refusal(data: bytes) -> BadFile:
    with pytest.raises(BadFile) as error:
        companion_json.parse_document(parse_json(data))
    assert str(error.value.text)
    return error.value


@pytest.mark.parametrize(("change", "where"), [case[1:] for case in CHANGES], ids=[case[0] for case in CHANGES])
def test_a_manipulated_file_is_refused_with_the_path(valid_file, change, where):
    file = copy.deepcopy(valid_file)
    change(file)
    assert get_refusal(json.dumps(file).encode()).where == where.format(last_player=len(valid_file["players"]))


@pytest.mark.parametrize("kind", ["undo", "correct"])
@pytest.mark.parametrize(
    "get_target",
    [lambda number: number, lambda number: number + 1, lambda number: 0, lambda number: "x", lambda number: "-1"],
)
def test_an_entry_can_only_target_earlier_entries(valid_file, kind, get_target):
    file = copy.deepcopy(valid_file)
    index, entry = next((n, e) for n, e in enumerate(file["tables"][0]["entries"]) if e["kind"] == kind)
    entry["words"]["target"] = str(get_target(entry["number"]))
    assert get_refusal(json.dumps(file).encode()).where == f"{T}.entries[{index}].words.target"


def test_a_correction_needs_a_kind_of_the_game(valid_file):
    for kind, where in (("undo", "kind"), ("dance", "kind"), (..., "kind")):
        file = copy.deepcopy(valid_file)
        index, entry = next((n, e) for n, e in enumerate(file["tables"][0]["entries"]) if e["kind"] == "correct")
        set_value(("words", "kind"), kind)(entry)
        assert get_refusal(json.dumps(file).encode()).where == f"{T}.entries[{index}].words.{where}"


def test_errors_print_negative_totals_with_a_minus_sign():
    record = next(
        record
        for n in range(99)
        if min((record := build_record(build_random_log("muzicando", n))).match.standing.totals, default=0) < 0
    )
    file = json.loads(write_companion_file([record]))
    file["tables"][0]["result"]["totals"] = [999]
    message = str(get_refusal(json.dumps(file).encode()).text)
    assert "−" in message and "-" not in message


UNREADABLE_FILES = [
    ("nothing", b"", "line 1"),
    ("no JSON", b"\n\nhello", "line 3"),
    ("no UTF-8", b'{\n"format": "\xff"}', "line 2"),
    ("UTF-16", '{"format": "companion"}'.encode("utf-16"), "line 1"),
    ("cut off", b'{"format": "companion",\n"version": 1,', "line 2"),
    ("never closed", b'{"format": "companion', "line 1"),
    ("escapes to the end", b'"' + b'\\"' * 100_000, "line 1"),
    ("something after it", b'{"format": "companion", "version": 1}\n{}', "line 2"),
    ("a list", b"[]", "format"),
    ("a text", b'"companion"', "format"),
    ("null", b"null", "format"),
    ("format twice", b'{"format": "companion", "format": "companion", "version": 1}', "line 1"),
    ("too deep", b"[" * 21 + b"]" * 21, "line 1"),
    ("a bomb of brackets", b"\n" + b"[" * 1_000_000, "line 2"),
    ("a bomb of objects", b'{"a":' * 1_000_000, "line 1"),
    ("an object of too many fields", b"{" + b",".join(b'"f%d":1' % n for n in range(200_000)) + b"}", "line 1"),
    ("too many brackets", b"[" + b"[]," * 1_000_000 + b"[]]", "line 1"),
    ("too large", b" " * (limits.MAX_FILE_BYTES + 1), ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("data", "where"), [case[1:] for case in UNREADABLE_FILES], ids=[case[0] for case in UNREADABLE_FILES]
)
def test_other_files_are_refused(data, where):
    assert get_refusal(data).where == where


def test_duplicate_fields_are_refused_at_any_depth(valid_file):
    text = json.dumps(valid_file)
    assert (
        get_refusal(text.replace('"words": {', '"words": {"seat": "0", "seat": "1", ', 1).encode()).where
        == f"{E}.words"
    )
    assert get_refusal(text.replace('"number": 1,', '"number": 1, "number": 1,', 1).encode()).where == E


@pytest.mark.parametrize(
    "data", [case[1] for case in UNREADABLE_FILES[10:]], ids=[case[0] for case in UNREADABLE_FILES[10:]]
)
@pytest.mark.hostile
def test_a_nesting_bomb_is_cheap_to_refuse(data):
    tracemalloc.start()
    try:
        get_refusal(data)
        assert tracemalloc.get_traced_memory()[1] < 60_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("filling", [b'{"a":1}', *([b"999", b'"ab"'] if LONG else [])], ids=str)
@pytest.mark.hostile
def test_ten_megabytes_parse_in_150_megabytes(filling):
    head = b'{"format":"companion","version":1,"hat":['
    data = head + b",".join([filling] * ((limits.MAX_FILE_BYTES - 60) // (len(filling) + 1))) + b"]}"
    tracemalloc.start()
    try:
        get_refusal(data)
        assert tracemalloc.get_traced_memory()[1] < 150_000_000
    finally:
        tracemalloc.stop()


def test_logs_too_costly_to_fold_are_refused(valid_file):
    table = copy.deepcopy(valid_file["tables"][0])
    count_entry = {
        **table["entries"][0],
        "kind": "count",
        "words": {"seat": "0", "face_up": "1", "face_down": "1", "toads": "0"},
    }
    table["entries"] = [{**count_entry, "number": n, "key": f"key-{n:08d}"} for n in range(1, 5_001)]
    assert get_refusal(json.dumps({**valid_file, "tables": [table]}).encode()).where == f"{T}.entries"
