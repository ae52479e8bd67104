"""Capacities of patterns: the table, the search that computed it, and exhaustion."""

import random
from itertools import permutations, product

import pytest

from companion.games.sideboards.capacities import build_key, get_capacity
from companion.games.sideboards.deck import LINES, Colour, Handle
from companion.games.sideboards.goals import find_goals
from companion.games.sideboards.packing import list_orientations, pack_pattern
from companion.games.sideboards.plays import Options
from tests.games.random_sideboards import list_patterns, random_sideboard
from tests.games.sideboards_capacity import find_most_instances
from tests.scale import LONG, choose_count

KINDS = {5: "".join(Colour), 3: "".join(Handle)}


def every_board(kinds, columns):
    """Yield every sideboard as the line of each kind by column, up to renaming the kinds."""
    orders = list(permutations(range(LINES), kinds))
    first = [order for order in orders if list(order) == sorted(order)]
    return product(first, *[orders] * (columns - 1))


def find_most_by_exhaustion(pattern, kinds, mirrored, columns):
    """Return the most instances on any sideboard, packing each kind separately."""
    packed = {}

    def count(lines):
        if lines not in packed:
            cells = sum(1 << (LINES * column + line) for column, line in enumerate(lines))
            packed[lines] = len(pack_pattern(cells, pattern, mirrored=mirrored, columns=columns))
        return packed[lines]

    return max(sum(map(count, zip(*board, strict=True))) for board in every_board(kinds, columns))


@pytest.mark.parametrize("mirrored", [False, True], ids=["turned", "mirrored"])
@pytest.mark.parametrize("kinds", KINDS)
def test_search_agrees_with_exhaustion_on_small_boards(kinds, mirrored):
    chance = random.Random(f"{kinds} {mirrored}")
    small = [
        pattern
        for pattern in list_patterns()
        if max(column for _l, column in list_orientations(pattern, mirrored=False)[0]) < 3
    ]
    values = set()
    for pattern in chance.sample(small, choose_count(8, 40)):
        most = find_most_instances(pattern, kinds, mirrored=mirrored, columns=3)
        assert most == find_most_by_exhaustion(pattern, kinds, mirrored, 3), pattern
        values.add(most)
    assert len(values) > 1, "the boards are too easy"


def test_table_agrees_with_search():
    chance = random.Random("table")
    patterns = list_patterns()
    for pattern in patterns if LONG else chance.sample(patterns, 12):
        for kinds in KINDS:
            is_mirrored = LONG or len(pattern) == 4
            for mirrored in (False, True)[: 1 + is_mirrored]:
                expected = find_most_instances(pattern, kinds, mirrored=mirrored)
                assert get_capacity(pattern, kinds, mirrored=mirrored) == expected, pattern


def test_table_has_every_pattern_wherever_it_is_drawn():
    for pattern in list_patterns():
        turned = tuple(66 - cell for cell in pattern)
        flipped = tuple(cell // 10 * 10 + 6 - cell % 10 for cell in pattern)
        assert build_key(pattern) == build_key(turned) == build_key(flipped)
        numbers = [get_capacity(pattern, kinds, mirrored=mirrored) for kinds in (3, 5) for mirrored in (False, True)]
        assert numbers == [
            get_capacity(turned, kinds, mirrored=mirrored) for kinds in (3, 5) for mirrored in (False, True)
        ]
        assert 1 <= numbers[0] <= numbers[1] <= numbers[3] <= 5 * (8 // len(pattern))


def test_random_sideboards_stay_within_the_capacity():
    chance = random.Random("beyond")
    for pattern in list_patterns():
        mirrored = chance.random() < 0.5
        results = find_goals(
            Options(colour_pattern=pattern, handle_pattern=pattern, mirrored=mirrored), random_sideboard(chance)
        )
        assert len(results.colours) <= get_capacity(pattern, 5, mirrored=mirrored)
        assert len(results.handles) <= get_capacity(pattern, 3, mirrored=mirrored)


@pytest.mark.parametrize(("pattern", "most"), [((11, 12), 20), ((11, 22), 16), ((11, 22, 33), 8), ((11, 12, 13), 10)])
def test_capacity_is_reached_by_a_sideboard(pattern, most):
    """Hill climbing: replaces one card at a time unless that is worse."""
    chance = random.Random(f"reach {pattern}")
    assert get_capacity(pattern, 5) == most

    def count_instances(lines):
        masks = [sum(1 << (LINES * column + order[kind]) for column, order in enumerate(lines)) for kind in range(5)]
        return sum(len(pack_pattern(mask, pattern)) for mask in masks)

    orders = list(permutations(range(LINES)))
    best = 0
    for _start in range(40):
        lines = [chance.choice(orders)] * 8 if pattern[0] // 10 == pattern[-1] // 10 else chance.choices(orders, k=8)
        for _step in range(400):
            changed = list(lines)
            changed[chance.randrange(8)] = chance.choice(orders)
            lines = changed if count_instances(changed) >= count_instances(lines) else lines
        best = max(best, count_instances(lines))
        if best == most:
            break
    assert best == most
