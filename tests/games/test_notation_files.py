"""Replay of the notation files."""

import re

import pytest

from companion.core.notation import get_scored_rounds, replay_notation, write_notation
from companion.core.notation_lexer import NotationError
from companion.core.scoring import CountingRule
from companion.games import get_games
from tests.games.notation_files import BAD, GOOD, get_matches

every_good_file = pytest.mark.parametrize("text", GOOD.values(), ids=list(GOOD))
every_bad_file = pytest.mark.parametrize("text", BAD.values(), ids=list(BAD))


@every_good_file
def test_a_good_file_has_no_problems(text):
    replay = replay_notation(text, get_games())
    assert [(verdict.line, str(verdict.problem)) for verdict in replay.problems] == []
    assert replay.rounds, "a file needs a finished round"
    assert any(verdict.kind == "=" for verdict in replay.verdicts), "a file needs a line with points"


@every_good_file
def test_a_good_file_survives_a_round_trip(text):
    original = replay_notation(text, get_games())
    rewritten = replay_notation(write_notation(original.match), get_games())
    assert rewritten.problems == ()
    assert [round_.state for round_ in rewritten.rounds] == [round_.state for round_ in original.rounds]
    assert [round_.sheet for round_ in rewritten.rounds] == [round_.sheet for round_ in original.rounds]
    standing = original.match.standing_after(get_scored_rounds(original.match))
    assert rewritten.match.standing_after(rewritten.rounds) == standing


@every_bad_file
def test_a_bad_file_fails_at_the_stated_line(text):
    (kind, line) = re.match(r"# (problem|unreadable) on line (\d+)\n", text).groups()
    if kind == "unreadable":
        with pytest.raises(NotationError) as error:
            replay_notation(text, get_games())
        assert error.value.line == int(line)
    else:
        assert [verdict.line for verdict in replay_notation(text, get_games()).problems] == [int(line)]


def test_there_are_bad_files_of_both_kinds():
    assert {text.split()[1] for text in BAD.values()} == {"problem", "unreadable"}


@pytest.mark.parametrize("game", get_games().values(), ids=list(get_games()))
def test_every_game_has_files_of_plays_counts_refusals_and_insists(game):
    lines = "\n".join(get_matches(game).values())
    wanted = {f"a line `{kind} ...`": rf"^{kind} " for kind in game.kinds} | {"a refused line, `... ! rule`": " ! "}
    if game.rules is not CountingRule:
        wanted["a line that the table insisted on, `... ~ rule`"] = " ~ "
    missing = [line for line, pattern in wanted.items() if not re.search(pattern, lines, re.MULTILINE)]
    assert not missing, f"tests/games/notation/{game.slug}*.txt: add {', '.join(missing)}."
