"""Random matches, drawn play by play from what is legal; what the tests of every game share."""

import itertools
import random
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cache
from typing import get_type_hints

from companion.core.fields import encode
from companion.core.game import Game, is_legal
from companion.core.log import Entry, Log
from companion.core.match import CONFIRM
from companion.games import games


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


@cache
def cases(slug):
    """Every number of seats with every combination of options; of a range of numbers the first ones and the default."""
    game = games()[slug]
    combinations = [
        dict(zip(wanted, values, strict=True))
        for wanted in [[part.name for part in fields(game.options) if part.name != "dealer"]]
        for values in itertools.product(*(_choices(game.options, name) for name in wanted))
    ]
    return [
        Case(game, seats, game.options(dealer=number % seats, **chosen))
        for seats in game.seats
        for number, chosen in enumerate(combinations)
    ]


def _choices(options, name):
    part = next(part for part in fields(options) if part.name == name)
    hint = get_type_hints(options)[name]
    if hint is bool:
        return [False, True]
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return list(hint)
    if part.metadata["choices"]:
        return [int(choice.value) for choice in part.metadata["choices"]]
    return sorted({part.metadata["range"][0], part.default, part.metadata["range"][0] + 3})


def random_play(game, state, chance, besides=None):
    """A legal play: any, but one that ends the round only now and then while there are others; or None."""
    plays = list(game.candidates(state))
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


def random_tally(case, chance):
    """What counts at the end of one of five rounds that were drawn play by play."""
    return _tally(case, chance.randrange(5))


@cache
def _tally(case, number):
    chance = case.random(f"tally {number}")
    state = case.setup()
    while not case.game.is_round_over(state):
        state = case.game.apply(state, random_play(case.game, state, chance))
    return case.game.tally(state)


def entry(log, content, overruled=()):
    """The next entry of a log: a play, a count or a confirmation, in the current round."""
    kind = CONFIRM if content is CONFIRM else log.match.game.kind_of(content)
    words = {} if content is CONFIRM else encode(content)
    return Entry(len(log.entries) + 1, kind, words, log.match.current, tuple(overruled))


def next_content(case, log, chance):
    """What comes next at a table with a referee: a legal play, or a confirmation; None when the match is over."""
    current = log.match.round(log.match.current)
    if log.match.standing.is_over:
        return None
    return CONFIRM if current.is_over else random_play(case.game, current.state, chance)


def random_logs(case, chance, counted=0.0):
    """A whole match as all the logs that it went through, from the empty one: the log after entry n is number n.

    A round is counted by hand with the chance `counted`, refereed otherwise.
    """
    logs = [case.log()]
    while not logs[-1].match.standing.is_over:
        if chance.random() < counted:
            counts = random_tally(case, chance)
            for count in chance.sample(counts, len(counts)):
                logs.append(logs[-1].append(entry(logs[-1], count)))
        else:
            number = logs[-1].match.current
            while not logs[-1].match.round(number).is_settled:
                logs.append(logs[-1].append(entry(logs[-1], next_content(case, logs[-1], chance))))
    return logs


def corrected(log, number, content, overruled=()):
    """The log with a correction of the entry of that number at its end."""
    words = {"target": str(number), "kind": log.match.game.kind_of(content), **encode(content)}
    return log.append(Entry(len(log.entries) + 1, "correct", words, overruled=tuple(overruled)))


def as_if_right_from_the_start(logs, number, content, overruled=()):
    """Another log, in which the entry of that number was this one when it was recorded."""
    right = logs[number - 1]
    kind = right.match.game.kind_of(content)
    old, *later = logs[-1].entries[number - 1 :]
    for one in (replace(old, kind=kind, words=encode(content), overruled=tuple(overruled)), *later):
        right = right.append(one)
    return right
