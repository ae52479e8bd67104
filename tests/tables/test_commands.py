import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from companion.core.schema import field_names
from companion.games import get_games
from tests.scale import LONG

NOTATION = Path(__file__).resolve().parents[1] / "games" / "notation"
VALID_MATCH = """game take-that
seats 3
option rounds=1
count seat=0 face_up=12 face_down=17 toads=0
count seat=1 face_up=10 face_down=4 toads=1
count seat=2 face_up=14 face_down=3 toads=0
= -5,2,11
== -5,2,11
"""
REFEREED_MATCH = """game take-that
seats 3
extend seat=1 card=34
extend seat=2 card=41
extend seat=0 card=55 ! extend-within-ten
extend seat=0 card=55 ~ extend-within-ten
"""
HEADER = "game take-that\nseats 2\n"
WRONG_SCORE = VALID_MATCH.replace("= -5,2,11\n==", "= -5,2,12\n==")
WRONG_VERDICT = REFEREED_MATCH.replace("card=41", "card=51")


@pytest.fixture
def write_file(tmp_path):
    def write(text, name="match.txt"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    return write


def replay(*args):
    """Return exit code, stdout and stderr. Fails if the command uses a database."""
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("replay", *args, stdout=out, stderr=err)
    except SystemExit as end:
        return end.code, out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


def test_a_file_that_agrees_with_the_rules_is_replayed_with_its_totals(write_file):
    code, out, err = replay(path := write_file(VALID_MATCH))
    assert (code, err) == (0, "")
    assert out.strip() == f"{path}: 1 rounds, totals -5,2,11"


@pytest.mark.parametrize(
    ("text", "line"),
    [(WRONG_SCORE, 7), (WRONG_VERDICT, 4), (VALID_MATCH + "= 1\n", 9), ("game take-that\nseats 2\n= 1,2\n", 3)],
)
def test_a_wrong_verdict_or_score_names_file_and_line(write_file, text, line):
    code, _out, err = replay(path := write_file(text))
    assert code == 1
    assert f"{path}:{line}: " in err


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "seats 3\n",
            "game chess\n",
            "game take-that\nseats 9\n",
            "game take-that\nseats x\n",
            "\x00",
            "x" * 2_000_001,
        ),
        *(HEADER + line for line in ("dance seat=0", "extend seat=0 card=x", "extend 34", "option rounds=0", "= x")),
        *(HEADER + line for line in ("extend seat=0 card=34 card=35", "seats 3\nextend seat=0 card=34 seats=3")),
        b"\xff\xfe\x00",
    ],
    ids=range(15),
)
def test_a_file_that_is_not_notation_exits_with_2(write_file, text):
    path = write_file(text)
    code, _out, err = replay(path)
    assert code == 2
    assert err.startswith(f"{path}: cannot be read: ")
    code, out, _err = replay(path, "--json")
    assert code == 2
    assert json.loads(out)["ok"] is False and json.loads(out)["error"]


def test_a_missing_file_or_a_folder_exits_with_2(tmp_path):
    for path in (tmp_path / "none.txt", tmp_path):
        code, _out, err = replay(str(path))
        assert code == 2
        assert "Traceback" not in err and str(path) in err


def test_all_files_are_judged_and_the_worst_sets_the_exit_code(write_file):
    good, wrong, unreadable = write_file(VALID_MATCH, "a"), write_file(WRONG_SCORE, "b"), write_file("", "c")
    assert replay(good, wrong)[0] == 1
    code, out, err = replay(unreadable, good, wrong, "--json")
    assert code == 2
    assert [json.loads(line)["file"] for line in out.splitlines()] == [unreadable, good, wrong]
    assert "b:7" in err


def test_json_has_every_verdict_and_the_standing(write_file):
    code, out, _err = replay(path := write_file(VALID_MATCH), "--json")
    result = json.loads(out)
    assert code == 0
    assert (result["file"], result["ok"], result["game"], result["version"], result["seats"]) == (
        path,
        True,
        "take-that",
        get_games()["take-that"].about.version,
        3,
    )
    assert [line["line"] for line in result["lines"]] == [4, 5, 6, 7, 8]
    assert set(result["lines"][0]) == {"line", "text", "kind", "round", "recorded", "rules", "reasons", "problem"}
    assert [sheet["points"] for sheet in result["sheets"]] == [[-5, 2, 11]]
    assert (result["totals"], result["ranks"], result["over"]) == ([-5, 2, 11], [3, 2, 1], True)
    assert result["verdict"]


def test_json_names_broken_and_overruled_rules(write_file):
    lines = json.loads(replay(write_file(REFEREED_MATCH), "--json")[1])["lines"]
    assert [(line["recorded"], line["rules"]) for line in lines] == [
        (True, []), (True, []), (False, ["extend-within-ten"]), (True, ["extend-within-ten"]),
    ]  # fmt: skip
    assert "55" in lines[2]["reasons"][0] and "41" in lines[2]["reasons"][0]


def test_json_describes_the_problem_of_a_line(write_file):
    result = json.loads(replay(write_file(WRONG_SCORE), "--json")[1])
    assert result["ok"] is False
    assert [line["line"] for line in result["lines"] if line["problem"]] == [7]


@pytest.mark.parametrize("slug", get_games())
def test_notation_prints_all_options_kinds_and_fields(slug):
    out = io.StringIO()
    call_command("notation", slug, stdout=out)
    lines = out.getvalue().splitlines()
    game = get_games()[slug]
    assert lines[0] == f"game {slug}"
    assert {line.split("=")[0] for line in lines if line.startswith("option")} == {
        f"option {name}" for name in field_names(game.options.cls)
    }
    for kind, cls in game.kinds.items():
        (line,) = [line for line in lines if line.split()[0] == kind]
        assert all(f"{name}=" in line for name in field_names(cls))


def test_notation_of_an_unknown_game_lists_the_games():
    with pytest.raises(CommandError, match="take-that"):
        call_command("notation", "chess")


@pytest.mark.slow
def test_both_commands_work_without_a_database(write_file, tmp_path):
    env = {
        "PATH": os.environ["PATH"],
        "COMPANION_DATA": str(tmp_path / "data"),
        "DATABASE_URL": "postgres://nobody@127.0.0.1:1/none",
    }
    files = [write_file(text, str(code)) for code, text in enumerate((VALID_MATCH, WRONG_SCORE, ""))]
    for arguments, code in (
        *((["replay", path], code) for code, path in enumerate(files)),
        (["notation", "the-game"], 0),
    ):
        process = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=settings.ROOT,
            env=env,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert process.returncode == code, process.stderr
        assert "Traceback" not in process.stderr
        assert not list((tmp_path / "data").glob("*.sqlite3"))


@pytest.mark.parametrize(
    "data", [b"game take-that\nseats 3\n# \xe9\n", b"\n\n\xff\xfe", b"game take-that\n\n\xed\xa0\x80"]
)
def test_a_file_that_is_not_utf_8_names_the_line(write_file, data):
    code, out, err = replay("--json", write_file(data))
    assert code == 2
    assert json.loads(out)["line"] == 3
    assert "UTF-8" in err and "codec" not in err


def test_output_escapes_control_characters(write_file):
    code, out, err = replay("--json", write_file("game take-that\nseats 3\nextend seat=1 card=34 ! \x1b[2Jλάθος\n"))
    assert code == 1
    assert out.isascii()
    assert "\x1b" not in err and "\ufffd[2Jλάθος" in err


SEEDS, ZONES = ("0", "1", "77"), ("UTC", "Pacific/Kiritimati", "America/St_Johns")
LOCALES = (("C", "en"), ("el_GR.UTF-8", "el"), ("tr_TR.UTF-8", "tr"))
ENVIRONMENTS = [(seed, zone, LOCALES[(a + b) % 3]) for a, seed in enumerate(SEEDS) for b, zone in enumerate(ZONES)]
"""Every hash seed in every time zone; each of them in every locale once."""


@pytest.mark.slow
def test_replay_is_independent_of_seed_time_zone_and_locale(tmp_path):
    files = sorted(str(path) for path in NOTATION.glob("*.txt") if not path.name.startswith("bad-"))
    files = files if LONG else files[::6]
    outputs = []
    for seed, zone, (locale, language) in ENVIRONMENTS if LONG else ENVIRONMENTS[::4]:
        variables = {"PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": locale, "LANG": locale, "LANGUAGE": language}
        env = {**os.environ, **variables, "PYTHONUTF8": "1", "COMPANION_DATA": str(tmp_path)}
        command = [sys.executable, "manage.py", "replay", "--json", *files]
        outputs.append(subprocess.run(command, cwd=settings.ROOT, env=env, capture_output=True, check=True).stdout)
    assert len(outputs) == (9 if LONG else 3)
    assert outputs[0].count(b"\n") + 1 >= len(files) and len(set(outputs)) == 1
