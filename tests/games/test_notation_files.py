"""Replay of the notation files."""

import re
from pathlib import Path

import pytest

from companion.core.notation import get_scored_rounds, replay_notation, write_notation
from companion.core.notation_lexer import NotationError
from companion.games import get_games

FILES = sorted((Path(__file__).parent / "notation").glob("*.txt"))
GOOD = [path for path in FILES if not path.name.startswith("bad-")]
BAD = [path for path in FILES if path.name.startswith("bad-")]


def read_notation(path):
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_a_good_file_has_no_problems(path):
    replay = replay_notation(read_notation(path), get_games())
    assert [(verdict.line, str(verdict.problem)) for verdict in replay.problems] == []
    assert replay.rounds, "a file needs a finished round"
    assert any(verdict.kind == "=" for verdict in replay.verdicts), "a file needs a line with points"


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_a_good_file_survives_a_round_trip(path):
    original = replay_notation(read_notation(path), get_games())
    rewritten = replay_notation(write_notation(original.match), get_games())
    assert rewritten.problems == ()
    assert [round_.state for round_ in rewritten.rounds] == [round_.state for round_ in original.rounds]
    assert [round_.sheet for round_ in rewritten.rounds] == [round_.sheet for round_ in original.rounds]
    standing = original.match.standing_after(get_scored_rounds(original.match))
    assert rewritten.match.standing_after(rewritten.rounds) == standing


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_a_bad_file_fails_at_the_stated_line(path):
    text = read_notation(path)
    (kind, line) = re.match(r"# (problem|unreadable) on line (\d+)\n", text).groups()
    if kind == "unreadable":
        with pytest.raises(NotationError) as error:
            replay_notation(text, get_games())
        assert error.value.line == int(line)
    else:
        assert [verdict.line for verdict in replay_notation(text, get_games()).problems] == [int(line)]


def test_every_game_has_files_of_plays_counts_refusals_and_insists():
    assert len(GOOD) >= 8 and len(BAD) >= 6
    for slug, game in get_games().items():
        text = "\n".join(read_notation(path) for path in GOOD if path.name.startswith(slug))
        for kind in game.kinds:
            assert re.search(rf"^{kind} ", text, re.MULTILINE), (slug, kind)
        assert " ! " in text and " ~ " in text
