"""Facts of every game, in random matches and in notation."""

import re
from functools import cache

import pytest

from companion.core.entry import EntryKind
from companion.core.facts import Aggregation
from companion.core.game import get_setting
from companion.core.match import Action, Match
from companion.core.match_facts import collect_facts
from companion.core.notation import replay_notation
from companion.core.schema import encode
from companion.core.scoring import Standing
from companion.games import get_games
from companion.games.any_game.plays import Wins
from tests.games.notation_files import GOOD, get_matches
from tests.games.random_play import build_cases, random_logs, sample_cases

MATCHES = 2
"""Random cases of a game, besides the plain ones."""
TEAMS = 4
"""Number of seats that makes two teams, in games with teams."""

every_game = pytest.mark.parametrize("game", get_games().values(), ids=list(get_games()))


@cache
def random_matches(game, counted):
    """Return random matches in which this share of the rounds was counted by hand."""
    teams = [case for case in build_cases(game.slug) if case.seats == TEAMS]
    cases = [*teams[:1], *sample_cases(game.slug, MATCHES)]
    return [random_logs(case, case.random(f"facts {counted}"), counted=counted)[-1].match for case in cases]


def list_matches(game):
    return [match for counted in (0.0, 0.6) for match in random_matches(game, counted)]


def map_facts(match):
    """Return the facts by name and seat; the seat is None for the whole table."""
    return {(fact.name, fact.seat): fact.value for fact in collect_facts(match)}


def confirm_round(match):
    """Return the match with its last round confirmed, as at a table."""
    return match.record(Action(10_000, match.last_number, EntryKind.CONFIRM, {}))


def replay_facts(text):
    """Return the facts of a match in notation: by name, the value of the table and of each seat, or None."""
    replay = replay_notation(text, get_games())
    assert not replay.problems, [str(verdict.problem) for verdict in replay.problems]
    facts = map_facts(confirm_round(replay.match))
    seats = (None, *range(replay.match.seats))
    return {name: tuple(facts.get((name, seat)) for seat in seats) for name, _seat in facts}


# Every game


@every_game
def test_fact_kinds_are_unique_and_shares_refer_to_a_sum(game):
    kinds = {kind.name: kind for kind in game.stats.fact_kinds}
    assert len(kinds) == len(game.stats.fact_kinds)
    assert len({(str(kind.group), str(kind.label)) for kind in game.stats.fact_kinds}) == len(kinds)
    for name, kind in kinds.items():
        assert re.fullmatch(r"[a-z0-9-]{1,40}", name)
        assert bool(kind.share_of) is (kind.aggregation is Aggregation.SHARE)
        assert not kind.share_of or kinds[kind.share_of].aggregation is Aggregation.SUM


@every_game
def test_a_fact_has_a_known_kind_and_occurs_once_a_seat(game):
    names = {kind.name for kind in game.stats.fact_kinds}
    for match in list_matches(game):
        facts = collect_facts(match)
        assert len(map_facts(match)) == len(facts)
        for fact in facts:
            assert fact.name in names and type(fact.value) is int
            assert fact.seat is None or 0 <= fact.seat < match.seats


@every_game
def test_every_fact_kind_occurs_in_a_stored_match(game):
    names = {name for text in get_matches(game).values() for name in replay_facts(text)}
    assert {kind.name for kind in game.stats.fact_kinds} == names


@every_game
def test_a_share_never_exceeds_its_whole(game):
    shares = [kind for kind in game.stats.fact_kinds if kind.share_of]
    for match in list_matches(game):
        facts = map_facts(match)
        for kind in shares:
            for seat in (None, *range(match.seats)):
                assert ((kind.name, seat) in facts) is ((kind.share_of, seat) in facts)
                assert 0 <= facts.get((kind.name, seat), 0) <= facts.get((kind.share_of, seat), 0)


@every_game
def test_facts_of_the_table_combine_those_of_its_seats(game):
    for match in list_matches(game):
        facts = map_facts(match)
        table_names = {fact.name for fact in game.stats.facts(match.options, match) if fact.seat is None}
        for kind in game.stats.fact_kinds:
            values = [facts[kind.name, seat] for seat in range(match.seats) if (kind.name, seat) in facts]
            if kind.name in table_names:
                assert values == [facts[kind.name, None]] * match.seats, "every seat has the table's value"
            elif values and not kind.is_personal:
                combined = max(values) if kind.aggregation is Aggregation.MAX else sum(values)
                assert facts[kind.name, None] == combined
            else:
                assert (kind.name, None) not in facts


@every_game
def test_facts_that_need_plays_require_refereed_rounds(game):
    of_plays = {kind.name for kind in game.stats.fact_kinds if kind.needs_plays}
    for match in list_matches(game):
        names = of_plays & {name for name, _seat in map_facts(match)}
        is_counted = any(not played.missing_counts for played in match.finished_rounds)
        assert names == (set() if is_counted else of_plays)


@every_game
def test_other_facts_are_the_same_when_counted_by_hand(game):
    of_plays = {kind.name for kind in game.stats.fact_kinds if kind.needs_plays}
    for match in random_matches(game, 0.0):
        by_hand = Match(game, match.options, match.seats)
        for played in match.finished_rounds:
            for kind, cls in game.options.settings.items():
                setting = get_setting(played.options, cls)
                by_hand = by_hand.record(Action(1, played.number, kind, encode(setting)))
            for count in played.tally:
                by_hand = by_hand.record(Action(1, played.number, game.get_kind(count), encode(count)))
        other_facts = {key: value for key, value in map_facts(match).items() if key[0] not in of_plays}
        assert other_facts.items() <= map_facts(by_hand).items()


@every_game
def test_a_match_without_a_finished_round_has_no_facts(game):
    for case in sample_cases(game.slug, 0):
        assert collect_facts(Match(game, case.options, case.seats)) == ()


@every_game
def test_the_first_rank_has_the_best_total(game):
    for match in list_matches(game):
        standing = match.standing
        best = max if game.scoring.highest_wins(match.options) else min
        if standing.ranks:
            assert standing.totals[standing.ranks.index(1)] == best(standing.totals)


@every_game
def test_a_game_that_is_won_together_has_one_side(game):
    sides = game.scoring.sides(game.options.cls(), game.about.seats[-1])
    assert len(sides) == 1 or not game.scoring.is_won_together


@pytest.mark.parametrize(
    ("totals", "is_over", "beaten"), [((0,), True, True), ((1,), True, False), ((0,), False, False)]
)
def test_the_game_is_won_when_no_card_is_left(totals, is_over, beaten):
    game = get_games()["the-game"]
    assert game.scoring.is_won_together(game.options.cls(), Standing(totals, (), is_over, None)) is beaten


@pytest.mark.parametrize(("slug", "expected"), [("the-game", False), ("beavers-and-mice", False), ("take-that", True)])
def test_unranked_games_still_say_which_total_is_better(slug, expected):
    game = get_games()[slug]
    assert game.scoring.highest_wins(game.options.cls()) is expected


def test_a_shared_result_is_better_when_higher():
    game = get_games()["any-game"]
    assert [game.scoring.highest_wins(game.options.cls(wins=wins)) for wins in Wins] == [True, False, True]


# Matches in notation, with facts as (the table, seat 0, seat 1, ...)

TAKE_THAT = """
game take-that
seats 3
option rounds=1
count seat=0 face_up=12 face_down=17 toads=0
count seat=1 face_up=10 face_down=4 toads=1
count seat=2 face_up=15 face_down=3 toads=3 ~ reverse-pair
"""
THE_GAME = """
game the-game
seats 3
place seat=1 card=30 row=up-1
place seat=1 card=20 row=up-1
place seat=1 card=19 row=up-1 ~ ascending
end-turn seat=1
place seat=2 card=90 row=down-1
place seat=2 card=100 row=down-1 ! deck
place seat=2 card=75 row=down-1
end-turn seat=2
place seat=0 card=9 row=up-1
stuck seat=0
= 92
"""
BEAVERS_AND_MICE = """
game beavers-and-mice
seats 2
turn-up seat=0 card=9
discard seat=1 card=8
discard seat=0 card=7
knock seat=0
discard seat=1 card=6
reveal seat=0 cards=0,1,2,3
reveal seat=1 cards=0,1,1,3
= 6,5
turn-up seat=1 card=9
discard seat=0 card=8
discard seat=1 card=7
knock seat=1
discard seat=0 card=6
reveal seat=1 cards=1,1,1,1
reveal seat=0 cards=0,0,2,2
= 4,4
"""
BEAVERS_AND_MICE_COUNTED = """
game beavers-and-mice
seats 2
count seat=0 total=11
count seat=1 total=9 knocked=yes
count seat=0 total=11
count seat=1 total=9
"""
BEAVERS_AND_MICE_UNKNOWN = """
game beavers-and-mice
seats 2
count seat=0 total=11
count seat=1 total=9
"""
MUZICANDO = """
game muzicando
seats 4
bid seat=1 bid=2S
pass seat=2
bid seat=3 bid=3P
pass seat=0
pass seat=1
pass seat=2
pass seat=3
pass seat=0
pass seat=1
pass seat=2 ~ no-idle-pass
= 0,-6
bid seat=2 bid=4M
foul seat=3
= 0,-12
deal players=4 bidder=3 bid=3M order=1,0,2
= 5,12
deal players=4 bidder=3 bid=2S order=3,0 stuck=yes
"""
MUZICANDO_ALONE = """
game muzicando
seats 2
deal players=2 opening=g order=1
"""
SIDEBOARDS = """
game sideboards
seats 1
option handle_pattern=21,12
option row_goal=17
place seat=0 card=OPbBsTRf
place seat=0 card=OPbBsTRf
swap seat=0
place seat=0 card=OPbBsTRf
place seat=0 card=OPbBsTRf
place seat=0 card=OPbBsTRf
place seat=0 card=OPbBsTRf
place seat=0 card=OPbBsTRf
place seat=0 card=OPbBsTRf
= ?
colour-goal colour_pattern=11,12
= 104
"""
SIDEBOARDS_LAID = f"""
game sideboards
seats 1
option colour_pattern=11,12
option row_goal=17
count seat=0 handles=2 cards={",".join(["OPbBsTRf"] * 8)}
"""
SIDEBOARDS_COUNTED = """
game sideboards
seats 2
option rounds=2
count seat=0 colours=3 handles=5 rows=5 unused=yes
count seat=1 colours=2 handles=4 rows=6
count seat=0 colours=1 handles=0 rows=4 unused=yes
count seat=1 colours=0 handles=1 rows=4 unused=yes
"""
SIDEBOARDS_OF_FOUR_CARDS = """
game sideboards
seats 2
option four_cards=yes
count seat=0 colours=3 handles=5 rows=5
count seat=1 colours=2 handles=4 rows=6
"""
FACTS_BY_MATCH = {
    "take-that by counts": (TAKE_THAT, {"toads": (4, 0, 1, 3), "reversals": (18, 6, 5, 7)}),
    "take-that by plays": (
        GOOD["take-that-professional"],
        {"toads": (10, 9, 1), "reversals": (29, 16, 13), "rows": (17, 11, 6)},
    ),
    "take-that given up in the middle": (
        GOOD["take-that-counts-instead"],
        {"toads": (3, 0, 3), "reversals": (21, 11, 10)},
    ),
    "the-game by plays": (
        THE_GAME,
        {
            "games": (1, 1, 1, 1),
            "beaten": (0, 0, 0, 0),
            "cards-left": (92, 92, 92, 92),
            "tricks": (2, 1, 1, 0),
            "largest-gap": (28, None, 28, 14),
        },
    ),
    "the-game by counts": (
        "game the-game\nseats 2\ncount left=0\n",
        {"games": (1, 1, 1), "beaten": (1, 1, 1), "cards-left": (0, 0, 0)},
    ),
    "beavers-and-mice by plays": (BEAVERS_AND_MICE, {"knocks": (2, 1, 1), "knocks-won": (1, 0, 1)}),
    "beavers-and-mice by counts": (BEAVERS_AND_MICE_COUNTED, {"knocks": (1, 0, 1), "knocks-won": (1, 0, 1)}),
    "beavers-and-mice, nobody said who knocked": (BEAVERS_AND_MICE_UNKNOWN, {}),
    "muzicando by plays and by counts": (
        MUZICANDO,
        {
            "tried": (3, None, None, None, 3),
            "made": (2, None, None, None, 2),
            "tried-sarabanda": (1, None, None, None, 1),
            "made-sarabanda": (1, None, None, None, 1),
            "tried-parada": (1, None, None, None, 1),
            "made-parada": (0, None, None, None, 0),
            "tried-muzicando": (1, None, None, None, 1),
            "made-muzicando": (1, None, None, None, 1),
            "tried-level-2": (1, None, None, None, 1),
            "made-level-2": (1, None, None, None, 1),
            "tried-level-3": (2, None, None, None, 2),
            "made-level-3": (1, None, None, None, 1),
            "place-1": (None, None, 1, None, 1),
            "place-2": (None, 2, None, None, None),
            "place-3": (None, None, None, 1, None),
            "place-4": (None, None, None, None, 1),
            "no-place": (6, 1, 2, 2, 1),
        },
    ),
    "muzicando without a bidding": (MUZICANDO_ALONE, {"place-1": (None, None, 1), "place-2": (None, 1, None)}),
    "sideboards by plays, one pattern drawn at the end": (
        SIDEBOARDS,
        {
            "colour-goal": (80, 80),
            "handle-goal": (0, 0),
            "row-goal": (16, 16),
            "row-bonus": (8, 8),
            "swap-cards": (1, 1),
            "swaps": (1, 1),
        },
    ),
    "sideboards by laid cards, one pattern not drawn": (
        SIDEBOARDS_LAID,
        {
            "colour-goal": (80, 80),
            "handle-goal": (6, 6),
            "row-goal": (16, 16),
            "row-bonus": (8, 8),
            "swap-cards": (1, 1),
            "swaps": (1, 1),
        },
    ),
    "sideboards by counts": (
        SIDEBOARDS_COUNTED,
        {
            "colour-goal": (24, 16, 8),
            "handle-goal": (30, 15, 15),
            "row-goal": (38, 18, 20),
            "row-bonus": (12, 4, 8),
            "swap-cards": (4, 2, 2),
            "swaps": (1, 0, 1),
        },
    ),
    "sideboards of four cards": (
        SIDEBOARDS_OF_FOUR_CARDS,
        {"colour-goal": (20, 12, 8), "handle-goal": (27, 15, 12), "row-goal": (22, 10, 12), "row-bonus": (4, 0, 4)},
    ),
    "any-game": ("game any-game\nseats 2\ncount seat=0 points=3\ncount seat=1 points=4\n", {}),
}


@pytest.mark.parametrize(("text", "expected"), FACTS_BY_MATCH.values(), ids=list(FACTS_BY_MATCH))
def test_a_match_in_notation_has_facts(text, expected):
    assert replay_facts(text) == expected


def test_an_impossible_play_is_not_counted_in_facts():
    started = replay_notation(THE_GAME.partition("stuck")[0], get_games()).match
    possible = started.record(Action(1, 1, "place", {"seat": "1", "card": "95", "row": "up-2"}, overruled=("turn",)))
    impossible = started.record(Action(1, 1, "place", {"seat": "1", "card": "90", "row": "up-2"}, overruled=("turn",)))
    stuck = Action(2, 1, "stuck", {"seat": "0"}, overruled=("turn", "game-end"))
    assert map_facts(confirm_round(impossible.record(stuck))) == map_facts(confirm_round(started.record(stuck)))
    assert map_facts(confirm_round(possible.record(stuck)))["largest-gap", 1] == 93, "a possible play is counted"
