"""Any Game: what is prepared with every option of its sheet, and its score sheet on paper."""

import pytest

from companion.games import get_games
from companion.games.any_game.counts import Options, Wins
from companion.rulebook.loader import load_rulebook

GAME = get_games()["any-game"]
SECTIONS = {section.id for section in load_rulebook(GAME, "en").sections}


def prepared(seats, **options):
    found = GAME.preparation(Options(**options), seats)
    assert {step.rule for step in found.steps} <= SECTIONS
    return {str(step.label): str(step.value) for step in found.steps}


@pytest.mark.parametrize("seats", GAME.seats)
def test_without_a_word_each_plays_alone_from_nothing_as_long_as_they_like(seats):
    assert prepared(seats) == {
        "Winner": "The highest total",
        "Sides": "Each for themselves",
        "Start score": "0",
        "Rounds": "as many as you like",
    }


@pytest.mark.parametrize(
    ("options", "label", "value"),
    [
        ({"wins": Wins.LOWEST}, "Winner", "The lowest total"),
        ({"wins": Wins.SHARED}, "Winner", "Nobody: one shared result"),
        ({"start": 301}, "Start score", "301"),
        ({"start": -20}, "Start score", "-20"),
        ({"rounds": 8}, "Rounds", "8"),
        ({"categories": ("coins",)}, "Rounds", "1"),
        ({"categories": ("coins", "cards")}, "Categories", "coins, cards"),
        ({"categories": ("coins",), "target": 50}, "Rounds", "as many as you like"),
        ({"target": 100}, "Target", "100"),
        ({"target": 0, "start": 301}, "Target", "0"),
        ({"teams": 2}, "Team 1", "Player 1, Player 3, Player 5"),
        ({"teams": 2}, "Team 2", "Player 2, Player 4"),
    ],
)
def test_every_option_is_told(options, label, value):
    assert prepared(5, **options)[label] == value


def test_where_everybody_has_one_result_there_are_no_sides():
    assert "Sides" not in prepared(3, wins=Wins.SHARED)


def test_who_begins_is_left_to_the_table_and_not_asked_alone():
    assert str(GAME.preparation(Options(), 2).lot) == "Who starts?"
    assert GAME.preparation(Options(), 1).lot is None


def test_what_matters_when_it_is_counted_is_printed():
    assert set(GAME.counting_rules) <= SECTIONS
    assert GAME.relevant_rules(GAME.setup(Options(), 3, 0)) == ()


def test_the_sheet_on_paper_has_a_line_for_each_category():
    plain, split = GAME.paper_sheet(Options(), 3), GAME.paper_sheet(Options(categories=("coins", "cards")), 3)
    assert (plain.side_lines, str(plain.points)) == ((), "points")
    assert (tuple(map(str, split.side_lines)), str(split.points)) == (("coins", "cards"), "points")
