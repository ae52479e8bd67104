"""Packing of patterns, against exhaustive search on small boards and clique search on full ones."""

import random
from functools import cache
from itertools import combinations, product

import networkx
import pytest

from companion.games.sideboards.deck import Colour, Handle
from companion.games.sideboards.goals import find_instances
from companion.games.sideboards.packing import list_orientations, pack_pattern
from tests.games.random_sideboards import GRID, list_patterns, random_pattern, random_sideboard

LINES = 5


@cache
def list_placements(pattern, mirrored, columns):
    """Return every placement as a set of drawers, independently of the code under test."""
    cells = [(cell // 10, cell % 10) for cell in pattern]
    signs = [(1, 1), (-1, -1), *([(1, -1), (-1, 1)] if mirrored else [])]
    placements = set()
    for down, right in signs:
        for line, column in product(range(-5, LINES + 5), range(-5, columns + 5)):
            drawers = frozenset(
                (line + down * line_step, column + right * column_step) for line_step, column_step in cells
            )
            if all(0 <= row < LINES and 0 <= place < columns for row, place in drawers):
                placements.add(drawers)
    return tuple(placements)


def list_fitting_placements(drawers, pattern, mirrored, columns=8):
    return [placement for placement in list_placements(pattern, mirrored, columns) if placement <= drawers]


def count_by_exhaustion(placements):
    """Return the size of the largest disjoint set of placements, trying every choice."""
    if not placements:
        return 0
    first, *rest = placements
    disjoint = [placement for placement in rest if not placement & first]
    return max(count_by_exhaustion(rest), 1 + count_by_exhaustion(disjoint))


def count_by_cliques(placements):
    """Return the size of the largest disjoint set of placements, as a maximum clique by branch and bound."""
    graph = networkx.Graph()
    graph.add_nodes_from(range(len(placements)))
    pairs = combinations(range(len(placements)), 2)
    graph.add_edges_from((first, second) for first, second in pairs if not placements[first] & placements[second])
    return networkx.max_weight_clique(graph, weight=None)[1]


def encode_mask(drawers):
    return sum(1 << (LINES * column + line) for line, column in drawers)


def decode_mask(mask):
    return frozenset((bit % LINES, bit // LINES) for bit in range(LINES * 8) if mask >> bit & 1)


def assert_packed(packed, drawers, pattern, mirrored, columns=8):
    """Check that the result consists of disjoint placements of the pattern on the drawers."""
    placements = [decode_mask(mask) for mask in packed]
    assert set(placements) <= set(list_fitting_placements(drawers, pattern, mirrored, columns))
    assert sum(map(len, placements)) == len(frozenset().union(*placements))


@pytest.mark.parametrize("mirrored", [False, True], ids=["turned", "mirrored"])
@pytest.mark.parametrize("columns", [2, 3, 4])
def test_packing_matches_exhaustive_search_on_small_boards(columns, mirrored):
    chance = random.Random(f"small {columns} {mirrored}")
    whole = [(line, column) for line in range(LINES) for column in range(columns)]
    most = 0
    for _time in range(400):
        pattern = random_pattern(chance)
        drawers = frozenset(chance.sample(whole, chance.randint(2, len(whole))))
        placements = list_fitting_placements(drawers, pattern, mirrored, columns)
        if len(placements) > 22:  # too many choices to try
            continue
        packed = pack_pattern(encode_mask(drawers), pattern, mirrored=mirrored, columns=columns)
        assert len(packed) == count_by_exhaustion(placements), (pattern, sorted(drawers))
        assert_packed(packed, drawers, pattern, mirrored, columns)
        most = max(most, len(packed))
    assert most >= columns, "the boards are too easy"


@pytest.mark.parametrize("mirrored", [False, True], ids=["turned", "mirrored"])
def test_every_pattern_is_packed_exactly(mirrored):
    """Every pattern of two to four cells, in one colour and one handle of a random sideboard."""
    chance = random.Random(f"every {mirrored}")
    patterns = list_patterns()
    assert len(patterns) > 1_000
    for pattern in patterns:
        cards = random_sideboard(chance)
        for letter in (chance.choice("RTPOB"), chance.choice("fsb")):
            drawers = frozenset((card.lines[letter], column) for column, card in enumerate(cards))
            packed = pack_pattern(encode_mask(drawers), pattern, mirrored=mirrored)
            expected = count_by_cliques(list_fitting_placements(drawers, pattern, mirrored))
            assert len(packed) == expected, (pattern, sorted(drawers))
            assert_packed(packed, drawers, pattern, mirrored)


@pytest.mark.parametrize("mirrored", [False, True], ids=["turned", "mirrored"])
def test_impossible_drawers_are_packed_exactly(mirrored):
    """Packing does not rely on each card having every colour once."""
    chance = random.Random(f"any {mirrored}")
    whole = [(line, column) for line in range(LINES) for column in range(8)]
    most = 0
    for _time in range(150):
        pattern = random_pattern(chance)
        drawers = frozenset(chance.sample(whole, chance.randint(8, 20)))
        packed = pack_pattern(encode_mask(drawers), pattern, mirrored=mirrored)
        expected = count_by_cliques(list_fitting_placements(drawers, pattern, mirrored))
        assert len(packed) == expected, (pattern, sorted(drawers))
        assert_packed(packed, drawers, pattern, mirrored)
        most = max(most, len(packed))
    assert most >= 5, "the boards are too easy"


def test_greedy_packing_would_be_wrong():
    """The leftmost instance overlaps two others."""
    pattern = (11, 12, 25)
    drawers = frozenset((line, column) for column, line in enumerate((3, 1, 0, 0, 0, 1, 1, 1)))
    greedy = []
    for placement in sorted(list_fitting_placements(drawers, pattern, False), key=encode_mask):
        if not any(placement & earlier for earlier in greedy):
            greedy.append(placement)
    assert (len(greedy), len(pack_pattern(encode_mask(drawers), pattern))) == (1, 2)


def test_instances_are_packed_by_colour_or_handle():
    chance = random.Random("letters")
    for _time in range(60):
        cards, pattern = random_sideboard(chance, chance.randint(0, 8)), chance.choice(list_patterns())
        for letters in ("".join(Colour), "".join(Handle)):
            expected = 0
            for letter in letters:
                drawers = frozenset((card.lines[letter], column) for column, card in enumerate(cards))
                expected += count_by_cliques(list_fitting_placements(drawers, pattern, False))
            instances = find_instances(cards, pattern, letters, mirrored=False)
            assert len(instances) == expected
            assert len(frozenset().union(*map(decode_mask, instances))) == len(pattern) * expected, "a drawer is shared"


def test_pattern_without_room_is_not_found():
    assert pack_pattern(0, (11, 22)) == ()
    assert pack_pattern(encode_mask({(0, 0), (1, 1)}), (11, 23)) == ()
    assert pack_pattern(encode_mask({(0, 0), (1, 1)}), (11, 12, 13), columns=2) == ()


def test_packing_mirrors_patterns_only_by_option():
    assert set(list_orientations((11, 22), mirrored=False)) == {((0, 0), (1, 1))}
    assert set(list_orientations((11, 22), mirrored=True)) == {((0, 0), (1, 1)), ((0, 1), (1, 0))}
    corner = (11, 12, 23)
    assert len(list_orientations(corner, mirrored=False)) == 2
    assert len(list_orientations(corner, mirrored=True)) == 4


def test_position_of_a_pattern_on_the_grid_does_not_matter():
    assert list_orientations((11, 22, 33), mirrored=False) == list_orientations((33, 44, 55), mirrored=False)
    assert len(GRID) == 25
