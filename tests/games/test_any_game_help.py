"""Preparation and paper score sheet of Any Game."""

import pytest

from companion.games import get_games
from companion.games.any_game.plays import Options, Wins
from companion.rulebook.loader import load_rulebook

GAME = get_games()["any-game"]
SECTIONS = {section.id for section in load_rulebook(GAME, "en").sections}


def map_preparation_steps(seats, **options):
    preparation = GAME.help.preparation(Options(**options), seats)
    assert {step.rule for step in preparation.steps} <= SECTIONS
    return {str(step.label): str(step.value) for step in preparation.steps}


@pytest.mark.parametrize("seats", GAME.about.seats)
def test_default_sheet_has_no_teams_start_score_or_end(seats):
    assert map_preparation_steps(seats) == {
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
def test_preparation_lists_every_option(options, label, value):
    assert map_preparation_steps(5, **options)[label] == value


def test_shared_result_has_no_sides_step():
    assert "Sides" not in map_preparation_steps(3, wins=Wins.SHARED)


def test_first_player_is_drawn_except_solo():
    assert str(GAME.help.preparation(Options(), 2).lot) == "Who starts?"
    assert GAME.help.preparation(Options(), 1).lot is None


def test_counting_rules_are_printed():
    assert set(GAME.help.counting_rules) <= SECTIONS
    assert GAME.help.relevant_rules(GAME.set_up_round(Options(), 3, 0)) == ()


def test_paper_sheet_has_a_line_for_each_category():
    plain, split = GAME.help.paper_sheet(Options(), 3), GAME.help.paper_sheet(Options(categories=("coins", "cards")), 3)
    assert (plain.side_lines, str(plain.points)) == ((), "points")
    assert (tuple(map(str, split.side_lines)), str(split.points)) == (("coins", "cards"), "points")
