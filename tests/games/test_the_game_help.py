"""Explanations, relevant rules, preparation and positions of The Game."""

import random
from dataclasses import replace

import pytest

from companion.core.legal_moves import group_legal_plays, judge_proposals
from companion.core.schema import Malformed, decode
from companion.games import get_games
from companion.games.the_game.deck import DECK
from companion.games.the_game.plays import Count, EndTurn, Expert, Options, PlaceCard, Row, Stuck
from companion.games.the_game.positions import RowsAndHand
from companion.games.the_game.rules import Rule, find_longest_sequence
from companion.games.the_game.state import Ending
from companion.rulebook.loader import load_rulebook

GAME = get_games()["the-game"]
UP, UP_2, DOWN, DOWN_2 = Row
SECTIONS = {section.id for section in load_rulebook(GAME, "en").sections}


def build_state(seats=3, *, up=(), up_2=(), down=(), down_2=(), **changes):
    options = {name: changes.pop(name) for name in ("expert", "on_fire", "minimum_after_pile") if name in changes}
    return replace(GAME.referee.setup(Options(**options), seats, 0), rows=(up, up_2, down, down_2), **changes)


START = build_state(up=(11, 47), down=(87, 65), turn=1)
FIRE = build_state(on_fire=True, up=(22,), down=(65,), turn=1, due=frozenset({22}))


def judge_position(**words):
    position = GAME.help.position(decode(RowsAndHand, words))
    return position, tuple(judge_proposals(GAME, position))


# Explanations


@pytest.mark.parametrize(
    ("state", "play", "rule", "heading", "label", "reason"),
    [
        (
            START,
            PlaceCard(1, 48, UP),
            "ascending",
            "Lay on the first ascending row (47)",
            "48",
            "48 is higher than 47.",
        ),
        (
            START,
            PlaceCard(1, 3, UP_2),
            "ascending",
            "Lay on the second ascending row (1)",
            "3",
            "3 is higher than 1.",
        ),
        (
            START,
            PlaceCard(1, 9, DOWN),
            "descending",
            "Lay on the first descending row (65)",
            "9",
            "9 is lower than 65.",
        ),
        (
            START,
            PlaceCard(1, 37, UP),
            "backwards-trick",
            "Backwards trick on the first ascending row (47)",
            "37",
            "37 is exactly 10 lower than 47.",
        ),
        (
            START,
            PlaceCard(1, 75, DOWN),
            "backwards-trick",
            "Backwards trick on the first descending row (65)",
            "75",
            "75 is exactly 10 higher than 65.",
        ),
        (
            FIRE,
            PlaceCard(1, 30, UP),
            "ascending",
            "Cover the fire card 22 on the first ascending row",
            "30",
            "30 is higher than 22.",
        ),
        (
            replace(START, laid=3),
            EndTurn(1),
            "minimum",
            "End the turn",
            "",
            "3 cards are laid, and the minimum is 2. To be drawn: 3.",
        ),
        (
            replace(START, laid=3, pile=2),
            EndTurn(1),
            "minimum",
            "End the turn",
            "",
            "3 cards are laid, and the minimum is 2. To be drawn: 2.",
        ),
        (
            replace(START, laid=1, pile=0),
            EndTurn(1),
            "minimum-after-pile",
            "End the turn",
            "",
            "1 card is laid, and the minimum is 1. To be drawn: 0.",
        ),
        (
            replace(FIRE, laid=2),
            EndTurn(1),
            "on-fire",
            "End the turn",
            "",
            "You can, but the fire wins: 22 is still burning.",
        ),
        (
            replace(START, laid=1),
            Stuck(1),
            "game-end",
            "Say that you are stuck",
            "",
            "If you cannot lay 1 more card, the game is over.",
        ),
    ],
)
def test_legal_play_names_its_rule_and_reason(state, play, rule, heading, label, reason):
    assert GAME.referee.is_legal(state, play)
    explanation = GAME.help.explain(state, play)
    assert (explanation.rule, str(explanation.heading), explanation.label, str(explanation.reason)) == (
        rule,
        heading,
        label,
        reason,
    )


@pytest.mark.parametrize("seats", GAME.about.seats)
def test_legal_plays_of_a_game_are_explained_in_a_short_list(seats):
    chance = random.Random(seats)
    state = GAME.referee.setup(Options(on_fire=True), seats, 0)
    while not state.is_over:
        plays = list(GAME.referee.iter_legal_plays(state))
        for play in chance.sample(plays, min(20, len(plays))):
            explanation = GAME.help.explain(state, play)
            assert explanation.rule in SECTIONS
            assert explanation.reason is not None and "{" not in str(explanation.reason)
        assert len(group_legal_plays(GAME, state)) <= 10
        assert set(GAME.help.relevant_rules(state)) <= SECTIONS
        state = GAME.referee.apply(state, chance.choice(plays))


def test_list_of_legal_plays_joins_numbers_into_spans():
    headings = {str(group.heading): group.labels for group in group_legal_plays(GAME, START)}
    assert headings == {
        "Backwards trick on the first ascending row (47)": ("37",),
        "Lay on the first ascending row (47)": ("48–64", "66–86", "88–99"),
        "Lay on the second ascending row (1)": ("2–10", "12–46", "48–64", "66–86", "88–99"),
        "Lay on the first descending row (65)": ("2–10", "12–46", "48–64"),
        "Backwards trick on the first descending row (65)": ("75",),
        "Lay on the second descending row (100)": ("2–10", "12–46", "48–64", "66–86", "88–99"),
        "Say that you are stuck": (),
    }


def test_list_stays_short_while_anybody_may_begin():
    assert [group.labels for group in group_legal_plays(GAME, build_state(5))] == [("2–99",)] * 4


# Relevant rules


@pytest.mark.parametrize(
    ("state", "rules"),
    [
        (build_state(), ("turn", "minimum", "ascending", "descending", "backwards-trick", "silence")),
        (START, ("minimum", "ascending", "descending", "backwards-trick", "silence")),
        (
            build_state(expert=Expert.THREE, up=(3,), turn=0),
            ("expert", "ascending", "descending", "backwards-trick", "silence"),
        ),
        (replace(START, laid=2), ("draw", "backwards-trick", "ascending", "descending")),
        (
            replace(START, pile=0),
            ("minimum-after-pile", "ascending", "descending", "backwards-trick", "game-end"),
        ),
        (
            replace(START, pile=0, laid=1),
            ("minimum-after-pile", "backwards-trick", "ascending", "descending"),
        ),
        (
            build_state(up=(95,), up_2=(91,), down=(4,), down_2=(10,), turn=0),
            ("minimum", "ascending", "descending", "backwards-trick", "game-end"),
        ),
        (FIRE, ("on-fire", "minimum", "ascending", "descending", "backwards-trick", "silence")),
        (replace(START, ending=Ending.STUCK), ("game-end", "score")),
        (replace(FIRE, ending=Ending.BURNT), ("on-fire", "game-end", "score")),
    ],
)
def test_most_relevant_rules_come_first(state, rules):
    assert GAME.help.relevant_rules(state) == rules
    assert set(rules) <= SECTIONS


def test_counting_rules_are_printed():
    assert set(GAME.help.counting_rules) <= SECTIONS


# Preparation


def build_preparation(seats, **options):
    preparation = GAME.help.preparation(Options(**options), seats)
    assert {step.rule for step in preparation.steps} <= SECTIONS
    return {str(step.label): str(step.value) for step in preparation.steps}, preparation.lot


@pytest.mark.parametrize(("seats", "hand", "pile"), [(1, 8, 90), (2, 7, 84), (3, 6, 80), (4, 6, 74), (5, 6, 68)])
@pytest.mark.parametrize(("expert", "fewer"), [("no", 0), ("three", 0), ("three-and-fewer", 1)])
def test_hand_and_pile_match_the_leaflet(seats, hand, pile, expert, fewer):
    steps, _lot = build_preparation(seats, expert=Expert(expert))
    each = "" if seats == 1 else " each"
    assert steps["Shuffle and deal"] == f"{hand - fewer} cards{each}"
    assert steps["Draw pile, face down"] == f"{pile + seats * fewer} cards"


@pytest.mark.parametrize(
    ("expert", "after", "least", "least_after"),
    [("no", 1, 2, 1), ("no", 3, 2, 1), ("three", 1, 3, 1), ("three", 3, 3, 3), ("three-and-fewer", 3, 3, 3)],
)
def test_preparation_gives_the_minimum_with_and_after_the_pile(expert, after, least, least_after):
    steps, _lot = build_preparation(3, expert=Expert(expert), minimum_after_pile=after)
    assert steps["Cards a turn"] == f"at least {least}"
    assert steps["Cards a turn after the pile"] == f"at least {least_after}"


def test_fire_cards_stay_in_the_box_without_on_fire():
    assert build_preparation(3)[0]["Fire cards"] == "they stay in the box"
    assert build_preparation(3, on_fire=True)[0]["Fire cards"] == "they replace 22, 33, 44, 55, 66, 77"


def test_first_player_is_agreed_on_except_solo():
    assert build_preparation(2)[0]["Who starts"] == "look at your hands, then agree"
    assert str(build_preparation(2)[1]) == "Who starts?"
    assert (build_preparation(1)[0]["Who starts"], build_preparation(1)[1]) == ("you", None)


def test_preparation_has_one_round_and_the_start_of_each_row():
    steps, _lot = build_preparation(4)
    assert steps["Rounds"] == "1"
    assert steps["Row cards"] == "two that begin at 1, two that begin at 100"


def test_paper_sheet_has_the_boxes_of_the_pad():
    form = GAME.help.paper_sheet(Options(), 4)
    assert (tuple(map(str, form.side_lines)), str(form.points)) == (("in hand", "draw pile"), "cards left")
    assert [str(line) for line in GAME.help.paper_sheet(Options(on_fire=True), 4).side_lines][-1] == "lost to the fire"


# Positions


def test_empty_question_has_no_proposals():
    position, answers = judge_position()
    assert [position.state.top(row) for row in Row] == [1, 1, 100, 100]
    assert answers == ()
    assert GAME.referee.board(position.state).held == ()


def test_card_is_answered_row_by_row():
    _position, answers = judge_position(up_1="47", up_2="80", down_1="65", down_2="20", hand="37")
    assert [str(answer.text) for answer in answers] == [f"37 on the {row.label}" for row in Row]
    assert [answer.explanation and answer.explanation.rule for answer in answers] == [
        "backwards-trick",
        None,
        "descending",
        None,
    ]
    assert [[violation.rule for violation in answer.violations] for answer in answers] == [
        [],
        [Rule.ASCENDING],
        [],
        [Rule.DESCENDING],
    ]


def test_single_card_that_fits_nowhere_is_stuck():
    _position, answers = judge_position(up_1="97", up_2="98", down_1="3", down_2="4", hand="50", least="1")
    assert [bool(answer.explanation) for answer in answers] == [False, False, False, False, True]
    assert answers[-1].explanation.rule == Rule.GAME_END


@pytest.mark.parametrize("top", DECK)
def test_answer_matches_the_referee(top):
    card = 50 if top != 50 else 51
    _position, answers = judge_position(up_1=str(top), hand=str(card))
    assert bool(answers[0].explanation) is GAME.referee.is_legal(build_state(up=(top,), turn=0), PlaceCard(0, card, UP))


def test_hand_that_makes_the_minimum_is_shown_how():
    position, (answer,) = judge_position(up_1="95", up_2="96", down_1="5", down_2="4", hand="85,20,86,30")
    assert answer.explanation is None
    (violation,) = answer.violations
    assert violation.rule is Rule.GAME_END
    assert str(violation.message) == (
        "2 cards of yours can be laid, and that is enough: "
        "85 on the first ascending row, 86 on the first ascending row."
    )
    assert [group.labels for group in group_legal_plays(GAME, position.state)] == [("85",), ("86",)]


def test_hand_that_misses_the_minimum_is_stuck():
    _position, (answer,) = judge_position(up_1="95", up_2="96", down_1="5", down_2="4", hand="85,20,30,40")
    assert answer.explanation.rule is Rule.GAME_END
    assert str(answer.explanation.reason) == "In no order can you lay more than 1 card, and the minimum is 2."


def test_hand_that_fits_nowhere_is_stuck():
    position, (answer,) = judge_position(up_1="95", up_2="96", down_1="5", down_2="4", hand="20,30,40")
    assert str(answer.explanation.reason) == "None of your cards fits on any row."
    assert not any(card.details for card in GAME.referee.board(position.state).held)


def test_no_hand_is_stuck_on_empty_rows():
    _position, (answer,) = judge_position(hand="20,30")
    assert [str(violation.message) for violation in answer.violations] == [
        "Nobody is stuck on empty rows: every card fits."
    ]


@pytest.mark.parametrize(("least", "is_stuck"), [("1", False), ("2", False), ("3", True)])
def test_being_stuck_depends_on_the_minimum(least, is_stuck):
    _position, (answer,) = judge_position(up_1="97", up_2="99", down_1="2", down_2="3", hand="98,87,50", least=least)
    assert bool(answer.explanation) is is_stuck


def test_small_hand_needs_no_more_cards_than_it_has():
    _position, (answer,) = judge_position(up_1="47", hand="48,49", least="3")
    assert answer.explanation is None


def test_board_shows_held_cards_that_each_row_takes():
    position, _found = judge_position(up_1="47", up_2="12", down_1="65", hand="37,36,75,3")
    board = GAME.referee.board(position.state)
    assert [row.takes for row in board.rows] == [(37, 75), (36, 37, 75), (3, 36, 37, 75), (3, 36, 37, 75)]
    assert [row.field for row in board.rows] == ["up_1", "up_2", "down_1", "down_2"]
    assert [card.word for card in board.cards if "held" in card.tags] == ["3", "36", "37", "75"]
    for card in board.cards:
        for row in Row:
            assert (row in dict(card.details).get("rows", "").split()) is (
                PlaceCard(0, int(card.word), row) in set(GAME.referee.iter_legal_plays(position.state))
            )


@pytest.mark.parametrize("seed", range(30))
def test_longest_sequence_matches_exhaustive_search(seed):
    chance = random.Random(seed)
    drawn = chance.sample([*range(2, 6), *range(94, 100)], 4)
    tops = dict(zip(("up_1", "up_2", "down_1", "down_2"), drawn, strict=True))
    tops = {name: top for name, top in tops.items() if chance.random() < 0.9}
    hand = chance.sample([card for card in DECK if card not in tops.values()], chance.randint(2, 4))
    state = GAME.help.position(RowsAndHand(**tops, hand=tuple(hand), least=3)).state
    sequence = find_longest_sequence(state)
    after = state
    for play in sequence:
        assert GAME.referee.is_legal(after, play)
        after = GAME.referee.apply(after, play)
    assert len(sequence) == find_longest_by_exhaustion(state)


def find_longest_by_exhaustion(state):
    """Return the most cards that can be laid, trying every order."""
    if state.laid == state.minimum:
        return 0
    plays = [play for play in GAME.referee.iter_legal_plays(replace(state, held=None)) if isinstance(play, PlaceCard)]
    held = [play for play in plays if play.card in state.held]
    return max((1 + find_longest_by_exhaustion(GAME.referee.apply(state, play)) for play in held), default=0)


@pytest.mark.parametrize(
    ("words", "field"),
    [
        ({"up_1": "100"}, "up_1"),
        ({"down_2": "1"}, "down_2"),
        ({"up_2": "0"}, "up_2"),
        ({"up_1": "47", "up_2": "47"}, "up_2"),
        ({"up_1": "47", "hand": "47"}, "hand"),
        ({"hand": "20,20"}, "hand"),
        ({"hand": "100"}, "hand"),
        ({"hand": "2,3,4,5,6,7,8,9,10"}, "hand"),
        ({"hand": "x"}, "hand"),
        ({"least": "4"}, "least"),
        ({"up_1": ""}, "up_1"),
    ],
)
def test_impossible_position_is_rejected(words, field):
    with pytest.raises(Malformed) as error:
        judge_position(**words)
    assert error.value.field == field
    assert "{" not in str(error.value.text)


def test_held_cards_are_unknown_at_a_table():
    state = GAME.referee.setup(Options(), 3, 0)
    assert state.held is None
    assert GAME.referee.apply(state, PlaceCard(0, 20, UP)).held is None
    assert GAME.referee.board(state).held == ()
    assert not list(GAME.pad.check(Options(), 3, (Count(left=9),)))
