"""Timing of the exact count of goals on whole sideboards, for `make bench`."""

from __future__ import annotations

import gc
import random
import statistics
import time
from collections.abc import Iterator

from companion.games.sideboards.deck import Colour, Handle
from companion.games.sideboards.goals import find_instances
from companion.games.sideboards.packing import pack_pattern
from tests.games.random_sideboards import list_patterns, random_sideboard

SIDEBOARDS = 10_000


def figures() -> Iterator[tuple[str, str]]:
    """Yield the timings of one pattern in five colours or three handles on a full sideboard."""
    chance = random.Random(20240101)
    patterns = list_patterns()
    for pattern in patterns:  # warms the cache of placements, as a table does when it opens
        for mirrored in (False, True):
            pack_pattern(0, pattern, mirrored=mirrored)
    boards = [(random_sideboard(chance), chance.choice(patterns), chance.random() < 0.5) for _time in range(SIDEBOARDS)]
    gc.disable()  # measures the count, not the garbage collector
    for sort, letters in (("colour", "".join(Colour)), ("handle", "".join(Handle))):
        durations = []
        for cards, pattern, mirrored in boards:
            began = time.thread_time()
            find_instances(cards, pattern, letters, mirrored=mirrored)
            durations.append((time.thread_time() - began) * 1000)
        yield f"sideboards: a {sort} goal counted exactly, median", f"{statistics.median(durations):.3f} ms"
        yield f"   the worst of {SIDEBOARDS:,} random sideboards", f"{max(durations):.2f} ms"
    gc.enable()
