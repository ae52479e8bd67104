"""Rules, examples, settled questions, options and pad checks of Take That."""

import itertools
from collections import Counter
from dataclasses import replace

import pytest

from companion.core.match import Action, Match
from companion.core.notation import build_options
from companion.core.schema import Malformed, decode, encode
from companion.games import get_games
from companion.games.take_that.deck import DECK, TOADS, reverse_digits
from companion.games.take_that.plays import Count, Extend, Options, Reverse, Take
from companion.games.take_that.rules import Rule

GAME = get_games()["take-that"]


def build_state(seats=3, *, professional=False, reopen=False, **changes):
    """Return a round in which it is seat 1's turn, unless `changes` say otherwise."""
    options = Options(professional=professional, reopen_after_pile=reopen)
    return replace(GAME.referee.setup(options, seats, 0), **changes)


def find_broken_rules(state, play):
    return {violation.rule for violation in GAME.referee.judge(state, play)}


def play_all(state, *plays):
    """Return the state after legal plays."""
    for play in plays:
        assert not find_broken_rules(state, play), play
        state = GAME.referee.apply(state, play)
    return state


def check_counts(*counts, seats=3):
    return {violation.rule: violation.binding for violation in GAME.pad.check(Options(), seats, counts)}


def score_counts(*counts):
    return GAME.scoring.score(Options(), counts).points


ROW = (34, 41, 49)
DOWN = ((), (12, 66), ())
PAIRS = ((13, 31), (), ())
BOUND, FREE = True, False
PLAYED_OUT = build_state(pile=0, is_over=True)
NO_HAND = build_state(row=ROW, pile=0, hands=(3, 0, 2))

# Hooks for the tests of every game


def cards(state):
    seen = [*state.row, *itertools.chain(*state.face_up), *itertools.chain(*state.face_down)]
    return seen, state.pile + sum(state.hands), 79


def marks(state, board):
    for card in board.cards:
        yield "swap" in card.tags, [Reverse(state.turn, int(card.word))]
        if "swap" not in card.tags:
            yield card.is_legal, [Extend(state.turn, int(card.word))]


MISPLAYS = [
    ("a seat that does not exist plays", build_state(), Extend(3, 34), Rule.PLAYERS, BOUND),
    ("a seat below the first plays", build_state(), Take(-1), Rule.PLAYERS, BOUND),
    ("a card that is not in the deck is laid", build_state(), Extend(1, 30), Rule.DECK, BOUND),
    ("a card below the deck is laid", build_state(), Extend(1, 11), Rule.DECK, BOUND),
    ("a card above the deck is laid", build_state(), Extend(1, 99), Rule.DECK, BOUND),
    ("a card that lies in the row is laid again", build_state(row=ROW), Extend(1, 41), Rule.DECK, BOUND),
    (
        "a card that lies face down is laid again",
        build_state(row=(21,), face_down=DOWN),
        Extend(1, 12),
        Rule.DECK,
        BOUND,
    ),
    ("a card that lies face up is laid again", build_state(row=(32,), face_up=PAIRS), Extend(1, 31), Rule.DECK, BOUND),
    (
        "a card out of play is used to reverse",
        build_state(row=(13,), face_down=((31,), (), ())),
        Reverse(1, 31),
        Rule.DECK,
        BOUND,
    ),
    (
        "a card out of play is drawn as the penalty",
        build_state(row=(34,), face_down=DOWN, professional=True),
        Take(1, 66),
        Rule.DECK,
        BOUND,
    ),
    (
        "the card of the row is named as its own penalty",
        build_state(row=(34,), professional=True),
        Take(1, 34),
        Rule.DECK,
        BOUND,
    ),
    ("somebody extends out of turn", build_state(row=ROW), Extend(0, 50), Rule.TURN, FREE),
    ("somebody reverses out of turn", build_state(row=ROW), Reverse(2, 94), Rule.TURN, FREE),
    ("somebody takes the row out of turn", build_state(row=ROW), Take(0), Rule.TURN, FREE),
    ("a row that is not there is reversed", build_state(), Reverse(1, 94), Rule.OPEN_ROW, BOUND),
    (
        "who has taken the row reverses instead of opening",
        build_state(must_open=True),
        Reverse(1, 94),
        Rule.OPEN_ROW,
        BOUND,
    ),
    ("who has taken the row takes once more", build_state(must_open=True), Take(1), Rule.OPEN_ROW, BOUND),
    (
        "a card eleven above the right end is laid",
        build_state(row=(34, 41)),
        Extend(1, 52),
        Rule.EXTEND_WITHIN_TEN,
        FREE,
    ),
    ("a card eleven below the right end is laid", build_state(row=ROW), Extend(1, 38), Rule.EXTEND_WITHIN_TEN, FREE),
    (
        "a card near the left end but far from the right is laid",
        build_state(row=(34, 44, 53)),
        Extend(1, 35),
        Rule.EXTEND_WITHIN_TEN,
        FREE,
    ),
    ("a card without its partner in the row reverses", build_state(row=ROW), Reverse(1, 95), Rule.REVERSE_PAIR, BOUND),
    ("an odd number of cards face up is counted", None, Count(0, 11, 5, 0), Rule.REVERSE_PAIR, FREE),
    (
        "a toad that lies in the row is reversed by its number",
        build_state(row=(44,)),
        Reverse(1, 44),
        Rule.TOADS_STAY,
        BOUND,
    ),
    ("a toad is used to reverse", build_state(row=ROW), Reverse(1, 44), Rule.TOADS_STAY, BOUND),
    ("an empty row is taken", build_state(), Take(1), Rule.TAKE_ROW, BOUND),
    ("somebody without a hand extends", NO_HAND, Extend(1, 51), Rule.TAKE_ROW, FREE),
    ("somebody without a hand reverses", NO_HAND, Reverse(1, 94), Rule.TAKE_ROW, FREE),
    ("somebody extends after the end", PLAYED_OUT, Extend(1, 34), Rule.ROUND_END, BOUND),
    ("somebody reverses after the end", PLAYED_OUT, Reverse(1, 34), Rule.ROUND_END, BOUND),
    ("somebody takes after the end", PLAYED_OUT, Take(1), Rule.ROUND_END, BOUND),
    ("fewer than no cards are counted", None, Count(0, -2, 5, 0), Rule.SCORE, BOUND),
    ("more toads than cards face down are counted", None, Count(0, 2, 2, 3), Rule.SCORE, BOUND),
    ("a larger hand than was dealt is counted", None, Count(0, 2, 2, 0, hand=10), Rule.DEAL, FREE),
    (
        "a single card is taken without the penalty",
        build_state(row=(34,), professional=True),
        Take(1),
        Rule.PROFESSIONAL,
        FREE,
    ),
    (
        "a penalty is drawn with a row of two",
        build_state(row=(34, 35), professional=True),
        Take(1, 50),
        Rule.PROFESSIONAL,
        FREE,
    ),
    (
        "a penalty is drawn where the variant is not played",
        build_state(row=(34,)),
        Take(1, 50),
        Rule.PROFESSIONAL,
        FREE,
    ),
    (
        "a penalty is drawn from an exhausted pile",
        build_state(row=(34,), pile=0, professional=True),
        Take(1, 50),
        Rule.PROFESSIONAL,
        BOUND,
    ),
]
MATCH_MISPLAY = Rule.MATCH
"""Violated between rounds; see `test_round_after_the_last_violates_the_match_rule`."""


@pytest.mark.parametrize(
    ("state", "entry", "rule", "is_binding"), [row[1:] for row in MISPLAYS], ids=[row[0] for row in MISPLAYS]
)
def test_misplay_names_its_rule_and_whether_it_is_binding(state, entry, rule, is_binding):
    judged = GAME.pad.check(Options(), 3, (entry,)) if state is None else GAME.referee.judge(state, entry)
    violations = {violation.rule: violation for violation in judged}
    assert rule in violations
    assert violations[rule].binding is is_binding
    assert "{" not in str(violations[rule].message)


@pytest.mark.parametrize(
    ("state", "play"),
    [row[1:3] for row in MISPLAYS if row[1] is not None],
    ids=[row[0] for row in MISPLAYS if row[1] is not None],
)
def test_misplay_is_never_a_legal_play(state, play):
    assert play not in list(GAME.referee.iter_legal_plays(state))


@pytest.mark.parametrize(
    ("state", "play"),
    [row[1:3] for row in MISPLAYS if row[1] is not None and not row[4]],
    ids=[row[0] for row in MISPLAYS if row[1] is not None and not row[4]],
)
def test_insisting_applies_the_play(state, play):
    after = GAME.referee.apply(state, play)
    assert after != state
    assert GAME.referee.board(after).turn in (0, 1, 2, None)


def test_every_rule_has_a_misplay():
    assert {row[3] for row in MISPLAYS} | {MATCH_MISPLAY} == set(Rule)


def test_round_after_the_last_violates_the_match_rule():
    match = Match(GAME, Options(), 2)
    counts = (Count(0, 10, 10, 0), Count(1, 20, 30, 3))
    number = 0
    for round_ in (1, 2):
        for count in counts:
            number += 1
            action = Action(number, round_, "count", encode(count))
            assert match.judge(action).is_valid
            match = match.record(action)
    assert match.standing.is_over
    for action in (Action(5, 3, "count", encode(counts[0])), Action(5, 3, "extend", {"seat": "1", "card": "34"})):
        step = match.judge(action)
        assert [violation.rule for violation in step.violations] == [Rule.MATCH]
        assert not step.violations[0].binding
        assert match.judge(replace(action, overruled=(Rule.MATCH,))).is_valid


# The deck and the deal


def test_deck_has_79_cards_with_7_toads_and_36_pairs():
    assert len(DECK) == len(set(DECK)) == 79
    assert (min(DECK), max(DECK)) == (12, 98)
    assert sorted(TOADS) == [22, 33, 44, 55, 66, 77, 88]
    assert set(DECK) >= TOADS
    pairs = {frozenset({card, reverse_digits(card)}) for card in DECK if card not in TOADS}
    assert len(pairs) == 36
    assert Counter(card for pair in pairs for card in pair) == Counter(set(DECK) - TOADS)


@pytest.mark.parametrize(("seats", "hand", "pile"), [(2, 9, 61), (3, 9, 52), (4, 8, 47)])
def test_hand_depends_on_the_number_of_players(seats, hand, pile):
    state = GAME.referee.setup(Options(), seats, 0)
    assert state.hands == (hand,) * seats
    assert state.pile == pile
    assert pile + seats * hand == 79
    assert not state.row and not state.is_over and not state.must_open


@pytest.mark.parametrize("seats", GAME.about.seats)
def test_player_left_of_the_dealer_begins(seats):
    for dealer in range(seats):
        for rounds in range(5):
            assert GAME.referee.setup(Options(dealer=dealer), seats, rounds).turn == (dealer + rounds + 1) % seats


@pytest.mark.parametrize("seats", [0, 1, 5])
def test_player_count_must_be_two_to_four(seats):
    with pytest.raises(Malformed):
        build_options(GAME, seats, {})


# A turn


def test_any_card_opens_an_empty_row():
    assert {play.card for play in GAME.referee.iter_legal_plays(build_state())} == set(DECK)
    assert {type(play) for play in GAME.referee.iter_legal_plays(build_state())} == {Extend}


def test_18_cards_extend_34():
    extensions = {
        play.card for play in GAME.referee.iter_legal_plays(build_state(row=(34,))) if isinstance(play, Extend)
    }
    assert extensions == {card for card in DECK if 24 <= card <= 44} - {34}
    assert len(extensions) == 18


@pytest.mark.parametrize(
    ("end", "card", "is_within"),
    [
        (34, 41, True),
        (34, 24, True),
        (34, 44, True),
        (34, 45, False),
        (34, 23, False),
        (41, 31, True),
        (41, 51, True),
        (41, 49, True),
        (41, 52, False),
        (32, 22, True),
        (32, 42, True),
        (32, 43, False),
        (32, 21, False),
        (98, 88, True),
        (12, 22, True),
        (12, 23, False),
    ],
)
def test_card_extends_within_ten_of_the_right_end(end, card, is_within):
    state = build_state(row=(end,))
    assert find_broken_rules(state, Extend(1, card)) == (set() if is_within else {Rule.EXTEND_WITHIN_TEN})


def test_row_of_the_leaflet_grows_and_is_reversed():
    """The row 34 41 49; 94 takes 49, the right end is 41 again, and 43 and 14 could reverse next."""
    state = play_all(build_state(), Extend(1, 34), Extend(2, 41), Extend(0, 49))
    assert state.row == (34, 41, 49)
    assert state.turn == 1
    state = play_all(state, Reverse(1, 94))
    assert state.row == (34, 41)
    assert sorted(state.face_up[1]) == [49, 94]
    assert GAME.referee.board(state).right_end == 41
    reversals = {
        play.card: reverse_digits(play.card)
        for play in GAME.referee.iter_legal_plays(state)
        if isinstance(play, Reverse)
    }
    assert reversals == {43: 34, 14: 41}


def test_reversal_from_the_middle_closes_the_gap():
    state = play_all(build_state(row=(34, 41, 49, 52, 56)), Reverse(1, 94))
    assert state.row == (34, 41, 52, 56)


@pytest.mark.parametrize("card", [card for card in DECK if card not in TOADS])
def test_card_reverses_only_its_partner(card):
    row = tuple(row_card for row_card in DECK if row_card != card)
    state = play_all(build_state(row=row), Reverse(1, card))
    assert set(row) - set(state.row) == {reverse_digits(card)}
    assert sorted(state.face_up[1]) == sorted((card, reverse_digits(card)))
    assert len(set(state.face_up[1])) == 2


@pytest.mark.parametrize("toad", sorted(TOADS))
def test_toad_cannot_be_reversed(toad):
    assert not [play for play in GAME.referee.iter_legal_plays(build_state(row=(toad,))) if isinstance(play, Reverse)]


def test_only_card_of_a_row_can_be_reversed():
    state = play_all(build_state(row=(34,)), Reverse(1, 43))
    assert state.row == ()
    assert (state.turn, state.must_open, state.is_over) == (2, False, False)
    assert {type(play) for play in GAME.referee.iter_legal_plays(state)} == {Extend}


def test_laying_a_card_draws_one_while_the_pile_lasts():
    after = play_all(build_state(row=(34,)), Extend(1, 35))
    assert (after.pile, after.hands, after.turn) == (51, (9, 9, 9), 2)
    after = play_all(build_state(row=(34, 35)), Reverse(1, 43))
    assert (after.pile, after.hands, after.turn) == (51, (9, 9, 9), 2)
    after = play_all(build_state(row=(34,), pile=0), Extend(1, 35))
    assert (after.pile, after.hands, after.turn) == (0, (9, 8, 9), 2)


def test_taking_the_row_opens_a_new_one_in_the_same_turn():
    state = play_all(build_state(row=ROW), Take(1))
    assert (state.row, state.face_down[1]) == ((), ROW)
    assert (state.turn, state.must_open, state.pile, state.hands) == (1, True, 52, (9, 9, 9))
    assert {type(play) for play in GAME.referee.iter_legal_plays(state)} == {Extend}
    state = play_all(state, Extend(1, 98))
    assert (state.row, state.turn, state.must_open, state.pile) == ((98,), 2, False, 51)


def test_row_can_be_taken_by_choice():
    assert {type(play) for play in GAME.referee.iter_legal_plays(build_state(row=ROW))} == {Extend, Reverse, Take}


@pytest.mark.parametrize("seats", GAME.about.seats)
def test_turn_goes_round_the_table(seats):
    state = GAME.referee.setup(Options(), seats, 0)
    turns = []
    for card in range(51, 51 + 2 * seats):
        turns.append(state.turn)
        state = play_all(state, Extend(state.turn, card if card < 60 else card + 1))
    assert turns == [(1 + step) % seats for step in range(2 * seats)]


# The end of a round


def test_round_ends_when_the_row_is_taken_after_the_pile():
    state = play_all(build_state(row=ROW, pile=0), Take(1))
    assert state.is_over and not state.must_open
    assert state.is_over
    assert GAME.referee.board(state).turn is None
    assert list(GAME.referee.iter_legal_plays(state)) == []


def test_round_ends_when_the_row_is_reversed_away_after_the_pile():
    state = play_all(build_state(row=(34,), pile=0), Reverse(1, 43))
    assert state.is_over


def test_round_goes_on_after_the_pile_while_there_is_a_row():
    assert not play_all(build_state(row=(34, 41), pile=0), Reverse(1, 43)).is_over
    assert not play_all(build_state(row=(34,), pile=0), Extend(1, 41)).is_over
    assert not play_all(build_state(row=(34,), pile=1), Extend(1, 41)).is_over


def test_taking_the_row_before_the_pile_ends_goes_on():
    state = play_all(build_state(row=ROW, pile=1), Take(1), Extend(1, 98))
    assert (state.pile, state.is_over) == (0, False)


def test_empty_hand_must_take_the_row():
    assert list(GAME.referee.iter_legal_plays(NO_HAND)) == [Take(1)]
    assert GAME.referee.board(NO_HAND).must_take
    assert play_all(NO_HAND, Take(1)).is_over


def test_pile_and_row_running_out_together_end_the_round():
    state = play_all(build_state(row=(34,), pile=1), Reverse(1, 43))
    assert (state.pile, state.row, state.is_over) == (0, (), True)


def test_next_player_reopens_after_the_pile_by_option():
    state = play_all(build_state(row=(34,), pile=1, reopen=True), Reverse(1, 43))
    assert (state.pile, state.row, state.is_over, state.turn) == (0, (), False, 2)
    assert {type(play) for play in GAME.referee.iter_legal_plays(state)} == {Extend}
    state = play_all(state, Extend(2, 35), Reverse(0, 53))
    assert state.is_over


def test_taking_the_reopened_row_ends_the_round():
    state = play_all(build_state(row=(34,), pile=1, reopen=True), Reverse(1, 43), Extend(2, 35), Take(0))
    assert state.is_over and state.face_down[0] == (35,)


def test_reversing_the_last_row_card_before_the_pile_ends_goes_on():
    assert not play_all(build_state(row=(34,), pile=2), Reverse(1, 43)).is_over


# The professional variant


def test_taking_a_single_card_costs_a_penalty_card():
    state = build_state(row=(34,), professional=True)
    assert state.is_penalty_due
    takes = {play.penalty for play in GAME.referee.iter_legal_plays(state) if isinstance(play, Take)}
    assert takes == set(DECK) - {34}
    state = play_all(state, Take(1, 55))
    assert (state.face_down[1], state.pile, state.turn, state.must_open) == ((34, 55), 51, 1, True)
    (count,) = (count for count in GAME.referee.tally(state) if count.seat == 1)
    assert (count.face_down, count.toads) == (2, 1)


def test_penalty_needs_a_single_card_and_a_pile():
    for state in (build_state(row=(34, 35), professional=True), build_state(row=(34,), pile=0, professional=True)):
        assert not state.is_penalty_due
        assert not find_broken_rules(state, Take(1))


def test_penalty_may_take_the_last_card_of_the_pile():
    state = play_all(build_state(row=(34,), pile=1, professional=True), Take(1, 12))
    assert (state.pile, state.is_over, state.must_open, state.turn) == (0, False, True, 1)
    state = play_all(state, Extend(1, 51))
    assert (state.hands[1], state.is_over) == (8, False)
    assert play_all(state, Take(2)).is_over


# Scoring


@pytest.mark.parametrize(
    ("up", "down", "toads", "expected"),
    [(12, 17, 0, -5), (12, 9, 2, -5), (0, 0, 0, 0), (72, 0, 0, 72), (0, 79, 7, -107), (10, 4, 1, 2), (14, 3, 0, 11)],
)
def test_score_is_face_up_minus_face_down_minus_toads(up, down, toads, expected):
    assert score_counts(Count(0, up, down, toads)) == (expected,)


def test_reversal_scores_two():
    state = play_all(build_state(row=ROW), Reverse(1, 94))
    assert score_counts(*GAME.referee.tally(state)) == (0, 2, 0)


def test_cards_in_hand_score_nothing():
    assert score_counts(Count(0, 4, 1, 0, hand=9)) == score_counts(Count(0, 4, 1, 0))


def test_score_sheet_is_by_seat_in_any_order_of_counting():
    sheet = GAME.scoring.score(Options(), (Count(2, 14, 3, 0), Count(0, 12, 17, 0), Count(1, 10, 4, 1)))
    assert sheet.points == (-5, 2, 11)
    assert [line.values for line in sheet.lines] == [(12, 10, 14), (-17, -3, -3), (0, -5, 0)]


def test_round_scores_between_minus_107_and_72():
    scores = [
        score_counts(count)[0]
        for up in range(74)
        for down in range(81)
        for toads in range(9)
        if not list(GAME.pad.check(Options(), 2, (count := Count(0, up, down, toads),)))
    ]
    assert (min(scores), max(scores)) == (-107, 72)


def test_known_hands_limit_the_cards_of_the_others():
    """79 - 64 = 15 are missing; with one hand empty, the other would hold 15 of at most 9."""
    first, second = Count(0, 20, 20, 1, hand=0), Count(1, 12, 12, 1)
    assert check_counts(first, second, seats=2) == {Rule.DEAL: FREE}
    assert check_counts(replace(first, hand=6), second, seats=2) == {}
    assert check_counts(replace(first, hand=5), second, seats=2) == {Rule.DEAL: FREE}


def test_highest_total_wins():
    sheets = (
        GAME.scoring.score(Options(), (Count(0, 10, 0, 0), Count(1, 0, 5, 1))),
        GAME.scoring.score(Options(), (Count(0, 0, 4, 0), Count(1, 8, 0, 0))),
    )
    standing = GAME.scoring.standing(Options(), 2, sheets)
    assert standing.totals == (6, -1)
    assert standing.ranks == (1, 2)
    assert standing.is_over
    assert str(standing.verdict) == "Player 1 wins with 6."


def test_ties_share_the_win():
    sheet = GAME.scoring.score(Options(), (Count(0, 10, 0, 0), Count(1, 10, 0, 0), Count(2, 4, 0, 0)))
    standing = GAME.scoring.standing(Options(rounds=1), 3, (sheet,))
    assert standing.ranks == (1, 1, 3)
    assert str(standing.verdict) == "Player 1, Player 2 share the win with 10."


@pytest.mark.parametrize("rounds", [1, 2, 3, 99])
def test_match_has_as_many_rounds_as_agreed(rounds):
    options = decode(Options, {"rounds": str(rounds)})
    sheet = GAME.scoring.score(options, (Count(0, 0, 0, 0), Count(1, 2, 0, 0)))
    assert GAME.scoring.round_count(options, 2) == rounds
    assert not GAME.scoring.standing(options, 2, (sheet,) * (rounds - 1)).is_over
    assert GAME.scoring.standing(options, 2, (sheet,) * (rounds - 1)).verdict is None
    assert GAME.scoring.standing(options, 2, (sheet,) * rounds).is_over


def test_default_options_are_two_rounds_without_variants():
    assert Options() == Options(dealer=0, professional=False, rounds=2, reopen_after_pile=False)


@pytest.mark.parametrize("rounds", ["0", "100", "-1"])
def test_rounds_must_be_1_to_99(rounds):
    with pytest.raises(Malformed):
        decode(Options, {"rounds": rounds})


def test_each_player_is_a_side():
    assert GAME.scoring.sides(Options(), 4) == ((0,), (1,), (2,), (3,))


# The score pad: (seats, counts, violated rules with whether they bind)

DESIGN_ROUND = (Count(0, 12, 17, 0), Count(1, 10, 4, 1), Count(2, 14, 3, 0))
PAD = [
    ("nothing entered yet is fine", 3, (), {}),
    ("one player of three is fine", 3, (Count(0, 12, 17, 0),), {}),
    ("a whole round is fine", 3, DESIGN_ROUND, {}),
    ("all 72 with a reversal face up are fine", 2, (Count(0, 72, 0, 0),), {}),
    ("all 79 face down are fine", 2, (Count(0, 0, 79, 7), Count(1, 0, 0, 0)), {}),
    ("a full hand in every hand is fine", 2, (Count(0, 30, 20, 0, 9), Count(1, 10, 1, 0, 9)), {}),
    ("the missing cards in unnamed hands are fine", 2, (Count(0, 30, 20, 0), Count(1, 10, 1, 0)), {}),
    ("one named hand that leaves room for the other is fine", 2, (Count(0, 30, 20, 0, 9), Count(1, 10, 5, 0)), {}),
    ("no cards left and empty hands are fine", 2, (Count(0, 36, 3, 3, 0), Count(1, 36, 4, 4, 0)), {}),
    ("seven toads are fine", 3, (Count(0, 2, 4, 4), Count(1, 2, 3, 3)), {}),
    ("an odd number face up can be overruled", 3, (Count(1, 3, 0, 0),), {Rule.REVERSE_PAIR: FREE}),
    ("more toads than face down cannot", 3, (Count(1, 2, 0, 1),), {Rule.SCORE: BOUND}),
    ("as many toads as face down are fine", 3, (Count(1, 2, 7, 7),), {}),
    ("a negative number face down cannot be", 3, (Count(1, 2, -1, -1),), {Rule.SCORE: BOUND}),
    ("a negative number of toads cannot be", 3, (Count(1, 2, 2, -1),), {Rule.SCORE: BOUND}),
    ("a negative hand cannot be", 3, (Count(1, 2, 2, 0, -1),), {Rule.SCORE: BOUND}),
    ("eight toads with one player cannot be", 3, (Count(1, 2, 8, 8),), {Rule.DECK: BOUND}),
    ("eight toads with two players cannot be", 3, (Count(1, 2, 9, 4), Count(2, 2, 9, 4)), {Rule.DECK: BOUND}),
    ("74 face up cannot be", 3, (Count(0, 74, 0, 0),), {Rule.DECK: BOUND}),
    ("74 face up with two players cannot be", 3, (Count(0, 38, 0, 0), Count(1, 36, 0, 0)), {Rule.DECK: BOUND}),
    ("73 that are no toads cannot be", 3, (Count(0, 40, 33, 0),), {Rule.DECK: BOUND}),
    ("72 that are no toads are fine", 3, (Count(0, 40, 32, 0),), {}),
    ("80 cards cannot be", 3, (Count(0, 0, 80, 7),), {Rule.DECK: BOUND}),
    ("a player twice cannot be", 3, (Count(0, 2, 2, 0), Count(0, 2, 2, 0)), {Rule.SCORE: BOUND}),
    ("a fourth player of three cannot be", 3, (Count(3, 2, 2, 0),), {Rule.PLAYERS: BOUND}),
    ("a hand of ten of nine can be overruled", 3, (Count(0, 2, 2, 0, 10),), {Rule.DEAL: FREE}),
    ("a hand of nine of nine is fine", 3, (Count(0, 2, 2, 0, 9),), {}),
    ("a hand of nine of eight can be overruled", 4, (Count(0, 2, 2, 0, 9),), {Rule.DEAL: FREE}),
    (
        "more missing than two hands hold can be overruled",
        2,
        (Count(0, 30, 20, 0), Count(1, 10, 0, 0)),
        {Rule.DEAL: FREE},
    ),
    (
        "more missing than four hands hold can be overruled",
        4,
        (*(Count(seat, 10, 1, 0) for seat in range(3)), Count(3, 10, 3, 0)),
        {Rule.DEAL: FREE},
    ),
    (
        "as many missing as four hands hold are fine",
        4,
        (*(Count(seat, 10, 1, 0) for seat in range(3)), Count(3, 10, 4, 0)),
        {},
    ),
    (
        "hands that do not hold what is missing can be overruled",
        2,
        (Count(0, 30, 20, 0, 9), Count(1, 10, 1, 0, 8)),
        {Rule.DEAL: FREE},
    ),
    (
        "one hand that holds more than is missing can be overruled",
        2,
        (Count(0, 36, 0, 0, 9), Count(1, 34, 5, 5)),
        {Rule.DEAL: FREE},
    ),
]


@pytest.mark.parametrize(("seats", "counts", "rules"), [row[1:] for row in PAD], ids=[row[0] for row in PAD])
def test_pad_rejects_counts_that_the_deck_rules_out(seats, counts, rules):
    assert check_counts(*counts, seats=seats) == rules


def test_malformed_count_is_rejected():
    for words in ({"seat": "0"}, {"seat": "0", "face_up": "2", "face_down": "x", "toads": "0"}):
        with pytest.raises(Malformed):
            decode(Count, words)


# The board


def test_board_marks_the_legal_plays_of_every_card():
    state = build_state(row=(34, 41, 49), face_down=((), (12, 66), ()))
    cards = {int(card.word): card for card in GAME.referee.board(state).cards}
    could = {number: (card.is_legal, card.tags) for number, card in cards.items()}
    assert could[94] == could[43] == (True, ("swap",))
    assert could[55] == (True, ("toad",))
    assert could[51] == (True, ())
    assert could[34] == could[12] == (False, ("laid",))
    assert could[98] == (False, ())
    assert set(cards) == set(DECK)
    assert {number for number, card in cards.items() if "toad" in card.tags} == TOADS


def test_board_counts_the_cards_of_each_player():
    state = build_state(row=ROW, face_down=DOWN, face_up=PAIRS)
    places = GAME.referee.board(state).places
    assert [(place.face_up, place.face_down) for place in places] == [(2, 0), (0, 2), (0, 0)]
    assert [place.is_turn for place in places] == [False, True, False]


def test_board_tells_when_a_row_must_be_opened_or_taken():
    opening, growing = GAME.referee.board(build_state(must_open=True)), GAME.referee.board(build_state(row=ROW))
    assert (opening.can_take, opening.right_end, str(opening.status[0])) == (False, None, "opens a new row")
    assert (growing.can_take, growing.must_take) == (True, False)


def test_play_out_of_turn_passes_the_turn_on_from_there():
    state = GAME.referee.apply(build_state(row=ROW), Extend(0, 51))
    assert state.turn == 1
    state = GAME.referee.apply(build_state(row=ROW), Take(2))
    assert (state.turn, state.must_open) == (2, True)
    assert not GAME.referee.is_legal(state, Extend(1, 35))
