"""Explanations, relevant rules, preparation and positions of Muzicando."""

from dataclasses import replace
from random import Random

import pytest

from companion.core.legal_moves import group_legal_plays, judge_proposals
from companion.core.schema import Malformed, decode
from companion.core.text import Text
from companion.games import get_games
from companion.games.muzicando.bids import Bid, Kind, LayPosition
from companion.games.muzicando.deck import DECK, Card
from companion.games.muzicando.help import MAX_RELEVANT_RULES
from companion.games.muzicando.plays import Call, Choose, Foul, Lay, Options, Pass, Stop
from companion.rulebook.loader import load_rulebook

GAME = get_games()["muzicando"]
S, G, P, M = Kind
YELLOW = "yellow-mi,yellow-fa,yellow-sol,yellow-la,yellow-si"
MAX_HEADINGS = 14
"""Seven notes, two new rows, signs, a pass and a cancelled deal, with a margin."""


def list_rulings(question="card", /, **words):
    """Return whether each proposal is legal, with rule and reason."""
    position = GAME.help.position(decode(GAME.help.questions[question], words))
    return [
        (True, answer.explanation.rule, str(answer.explanation.reason))
        if answer.explanation
        else (False, answer.violations[0].rule, str(answer.violations[0].message))
        for answer in judge_proposals(GAME, position)
    ]


def build_state(kind, cards="", **words):
    """Return a deal of four players with cards laid in this order."""
    return GAME.help.position(decode(GAME.help.questions["card"], {"kind": kind, "cards": cards, **words})).state


def explain_play(state, play):
    assert GAME.referee.is_legal(state, play)
    return GAME.help.explain(state, play)


def get_reason(state, play):
    return str(explain_play(state, play).reason)


def lay(word, at=None, seat=1):
    return Lay(seat, Card.read(word), at)


# Explanations


@pytest.mark.parametrize(
    ("kind", "cards", "play", "rule", "expected"),
    [
        (S, "", lay("blue-do"), "opening", "blue Do is a Do, and any Do opens Sarabanda."),
        (P, "", lay("blue-sol"), "opening", "blue Sol has an oval, and any oval opens Parada."),
        (S, "red-do", lay("blue-re"), "sarabanda", "blue Re is a step from red Do."),
        (S, "red-do", lay("blue-si"), "sarabanda", "blue Si fits beside red Do: after Si comes Do again."),
        (S, "red-do,blue-re", lay("red-mi"), "sarabanda", "red Mi is a step from blue Re, at the right end."),
        (S, "red-do,blue-re", lay("red-si"), "sarabanda", "red Si fits beside red Do: after Si comes Do again."),
        (
            S,
            "red-do,blue-re,red-mi,blue-fa,red-sol,blue-la",
            lay("violet-si", LayPosition.LEFT),
            "sarabanda",
            "violet Si fits beside red Do: after Si comes Do again.",
        ),
        (
            S,
            "red-do,blue-re,red-mi,blue-fa,red-sol,blue-la",
            lay("violet-si", LayPosition.RIGHT),
            "sarabanda",
            "violet Si is a step from blue La, at the right end.",
        ),
        (G, "green-fa", lay("red-mi"), "glissando", "red Mi is one step below green Fa, the low end of its row."),
        (G, "green-fa", lay("red-sol"), "glissando", "red Sol is one step above green Fa, the high end of its row."),
        (
            G,
            "green-fa",
            lay("blue-sol", LayPosition.ABOVE),
            "glissando",
            "blue Sol has an oval and is a step from green Fa, in the topmost row.",
        ),
        (
            G,
            "green-fa",
            lay("blue-sol", LayPosition.BELOW),
            "glissando",
            "blue Sol has an oval and is a step from green Fa, in the bottommost row.",
        ),
        (P, "red-do", lay("blue-sol"), "parada", "blue Sol has an oval, which opens its column at any time."),
        (P, "green-fa", lay("green-sol"), "parada", "green Sol is a step from green Fa, in its own column."),
        (M, "red-do", lay("blue-do"), "muzicando-kind", "blue Do opens its pile at any time."),
        (M, "red-do", lay("red-re"), "muzicando-kind", "red Re is the next note after red Do, on its own pile."),
        (M, "red-do", lay("red-sharp"), "signs", "red Do lies. The next player misses a turn."),
        (M, "blue-do", lay("blue-flat"), "signs", "blue Do lies. The previous player misses a turn."),
        (M, "green-do", lay("green-natural"), "signs", "green Do lies. The next and the previous player miss a turn."),
        (
            M,
            "violet-do",
            lay("violet-rest"),
            "signs",
            "violet Do lies. All others sit out, and you go on laying until you stop.",
        ),
        (M, "red-do", Pass(1), "no-idle-pass", "Only if no note fits."),
        (M, "red-do", Foul(2), "violation", "If somebody breaks the rules, the deal is cancelled."),
    ],
)
def test_legal_card_is_explained_by_the_tableau(kind, cards, play, rule, expected):
    state = build_state(kind, cards)
    explanation = explain_play(state, play)
    assert (explanation.rule, str(explanation.reason)) == (rule, expected)


def test_new_row_beside_any_outer_note_is_explained():
    state = build_state(G, "red-do,blue-re,red-mi", any_row="yes")
    assert get_reason(state, lay("green-fa", LayPosition.ABOVE)) == (
        "green Fa has an oval and is a step from red Mi, in the topmost row."
    )


def test_do_beside_si_in_parada_is_explained():
    state = build_state(P, "violet-si", parada_wrap="yes")
    assert get_reason(state, lay("violet-do")) == "violet Do is a step from violet Si, in its own column."


def test_higher_bid_is_explained():
    state = GAME.referee.setup(Options(), 4, 0)
    first = explain_play(state, Call(1, Bid.G2))
    assert (first.rule, first.label) == ("bidding", Text("2G"))
    state = GAME.referee.apply(state, Call(1, Bid.G2))
    assert get_reason(state, Call(2, Bid.P2)) == "2P is higher than 2G."
    assert explain_play(state, Call(2, Bid.P2)).rule == "higher-bid"


@pytest.mark.parametrize(
    ("plays", "options", "expected"),
    [
        ((), {}, "After a pass you may bid again."),
        ((Call(1, Bid.G2), Pass(2)), {}, "After a pass you may bid again."),
        ((Call(1, Bid.G2), Pass(2), Pass(3)), {}, "That makes everybody else pass: 2G is the contract."),
        ((Pass(1), Pass(2), Pass(3)), {}, "With that, everybody has passed, and Player 2 must bid."),
        (
            (Pass(1), Pass(2), Pass(3)),
            {"redeal": True},
            "With that, everybody has passed, and the cards are dealt again.",
        ),
    ],
)
def test_pass_in_the_bidding_tells_its_consequence(plays, options, expected):
    state = GAME.referee.setup(Options(**options), 4, 0)
    for play in plays:
        state = GAME.referee.apply(state, play)
    assert get_reason(state, Pass(state.turn)) == expected


def test_pass_in_play_tells_its_consequence():
    state = GAME.referee.apply(GAME.referee.setup(Options(), 3, 0), Choose(1, S))
    assert "draw a card" in get_reason(state, Pass(1))
    only_signs = build_state(M, ",".join(str(card) for card in DECK if not card.sign))
    assert explain_play(replace(only_signs, passed=frozenset({0, 2, 3})), Pass(1)).rule == "deal-end"


def test_choosing_a_kind_and_stopping_are_explained():
    state = GAME.referee.setup(Options(), 3, 0)
    assert get_reason(state, Choose(1, S)) == "Player 2, to the left of the dealer, chooses."
    state = GAME.referee.apply(build_state(M, "violet-do,red-do"), lay("violet-rest"))
    assert explain_play(state, Stop(1)).rule == "rest"
    assert get_reason(state, lay("red-sharp")) == "red Do lies. The others sit out already."


@pytest.mark.parametrize("seed", range(12))
def test_legal_plays_of_a_deal_are_explained_in_a_short_list(seed):
    chance, sections = Random(seed), {section.id for section in load_rulebook(GAME, "en").sections}
    seats = chance.choice([2, 3, 4, 4, 5, 8])
    options = Options(any_row=chance.random() < 0.5, parada_wrap=chance.random() < 0.5)
    state = GAME.referee.setup(options, seats, seed)
    while not state.is_over:
        plays = list(GAME.referee.iter_legal_plays(state))
        for play in plays:
            explanation = GAME.help.explain(state, play)
            assert explanation.rule in sections
            assert str(explanation.heading) and str(explanation.reason) and "{" not in str(explanation.reason)
        assert set(GAME.help.relevant_rules(state)) <= sections
        assert 3 <= len(GAME.help.relevant_rules(state)) <= MAX_RELEVANT_RULES
        assert len(group_legal_plays(GAME, state)) <= MAX_HEADINGS
        cards = [play for play in plays if isinstance(play, Lay | Call | Choose)]
        state = GAME.referee.apply(
            state, chance.choice(cards or [play for play in plays if not isinstance(play, Foul)])
        )


def test_colours_of_a_note_share_a_heading():
    labels = {
        str(group.heading): [str(label) for label in group.labels]
        for group in group_legal_plays(GAME, build_state(S, "red-do,blue-re"))
    }
    assert labels["Si: at the left end"] == ["red", "orange", "yellow", "green", "blue", "indigo", "violet"]
    assert labels["Do: at the right end"] == ["orange", "yellow", "green", "blue", "indigo", "violet"]
    assert labels["Lay a sign"] == ["red sharp", "blue flat"]


# Relevant rules


def test_relevant_rules_follow_the_phase():
    assert GAME.help.relevant_rules(GAME.referee.setup(Options(), 4, 0)) == ("bidding", "higher-bid", "contract")
    assert GAME.help.relevant_rules(GAME.referee.setup(Options(), 3, 0))[0] == "choosing"
    assert GAME.help.relevant_rules(build_state(G))[:2] == ("opening", "glissando")
    assert GAME.help.relevant_rules(build_state(P, "red-do")) == ("parada", "no-idle-pass", "signs", "turn")
    sharp = GAME.referee.apply(build_state(M, "red-do"), lay("red-sharp"))
    assert GAME.help.relevant_rules(sharp)[0] == "missed-turn"
    assert GAME.help.relevant_rules(GAME.referee.apply(build_state(M, "violet-do"), lay("violet-rest")))[0] == "rest"
    near = replace(build_state(S, "red-do"), hands=(2, 9, 9, 9))
    assert GAME.help.relevant_rules(near)[:2] == ("deal-end", "contract")
    over = replace(near, is_over=True)
    assert GAME.help.relevant_rules(over) == ("deal-end", "score", "deals")
    assert GAME.help.relevant_rules(replace(over, foul=1))[0] == "violation"


def test_counting_rules_are_in_the_rulebook():
    assert set(GAME.help.counting_rules) <= {section.id for section in load_rulebook(GAME, "en").sections}


# Preparation


def map_preparation_steps(seats, **options):
    return {str(step.label): str(step.value) for step in GAME.help.preparation(Options(**options), seats).steps}


def test_teams_deal_the_whole_deck_and_bid():
    assert map_preparation_steps(4) == {
        "Teams": "Player 1 + Player 3 against Player 2 + Player 4",
        "Shuffle and deal": "14 cards each",
        "Who bids first": "whoever sits to the left of the dealer",
        "Bids": "1S to 4M",
        "Who starts": "whoever bid highest",
        "Deals": "4",
    }


@pytest.mark.parametrize(
    ("seats", "options", "stock"),
    [
        *((seats, {}, stock) for seats, stock in ((2, 42), (3, 35), (5, 21), (6, 14), (7, 7), (8, None))),
        (4, {"individual": True}, 28),
    ],
)
def test_individual_game_deals_seven_cards_and_a_stock(seats, options, stock):
    steps = map_preparation_steps(seats, **options)
    assert steps["Shuffle and deal"] == "7 cards each"
    assert steps.get("Stock, face down") == (f"{stock} cards" if stock else None)
    assert steps["Who starts"] == "whoever sits to the left of the dealer"
    assert steps["Kind"] == "chosen by whoever starts"
    assert steps["Deals"] == str(seats)
    assert "Bids" not in steps


@pytest.mark.parametrize(("seats", "hand"), [(2, 28), (4, 14), (7, 8), (8, 7)])
def test_whole_deck_is_dealt_by_option(seats, hand):
    steps = map_preparation_steps(seats, whole_deck=True)
    assert steps["Shuffle and deal"] == f"{hand} cards each"
    assert "Stock, face down" not in steps and "Teams" not in steps
    assert steps["Bids"] == "1S to 4M"


def test_preparation_gives_the_number_of_deals():
    assert map_preparation_steps(4, rounds=6)["Deals"] == "6"


@pytest.mark.parametrize(
    ("option", "seats", "label", "elsewhere"),
    [
        ("parada_wrap", 4, "Do beside Si in Parada", None),
        ("redeal", 4, "New deal when all pass", 3),
        ("chooser_only", 3, "Kind for the chooser only", 4),
        ("signs_between", 4, "Signs only between notes", None),
        ("any_row", 4, "New rows at any note", None),
    ],
)
def test_option_is_listed_only_where_it_applies(option, seats, label, elsewhere):
    assert label in map_preparation_steps(seats, **{option: True})
    assert label not in map_preparation_steps(seats)
    assert elsewhere is None or label not in map_preparation_steps(elsewhere, **{option: True})


@pytest.mark.parametrize("seats", range(2, 9))
def test_seats_are_drawn_with_notes_and_guido_for_the_eighth(seats):
    draws = [str(text) for text in GAME.help.preparation(Options(individual=True), seats).draws]
    assert draws[:7] == ["Do", "Re", "Mi", "Fa", "Sol", "La", "Si"][:seats]
    assert draws[7:] == ["Guido d’Arezzo, the violet rest: chooses a seat"][: seats - 7 if seats > 7 else 0]
    notes = "draw Do to Si, and Guido d’Arezzo" if seats == 8 else f"draw Do to {draws[-1]}"
    assert map_preparation_steps(seats, individual=True)["Seats"] == notes
    assert map_preparation_steps(seats, individual=True)["Who deals first"] == "whoever drew Do"


def test_teams_draw_no_seats():
    assert GAME.help.preparation(Options(), 4).draws == ()
    assert len(GAME.help.preparation(Options(whole_deck=True), 4).draws) == 4


def test_preparation_steps_have_sections():
    sections = {section.id for section in load_rulebook(GAME, "en").sections}
    everything = Options(parada_wrap=True, redeal=True, chooser_only=True, signs_between=True, any_row=True)
    assert {
        step.rule for seats in GAME.about.seats for step in GAME.help.preparation(everything, seats).steps
    } <= sections


def test_paper_sheet_has_the_contract_or_the_kind():
    assert [str(text) for text in GAME.help.paper_sheet(Options(), 4).side_lines] == ["places", "contract, + or −"]
    assert [str(text) for text in GAME.help.paper_sheet(Options(), 3).side_lines] == ["places", "kind"]


# Positions


@pytest.mark.parametrize("kind", ["card", "bid"])
def test_empty_question_has_no_proposals(kind):
    assert list_rulings(kind) == []
    assert GAME.help.position(GAME.help.questions[kind]()).state is not None


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ({"card": "blue-do"}, (True, "opening")),
        ({"card": "blue-re"}, (False, "opening")),
        ({"cards": "red-do", "card": "blue-si"}, (True, "sarabanda")),
        ({"cards": "red-do", "card": "blue-mi"}, (False, "sarabanda")),
        ({"cards": "red-do", "card": "red-do"}, (False, "deck")),
        ({"cards": "red-do", "card": "blue-flat"}, (False, "signs")),
        ({"cards": "red-do", "card": "red-sharp"}, (True, "signs")),
        ({"cards": "red-do", "card": "red-sharp", "signs_between": "yes"}, (False, "signs")),
        ({"kind": "g", "card": "red-re"}, (False, "opening")),
        ({"kind": "g", "cards": "green-fa", "card": "red-la"}, (False, "glissando")),
        ({"kind": "p", "cards": YELLOW, "card": "yellow-re"}, (True, "parada")),
        ({"kind": "p", "cards": YELLOW, "card": "yellow-do"}, (False, "parada")),
        ({"kind": "p", "cards": "violet-si", "card": "violet-do"}, (False, "parada")),
        ({"kind": "p", "cards": "violet-si", "card": "violet-do", "parada_wrap": "yes"}, (True, "parada")),
        ({"kind": "m", "cards": "red-do,red-re", "card": "red-mi"}, (True, "muzicando-kind")),
        ({"kind": "m", "cards": "red-do,red-re", "card": "red-fa"}, (False, "muzicando-kind")),
        ({"kind": "m", "cards": "red-do,red-re", "card": "blue-flat"}, (False, "signs")),
    ],
)
def test_answer_for_a_card_follows_kind_and_tableau(words, answer):
    assert [answer[:2] for answer in list_rulings(**words)] == [answer]


def test_card_that_fits_is_answered_for_every_position():
    answers = list_rulings(cards="red-do,blue-re", card="red-mi")
    assert [answer[0] for answer in answers] == [True, False]
    assert "left end" in answers[1][2]
    answers = list_rulings(kind="g", cards="green-fa,red-sol,blue-la", card="red-mi")
    assert [answer[:2] for answer in answers] == [(True, "glissando"), (False, "glissando")]
    assert [answer[0] for answer in list_rulings(kind="g", cards="red-do", card="orange-re")] == [True, True]


def test_position_of_a_laid_card_defaults_to_the_first():
    up = {"kind": "g", "cards": "red-do,orange-re"}
    assert [str(card) for card in build_state(**up).tableau.openers] == ["orange-re", "red-do"]
    assert [str(card) for card in build_state(**up, places="below").tableau.openers] == ["red-do", "orange-re"]
    question = decode(GAME.help.questions["card"], {**up, "places": "below"})
    assert [(at, at is question.replay.positions[-1]) for at in question.replay.choices] == [
        (LayPosition.ABOVE, False),
        (LayPosition.BELOW, True),
    ]
    assert question.replay.earlier_positions == ()
    further = decode(
        GAME.help.questions["card"], {"kind": "g", "cards": "red-do,orange-re,red-sharp", "places": "below"}
    )
    assert (further.replay.choices, further.replay.earlier_positions) == ((), (LayPosition.BELOW,))


def test_positions_are_assigned_in_order():
    cards = "red-do,blue-re,green-do,yellow-re,violet-re,orange-mi"
    question = decode(GAME.help.questions["card"], {"cards": cards, "places": "left,right"})
    row = " ".join(map(str, question.replay.state.tableau.rows[0]))
    assert row == "yellow-re red-do blue-re green-do violet-re orange-mi"
    assert question.replay.earlier_positions == (LayPosition.LEFT,)


def test_surplus_positions_are_ignored():
    question = decode(GAME.help.questions["card"], {"cards": "red-do,blue-re", "places": "left,left"})
    assert question.replay.earlier_positions == ()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ({"cards": "red-re"}, "red Re does not open: the first card is a Do."),
        ({"cards": "red-do,red-do"}, "red Do has been laid already; each card exists once."),
        ({"cards": "red-do,blue-mi"}, "blue Mi is not a step from red Do, the only card there."),
        ({"kind": "m", "cards": "red-do,red-mi"}, "red Mi must wait: Re comes next in its colour."),
        ({"kind": "p", "cards": "violet-si,violet-do"}, "In Parada violet Do does not lie beside violet Si"),
        ({"kind": "g", "cards": "red-do,orange-re", "places": "left"}, "orange Re has an oval: it opens a new row"),
        ({"cards": "pink-do"}, "There is no card “pink-do” in the deck."),
    ],
)
def test_illegal_tableau_is_rejected_with_the_violation(words, reason):
    with pytest.raises(Malformed) as caught:
        list_rulings(**words)
    assert reason in str(caught.value.text)


@pytest.mark.parametrize(
    ("last", "bid", "answer"),
    [
        (None, "1S", (True, "bidding")),
        ("2G", "2P", (True, "higher-bid")),
        ("2G", "4S", (True, "higher-bid")),
        ("2G", "1M", (False, "higher-bid")),
        ("2G", "2G", (False, "higher-bid")),
    ],
)
def test_answer_for_a_bid_follows_the_last_one(last, bid, answer):
    words = {"bid": bid} if last is None else {"last": last, "bid": bid}
    assert [answer[:2] for answer in list_rulings("bid", **words)] == [answer]


def test_unknown_bid_is_rejected():
    with pytest.raises(Malformed):
        list_rulings("bid", bid="5S")
