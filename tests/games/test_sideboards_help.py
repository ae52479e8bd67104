"""Explanations, relevant rules, preparation and positions of Sideboards."""

import random
from dataclasses import replace

import pytest

from companion.core.legal_moves import group_legal_plays, judge_proposals
from companion.core.schema import Malformed, decode, encode
from companion.games import get_games
from companion.games.sideboards.deck import SAMPLES, Colour, Handle, SideboardCard
from companion.games.sideboards.goals import Claim, find_instances
from companion.games.sideboards.plays import Options, PlaceCard, Swap
from companion.games.sideboards.positions import CardToLay, Colours, Handles, PatternOnDrawers, TapTarget
from companion.games.sideboards.rules import Rule
from companion.rulebook.loader import load_rulebook
from tests.games.random_sideboards import list_patterns, random_sideboard

GAME = get_games()["sideboards"]
SECTIONS = {section.id for section in load_rulebook(GAME, "en").sections}
RISING = "31,22,13"
TWO_RISING = "--R--.-R---.R----.--R--.-R---.R----"


def build_state(*laid, swaps=None, **options):
    """Return a game with this many cards laid by each player."""
    state = GAME.referee.setup(Options(**options), len(laid), 0)
    return replace(state, sideboards=tuple(SAMPLES[:count] for count in laid), swaps=swaps or state.swaps)


def list_rulings(kind, **words):
    position = GAME.help.position(decode(GAME.help.questions[kind], words))
    return list(judge_proposals(GAME, position))


def get_ruling(kind, **words):
    (answer,) = list_rulings(kind, **words)
    return answer


def find_refusals(answer):
    return [violation.rule for violation in answer.violations]


# Explanations


@pytest.mark.parametrize(
    "state",
    [build_state(0, 0), build_state(3, 1), build_state(2), build_state(7, 7, 7), build_state(4, 2, four_cards=True)],
)
def test_legal_plays_have_a_reason_and_a_section(state):
    for play in GAME.referee.iter_legal_plays(state):
        explanation = GAME.help.explain(state, play)
        assert str(explanation.reason) and explanation.rule in SECTIONS


def test_list_of_legal_plays_names_the_players():
    groups = group_legal_plays(GAME, build_state(2, 1, 8))
    assert [(group.rule, list(map(str, group.labels))) for group in groups] == [
        ("placement", ["Player 1"]),
        ("start", ["Player 2"]),
        (Rule.SWAP, ["Player 1"]),
    ]


def test_solo_help_names_nobody():
    assert [group.labels for group in group_legal_plays(GAME, build_state(3))] == [(), ()]


# Relevant rules


@pytest.mark.parametrize(
    ("state", "first", "among"),
    [
        (build_state(0, 2), "start", "placement"),
        (build_state(1), "solo", "placement"),
        (build_state(1, 1, four_cards=True), Rule.FOUR_CARDS, "placement"),
        (build_state(2, 2), "placement", Rule.SWAP),
        (build_state(6, 3), "placement", Rule.SWAP),
        (build_state(7, 7), Rule.EIGHT_CARDS, Rule.SWAP),
        (build_state(8, 8), Rule.TOTAL, "row-bonus"),
        (build_state(8), Rule.TOTAL, "solo"),
    ],
)
def test_relevant_rules_follow_the_phase(state, first, among):
    rules = GAME.help.relevant_rules(state)
    assert rules[0] == first and among in rules
    assert 3 <= len(rules) <= 6 and SECTIONS.issuperset(rules)


@pytest.mark.parametrize("state", [build_state(3, 3, swaps=(1, 1)), build_state(3, 3, four_cards=True)])
def test_swap_rule_is_relevant_only_while_a_swap_is_possible(state):
    assert Rule.SWAP not in GAME.help.relevant_rules(state)


def test_counting_rules_are_in_the_rulebook():
    assert SECTIONS.issuperset(GAME.help.counting_rules)


# Preparation


def map_preparation_steps(seats, **options):
    return {str(step.label): str(step.value) for step in GAME.help.preparation(Options(**options), seats).steps}


@pytest.mark.parametrize(
    ("seats", "four_cards", "each", "pile"),
    [
        (1, False, 3, 57),
        (2, False, 3, 54),
        (3, False, 3, 51),
        (4, False, 3, 48),
        (5, False, 3, 45),
        (6, False, 3, 42),
        (2, True, 4, 52),
        (3, True, 4, 48),
        (4, True, 4, 44),
        (5, True, 4, 40),
        (6, True, 4, 36),
    ],
)
def test_deal_depends_on_players_and_variant(seats, four_cards, each, pile):
    steps = map_preparation_steps(seats, four_cards=four_cards)
    dealt = f"{each} cards" if seats == 1 else f"{each} cards each"
    assert (steps["Shuffle and deal"], steps["Draw pile, face down"]) == (dealt, f"{pile} cards")
    assert ("swap card, +1 up" in steps) is not four_cards


@pytest.mark.parametrize(
    ("seats", "four_cards", "label", "value"),
    [
        (1, False, "Opening", "lay 2, discard 1"),
        (4, False, "Everybody starts", "lay 2, pass 1 to the left, draw one"),
        (4, True, "Everybody starts", "lay 2, pass 2 to the left, draw one"),
    ],
)
def test_opening_step_depends_on_players_and_variant(seats, four_cards, label, value):
    assert map_preparation_steps(seats, four_cards=four_cards)[label] == value


def test_preparation_lists_the_options():
    steps = map_preparation_steps(2, colour_goal=3, handle_goal=10, row_goal=27, mirrored=True, rounds=4)
    goals = [steps[label] for label in ("Colour goal", "Handle goal", "Row goal")]
    assert goals == ["3", "10", "27: two lines, by colour (1 + 4)"]
    assert (steps["Rounds"], steps["Patterns"]) == ("4", "count mirrored, too")
    assert "Patterns" not in map_preparation_steps(2)


@pytest.mark.parametrize("options", [Options(), Options(four_cards=True, mirrored=True)])
@pytest.mark.parametrize("seats", GAME.about.seats)
def test_preparation_steps_have_sections(options, seats):
    preparation = GAME.help.preparation(options, seats)
    assert SECTIONS.issuperset(step.rule for step in preparation.steps)
    assert (preparation.lot is None) is (seats == 1)


def test_paper_sheet_has_the_lines_of_the_score_sheet():
    for options in (Options(), Options(four_cards=True)):
        lines = [str(line) for line in GAME.help.paper_sheet(options, 3).side_lines]
        goals = ["colour goal: times × points", "handle goal: times × points"]
        assert lines == [*goals, "row: 2 × drawers", "row bonus", "swap card"][: 5 - options.four_cards]


# A pattern on drawers


@pytest.mark.parametrize("kind", GAME.help.questions)
def test_empty_question_has_no_proposals(kind):
    position = GAME.help.position(GAME.help.questions[kind]())
    assert position.proposals == () and position.state == GAME.referee.setup(Options(), 2, 0)


def test_claim_without_a_number_shows_the_capacity():
    answer = get_ruling("pattern", pattern=RISING, colours=TWO_RISING)
    assert str(answer.text) == "The goal is met 2 times"
    assert answer.explanation.rule == Rule.COLOUR_GOALS
    assert str(answer.explanation.reason) == "It fits 2 times: red 2."


def test_low_claim_is_legal_but_corrected():
    answer = get_ruling("pattern", pattern=RISING, colours=TWO_RISING, times="1")
    assert str(answer.explanation.reason) == "It fits more often than that. It fits 2 times: red 2."


def test_colours_are_packed_separately():
    colours = "--R-T.-R-T-.R-T--"
    answer = get_ruling("pattern", pattern=RISING, colours=colours, times="2")
    assert str(answer.explanation.reason) == "It fits 2 times: red 1, turquoise 1."


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        ({"pattern": "11,12", "colours": "R----.R----.R----", "times": "2"}, Rule.DRAWER_ONCE),
        ({"pattern": "11,12", "colours": "R----.R----.R----", "times": "3"}, Rule.COLOUR_GOALS),
        ({"pattern": "11,22", "colours": "-R---.R----", "times": "1"}, Rule.PATTERNS),
        ({"pattern": "11,12", "colours": "R----.-R---"}, Rule.COLOUR_GOALS),
        ({"of": "handles", "pattern": "11,12", "handles": "f----.-f---"}, Rule.HANDLE_GOALS),
    ],
)
def test_high_claim_is_rejected_with_its_rule(words, rule):
    assert find_refusals(get_ruling("pattern", **words)) == [rule]


def test_mirrored_pattern_counts_by_option():
    assert not get_ruling("pattern", pattern="11,22", colours="-R---.R----", mirrored="yes").violations


def test_upside_down_pattern_counts():
    assert not get_ruling("pattern", pattern="11,12,23", colours="R----.-R---.-R---").violations


@pytest.mark.parametrize("number", range(20))
def test_claim_counts_like_a_sideboard_of_cards(number):
    chance = random.Random(number)
    cards, pattern = random_sideboard(chance), chance.choice(list(list_patterns()))
    for cls, of in ((Colours, "colours"), (Handles, "handles")):
        drawn = cls.read(".".join(getattr(card, of) for card in cards))
        claim = Claim(pattern, tuple((kind, drawn.mask(kind)) for kind in drawn.kinds), 1)
        on_cards = find_instances(cards, pattern, "".join(drawn.kinds), mirrored=False)
        assert [mask for masks in claim.instances.values() for mask in masks] == list(on_cards)


def test_counting_drawers_are_numbered():
    question = decode(PatternOnDrawers, {"pattern": RISING, "colours": TWO_RISING})
    numbers = [[cell.number for cell in line[:6]] for line in question.lines]
    assert numbers[:3] == [[0, 0, 1, 0, 0, 2], [0, 1, 0, 0, 2, 0], [1, 0, 0, 2, 0, 0]]


def test_there_is_no_claim_before_a_pattern_could_fit():
    assert list_rulings("pattern", pattern="11", colours=TWO_RISING) == []
    assert list_rulings("pattern", pattern=RISING, colours="R----.-R---") == []


@pytest.mark.parametrize(
    "words",
    [
        {"pattern": "11,21"},
        {"pattern": "11,12,13,14,15"},
        {"pattern": "99"},
        {"colours": "RR---"},
        {"colours": "R---"},
        {"colours": "f----"},
        {"handles": "R----"},
        {"colours": ".".join(["R----"] * 9)},
        {"times": "0"},
    ],
)
def test_impossible_question_is_malformed(words):
    with pytest.raises(Malformed):
        list_rulings("pattern", **words)


def test_tap_moves_a_colour_and_a_second_tap_removes_it():
    once = Colours().with_toggled(Colour.RED, 0, 2)
    moved = once.with_toggled(Colour.RED, 3, 2)
    assert (str(once), str(moved)) == ("-.-.R----", "-.-.---R-")
    assert moved.with_toggled(Colour.RED, 3, 2) == Colours()


def test_fifth_colour_is_filled_in_but_no_handle():
    assert str(Colours.read("RTP--").with_toggled(Colour.ORANGE, 3, 0)) == "RTPOB"
    assert str(Handles.read("f-s--").with_toggled(Handle.BAR, 4, 0)) == "f-s-b"


def test_drawn_pattern_survives_a_round_trip():
    for word in ("-", "R----", "-.-.-T---.-.B----"):
        assert str(Colours.read(word)) == word
        assert encode(PatternOnDrawers(colours=Colours.read(word))).get("colours", "-") == word


def test_tap_target_of_the_other_sort_falls_back_to_the_first():
    question = decode(PatternOnDrawers, {"of": "handles", "tap": "R"})
    assert question.kind is Handle.FLOWER and question.tap is TapTarget.RED


# A card


def test_complete_card_may_be_laid():
    answer = get_ruling("card", card="RfTPsOBb")
    assert answer.explanation.rule == "start"
    assert find_answer(list_rulings("card", card="RfTPsOBb", laid="7"), "Lay").explanation.rule == "placement"


def find_answer(answers, word):
    return next(answer for answer in answers if word in str(answer.text))


@pytest.mark.parametrize("card", ["RfRPsOBb", "RfTPsOB", "RfTfPsOBb", "RTPOB"])
def test_impossible_card_may_not_be_laid(card):
    assert set(find_refusals(get_ruling("card", card=card))) == {Rule.COMPOSITION}


def test_ninth_card_may_not_be_laid():
    assert find_refusals(find_answer(list_rulings("card", card="RfTPsOBb", laid="8"), "Lay")) == [Rule.EIGHT_CARDS]


@pytest.mark.parametrize(("laid", "may"), [("0", False), ("1", False), ("2", True), ("7", True), ("8", False)])
def test_swap_is_legal_between_the_second_and_eighth_card(laid, may):
    answer = get_ruling("card", laid=laid)
    assert find_refusals(answer) == ([] if may else [Rule.SWAP])
    assert (answer.explanation is not None) is may


def test_partial_card_has_no_proposals():
    assert list_rulings("card", card="RfT") == []


@pytest.mark.parametrize("words", [{"card": "RTPOBR"}, {"card": "x"}, {"card": "f"}, {"laid": "9"}, {"laid": "-1"}])
def test_malformed_card_is_rejected(words):
    with pytest.raises(Malformed):
        list_rulings("card", **words)


def test_card_is_tapped_from_top_to_bottom():
    word = ""
    for colour, handle in (("R", "f"), ("T", ""), ("P", "s"), ("O", ""), ("B", "b")):
        card = decode(CardToLay, {"card": word}).card if word else CardToLay().card
        word = card.with_colour(Colour(colour))
        if handle:
            word = decode(CardToLay, {"card": word}).card.with_handle(Handle(handle))
    question = decode(CardToLay, {"card": word})
    assert word == "RfTPsOBb" and question.card.is_whole
    assert question.card.with_colour(Colour.RED) == ""
    assert question.card.with_handle(Handle.FLOWER) == "RfTPsOBf"
    assert question.card.shorter == "RfTPsOB"
    assert [str(key.label) for key in question.drawers][:2] == ["red (flower)", "turquoise"]


def test_answers_match_the_referee():
    state = build_state(1, 0)
    card = SideboardCard.read("RfRPsOBb")
    assert [str(violation.message) for violation in GAME.referee.judge(state, PlaceCard(0, card))] == [
        str(violation.message) for violation in get_ruling("card", card="RfRPsOBb").violations
    ]
    assert [str(violation.message) for violation in GAME.referee.judge(state, Swap(0))] == [
        str(violation.message) for violation in get_ruling("card", laid="1").violations
    ]
