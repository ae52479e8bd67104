"""Rules, examples, settled questions, options and pad checks of Beavers and Mice."""

import random
from collections import Counter
from dataclasses import fields, replace
from itertools import combinations_with_replacement

import pytest

from companion.core.completion import Ambiguity, NoLegalPlay, complete_play
from companion.core.match import Action, Match
from companion.core.notation import build_options
from companion.core.schema import Incomplete, Malformed, decode, encode
from companion.games import get_games
from companion.games.beavers_and_mice.deck import NUMBERS, SPECIALS, Deck, Face, Revealed
from companion.games.beavers_and_mice.plays import (
    Count,
    Discard,
    Exchange,
    Knock,
    Options,
    Peek,
    Reshuffle,
    Reveal,
    Slot,
    Swap,
    Take,
    TurnUp,
    TwoChances,
)
from companion.games.beavers_and_mice.rules import Rule
from companion.games.beavers_and_mice.state import State
from tests.scale import choose_count

GAME = get_games()["beavers-and-mice"]
ONE, TWO, THREE, FOUR = Slot
N = tuple(NUMBERS)
EXCHANGE, PEEK, TWO_CHANCES = SPECIALS
BOUND, FREE = True, False
LATIN = ("Monty", "Ann", "Stambler", "Biberbande", "AMIGO")
"""Names left in Latin letters in the Greek rulebook."""


def cards(state: State):
    """Return discards, Two Chances in play and open rows; copies of a face are numbered."""
    visible = [*state.discards, *[TWO_CHANCES] * state.held]
    visible += [face for row in state.revealed for card in row or () for face in card.faces]
    times = Counter(visible)
    assert all(n <= state.options.deck.cards[face] for face, n in times.items())
    hidden = state.pile + 4 * sum(row is None for row in state.revealed)
    return [(face, index) for face, n in times.items() for index in range(n)], hidden, state.options.deck.size


def marks(state: State, board):
    """Yield marks of the faces, of taking each face, of the specials and of the knock."""
    if state.is_over or board.is_revealing:
        return
    make = {"turn-up": TurnUp, "discard": Discard, "reshuffle": Reshuffle}[board.ways[0].kind]
    for card in (card for _label, row in board.cards for card in row):
        yield card.is_legal, [make(board.turn, Face(card.word))]
        if not board.is_dealing:
            yield board.take.is_legal and state.unseen[Face(card.word)] > 0, [Take(board.turn, ONE, Face(card.word))]
    played = [
        [Exchange(board.turn, ONE, (board.turn + 1) % state.seats, TWO)],
        [Peek(board.turn, slot) for slot in Slot],
        [TwoChances(board.turn)],
    ]
    yield from ((special.is_legal, plays) for special, plays in zip(board.specials, played, strict=True))
    yield board.can_knock, [Knock(board.acted if board.acted is not None else board.turn)]


def parse_row(text: str) -> tuple[Revealed, ...]:
    return tuple(map(Revealed.read, text.split()))


def build_state(seats=3, first=N[5], **options):
    """Return a round with its first discard turned up; seat 1 begins."""
    return GAME.referee.apply(GAME.referee.setup(Options(**options), seats, 0), TurnUp(0, first))


def find_broken_rules(state, play):
    return {violation.rule for violation in GAME.referee.judge(state, play)}


def play_all(state, *plays):
    """Return the state after legal plays."""
    for play in plays:
        assert not find_broken_rules(state, play), play
        state = GAME.referee.apply(state, play)
    return state


def check_counts(*counts, seats=3, **options):
    return {violation.rule: violation.binding for violation in GAME.pad.check(Options(**options), seats, counts)}


FRESH = GAME.referee.setup(Options(), 3, 0)
START = build_state()
LAST = play_all(START, Discard(1, N[9]), Discard(2, N[8]), Discard(0, N[7]))
"""Everybody has had a turn, and seat 0 has just acted."""
KNOCKED = play_all(LAST, Knock(0))
LAST_REVEALED = GAME.referee.apply(LAST, Reveal(0, parse_row("1 1 2 3")))
REVEALING = play_all(KNOCKED, Discard(1, N[6]), Discard(2, N[6]))
OVER = play_all(
    REVEALING, Reveal(0, parse_row("1 1 2 3")), Reveal(1, parse_row("0 0 1 2")), Reveal(2, parse_row("9 9 4 4"))
)
EXHAUSTED = replace(START, pile=0, discards=(*(face for face in N for _copy in range(4)), EXCHANGE, N[9]))
ALL_NUMBERS = tuple(face for face in N for _copy in range(Deck.EUROPEAN.cards[face]))
NO_NUMBER = replace(START, discards=ALL_NUMBERS, pile=66 - 12 - 45)
FOUR_OPEN = replace(START, discards=(N[7],) * 4, pile=50)

UNCOVERED = build_state(first=PEEK, turn_another=True)
OPEN = play_all(REVEALING, Reveal(0, parse_row("1 1 2 3")))
SEEN_CARD = replace(REVEALING, seen=((None, N[9], None, None), *REVEALING.seen[1:]))
KNOCKERS = (Count(0, total=9, knocked=True), Count(1, total=9, knocked=True))
FIVE_TWO_CHANCES = "two-chances>" * 5 + "1"

MISPLAYS = [
    ("a seat that does not exist discards", START, Discard(3, N[7]), Rule.PLAYERS, BOUND),
    ("a seat below the first knocks", LAST, Knock(-1), Rule.PLAYERS, BOUND),
    ("a seat that does not exist reveals", REVEALING, Reveal(5, parse_row("1 2 3 4")), Rule.PLAYERS, BOUND),
    ("an exchange with a seat that does not exist", START, Exchange(1, ONE, 3, TWO), Rule.PLAYERS, BOUND),
    ("a seat that does not exist is counted", None, Count(3, total=9), Rule.PLAYERS, BOUND),
    ("a fifth seven is discarded", FOUR_OPEN, Discard(1, N[7]), Rule.DECK, BOUND),
    ("a fifth seven comes out of a row", FOUR_OPEN, Take(1, ONE, N[7]), Rule.DECK, BOUND),
    ("a fifth seven is given away", FOUR_OPEN, Swap(1, ONE, N[7]), Rule.DECK, BOUND),
    ("a fifth seven is turned up", replace(FOUR_OPEN, discards=(N[7],) * 4), TurnUp(0, N[7]), Rule.DECK, BOUND),
    ("an eighth Peek is played", replace(START, discards=(PEEK,) * 7), Peek(1, ONE), Rule.DECK, BOUND),
    ("a tenth Exchange", replace(START, discards=(EXCHANGE,) * 9), Exchange(1, ONE, 0, ONE), Rule.DECK, BOUND),
    ("a sixth Two Chances", replace(START, discards=(TWO_CHANCES,) * 5), TwoChances(1), Rule.DECK, BOUND),
    (
        "five zeros are revealed",
        replace(REVEALING, discards=(N[0],)), Reveal(0, parse_row("0 0 0 0")), Rule.DECK, BOUND,
    ),
    ("a card is turned up that was not shuffled", EXHAUSTED, Reshuffle(1, PEEK), Rule.DECK, BOUND),
    ("five zeros are counted", None, Count(0, parse_row("0 0 0 0 peek>0")), Rule.DECK, BOUND),
    ("a card is drawn before the first discard lies", FRESH, Discard(1, N[7]), Rule.DEAL, BOUND),
    ("somebody knocks before the first discard lies", FRESH, Knock(1), Rule.DEAL, BOUND),
    ("a second first discard", START, TurnUp(0, N[7]), Rule.DEAL, FREE),
    ("somebody else turns up the first discard", FRESH, TurnUp(1, N[7]), Rule.DEAL, FREE),
    ("a special that lies first is not covered", UNCOVERED, Discard(1, N[7]), Rule.DEAL, FREE),
    ("three cards are revealed", REVEALING, Reveal(0, parse_row("1 2 3")), Rule.DEAL, BOUND),
    ("five cards are counted", None, Count(0, parse_row("1 2 3 4 5")), Rule.DEAL, BOUND),
    ("somebody draws out of turn", START, Discard(2, N[7]), Rule.TURN, FREE),
    ("somebody takes out of turn", START, Take(0, ONE, N[7]), Rule.TURN, FREE),
    ("somebody acts twice", play_all(START, Discard(1, N[9])), Peek(1, ONE), Rule.TURN, FREE),
    ("somebody acts within the chances of another", play_all(START, TwoChances(1)), Discard(2, N[9]), Rule.TURN, FREE),
    ("a discard is taken that is not there", FRESH, Take(1, ONE, N[7]), Rule.TAKE_DISCARD, BOUND),
    ("a special is taken", build_state(first=PEEK), Take(1, ONE, N[7]), Rule.NO_SPECIAL_FROM_DISCARDS, FREE),
    ("the discard is taken as a chance", play_all(START, TwoChances(1)), Take(1, ONE, N[7]), Rule.DRAW, FREE),
    ("a special is drawn and kept", NO_NUMBER, Swap(1, ONE, PEEK), Rule.NO_SPECIAL_INTO_ROW, FREE),
    ("an exchange with oneself", START, Exchange(1, ONE, 1, TWO), Rule.SPECIALS, FREE),
    ("a card is drawn from an exhausted pile", EXHAUSTED, Discard(1, N[9]), Rule.RESHUFFLE, BOUND),
    ("a card is kept from an exhausted pile", EXHAUSTED, Swap(1, ONE, N[9]), Rule.RESHUFFLE, BOUND),
    ("a special is drawn from an exhausted pile", EXHAUSTED, Peek(1, ONE), Rule.RESHUFFLE, BOUND),
    ("discards are shuffled while there is a pile", START, Reshuffle(1, N[5]), Rule.RESHUFFLE, FREE),
    (
        "more replacements than there are cards",
        replace(REVEALING, pile=0, discards=(N[0],)),
        Reveal(0, parse_row("peek>exchange>7 1 2 3")),
        Rule.RESHUFFLE,
        BOUND,
    ),
    ("the first player knocks after the first turn", play_all(START, Discard(1, N[9])), Knock(1), Rule.KNOCK, FREE),
    ("somebody knocks who has not acted", LAST, Knock(1), Rule.KNOCK, FREE),
    ("somebody knocks before anybody has acted", START, Knock(1), Rule.KNOCK, FREE),
    ("a knock after the next one has acted", play_all(LAST, Discard(1, N[9])), Knock(0), Rule.KNOCK, FREE),
    ("a knock while the next one has chances", play_all(LAST, TwoChances(1)), Knock(0), Rule.KNOCK, FREE),
    ("a second knock", play_all(KNOCKED, Discard(1, N[9])), Knock(1), Rule.KNOCK, BOUND),
    ("a knock while rows lie open", LAST_REVEALED, Knock(1), Rule.KNOCK, BOUND),
    ("the knocker acts again", KNOCKED, Discard(0, N[9]), Rule.KNOCK, FREE),
    ("somebody has a second last turn", play_all(KNOCKED, Discard(1, N[9])), Take(1, ONE, N[4]), Rule.KNOCK, FREE),
    ("somebody draws after the last turns", REVEALING, Discard(1, N[9]), Rule.KNOCK, FREE),
    ("somebody draws after a row is open", OPEN, Peek(1, ONE), Rule.KNOCK, BOUND),
    ("somebody reveals before the knock", LAST, Reveal(0, parse_row("1 1 2 3")), Rule.KNOCK, FREE),
    ("somebody reveals before the last turns", KNOCKED, Reveal(0, parse_row("1 1 2 3")), Rule.KNOCK, FREE),
    ("somebody plays after the end", OVER, Discard(1, N[9]), Rule.KNOCK, BOUND),
    ("somebody reveals after the end", OVER, Reveal(1, parse_row("1 1 2 3")), Rule.KNOCK, BOUND),
    ("two players have knocked", None, KNOCKERS, Rule.KNOCK, FREE),
    (
        "somebody replaces before the knocker",
        REVEALING, Reveal(1, parse_row("peek>1 1 2 3")), Rule.REPLACE_SPECIALS, FREE,
    ),
    ("a card that everybody saw is revealed as another", SEEN_CARD, Reveal(0, parse_row("1 1 2 3")), Rule.SCORE, FREE),
    ("a row is revealed twice", OPEN, Reveal(0, parse_row("0 0 2 3")), Rule.SCORE, BOUND),
    ("a player is counted twice", None, (Count(0, total=9), Count(0, total=8)), Rule.SCORE, BOUND),
    ("a total above four nines is counted", None, Count(0, total=37), Rule.SCORE, BOUND),
    ("a total below nothing is counted", None, Count(0, total=-1), Rule.SCORE, BOUND),
]  # fmt: skip
PLAY_MISPLAYS = [row for row in MISPLAYS if row[1] is not None]


@pytest.mark.parametrize(
    ("state", "entry", "rule", "is_binding"), [row[1:] for row in MISPLAYS], ids=[row[0] for row in MISPLAYS]
)
def test_misplay_names_its_rule_and_whether_it_is_binding(state, entry, rule, is_binding):
    counts = entry if isinstance(entry, tuple) else (entry,)
    judged = GAME.pad.check(Options(), 3, counts) if state is None else GAME.referee.judge(state, entry)
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
    rules = {row[3] for row in MISPLAYS}
    assert rules | {Rule.ROUNDS} == set(Rule)


def test_round_after_the_last_violates_the_rounds_rule():
    match = Match(GAME, Options(rounds=1), 2)
    for seat in (0, 1):
        match = match.record(Action(seat + 1, 1, "count", {"seat": str(seat), "total": "9"}))
    assert match.standing.is_over
    for action in (
        Action(3, 2, "count", {"seat": "0", "total": "9"}),
        Action(3, 2, "turn-up", {"seat": "1", "card": "7"}),
    ):
        (violation,) = match.judge(action).violations
        assert (violation.rule, violation.binding) == (Rule.ROUNDS, False)


# The deck and the deal


@pytest.mark.parametrize(("deck", "size", "specials"), [(Deck.EUROPEAN, 66, (9, 7, 5)), (Deck.AMERICAN, 54, (3, 3, 3))])
def test_editions_differ_only_in_their_specials(deck, size, specials):
    assert deck.size == sum(deck.cards.values()) == size
    assert tuple(deck.cards[face] for face in SPECIALS) == specials
    assert [deck.cards[face] for face in NUMBERS] == [4] * 9 + [9]
    assert sum(face.points * n for face, n in deck.cards.items()) == 225


@pytest.mark.parametrize("deck", Deck)
@pytest.mark.parametrize("seats", GAME.about.seats)
def test_deal_is_four_cards_each_and_one_turned_up(seats, deck):
    state = GAME.referee.setup(Options(deck=deck), seats, 0)
    assert state.pile == deck.size - 4 * seats
    assert {type(play) for play in GAME.referee.iter_legal_plays(state)} == {TurnUp}
    state = play_all(state, TurnUp(0, N[3]))
    assert (state.pile, state.discards) == (deck.size - 4 * seats - 1, (N[3],))


@pytest.mark.parametrize("seats", [0, 1, 7])
def test_player_count_must_be_two_to_six(seats):
    with pytest.raises(Malformed):
        build_options(GAME, seats, {})


@pytest.mark.parametrize("seats", GAME.about.seats)
def test_player_left_of_the_dealer_begins(seats):
    for dealer in range(seats):
        for rounds in range(seats + 1):
            state = GAME.referee.setup(Options(dealer=dealer), seats, rounds)
            assert GAME.referee.board(state).turn == state.dealer == (dealer + rounds) % seats
            assert GAME.referee.board(play_all(state, TurnUp(state.dealer, N[3]))).turn == (dealer + rounds + 1) % seats


@pytest.mark.parametrize("special", SPECIALS)
def test_special_as_first_discard_cannot_be_taken(special):
    state = build_state(first=special)
    assert GAME.referee.board(state).turn == 1
    assert find_broken_rules(state, Take(1, ONE, N[7])) == {Rule.NO_SPECIAL_FROM_DISCARDS}
    assert not find_broken_rules(state, Discard(1, N[7]))
    assert find_broken_rules(state, TurnUp(0, N[7])) == {Rule.DEAL}


@pytest.mark.parametrize("special", SPECIALS)
def test_first_discard_is_covered_until_a_number_by_option(special):
    state = build_state(first=special, turn_another=True)
    assert GAME.referee.board(state).turn == 0
    assert {type(play) for play in GAME.referee.iter_legal_plays(state)} == {TurnUp}
    state = play_all(state, TurnUp(0, PEEK), TurnUp(0, N[7]))
    assert (state.discards, state.pile, GAME.referee.board(state).turn) == ((special, PEEK, N[7]), 51, 1)
    assert find_broken_rules(state, TurnUp(0, N[6])) == {Rule.DEAL}
    assert not find_broken_rules(state, Take(1, ONE, N[6]))


def test_option_covers_only_the_first_discard():
    state = play_all(build_state(turn_another=True), Discard(1, PEEK))
    assert GAME.referee.board(state).turn == 2
    assert not find_broken_rules(state, Discard(2, N[3]))


# The two actions


def test_jane_takes_the_two_for_her_second_card():
    state = play_all(build_state(first=N[2]), Take(1, TWO, N[8]))
    assert (state.discards, state.turn, state.pile) == ((N[8],), 2, 53)
    visible, hidden, total = cards(state)
    assert len(visible) + hidden == total == 66


@pytest.mark.parametrize("card", Face)
def test_any_card_may_come_out_of_the_row(card):
    assert not find_broken_rules(START, Take(1, ONE, card))
    assert not find_broken_rules(START, Swap(1, FOUR, card))


@pytest.mark.parametrize("drawn", Face)
def test_discarded_special_has_no_effect(drawn):
    state = play_all(START, Discard(1, drawn))
    assert (state.top, state.turn, state.pile, state.chances) == (drawn, 2, START.pile - 1, 0)


def test_drawn_number_replaces_a_card_of_the_row():
    state = play_all(START, Swap(1, THREE, N[9]))
    assert (state.discards, state.turn, state.pile) == ((N[5], N[9]), 2, START.pile - 1)


def test_swap_is_legal_while_a_number_may_have_been_drawn():
    one_left = replace(NO_NUMBER, discards=ALL_NUMBERS[:-1], pile=10)
    assert not find_broken_rules(one_left, Swap(1, ONE, PEEK))
    assert find_broken_rules(one_left, Swap(1, ONE, N[9])) == {Rule.NO_SPECIAL_INTO_ROW}
    assert not find_broken_rules(replace(NO_NUMBER, discards=ALL_NUMBERS[:-2], pile=11), Swap(1, ONE, N[9]))


@pytest.mark.parametrize("special", [Exchange(1, ONE, 2, FOUR), Peek(1, TWO)])
def test_special_is_performed_and_then_discarded(special):
    state = play_all(START, special)
    assert state.top is {Exchange: EXCHANGE, Peek: PEEK}[type(special)]
    assert (state.turn, state.pile) == (2, START.pile - 1)
    assert find_broken_rules(state, Take(2, ONE, N[7])) == {Rule.NO_SPECIAL_FROM_DISCARDS}


def test_exchange_reaches_every_card_of_every_other_player():
    targets = {
        (play.other, play.other_slot) for play in GAME.referee.iter_legal_plays(START) if isinstance(play, Exchange)
    }
    assert targets == {(player, slot) for player in (0, 2) for slot in Slot}


# Two Chances


@pytest.mark.parametrize("use", [Swap(1, ONE, N[7]), Exchange(1, ONE, 0, ONE), Peek(1, ONE)])
def test_using_the_first_chance_ends_the_turn(use):
    state = play_all(START, TwoChances(1))
    assert (state.turn, state.chances) == (1, 2)
    state = play_all(state, use)
    assert (state.turn, state.chances, state.pile) == (2, 0, START.pile - 2)


@pytest.mark.parametrize("use", [Discard(1, N[6]), Swap(1, ONE, N[7]), Exchange(1, ONE, 0, ONE), Peek(1, ONE)])
def test_discarding_the_first_chance_gives_a_second(use):
    state = play_all(START, TwoChances(1), Discard(1, N[9]))
    assert (state.turn, state.chances) == (1, 1)
    assert not GAME.referee.is_legal(state, Knock(1))
    assert not GAME.referee.is_legal(state, Discard(2, N[6]))
    state = play_all(state, use)
    assert (state.turn, state.chances, state.pile) == (2, 0, START.pile - 3)


@pytest.mark.parametrize("before", [(), (Discard(1, N[9]),)])
def test_two_chances_drawn_as_a_chance_give_two_more(before):
    state = play_all(START, TwoChances(1), *before, TwoChances(1))
    assert (state.turn, state.chances, state.held) == (1, 2, 2)
    state = play_all(state, Discard(1, N[8]), Discard(1, N[7]))
    assert (state.turn, state.chances, state.held) == (2, 0, 0)


def test_two_chances_discarded_as_a_chance_have_no_effect():
    state = play_all(START, TwoChances(1), Discard(1, TWO_CHANCES))
    assert (state.turn, state.chances, state.held) == (1, 1, 1)


def test_two_chances_are_discarded_when_used_up():
    state = play_all(START, TwoChances(1), Discard(1, N[9]), TwoChances(1), Swap(1, ONE, N[3]))
    assert state.discards == (N[5], N[9], N[3], TWO_CHANCES, TWO_CHANCES)


def test_two_chances_in_play_are_not_among_the_discards():
    state = play_all(START, TwoChances(1))
    assert (state.discards, state.unseen[TWO_CHANCES]) == ((N[5],), 4)
    visible, hidden, total = cards(state)
    assert len(visible) + hidden == total


# The reshuffle


def test_reshuffle_uses_all_discards_and_turns_one_up():
    board = GAME.referee.board(EXHAUSTED)
    assert board.is_exhausted and board.ways[0].kind == "reshuffle"
    left = {card.word: int(dict(card.details)["left"]) for _label, row in board.cards for card in row if card.is_legal}
    assert left == {**dict.fromkeys(N, 4), "9": 5, "exchange": 1}
    state = play_all(EXHAUSTED, Reshuffle(1, N[3]))
    assert (state.pile, state.discards, state.turn) == (41, (N[3],), 1)
    assert state.unseen[N[3]] == 3
    assert not find_broken_rules(state, Discard(1, N[3]))


def test_discard_can_be_taken_with_an_exhausted_pile():
    assert not find_broken_rules(EXHAUSTED, Take(1, ONE, PEEK))
    assert {type(play) for play in GAME.referee.iter_legal_plays(EXHAUSTED)} == {Take, Reshuffle}


def test_reshuffle_leaves_out_two_chances_in_play():
    state = play_all(replace(EXHAUSTED, pile=1, discards=EXHAUSTED.discards[1:]), TwoChances(1))
    assert find_broken_rules(state, Discard(1, PEEK)) == {Rule.RESHUFFLE}
    state = play_all(state, Reshuffle(1, N[3]), Discard(1, N[9]), Discard(1, N[8]))
    assert (state.turn, state.discards) == (2, (N[3], N[9], N[8], TWO_CHANCES))


def test_knock_is_legal_after_a_reshuffle():
    state = replace(LAST, pile=0)
    assert not find_broken_rules(play_all(state, Reshuffle(1, N[9])), Knock(0))


# The end of a round


@pytest.mark.parametrize("seats", GAME.about.seats)
def test_only_the_last_player_can_knock_in_the_first_lap(seats):
    state = build_state(seats)
    for step in range(1, seats + 1):
        seat = step % seats
        state = play_all(state, Discard(seat, N[9]))
        assert GAME.referee.is_legal(state, Knock(seat)) is (step == seats)
        assert GAME.referee.board(state).can_knock is (step == seats)


@pytest.mark.parametrize("seats", GAME.about.seats)
def test_everybody_else_has_one_turn_after_the_knock(seats):
    state = build_state(seats)
    for step in range(1, seats + 2):
        state = play_all(state, Discard(step % seats, N[9] if step < 5 else N[8]))
    state = play_all(state, Knock(1))
    for step in range(2, seats + 1):
        assert not state.is_revealing
        assert GAME.referee.board(state).last_turns == tuple(player % seats for player in range(step, seats + 1))
        state = play_all(state, Discard(step % seats, PEEK))
    assert state.is_revealing
    assert GAME.referee.board(state).turn == 1
    assert not GAME.referee.is_legal(state, Discard(1, N[7]))


def test_last_turn_may_use_two_chances():
    state = play_all(KNOCKED, TwoChances(1), Discard(1, N[6]))
    assert (state.turn, state.last_turns) == (1, frozenset({1, 2}))
    state = play_all(state, Swap(1, ONE, N[6]))
    assert (state.turn, state.last_turns) == (2, frozenset({2}))


def test_exchange_with_the_knocker_is_legal():
    assert not find_broken_rules(KNOCKED, Exchange(1, ONE, 0, ONE))


def test_knock_needs_a_turn_first():
    state = play_all(LAST, Discard(1, N[9]), Discard(2, N[9]))
    assert find_broken_rules(state, Knock(0)) == {Rule.KNOCK}
    assert not find_broken_rules(play_all(state, Discard(0, N[9])), Knock(0))


# The reveal


@pytest.mark.parametrize(("text", "points"), [("4 2 0 5", 11), ("1 2 1 3", 7), ("0 4 peek>8 0", 12)])
def test_rows_of_the_leaflet_score_as_printed(text, points):
    state = play_all(REVEALING, Reveal(0, parse_row(text)))
    assert GAME.referee.board(state).places[0].points == points
    sheet = GAME.scoring.score(Options(), (Count(0, parse_row(text)),))
    assert sheet.points == (points,)
    assert GAME.scoring.score(Options(), (Count(0, total=points),)).points == (points,)


def test_jenny_alice_and_dinos_score_as_in_the_leaflet():
    state = play_all(
        REVEALING,
        Reveal(0, parse_row("4 2 0 5")),
        Reveal(1, parse_row("1 2 1 3")),
        Reveal(2, parse_row("0 4 exchange>8 0")),
    )
    assert state.is_over
    assert GAME.referee.board(state).turn is None
    sheet = GAME.scoring.score(Options(), GAME.referee.tally(state))
    assert sheet.points == (11, 7, 12)
    assert [line.values for line in sheet.lines] == [(4, 1, 0), (2, 2, 4), (0, 1, 8), (5, 3, 0)]
    assert [count.knocked for count in GAME.referee.tally(state)] == [True, False, False]
    assert not list(GAME.pad.check(Options(), 3, GAME.referee.tally(state)))


def test_special_drawn_as_a_replacement_is_replaced_too():
    state = play_all(REVEALING, Reveal(0, parse_row("two-chances>peek>exchange>3 peek>0 1 1")))
    assert state.pile == REVEALING.pile - 4
    assert GAME.referee.board(state).places[0].points == 5
    assert state.unseen[PEEK] == 5


def test_specials_are_replaced_clockwise_from_the_knocker():
    state = play_all(build_state(4), *(Discard(step % 4, N[9]) for step in (1, 2, 3, 4, 5, 6)), Knock(2))
    state = play_all(state, *(Discard(seat, N[8]) for seat in (3, 0, 1)))
    assert state.order == (2, 3, 0, 1)
    with_special, without = parse_row("peek>0 1 1 2"), parse_row("3 4 4 6")
    assert find_broken_rules(state, Reveal(3, with_special)) == {Rule.REPLACE_SPECIALS}
    assert not find_broken_rules(state, Reveal(3, without))
    state = play_all(state, Reveal(0, without), Reveal(2, with_special))
    assert GAME.referee.board(state).turn == 3
    assert find_broken_rules(state, Reveal(1, parse_row("peek>5 5 6 7"))) == {Rule.REPLACE_SPECIALS}
    assert not find_broken_rules(state, Reveal(3, parse_row("peek>5 5 6 7")))


def test_replacements_come_from_shuffled_discards_at_last():
    state = replace(REVEALING, pile=1)
    discards = len(state.discards)
    state = play_all(state, Reveal(0, parse_row("peek>exchange>9 9 1 1")))
    assert (state.pile, state.discards) == (1 + discards - 2, ())


def test_open_face_comes_back_only_after_a_shuffle():
    open_ = (*REVEALING.discards, *[N[0]] * 4)
    assert find_broken_rules(replace(REVEALING, discards=open_, pile=5), Reveal(0, parse_row("peek>0 1 1 1"))) == {
        Rule.DECK
    }
    assert not find_broken_rules(replace(REVEALING, discards=open_, pile=0), Reveal(0, parse_row("peek>0 1 1 1")))


def test_offered_rows_are_always_possible():
    for state in (REVEALING, replace(REVEALING, pile=0), replace(REVEALING, discards=ALL_NUMBERS, pile=9)):
        offered = list(GAME.referee.iter_legal_plays(state))
        assert any(isinstance(play, Reveal) for play in offered)
        assert any(card.replacements for play in offered if isinstance(play, Reveal) for card in play.cards)


# Cards that everybody saw enter a row


def play_to_reveal(state):
    """Play up to the reveal without touching a row."""
    while len(state.had_turn) < state.seats:
        state = play_all(state, Discard(state.turn, N[9]))
    state = play_all(state, Knock(state.acted))
    while not state.is_revealing:
        state = play_all(state, Discard(state.turn, N[8]))
    return state


AFTER_TAKE = play_all(START, Take(1, TWO, N[8]))
"""Everybody saw seat 1 take a 5 into the second slot."""
SEEN_CARD_CASES = [
    ("it has been taken", AFTER_TAKE, 1, "1 5 1 2", "5 1 1 2"),
    ("it has been exchanged away", play_all(AFTER_TAKE, Exchange(2, FOUR, 1, TWO)), 2, "1 1 2 5", "5 1 1 2"),
    (
        "it has come back",
        play_all(AFTER_TAKE, Exchange(2, FOUR, 1, TWO), Exchange(0, ONE, 2, FOUR), Exchange(1, ONE, 0, ONE)),
        1,
        "5 1 1 2",
        "1 5 1 2",
    ),
    ("it has moved within the row", GAME.referee.apply(AFTER_TAKE, Exchange(1, TWO, 1, FOUR)), 1, "1 1 2 5", "5 1 1 2"),
    (
        "another card was looked at",
        play_all(AFTER_TAKE, Peek(2, ONE), Peek(0, TWO), Peek(1, TWO)),
        1,
        "1 5 1 2",
        "1 1 1 2",
    ),
    ("it would be a special", AFTER_TAKE, 1, "1 5 1 2", "1 peek>5 1 2"),
    (
        "a special was taken",
        GAME.referee.apply(build_state(first=PEEK), Take(1, TWO, N[8])),
        1,
        "1 peek>5 1 2",
        "1 5 1 2",
    ),
]


@pytest.mark.parametrize(
    ("state", "seat", "right", "wrong"), [row[1:] for row in SEEN_CARD_CASES], ids=[row[0] for row in SEEN_CARD_CASES]
)
def test_card_seen_going_into_a_slot_is_revealed_there(state, seat, right, wrong):
    state = replace(play_to_reveal(state), knocker=seat)  # replaces specials first
    assert not find_broken_rules(state, Reveal(seat, parse_row(right)))
    assert find_broken_rules(state, Reveal(seat, parse_row(wrong))) == {Rule.SCORE}
    assert not any(violation.binding for violation in GAME.referee.judge(state, Reveal(seat, parse_row(wrong))))
    assert GAME.referee.board(GAME.referee.apply(state, Reveal(seat, parse_row(wrong)))).places[seat].points is not None


@pytest.mark.parametrize(
    "state",
    [
        play_all(AFTER_TAKE, Discard(2, N[9]), Discard(0, N[9]), Swap(1, TWO, N[5])),
        play_all(AFTER_TAKE, Discard(2, N[9]), Take(0, ONE, N[3]), Take(1, TWO, N[5])),
        play_all(AFTER_TAKE, Exchange(2, FOUR, 1, TWO), Swap(0, ONE, N[7])),
        play_all(START, Swap(1, TWO, N[8]), Peek(2, ONE)),
    ],
)
def test_card_that_left_or_was_seen_by_one_binds_nobody(state):
    faces = {state.certain[1][1]} - {None}
    state = play_to_reveal(state)
    assert {not find_broken_rules(state, Reveal(1, parse_row(f"1 {face} 1 2"))) for face in ("2", "4")} == {not faces}


def test_reason_names_card_slot_and_player():
    state = play_to_reveal(AFTER_TAKE)
    assert [str(violation.message) for violation in GAME.referee.judge(state, Reveal(1, parse_row("1 9 1 2")))] == [
        "Everybody saw 5 become the 2nd card of Player 2, and it has not left since: it cannot be 9."
    ]


def test_last_card_of_a_face_is_where_everybody_saw_it_go():
    state = play_to_reveal(AFTER_TAKE)
    state = replace(state, discards=(*state.discards, N[5], N[5], N[5]), pile=state.pile - 3)
    assert find_broken_rules(state, Reveal(0, parse_row("5 1 1 2"))) == {Rule.SCORE}
    assert "Player 2" in str(next(GAME.referee.judge(state, Reveal(0, parse_row("5 1 1 2")))).message)
    assert not find_broken_rules(state, Reveal(1, parse_row("1 5 1 2")))
    insisted = GAME.referee.apply(state, Reveal(0, parse_row("5 1 1 2")))
    assert not find_broken_rules(insisted, Reveal(1, parse_row("1 0 1 2"))), "questioned only once"


def test_nothing_is_certain_about_a_face_entered_too_often():
    """A fifth copy was entered during play, so any of the entries may be wrong."""
    state = play_to_reveal(AFTER_TAKE)
    state = replace(state, discards=(*state.discards, *[N[5]] * 4), pile=state.pile - 4)
    assert find_broken_rules(state, Reveal(1, parse_row("1 5 1 2"))) == {Rule.DECK}
    assert not find_broken_rules(state, Reveal(1, parse_row("1 0 1 2")))


def test_board_does_not_help_the_memory_during_play():
    state = replace(AFTER_TAKE, discards=(N[5], N[5], N[5], N[8]), pile=AFTER_TAKE.pile - 3)
    assert not find_broken_rules(state, Discard(2, N[5]))
    assert not find_broken_rules(play_all(state, Discard(2, N[9]), Discard(0, N[9])), Swap(1, TWO, N[4]))


# Rounds and winners


@pytest.mark.parametrize(("seats", "rounds"), [(2, 4), (3, 3), (4, 4), (5, 5), (6, 6)])
def test_default_is_a_round_per_player_and_four_with_two(seats, rounds):
    assert GAME.scoring.round_count(Options(), seats) == rounds
    sheet = GAME.scoring.score(Options(), tuple(Count(seat, total=10 + seat) for seat in range(seats)))
    assert not GAME.scoring.standing(Options(), seats, (sheet,) * (rounds - 1)).is_over
    assert GAME.scoring.standing(Options(), seats, (sheet,) * rounds).is_over


@pytest.mark.parametrize("rounds", [1, 7, 99])
def test_table_may_agree_on_another_number_of_rounds(rounds):
    assert GAME.scoring.round_count(decode(Options, {"rounds": str(rounds)}), 3) == rounds


@pytest.mark.parametrize("rounds", ["0", "100", "-1", "x"])
def test_rounds_must_be_1_to_99(rounds):
    with pytest.raises(Malformed):
        decode(Options, {"rounds": rounds})


def test_lowest_total_wins_and_ties_share():
    def score_totals(*totals):
        return GAME.scoring.score(Options(), tuple(Count(seat, total=total) for seat, total in enumerate(totals)))

    standing = GAME.scoring.standing(
        Options(), 3, (score_totals(11, 7, 12), score_totals(9, 10, 30), score_totals(0, 0, 0))
    )
    assert (standing.totals, standing.ranks) == ((20, 17, 42), (2, 1, 3))
    assert str(standing.verdict) == "Player 2 wins with 17."
    shared = GAME.scoring.standing(Options(), 3, (score_totals(5, 7, 5),) * 3)
    assert (shared.ranks, str(shared.verdict)) == ((1, 3, 1), "Player 1, Player 3 share the win with 15.")
    assert GAME.scoring.standing(Options(), 3, (score_totals(5, 7, 5),)).verdict is None
    assert GAME.scoring.sides(Options(), 3) == ((0,), (1,), (2,))


# Insisting


def test_insisted_take_removes_a_special_from_the_discards():
    state = GAME.referee.apply(build_state(first=PEEK), Take(1, ONE, N[7]))
    assert (state.discards, state.turn, state.unseen[PEEK]) == ((N[7],), 2, 7)


def test_play_out_of_turn_ends_the_chances_before():
    state = GAME.referee.apply(play_all(START, TwoChances(1)), Discard(2, N[9]))
    assert (state.discards, state.turn, state.chances) == ((N[5], TWO_CHANCES, N[9]), 0, 0)


def test_insisted_early_knock_gives_everybody_else_a_turn():
    state = GAME.referee.apply(play_all(START, Discard(1, N[9])), Knock(1))
    assert (state.turn, state.last_turns) == (2, frozenset({0, 2}))


def test_insisted_late_knock_gives_a_turn_to_whoever_acted():
    state = GAME.referee.apply(play_all(LAST, Discard(1, N[9])), Knock(0))
    assert (state.turn, state.last_turns) == (2, frozenset({1, 2}))
    state = play_all(state, Discard(2, N[9]))
    assert (state.turn, state.is_revealing) == (1, False)
    assert play_all(state, Discard(1, N[9])).is_revealing


def test_knock_instead_of_a_turn_passes_the_turn_on():
    state = GAME.referee.apply(LAST, Knock(1))
    assert (state.turn, state.last_turns) == (2, frozenset({0, 2}))


def test_knock_ends_pending_chances():
    state = GAME.referee.apply(play_all(LAST, TwoChances(1)), Knock(1))
    assert (state.chances, state.top, state.turn) == (0, TWO_CHANCES, 2)


def test_reveal_without_a_knock_starts_left_of_the_dealer():
    state = GAME.referee.apply(LAST, Reveal(0, parse_row("0 1 2 3")))
    assert state.order == (1, 2, 0)
    assert (GAME.referee.board(state).turn, GAME.referee.board(state).is_revealing) == (1, True)
    assert not any(
        count.knocked
        for count in GAME.referee.tally(play_all(state, *(Reveal(s, parse_row("4 4 5 6")) for s in (1, 2))))
    )


# Rounds with a shuffled deck: honest play is always legal


class DealtRound:
    """A round with a shuffled deck and random choices, reported to the referee play by play."""

    def __init__(self, chance, options, seats, rounds=0):
        self.chance, self.seats = chance, seats
        self.pile = [face for face, n in options.deck.cards.items() for _copy in range(n)]
        chance.shuffle(self.pile)
        self.rows = [[self.pile.pop() for _slot in Slot] for _seat in range(seats)]
        self.is_public = [[False for _slot in Slot] for _seat in range(seats)]
        self.state = GAME.referee.setup(options, seats, rounds)
        self.plays = []
        self.lies = Counter()

    def play(self, play):
        assert list(GAME.referee.judge(self.state, play)) == [], (play, self.plays)
        self.plays.append(play)
        self.state = GAME.referee.apply(self.state, play)
        assert self.state.pile == len(self.pile)

    def draw_card(self):
        if not self.pile:
            self.pile = list(self.state.discards)
            self.chance.shuffle(self.pile)
            self.play(Reshuffle(self.state.acting, self.pile.pop()))
        return self.pile.pop()

    def build_reveal(self, seat):
        """Return the row with its replacements, shuffling the discards when the pile runs out."""
        row, discards = [], list(self.state.discards)
        for face in self.rows[seat]:
            chain = [face]
            while chain[-1].is_special:
                if not self.pile:
                    self.pile, discards = discards, []
                    self.chance.shuffle(self.pile)
                chain.append(self.pile.pop())
            row.append(Revealed(tuple(chain)))
        return Reveal(seat, tuple(row))

    def play_turn(self):
        seat, slot = self.state.acting, self.chance.choice(list(Slot))
        index, top = int(slot) - 1, self.state.top
        if not self.state.chances and not top.is_special and self.chance.random() < 0.3:
            old_card, self.rows[seat][index] = self.rows[seat][index], top
            self.is_public[seat][index] = True
            return self.play(Take(seat, slot, old_card))
        card = self.draw_card()
        if self.chance.random() < 0.4:
            return self.play(Discard(seat, card))
        if not card.is_special:
            old_card, self.rows[seat][index] = self.rows[seat][index], card
            self.is_public[seat][index] = False
            return self.play(Swap(seat, slot, old_card))
        if card is PEEK:
            return self.play(Peek(seat, slot))
        if card is TWO_CHANCES:
            return self.play(TwoChances(seat))
        target = self.chance.choice([player for player in range(self.seats) if player != seat])
        other_slot = self.chance.choice(list(Slot))
        target_index = int(other_slot) - 1
        for rows in (self.rows, self.is_public):
            rows[seat][index], rows[target][target_index] = rows[target][target_index], rows[seat][index]
        return self.play(Exchange(seat, slot, target, other_slot))

    def play_round(self, plays):
        """Play a whole round, knocking as soon as it is legal after this many plays."""
        while self.state.is_dealing:
            self.play(TurnUp(self.state.dealer, self.pile.pop()))
        while not self.state.is_revealing:
            self.play_turn()
            if len(self.plays) >= plays and GAME.referee.board(self.state).can_knock:
                self.play(Knock(self.state.acted))
        while not self.state.is_over:
            reveal = self.build_reveal(self.state.acting)
            self.check_false_reveals(reveal)
            self.play(reveal)
        return self

    def check_false_reveals(self, reveal):
        """Report each card wrongly in turn; the referee objects if everybody saw the right one."""
        for index, card in enumerate(reveal.cards):
            hidden = [face for face in NUMBERS if self.state.unseen[face] > 4 and face is not card.faces[0]]
            if not hidden or card.replacements:
                continue
            cards = (*reveal.cards[:index], Revealed((hidden[0],)), *reveal.cards[index + 1 :])
            rules = find_broken_rules(self.state, replace(reveal, cards=cards))
            assert rules == ({Rule.SCORE} if self.is_public[reveal.seat][index] else set())
            self.lies[self.is_public[reveal.seat][index]] += 1


@pytest.mark.parametrize("deck", Deck)
@pytest.mark.parametrize("seats", GAME.about.seats)
def test_honest_play_with_real_cards_is_legal(seats, deck):
    chance, lies = random.Random(f"{seats} {deck}"), Counter()
    for number in range(choose_count(10, 80)):
        options = Options(deck=deck, turn_another=number % 2 == 0)
        dealt_round = DealtRound(chance, options, seats, number).play_round(chance.choice((1, 30, 150)))
        lies += dealt_round.lies
        tally = GAME.referee.tally(dealt_round.state)
        assert not list(GAME.pad.check(options, seats, tally))
        assert not list(GAME.pad.check(options, seats, tuple(replace(c, cards=None, total=c.points) for c in tally)))
    assert lies[True] and lies[False]


# Revealed cards


@pytest.mark.parametrize(
    ("word", "spelt"),
    [
        ("7", "7"),
        ("peek>8", "peek>8"),
        ("peek>exchange>3", "peek>exchange>3"),
        ("two-chances>0", "two-chances>0"),
        ("◉8", "peek>8"),
        ("◉⇄3", "peek>exchange>3"),
        ("②0", "two-chances>0"),
        ("◉>8", "peek>8"),
        (" 7 ", "7"),
    ],
)
def test_revealed_card_survives_a_round_trip(word, spelt):
    if word != "◉>8":
        assert str(Revealed.read(word)) == spelt
        assert Revealed.read(spelt) == Revealed.read(word)
        return
    with pytest.raises(Malformed):
        Revealed.read(word)


@pytest.mark.parametrize(
    "word",
    ["", "10", "-1", "peek", "peek>", "peek>exchange", "7>8", "peek>7>8", "◉", "x", "peek>x", "٣", "7,8", ">7", "p>7"],
)
def test_malformed_card_is_rejected_with_its_reason(word):
    with pytest.raises(Malformed) as refused:
        Revealed.read(word)
    assert "{" not in str(refused.value)


def test_chain_is_limited_by_the_deck():
    with pytest.raises(Malformed):
        Revealed.read("peek>" * 500 + "7")


# The score pad: (seats, counts, violated rules with whether they bind)

LEAST_AND_MOST = [(2, 4, 72), (3, 12, 105), (4, 24, 134), (5, 40, 159), (6, 60, 180)]


def split_total(total: int, seats: int) -> tuple[Count, ...]:
    """Return counts that share out a total as evenly as possible."""
    share, remainder = divmod(total, seats)
    return tuple(Count(seat, total=share + (seat < remainder)) for seat in range(seats))


@pytest.mark.parametrize(("seats", "least", "most"), LEAST_AND_MOST)
def test_totals_stay_between_the_lowest_and_highest_cards(seats, least, most):
    for total in (least, most):
        assert check_counts(*split_total(total, seats), seats=seats) == {}
    for total in (least - 1, most + 1):
        if total <= 36 * seats:
            broken = check_counts(*split_total(total, seats), seats=seats)
            assert set(broken.values()) == {BOUND} and Rule.DECK in broken


def search_range(count: int, faces: Counter) -> tuple[int, int]:
    """Return the lowest and highest sum of this many cards, trying all."""
    sums = [
        sum(hand)
        for hand in combinations_with_replacement(sorted(faces), count)
        if all(times <= faces[face] for face, times in Counter(hand).items())
    ]
    return min(sums), max(sums)


def test_totals_are_compared_with_the_cards_left():
    counts = (Count(0, parse_row("0 0 0 0")), Count(1, parse_row("1 1 1 1")))
    left = Counter(dict.fromkeys(range(2, 9), 4) | {9: 9})
    least, most = search_range(4, left)
    assert (least, most) == (8, 36)
    assert check_counts(*counts, Count(2, total=8), seats=3) == {}
    assert check_counts(*counts, Count(2, total=7), seats=3) == {Rule.DECK: BOUND}


def test_replacements_count_as_cards_of_the_deck():
    counts = (Count(0, parse_row("peek>9 peek>9 9 9")), Count(1, parse_row("9 9 9 9")))
    assert check_counts(*counts, Count(2, total=33), seats=3) == {}
    assert check_counts(*counts, Count(2, total=34), seats=3) == {Rule.DECK: BOUND}


def test_partial_tally_is_compared_with_the_deck():
    assert check_counts(Count(0, total=0), seats=6) == {}
    assert check_counts(Count(0, total=0), Count(4, total=0), seats=6) == {Rule.DECK: BOUND}
    assert check_counts(Count(0, total=36), Count(4, total=36), seats=6) == {}
    assert check_counts(Count(0, total=36), Count(4, total=36), Count(5, total=36), seats=6) == {Rule.DECK: BOUND}


def test_two_low_totals_are_found_beside_a_high_one():
    assert check_counts(Count(0, total=1), Count(1, total=1), Count(2, total=30)) == {Rule.DECK: BOUND}
    assert check_counts(Count(0, total=0), Count(1, total=4), Count(2, total=30)) == {}


def test_three_high_totals_are_found_beside_a_low_one():
    high = tuple(Count(seat, total=36) for seat in range(3))
    assert check_counts(*high, Count(3, total=0), seats=4) == {Rule.DECK: BOUND}
    assert check_counts(*high[:2], Count(2, total=33), Count(3, total=0), seats=4) == {}


FOUR_FIVES = (Count(0, parse_row("5 5 5 5")),)

PAD = [
    (
        "three rows are fine",
        (Count(0, parse_row("4 2 0 5")), Count(1, parse_row("1 2 1 3")), Count(2, parse_row("0 4 8 0"))), {},
    ),
    ("three totals are fine", (Count(0, total=11), Count(1, total=7), Count(2, total=12)), {}),
    ("a mixture is fine", (Count(0, parse_row("4 2 0 5")), Count(1, total=7), Count(2, total=12, knocked=True)), {}),
    ("one player alone is fine", (Count(1, total=36),), {}),
    ("four nines thrice cannot be", tuple(Count(seat, parse_row("9 9 9 9")) for seat in range(3)), {Rule.DECK: BOUND}),
    (
        "nine nines are fine",
        (Count(0, parse_row("9 9 9 9")), Count(1, parse_row("9 9 9 9")), Count(2, parse_row("9 0 0 0"))), {},
    ),
    ("five fives cannot be", (Count(0, parse_row("5 5 5 5")), Count(1, parse_row("5 0 0 0"))), {Rule.DECK: BOUND}),
    ("a fifth five as a replacement cannot be", (*FOUR_FIVES, Count(1, parse_row("peek>5 0 0 0"))), {Rule.DECK: BOUND}),
    ("five Two Chances are fine", (Count(0, parse_row(FIVE_TWO_CHANCES + " 2 3 4")),), {}),
    ("six cannot be", (Count(0, parse_row(FIVE_TWO_CHANCES + " two-chances>2 3 4")),),
     {Rule.DECK: BOUND}),
    ("three cards cannot be", (Count(0, parse_row("1 2 3")),), {Rule.DEAL: BOUND}),
    ("37 cannot be", (Count(0, total=37),), {Rule.SCORE: BOUND}),
    ("36 is fine", (Count(0, total=36),), {}),
    ("a negative total cannot be", (Count(0, total=-1),), {Rule.SCORE: BOUND}),
    ("a seat that is not there cannot be", (Count(3, total=7),), {Rule.PLAYERS: BOUND}),
    ("one knocker is fine", (Count(0, total=7, knocked=True), Count(1, total=8)), {}),
    ("two knockers can be overruled", KNOCKERS, {Rule.KNOCK: FREE}),
]  # fmt: skip


@pytest.mark.parametrize(("counts", "rules"), [row[1:] for row in PAD], ids=[row[0] for row in PAD])
def test_pad_rejects_counts_that_the_deck_rules_out(counts, rules):
    assert check_counts(*counts) == rules


def test_american_deck_has_three_of_each_special():
    four = parse_row("peek>1 peek>2 peek>3 peek>4")
    assert check_counts(Count(0, four)) == {}
    assert check_counts(Count(0, four), deck=Deck.AMERICAN) == {Rule.DECK: BOUND}


@pytest.mark.parametrize("words", [{}, {"knocked": "yes"}])
def test_count_needs_cards_or_a_total(words):
    with pytest.raises(Incomplete):
        decode(Count, {"seat": "0", **words})


def test_count_cannot_have_both_cards_and_a_total():
    with pytest.raises(Malformed) as refused:
        decode(Count, {"seat": "0", "cards": "1,2,3,4", "total": "10"})
    assert not isinstance(refused.value, Incomplete)


@pytest.mark.parametrize(
    "words", [{"cards": "1,peek>2,3,two-chances>exchange>4"}, {"total": "9"}, {"total": "0", "knocked": "yes"}]
)
def test_both_kinds_of_count_survive_a_round_trip(words):
    assert encode(decode(Count, {"seat": "0", **words})) == {"seat": "0", **words}


# Log texts


def test_log_describes_every_kind_of_entry():
    texts = {
        TurnUp(0, PEEK): "Player 1 turns up the first discard: Peek",
        Take(1, TWO, N[7]): "Player 2 takes the discard and gives 7 (2nd card)",
        Discard(1, EXCHANGE): "Player 2 draws and discards Exchange",
        Swap(1, FOUR, TWO_CHANCES): "Player 2 draws, keeps it and gives Two Chances (4th card)",
        Exchange(1, ONE, 2, THREE): "Player 2 plays Exchange: gives the 1st card and takes from Player 3 the 3rd card",
        Peek(1, ONE): "Player 2 plays Peek: 1st card",
        TwoChances(1): "Player 2 plays Two Chances",
        Reshuffle(1, N[3]): "The discards are shuffled into a new pile, and 3 is turned up",
        Knock(1): "Player 2 knocks: end of the round",
        Reveal(1, parse_row("7 peek>exchange>3 0 0")): "Player 2 reveals 7, Peek → Exchange → 3, 0, 0",
        Count(1, parse_row("7 peek>8 0 0"), knocked=True): "Player 2: 7, Peek → 8, 0, 0 · 15 points, knocked",
        Count(1, total=1): "Player 2: 1 point",
    }
    assert {entry: str(GAME.help.describe(Options(), entry)) for entry in texts} == texts


# The board and partial entries


def test_tap_discards_a_card_and_asks_for_a_slot_if_needed():
    assert complete_play(GAME, START, {"kind": "discard", "seat": "1", "card": "7"}) == Discard(1, N[7])
    completion = complete_play(GAME, START, {"kind": "take", "seat": "1", "card": "7"})
    assert isinstance(completion, Ambiguity)
    assert (completion.field, [str(option.label) for option in completion.alternatives]) == (
        "slot",
        ["1st card", "2nd card", "3rd card", "4th card"],
    )


def test_exchange_asks_for_both_cards_and_the_other_player():
    words = {"kind": "exchange", "seat": "1"}
    for field, answer in (("slot", "2"), ("other", "0"), ("other_slot", "4")):
        completion = complete_play(GAME, START, words)
        assert isinstance(completion, Ambiguity) and completion.field == field
        words[field] = answer
    assert complete_play(GAME, START, words) == Exchange(1, TWO, 0, FOUR)


def test_exchange_with_two_players_does_not_ask_for_the_other():
    completion = complete_play(GAME, build_state(2), {"kind": "exchange", "seat": "1", "slot": "1"})
    assert isinstance(completion, Ambiguity) and completion.field == "other_slot"


def test_taking_a_special_gives_one_reason():
    completion = complete_play(GAME, build_state(first=PEEK), {"kind": "take", "seat": "1", "slot": "1"})
    assert isinstance(completion, NoLegalPlay)
    assert [violation.rule for violation in completion.violations] == [Rule.NO_SPECIAL_FROM_DISCARDS]


def test_untakeable_discard_is_the_only_violation():
    for state, rule in (
        (replace(FOUR_OPEN, discards=(N[7],) * 4 + (PEEK,)), Rule.NO_SPECIAL_FROM_DISCARDS),
        (play_all(FOUR_OPEN, TwoChances(1)), Rule.DRAW),
    ):
        completion = complete_play(GAME, state, {"kind": "take", "seat": "1"})
        assert isinstance(completion, NoLegalPlay)
        assert [violation.rule for violation in completion.violations] == [rule]


def test_two_chances_in_play_are_shown_beside_the_pile():
    board = GAME.referee.board(play_all(START, TwoChances(1)))
    assert (board.pile, board.discards, board.held) == (52, 1, 1)
    assert board.pile + board.discards + board.held + 4 * 3 == 66


@pytest.mark.parametrize("words", [{"kind": "reveal", "seat": "0"}, {"seat": "0"}, {"kind": "reveal"}])
def test_incomplete_row_is_rejected(words):
    with pytest.raises(Malformed):
        complete_play(GAME, REVEALING, words)


def test_candidates_are_unique():
    for state in (FRESH, START, LAST, KNOCKED, EXHAUSTED, REVEALING, replace(REVEALING, pile=0)):
        plays = list(GAME.referee.candidates(state))
        assert len(plays) == len(set(plays))


def test_board_counts_pile_discards_and_faces_left():
    board = GAME.referee.board(play_all(START, Discard(1, N[5]), Take(2, ONE, PEEK)))
    assert (board.turn, board.pile, board.discards, board.top) == (0, 52, 2, PEEK)
    left = {card.word: int(dict(card.details)["left"]) for _label, row in board.cards for card in row}
    assert left == Deck.EUROPEAN.cards | {"5": 3, "peek": 6}
    assert [(play.kind, play.is_legal) for play in board.ways] == [
        ("discard", True),
        ("swap", True),
        ("take", False),
    ]
    assert (board.acted, board.can_knock) == (2, False)


def test_board_hides_rows_that_are_face_down():
    """Rounds that differ only in slots have equal boards."""
    first = play_all(START, Take(1, ONE, N[3]), Peek(2, ONE), Exchange(0, ONE, 1, ONE), Swap(1, ONE, N[8]))
    second = play_all(START, Take(1, FOUR, N[3]), Peek(2, TWO), Exchange(0, THREE, 1, TWO), Swap(1, TWO, N[8]))
    assert GAME.referee.board(first) == GAME.referee.board(second)
    assert replace(first, seen=second.seen) == second
    assert {part.name for part in fields(State)}.isdisjoint({"rows", "hands", "cards", "slots"})


def test_face_that_is_used_up_is_marked():
    faces = {card.word: card for _label, row in GAME.referee.board(FOUR_OPEN).cards for card in row}
    assert (faces["7"].is_legal, faces["7"].tags, faces["7"].details) == (False, ("laid",), (("left", "0"),))
    assert faces["6"].is_legal and not faces["6"].tags
    assert faces["peek"].is_legal and faces["peek"].tags == ("special", "peek")
