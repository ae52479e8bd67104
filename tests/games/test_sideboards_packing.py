"""Packing of Sideboards against exhaustive search on small boards and clique search on whole ones."""

import random
from functools import cache
from itertools import combinations, product

import networkx
import pytest

from companion.games.sideboards.deck import Colour, Handle
from companion.games.sideboards.goals import find_instances
from companion.games.sideboards.packing import list_orientations, pack_pattern
from tests.games.random_sideboards import GRID, any_pattern, every_pattern, sideboard

LINES = 5


@cache
def placements(pattern, mirrored, columns):
    """Return every placement as a set of drawers; written independently of the code under test."""
    cells = [(cell // 10, cell % 10) for cell in pattern]
    signs = [(1, 1), (-1, -1), *([(1, -1), (-1, 1)] if mirrored else [])]
    results = set()
    for down, right in signs:
        for line, column in product(range(-5, LINES + 5), range(-5, columns + 5)):
            laid = frozenset(
                (line + down * line_step, column + right * column_step) for line_step, column_step in cells
            )
            if all(0 <= row < LINES and 0 <= place < columns for row, place in laid):
                results.add(laid)
    return tuple(results)


def fitting(drawers, pattern, mirrored, columns=8):
    return [laid for laid in placements(pattern, mirrored, columns) if laid <= drawers]


def by_exhaustion(laid):
    """Return the most disjoint placements by trying every choice."""
    if not laid:
        return 0
    first, *rest = laid
    return max(by_exhaustion(rest), 1 + by_exhaustion([other for other in rest if not other & first]))


def by_cliques(laid):
    """Return the most disjoint placements as a largest clique, by branch and bound."""
    graph = networkx.Graph()
    graph.add_nodes_from(range(len(laid)))
    graph.add_edges_from(
        (one, other) for one, other in combinations(range(len(laid)), 2) if not laid[one] & laid[other]
    )
    return networkx.max_weight_clique(graph, weight=None)[1]


def as_mask(drawers):
    return sum(1 << (LINES * column + line) for line, column in drawers)


def drawers_of(mask):
    return frozenset((bit % LINES, bit // LINES) for bit in range(LINES * 8) if mask >> bit & 1)


def assert_packed(packed, drawers, pattern, mirrored, columns=8):
    """Check that the result consists of disjoint placements of the pattern on the drawers."""
    laid = [drawers_of(mask) for mask in packed]
    assert set(laid) <= set(fitting(drawers, pattern, mirrored, columns))
    assert sum(map(len, laid)) == len(frozenset().union(*laid))


@pytest.mark.parametrize("mirrored", [False, True], ids=["turned", "mirrored"])
@pytest.mark.parametrize("columns", [2, 3, 4])
def test_packing_matches_exhaustive_search_on_small_boards(columns, mirrored):
    chance = random.Random(f"small {columns} {mirrored}")
    whole = [(line, column) for line in range(LINES) for column in range(columns)]
    most = 0
    for _time in range(400):
        pattern = any_pattern(chance)
        drawers = frozenset(chance.sample(whole, chance.randint(2, len(whole))))
        laid = fitting(drawers, pattern, mirrored, columns)
        if len(laid) > 22:  # too many choices to try
            continue
        packed = pack_pattern(as_mask(drawers), pattern, mirrored=mirrored, columns=columns)
        assert len(packed) == by_exhaustion(laid), (pattern, sorted(drawers))
        assert_packed(packed, drawers, pattern, mirrored, columns)
        most = max(most, len(packed))
    assert most >= columns, "the boards are too easy"


@pytest.mark.parametrize("mirrored", [False, True], ids=["turned", "mirrored"])
def test_every_pattern_is_packed_exactly(mirrored):
    """All patterns of two to four cells, in one colour and one handle of random sideboards."""
    chance = random.Random(f"every {mirrored}")
    patterns = every_pattern()
    assert len(patterns) > 1_000
    for pattern in patterns:
        cards = sideboard(chance)
        for letter in (chance.choice("RTPOB"), chance.choice("fsb")):
            drawers = frozenset((card.lines[letter], column) for column, card in enumerate(cards))
            packed = pack_pattern(as_mask(drawers), pattern, mirrored=mirrored)
            assert len(packed) == by_cliques(fitting(drawers, pattern, mirrored)), (pattern, sorted(drawers))
            assert_packed(packed, drawers, pattern, mirrored)


@pytest.mark.parametrize("mirrored", [False, True], ids=["turned", "mirrored"])
def test_impossible_drawers_are_packed_exactly(mirrored):
    """The method does not depend on the composition of cards."""
    chance = random.Random(f"any {mirrored}")
    whole = [(line, column) for line in range(LINES) for column in range(8)]
    most = 0
    for _time in range(150):
        pattern = any_pattern(chance)
        drawers = frozenset(chance.sample(whole, chance.randint(8, 20)))
        packed = pack_pattern(as_mask(drawers), pattern, mirrored=mirrored)
        assert len(packed) == by_cliques(fitting(drawers, pattern, mirrored)), (pattern, sorted(drawers))
        assert_packed(packed, drawers, pattern, mirrored)
        most = max(most, len(packed))
    assert most >= 5, "the boards are too easy"


def test_greedy_packing_would_be_wrong():
    """The leftmost instance uses drawers of two others."""
    pattern = (11, 12, 25)
    drawers = frozenset((line, column) for column, line in enumerate((3, 1, 0, 0, 0, 1, 1, 1)))
    taken = []
    for laid in sorted(fitting(drawers, pattern, False), key=as_mask):
        if not any(laid & other for other in taken):
            taken.append(laid)
    assert (len(taken), len(pack_pattern(as_mask(drawers), pattern))) == (1, 2)


def test_instances_are_packed_by_colour_or_handle():
    chance = random.Random("letters")
    for _time in range(60):
        cards, pattern = sideboard(chance, chance.randint(0, 8)), chance.choice(every_pattern())
        for letters in ("".join(Colour), "".join(Handle)):
            wanted = 0
            for letter in letters:
                drawers = frozenset((card.lines[letter], column) for column, card in enumerate(cards))
                wanted += by_cliques(fitting(drawers, pattern, False))
            instances = find_instances(cards, pattern, letters, mirrored=False)
            assert len(instances) == wanted
            assert len(frozenset().union(*map(drawers_of, instances))) == len(pattern) * wanted, "no drawer is shared"


def test_pattern_without_room_is_not_found():
    assert pack_pattern(0, (11, 22)) == ()
    assert pack_pattern(as_mask({(0, 0), (1, 1)}), (11, 23)) == ()
    assert pack_pattern(as_mask({(0, 0), (1, 1)}), (11, 12, 13), columns=2) == ()


def test_packing_mirrors_patterns_only_by_option():
    assert set(list_orientations((11, 22), mirrored=False)) == {((0, 0), (1, 1))}
    assert set(list_orientations((11, 22), mirrored=True)) == {((0, 0), (1, 1)), ((0, 1), (1, 0))}
    corner = (11, 12, 23)
    assert len(list_orientations(corner, mirrored=False)) == 2
    assert len(list_orientations(corner, mirrored=True)) == 4


def test_position_of_a_pattern_on_the_grid_does_not_matter():
    assert list_orientations((11, 22, 33), mirrored=False) == list_orientations((33, 44, 55), mirrored=False)
    assert len(GRID) == 25
