import json
from datetime import timedelta

import pytest
from django.utils import timezone

from companion.exchange.formats.bgstats import parse
from companion.exchange.import_data import BadFile, ImportedTable
from companion.exchange.safe_json import parse_json
from tests.exchange.backups import build_backup, build_shared_play


def parse_content(content: object):
    return parse.parse_document(parse_json(json.dumps(content).encode()))


def parse_table(content: dict) -> ImportedTable:
    (table,) = parse_content(content).tables
    return table


def build_scores(*texts: str, winners: tuple[int, ...] = (), **more: tuple) -> list[dict]:
    """Return the player scores of a play; each keyword lists the values of a field."""
    return [
        {
            "playerRefId": n,
            "score": text,
            "winner": n in winners,
            **{name: values[n - 1] for name, values in more.items()},
        }
        for n, text in enumerate(texts, 1)
    ]


def parse_play(
    *texts: str, game: dict | None = None, winners: tuple[int, ...] = (), play: dict | None = None, **more: tuple
):
    """Return the table of a play with these scores."""
    content = build_shared_play(playerScores=build_scores(*texts, winners=winners, **more), **(play or {}))
    names = ["Ada", "Bob", "Cy", "Dee", "Eve", "Fay"]
    content["players"] = [{"id": n, "uuid": f"own-{n}", "name": name} for n, name in enumerate(names, 1)]
    content["games"][0] |= game or {}
    return parse_table(content)


def get_points(table: ImportedTable) -> dict[str, str]:
    return {entry.words["seat"]: entry.words["points"] for entry in table.entries}


def test_it_imports_full_exports_and_shared_plays():
    assert len(parse_content(build_backup(plays=20)).tables) == 20
    assert [person.name for person in parse_content(build_shared_play()).players] == ["Ada", "Bob"]


def test_a_play_becomes_one_round():
    table = parse_table(build_shared_play())
    assert table.options == {"wins": "highest", "rounds": "1"}
    assert get_points(table) == {"0": "42", "1": "-3"}
    assert (table.source, table.game, table.game_name) == ("f00d0000-0000-0000-0000-00000000abcd", None, "Azul")
    assert f"{timezone.localtime(table.began_at):%Y-%m-%d %H:%M:%S}" == "2025-11-20 19:30:00"
    assert (table.ended_at - table.began_at).total_seconds() == 45 * 60


def test_the_date_comes_from_ymd_and_the_time_from_play_date():
    table = parse_table(build_shared_play(playDateYmd=20251119))
    assert timezone.localtime(table.began_at).isoformat()[:19] == "2025-11-19T19:30:00"


def test_optional_fields_can_be_missing():
    play = {"uuid": "x", "gameRefId": 1, "playDate": "2025-01-01 12:00:00", "playerScores": [{"playerRefId": 1}]}
    content = {
        "players": [{"id": 1, "uuid": "y", "name": "Ada"}],
        "games": [{"id": 1, "name": "Azul"}],
        "plays": [play],
    }
    table = parse_table(content)
    assert (table.seats, table.entries, table.options) == (("y",), (), {"wins": "highest"})


@pytest.mark.parametrize(
    ("text", "expected_points", "original"),
    [
        ("3+6+2", "11", ""),
        ("10-12", "-2", ""),
        ("+5", "5", ""),
        ("10+-3", "7", ""),
        ("47.3", "47", "47.3"),
        ("2.5", "3", "2.5"),
        ("-2.5", "-3", "-2.5"),
        ("1.5+1.5", "3", ""),
        (" 7 ", "7", ""),
        ("−4", "-4", ""),
    ],
)
def test_sums_are_evaluated_and_rounding_is_noted(text, expected_points, original):
    table = parse_play(text, "0", winners=(1,) if int(expected_points) > 0 else (2,))
    assert get_points(table)["0"] == expected_points
    assert table.note == (f"Seat 1 had {original}." if original else "")


@pytest.mark.parametrize(
    "text", ["49-46ish", "36, 42", "2*3", "__import__('os')", "1e9", "9" * 80, "½", "٣", "nan", "--1"]
)
def test_scores_that_are_not_sums_go_into_the_note(text):
    table = parse_play("5", text)
    assert get_points(table) == {"0": "5"}
    assert f"Seat 2 had {text[:40]}." in table.note


def test_different_winners_go_into_the_note():
    assert parse_play("5", "9", winners=(2,)).note == ""
    assert parse_play("5", "9", winners=(1,)).note == "Seat 1 won."
    assert parse_play("5", "5", winners=(1,)).note == "Seat 1 won."
    assert parse_play("5", "5", winners=(1, 2)).note == ""
    assert parse_play("5", "9", winners=(1,), game={"highestWins": False}).note == ""


def test_a_game_without_points_is_scored_by_its_winners():
    for table in (parse_play("7", "", winners=(2,), game={"noPoints": True}), parse_play("", "", winners=(2,))):
        assert get_points(table) == {"0": "0", "1": "1"}
        assert table.options == {"wins": "highest", "rounds": "1"}


def test_winners_survive_missing_points():
    table = parse_play("", "20.5", "7", winners=(2,))
    assert (get_points(table), table.options) == ({"0": "0", "1": "1", "2": "0"}, {"wins": "highest", "rounds": "1"})
    assert table.note == "Seat 2 had 20.5.\nSeat 3 had 7."
    assert get_points(parse_play("", "20.5")) == {"1": "21"}


@pytest.mark.parametrize(
    ("texts", "winners", "setting", "expected"),
    [(("30", "30"), (), 0, "30"), (("", ""), (1, 2), 0, "1"), (("", ""), (), 0, "0"), (("8", "8"), (1, 2), 6, "1")],
)
def test_a_cooperative_play_has_one_result(texts, winners, setting, expected):
    table = parse_play(*texts, winners=winners, game={"cooperative": True}, play={"scoringSetting": setting})
    assert table.options == {"wins": "shared", "rounds": "1"}
    assert get_points(table) == {"0": expected}
    assert table.note == ("Won." if winners else "")


def test_team_mates_alternate_and_are_counted_once():
    play = {"usesTeams": True}
    table = parse_play("10", "10", "4", "5", winners=(1, 2), team=("A", "A", "B", "B"), play=play)
    assert table.options == {"wins": "highest", "teams": "2", "rounds": "1"}
    assert table.seats == ("own-1", "own-3", "own-2", "own-4")
    assert get_points(table) == {"0": "10", "1": "9"}
    assert table.note == ""


def test_teams_of_different_sizes_are_split():
    table = parse_play("10", "10", "4", winners=(1, 2), team=("A", "A", "B"), play={"usesTeams": True})
    assert "teams" not in table.options
    assert table.note.splitlines() == [
        "Seat 1 was in team A.",
        "Seat 2 was in team A.",
        "Seat 3 was in team B.",
    ]


def test_an_ignored_play_is_not_finished():
    assert "rounds" not in parse_play("5", "6", play={"ignored": True}).options
    assert "rounds" not in parse_play("", "").options
    assert "rounds" not in parse_play("", "", game={"cooperative": True}, play={"scoringSetting": 14}).options


def test_complete_seat_orders_are_used():
    assert parse_play("1", "2", "3", seatOrder=(3, 1, 2)).seats == ("own-2", "own-3", "own-1")
    assert parse_play("1", "2", "3", seatOrder=(3, 1, 0)).seats == ("own-1", "own-2", "own-3")


def test_long_comments_are_truncated():
    note = parse_table(build_shared_play(comments="Rain.\r\nMore rain.", board="The long one")).note
    assert note == "Rain.\nMore rain.\nBoard: The long one."
    note = parse_table(build_shared_play(comments="x" * 50_000, board="The long one")).note
    assert len(note) == 500 and note.endswith("x…\nBoard: The long one.")


@pytest.mark.parametrize("count", [0, 13, 100])
def test_an_impossible_play_is_skipped(count):
    content = build_shared_play()
    content["players"] += [{"id": n, "uuid": f"own-{n}", "name": f"P{n}"} for n in range(3, 101)]
    rows = [{"playerRefId": n} for n in range(1, count + 1)]
    content["plays"].append({**content["plays"][0], "uuid": "other", "playerScores": rows})
    parsed_file = parse_content(content)
    assert len(parsed_file.tables) == 1
    assert [where for where, _why in parsed_file.skipped] == ["plays[1]"]


def build_invalid_file(path: str, value: object) -> dict:
    """Return a small file with one value changed at a path."""
    content = build_shared_play(comments="", locationRefId=1, playDateYmd=0)
    content["locations"] = [{"id": 1, "name": "Home"}]
    *parents, last = [
        int(step) if step.isdigit() else step for step in path.replace("[", ".").replace("]", "").split(".")
    ]
    part: object = content
    for step in parents:
        part = part[step]
    part[last] = value
    return content


INVALID_VALUES = [
    ("plays", {}), ("plays", "x"), ("players", 1), ("games", None), ("locations", {}), ("plays[0]", []),
    ("players[0]", "Ada"), ("games[0]", None), ("locations[0]", 1), ("players[0].id", "1"), ("players[0].id", 1.5),
    ("players[0].id", True), ("players[0].uuid", 7), ("players[0].uuid", ""), ("players[0].uuid", "../x"),
    ("players[0].uuid", "x" * 61), ("players[0].name", ""), ("players[0].name", "\u200b"), ("players[0].name", "a\x00"),
    ("players[0].name", ["Ada"]), ("players[0].name", "Z" + "\u0301" * 9), ("players[0].isAnonymous", 1),
    ("players[1].id", 1), ("games[0].name", " "), ("games[0].highestWins", "yes"), ("games[0].noPoints", 0),
    ("games[0].cooperative", "false"), ("locations[0].name", {}), ("plays[0].uuid", None),
    ("plays[0].gameRefId", 9), ("plays[0].gameRefId", "1"), ("plays[0].gameRefId", 10**400),
    ("plays[0].locationRefId", 2), ("plays[0].playDate", "yesterday"), ("plays[0].playDate", 20251120),
    ("plays[0].playDate", "1492-10-12 12:00:00"), ("plays[0].playDate", "9999-12-31 23:59:59"),
    ("plays[0].playDate", "2025-02-30 12:00:00"), ("plays[0].durationMin", "45"), ("plays[0].ignored", 1),
    ("plays[0].board", 3), ("plays[0].comments", ["x"]), ("plays[0].comments", "a\x1bb"),
    ("plays[0].comments", "\ufffd"), ("plays[0].playerScores", {}), ("plays[0].playerScores", [{}] * 101),
    ("plays[0].playerScores[0]", 5), ("plays[0].playerScores[0].playerRefId", 3),
    ("plays[0].playerScores[0].playerRefId", None), ("plays[0].playerScores[0].score", 42),
    ("plays[0].playerScores[0].winner", "true"), ("plays[0].playerScores[0].team", 1),
]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "value"), INVALID_VALUES, ids=[f"{path}={str(value)[:20]}" for path, value in INVALID_VALUES]
)
def test_invalid_values_are_refused_with_their_path(path, value):
    with pytest.raises(BadFile) as error:
        parse_content(build_invalid_file(path, value))
    assert error.value.where.startswith(path) or path.startswith(error.value.where)
    assert error.value.where


def test_duplicate_ids_are_refused_in_any_case():
    content = build_shared_play()
    content["plays"].append({**content["plays"][0], "uuid": content["plays"][0]["uuid"].lower()})
    with pytest.raises(BadFile) as error:
        parse_content(content)
    assert error.value.where == "plays[1].uuid"


@pytest.mark.parametrize(("hours", "is_valid"), [(36, True), (49, False)])
def test_plays_can_be_dated_up_to_tomorrow(hours, is_valid):
    when = timezone.localtime() + timedelta(hours=hours)
    data = json.dumps(build_shared_play(playDate=f"{when:%Y-%m-%d %H:%M:%S}", playDateYmd=0)).encode()
    if is_valid:
        assert parse.parse_document(parse_json(data)).tables
    else:
        with pytest.raises(BadFile, match="That date is out of range") as error:
            parse.parse_document(parse_json(data))
        assert error.value.where == "plays[0].playDate"
