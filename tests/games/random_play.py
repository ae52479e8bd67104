"""Random matches, drawn play by play from what is legal; what the tests of every game share."""

import itertools
import random
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cache
from importlib import import_module
from math import prod
from typing import get_type_hints

from companion.core.game import Game, is_legal
from companion.core.log import Entry, Log
from companion.core.match import CONFIRM
from companion.core.schema import encode
from companion.games import get_games


@dataclass(frozen=True)
class Case:
    """A game at a table: so many seats, and these options."""

    game: Game
    seats: int
    options: object

    def __hash__(self):
        return hash(str(self))

    def __str__(self):
        words = ",".join(f"{name}={word}" for name, word in encode(self.options).items())
        return f"{self.game.slug}-{self.seats}-{words or 'plain'}"

    def log(self):
        return Log.empty(self.game, self.options, self.seats)

    def setup(self, rounds=0):
        return self.game.setup(self.options, self.seats, rounds)

    def random(self, what):
        """Chance with a fixed seed, another one for every test and case."""
        return random.Random(f"{what} {self}")


MOST_CASES = 20
"""Of a game with many options not every combination is tried."""
LONG_ENOUGH = 3
"""Rounds after which a match that need not end is done with."""


@cache
def known_of(game):
    """What only a game's own tests know: its `cards`, what its `marks` mean, values of `OPTIONS` that nobody can list,
    and a `random_tally` where there are no plays to draw."""
    return import_module(f"tests.games.test_{game.slug.replace('-', '_')}")


@cache
def cases(slug):
    """Numbers of seats with combinations of options that may be chosen: all, or of many those with every option alone
    and as many others as chance finds. Of a range of numbers the first ones and the default."""
    game = get_games()[slug]
    wanted = [part.name for part in fields(game.options) if part.name != "dealer"]
    values = {name: _choices(game, name) for name in wanted}
    usual = {name: getattr(game.options(), name) for name in wanted}
    if prod(map(len, values.values())) * len(game.seats) <= 2 * MOST_CASES:
        chosen = [dict(zip(wanted, row, strict=True)) for row in itertools.product(*values.values())]
        rows = [(seats, options) for seats in game.seats for options in chosen]
    else:
        rows = list(_some_of(game, values, usual))
    found = {}
    for number, (seats, options) in enumerate(rows):
        case = Case(game, seats, game.options(dealer=number % seats, **options))
        if not list(game.check_options(case.options, seats)):
            found.setdefault(str(case), case)
    return list(found.values())[: 2 * MOST_CASES if len(rows) <= 2 * MOST_CASES else MOST_CASES]


def _some_of(game, values, usual):
    """Every number of seats, every option alone with every number in turn, and combinations at random."""
    chance = random.Random(game.slug)
    yield from ((seats, usual) for seats in game.seats)
    turn = itertools.cycle(game.seats)
    alone = [{**usual, name: value} for name, some in values.items() for value in some if value != usual[name]]
    yield from ((next(turn), options) for options in alone)
    for _time in range(MOST_CASES):
        yield chance.choice(game.seats), {name: chance.choice(some) for name, some in values.items()}


def is_done(log):
    """Whether a match is over, or long enough where it need not end."""
    match = log.match
    if match.game.round_count(match.options, match.seats) is None and len(match.finished_rounds) >= LONG_ENOUGH:
        return True
    return match.standing.is_over


def some_cases(slug, number):
    """The plain case of most players that the game is made for, and others by chance."""
    found = cases(slug)
    plain = [case for case in found if replace(case.options, dealer=0) == case.game.options()]
    return [plain[len(plain) // 2], plain[-1], *random.Random(slug).sample(found, min(number, len(found)))]


def _choices(game, name):
    options = game.options
    part = next(part for part in fields(options) if part.name == name)
    hint = get_type_hints(options)[name]
    if hint is bool:
        return [False, True]
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return list(hint)
    if part.metadata["choices"]:
        return [int(choice.value) for choice in part.metadata["choices"]]
    if part.metadata["range"]:
        first = part.metadata["range"][0]
        return list(dict.fromkeys([part.default, first, first + 3]))
    return [part.default, *getattr(known_of(game), "OPTIONS", {}).get(name, ())]


def random_play(game, state, chance, besides=None):
    """A legal play: any, but one that ends the round only now and then while there are others; or None."""
    plays = list(game.candidates(state)) if game.plays else []
    if not plays:
        return None
    if chance.random() < 0.2:  # in the order of the candidates, so that matches get long
        tries = plays
    else:
        tries = itertools.chain((chance.choice(plays) for _ in range(30)), _shuffled(plays, chance))
    ending = set()
    for play in tries:
        if play in ending or play == besides or not is_legal(game, state, play):
            continue
        if not game.is_round_over(game.apply(state, play)) or chance.random() < 0.01:
            return play
        ending.add(play)
    return min(ending, key=str, default=None)


def _shuffled(plays, chance):
    """The same, in random order; put in order only when the first one is asked for."""
    yield from chance.sample(plays, len(plays))


SETTING = 0.05
"""How often something is said of the options between two plays, where a game lets it be said."""


def random_setting(game, options, chance, kind=None):
    """Something that a table may say of its options while it plays; what its score waits for, if it waits."""
    return known_of(game).random_setting(options, chance, kind) if game.settings else None


def random_tally(case, chance):
    """What counts at the end of one of five rounds that were drawn play by play, and that no pad asks about."""
    return _tally(case, chance.randrange(5))


@cache
def _tally(case, number):
    chance = case.random(f"tally {number}")
    if not case.game.plays:
        return known_of(case.game).random_tally(case, chance)
    while True:
        state = case.setup()
        while not case.game.is_round_over(state):
            state = case.game.apply(state, random_play(case.game, state, chance))
        tally = case.game.tally(state)
        if not list(case.game.check_tally(case.options, case.seats, tally)):
            return tally


def entry(log, content, overruled=()):
    """The next entry of a log: a play, a count or a confirmation, in the current round."""
    kind = CONFIRM if content is CONFIRM else log.match.game.get_kind(content)
    words = {} if content is CONFIRM else encode(content)
    return Entry(len(log.entries) + 1, kind, words, log.match.current_number, tuple(overruled))


def next_content(case, log, chance):
    """What comes next at a table with a referee: a legal play, a setting or a confirmation; None when it is over."""
    current = log.match.get_round(log.match.current_number)
    if is_done(log):
        return None
    if (current.is_over and not current.is_scored) or (case.game.settings and chance.random() < SETTING):
        return random_setting(case.game, current.options, chance)
    return CONFIRM if current.is_over else random_play(case.game, current.state, chance)


def random_logs(case, chance, counted=0.0):
    """A whole match as all the logs that it went through, from the empty one: the log after entry n is number n.

    A round is counted by hand with the chance `counted`, refereed otherwise.
    """
    logs = [case.log()]
    while not is_done(logs[-1]):
        if logs[-1].match.has_open_score:
            logs.append(logs[-1].append(entry(logs[-1], next_content(case, logs[-1], chance))))
        elif chance.random() < counted or not case.game.plays:
            counts = random_tally(case, chance)
            for count in chance.sample(counts, len(counts)):
                logs.append(logs[-1].append(entry(logs[-1], count)))
        else:
            number = logs[-1].match.current_number
            while not logs[-1].match.get_round(number).is_settled:
                logs.append(logs[-1].append(entry(logs[-1], next_content(case, logs[-1], chance))))
    return logs


def corrected(log, number, content, overruled=()):
    """The log with a correction of the entry of that number at its end."""
    words = {"target": str(number), "kind": log.match.game.get_kind(content), **encode(content)}
    return log.append(Entry(len(log.entries) + 1, "correct", words, overruled=tuple(overruled)))


def as_if_right_from_the_start(logs, number, content, overruled=()):
    """Another log, in which the entry of that number was this one when it was recorded."""
    right = logs[number - 1]
    kind = right.match.game.get_kind(content)
    old, *later = logs[-1].entries[number - 1 :]
    for one in (replace(old, kind=kind, words=encode(content), overruled=tuple(overruled)), *later):
        right = right.append(one)
    return right
