"""Explanations, relevant rules, preparation and positions of Take That."""

from dataclasses import replace

import pytest

from companion.core.legal_moves import group_legal_plays, judge_proposals
from companion.core.schema import Malformed, decode
from companion.games.take_that import GAME
from companion.games.take_that.plays import Extend, Options, Reverse, Take
from companion.games.take_that.positions import RowAndCard
from companion.games.take_that.state import setup


def build_state(*row, options=None, **changes):
    return replace(setup(options or Options(), 3, 0), row=row, **changes)


def map_rulings(row, card):
    return {str(answer.text): answer for answer in judge_proposals(GAME, GAME.help.position(RowAndCard(row, card)))}


@pytest.mark.parametrize(
    ("row", "play", "rule", "reason"),
    [
        ((), Extend(1, 34), "open-row", "There is no row, and any card may start one."),
        ((34, 41), Extend(1, 49), "extend-within-ten", "49 is 8 away from 41: at most 10."),
        ((34, 49), Reverse(1, 94), "reverse-pair", "49 lies in the row, and 94 is its reversal."),
        ((34, 49), Take(1), "take-row", "You may always take the row: 2 cards."),
    ],
)
def test_legal_play_names_its_rule_and_reason(row, play, rule, reason):
    explanation = GAME.help.explain(build_state(*row), play)
    assert (explanation.rule, str(explanation.reason)) == (rule, reason)


def test_taking_a_single_card_mentions_the_penalty():
    assert GAME.help.explain(build_state(34, options=Options(professional=True)), Take(1, 50)).rule == "professional"


def test_legal_plays_are_grouped_by_rule_with_spans():
    headings = {
        str(group.heading): [str(label) for label in group.labels]
        for group in group_legal_plays(GAME, build_state(34, 41, 49))
    }
    assert headings == {
        "Lay at the right end": ["39", "42–48", "51–59"],
        "Reverse a card of the row": ["43 (takes 34)", "14 (takes 41)", "94 (takes 49)"],
        "Take the row": [],
    }


def test_tapped_card_narrows_the_list():
    assert [str(group.heading) for group in group_legal_plays(GAME, build_state(34, 41, 49), {"card": "43"})] == [
        "Lay at the right end",
        "Reverse a card of the row",
    ]


@pytest.mark.parametrize(
    ("now", "first"),
    [
        (build_state(), "open-row"),
        (build_state(34), "extend-within-ten"),
        (build_state(34, pile=0), "round-end"),
        (build_state(34, hands=(9, 0, 9)), "take-row"),
        (build_state(34, is_over=True), "round-end"),
    ],
)
def test_relevant_rules_follow_the_state(now, first):
    assert GAME.help.relevant_rules(now)[0] == first


@pytest.mark.parametrize(("seats", "hand", "pile"), [(2, 9, 61), (3, 9, 52), (4, 8, 47)])
def test_preparation_gives_hand_and_pile(seats, hand, pile):
    values = [str(step.value) for step in GAME.help.preparation(Options(), seats).steps]
    assert values[:2] == [f"{hand} cards each", f"{pile} cards"]
    assert values[3] == "2"


def test_preparation_lists_variants_and_rounds():
    steps = GAME.help.preparation(Options(professional=True, rounds=4), 2).steps
    assert [str(step.value) for step in steps if step.rule == "match"] == ["4"]
    assert "professional" in [step.rule for step in steps]


def test_toad_can_be_laid_but_never_reversed():
    answers = map_rulings((44, 50 + 1), 55)
    assert not answers["Lay 55 at the right end"].violations
    assert [str(v.rule) for v in answers["Reverse with 55"].violations] == ["toads-stay"]


def test_card_without_a_row_can_only_open_one():
    assert list(map_rulings((), 34)) == ["Start the row with 34"]


@pytest.mark.parametrize("words", [{"row": "30"}, {"row": "34,34"}, {"row": "34", "card": "34"}, {"card": "11"}])
def test_impossible_card_is_malformed(words):
    with pytest.raises(Malformed):
        GAME.help.position(decode(RowAndCard, words))
