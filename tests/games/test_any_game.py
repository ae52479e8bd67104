"""Rules, winning, endings, options and pad checks of Any Game."""

import itertools

import pytest

from companion.core.entry import Entry
from companion.core.log import Log
from companion.core.match import Action, Match, iter_count_slots
from companion.core.notation import build_options
from companion.core.schema import Malformed, decode, encode
from companion.core.text import Text
from companion.games import get_games
from companion.games.any_game.plays import MAX_POINTS, Count, Options, Wins
from companion.games.any_game.rules import Rule

GAME = get_games()["any-game"]
BOUND, FREE = True, False
SUITS = ("♠", "♥", "♦", "♣")

# Hooks for the tests of every game

OPTIONS = {
    "name": ("Λιβάδι", 'It\'s "5{}" <b>, really'),
    "categories": (("coins",), SUITS, ("a b", "Γ", "<i>")),
    "target": (0, 60, -40),
    "start": (301, -7),
}


LATIN = ("It", "really", "coins", "a", "b", "i")
"""Option values that are not translated."""


def cards(state):
    return None


def marks(state, board):
    return ()


def random_tally(case, chance):
    """Return points of every side, sometimes against the rules."""
    boxes = len(case.options.categories) or 1
    sides = GAME.scoring.sides(case.options, case.seats)
    return tuple(Count(side[0], tuple(chance.randint(-20, 40) for _box in range(boxes))) for side in sides)


def find_broken_rules(seats, counts, **options):
    return {violation.rule: violation.binding for violation in GAME.pad.check(Options(**options), seats, counts)}


def find_refusing_rules(seats, **options):
    return {violation.rule for violation in GAME.options.check(Options(**options), seats)}


def standing_after(seats, *rounds, **options):
    """Return the standing after rounds, each given as one number per side."""
    chosen = Options(**options)
    firsts = [side[0] for side in GAME.scoring.sides(chosen, seats)]
    sheets = tuple(
        GAME.scoring.score(chosen, tuple(Count(seat, (n,)) for seat, n in zip(firsts, points, strict=True)))
        for points in rounds
    )
    return GAME.scoring.standing(chosen, seats, sheets)


# Misplays: (what happens, seats, options, counts or None if the options are wrong, rule)

MISPLAYS = [
    ("a seat that does not exist is counted", 3, {}, (Count(3, (5,)),), Rule.PLAYERS),
    ("a seat below the first is counted", 3, {}, (Count(-1, (5,)),), Rule.PLAYERS),
    ("two players make three teams", 2, {"teams": 3}, None, Rule.TEAMS),
    ("a player alone makes two teams", 1, {"teams": 2}, None, Rule.TEAMS),
    ("a partner is counted beside the team", 4, {"teams": 2}, (Count(2, (5,)),), Rule.TEAMS),
    ("the last of three partners is counted", 6, {"teams": 2}, (Count(5, (5,)),), Rule.TEAMS),
    ("there are teams though all share a result", 4, {"teams": 2, "wins": Wins.SHARED}, None, Rule.SHARED),
    ("one of all who share a result is counted", 4, {"wins": Wins.SHARED}, (Count(1, (5,)),), Rule.SHARED),
    ("two numbers are given for one", 3, {}, (Count(0, (5, 6)),), Rule.POINTS),
    ("no number is given", 3, {}, (Count(0, ()),), Rule.POINTS),
    ("somebody is counted twice", 3, {}, (Count(0, (5,)), Count(0, (5,))), Rule.POINTS),
    ("a number is too large for the sheet", 3, {}, (Count(0, (MAX_POINTS + 1,)),), Rule.POINTS),
    ("a number is too far below zero", 3, {}, (Count(0, (-MAX_POINTS - 1,)),), Rule.POINTS),
    ("a category is too large", 3, {"categories": SUITS}, (Count(0, (1, 2, 10**6, 4)),), Rule.POINTS),
    ("a category is left out", 3, {"categories": SUITS}, (Count(0, (1, 2, 3)),), Rule.CATEGORIES),
    ("one sum is given for all categories", 3, {"categories": SUITS}, (Count(0, (10,)),), Rule.CATEGORIES),
    ("a category too many is given", 3, {"categories": SUITS}, (Count(0, (1, 2, 3, 4, 5)),), Rule.CATEGORIES),
    ("two categories have one name", 3, {"categories": ("Gold", "gold")}, None, Rule.CATEGORIES),
    ("there are thirteen categories", 3, {"categories": tuple("abcdefghijklm")}, None, Rule.CATEGORIES),
    ("the start score is too large", 3, {"start": 10**6}, None, Rule.START),
    ("the start score is too far below zero", 3, {"start": -(10**6)}, None, Rule.START),
    ("the target is too large", 3, {"target": 10**6}, None, Rule.TARGET),
    ("the target is where everybody begins", 3, {"target": 301, "start": 301}, None, Rule.TARGET),
    ("a target of nothing is reached at once", 3, {"target": 0}, None, Rule.TARGET),
]
"""For the end rule see `test_round_after_the_end_can_be_insisted_on`."""


@pytest.mark.parametrize(
    ("seats", "options", "counts", "rule"), [row[1:] for row in MISPLAYS], ids=[row[0] for row in MISPLAYS]
)
def test_violation_names_its_rule_and_reason(seats, options, counts, rule):
    chosen = Options(**options)
    judged = GAME.options.check(chosen, seats) if counts is None else GAME.pad.check(chosen, seats, counts)
    violations = {violation.rule: violation for violation in judged}
    assert set(violations) == {rule}
    assert violations[rule].binding, "the sheet has no room for it, so nobody can insist"
    assert "{" not in str(violations[rule].message)


@pytest.mark.parametrize(
    ("seats", "options", "rule"),
    [(row[1], row[2], row[4]) for row in MISPLAYS if row[3] is None],
    ids=[row[0] for row in MISPLAYS if row[3] is None],
)
def test_impossible_sheet_is_rejected(seats, options, rule):
    with pytest.raises(Malformed):
        build_options(GAME, seats, encode(Options(**options)))


@pytest.mark.parametrize(
    ("options", "rounds"),
    [
        ({"rounds": 1}, [(5, 3)]),
        ({"rounds": 2}, [(5, 3), (5, 3)]),
        ({"target": 20}, [(21, 3)]),
        ({"target": 20, "rounds": 9}, [(3, 3), (10, 17)]),
        ({"target": 0, "start": 20}, [(-3, -3), (-10, -17)]),
        ({"categories": ("coins",)}, [(5, 3)]),
    ],
)
def test_round_after_the_end_can_be_insisted_on(options, rounds):
    match = Match(GAME, Options(**options), 2)
    for number, (round_, points) in enumerate(((n, p) for n, row in enumerate(rounds, 1) for p in enumerate(row)), 1):
        assert not match.standing.is_over
        words = {"seat": str(points[0]), "points": str(points[1])}
        match = match.record(Action(number, round_, "count", words))
    assert match.standing.is_over
    (violation,) = match.judge(Action(99, len(rounds) + 1, "count", {"seat": "0", "points": "1"})).violations
    assert (violation.rule, violation.binding) == (Rule.END, FREE)


def test_every_rule_has_a_misplay():
    assert {row[4] for row in MISPLAYS} | {Rule.END} == set(Rule)


# Sides


@pytest.mark.parametrize(
    ("seats", "options", "sides"),
    [
        (1, {}, ((0,),)),
        (3, {}, ((0,), (1,), (2,))),
        (4, {"teams": 2}, ((0, 2), (1, 3))),
        (5, {"teams": 2}, ((0, 2, 4), (1, 3))),
        (6, {"teams": 3}, ((0, 3), (1, 4), (2, 5))),
        (12, {"teams": 6}, tuple((seat, seat + 6) for seat in range(6))),
        (2, {"teams": 2}, ((0,), (1,))),
        (3, {"teams": 2}, ((0, 2), (1,))),
        (4, {"wins": Wins.SHARED}, ((0, 1, 2, 3),)),
        (1, {"wins": Wins.SHARED}, ((0,),)),
    ],
)
def test_partners_alternate_and_a_shared_result_is_one_side(seats, options, sides):
    assert GAME.scoring.sides(Options(**options), seats) == sides
    assert list(iter_count_slots(GAME, Options(**options), seats)) == [("count", side[0]) for side in sides]
    assert not find_refusing_rules(seats, **options)


@pytest.mark.parametrize("seats", GAME.about.seats)
def test_one_to_twelve_players_can_form_teams(seats):
    assert build_options(GAME, seats, {}) == Options()
    for teams in range(2, 7):
        assert bool(find_refusing_rules(seats, teams=teams)) is (teams > seats)
        assert len(GAME.scoring.sides(Options(teams=teams), seats)) == min(teams, seats)


@pytest.mark.parametrize("seats", [0, 13])
def test_player_count_must_be_one_to_twelve(seats):
    with pytest.raises(Malformed):
        build_options(GAME, seats, {})


# Winners

CLOSED = [
    (3, {}, [(5, 9, -2), (1, 1, 1)], (6, 10, -1), (2, 1, 3), "Player 2 wins with 10."),
    (3, {"wins": Wins.LOWEST}, [(5, 9, -2)], (5, 9, -2), (2, 3, 1), "Player 3 wins with -2."),
    (3, {}, [(5, 9, 9)], (5, 9, 9), (3, 1, 1), "Player 2, Player 3 share the win with 9."),
    (3, {"wins": Wins.LOWEST}, [(5, 5, 9)], (5, 5, 9), (1, 1, 3), "Player 1, Player 2 share the win with 5."),
    (4, {"teams": 2}, [(5, 9)], (5, 9), (2, 1), "Player 2, Player 4 win with 9."),
    (4, {"teams": 2}, [(9, 9)], (9, 9), (1, 1), "Player 1, Player 3, Player 2, Player 4 share the win with 9."),
    (3, {"teams": 2}, [(5, 9)], (5, 9), (2, 1), "Player 2 wins with 9."),
    (3, {"start": 100}, [(-5, -9, 0)], (95, 91, 100), (2, 3, 1), "Player 3 wins with 100."),
    (3, {"start": -10}, [(0, 9, 0)], (-10, -1, -10), (2, 1, 2), "Player 2 wins with -1."),
    (4, {"wins": Wins.SHARED}, [(5,), (7,)], (12,), (), "12 points in all."),
    (4, {"wins": Wins.SHARED}, [(1,)], (1,), (), "1 point in all."),
    (1, {}, [(5,), (-9,)], (-4,), (), "-4 points in all."),
]


@pytest.mark.parametrize(("seats", "options", "rounds", "totals", "places", "verdict"), CLOSED)
def test_best_total_wins_whenever_the_table_stops(seats, options, rounds, totals, places, verdict):
    """Nothing ends these matches, so there is always a verdict for closing the table."""
    standing = standing_after(seats, *rounds, **options)
    assert (standing.totals, standing.ranks, standing.is_over) == (totals, places, False)
    assert str(standing.verdict) == verdict
    assert standing_after(seats, **options).verdict is None


@pytest.mark.parametrize(("seats", "options", "rounds", "totals", "places", "verdict"), CLOSED)
def test_agreed_rounds_end_the_match(seats, options, rounds, totals, places, verdict):
    standing = standing_after(seats, *rounds, **options, rounds=len(rounds))
    assert (standing.totals, standing.ranks, standing.is_over) == (totals, places, True)
    assert str(standing.verdict) == verdict
    unfinished = standing_after(seats, *rounds, **options, rounds=len(rounds) + 1)
    assert (unfinished.is_over, unfinished.verdict) == (False, None)


# Endings


@pytest.mark.parametrize(
    ("options", "rounds"),
    [
        ({}, None),
        ({"rounds": 3}, 3),
        ({"rounds": 1}, 1),
        ({"target": 100}, None),
        ({"target": 100, "rounds": 9}, 9),
        ({"categories": SUITS}, 1),
        ({"categories": SUITS, "rounds": 4}, 4),
        ({"categories": SUITS, "target": 100}, None),
        ({"categories": SUITS, "target": 100, "rounds": 4}, 4),
    ],
)
def test_categories_alone_make_a_single_round(options, rounds):
    assert GAME.scoring.round_count(Options(**options), 3) == rounds


@pytest.mark.parametrize(
    ("options", "rounds", "is_over"),
    [
        ({"target": 100}, [(99, 40)], False),
        ({"target": 100}, [(100, 40)], True),
        ({"target": 100}, [(40, 130)], True),
        ({"target": 100, "wins": Wins.LOWEST}, [(100, 40)], True),
        ({"target": 100, "wins": Wins.LOWEST}, [(99, 40)], False),
        ({"target": 100, "start": 90}, [(5, 9)], False),
        ({"target": 100, "start": 90}, [(5, 10)], True),
        ({"target": 0, "start": 301, "wins": Wins.LOWEST}, [(-180, -60), (-120, -60)], False),
        ({"target": 0, "start": 301, "wins": Wins.LOWEST}, [(-180, -60), (-121, -60)], True),
        ({"target": 0, "start": 301, "wins": Wins.LOWEST}, [(-180, -60), (-140, -60)], True),
        ({"target": 0, "start": 20}, [(-20, 5)], True),
        ({"target": 0, "start": 20}, [(-19, 5)], False),
        ({"target": -50}, [(-49, 5)], False),
        ({"target": -50}, [(-50, 5)], True),
        ({"target": 0, "start": -10}, [(9, 5)], False),
        ({"target": 0, "start": -10}, [(10, 5)], True),
        ({"target": 100, "rounds": 2}, [(1, 1)], False),
        ({"target": 100, "rounds": 2}, [(1, 1), (1, 1)], True),
        ({"target": 100, "rounds": 2}, [(100, 1)], True),
    ],
)
def test_target_is_reached_coming_from_the_start_score(options, rounds, is_over):
    standing = standing_after(2, *rounds, **options)
    assert standing.is_over is is_over
    assert standing.verdict is not None or "rounds" in options


def test_lowest_total_wins_when_counting_down():
    standing = standing_after(2, (-180, -60), (-121, -60), start=301, target=0, wins=Wins.LOWEST)
    assert (standing.totals, standing.ranks) == ((0, 181), (1, 2))
    assert str(standing.verdict) == "Player 1 wins with 0."


def test_player_who_falls_to_the_target_need_not_win():
    standing = standing_after(3, (-20, 5, 1), start=20, target=0)
    assert str(standing.verdict) == "Player 2 wins with 25."


@pytest.mark.parametrize(
    ("rounds", "verdict"),
    [([(40,), (70,)], "Target reached: 110 of 100."), ([(40,), (50,)], "Target missed: 90 of 100.")],
)
def test_shared_result_is_compared_with_the_target(rounds, verdict):
    assert str(standing_after(3, *rounds, wins=Wins.SHARED, target=100, rounds=2).verdict) == verdict


def test_match_can_end_before_its_target_but_not_its_rounds():
    assert str(standing_after(3, (5, 6, 7), target=100).verdict) == "Player 3 wins with 7."
    assert str(standing_after(3, (90,), target=100, wins=Wins.SHARED).verdict) == "Target missed: 90 of 100."
    assert standing_after(3, (5, 6, 7), target=100, rounds=4).verdict is None


# Points and categories


def test_points_are_added_by_category():
    options = Options(categories=SUITS)
    sheet = GAME.scoring.score(options, (Count(1, (1, -2, 3, 0)), Count(0, (10, 0, 0, 5))))
    assert [(str(line.label), line.values) for line in sheet.lines] == [
        ("♠", (10, 1)),
        ("♥", (0, -2)),
        ("♦", (0, 3)),
        ("♣", (5, 0)),
    ]
    assert sheet.points == (15, 2)


def test_points_without_categories_make_one_line():
    sheet = GAME.scoring.score(Options(), (Count(0, (-5,)), Count(1, (0,)), Count(2, (7,))))
    assert [(str(line.label), line.values) for line in sheet.lines] == [("points", (-5, 0, 7))]
    assert sheet.points == (-5, 0, 7)


@pytest.mark.parametrize(
    ("word", "points"),
    [("12", (12,)), ("-8", (-8,)), ("12+7-3", (16,)), ("−5", (-5,)), ("-5-5", (-10,)), ("+3", (3,)), ("0", (0,))],
)
def test_points_are_typed_as_sums(word, points):
    assert decode(Count, {"seat": "0", "points": word}).points == points


@pytest.mark.parametrize("word", ["12+", "--5", "1.5", "1 2x", "twelve", "1e9", "٣", "9999999999", "5,", "5,,5"])
def test_malformed_sum_is_rejected(word):
    with pytest.raises(Malformed):
        decode(Count, {"seat": "0", "points": word})


def test_decimal_comma_is_rejected_as_two_numbers():
    assert find_broken_rules(3, (decode(Count, {"seat": "0", "points": "1,5"}),)) == {Rule.POINTS: BOUND}


@pytest.mark.parametrize("categories", [(), ("coins",), SUITS, tuple("abcdefghijkl")])
def test_up_to_twelve_categories_are_counted(categories):
    boxes = len(categories) or 1
    assert not find_refusing_rules(3, categories=categories)
    assert not find_broken_rules(3, tuple(Count(seat, (seat,) * boxes) for seat in range(3)), categories=categories)


@pytest.mark.parametrize("number", [MAX_POINTS, -MAX_POINTS])
def test_largest_numbers_fit_everywhere(number):
    assert not find_broken_rules(3, (Count(0, (number,)),))
    assert not find_refusing_rules(3, start=number)
    assert not find_refusing_rules(3, target=number)


# Title and saved options


def test_table_title_is_the_name_of_its_game():
    assert str(GAME.get_table_title(Options(name="Λιβάδι"))) == "Λιβάδι"
    assert GAME.get_table_title(Options()) == GAME.title


def test_names_have_up_to_40_letters_and_categories_24():
    assert build_options(GAME, 3, {"name": "x" * 40, "categories": "x" * 24})
    for words in ({"name": "x" * 41}, {"categories": "x" * 25}):
        with pytest.raises(Malformed):
            build_options(GAME, 3, words)


@pytest.mark.parametrize("words", [{"teams": "1"}, {"teams": "7"}, {"rounds": "0"}, {"rounds": "100"}, {"wins": "all"}])
def test_unknown_option_is_rejected_with_the_known_ones(words):
    with pytest.raises(Malformed) as refusal:
        build_options(GAME, 3, words)
    assert next(iter(words.values())) in str(refusal.value)


def test_sheet_is_saved_under_its_name_ignoring_case():
    (preset,) = GAME.options.presets(Options(name="Canasta", teams=2, target=5000, dealer=1))
    assert (preset.key, str(preset.label)) == ("canasta", "Canasta")
    assert GAME.options.presets(Options(name="CANASTA"))[0].key == "canasta"
    assert GAME.options.presets(Options(teams=2)) == ()


def test_saved_sheet_has_every_option_but_the_dealer():
    """Default values are included as blanks, to reset what another sheet has changed."""
    options = Options(name="Canasta", teams=2, target=5000, dealer=1)
    (preset,) = GAME.options.presets(options)
    assert set(preset.words) == set(encode(options)) - {"dealer"} | {"wins", "categories", "rounds", "start"}
    assert preset.words["wins"] == ""
    decoded = decode(Options, {name: word for name, word in preset.words.items() if word})
    assert decoded == Options(name="Canasta", teams=2, target=5000)


# Log texts


@pytest.mark.parametrize(
    ("options", "count", "text"),
    [
        ({}, Count(1, (12,)), "Player 2: 12"),
        ({}, Count(1, (-12,)), "Player 2: -12"),
        ({"teams": 2}, Count(1, (12,)), "Team of Player 2: 12"),
        ({"wins": Wins.SHARED}, Count(0, (12,)), "Everybody: 12"),
        ({"categories": SUITS}, Count(0, (1, 2, -3, 4)), "Player 1: ♠ 1, ♥ 2, ♦ -3, ♣ 4 = 4"),
        ({"categories": ("{coins}",)}, Count(0, (3,)), "Player 1: {coins} 3"),
        ({"categories": SUITS}, Count(0, (1, 2)), "Player 1: 1, 2"),
        ({}, Count(0, (1, 2)), "Player 1: 1, 2"),
    ],
)
def test_log_lists_points_by_category(options, count, text):
    assert str(GAME.help.describe(Options(**options), count)) == text


def test_any_game_has_no_referee():
    assert GAME.referee is None and not GAME.plays
    assert GAME.pad.progress(()) is None


def test_round_ends_when_every_team_is_counted():
    log = Log.empty(GAME, Options(teams=2), 4)
    for number, (seat, points) in enumerate([("0", "30"), ("1", "24")], 1):
        assert not log.match.get_round(1).is_over
        log = log.append(Entry(number, "count", {"seat": seat, "points": points}, 1))
    assert log.match.get_round(1).sheet.points == (30, 24)
    assert log.match.current_number == 2


def test_options_have_translatable_texts():
    fields = Options.__dataclass_fields__.values()
    texts = [part.metadata[name] for part in fields for name in ("label", "hint") if part.metadata.get(name)]
    choices = itertools.chain(*(part.metadata.get("choices", ()) for part in fields))
    for text in (*texts, *(choice.label for choice in choices)):
        assert isinstance(text, Text) and "{" not in str(text)
