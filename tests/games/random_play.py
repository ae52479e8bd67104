"""Random matches and options for the tests of every game."""

import itertools
import random
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cache
from importlib import import_module
from math import prod
from pathlib import Path
from typing import get_type_hints

from companion.core.entry import Entry, EntryKind
from companion.core.game import Game
from companion.core.log import Log
from companion.core.match import iter_count_slots
from companion.core.schema import decode, encode, get_input_type
from companion.games import get_games
from companion.tables.forms.pad import build_boxes


@dataclass(frozen=True)
class Case:
    """A game with a number of seats and options."""

    game: Game
    seats: int
    options: object

    def __hash__(self):
        return hash(str(self))

    def __str__(self):
        options = ",".join(f"{name}={word}" for name, word in encode(self.options).items())
        return f"{self.game.slug}-{self.seats}-{options or 'plain'}"

    def log(self):
        return Log.empty(self.game, self.options, self.seats)

    def setup(self, rounds=0):
        return self.game.set_up_round(self.options, self.seats, rounds)

    def random(self, purpose):
        """Return a random generator with a fixed seed per case and purpose."""
        return random.Random(f"{purpose} {self}")


MAX_CASES = 20
"""Cases of a game with too many combinations of options."""
LONG_ENOUGH = 3
"""Rounds after which a match without an end is stopped."""


ROOT = Path(__file__).parent.parent.parent
NOTHING = object()


@cache
def get_hook(game, name, default=NOTHING):
    """Return what the test module of a game tells the tests of every game: a function or values only the game knows.

    `cards(state)` returns the visible cards, the number of hidden ones and the total (None without a deck).
    `marks(state, board)` yields whether the board marks something as legal, and the plays that the mark covers.
    `OPTIONS` has values to try of options that cannot be enumerated, `PLAYS` plays, legal or not, of cards that are not
    numbers or enums, `UNLIKELY` rules by which the pad may question a refereed tally, `LATIN` words that are not
    translated. `random_tally(case, chance)` counts a round of a game without a referee, `random_setting` sets options.
    """
    file = f"tests/games/test_{game.slug.replace('-', '_')}.py"
    assert (ROOT / file).is_file(), (
        f"{file} is missing: every game has tests of its own. `manage.py new_game` writes them."
    )
    hook = getattr(import_module(file.removesuffix(".py").replace("/", ".")), name, default)
    assert hook is not NOTHING, f"{file} lacks `{name}`: see `get_hook` in tests/games/random_play.py."
    return hook


@cache
def build_cases(slug):
    """Return cases with every combination of seats and options; of too many, each option alone and random others."""
    game = get_games()[slug]
    names = [part.name for part in fields(game.options.cls) if part.name != "dealer"]
    values = {name: _list_values(game, name) for name in names}
    defaults = {name: getattr(game.options.cls(), name) for name in names}
    if prod(map(len, values.values())) * len(game.about.seats) <= 2 * MAX_CASES:
        combinations = [dict(zip(names, row, strict=True)) for row in itertools.product(*values.values())]
        rows = [(seats, options) for seats in game.about.seats for options in combinations]
    else:
        rows = list(_sample_combinations(game, values, defaults))
    cases = {}
    for number, (seats, options) in enumerate(rows):
        case = Case(game, seats, game.options.cls(dealer=number % seats, **options))
        if not list(game.options.check(case.options, seats)):
            cases.setdefault(str(case), case)
    return list(cases.values())[: 2 * MAX_CASES if len(rows) <= 2 * MAX_CASES else MAX_CASES]


def _sample_combinations(game, values, defaults):
    """Yield each number of seats, each option alone, and random combinations."""
    chance = random.Random(game.slug)
    yield from ((seats, defaults) for seats in game.about.seats)
    next_seats = itertools.cycle(game.about.seats)
    single_changes = [
        {**defaults, name: value} for name, choices in values.items() for value in choices if value != defaults[name]
    ]
    yield from ((next(next_seats), options) for options in single_changes)
    for _time in range(MAX_CASES):
        yield chance.choice(game.about.seats), {name: chance.choice(choices) for name, choices in values.items()}


def is_done(log):
    """Return whether a match is over, or long enough if it has no end."""
    match = log.match
    if match.game.scoring.round_count(match.options, match.seats) is None and len(match.finished_rounds) >= LONG_ENOUGH:
        return True
    return match.standing.is_over


def sample_cases(slug, number):
    """Return cases with default options for a middling and the highest number of seats, and random others."""
    cases = build_cases(slug)
    plain = [case for case in cases if replace(case.options, dealer=0) == case.game.options.cls()]
    return [plain[len(plain) // 2], plain[-1], *random.Random(slug).sample(cases, min(number, len(cases)))]


def _list_values(game, name):
    """Return the values of an option to try."""
    options = game.options.cls
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
    return [part.default, *(get_hook(game, "OPTIONS", None) or {}).get(name, ())]


def random_play(game, state, chance, besides=None):
    """Return a random legal play, rarely one that ends the round, or None."""
    plays = list(game.referee.candidates(state)) if game.plays else []
    if not plays:
        return None
    if chance.random() < 0.2:  # in the order of the candidates, so that matches get long
        attempts = plays
    else:
        attempts = itertools.chain((chance.choice(plays) for _ in range(30)), _shuffle(plays, chance))
    ending = set()
    for play in attempts:
        if play in ending or play == besides or not game.referee.is_legal(state, play):
            continue
        if not game.referee.apply(state, play).is_over or chance.random() < 0.01:
            return play
        ending.add(play)
    return min(ending, key=str, default=None)


def _shuffle(plays, chance):
    """Yield the plays in random order, shuffled only when needed."""
    yield from chance.sample(plays, len(plays))


SETTING_CHANCE = 0.05
"""Chance of a setting between two plays, if the game has settings."""


def random_setting(game, options, chance, kind=None):
    """Return a random setting, one that an open score waits for if there is any; None if the game has none."""
    return get_hook(game, "random_setting")(options, chance, kind) if game.options.settings else None


def random_tally(case, chance):
    """Return the tally of one of five random rounds; `check_tally` accepts it."""
    return _build_tally(case, chance.randrange(5))


def draw_tally(case, chance):
    """Return a number for every field of every count."""
    return tuple(
        decode(case.game.pad.counts[kind], _draw_words(case, chance, kind, seat))
        for kind, seat in iter_count_slots(case.game, case.options, case.seats)
    )


def _draw_words(case, chance, kind, seat):
    cls = case.game.pad.counts[kind]
    boxes = build_boxes(case.game, case.options, case.seats, kind, seat, {})
    names = [box.name.rpartition(".")[2] for box in boxes]
    words = {
        name: ",".join(str(chance.randint(0, 30)) for _box in range(names.count(name)))
        for name in dict.fromkeys(names)
        if get_input_type(cls, name) in ("number", "sum")
    }
    return words if seat is None else {"seat": str(seat), **words}


@cache
def _build_tally(case, number):
    chance = case.random(f"tally {number}")
    if not case.game.plays:
        return get_hook(case.game, "random_tally", draw_tally)(case, chance)
    while True:
        state = case.setup()
        while not state.is_over:
            state = case.game.referee.apply(state, random_play(case.game, state, chance))
        tally = case.game.referee.tally(state)
        if not list(case.game.pad.check(case.options, case.seats, tally)):
            return tally


def build_entry(log, content, overruled=()):
    """Return the next entry of a log, in the current round."""
    kind = EntryKind.CONFIRM if content is EntryKind.CONFIRM else log.match.game.get_kind(content)
    words = {} if content is EntryKind.CONFIRM else encode(content)
    return Entry(len(log.entries) + 1, kind, words, log.match.current_number, tuple(overruled))


def next_content(case, log, chance):
    """Return a random next play, setting or confirmation of a refereed table; None when it is over."""
    current = log.match.get_round(log.match.current_number)
    if is_done(log):
        return None
    if (current.is_over and not current.is_scored) or (case.game.options.settings and chance.random() < SETTING_CHANCE):
        return random_setting(case.game, current.options, chance)
    return EntryKind.CONFIRM if current.is_over else random_play(case.game, current.state, chance)


def random_logs(case, chance, counted=0.0):
    """Return the logs of a random match; index n is the log after entry n.

    `counted` is the chance that a round is counted by hand instead of refereed.
    """
    logs = [case.log()]
    while not is_done(logs[-1]):
        if logs[-1].match.has_open_score:
            logs.append(logs[-1].append(build_entry(logs[-1], next_content(case, logs[-1], chance))))
        elif chance.random() < counted or not case.game.plays:
            counts = random_tally(case, chance)
            for count in chance.sample(counts, len(counts)):
                logs.append(logs[-1].append(build_entry(logs[-1], count)))
        else:
            number = logs[-1].match.current_number
            while not logs[-1].match.get_round(number).is_settled:
                logs.append(logs[-1].append(build_entry(logs[-1], next_content(case, logs[-1], chance))))
    return logs


def correct_entry(log, number, content, overruled=()):
    """Return the log with a correction of an entry appended."""
    words = {"target": str(number), "kind": log.match.game.get_kind(content), **encode(content)}
    return log.append(Entry(len(log.entries) + 1, "correct", words, overruled=tuple(overruled)))


def replay_with_right_entry(logs, number, content, overruled=()):
    """Return a log in which an entry had this content from the start."""
    log = logs[number - 1]
    kind = log.match.game.get_kind(content)
    wrong_entry, *later = logs[-1].entries[number - 1 :]
    for entry in (replace(wrong_entry, kind=kind, words=encode(content), overruled=tuple(overruled)), *later):
        log = log.append(entry)
    return log
