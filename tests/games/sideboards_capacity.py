"""Search that computed the table of capacities, exact and column by column.

A column holds each colour (or handle) once. So an instance takes one drawer of its colour from each of its columns,
and two instances of one colour never share a column; the rest of a card can always be filled in. A partial solution is
described by the drawers that each colour has taken in the columns to come, and colours are interchangeable.
"""

import sys
from functools import cache
from itertools import product
from math import gcd

from companion.games.sideboards.capacities import normalise_pattern
from companion.games.sideboards.packing import list_orientations
from tests.games.random_sideboards import every_pattern

BEAMS = (100, 1_000)
"""Beam widths of the rough search, which nearly always meets the bound and saves the exact search."""
WEIGHTS = (0, 1 / 4, 1 / 3, 1 / 2, 2 / 3, 3 / 4, 1)
"""Weights tried for a line in the bound."""


@cache
def most_instances(pattern, kinds, *, mirrored=False, columns=8, lines=5):
    """Return the most instances of a pattern in any full sideboard, over `kinds` colours or handles together."""
    ways = list_orientations(pattern, mirrored=mirrored)
    step = gcd(*(column for way in ways for _line, column in way)) or 1
    starts = {start for way in ways for start in _starts(way, step, lines)}
    if not starts:
        return 0
    starts = tuple(sorted(starts, key=str))
    # columns that no instance joins, such as every second one, are separate boards
    return sum(_most(starts, kinds, len(range(first, columns, step)), lines) for first in range(step))


def _starts(way, step, lines):
    """Return the orientation at every height: the line taken in each column from its first, or None."""
    line_of = {column // step: line for line, column in way}
    for down in range(lines - max(line_of.values())):
        yield tuple(line_of[own] + down if own in line_of else None for own in range(max(line_of) + 1))


@cache
def _most(starts, kinds, columns, lines):
    width = len(starts[0])
    most = [0] * (columns + 1)  # bounds of every narrower board
    for count in range(width, columns + 1):
        most[count] = min(
            most[count - 1] + min(kinds, lines),
            int(count * _weight(starts, lines) + 1e-9),
            kinds * _in_one_colour(starts, count),
        )
    least = 0
    for beam in BEAMS:
        least = max(least, _search(starts, kinds, most, columns, least, beam))
        if least == most[columns]:
            return least
    for count in range(width, columns + 1):
        bound = min(most[count], most[count - 1] + min(kinds, lines))
        found = max(most[count - 1], least if count == columns else 0)
        for beam in (*BEAMS, None):
            if found < bound:
                found = max(found, _search(starts, kinds, most, count, found, beam))
        most[count] = found
    return most[columns]


@cache
def _weight(starts, lines):
    """Return a bound by lines: with weights that give every instance at least 1, the total weight limits the
    instances.
    """
    taken = {tuple(sorted(line for line in start if line is not None)) for start in starts}
    fitting = (
        sum(weights)
        for weights in product(WEIGHTS, repeat=lines)
        if all(sum(weights[line] for line in own) >= 1 - 1e-9 for own in taken)
    )
    return min(fitting)


@cache
def _in_one_colour(starts, columns):
    """Return the most instances of one colour, which only have to share no column."""
    sets = {sum(1 << at for at, line in enumerate(start) if line is not None) for start in starts}

    @cache
    def best(column, used):
        if column == columns:
            return 0
        fitting = (own for own in sets if not own & used and own.bit_length() <= columns - column)
        return max([best(column + 1, used >> 1), *(1 + best(column + 1, (used | own) >> 1) for own in fitting)])

    return best(0, 0)


def _search(starts, kinds, most, columns, least, beam):
    """Return the best result above `least`, searching exactly or within the beam; otherwise `least`."""
    ahead = len(starts[0]) - 1
    best = {((None,) * ahead,) * kinds: 0}
    for column in range(columns - ahead):
        reached = {}
        for taken, count in best.items():
            for after, more in _steps(taken, starts, ahead):
                total = count + more
                if total + most[columns - column - 1] > least and reached.get(after, -1) < total:
                    reached[after] = total
        if beam and len(reached) > beam:
            ranked = sorted(reached.items(), key=lambda own: (-own[1], _drawers(own[0])))
            reached = dict(ranked[:beam])
        best = reached
    return max(best.values(), default=least)


def _drawers(taken):
    return sum(line is not None for own in taken for line in own)


def _steps(taken, starts, ahead):
    """Yield the starts in the next column: at most one instance of each colour without a drawer there."""
    gone = [{own[column] for own in taken} - {None} for column in range(ahead)] + [set()]
    busy = [(*own[1:], None) for own in taken if own[0] is not None]
    free = [own for own in taken if own[0] is None]
    found = {}

    def choose(number, first, gone, held, count):
        if number == len(free):
            after = tuple(sorted((*busy, *held), key=_order))
            found[after] = max(found.get(after, 0), count)
            return
        own = free[number]
        # colours in the same state are interchangeable: try later starts only
        first = first if number and free[number - 1] == own else 0
        for index in range(first, len(starts)):
            start = starts[index]
            if all(_fits(start, own, column, gone) for column in range(ahead + 1)):
                lines = [own_gone | ({line} - {None}) for own_gone, line in zip(gone, start, strict=True)]
                after = tuple(
                    start[at + 1] if start[at + 1] is not None else (own[at + 1] if at + 1 < ahead else None)
                    for at in range(ahead)
                )
                choose(number + 1, index + 1, lines, (*held, after), count + 1)
        choose(number + 1, len(starts), gone, (*held, (*own[1:], None)), count)

    choose(0, 0, gone, (), 0)
    return found.items()


def _fits(start, own, column, gone):
    line = start[column]
    return line is None or (line not in gone[column] and (column >= len(own) or own[column] is None))


def _order(cells):
    return tuple(-1 if line is None else line for line in cells)


def main():
    """Print the table, one line per pattern."""
    for pattern in sorted(map(normalise_pattern, every_pattern()), key=lambda cells: (len(cells), cells)):
        numbers = [most_instances(pattern, kinds, mirrored=own) for kinds in (5, 3) for own in (False, True)]
        digits = "".join("0123456789abcdefghijkl"[number] for number in numbers)
        sys.stdout.write("".join(map(str, pattern)) + f":{digits}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
