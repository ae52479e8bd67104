"""Explanations, relevant rules, preparation and positions of Beavers and Mice."""

from dataclasses import replace

import pytest

from companion.core.legal_moves import group_legal_plays, judge_proposals
from companion.core.schema import Malformed, decode
from companion.games import get_games
from companion.games.beavers_and_mice.deck import NUMBERS, SPECIALS, Deck, Face, Revealed
from companion.games.beavers_and_mice.plays import (
    Discard,
    Exchange,
    Knock,
    Options,
    Reshuffle,
    Reveal,
    Slot,
    Swap,
    Take,
    TurnUp,
    TwoChances,
)
from companion.games.beavers_and_mice.positions import Intention, Stage, Turn
from companion.games.beavers_and_mice.rules import Rule
from companion.rulebook.loader import load_rulebook

GAME = get_games()["beavers-and-mice"]
EXCHANGE, PEEK, TWO_CHANCES = SPECIALS
NINE = Face.NINE
ROW = tuple(Revealed((NUMBERS[n],)) for n in (1, 2, 1, 3))


def play_all(*plays, seats=3, **options):
    state = GAME.referee.setup(Options(**options), seats, 0)
    for play in plays:
        state = GAME.referee.apply(state, play)
    return state


START = (TurnUp(0, Face.FIVE),)
ALL_HAD_ONE = (*START, Discard(1, NINE), Discard(2, NINE), Discard(0, NINE))
KNOCKED = (*ALL_HAD_ONE, Knock(0))
STATES = {
    "dealing": play_all(),
    "covering": play_all(TurnUp(0, PEEK), turn_another=True),
    "begun": play_all(*START),
    "special on top": play_all(TurnUp(0, PEEK)),
    "first chance": play_all(*START, TwoChances(1)),
    "second chance": play_all(*START, TwoChances(1), Discard(1, NINE)),
    "all had one": play_all(*ALL_HAD_ONE),
    "exhausted": replace(play_all(*ALL_HAD_ONE), pile=0),
    "short pile": replace(play_all(*ALL_HAD_ONE), pile=2),
    "knocked": play_all(*KNOCKED),
    "revealing": play_all(*KNOCKED, Discard(1, NINE), Discard(2, NINE)),
    "over": replace(play_all(*KNOCKED), revealed=(ROW,) * 3),
}
every_state = pytest.mark.parametrize("state", STATES.values(), ids=STATES)


def get_section_ids():
    return {section.id for section in load_rulebook(GAME, "en").sections}


def get_relevant_rules(state):
    return {(type(play), GAME.help.explain(state, play).rule) for play in GAME.referee.iter_legal_plays(state)}


@every_state
def test_legal_plays_have_a_reason_and_a_section(state):
    section_ids = get_section_ids()
    for play in GAME.referee.iter_legal_plays(state):
        explanation = GAME.help.explain(state, play)
        assert explanation.rule in section_ids
        assert str(explanation.reason)


def test_explanations_name_the_rule_of_each_play():
    explained = set().union(*map(get_relevant_rules, STATES.values()))
    assert {kind for kind, _rule in explained} == set(GAME.plays.values())
    assert {
        (TurnUp, "deal"),
        (TurnUp, "options"),
        (Take, "take-discard"),
        (Swap, "draw"),
        (Discard, "draw"),
        (Discard, "specials"),
        (Exchange, "specials"),
        (Reshuffle, "reshuffle"),
        (Knock, "knock"),
        (Reveal, "score"),
        (Reveal, "replace-specials"),
    } <= explained


@every_state
def test_list_of_legal_plays_is_short(state):
    assert len(group_legal_plays(GAME, state)) <= 8


def test_list_names_the_player_while_two_may_act():
    headings = {str(group.heading) for group in group_legal_plays(GAME, STATES["all had one"])}
    assert {"Player 1: Knock: end of the round", "Player 2: Take the top discard (9)"} <= headings


def test_explanation_allows_exchange_with_the_knocker():
    reason = GAME.help.explain(STATES["knocked"], Exchange(1, Slot.FIRST, 0, Slot.FIRST)).reason
    assert str(reason) == "Player 1 has knocked, but those four cards may still be exchanged."


@every_state
def test_there_are_three_to_six_relevant_rules(state):
    rules = GAME.help.relevant_rules(state)
    assert 3 <= len(rules) <= 6
    assert len(set(rules)) == len(rules)
    assert set(rules) <= get_section_ids()


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("dealing", Rule.DEAL),
        ("begun", Rule.TURN),
        ("first chance", Rule.SPECIALS),
        ("all had one", Rule.KNOCK),
        ("exhausted", Rule.RESHUFFLE),
        ("knocked", Rule.KNOCK),
        ("revealing", Rule.REPLACE_SPECIALS),
        ("over", Rule.SCORE),
    ],
)
def test_first_relevant_rule_follows_the_phase(name, rule):
    assert GAME.help.relevant_rules(STATES[name])[0] == rule


def test_relevant_rules_follow_discard_option_and_pile():
    assert Rule.TAKE_DISCARD in GAME.help.relevant_rules(STATES["begun"])
    assert Rule.NO_SPECIAL_FROM_DISCARDS in GAME.help.relevant_rules(STATES["special on top"])
    assert "options" in GAME.help.relevant_rules(STATES["covering"])
    assert Rule.RESHUFFLE in GAME.help.relevant_rules(STATES["short pile"])


def test_counting_rules_are_in_the_rulebook():
    assert set(GAME.help.counting_rules) <= get_section_ids()


def map_preparation_steps(seats, **options):
    return {str(step.label): str(step.value) for step in GAME.help.preparation(Options(**options), seats).steps}


@pytest.mark.parametrize(
    ("seats", "pile", "american", "rounds"),
    [(2, 57, 45, 4), (3, 53, 41, 3), (4, 49, 37, 4), (5, 45, 33, 5), (6, 41, 29, 6)],
)
def test_preparation_numbers_follow_players_and_deck(seats, pile, american, rounds):
    steps = map_preparation_steps(seats)
    assert steps["Deck"] == "66 cards"
    assert steps["Specials"] == "9 Exchange, 7 Peek, 5 Two Chances"
    assert steps["Shuffle and deal"] == "4 cards each"
    assert steps["First discard, turned up"] == "1 card"
    assert steps["Draw pile, face down"] == f"{pile} cards"
    assert steps["Rounds"] == str(rounds)
    steps = map_preparation_steps(seats, deck=Deck.AMERICAN)
    assert steps["Deck"] == "54 cards"
    assert steps["Specials"] == "3 Exchange, 3 Peek, 3 Two Chances"
    assert steps["Draw pile, face down"] == f"{american} cards"


def test_preparation_follows_the_other_options():
    assert map_preparation_steps(2, rounds=7)["Rounds"] == "7"
    assert map_preparation_steps(2)["If the first discard is a special"] == "it stays there"
    assert "another card" in map_preparation_steps(2, turn_another=True)["If the first discard is a special"]


def test_preparation_steps_have_sections_and_no_lot():
    preparation = GAME.help.preparation(Options(), 4)
    assert {step.rule for step in preparation.steps} <= get_section_ids()
    assert (preparation.lot, preparation.draws) == (None, ())


def test_paper_sheet_has_points_only():
    form = GAME.help.paper_sheet(Options(), 4)
    assert [[str(line) for line in lines] for lines in (form.table_lines, form.side_lines, (form.points,))] == [
        ["who knocked"],
        ["the four cards"],
        ["points"],
    ]


def test_empty_question_has_no_proposals():
    assert GAME.help.position(Turn()).proposals == ()


def judge_intention(intention, stage=Stage.ALL_HAD_ONE, top=Face.FIVE):
    """Return the rule that allows an intention, or the rules it violates."""
    (answer,) = judge_proposals(GAME, GAME.help.position(Turn(top, stage, intention)))
    assert answer.explanation is None or answer.explanation.reason
    return answer.explanation.rule if answer.explanation else [violation.rule for violation in answer.violations]


@pytest.mark.parametrize(
    ("intention", "rule"),
    [
        (Intention.TAKE, Rule.TAKE_DISCARD),
        (Intention.KEEP_NUMBER, Rule.DRAW),
        (Intention.EXCHANGE, Rule.SPECIALS),
        (Intention.PEEK, Rule.SPECIALS),
        (Intention.TWO_CHANCES, Rule.SPECIALS),
        (Intention.DISCARD, Rule.DRAW),
        (Intention.KNOCK, Rule.KNOCK),
        (Intention.TAKE_AFTER_DRAWING, [Rule.TURN]),
        (Intention.KEEP_SPECIAL, [Rule.NO_SPECIAL_INTO_ROW]),
        (Intention.KNOCK_INSTEAD, [Rule.KNOCK]),
    ],
)
def test_every_intention_is_answered_with_its_rule(intention, rule):
    assert judge_intention(intention) == rule


@pytest.mark.parametrize("stage", Stage)
def test_special_is_never_taken_or_kept(stage):
    rule = Rule.DRAW if stage is Stage.CHANCES else Rule.NO_SPECIAL_FROM_DISCARDS
    assert {tuple(judge_intention(Intention.TAKE, stage, top)) for top in SPECIALS} == {(rule,)}
    assert judge_intention(Intention.KEEP_SPECIAL, stage) == [Rule.NO_SPECIAL_INTO_ROW]


@pytest.mark.parametrize("top", Face)
@pytest.mark.parametrize("stage", Stage)
@pytest.mark.parametrize(
    "intention", [Intention.KEEP_NUMBER, Intention.EXCHANGE, Intention.PEEK, Intention.TWO_CHANCES, Intention.DISCARD]
)
def test_play_of_a_drawn_card_depends_on_nothing_else(top, stage, intention):
    assert judge_intention(intention, stage, top) in (Rule.DRAW, Rule.SPECIALS)


@pytest.mark.parametrize("top", Face)
def test_knock_needs_everybody_to_have_had_a_turn(top):
    assert judge_intention(Intention.KNOCK, Stage.ALL_HAD_ONE, top) == Rule.KNOCK
    for stage in (Stage.FIRST_TURNS, Stage.KNOCKED):
        assert set(judge_intention(Intention.KNOCK, stage, top)) == {Rule.KNOCK}


def test_chance_is_drawn_not_taken():
    assert judge_intention(Intention.TAKE, Stage.CHANCES) == [Rule.DRAW]


def test_legal_plays_follow_the_card_drawn():
    state = GAME.help.position(Turn(act=Intention.KEEP_SPECIAL)).state
    assert {type(play) for play in GAME.referee.iter_legal_plays(state)} == {Discard, *map(GAME.plays.get, SPECIALS)}
    assert all(play.card.is_special for play in GAME.referee.iter_legal_plays(state) if type(play) is Discard)
    state = GAME.help.position(Turn(act=Intention.PEEK)).state
    assert [str(group.heading) for group in group_legal_plays(GAME, state)] == [
        "Draw and discard",
        "Draw Peek, and play it",
    ]


def test_unknown_card_may_be_kept():
    state = GAME.help.position(Turn(act=Intention.TAKE_AFTER_DRAWING)).state
    assert Swap in {type(play) for play in GAME.referee.iter_legal_plays(state)}


@pytest.mark.parametrize("top", [Face.FIVE, Face.PEEK])
def test_knock_is_legal_after_two_chances(top):
    assert judge_intention(Intention.KNOCK, Stage.CHANCES, top) == Rule.KNOCK


def test_drawn_card_is_used_once():
    state = GAME.help.position(Turn(act=Intention.TWO_CHANCES)).state
    assert GAME.referee.apply(state, TwoChances(0)).drawn == ()


@pytest.mark.parametrize("words", [{"top": "10"}, {"stage": "late"}, {"act": "fly"}])
def test_unknown_values_are_malformed(words):
    with pytest.raises(Malformed) as caught:
        GAME.help.position(decode(Turn, words))
    assert caught.value.field == next(iter(words))
