"""Rules, examples, settled questions, options and pad checks of The Game."""

import itertools
from dataclasses import replace

import pytest

from companion.core.match import Action, Match
from companion.core.notation import build_options
from companion.core.schema import Malformed, decode, encode
from companion.games import get_games
from companion.games.the_game.board import FIRE_CARD
from companion.games.the_game.deck import DECK, FIRE
from companion.games.the_game.plays import Count, EndTurn, Expert, Options, PlaceCard, Row, Stuck
from companion.games.the_game.rules import Rule
from companion.games.the_game.state import Ending, is_trick

GAME = get_games()["the-game"]
UP, UP_2, DOWN, DOWN_2 = Row.UP_1, Row.UP_2, Row.DOWN_1, Row.DOWN_2


def build_state(seats=3, *, up=(), up_2=(), down=(), down_2=(), **changes):
    """Return a game before the first card, unless `changes` say otherwise; they may include options."""
    options = {name: changes.pop(name) for name in ("expert", "on_fire", "minimum_after_pile") if name in changes}
    return replace(GAME.referee.setup(Options(**options), seats, 0), rows=(up, up_2, down, down_2), **changes)


def find_broken_rules(state, play):
    return {violation.rule for violation in GAME.referee.judge(state, play)}


def play_all(state, *plays):
    """Return the state after legal plays."""
    for play in plays:
        assert not find_broken_rules(state, play), play
        state = GAME.referee.apply(state, play)
    return state


def check_counts(count, seats=3, **options):
    return {violation.rule: violation.binding for violation in GAME.pad.check(Options(**options), seats, (count,))}


BOUND, FREE = True, False
START = build_state(up=(11, 47), down=(87, 65), turn=1)
OVER = build_state(up=(11,), turn=1, ending=Ending.STUCK)
AFTER_PILE = build_state(up=(11,), pile=0, hands=(4, 4, 4), turn=1)

# Hooks for the tests of every game


def cards(state):
    return list(itertools.chain(*state.rows)), state.pile + sum(state.hands), 98


def marks(state, board):
    seats = [state.turn] if state.turn is not None else range(state.seats)
    for card, row in itertools.product(board.cards, Row):
        yield (
            row in dict(card.details).get("rows", "").split(),
            [PlaceCard(seat, int(card.word), row) for seat in seats],
        )


MISPLAYS = [
    ("a seat that does not exist lays a card", build_state(), PlaceCard(3, 34, UP), Rule.PLAYERS, BOUND),
    ("a seat below the first ends its turn", build_state(), EndTurn(-1), Rule.PLAYERS, BOUND),
    ("a seat that does not exist is stuck", START, Stuck(5), Rule.PLAYERS, BOUND),
    ("another number of hands than of players is counted", None, Count(hands=(1, 2), pile=0), Rule.PLAYERS, BOUND),
    ("1 is laid", build_state(), PlaceCard(0, 1, UP), Rule.DECK, BOUND),
    ("100 is laid", build_state(), PlaceCard(0, 100, DOWN), Rule.DECK, BOUND),
    ("a card on top of a row is laid again", START, PlaceCard(1, 47, UP_2), Rule.DECK, BOUND),
    ("a card inside a row is laid again", START, PlaceCard(1, 87, UP_2), Rule.DECK, BOUND),
    ("more than 98 cards are counted", None, Count(left=99), Rule.DECK, BOUND),
    ("fewer than no cards are counted", None, Count(left=-1), Rule.DECK, BOUND),
    (
        "somebody without a card lays one",
        build_state(up=(11,), hands=(4, 0, 4), turn=1),
        PlaceCard(1, 34, UP),
        Rule.DEAL,
        FREE,
    ),
    ("a hand above the hand size is counted", None, Count(hands=(7, 6, 6), pile=20), Rule.DEAL, FREE),
    ("somebody lays out of turn", START, PlaceCard(0, 50, UP), Rule.TURN, FREE),
    ("somebody ends a turn that is not theirs", replace(START, laid=2), EndTurn(2), Rule.TURN, FREE),
    ("somebody is stuck out of turn", START, Stuck(0), Rule.TURN, FREE),
    ("a turn ends with one card laid", replace(START, laid=1), EndTurn(1), Rule.MINIMUM, FREE),
    ("a turn ends with no card laid", START, EndTurn(1), Rule.MINIMUM, FREE),
    ("the first turn ends before a card is laid", build_state(), EndTurn(0), Rule.MINIMUM, FREE),
    ("a lower card is laid on an ascending row", START, PlaceCard(1, 46, UP), Rule.ASCENDING, FREE),
    ("a card nine below is laid on an ascending row", START, PlaceCard(1, 38, UP), Rule.ASCENDING, FREE),
    ("a card eleven below is laid on an ascending row", START, PlaceCard(1, 36, UP), Rule.ASCENDING, FREE),
    ("a card twenty below is laid on an ascending row", START, PlaceCard(1, 27, UP), Rule.ASCENDING, FREE),
    ("a higher card is laid on a descending row", START, PlaceCard(1, 66, DOWN), Rule.DESCENDING, FREE),
    ("a card nine above is laid on a descending row", START, PlaceCard(1, 74, DOWN), Rule.DESCENDING, FREE),
    ("a card eleven above is laid on a descending row", START, PlaceCard(1, 76, DOWN), Rule.DESCENDING, FREE),
    ("two hands are short while the pile lasts", None, Count(hands=(5, 5, 6), pile=20), Rule.DRAW, FREE),
    ("a turn after the pile ends with no card laid", AFTER_PILE, EndTurn(1), Rule.MINIMUM_AFTER_PILE, FREE),
    ("somebody lays after the end", OVER, PlaceCard(1, 34, UP), Rule.GAME_END, BOUND),
    ("somebody ends a turn after the end", OVER, EndTurn(1), Rule.GAME_END, BOUND),
    ("somebody is stuck after the end", OVER, Stuck(1), Rule.GAME_END, BOUND),
    ("somebody is stuck on empty rows", build_state(), Stuck(0), Rule.GAME_END, FREE),
    ("somebody is stuck who has laid enough", replace(START, laid=2), Stuck(1), Rule.GAME_END, FREE),
    ("a game ends before a turn is played", None, Count(left=97), Rule.GAME_END, FREE),
]
PLAY_MISPLAYS = [row for row in MISPLAYS if row[1] is not None]


@pytest.mark.parametrize(
    ("state", "entry", "rule", "is_binding"), [row[1:] for row in MISPLAYS], ids=[row[0] for row in MISPLAYS]
)
def test_misplay_names_its_rule_and_whether_it_is_binding(state, entry, rule, is_binding):
    judged = GAME.pad.check(Options(), 3, (entry,)) if state is None else GAME.referee.judge(state, entry)
    violations = {violation.rule: violation for violation in judged}
    assert rule in violations
    assert violations[rule].binding is is_binding
    assert "{" not in str(violations[rule].message)


@pytest.mark.parametrize(("state", "play"), [row[1:3] for row in PLAY_MISPLAYS], ids=[row[0] for row in PLAY_MISPLAYS])
def test_misplay_is_never_a_legal_play(state, play):
    assert play not in list(GAME.referee.iter_legal_plays(state))


@pytest.mark.parametrize(
    ("state", "play"),
    [row[1:3] for row in PLAY_MISPLAYS if not row[4]],
    ids=[row[0] for row in PLAY_MISPLAYS if not row[4]],
)
def test_insisting_applies_the_play(state, play):
    after = GAME.referee.apply(state, play)
    assert after != state
    assert GAME.referee.board(after).turn in (0, 1, 2, None)


def test_every_rule_has_a_misplay():
    assert {row[3] for row in MISPLAYS} == set(Rule)


def test_second_game_violates_the_end_rule():
    match = Match(GAME, Options(), 3).record(Action(1, 1, "count", {"left": "9"}))
    assert match.standing.is_over
    for action in (
        Action(2, 2, "count", {"left": "9"}),
        Action(2, 2, "place", {"seat": "0", "card": "34", "row": "up-1"}),
    ):
        (violation,) = match.judge(action).violations
        assert (violation.rule, violation.binding) == (Rule.GAME_END, False)


# The deck and the deal


def test_deck_has_98_cards_and_six_fire_cards():
    assert (len(DECK), min(DECK), max(DECK)) == (98, 2, 99)
    assert sorted(FIRE) == [22, 33, 44, 55, 66, 77]
    assert set(DECK) >= FIRE


@pytest.mark.parametrize(
    ("expert", "seats", "hand", "pile"),
    [
        *(("no", *row) for row in [(1, 8, 90), (2, 7, 84), (3, 6, 80), (4, 6, 74), (5, 6, 68)]),
        *(("three", *row) for row in [(1, 8, 90), (2, 7, 84), (3, 6, 80), (4, 6, 74), (5, 6, 68)]),
        *(("three-and-fewer", *row) for row in [(1, 7, 91), (2, 6, 86), (3, 5, 83), (4, 5, 78), (5, 5, 73)]),
    ],
)
def test_hand_depends_on_the_number_of_players(expert, seats, hand, pile):
    state = GAME.referee.setup(decode(Options, {"expert": expert}), seats, 0)
    assert (state.hands, state.pile) == ((hand,) * seats, pile)
    assert pile + seats * hand == 98
    assert [state.top(row) for row in Row] == [1, 1, 100, 100]


@pytest.mark.parametrize("seats", [0, 6])
def test_player_count_must_be_one_to_five(seats):
    with pytest.raises(Malformed):
        build_options(GAME, seats, {})


def test_anybody_may_begin():
    state = build_state()
    assert state.turn is None
    assert {play.seat for play in GAME.referee.iter_legal_plays(state)} == {0, 1, 2}
    state = play_all(state, PlaceCard(2, 34, UP))
    assert state.turn == 2
    assert {play.seat for play in GAME.referee.iter_legal_plays(state)} == {2}


def test_game_cannot_begin_with_an_ended_turn_or_being_stuck():
    assert {type(play) for play in GAME.referee.iter_legal_plays(build_state())} == {PlaceCard}


# Rows


def test_any_card_starts_any_row():
    assert sum(1 for _ in GAME.referee.iter_legal_plays(build_state(seats=1))) == 4 * 98


@pytest.mark.parametrize(
    ("row", "cards"),
    [
        (UP, (3, 11, 12, 13, 18, 20, 34, 35, 51)),
        (UP, (2, 7, 19, 25, 28, 29, 49)),
        (UP_2, (4, 8, 13)),
        (DOWN, (94, 90, 78, 61, 60, 57)),
        (DOWN_2, (98, 97, 88, 83, 81)),
    ],
)
def test_rows_of_the_leaflet_are_legal(row, cards):
    state = play_all(build_state(seats=1, hands=(20,), pile=78), *(PlaceCard(0, card, row) for card in cards))
    assert state.rows[list(Row).index(row)] == cards
    assert state.top(row) == cards[-1]


@pytest.mark.parametrize(
    ("card", "is_fine"), [(37, True), (36, False), (46, False), (48, True), (99, True), (38, False)]
)
def test_ascending_row_takes_cards_above_47_or_ten_below(card, is_fine):
    for row, rows in ((UP, {"up": (47,)}), (UP_2, {"up_2": (47,)})):
        assert find_broken_rules(build_state(**rows), PlaceCard(0, card, row)) == (
            set() if is_fine else {Rule.ASCENDING}
        )


@pytest.mark.parametrize(
    ("card", "is_fine"), [(75, True), (76, False), (66, False), (64, True), (2, True), (74, False)]
)
def test_descending_row_takes_cards_below_65_or_ten_above(card, is_fine):
    for row, rows in ((DOWN, {"down": (65,)}), (DOWN_2, {"down_2": (65,)})):
        assert find_broken_rules(build_state(**rows), PlaceCard(0, card, row)) == (
            set() if is_fine else {Rule.DESCENDING}
        )


def test_97_goes_back_onto_87():
    assert not find_broken_rules(build_state(down=(87,)), PlaceCard(0, 97, DOWN))


@pytest.mark.parametrize("top", DECK)
def test_every_step_on_every_row_follows_the_rule(top):
    up, down = build_state(up=(top,)), build_state(down=(top,))
    for card in set(DECK) - {top}:
        assert bool(find_broken_rules(up, PlaceCard(0, card, UP))) is not (card > top or card == top - 10)
        assert bool(find_broken_rules(down, PlaceCard(0, card, DOWN))) is not (card < top or card == top + 10)


def test_empty_row_allows_no_backwards_trick():
    assert not any(is_trick(row, build_state().top(row), card) for row in Row for card in DECK)


def test_turn_of_four_cards_on_three_rows_draws_four():
    state = play_all(
        build_state(), PlaceCard(0, 5, UP), PlaceCard(0, 9, UP_2), PlaceCard(0, 12, UP_2), PlaceCard(0, 91, DOWN)
    )
    assert (state.laid, state.hands, GAME.referee.board(state).draws) == (4, (2, 6, 6), 4)
    state = play_all(state, EndTurn(0))
    assert (state.hands, state.pile, state.turn, state.laid) == ((6, 6, 6), 76, 1, 0)


def test_turn_may_mix_tricks_and_ordinary_cards():
    state = build_state(up=(20,), turn=0)
    for card, trick in ((35, False), (25, True), (28, False), (40, False), (30, True), (31, False)):
        assert is_trick(UP, state.top(UP), card) is trick
        state = play_all(state, PlaceCard(0, card, UP))
    assert (state.laid, state.hands[0]) == (6, 0)
    assert play_all(state, EndTurn(0)).hands == (6, 6, 6)


def test_turn_can_use_the_whole_hand_but_no_more():
    state = play_all(build_state(), *(PlaceCard(0, card, UP) for card in (2, 3, 4, 5, 6, 7)))
    assert {type(play) for play in GAME.referee.iter_legal_plays(state)} == {EndTurn}


# Turns and the minimum


@pytest.mark.parametrize(("expert", "minimum"), [("no", 2), ("three", 3), ("three-and-fewer", 3)])
def test_turn_needs_two_cards_or_three_for_experts(expert, minimum):
    state = build_state(expert=Expert(expert))
    for card in range(2, 2 + minimum):
        assert find_broken_rules(state, EndTurn(0)) == {Rule.MINIMUM}
        state = play_all(state, PlaceCard(0, card, UP))
    assert state.minimum == minimum
    assert not find_broken_rules(state, EndTurn(0))


@pytest.mark.parametrize(
    ("expert", "after_pile", "minimum"),
    [
        ("no", 1, 1),
        ("no", 3, 1),
        ("three", 1, 1),
        ("three", 3, 3),
        ("three-and-fewer", 1, 1),
        ("three-and-fewer", 3, 3),
    ],
)
def test_minimum_after_the_pile_is_one_unless_three_is_chosen(expert, after_pile, minimum):
    state = build_state(up=(2,), pile=0, hands=(5, 5, 5), turn=0, expert=Expert(expert), minimum_after_pile=after_pile)
    assert state.minimum == minimum
    for card in range(3, 3 + minimum):
        assert find_broken_rules(state, EndTurn(0)) == {Rule.MINIMUM_AFTER_PILE}
        state = play_all(state, PlaceCard(0, card, UP))
    assert not find_broken_rules(state, EndTurn(0))


@pytest.mark.parametrize(("held", "minimum"), [(1, 1), (2, 2), (3, 3), (4, 3)])
def test_minimum_never_exceeds_the_hand_at_the_start_of_a_turn(held, minimum):
    state = build_state(up=(2,), pile=0, hands=(held, 5, 5), turn=0, expert=Expert.THREE, minimum_after_pile=3)
    for card in range(3, 3 + minimum):
        assert state.minimum == minimum
        assert not GAME.referee.is_legal(state, EndTurn(0))
        assert GAME.referee.is_legal(state, Stuck(0))
        state = play_all(state, PlaceCard(0, card, UP))
    assert state.minimum == minimum
    assert GAME.referee.is_legal(state, EndTurn(0))
    assert not GAME.referee.is_legal(state, Stuck(0))


def test_minimum_falls_only_when_the_pile_is_exhausted():
    assert build_state(up=(2,), pile=1, turn=0).minimum == 2
    assert build_state(up=(2,), pile=0, turn=0).minimum == 1


def test_draw_is_limited_by_the_pile():
    state = play_all(build_state(pile=2, hands=(6, 6, 6)), *(PlaceCard(0, card, UP) for card in (2, 3, 4)))
    assert GAME.referee.board(state).draws == 2
    state = play_all(state, EndTurn(0))
    assert (state.hands, state.pile) == ((5, 6, 6), 0)


@pytest.mark.parametrize("seats", GAME.about.seats)
def test_turn_goes_round_from_whoever_began(seats):
    for beginner in range(seats):
        state = GAME.referee.setup(Options(), seats, 0)
        turns, card = [], 2
        for step in range(2 * seats):
            seat = (beginner + step) % seats
            state = play_all(state, PlaceCard(seat, card, UP), PlaceCard(seat, card + 1, UP))
            turns.append(state.turn)
            state = play_all(state, EndTurn(seat))
            card += 2
        assert turns == [(beginner + step) % seats for step in range(2 * seats)]


def test_player_without_cards_is_skipped():
    state = play_all(build_state(up=(2,), pile=0, hands=(3, 0, 2), turn=0), PlaceCard(0, 3, UP), EndTurn(0))
    assert state.turn == 2
    state = play_all(build_state(seats=4, up=(2,), pile=0, hands=(3, 0, 0, 0), turn=0), PlaceCard(0, 3, UP), EndTurn(0))
    assert state.turn == 0


# The end


def test_stuck_player_ends_the_game():
    state = play_all(START, PlaceCard(1, 50, UP), Stuck(1))
    assert (state.ending, state.top(UP)) == (Ending.STUCK, 50)
    assert state.is_over
    assert GAME.referee.board(state).turn is None
    assert GAME.referee.tally(state) == (Count(hands=(6, 5, 6), pile=80),)
    assert list(GAME.referee.iter_legal_plays(state)) == []


def play_game(seats, options=None, last=99):
    """Play the cards up to `last` in order on one row, as many per turn as the hand holds."""
    state = GAME.referee.setup(options or Options(), seats, 0)
    card = 2
    while card <= last:
        seat = state.turn or 0
        state = play_all(state, PlaceCard(seat, card, UP))
        card += 1
        if card <= last and state.hands[seat] == 0:
            state = play_all(state, EndTurn(seat))
    return state


@pytest.mark.parametrize("seats", GAME.about.seats)
def test_98th_card_wins(seats):
    state = play_game(seats)
    assert state.ending is Ending.WON
    assert (sum(state.hands), state.pile) == (0, 0)
    sheet = GAME.scoring.score(Options(), GAME.referee.tally(state))
    assert sheet.points == (0,)
    assert str(sheet.verdict) == "All 98 cards are laid: The Game is beaten!"
    assert not list(GAME.pad.check(Options(), seats, GAME.referee.tally(state)))


def test_97th_card_does_not_win():
    assert play_game(3, last=98).ending is None


@pytest.mark.parametrize(
    ("left", "verdict"),
    [
        (0, "All 98 cards are laid: The Game is beaten!"),
        (1, "Excellent: only 1 card left."),
        (9, "Excellent: only 9 cards left."),
        (10, "10 cards left."),
        (96, "96 cards left."),
    ],
)
def test_no_card_left_wins_and_under_ten_is_excellent(left, verdict):
    sheet = GAME.scoring.score(Options(), (Count(left=left),))
    assert (sheet.points, str(sheet.verdict)) == ((left,), verdict)


def test_score_adds_hands_and_pile():
    sheet = GAME.scoring.score(Options(), (Count(hands=(6, 5, 6), pile=20),))
    assert sheet.points == (37,)
    assert [line.values for line in sheet.lines] == [(17,), (20,)]


def test_table_is_one_side_without_ranks():
    assert GAME.scoring.sides(Options(), 4) == ((0, 1, 2, 3),)
    assert GAME.scoring.round_count(Options(), 4) == 1
    sheet = GAME.scoring.score(Options(), (Count(left=9),))
    standing = GAME.scoring.standing(Options(), 4, (sheet,))
    assert (standing.totals, standing.ranks, standing.is_over) == ((9,), (), True)
    assert str(standing.verdict) == "Excellent: only 9 cards left."
    nothing = GAME.scoring.standing(Options(), 4, ())
    assert (nothing.is_over, nothing.verdict) == (False, None)


# On Fire


def build_burning_state(**changes):
    """Return a game in which player 1 has laid 22 and another card, and player 2 must cover 22."""
    state = build_state(on_fire=True, **changes)
    return play_all(state, PlaceCard(0, 5, UP_2), PlaceCard(0, 22, UP), EndTurn(0))


def test_fire_card_is_due_in_the_next_turn():
    state = build_burning_state()
    assert (state.burning, state.due) == ((22,), frozenset({22}))
    assert GAME.referee.board(state).due == (22,)
    assert [row.is_due for row in GAME.referee.board(state).rows] == [True, False, False, False]


def test_covered_fire_card_is_out():
    state = play_all(build_burning_state(), PlaceCard(1, 30, UP), PlaceCard(1, 90, DOWN), EndTurn(1))
    assert (state.ending, state.due, state.turn) == (None, frozenset(), 2)


def test_backwards_trick_covers_a_fire_card():
    state = play_all(build_burning_state(), PlaceCard(1, 12, UP), PlaceCard(1, 90, DOWN), EndTurn(1))
    assert (state.ending, state.due) == (None, frozenset())


def test_uncovered_fire_card_loses_the_game():
    state = play_all(build_burning_state(), PlaceCard(1, 90, DOWN), PlaceCard(1, 80, DOWN), EndTurn(1))
    assert state.ending is Ending.BURNT
    (count,) = GAME.referee.tally(state)
    assert count.burnt
    assert count.hands == (6, 6, 6)
    assert not list(GAME.pad.check(state.options, 3, (count,)))
    assert str(GAME.scoring.score(state.options, (count,)).verdict) == "The fire wins: 94 cards left."


def test_uncovered_fire_loses_only_when_the_turn_ends():
    state = play_all(build_burning_state(), PlaceCard(1, 90, DOWN), PlaceCard(1, 80, DOWN))
    assert state.ending is None
    assert play_all(state, PlaceCard(1, 23, UP), EndTurn(1)).ending is None


def test_fire_card_can_be_covered_in_the_same_turn():
    state = play_all(build_state(on_fire=True), PlaceCard(0, 22, UP), PlaceCard(0, 30, UP), EndTurn(0))
    assert (state.burning, state.due) == ((), frozenset())


def test_fire_card_that_covers_another_is_due_next():
    state = play_all(build_burning_state(), PlaceCard(1, 33, UP), PlaceCard(1, 90, DOWN), EndTurn(1))
    assert (state.ending, state.due, state.turn) == (None, frozenset({33}), 2)
    assert play_all(state, PlaceCard(2, 80, DOWN), PlaceCard(2, 70, DOWN), EndTurn(2)).ending is Ending.BURNT
    assert play_all(state, PlaceCard(2, 34, UP), PlaceCard(2, 70, DOWN), EndTurn(2)).ending is None


def test_two_fires_must_both_be_covered():
    state = play_all(build_state(on_fire=True), PlaceCard(0, 22, UP), PlaceCard(0, 77, DOWN), EndTurn(0))
    assert state.due == frozenset({22, 77})
    assert play_all(state, PlaceCard(1, 23, UP), PlaceCard(1, 24, UP), EndTurn(1)).ending is Ending.BURNT
    assert play_all(state, PlaceCard(1, 23, UP), PlaceCard(1, 76, DOWN), EndTurn(1)).ending is None


def test_solo_fire_card_is_due_in_the_next_turn():
    state = play_all(build_state(seats=1, on_fire=True), PlaceCard(0, 22, UP), PlaceCard(0, 90, DOWN), EndTurn(0))
    assert (state.ending, state.due, state.turn) == (None, frozenset({22}), 0)
    assert play_all(state, PlaceCard(0, 80, DOWN), PlaceCard(0, 70, DOWN), EndTurn(0)).ending is Ending.BURNT
    assert play_all(state, PlaceCard(0, 80, DOWN), PlaceCard(0, 30, UP), EndTurn(0)).ending is None


def test_next_player_with_cards_must_cover_the_fire():
    state = build_state(on_fire=True, up=(2,), pile=0, hands=(3, 0, 2), turn=0)
    state = play_all(state, PlaceCard(0, 22, UP), EndTurn(0))
    assert (state.turn, state.due, state.ending) == (2, frozenset({22}), None)
    assert play_all(state, PlaceCard(2, 90, DOWN), EndTurn(2)).ending is Ending.BURNT


def test_last_player_with_cards_covers_their_own_fire():
    state = build_state(on_fire=True, up=(2,), pile=0, hands=(3, 0, 0), turn=0)
    state = play_all(state, PlaceCard(0, 22, UP), EndTurn(0))
    assert (state.turn, state.due, state.ending) == (0, frozenset({22}), None)
    assert play_all(state, PlaceCard(0, 23, UP), EndTurn(0)).ending is None


def test_98th_card_wins_despite_fire():
    others = tuple(card for card in DECK if card not in (22, 55))
    state = build_state(seats=1, on_fire=True, up=(22,), up_2=others, pile=0, hands=(1,), turn=0, due=frozenset({22}))
    state = play_all(state, PlaceCard(0, 55, DOWN))
    assert state.ending is Ending.WON
    sheet = GAME.scoring.score(state.options, GAME.referee.tally(state))
    assert str(sheet.verdict) == "All 98 cards are laid: The Game is beaten!"


def test_being_stuck_over_a_fire_counts_as_stuck():
    state = play_all(build_burning_state(), Stuck(1))
    assert state.ending is Ending.STUCK
    assert not GAME.referee.tally(state)[0].burnt


def test_nothing_burns_without_on_fire():
    state = play_all(build_state(), PlaceCard(0, 22, UP), PlaceCard(0, 77, DOWN), EndTurn(0))
    assert (state.burning, state.due) == ((), frozenset())
    assert not any("fire" in card.tags or FIRE_CARD in card.notes for card in GAME.referee.board(state).cards)


# Insisting


def test_card_out_of_turn_ends_the_turn_before():
    state = GAME.referee.apply(replace(START, laid=2, hands=(6, 4, 6)), PlaceCard(0, 50, UP))
    assert (state.turn, state.laid, state.hands, state.pile) == (0, 1, (5, 6, 6), 78)


def test_turn_ended_out_of_turn_keeps_hands_separate():
    state = GAME.referee.apply(play_all(build_state(), PlaceCard(0, 50, UP), PlaceCard(0, 51, UP)), EndTurn(1))
    assert state.hands == (6, 6, 6)
    assert state.turn == 2


def test_card_out_of_turn_while_a_fire_is_due_loses():
    assert GAME.referee.apply(build_burning_state(), PlaceCard(2, 90, DOWN)).ending is Ending.BURNT


def test_insisted_step_stays_where_it_was_laid():
    state = GAME.referee.apply(START, PlaceCard(1, 36, UP))
    assert state.top(UP) == 36
    assert not find_broken_rules(state, PlaceCard(1, 37, UP))


def test_turn_ended_too_early_draws_as_many_as_laid():
    state = GAME.referee.apply(replace(START, laid=1, hands=(6, 5, 6)), EndTurn(1))
    assert (state.hands, state.turn) == ((6, 6, 6), 2)


# The score pad: (seats, options, count, violated rules with whether they bind)

PAD = [
    ("nothing left is fine", 3, {}, Count(left=0), {}),
    ("a middling result is fine", 3, {}, Count(left=34), {}),
    ("one turn by one player is fine", 3, {}, Count(left=95), {}),
    ("all 98 left can be overruled", 3, {}, Count(left=98), {Rule.GAME_END: FREE}),
    ("97 left can be overruled", 3, {}, Count(left=97), {Rule.GAME_END: FREE}),
    ("99 left cannot be", 3, {}, Count(left=99), {Rule.DECK: BOUND}),
    ("one less than none cannot be", 3, {}, Count(left=-1), {Rule.DECK: BOUND}),
    ("a negative pile cannot be", 3, {}, Count(hands=(6, 6, 6), pile=-1), {Rule.DECK: BOUND}),
    ("a negative hand cannot be", 3, {}, Count(hands=(6, -1, 6), pile=0), {Rule.DECK: BOUND}),
    ("full hands and a pile are fine", 3, {}, Count(hands=(6, 6, 6), pile=20), {}),
    ("the stuck player one short is fine", 3, {}, Count(hands=(6, 5, 6), pile=20), {}),
    ("the stuck player two short can be overruled", 3, {}, Count(hands=(6, 4, 6), pile=20), {Rule.DRAW: FREE}),
    ("the stuck expert two short is fine", 3, {"expert": Expert.THREE}, Count(hands=(6, 4, 6), pile=20), {}),
    (
        "the stuck expert three short can be overruled",
        3,
        {"expert": Expert.THREE},
        Count(hands=(6, 3, 6), pile=20),
        {Rule.DRAW: FREE},
    ),
    ("two short hands can be overruled", 3, {}, Count(hands=(5, 5, 6), pile=20), {Rule.DRAW: FREE}),
    ("any hands are fine once the pile is exhausted", 3, {}, Count(hands=(0, 3, 6), pile=0), {}),
    ("a hand above the hand size can be overruled", 3, {}, Count(hands=(7, 6, 6), pile=20), {Rule.DEAL: FREE}),
    (
        "a full hand for the smaller hand is too much",
        3,
        {"expert": Expert.THREE_AND_FEWER},
        Count(hands=(6, 5, 5), pile=20),
        {Rule.DEAL: FREE},
    ),
    ("eight cards alone are fine", 1, {}, Count(hands=(8,), pile=20), {}),
    ("nine cards alone can be overruled", 1, {}, Count(hands=(9,), pile=20), {Rule.DEAL: FREE}),
    ("two hands at a table of three cannot be", 3, {}, Count(hands=(6, 6), pile=20), {Rule.PLAYERS: BOUND}),
    ("four hands at a table of three cannot be", 3, {}, Count(hands=(6, 6, 6, 6), pile=20), {Rule.PLAYERS: BOUND}),
    ("99 in hands and pile cannot be", 3, {}, Count(hands=(6, 6, 6), pile=81), {Rule.DECK: BOUND}),
    ("a burnt table is fine", 3, {"on_fire": True}, Count(hands=(6, 6, 6), pile=20, burnt=True), {}),
    (
        "the fire wins only while cards are left",
        3,
        {"on_fire": True},
        Count(left=0, burnt=True),
        {Rule.GAME_END: BOUND},
    ),
    ("nothing burns where On Fire is not played", 3, {}, Count(left=20, burnt=True), {Rule.GAME_END: BOUND}),
]


@pytest.mark.parametrize(("seats", "options", "count", "rules"), [row[1:] for row in PAD], ids=[row[0] for row in PAD])
def test_pad_rejects_counts_that_the_deck_rules_out(seats, options, count, rules):
    assert check_counts(count, seats, **options) == rules


@pytest.mark.parametrize(("count", "laid"), [(Count(left=9), 89), (Count(hands=(6, 6, 6), pile=20), 60)])
def test_progress_is_the_number_of_cards_laid(count, laid):
    assert str(GAME.pad.progress((count,))) == f"{laid} of 98 cards laid"


def test_log_tells_when_the_fire_has_won():
    assert str(GAME.help.describe(Options(), Count(left=1, burnt=True))) == "The fire has won with 1 card left"
    assert str(GAME.help.describe(Options(), Count(left=12))) == "12 cards left"


def test_game_is_counted_once():
    match = Match(GAME, Options(), 3).record(Action(1, 1, "count", {"left": "9"}))
    step = match.judge(Action(2, 1, "count", {"left": "8"}))
    assert [(violation.rule, violation.binding) for violation in step.violations] == [(Rule.GAME_END, True)]


@pytest.mark.parametrize(
    "words",
    [
        {},
        {"left": "9", "pile": "3"},
        {"left": "9", "hands": "1,2,3", "pile": "3"},
        {"hands": "1,2,3"},
        {"pile": "3"},
        {"left": "9", "hands": "1,2,3"},
        {"burnt": "yes"},
    ],
)
def test_count_is_one_number_or_hands_and_pile(words):
    with pytest.raises(Malformed):
        decode(Count, words)


@pytest.mark.parametrize("words", [{"left": "9"}, {"hands": "1,2,3", "pile": "0"}, {"left": "0", "burnt": "yes"}])
def test_both_kinds_of_count_survive_a_round_trip(words):
    assert encode(decode(Count, words)) == words


@pytest.mark.parametrize(("value", "is_known"), [("1", True), ("3", True), ("2", False), ("0", False), ("4", False)])
def test_minimum_after_the_pile_is_one_or_three(value, is_known):
    if is_known:
        assert decode(Options, {"minimum_after_pile": value}).minimum_after_pile == int(value)
    else:
        with pytest.raises(Malformed):
            decode(Options, {"minimum_after_pile": value})


def test_rejected_choice_lists_the_valid_ones():
    with pytest.raises(Malformed) as refused:
        decode(Options, {"minimum_after_pile": "2"})
    assert "between" not in str(refused.value)
    assert "1" in str(refused.value) and "3" in str(refused.value)


# The board


def test_board_marks_rows_that_take_a_card_and_tricks():
    cards = {int(card.word): card for card in GAME.referee.board(START).cards}
    assert dict(cards[37].details) == {"rows": "up-1 up-2 down-1 down-2", "trick": "up-1"}
    assert dict(cards[75].details) == {"rows": "up-1 up-2 down-1 down-2", "trick": "down-1"}
    assert dict(cards[46].details) == {"rows": "up-2 down-1 down-2"}
    assert "laid" in cards[47].tags and not cards[47].details
    assert len(cards) == 98


def test_board_counts_pile_turn_and_cards_laid():
    board = GAME.referee.board(play_all(START, PlaceCard(1, 50, UP)))
    assert (board.turn, board.draws, board.can_end) == (1, 1, False)
    assert GAME.referee.board(play_all(START, PlaceCard(1, 50, UP), PlaceCard(1, 51, UP))).can_end
    assert [(row.id, row.top, row.cards) for row in board.rows] == [
        ("up-1", 50, 3),
        ("up-2", 1, 0),
        ("down-1", 65, 2),
        ("down-2", 100, 0),
    ]
