"""Rules, examples, settled questions, options and pad checks of Muzicando."""

import itertools
from dataclasses import replace
from random import Random

import pytest

from companion.core.completion import Ambiguity, complete_play
from companion.core.match import Action, Match
from companion.core.notation import build_options
from companion.core.schema import Incomplete, Malformed, decode, encode
from companion.games import get_games
from companion.games.muzicando.bids import Bid, Kind, LayPosition
from companion.games.muzicando.deck import COLOURS, DECK, NOTES, Card, Sign
from companion.games.muzicando.plays import Call, Choose, Deal, Foul, Lay, Options, Pass, Stop
from companion.games.muzicando.rules import Rule
from companion.games.muzicando.tableau import Tableau
from tests.scale import choose_count

GAME = get_games()["muzicando"]
S, G, P, M = Kind
NORTH, EAST, SOUTH, WEST = range(4)
BOUND, FREE = True, False


def parse_card(word):
    return Card.read(word)


def parse_row(words):
    return tuple(map(parse_card, words.split()))


def parse_columns(words):
    """Return cards by colour, as Parada and Muzicando store them."""
    cards = parse_row(words)
    return tuple(tuple(card for card in cards if card.colour == colour) for colour in range(7))


def build_state(kind, *rows, seats=4, signs="", turn=0, **changes):
    """Return a deal with cards laid; Glissando's rows are opened by their ovals. `changes` may include options."""
    names = [name for name in Options.__dataclass_fields__ if name in changes]
    options = Options(**{name: changes.pop(name) for name in names})
    laid_rows = tuple(map(parse_row, rows)) if kind in (S, G) else parse_columns(" ".join(rows)) if rows else ()
    tableau = Tableau(
        kind,
        laid_rows,
        tuple(next(card for card in cards if card.has_oval) for cards in laid_rows) if kind is G else (),
        tuple((card, None) for card in parse_row(signs)),
        options,
    )
    state = replace(GAME.referee.setup(options, seats, 0), tableau=tableau, leader=turn, turn=turn)
    if state.has_bidding:
        state = replace(state, calls=((turn, Bid("1" + kind.upper())),))
    return replace(state, **changes)


def build_team_state(**options):
    return GAME.referee.setup(Options(**options), 4, 0)


def lay(seat, word, at=None):
    return Lay(seat, parse_card(word), at)


def find_broken_rules(state, play):
    return {violation.rule for violation in GAME.referee.judge(state, play)}


def play_all(state, *plays):
    """Return the state after legal plays."""
    for play in plays:
        assert not find_broken_rules(state, play), (play, [str(v.message) for v in GAME.referee.judge(state, play)])
        state = GAME.referee.apply(state, play)
    return state


def deal(players=4, **words):
    """Return a count from its notation."""
    return decode(Deal, {"players": str(players), **words})


def check_counts(count, seats=4, **options):
    return {violation.rule: violation.binding for violation in GAME.pad.check(Options(**options), seats, (count,))}


def score_deal(count, **options):
    return GAME.scoring.score(Options(**options), (count,)).points


# Hooks for the tests of every game

LATIN = {
    "Muzicando",
    "Sarabanda",
    "Glissando",
    "Parada",
    "Mozart",
    "Liszt",
    "Beethoven",
    "Chopin",
    "Bach",
    "Paganini",
} | {
    "Guido",
    "Arezzo",
}
"""Names left in Latin letters in the Greek rulebook."""
UNLIKELY = {Rule.PARADA, Rule.MUZICANDO}
"""Rules by which the pad questions a legal deal in which players are left with only signs."""
PLAYS = [
    Lay(seat, card, at)
    for seat in (0, 1)
    for card in DECK
    for at in (None, LayPosition.LEFT, LayPosition.DO_HIGH, LayPosition.BELOW)
]
"""Cards laid by two players at various positions, legal or not."""


def cards(state):
    return list(state.laid), state.stock + sum(state.hands), 56


def marks(state, board):
    """Yield every bid of the ladder, and every card in every position."""
    for step in itertools.chain(*board.ladder):
        yield step.is_legal, [Call(state.turn, Bid(step.word))]
    for _label, cells in board.cards:
        for cell in cells:
            card = Card.read(cell.word)
            places = state.tableau.fits.get(card, ()) if cell.is_legal else (None, *LayPosition)
            yield cell.is_legal, [Lay(state.turn, card, at) for at in places]


# Misplays

BIDDING = replace(build_team_state(), calls=((1, Bid.G2),), turn=2)
ALL_PASSED = replace(build_team_state(), calls=tuple((seat, None) for seat in (1, 2, 3, 0)), turn=1)
CHOOSING = GAME.referee.setup(Options(), 3, 0)
SARABANDA = build_state(S, "red-do orange-re")
GLISSANDO = build_state(G, "green-fa", turn=1)
PARADA = build_state(P, "yellow-mi yellow-fa yellow-sol yellow-la yellow-si")
MUZICANDO = build_state(M, "red-do red-re")
RUN = build_state(S, "violet-do", signs="violet-rest", is_run=True, turn=2)
OVER = replace(SARABANDA, is_over=True)
LAST = build_state(P, "red-do", hands=(0, 55, 0, 0), turn=1, order=(0, 2, 3))
SIGN_LEFT = build_state(
    M, " ".join(map(str, (card for card in DECK if not card.sign))), hands=(0, 7, 0, 0), turn=1, order=(0, 2, 3)
)
SIGNS_LEFT_OF_ROW = replace(SIGN_LEFT, tableau=Tableau(S, (tuple(card for card in DECK if not card.sign),)))
TWO_STUCK = deal(bid="1M", bidder="0", order="0,1", stuck="yes")

MISPLAYS = [
    ("a seat that does not exist bids", build_team_state(), Call(4, Bid.S1), Rule.PLAYERS, BOUND),
    ("a seat that does not exist lays", SARABANDA, lay(-1, "red-re"), Rule.PLAYERS, BOUND),
    ("a seat that does not exist breaks the rules", SARABANDA, Foul(7), Rule.PLAYERS, BOUND),
    ("a count names a seat that does not exist", None, deal(bid="1S", bidder="0", order="0,1,7"), Rule.PLAYERS, BOUND),
    ("a count is of another table", None, deal(3, opening="s", order="0,1"), Rule.PLAYERS, BOUND),
    ("a card lies already", SARABANDA, lay(0, "red-do", LayPosition.LEFT), Rule.DECK, BOUND),
    ("a sign lies already", build_state(S, "red-do", signs="red-sharp"), lay(0, "red-sharp"), Rule.DECK, BOUND),
    ("somebody without cards lays", replace(SARABANDA, hands=(0, 9, 9, 9)), lay(0, "red-mi"), Rule.DEAL, BOUND),
    ("somebody without cards passes", replace(SARABANDA, hands=(0, 9, 9, 9)), Pass(0), Rule.DEAL, BOUND),
    ("somebody bids where the kind is chosen", CHOOSING, Call(1, Bid.S1), Rule.BIDDING, BOUND),
    ("somebody bids when cards lie", SARABANDA, Call(0, Bid.M4), Rule.BIDDING, BOUND),
    ("somebody lays before the bidding is over", BIDDING, lay(2, "red-do"), Rule.BIDDING, BOUND),
    ("somebody stops in the bidding", BIDDING, Stop(2), Rule.BIDDING, BOUND),
    ("the first player passes although all have passed", ALL_PASSED, Pass(1), Rule.BIDDING, FREE),
    ("a lower bid", BIDDING, Call(2, Bid.M1), Rule.HIGHER_BID, FREE),
    ("the same bid", BIDDING, Call(2, Bid.G2), Rule.HIGHER_BID, FREE),
    ("a count without a contract", None, deal(opening="s", order="0,1,2"), Rule.CONTRACT, BOUND),
    ("a kind is chosen where all bid", BIDDING, Choose(2, S), Rule.CHOOSING, BOUND),
    ("a kind is chosen twice", build_state(S, seats=3, turn=1), Choose(1, G), Rule.CHOOSING, BOUND),
    ("the dealer chooses the kind", CHOOSING, Choose(0, G), Rule.CHOOSING, FREE),
    ("somebody lays before the kind is chosen", CHOOSING, lay(1, "red-do"), Rule.CHOOSING, BOUND),
    ("somebody passes before the kind is chosen", CHOOSING, Pass(1), Rule.CHOOSING, BOUND),
    ("somebody bids out of turn", BIDDING, Call(3, Bid.S3), Rule.TURN, FREE),
    ("somebody passes out of turn in the bidding", BIDDING, Pass(0), Rule.TURN, FREE),
    ("somebody lays out of turn", SARABANDA, lay(1, "red-mi"), Rule.TURN, FREE),
    ("somebody passes out of turn", SARABANDA, Pass(3), Rule.TURN, FREE),
    ("all pass although a note fits", replace(SARABANDA, passed={1, 2, 3}), Pass(0), Rule.NO_IDLE_PASS, FREE),
    ("the last player passes although a note fits", LAST, Pass(1), Rule.NO_IDLE_PASS, FREE),
    ("nobody opens", replace(build_state(G), passed={1, 2, 3}), Pass(0), Rule.NO_IDLE_PASS, FREE),
    ("Sarabanda begins with Re", build_state(S), lay(0, "red-re"), Rule.OPENING, FREE),
    ("Glissando begins without an oval", build_state(G), lay(0, "red-re"), Rule.OPENING, FREE),
    ("Parada begins without an oval", build_state(P), lay(0, "blue-do"), Rule.OPENING, FREE),
    ("Muzicando begins with an oval", build_state(M), lay(0, "orange-re"), Rule.OPENING, FREE),
    ("a sign begins", build_state(S), lay(0, "violet-rest"), Rule.OPENING, FREE),
    ("a note two steps from both ends", SARABANDA, lay(0, "red-fa"), Rule.SARABANDA, FREE),
    ("a note at the wrong end", SARABANDA, lay(0, "red-mi", LayPosition.LEFT), Rule.SARABANDA, FREE),
    ("nobody says at which end", build_state(S, "red-do green-do"), lay(0, "red-re"), Rule.SARABANDA, BOUND),
    ("a new row in Sarabanda", SARABANDA, lay(0, "red-mi", LayPosition.ABOVE), Rule.SARABANDA, FREE),
    ("an oval inside a row", GLISSANDO, lay(1, "blue-sol", LayPosition.FA_HIGH), Rule.GLISSANDO, FREE),
    ("an oval two steps away", GLISSANDO, lay(1, "indigo-la"), Rule.GLISSANDO, FREE),
    ("a note that continues no row", GLISSANDO, lay(1, "red-la"), Rule.GLISSANDO, FREE),
    ("nobody says above or below", GLISSANDO, lay(1, "blue-sol"), Rule.GLISSANDO, BOUND),
    ("a note of a colour that is not open", PARADA, lay(0, "blue-la"), Rule.PARADA, FREE),
    ("Do beside Si in Parada", PARADA, lay(0, "yellow-do"), Rule.PARADA, FREE),
    ("a place is named in Parada", PARADA, lay(0, "yellow-re", LayPosition.LEFT), Rule.PARADA, BOUND),
    (
        "the last player leaves a card in Parada",
        None,
        deal(bid="1P", bidder="0", order="0,1,2", stuck="yes"),
        Rule.PARADA,
        FREE,
    ),
    ("a note is skipped in Muzicando", MUZICANDO, lay(0, "red-fa"), Rule.MUZICANDO, FREE),
    ("a note without its Do", MUZICANDO, lay(0, "blue-re"), Rule.MUZICANDO, FREE),
    ("the last player keeps signs in Muzicando", SIGN_LEFT, Pass(1), Rule.MUZICANDO, FREE),
    ("the last player keeps signs in Sarabanda", SIGNS_LEFT_OF_ROW, Pass(1), Rule.SARABANDA, FREE),
    ("two players keep cards in Muzicando", None, TWO_STUCK, Rule.MUZICANDO, FREE),
    ("a sign before its colour in Sarabanda", SARABANDA, lay(0, "blue-flat"), Rule.SIGNS, FREE),
    ("a sign before its colour in Glissando", GLISSANDO, lay(1, "blue-flat"), Rule.SIGNS, FREE),
    ("a sign before its oval", PARADA, lay(0, "red-sharp"), Rule.SIGNS, FREE),
    ("a sign before its Do", MUZICANDO, lay(0, "blue-flat"), Rule.SIGNS, FREE),
    ("somebody plays who misses a turn", replace(SARABANDA, missing={3}), lay(3, "red-mi"), Rule.MISSED_TURN, FREE),
    ("somebody plays who has missed a turn", replace(SARABANDA, missed={3}), Pass(3), Rule.TURN, FREE),
    (
        "somebody plays who has just missed a turn",
        replace(SARABANDA, missed={3}, skipped={3}),
        Pass(3),
        Rule.TURN,
        FREE,
    ),
    ("somebody lays while another lays on", RUN, lay(3, "red-re", LayPosition.LEFT), Rule.REST, FREE),
    ("somebody passes after the rest", RUN, Pass(2), Rule.REST, FREE),
    ("somebody stops who has laid no rest", SARABANDA, Stop(0), Rule.REST, BOUND),
    ("somebody else stops", RUN, Stop(3), Rule.REST, BOUND),
    ("somebody lays after the end", OVER, lay(0, "red-mi"), Rule.DEAL_END, BOUND),
    ("somebody breaks the rules after the end", OVER, Foul(0), Rule.DEAL_END, BOUND),
    ("somebody goes out twice", None, deal(bid="1S", bidder="0", order="0,1,0"), Rule.SCORE, BOUND),
    ("all are out and one is not", None, deal(bid="1S", bidder="0", order="0,1,2,3", stuck="yes"), Rule.SCORE, BOUND),
]
PLAY_MISPLAYS = [misplay for misplay in MISPLAYS if misplay[1] is not None]


@pytest.mark.parametrize(
    ("state", "entry", "rule", "is_binding"), [case[1:] for case in MISPLAYS], ids=[case[0] for case in MISPLAYS]
)
def test_misplay_names_its_rule_and_whether_it_is_binding(state, entry, rule, is_binding):
    judged = GAME.pad.check(Options(), 4, (entry,)) if state is None else GAME.referee.judge(state, entry)
    violations = {violation.rule: violation for violation in judged}
    assert list(violations) == [rule]
    assert violations[rule].binding is is_binding
    assert "{" not in str(violations[rule].message)


@pytest.mark.parametrize(
    ("state", "play"), [case[1:3] for case in PLAY_MISPLAYS], ids=[case[0] for case in PLAY_MISPLAYS]
)
def test_misplay_is_never_a_legal_play(state, play):
    assert play not in list(GAME.referee.iter_legal_plays(state))


@pytest.mark.parametrize(
    ("state", "play"),
    [case[1:3] for case in PLAY_MISPLAYS if not case[4]],
    ids=[case[0] for case in PLAY_MISPLAYS if not case[4]],
)
def test_insisting_applies_the_play(state, play):
    after = GAME.referee.apply(state, play)
    assert after != state
    board = GAME.referee.board(after)
    assert board.turn in (None, *range(4))
    if isinstance(play, Lay):
        assert play.card in after.laid
        assert sum(state.hands) - sum(after.hands) == 1


def test_every_rule_has_a_misplay():
    assert {case[3] for case in MISPLAYS} | {Rule.DEALS} == set(Rule)


def test_fifth_deal_violates_the_deals_rule():
    match = Match(GAME, Options(), 4)
    for number in range(1, 5):
        match = match.record(Action(number, number, "deal", encode(deal(bid="1S", bidder="0", order="0,1,2"))))
    assert match.standing.is_over
    (violation,) = match.judge(Action(5, 5, "bid", {"seat": "1", "bid": "1S"})).violations
    assert (violation.rule, violation.binding) == (Rule.DEALS, False)


REASONS = [
    (build_state(S, "red-do"), lay(0, "red-fa"), "red Fa is not a step from red Do, the only card there."),
    (SARABANDA, lay(0, "red-fa"), "red Fa is a step from neither end, red Do and orange Re."),
    (SARABANDA, lay(0, "red-mi", LayPosition.LEFT), "red Mi is not a step from red Do, at the left end."),
    (SARABANDA, lay(0, "red-mi", LayPosition.ABOVE), "In Sarabanda there is only one row."),
    (GLISSANDO, lay(1, "red-la"), "red La does not continue the row: its ends take Mi, Sol."),
    (
        build_state(G, "orange-re blue-mi", "yellow-mi"),
        lay(0, "red-la"),
        "red La continues no row: their ends take Do, Re, Fa.",
    ),
    (GLISSANDO, lay(1, "indigo-la"), "indigo La opens a new row, and is not a step from green Fa."),
    (
        build_state(G, "yellow-mi", "green-fa"),
        lay(0, "indigo-la"),
        "indigo La opens a new row, and is a step from neither the topmost nor the bottommost one"
        " (yellow Mi, green Fa).",
    ),
    (
        build_state(G, "green-fa", any_row=True),
        lay(0, "indigo-la"),
        "indigo La opens a new row, and is a step from no note of the topmost or bottommost.",
    ),
    (
        GLISSANDO,
        lay(1, "blue-sol", LayPosition.FA_HIGH),
        "blue Sol has an oval: it opens a new row, and continues none.",
    ),
    (
        GLISSANDO,
        lay(1, "red-mi", LayPosition.FA_HIGH),
        "red Mi does not fit there: the left end of the row with green Fa takes Sol.",
    ),
    (GLISSANDO, lay(1, "red-mi", LayPosition.LA_LOW), "There is no such row: right end of the row with indigo La."),
    (GLISSANDO, lay(1, "red-mi", LayPosition.ABOVE), "red Mi has no oval, and opens no new row."),
    (
        build_state(G, "yellow-mi", "green-fa"),
        lay(0, "orange-re", LayPosition.BELOW),
        "orange Re is not a step from green Fa, which has opened the row there.",
    ),
    (
        build_state(G, "yellow-mi", "green-fa", any_row=True),
        lay(0, "orange-re", LayPosition.BELOW),
        "orange Re is a step from no note of the row there.",
    ),
    (PARADA, lay(0, "blue-la"), "blue La must wait: its colour is opened by blue Sol."),
    (
        build_state(P, "violet-si"),
        lay(0, "violet-do"),
        "In Parada violet Do does not lie beside violet Si: Do is the lowest note, and Si the highest.",
    ),
    (build_state(P, "yellow-mi"), lay(0, "yellow-la"), "yellow La is not a step from yellow Mi, the only card there."),
    (
        build_state(P, "yellow-mi yellow-fa"),
        lay(0, "yellow-la"),
        "yellow La is a step from neither end, yellow Mi and yellow Fa.",
    ),
]


@pytest.mark.parametrize(("state", "play", "reason"), REASONS, ids=[case[2] for case in REASONS])
def test_violation_names_each_card_once(state, play, reason):
    assert [str(violation.message) for violation in GAME.referee.judge(state, play)] == [reason]


# The deck and the deal


def test_deck_has_seven_colours_of_seven_notes_and_a_sign():
    assert len(DECK) == len(set(DECK)) == len(set(map(str, DECK))) == 56
    assert len(NOTES) == len(COLOURS) == 7
    signs = [str(card) for card in DECK if card.sign]
    assert signs == [
        "red-sharp",
        "orange-sharp",
        "yellow-natural",
        "green-natural",
        "blue-flat",
        "indigo-flat",
        "violet-rest",
    ]
    ovals = [str(card) for card in DECK if card.has_oval]
    assert ovals == ["red-do", "orange-re", "yellow-mi", "green-fa", "blue-sol", "indigo-la", "violet-si"]


def test_card_notation_survives_a_round_trip():
    assert all(parse_card(str(card)) is card for card in DECK)
    for word in ("", "red", "red-fis", "violet-sharp", "RED-DO", "pink-do"):
        with pytest.raises(Malformed):
            parse_card(word)


@pytest.mark.parametrize(
    ("seats", "options", "hand", "stock"),
    [
        (4, {}, 14, 0),
        *((seats, {}, 7, stock) for seats, stock in ((2, 42), (3, 35), (5, 21), (6, 14), (7, 7), (8, 0))),
        (4, {"individual": True}, 7, 28),
        (4, {"individual": True, "whole_deck": True}, 14, 0),
        (4, {"whole_deck": True}, 14, 0),
        (2, {"whole_deck": True}, 28, 0),
        (7, {"whole_deck": True}, 8, 0),
        (8, {"whole_deck": True}, 7, 0),
    ],
)
def test_hands_and_stock_depend_on_players_and_options(seats, options, hand, stock):
    state = GAME.referee.setup(Options(**options), seats, 0)
    assert (state.hands, state.stock) == ((hand,) * seats, stock)
    assert GAME.referee.board(state).stock == (None if stock == 0 else stock)


@pytest.mark.parametrize("dealer", range(4))
def test_deal_passes_left_and_the_next_player_begins(dealer):
    for rounds in range(5):
        state = GAME.referee.setup(Options(dealer=dealer), 4, rounds)
        assert state.turn == state.first == (dealer + rounds + 1) % 4


@pytest.mark.parametrize("seats", [1, 9])
def test_player_count_must_be_two_to_eight(seats):
    with pytest.raises(Malformed):
        build_options(GAME, seats, {})


def test_four_players_form_two_teams_unless_each_plays_alone():
    assert GAME.scoring.sides(Options(), 4) == ((NORTH, SOUTH), (EAST, WEST))
    for options in ({"individual": True}, {"whole_deck": True}):
        assert GAME.scoring.sides(Options(**options), 4) == ((0,), (1,), (2,), (3,))
    for seats in (2, 3, 5, 6, 7, 8):
        assert GAME.scoring.sides(Options(), seats) == GAME.scoring.sides(Options(individual=True), seats)
        assert len(GAME.scoring.sides(Options(), seats)) == seats


OPTIONS_THAT_DO_NOT_FIT = [
    *((seats, {"whole_deck": True}, Rule.PLAYERS) for seats in (3, 5, 6)),
    *((4, {"rounds": deals}, Rule.DEALS) for deals in (1, 3)),
    (4, {"individual": True, "rounds": 5}, Rule.DEALS),
    (4, {"whole_deck": True, "rounds": 6}, Rule.DEALS),
    (3, {"rounds": 4}, Rule.DEALS),
    (8, {"rounds": 7}, Rule.DEALS),
]
OPTIONS_THAT_FIT = [
    *((seats, {}) for seats in range(2, 9)),
    *((seats, {"whole_deck": True}) for seats in (2, 4, 7, 8)),
    *((4, {"rounds": deals}) for deals in (4, 5, 12)),
    (4, {"individual": True, "rounds": 8}),
    (2, {"rounds": 2}),
    (3, {"rounds": 6}),
]


@pytest.mark.parametrize(("seats", "options", "rule"), OPTIONS_THAT_DO_NOT_FIT)
def test_options_that_do_not_fit_are_rejected(seats, options, rule):
    (violation,) = GAME.options.check(Options(**options), seats)
    assert violation.rule is rule and "{" not in str(violation.message)


@pytest.mark.parametrize(("seats", "options"), OPTIONS_THAT_FIT)
def test_options_that_fit_are_accepted(seats, options):
    assert list(GAME.options.check(Options(**options), seats)) == []


# The bidding


def test_sixteen_bids_ascend():
    assert " ".join(Bid) == "1S 1G 1P 1M 2S 2G 2P 2M 3S 3G 3P 3M 4S 4G 4P 4M"
    assert [bid.rank for bid in Bid] == list(range(16))
    assert [kind.value_in_points for kind in Kind] == [1, 2, 3, 4]
    assert [bid.points for bid in Bid] == [level + kind for level in range(1, 5) for kind in range(1, 5)]


@pytest.mark.parametrize(("bid", "is_fine"), [(Bid.M1, False), (Bid.G2, False), (Bid.P2, True), (Bid.S4, True)])
def test_only_higher_bids_are_legal_after_2g(bid, is_fine):
    assert find_broken_rules(BIDDING, Call(2, bid)) == (set() if is_fine else {Rule.HIGHER_BID})


@pytest.mark.parametrize("last", Bid)
def test_every_bid_is_higher_than_those_before(last):
    line = ["1S", "1G", "1P", "1M", "2S", "2G", "2P", "2M", "3S", "3G", "3P", "3M", "4S", "4G", "4P", "4M"]
    state = replace(build_team_state(), calls=((1, last),), turn=2)
    legal = {bid.value for bid in Bid if not find_broken_rules(state, Call(2, bid))}
    assert legal == set(line[line.index(last) + 1 :])


def test_three_passes_after_a_bid_end_the_bidding():
    state = play_all(build_team_state(), Pass(1), Call(2, Bid.S1), Call(3, Bid.P3), Pass(0), Pass(1), Pass(2))
    assert (state.kind, state.highest, state.leader, state.turn) == (P, (3, Bid.P3), 3, 3)


def test_player_who_passed_may_bid_later():
    state = play_all(build_team_state(), Pass(1), Call(2, Bid.S1), Pass(3), Pass(0), Call(1, Bid.G1), Pass(2), Pass(3))
    assert state.tableau is None
    assert play_all(state, Pass(0)).leader == 1


@pytest.mark.parametrize("seats", [2, 4, 7, 8])
def test_all_but_the_bidder_must_pass(seats):
    state = GAME.referee.setup(Options(whole_deck=True), seats, 0)
    state = play_all(state, Call(1, Bid.M2))
    for step in range(seats - 1):
        assert state.tableau is None
        state = play_all(state, Pass((2 + step) % seats))
    assert (state.kind, state.leader, state.turn) == (M, 1, 1)


def test_everybody_passes_after_the_highest_bid():
    state = play_all(build_team_state(), Call(1, Bid.M4))
    assert {type(play) for play in GAME.referee.iter_legal_plays(state)} == {Pass, Foul}


def test_first_player_must_bid_after_four_passes():
    state = play_all(build_team_state(), Pass(1), Pass(2), Pass(3), Pass(0))
    assert state.must_bid and str(GAME.referee.board(state).status[0]) == "must bid: everybody has passed"
    assert not any(GAME.referee.is_legal(state, Pass(seat)) for seat in range(4))
    state = play_all(state, Call(1, Bid.S1), Pass(2), Pass(3), Pass(0))
    assert (state.leader, state.kind) == (1, S)


def test_four_passes_redeal_by_option():
    state = play_all(build_team_state(redeal=True), Pass(1), Pass(2), Pass(3), Pass(0))
    assert state == build_team_state(redeal=True)
    assert not find_broken_rules(state, Pass(1))


def test_insisted_pass_of_a_forced_bid_passes_it_on():
    state = GAME.referee.apply(ALL_PASSED, Pass(1))
    assert not find_broken_rules(state, Pass(2)) and not find_broken_rules(state, Call(2, Bid.S1))


@pytest.mark.parametrize("seats", [2, 3, 5, 6, 7, 8])
def test_player_left_of_the_dealer_chooses_without_bidding(seats):
    state = GAME.referee.setup(Options(dealer=seats - 1), seats, 0)
    assert {play.seat for play in GAME.referee.iter_legal_plays(state) if isinstance(play, Choose)} == {0}
    state = play_all(state, Choose(0, G))
    assert (state.kind, state.turn, state.leader) == (G, 0, 0)
    assert GAME.referee.setup(Options(dealer=seats - 1), seats, 1).first == 1 % seats


# The four kinds, compared with independent tables

BESIDE = {
    "do": "si re",
    "re": "do mi",
    "mi": "re fa",
    "fa": "mi sol",
    "sol": "fa la",
    "la": "sol si",
    "si": "la do",
}
"""Neighbours of a note in Sarabanda and in new rows of Glissando."""
BEFORE = {"do": "si", "re": "do", "mi": "re", "fa": "mi", "sol": "fa", "la": "sol", "si": "la"}
"""Glissando: the note taken at the low end."""
AFTER = {"do": "re", "re": "mi", "mi": "fa", "fa": "sol", "sol": "la", "la": "si", "si": "do"}
"""Glissando: the note taken at the high end."""
OVALS = ["red-do", "orange-re", "yellow-mi", "green-fa", "blue-sol", "indigo-la", "violet-si"]
PARADA_WAITS = {
    "red": "do! re<do mi<re fa<mi sol<fa la<sol si<la",
    "orange": "do<re re! mi<re fa<mi sol<fa la<sol si<la",
    "yellow": "do<re re<mi mi! fa<mi sol<fa la<sol si<la",
    "green": "do<re re<mi mi<fa fa! sol<fa la<sol si<la",
    "blue": "do<re re<mi mi<fa fa<sol sol! la<sol si<la",
    "indigo": "do<re re<mi mi<fa fa<sol sol<la la! si<la",
    "violet": "do<re re<mi mi<fa fa<sol sol<la la<si si!",
}
"""Parada: each note with the one that must be laid before it; `!` marks the opening note."""
MUZICANDO_WAITS = "do! re<do mi<re fa<mi sol<fa la<sol si<la"
"""Muzicando: the same for every colour."""
SIGN_WORDS = {
    "red": "sharp",
    "orange": "sharp",
    "yellow": "natural",
    "green": "natural",
    "blue": "flat",
    "indigo": "flat",
    "violet": "rest",
}


def get_colour(word):
    return word.split("-")[0]


def get_note(word):
    return word.split("-")[1]


def is_sign(word):
    return word.split("-")[1] in ("sharp", "natural", "flat", "rest")


def find_sarabanda_places(rows, word):
    """Return the places for a card in Sarabanda by the tables."""
    if is_sign(word):
        return {""} if get_colour(word) in {get_colour(laid_word) for laid_word in rows[0]} else set()
    if not rows:
        return {""} if get_note(word) == "do" else set()
    ends = {"left": rows[0][0], "right": rows[0][-1]}
    return {at for at, end in ends.items() if get_note(word) in BESIDE[get_note(end)].split()}


def find_glissando_places(rows, word):
    """Return the places for a card in Glissando by the tables; rows are named by their opening note."""
    if is_sign(word):
        return {""} if any(get_colour(word) == get_colour(laid_word) for row in rows for laid_word in row) else set()
    if not rows:
        return {""} if word in OVALS else set()
    openers = [next(get_note(laid_word) for laid_word in row if laid_word in OVALS) for row in rows]
    if word in OVALS:
        sides = {"above": openers[0], "below": openers[-1]}
        return {at for at, note in sides.items() if get_note(word) in BESIDE[note].split()}
    low = {f"{note}-low" for note, row in zip(openers, rows, strict=True) if BEFORE[get_note(row[0])] == get_note(word)}
    return low | {
        f"{note}-high" for note, row in zip(openers, rows, strict=True) if AFTER[get_note(row[-1])] == get_note(word)
    }


def find_column_places(waits, laid, word):
    """Return the places for a card in Parada or Muzicando by the tables."""
    if is_sign(word):
        opener = next(wait[:-1] for wait in waits.split() if wait.endswith("!"))
        return {""} if f"{get_colour(word)}-{opener}" in laid else set()
    (wait,) = [wait for wait in waits.split() if wait.startswith(get_note(word)) and wait[len(get_note(word))] in "!<"]
    first = wait.rstrip("!").partition("<")[2]
    return {""} if not first or f"{get_colour(word)}-{first}" in laid else set()


def find_expected_places(tableau, word):
    rows = [list(map(str, row)) for row in tableau.rows]
    laid = set(itertools.chain(*rows))
    match tableau.kind:
        case Kind.SARABANDA:
            return (
                find_sarabanda_places(rows, word)
                if rows
                else find_sarabanda_places([[]], word)
                if is_sign(word)
                else find_sarabanda_places([], word)
            )
        case Kind.GLISSANDO:
            return find_glissando_places(rows, word)
        case Kind.PARADA:
            return find_column_places(PARADA_WAITS[get_colour(word)], laid, word)
        case Kind.MUZICANDO:
            return find_column_places(MUZICANDO_WAITS, laid, word)


def assert_fits_match_tables(tableau, *, is_judged=False):
    """Check that cards fit exactly where the tables say, by the tableau and (slower) by `judge`."""
    laid = set(map(str, tableau.laid))
    state = replace(build_team_state(), tableau=tableau, leader=0, turn=0)
    for card in DECK:
        expected = find_expected_places(tableau, str(card)) if str(card) not in laid else set()
        assert {str(at or "") for at in tableau.fits.get(card, ())} == expected, (tableau.rows, str(card))
        if is_judged:
            places = {str(at or "") for at in (None, *LayPosition) if GAME.referee.is_legal(state, Lay(0, card, at))}
            is_unambiguous = len(expected) == 1 or (expected and tableau.kind is S and len(tableau.laid) == 1)
            assert places == (expected | {""} if is_unambiguous else expected), (tableau.rows, str(card))


def pick_free_cards(notes, taken, besides=()):
    """Return cards of these notes, except ovals, that are not taken yet."""
    cards = []
    for note in notes:
        colour = next(c for c in range(7) if c != note and Card(c, note) not in {*taken, *cards, *besides})
        cards.append(Card(colour, note))
    return tuple(cards)


@pytest.mark.parametrize("kind", Kind)
def test_kinds_match_their_tables_before_the_first_card(kind):
    assert_fits_match_tables(Tableau(kind), is_judged=True)


@pytest.mark.parametrize("left", range(7))
def test_sarabanda_matches_its_table_for_all_ends(left):
    for colour in range(7):
        assert_fits_match_tables(Tableau(S, ((Card(colour, left),),)))
    for right, middle in itertools.product(range(7), ((), (Card(3, 0),), (Card(3, 0), Card(4, 6)))):
        assert_fits_match_tables(Tableau(S, ((Card(1, left), *middle, Card(2, right)),)))


def test_sarabanda_takes_signs_of_the_colours_laid():
    for size in range(1, 8):
        for colours in itertools.combinations(range(7), size):
            assert_fits_match_tables(Tableau(S, (tuple(Card(colour, 0) for colour in colours),)))


def build_glissando_row(opener, lower, higher, taken=()):
    """Return a row around the oval of a note, with cards below and above it."""
    low = [(opener - step) % 7 for step in range(lower, 0, -1)]
    high = [(opener + step) % 7 for step in range(1, higher + 1)]
    below = pick_free_cards(low, taken)
    return (*below, Card(opener, opener), *pick_free_cards(high, taken, below))


@pytest.mark.parametrize("opener", range(7))
def test_glissando_matches_its_table_for_every_row(opener):
    for lower, higher in itertools.product(range(10), repeat=2):
        assert_fits_match_tables(Tableau(G, (build_glissando_row(opener, lower, higher),), (Card(opener, opener),)))


@pytest.mark.parametrize("top", range(7))
def test_glissando_matches_its_table_for_any_two_rows(top):
    for bottom in {*range(7)} - {top}:
        for lower, higher, low, high in itertools.product(range(3), range(4), range(3), range(3)):
            first = build_glissando_row(top, lower, higher)
            second = build_glissando_row(bottom, low, high, first)
            openers = (Card(top, top), Card(bottom, bottom))
            assert_fits_match_tables(Tableau(G, (first, second), openers))


def test_glissando_matches_its_table_for_any_openers():
    for size in range(3, 8):
        for steps in itertools.permutations(range(7), size):
            if size < 5 or steps[1] == 3:
                openers = tuple(Card(step, step) for step in steps)
                assert_fits_match_tables(Tableau(G, tuple((opener,) for opener in openers), openers))


def iter_columns(colour):
    """Yield the empty column and every run of a colour around its oval."""
    yield ()
    for low, high in itertools.product(range(colour + 1), range(colour, 7)):
        yield tuple(Card(colour, step) for step in range(low, high + 1))


@pytest.mark.parametrize("colour", range(7))
def test_parada_matches_its_table_for_every_column(colour):
    other_colour = (colour + 3) % 7
    for column, other_column in itertools.product(iter_columns(colour), list(iter_columns(other_colour))[::5]):
        rows = tuple(column if c == colour else other_column if c == other_colour else () for c in range(7))
        assert_fits_match_tables(Tableau(P, rows if column or other_column else ()))


@pytest.mark.parametrize("colour", range(7))
def test_muzicando_matches_its_table_for_every_pile(colour):
    for height, *others in itertools.product(range(8), (0, 1, 7), (0, 3)):
        heights = {colour: height, (colour + 1) % 7: others[0], (colour + 4) % 7: others[1]}
        rows = tuple(tuple(Card(c, step) for step in range(heights.get(c, 0))) for c in range(7))
        assert_fits_match_tables(Tableau(M, rows if any(rows) else ()))


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.random
def test_kinds_match_their_tables_in_random_deals(kind, seed):
    chance = Random(f"{kind} {seed}")
    state = build_state(kind)
    while not state.is_over:
        assert_fits_match_tables(state.tableau, is_judged=chance.random() < 0.1)
        cards_only = [play for play in GAME.referee.iter_legal_plays(state) if isinstance(play, Lay)]
        others = [play for play in GAME.referee.iter_legal_plays(state) if isinstance(play, Pass | Stop)]
        state = GAME.referee.apply(state, chance.choice(cards_only or others))


def test_parada_and_muzicando_can_always_be_finished():
    for kind, seed in itertools.product((P, M), range(20)):
        chance, state = Random(f"out {kind} {seed}"), build_state(kind)
        while not state.is_over:
            lays = [play for play in GAME.referee.iter_legal_plays(state) if isinstance(play, Lay)]
            state = GAME.referee.apply(state, chance.choice(lays or [Stop(state.turn)]))
        assert len(state.order) == 4 and len(state.laid) == 56


# Sarabanda


@pytest.mark.parametrize("end", ["red-do orange-si", "violet-si"])
def test_sarabanda_puts_do_beside_si(end):
    assert not find_broken_rules(build_state(S, end), lay(0, "blue-do", LayPosition.RIGHT))
    assert not find_broken_rules(build_state(S, "violet-si green-do"), lay(0, "blue-si", LayPosition.RIGHT))


def test_sarabanda_rows_may_zigzag():
    state = play_all(
        build_state(S), lay(0, "red-do"), lay(1, "red-re", LayPosition.RIGHT), lay(2, "blue-do", LayPosition.RIGHT)
    )
    state = play_all(
        state, lay(3, "blue-re", LayPosition.RIGHT), lay(0, "red-mi"), lay(1, "green-re", LayPosition.RIGHT)
    )
    assert [str(card) for card in state.tableau.rows[0]] == [
        "red-do",
        "red-re",
        "blue-do",
        "blue-re",
        "red-mi",
        "green-re",
    ]


def test_position_is_asked_only_if_there_are_two():
    state = build_state(S, "red-do green-do")
    question = complete_play(GAME, state, {"kind": "lay", "card": "red-re"})
    assert isinstance(question, Ambiguity) and question.field == "at"
    assert [option.word for option in question.alternatives] == ["left", "right"]
    assert complete_play(GAME, build_state(S, "red-do orange-re"), {"kind": "lay", "card": "red-mi"}) == lay(
        0, "red-mi"
    )
    assert complete_play(GAME, build_state(S), {"kind": "lay", "card": "red-do"}) == lay(0, "red-do")
    assert complete_play(GAME, state, {"kind": "lay", "card": "red-sharp"}) == lay(0, "red-sharp")


def test_ends_of_the_first_sarabanda_card_are_equivalent():
    """The ends mirror each other, so naming one is optional."""
    state = build_state(S, "red-do")
    assert complete_play(GAME, state, {"kind": "lay", "card": "red-re"}) == lay(0, "red-re")
    assert play_all(state, lay(0, "red-re")).tableau.rows == (parse_row("red-do red-re"),)
    assert play_all(state, lay(0, "red-re", LayPosition.LEFT)).tableau.rows == (parse_row("red-re red-do"),)
    state = build_state(S, "red-do", signs="red-sharp")
    assert complete_play(GAME, state, {"kind": "lay", "card": "blue-si"}) == lay(0, "blue-si")


# Glissando


def test_glissando_rows_wrap_from_si_to_do():
    state = play_all(build_state(G), lay(0, "violet-si"), lay(1, "blue-do"), lay(2, "red-re"), lay(3, "red-la"))
    assert [str(card) for card in state.tableau.rows[0]] == ["red-la", "violet-si", "blue-do", "red-re"]
    assert find_broken_rules(state, lay(0, "red-si")) == {Rule.GLISSANDO}


def test_new_row_is_a_step_from_an_outer_opener():
    state = play_all(GLISSANDO, lay(1, "blue-sol", LayPosition.ABOVE))
    assert [str(card) for card in state.tableau.openers] == ["blue-sol", "green-fa"]
    assert state.tableau.fits[parse_card("indigo-la")] == (LayPosition.ABOVE,)
    assert state.tableau.fits[parse_card("yellow-mi")] == (LayPosition.BELOW,)
    assert parse_card("orange-re") not in state.tableau.fits
    state = play_all(
        state, lay(2, "yellow-mi"), lay(3, "orange-re"), lay(0, "red-do"), lay(1, "violet-si", LayPosition.BELOW)
    )
    assert [str(row[0]) for row in state.tableau.rows][-1] == "violet-si"


def test_position_is_asked_for_a_card_that_two_rows_take():
    rows = ("yellow-mi", "green-fa red-sol")
    assert complete_play(GAME, build_state(G, *rows), {"kind": "lay", "card": "red-mi"}) == lay(0, "red-mi")
    state = build_state(G, "yellow-mi red-fa", "green-fa")
    question = complete_play(GAME, state, {"kind": "lay", "card": "red-sol"})
    assert isinstance(question, Ambiguity)
    assert [option.word for option in question.alternatives] == ["mi-high", "fa-high"]
    assert [str(option.label) for option in question.alternatives] == [
        "left end of the row with yellow Mi",
        "left end of the row with green Fa",
    ]
    state = play_all(state, lay(0, "red-sol", LayPosition.FA_HIGH))
    assert [len(row) for row in state.tableau.rows] == [2, 2]


def test_new_row_beside_any_outer_note_by_option():
    rows = ("yellow-mi", "green-fa red-sol red-la red-si")
    assert find_broken_rules(build_state(G, *rows), lay(0, "red-do")) == {Rule.GLISSANDO}
    state = build_state(G, *rows, any_row=True)
    assert play_all(state, lay(0, "red-do")).tableau.openers[-1] == parse_card("red-do")
    assert state.tableau.fits[parse_card("red-do")] == (LayPosition.BELOW,)
    assert parse_card("red-do") not in build_state(G, "yellow-mi", "green-fa red-sol", any_row=True).tableau.fits


# Parada and Muzicando


def test_yellow_parada_column_from_mi_to_si_takes_only_re():
    assert find_broken_rules(PARADA, lay(0, "yellow-re")) == set()
    assert find_broken_rules(PARADA, lay(0, "yellow-do")) == {Rule.PARADA}


def test_parada_puts_do_beside_si_by_option():
    state = build_state(P, "yellow-mi yellow-fa yellow-sol yellow-la yellow-si", parada_wrap=True)
    assert find_broken_rules(state, lay(0, "yellow-do")) == set()
    assert not find_broken_rules(play_all(state, lay(0, "yellow-do")), lay(1, "yellow-re"))
    assert find_broken_rules(build_state(P, "violet-si", parada_wrap=True), lay(0, "violet-do")) == set()
    assert find_broken_rules(build_state(P, "violet-si"), lay(0, "violet-do")) == {Rule.PARADA}
    assert find_broken_rules(build_state(P, "violet-si", parada_wrap=True), lay(0, "violet-re")) == {Rule.PARADA}


@pytest.mark.parametrize(
    ("word", "rules"),
    [
        ("red-mi", set()),
        ("red-fa", {Rule.MUZICANDO}),
        ("blue-do", set()),
        ("blue-flat", {Rule.SIGNS}),
        ("red-sharp", set()),
    ],
)
def test_muzicando_after_red_do_and_re(word, rules):
    assert find_broken_rules(MUZICANDO, lay(0, word)) == rules


def test_do_does_not_follow_si_in_muzicando():
    assert not build_state(M, "red-do red-re red-mi red-fa red-sol red-la red-si").tableau.fits.get(
        parse_card("blue-re")
    )
    assert build_state(M, "red-do").tableau.next_step(0) == 1


# Signs


SIGN_WORD = {Sign.SHARP: "red-sharp", Sign.NATURAL: "yellow-natural", Sign.FLAT: "blue-flat"}
OPEN = "red-do yellow-re blue-mi violet-fa"


@pytest.mark.parametrize(
    ("sign", "order"), [("sharp", [2, 3, 0, 1]), ("flat", [1, 2, 0, 1]), ("natural", [2, 0, 1, 2])]
)
def test_sign_makes_a_neighbour_miss_one_turn(sign, order):
    """Player 0 lays the sign; the others pass."""
    state = play_all(build_state(S, OPEN), lay(0, SIGN_WORD[Sign(sign)]))
    turns = []
    for _turn in range(4):
        turns.append(state.turn)
        state = GAME.referee.apply(replace(state, passed=frozenset()), Pass(state.turn))
    assert turns == order


def test_sign_hits_the_partner_too():
    state = play_all(build_state(S, OPEN, hands=(9, 0, 9, 0)), lay(0, "red-sharp"))
    assert state.turn == 0


def test_signs_hit_players_who_still_hold_cards():
    state = play_all(build_state(S, OPEN, hands=(9, 0, 9, 9)), lay(0, "red-sharp"))
    assert state.turn == 3
    state = play_all(build_state(S, OPEN, hands=(9, 9, 9, 0)), lay(0, "blue-flat"), lay(1, "red-si", LayPosition.LEFT))
    assert state.turn == 0, "player 2 has missed a turn"


def test_natural_hits_the_only_other_player_once():
    state = play_all(build_state(S, OPEN, hands=(9, 0, 9, 0)), lay(0, "yellow-natural"))
    assert state.turn == 0
    assert GAME.referee.apply(state, Pass(0)).turn == 2


def test_player_lays_again_if_all_others_miss_a_turn():
    state = play_all(build_state(S, OPEN, seats=3, hands=(7, 7, 7), stock=5), lay(0, "yellow-natural"))
    assert state.turn == 0
    assert (state.missing, state.missed) == (frozenset(), {1, 2})


def test_sharp_and_natural_against_a_player_cost_one_turn():
    state = play_all(build_state(S, OPEN), lay(0, "red-sharp"))
    assert (state.turn, state.missed) == (2, {1})
    state = play_all(state, lay(2, "yellow-natural"))
    assert state.turn == 0, "player 3 misses a turn"
    assert GAME.referee.apply(state, Pass(0)).turn == 1, "player 1 does not miss two in a row"


def test_flat_and_sharp_before_the_turn_cost_one_turn():
    state = play_all(
        build_state(S, OPEN, turn=1), lay(1, "blue-flat"), lay(2, "red-si", LayPosition.LEFT), lay(3, "red-sharp")
    )
    assert state.turn == 1, "player 0 misses one turn"
    state = GAME.referee.apply(GAME.referee.apply(GAME.referee.apply(state, Pass(1)), Pass(2)), Pass(3))
    assert state.turn == 0


def test_player_who_has_played_can_miss_another_turn():
    state = play_all(build_state(S, OPEN), lay(0, "red-sharp"), lay(2, "red-si", LayPosition.LEFT), lay(3, "red-la"))
    state = play_all(state, lay(0, "red-sol", LayPosition.LEFT))
    assert state.turn == 1 and state.missed == {1}
    state = play_all(state, lay(1, "red-fa"), lay(2, "yellow-natural"))
    assert state.turn == 0 and state.missing == {1}


def test_missed_turn_is_remembered_across_a_rest():
    """Player 1 misses a turn by the sharp of 0 and sits out the rest of 2: another sharp of 0 does not hit."""
    state = play_all(build_state(S, "red-do orange-re violet-mi"), lay(0, "red-sharp"), lay(2, "violet-rest"), Stop(2))
    assert (state.turn, state.missed) == (3, {1})
    state = play_all(state, Pass(3), lay(0, "orange-sharp"))
    assert state.turn == 1


def test_sitting_out_a_rest_is_not_a_missed_turn():
    state = play_all(build_state(S, "red-do orange-re violet-mi"), lay(0, "violet-rest"), Stop(0), lay(1, "red-sharp"))
    assert (state.turn, state.missed) == (3, {2})


def test_rest_laid_last_passes_over_a_player_once():
    """Player 0 hands the turn to 2; the sharp of 3 does not make 1 miss another turn."""
    state = play_all(build_state(S, "red-do violet-re", hands=(1, 9, 9, 9)), lay(0, "violet-rest"))
    assert (state.turn, state.missed, list_missing_seats(state)) == (2, {1}, [1])
    state = play_all(state, lay(2, "red-mi"), lay(3, "red-sharp"))
    assert state.turn == 1


def test_player_who_missed_a_turn_learns_whose_turn_it_is():
    state = play_all(build_state(S, OPEN), lay(0, "red-sharp"))
    assert str(next(GAME.referee.judge(state, Pass(1))).message) == (
        "Player 2 has just missed a turn: it is the turn of Player 3."
    )
    state = play_all(state, Pass(2))
    assert str(next(GAME.referee.judge(state, Pass(1))).message) == "It is the turn of Player 4."
    flat = play_all(build_state(S, OPEN), lay(0, "blue-flat"))
    assert str(next(GAME.referee.judge(flat, Pass(3))).message) == "Player 4 misses a turn."


class MissedTurnChecker:
    """Tracks missed turns from the plays and turns alone, and checks them."""

    def __init__(self, state):
        self.misses = dict.fromkeys(range(state.seats), 0)
        self.due, self.is_run = set(), False

    def record(self, state, play):
        """Check a legal play: nobody is passed over twice in a row, and players hit by a sign are passed over."""
        after, seat = GAME.referee.apply(state, play), play.seat
        seats = [(seat + step) % state.seats for step in range(1, state.seats + 1)]
        others = [player for player in seats if after.hands[player] and player != seat]
        assert seat not in self.due, "a sign had no effect"
        self.misses[seat] = 0
        sign = play.card.sign if isinstance(play, Lay) else None
        was_run, self.is_run = self.is_run, self.is_run_continued(after, play, others)
        if sign is Sign.REST:
            self.due = set()
        elif sign and not was_run and others:
            hit = {Sign.SHARP: {others[0]}, Sign.FLAT: {others[-1]}, Sign.NATURAL: {others[0], others[-1]}}[sign]
            self.due |= {player for player in hit if not self.misses[player]}
        if not self.is_run and not after.is_over:
            is_lap = self.due >= set(others)  # everybody else misses a turn, so the next player plays
            for player in others if is_lap else others[: others.index(after.turn)]:
                self.pass_over(player, is_handed_over=sign is Sign.REST)
        return after

    def is_run_continued(self, after, play, others):
        if isinstance(play, Stop | Pass) or not after.hands[play.seat]:
            return False
        return bool(others) and (self.is_run or play.card.sign is Sign.REST)

    def pass_over(self, seat, *, is_handed_over):
        """Check that a player misses a turn only by a sign, or by a rest laid as the last card (leaflet)."""
        self.misses[seat] += 1
        assert is_handed_over or self.misses[seat] == 1, "two turns in a row"
        assert is_handed_over or seat in self.due
        self.due -= {seat}


MISSED_TURN_PLAYS = choose_count(2_000, 10_000)


@pytest.mark.parametrize("seats", GAME.about.seats)
def test_nobody_misses_two_turns_in_a_row_in_random_deals(seats):
    """Prefers signs, to make missed turns frequent."""
    chance, plays, missed = Random(f"missed turns {seats}"), 0, 0
    while plays < MISSED_TURN_PLAYS / len(GAME.about.seats):
        state = build_state(chance.choice(list(Kind)), seats=seats, individual=chance.random() < 0.5, turn=0)
        state = replace(state, stock=0, hands=GAME.referee.setup(state.options, seats, 0).hands)
        checker = MissedTurnChecker(state)
        while not state.is_over:
            legal = [play for play in GAME.referee.iter_legal_plays(state) if not isinstance(play, Foul)]
            signs = [play for play in legal if isinstance(play, Lay) and play.card.sign]
            lays = [play for play in legal if isinstance(play, Lay)]
            preferred = chance.choice((signs, lays, legal)) or legal
            state = checker.record(state, chance.choice(preferred))
            plays += 1
            missed += len(state.skipped)
    assert missed > plays / 100


def test_missed_turn_is_not_a_pass():
    state = play_all(build_state(S, OPEN), lay(0, "red-sharp"))
    for seat in (2, 3, 0):
        state = GAME.referee.apply(state, Pass(seat))
    assert not state.is_over and state.turn == 1
    assert GAME.referee.apply(state, Pass(1)).is_over


def test_sign_works_as_the_last_card():
    state = play_all(build_state(S, OPEN, hands=(1, 9, 9, 9)), lay(0, "yellow-natural"))
    assert (state.order, state.turn, state.missing) == ((0,), 2, {3})


@pytest.mark.parametrize("kind", [S, G])
def test_signs_may_be_laid_on_row_ends_except_by_option(kind):
    laid = "red-do orange-re blue-mi"
    assert not find_broken_rules(build_state(kind, laid), lay(0, "blue-flat"))
    state = build_state(kind, laid, signs_between=True)
    assert find_broken_rules(state, lay(0, "blue-flat")) == {Rule.SIGNS}
    assert not find_broken_rules(state, lay(0, "orange-sharp"))
    assert find_broken_rules(state, lay(0, "green-natural")) == {Rule.SIGNS}


def test_sign_is_laid_on_a_note_of_its_colour():
    state = play_all(build_state(S, "red-do orange-re blue-mi"), lay(0, "blue-flat"))
    assert state.tableau.signs == ((parse_card("blue-flat"), parse_card("blue-mi")),)
    state = play_all(build_state(P, "orange-re orange-mi"), lay(0, "orange-sharp"))
    assert state.tableau.signs == ((parse_card("orange-sharp"), parse_card("orange-re")),)


# The rest


def test_player_lays_on_after_a_rest_until_they_stop():
    state = play_all(build_state(S, OPEN), lay(0, "violet-rest"))
    assert (state.turn, state.is_run) == (0, True)
    state = play_all(state, lay(0, "red-si"), lay(0, "blue-flat"), lay(0, "yellow-natural"), lay(0, "red-la"))
    assert (state.turn, state.missing) == (0, frozenset())
    state = play_all(state, Stop(0))
    assert (state.turn, state.is_run, state.missed) == (1, False, frozenset())


def test_rest_cancels_turns_to_be_missed():
    state = play_all(replace(build_state(S, OPEN), missing=frozenset({1})), lay(0, "violet-rest"), Stop(0))
    assert state.turn == 1


def test_run_ends_with_the_last_card():
    state = play_all(build_state(S, OPEN, hands=(2, 9, 9, 9)), lay(0, "violet-rest"), lay(0, "red-si"))
    assert (state.order, state.turn, state.is_run) == ((0,), 1, False)


def test_rest_as_the_last_card_hands_the_turn_to_the_partner():
    state = play_all(build_state(S, OPEN, hands=(1, 9, 9, 9)), lay(0, "violet-rest"))
    assert (state.order, state.turn, state.is_run) == ((0,), 2, False)
    assert play_all(state, lay(2, "red-si")).turn == 3
    assert play_all(state, Pass(2)).turn == 3


def test_rest_as_the_last_card_without_a_partner_goes_clockwise():
    assert play_all(build_state(S, OPEN, hands=(1, 9, 0, 9)), lay(0, "violet-rest")).turn == 1
    state = build_state(S, OPEN, individual=True, hands=(1, 9, 9, 9), stock=24)
    assert play_all(state, lay(0, "violet-rest")).turn == 1


def test_rest_has_no_effect_for_the_last_player():
    state = play_all(build_state(S, OPEN, hands=(9, 0, 0, 0)), lay(0, "violet-rest"))
    assert (state.turn, state.is_run) == (0, False)


def test_card_out_of_turn_ends_the_run():
    state = GAME.referee.apply(RUN, lay(3, "red-re", LayPosition.LEFT))
    assert (state.is_run, state.turn) == (False, 0)
    assert GAME.referee.apply(RUN, Pass(2)).is_run is False


# Passing, going out, and the end of a deal


def test_pass_is_accepted_while_somebody_else_may_hold_the_note():
    state = play_all(build_state(S, "red-do"), Pass(0), Pass(1), Pass(2))
    assert find_broken_rules(state, Pass(3)) == {Rule.NO_IDLE_PASS}
    assert "holds" in str(next(GAME.referee.judge(state, Pass(3))).message)


def test_signs_are_never_compulsory():
    every_note = " ".join(str(card) for card in DECK if not card.sign and card.colour < 6)
    state = build_state(M, every_note, hands=(0, 7, 0, 7), order=(0, 2), turn=1)
    violet = "violet-do violet-re violet-mi violet-fa violet-sol violet-la violet-si"
    state = replace(state, tableau=build_state(M, every_note, violet).tableau)
    assert GAME.referee.apply(play_all(state, Pass(1), Pass(3)), Foul(1)).is_over
    state = play_all(state, Pass(1), Pass(3))
    assert state.is_over
    assert GAME.referee.tally(state) == (deal(bid="1M", bidder="1", order="0,2", stuck="yes"),)


def test_opening_card_may_come_from_anybody():
    state = play_all(build_state(G), Pass(0), Pass(1), Pass(2))
    assert play_all(state, lay(3, "green-fa")).turn == 0


def test_deal_ends_when_everybody_with_cards_passes():
    """The row ends in Re and Fa, and no neighbouring note is left."""
    laid = " ".join(str(card) for card in DECK if card.step in (0, 2, 4) and str(card) not in ("red-do", "violet-sol"))
    state = build_state(S, f"red-do red-re {laid} red-fa", hands=(0, 9, 9, 9), order=(0,), turn=1)
    state = replace(
        state, tableau=replace(state.tableau, rows=(parse_row(f"orange-re {laid} red-do violet-sol red-fa"),))
    )
    assert not [card for card in state.tableau.fits if not card.sign]
    state = play_all(state, Pass(1), Pass(2))
    assert not state.is_over
    state = play_all(state, Pass(3))
    assert state.is_over and GAME.referee.board(state).turn is None
    assert GAME.referee.tally(state)[0] == deal(bid="1S", bidder="1", order="0", stuck="yes")


def test_card_between_passes_starts_the_count_again():
    state = play_all(build_state(S, "red-do"), Pass(0), Pass(1), Pass(2), lay(3, "red-re", LayPosition.LEFT))
    assert state.passed == frozenset()
    assert not find_broken_rules(state, Pass(0))


def test_players_who_are_out_are_skipped():
    state = build_state(M, "red-do", hands=(1, 1, 0, 3), order=(2,), turn=0)
    state = play_all(state, lay(0, "red-re"), lay(1, "red-mi"))
    assert (state.order, state.turn, state.is_over) == ((2, 0, 1), 3, False)
    state = play_all(state, lay(3, "red-fa"), lay(3, "red-sol"))
    assert state.turn == 3
    state = play_all(state, lay(3, "red-la"))
    assert state.is_over and state.order == (2, 0, 1, 3)
    assert list(GAME.referee.iter_legal_plays(state)) == []
    assert GAME.referee.tally(state) == (deal(bid="1M", bidder="0", order="2,0,1"),)


def test_pass_draws_a_card_while_the_stock_lasts():
    state = build_state(S, "red-do", seats=3, hands=(7, 7, 7), stock=1, turn=0)
    state = play_all(state, Pass(0))
    assert (state.hands, state.stock, state.turn, state.passed) == ((8, 7, 7), 0, 1, frozenset())
    state = play_all(state, Pass(1))
    assert (state.hands, state.passed) == ((8, 7, 7), {1})


def test_last_player_draws_until_the_stock_is_empty():
    state = build_state(S, "red-do", seats=2, hands=(0, 3), stock=2, turn=1, order=(0,))
    state = play_all(state, Pass(1), Pass(1))
    assert (state.hands, state.stock, state.turn) == ((0, 5), 0, 1)
    assert find_broken_rules(state, Pass(1)) == {Rule.NO_IDLE_PASS}


def test_foul_ends_the_deal_at_any_time():
    for state in (build_team_state(), BIDDING, CHOOSING, SARABANDA, RUN):
        after = play_all(state, Foul(1))
        assert after.is_over and GAME.referee.board(after).turn is None
        (count,) = GAME.referee.tally(after)
        assert (count.foul, count.order, count.stuck) == (1, (), False)


# Scoring


@pytest.mark.parametrize("players", range(2, 9))
def test_places_score_from_the_number_of_players_down(players):
    order = ",".join(map(str, range(players - 1)))
    options = {"individual": True}
    count = deal(players, opening="s", order=order)
    sheet = GAME.scoring.score(Options(**options), (count,))
    assert sheet.lines[0].values == tuple(range(players, 0, -1))
    assert sheet.points == tuple(place + 1 for place in range(players, 0, -1))
    stuck = GAME.scoring.score(Options(**options), (deal(players, opening="s", order=order, stuck="yes"),))
    assert stuck.lines[0].values == (*range(players, 1, -1), 0)


@pytest.mark.parametrize(
    ("words", "scored"),
    [
        ({"bid": "3P", "bidder": "0", "order": "0,1,3"}, (11, 5)),
        ({"bid": "3P", "bidder": "2", "order": "0,1,3"}, (11, 5)),
        ({"bid": "3S", "bidder": "0", "order": "1,0,3", "stuck": "yes"}, (-1, 6)),
        ({"bid": "4M", "bidder": "0", "order": "0,2,1"}, (15, 3)),
        ({"bid": "4G", "bidder": "0", "order": "1,3,0", "stuck": "yes"}, (-4, 7)),
        ({"bid": "1S", "bidder": "1", "order": "1,3,0"}, (3, 9)),
        ({"bid": "1S", "bidder": "1", "order": "1,3,0,2"}, (3, 9)),
        ({"bid": "2G", "bidder": "0", "stuck": "yes"}, (-4, 0)),
        ({"bid": "2G", "bidder": "0", "order": "2", "stuck": "yes"}, (8, 0)),
        ({"foul": "3"}, (0, -12)),
        ({"foul": "0", "bid": "4M", "bidder": "1"}, (-12, 0)),
        ({"foul": "0", "bid": "4M", "bidder": "0", "order": "0,2,1", "stuck": "yes"}, (-12, 0)),
    ],
)
def test_team_deal_scores_by_seat(words, scored):
    assert score_deal(deal(**words)) == scored
    assert check_counts(deal(**words)) == {}


@pytest.mark.parametrize("bid", Bid)
def test_contract_scores_level_plus_kind_either_way(bid):
    made, missed = deal(bid=bid, bidder="0", order="0,1,2"), deal(bid=bid, bidder="0", order="1,0,2")
    assert score_deal(made)[0] - bid.points == 4 + 2
    assert score_deal(missed)[0] + bid.points == 3 + 2
    assert str(GAME.scoring.score(Options(), (made,)).verdict) == f"{bid} is made."
    assert str(GAME.scoring.score(Options(), (missed,)).verdict) == f"{bid} is not made."


def test_kind_scores_for_everybody_or_the_chooser():
    assert score_deal(deal(3, opening="m", order="2,0")) == (2 + 4, 1 + 4, 3 + 4)
    assert score_deal(deal(3, opening="m", order="2,0", chooser="1"), chooser_only=True) == (2, 1 + 4, 3)
    assert score_deal(deal(8, opening="p", order="0,1,2,3,4,5,6")) == (11, 10, 9, 8, 7, 6, 5, 4)


@pytest.mark.parametrize("players", [2, 4, 7, 8])
def test_contract_of_a_single_player_scores_for_them(players):
    options = {"whole_deck": True}
    order = ",".join(map(str, range(players - 1)))
    places = list(range(players, 0, -1))
    assert score_deal(deal(players, bid="2P", bidder="0", order=order), **options) == (places[0] + 5, *places[1:])
    assert score_deal(deal(players, bid="2P", bidder="1", order=order), **options) == (
        places[0],
        places[1] - 5,
        *places[2:],
    )


def test_foul_costs_11_alone_and_12_in_a_team():
    assert score_deal(deal(5, foul="3")) == (0, 0, 0, -11, 0)
    assert score_deal(deal(4, foul="3"), individual=True) == (0, 0, 0, -11)
    assert score_deal(deal(4, foul="3")) == (0, -12)
    sheet = GAME.scoring.score(Options(), (deal(foul="3"),))
    assert [line.values for line in sheet.lines] == [(None, -12)]


def test_refereed_deal_scores_like_a_counted_one():
    state = build_state(M, "red-do", seats=3, hands=(1, 1, 1), stock=0, turn=1, chooser_only=True)
    state = play_all(state, lay(1, "red-re"), lay(2, "red-mi"), lay(0, "red-fa"))
    assert GAME.referee.tally(state) == (deal(3, opening="m", order="1,2", chooser="1"),)
    assert GAME.scoring.score(state.options, GAME.referee.tally(state)).points == (1, 3 + 4, 2)


@pytest.mark.parametrize(
    ("seats", "options", "deals"), [(4, {}, 4), (4, {"rounds": 6}, 6), (3, {}, 3), (5, {"rounds": 10}, 10), (2, {}, 2)]
)
def test_number_of_deals_depends_on_players_and_options(seats, options, deals):
    assert GAME.scoring.round_count(Options(**options), seats) == deals
    count = deal(seats, **({"foul": "0"}))
    sheet = GAME.scoring.score(Options(**options), (count,))
    assert not GAME.scoring.standing(Options(**options), seats, (sheet,) * (deals - 1)).is_over
    standing = GAME.scoring.standing(Options(**options), seats, (sheet,) * deals)
    assert standing.is_over and standing.totals[0] == deals * sheet.points[0]


def test_highest_total_wins_and_ties_share():
    sheets = [
        GAME.scoring.score(Options(), (count,)) for count in (deal(foul="0"), deal(bid="1S", bidder="0", order="0,1,2"))
    ]
    won = GAME.scoring.standing(Options(), 4, tuple(sheets * 2))
    assert (won.totals, won.ranks) == ((-8, 8), (2, 1))
    assert str(won.verdict) == "Player 2, Player 4 win with 8."
    shared = GAME.scoring.standing(
        Options(), 4, tuple(GAME.scoring.score(Options(), (deal(foul=str(n)),)) for n in range(4))
    )
    assert shared.ranks == (1, 1)
    assert "share the win with -24" in str(shared.verdict)
    standing = GAME.scoring.standing(
        Options(), 2, (GAME.scoring.score(Options(), (deal(2, opening="s", order="1"),)),) * 2
    )
    assert str(standing.verdict) == "Player 2 wins with 6."


# The pad

PAD = [
    ("places that are told are fine", 4, {}, deal(bid="3P", bidder="0", order="0,1,3"), {}),
    ("the last one may be named too", 4, {}, deal(bid="3P", bidder="0", order="0,1,3,2"), {}),
    ("the last one may be stuck in Sarabanda", 4, {}, deal(bid="3S", bidder="0", order="0,1,3", stuck="yes"), {}),
    ("the last one may be stuck in Glissando", 4, {}, deal(bid="3G", bidder="0", order="0,1,3", stuck="yes"), {}),
    ("two may be stuck in Sarabanda", 4, {}, deal(bid="3S", bidder="0", order="0,1", stuck="yes"), {}),
    ("eight may be stuck in Glissando", 8, {}, deal(8, opening="g", stuck="yes"), {}),
    ("two may be stuck in Muzicando", 4, {}, TWO_STUCK, {Rule.MUZICANDO: FREE}),
    ("five may be stuck in Parada", 5, {}, deal(5, opening="p", stuck="yes"), {Rule.PARADA: FREE}),
    ("seven may have kept a sign each", 8, {}, deal(8, opening="m", order="3", stuck="yes"), {Rule.MUZICANDO: FREE}),
    ("eight cannot have kept one", 8, {}, deal(8, opening="m", stuck="yes"), {Rule.MUZICANDO: BOUND}),
    (
        "the last one alone cannot be stuck in Parada",
        4,
        {},
        deal(bid="3P", bidder="0", order="0,1,3", stuck="yes"),
        {Rule.PARADA: FREE},
    ),
    (
        "the last one alone cannot be stuck in Muzicando",
        3,
        {},
        deal(3, opening="m", order="0,1", stuck="yes"),
        {Rule.MUZICANDO: FREE},
    ),
    ("two at one place cannot be", 4, {}, deal(bid="3S", bidder="0", order="0,1,1"), {Rule.SCORE: BOUND}),
    (
        "five of four cannot be",
        4,
        {},
        deal(bid="3S", bidder="0", order="0,1,2,3,0"),
        {Rule.SCORE: BOUND},
    ),
    ("a fifth player cannot be", 4, {}, deal(bid="3S", bidder="4", order="0,1,2"), {Rule.PLAYERS: BOUND}),
    ("a fifth player cannot have broken rules", 4, {}, deal(foul="4"), {Rule.PLAYERS: BOUND}),
    ("teams need a contract", 4, {}, deal(opening="s", order="0,1,2"), {Rule.CONTRACT: BOUND}),
    (
        "a contract alone is enough",
        4,
        {},
        deal(bid="1S", bidder="0", opening="s", order="0,1,2"),
        {Rule.CONTRACT: BOUND},
    ),
    (
        "without a bidding there is no contract",
        3,
        {},
        deal(3, bid="1S", bidder="0", order="0,1"),
        {Rule.CONTRACT: BOUND},
    ),
    (
        "the whole deck has a contract",
        7,
        {"whole_deck": True},
        deal(7, opening="s", stuck="yes"),
        {Rule.CONTRACT: BOUND},
    ),
    (
        "the chooser is asked where it matters",
        3,
        {"chooser_only": True},
        deal(3, opening="s", order="0,1"),
        {Rule.CHOOSING: BOUND},
    ),
    ("and told", 3, {"chooser_only": True}, deal(3, opening="s", order="0,1", chooser="2"), {}),
    ("and not told where it does not", 3, {}, deal(3, opening="s", order="0,1", chooser="2"), {Rule.CHOOSING: BOUND}),
    ("a cancelled deal may have had an order", 4, {}, deal(foul="1", order="0,2", stuck="yes"), {}),
    ("or half of one", 4, {}, deal(foul="1", order="0"), {}),
    ("a cancelled deal may have had a contract", 4, {}, deal(foul="1", bid="1S", bidder="0"), {}),
]


@pytest.mark.parametrize(
    ("seats", "options", "count", "rules"), [case[1:] for case in PAD], ids=[case[0] for case in PAD]
)
def test_pad_rejects_impossible_deals(seats, options, count, rules):
    assert check_counts(count, seats, **options) == rules


@pytest.mark.parametrize(
    ("words", "missing"),
    [
        ({}, "bid"),
        ({"bid": "3P"}, "bidder"),
        ({"bidder": "0"}, "bid"),
        ({"bid": "3P", "bidder": "0"}, "order"),
        ({"bid": "3P", "bidder": "0", "order": "0,1"}, "order"),
        ({"opening": "s", "order": "0,1", "bidder": "1"}, "bid"),
    ],
)
def test_incomplete_deal_asks_for_what_is_missing(words, missing):
    with pytest.raises(Incomplete) as error:
        deal(**words)
    assert error.value.field == missing


@pytest.mark.parametrize(
    ("words", "points"),
    [
        ({"bid": "3P", "bidder": "0", "order": "0,1,3"}, 10),
        ({"bid": "3S", "bidder": "0", "order": "0,1,3", "stuck": "yes"}, 9),
        ({"bid": "3S", "bidder": "0", "stuck": "yes"}, 0),
    ],
)
def test_progress_is_the_sum_of_the_place_points(words, points):
    assert str(GAME.pad.progress((deal(**words),))) == f"{points} of 10 points for places"


def test_cancelled_deal_has_no_places():
    assert GAME.pad.progress((deal(foul="0"),)) is None
    assert GAME.pad.progress((deal(foul="0", bid="1S", bidder="0", order="0,1,2"),)) is None


def test_deal_is_counted_once():
    counts = (deal(foul="0"), deal(foul="1"))
    assert {v.rule: v.binding for v in GAME.pad.check(Options(), 4, counts)} == {Rule.SCORE: BOUND}


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (
            {"bid": "3P", "bidder": "0", "order": "0,1,3"},
            "3P by Player 1: out in the order Player 1, Player 2, Player 4, Player 3",
        ),
        (
            {"bid": "3S", "bidder": "1", "order": "1", "stuck": "yes"},
            "3S by Player 2: Player 2 is out; Player 1, Player 3, Player 4 couldn’t lay all their cards",
        ),
        (
            {"bid": "3S", "bidder": "1", "order": "1,0,3", "stuck": "yes"},
            "3S by Player 2: out in the order Player 2, Player 1, Player 4; Player 3 couldn’t lay all their cards",
        ),
        ({"bid": "3S", "bidder": "1", "stuck": "yes"}, "3S by Player 2: nobody laid all their cards"),
        ({"foul": "2"}, "Cancelled: Player 3 has broken the rules"),
        ({"foul": "2", "order": "0,1", "stuck": "yes"}, "Cancelled: Player 3 has broken the rules"),
    ],
)
def test_log_describes_a_deal(words, text):
    assert str(GAME.help.describe(Options(), deal(**words))) == text


# Malformed input, and the board


def test_malformed_play_is_rejected():
    for kind, words in (
        ("bid", {"seat": "0", "bid": "5S"}),
        ("lay", {"seat": "0", "card": "red-fis"}),
        ("lay", {"seat": "0", "card": "red-do", "at": "middle"}),
        ("choose", {"seat": "0", "opening": "q"}),
        ("deal", {"players": "4", "bid": "3P", "bidder": "0", "order": "0,x"}),
    ):
        with pytest.raises(Malformed):
            decode(GAME.kinds[kind], words)


@pytest.mark.parametrize("seed", range(8))
def test_insisting_conserves_the_cards(seed):
    """Cards laid against the rules are neither lost nor duplicated."""
    chance = Random(f"insist {seed}")
    state = build_state(list(Kind)[seed % 4], seats=(4, 3)[seed // 4], hands=((14,) * 4, (7,) * 3)[seed // 4])
    for _time in range(400):
        if state.is_over:
            break
        seat = chance.choice(range(state.seats)) if chance.random() < 0.3 else state.turn
        play = Lay(seat, chance.choice(DECK), chance.choice((None, None, *LayPosition)))
        play = play if chance.random() < 0.9 else chance.choice((Pass(seat), Stop(seat)))
        violations = list(GAME.referee.judge(state, play))
        assert all("{" not in str(violation.message) for violation in violations)
        if not any(violation.binding for violation in violations):
            state = GAME.referee.apply(state, play)
            laid, hidden, total = cards(state)
            assert len(set(laid)) + hidden == total
            assert len(list(itertools.chain(*state.tableau.rows))) + len(state.tableau.signs) == len(laid)
            assert len(set(state.order)) == len(state.order)
            GAME.referee.board(state)


def test_board_shows_the_cards_laid():
    board = GAME.referee.board(play_all(build_state(S, "red-do orange-re blue-mi"), lay(0, "blue-flat")))
    ((*tiles,),) = board.rows
    assert [str(tile.card) for tile in tiles] == ["red-do", "orange-re", "blue-mi"]
    assert [tile.is_end for tile in tiles] == [True, False, True]
    assert str(tiles[2].label) == "blue Mi with blue flat"
    ((*tiles,),) = GAME.referee.board(build_state(G, "orange-mi green-fa red-sol")).rows
    assert [str(tile.card) for tile in tiles] == ["red-sol", "green-fa", "orange-mi"], "from the highest to the lowest"
    board = GAME.referee.board(build_state(P, "yellow-re yellow-mi yellow-fa", signs="yellow-natural"))
    assert [sum(column.notes) for column in board.columns] == [0, 0, 3, 0, 0, 0, 0]
    assert str(board.columns[2].label) == "yellow: Re, Mi, Fa, natural"
    assert str(board.columns[0].label) == "red: nothing"
    assert [len(cells) for _label, cells in board.cards] == [7] * 8


def test_board_shows_the_ladder_and_the_calls():
    board = GAME.referee.board(BIDDING)
    assert [step.word for step in itertools.chain(*board.ladder)] == list(Bid)
    assert [step.word for step in itertools.chain(*board.ladder) if "last" in step.tags] == [Bid.G2]
    assert sum(step.is_legal for step in itertools.chain(*board.ladder)) == 10
    assert [str(place.call) if place.call else None for place in board.places] == [None, "2G", None, None]


def test_board_shows_hands_places_and_missed_turns():
    state = play_all(build_state(S, OPEN, hands=(1, 9, 9, 9)), lay(0, "yellow-natural"))
    board = GAME.referee.board(state)
    assert [place.hand for place in board.places] == [0, 9, 9, 9]
    assert [place.rank for place in board.places] == [1, None, None, None]
    assert [place.misses for place in board.places] == [False, True, False, True]
    assert [place.side for place in board.places] == [0, 1, 0, 1]
    assert (board.turn, board.phase) == (2, "play")
    after = GAME.referee.board(play_all(state, lay(2, "red-si", LayPosition.LEFT)))
    assert [place.misses for place in after.places] == [False, False, False, True], "player 1 is shown once"


def list_missing_seats(state):
    return [place.seat for place in GAME.referee.board(state).places if place.misses]


def list_status(state):
    return list(map(str, GAME.referee.board(state).status))


def test_missed_turn_is_shown_until_the_next_play():
    state = play_all(build_state(S, OPEN), lay(0, "red-sharp"))
    assert (state.turn, list_missing_seats(state), list_status(state)) == (
        2,
        [1],
        ["Player 2 misses a turn"],
    )
    assert list_status(play_all(state, Pass(2))) == ["1S by Player 1"]
    assert list_missing_seats(play_all(state, Pass(2))) == []
    assert list_missing_seats(play_all(state, lay(2, "violet-rest"))) == []
    flat = play_all(build_state(S, OPEN), lay(0, "blue-flat"), Pass(1))
    assert (flat.turn, list_missing_seats(flat)) == (2, [3])
    assert list_missing_seats(play_all(flat, Pass(2))) == [3], "player 3 has only now missed the turn"
    assert list_missing_seats(play_all(flat, Pass(2), Pass(0))) == []


def test_player_to_move_is_not_shown_as_missing():
    state = play_all(build_state(S, OPEN, seats=3, hands=(1, 7, 7), stock=0), lay(0, "yellow-natural"))
    assert (state.turn, state.skipped, list_missing_seats(state)) == (1, {1, 2}, [2])
    all_missed = play_all(build_state(S, OPEN, seats=3, hands=(7, 7, 7), stock=5), lay(0, "yellow-natural"))
    assert list_status(all_missed) == ["Player 2, Player 3 miss a turn"]


def test_board_names_the_partners():
    assert str(GAME.referee.board(build_team_state()).partners) == "Player 1 + Player 3 against Player 2 + Player 4"
    assert GAME.referee.board(build_team_state(individual=True)).partners is None
    assert GAME.referee.board(CHOOSING).partners is None


def test_empty_column_shows_its_opening_card():
    looks = [
        [column.cells.index(look) for column in GAME.referee.board(build_state(kind)).columns]
        for kind, look in ((P, ("oval",)), (M, ("first",)))
    ]
    assert looks == [[6, 5, 4, 3, 2, 1, 0], [6] * 7], "from Si, at the top, down to Do"
