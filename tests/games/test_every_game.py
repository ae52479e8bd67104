"""Invariants of every game, on its record and in random matches."""

import itertools
from dataclasses import fields, is_dataclass, replace
from enum import StrEnum
from math import ceil
from types import NoneType
from typing import get_type_hints

import pytest

from companion.core.game import Game, apply_setting, is_legal, iter_legal_plays
from companion.core.log import CLOSE, REOPEN, TARGETED, Entry
from companion.core.match import CONFIRM, iter_count_slots
from companion.core.notation import describe_notation, get_scored_rounds, replay_notation, write_notation
from companion.core.schema import decode, encode
from companion.core.text import Text
from companion.games import get_game_package, get_games
from tests.games.random_play import (
    Case,
    build_cases,
    build_entry,
    correct_entry,
    get_game_tests,
    next_content,
    random_logs,
    random_play,
    random_setting,
    random_tally,
    replay_with_right_entry,
)
from tests.scale import choose_count

PLAYS_A_GAME = choose_count(600, 10_000, few=150)
CORRECTIONS_A_GAME = choose_count(60, 1_000, few=15)
UNDONE = choose_count(2, 5) / 100
"""The part of all entries that are undone and redone, beside the first of each match: both fold the log anew."""


def get_tried_cases(slug: str) -> list[Case]:
    """Return the combinations of seats and options to try: in the shorter runs every third."""
    return build_cases(slug)[:: choose_count(1, 1, few=3)]


every_game = pytest.mark.parametrize("game", get_games().values(), ids=list(get_games()))
every_case = pytest.mark.parametrize("case", [case for slug in get_games() for case in get_tried_cases(slug)], ids=str)
every_refereed_game = pytest.mark.parametrize(
    "game", [game for game in get_games().values() if game.plays], ids=lambda game: game.slug
)
every_refereed_case = pytest.mark.parametrize(
    "case", [case for slug in get_games() for case in get_tried_cases(slug) if case.game.plays], ids=str
)


def get_share(figure: int, case: Case) -> int:
    """What one case has to do so that all cases of its game together reach the figure."""
    return ceil(figure / len(get_tried_cases(case.game.slug)))


# What only a game's own tests know: `cards(state)`, those that everybody has seen, how many are still hidden and how
# many there are (None without a deck); `marks(state, board)`, what a board says of each card and the plays that this
# is about; if its cards are words of their own, `PLAYS` with such cards, legal or not; and `UNLIKELY`, the rules by
# which the pad asks about what the referee may have seen.


def assert_the_board_says_what_the_law_says(game: Game, state) -> None:
    for is_marked, plays in get_game_tests(game).marks(state, game.board(state)):
        assert all(is_legal(game, state, play) is is_marked for play in plays), plays


def assert_cards_are_conserved(game: Game, state) -> None:
    found = get_game_tests(game).cards(state)
    if found is None:
        return
    seen, hidden, all_ = found
    assert len(seen) == len(set(seen)), "a card lies twice"
    assert len(seen) + hidden == all_
    assert hidden >= 0


def render_filled(text: Text) -> str:
    shown = str(text)
    assert shown and "{" not in shown and "}" not in shown
    return shown


# The record


@every_game
def test_a_game_has_a_slug_title_and_summary(game):
    assert game.slug.replace("-", "").isalpha() and game.slug == game.slug.lower()
    assert get_game_package(game.slug).endswith("." + game.slug.replace("-", "_"))
    assert render_filled(game.title) and render_filled(game.summary)
    assert game.version >= 1
    assert game.minutes is None or game.minutes > 0
    assert len(game.seats) > 0 and game.seats[0] >= 1


@every_game
def test_no_two_rules_share_an_id(game):
    assert issubclass(game.rules, StrEnum)
    assert len(game.rules.__members__) == len(list(game.rules)), "an alias: one id stands for two rules"
    for rule in game.rules:
        assert rule == rule.lower() and " " not in rule
    assert game.match_rule in game.rules


@every_game
def test_kinds_are_unique_and_differ_from_log_entries(game):
    assert not set(game.plays) & set(game.counts)
    assert not set(game.kinds) & {*TARGETED, CONFIRM, CLOSE, REOPEN}
    assert len(set(game.kinds.values())) == len(game.kinds)
    for kind, cls in game.kinds.items():
        assert is_dataclass(cls) and cls.__dataclass_params__.frozen
        assert kind == kind.lower() and not set(kind) & set(" =#!~,")
        assert not {"target", "kind"} & {part.name for part in fields(cls)}


@every_game
def test_every_option_has_a_default_and_a_label_except_the_dealer(game):
    assert game.options().dealer == 0
    for part in fields(game.options):
        if part.name != "dealer":
            assert render_filled(part.metadata["label"])
            assert decode(game.options, encode(game.options())) == game.options()


@every_game
def test_the_notation_reference_names_every_kind_and_field(game):
    text = describe_notation(game)
    for kind, cls in game.kinds.items():
        line = next(line for line in text.splitlines() if line.split()[0] == kind)
        assert all(f"{part.name}=" in line for part in fields(cls))


@every_game
def test_options_survive_encoding(game):
    assert len(get_tried_cases(game.slug)) == len(set(map(str, get_tried_cases(game.slug))))
    for case in get_tried_cases(game.slug):
        assert decode(game.options, encode(case.options)) == case.options


@every_case
def test_every_seat_is_on_one_side(case):
    sides = case.game.sides(case.options, case.seats)
    assert sorted(itertools.chain(*sides)) == list(range(case.seats))
    rounds = case.game.round_count(case.options, case.seats)
    assert rounds is None or rounds >= 1


@every_case
def test_a_new_match_has_no_scores(case):
    standing = case.log().match.standing
    assert len(set(standing.totals)) == 1
    assert not standing.is_over
    assert len(standing.totals) == len(case.game.sides(case.options, case.seats))


# Random matches


@every_refereed_case
@pytest.mark.random
def test_random_matches_keep_every_invariant(case):
    """At least one match is played to its end; the last one stops where the figure is reached."""
    chance = case.random("match")
    plays, matches = 0, 0
    while plays < get_share(PLAYS_A_GAME, case):
        log, states = case.log(), {}
        while (content := next_content(case, log, chance)) is not None:
            number = log.match.current_number
            if content is CONFIRM:
                check_round(case, log.match.get_round(number))
            elif type(content) in case.game.plays.values():
                check_play(case, log.match.get_round(number), content)
                plays += 1
            before, log = log, log.append(build_entry(log, content))
            check_recorded(case, log, number, content, states)
            if len(log.entries) < 8 or chance.random() < UNDONE:
                check_undo(before, log)
            if matches and plays >= get_share(PLAYS_A_GAME, case):
                break
        else:
            check_match(case, log.match)
            matches += 1
    assert matches and plays >= get_share(PLAYS_A_GAME, case)


@pytest.mark.parametrize("game", [game for game in get_games().values() if not game.plays], ids=lambda game: game.slug)
def test_random_counts_keep_every_invariant_without_a_referee(game):
    """The same for a game that is only counted: sheets add up, undo restores, and the notation says it all again."""
    chance, counts = get_tried_cases(game.slug)[0].random("counts"), 0
    while counts < PLAYS_A_GAME:
        case = chance.choice(get_tried_cases(game.slug))
        logs = random_logs(case, chance)
        for before, log in itertools.pairwise(logs):
            counts += 1
            if len(log.entries) < 4 or chance.random() < UNDONE:
                check_undo(before, log)
        match = logs[-1].match
        sheets = [round_.sheet for round_ in match.finished_rounds]
        began, scored = logs[0].match.standing.totals, (sheet.points for sheet in sheets)
        assert match.invalid_steps == ()
        assert match.standing.totals == tuple(map(sum, zip(began, *scored, strict=True)))
        again = replay_notation(write_notation(match), get_games())
        assert again.problems == () and [round_.sheet for round_ in again.rounds] == sheets


@every_game
def test_enough_random_plays_are_made(game):
    assert sum(get_share(PLAYS_A_GAME, case) for case in get_tried_cases(game.slug)) >= PLAYS_A_GAME
    assert sum(get_share(CORRECTIONS_A_GAME, case) for case in get_tried_cases(game.slug)) >= CORRECTIONS_A_GAME


def check_play(case, round_, play):
    """A play drawn from what is legal, before it is recorded."""
    game = case.game
    assert decode(type(play), encode(play)) == play
    render_filled(game.describe(case.options, play))
    assert game.board(round_.state).turn in (None, *range(case.seats))
    assert not list(game.judge(round_.state, play))


def check_recorded(case, log, number, content, states):
    """The same play once it is recorded: the live state is the one that the round was folded to."""
    round_ = log.match.get_round(number)
    assert log.match.invalid_steps == ()
    if content is CONFIRM:
        assert round_.is_settled
        return
    live = states.get(number, case.game.setup(round_.options, case.seats, number - 1))
    if type(content) in case.game.settings.values():
        live = replace(live, options=apply_setting(live.options, content))
    else:
        live = case.game.apply(live, content)
    assert round_.state == live
    states[number] = live
    assert_cards_are_conserved(case.game, live)
    if len(log.entries) % 3 == 0:
        assert_the_board_says_what_the_law_says(case.game, live)


def check_round(case, round_):
    """A round that was played to its end without a misplay."""
    game, options, tally = case.game, round_.options, round_.tally
    assert game.is_round_over(round_.state)
    assert list(iter_legal_plays(game, round_.state)) == []
    assert game.board(round_.state).turn is None
    questions = list(game.check_tally(options, case.seats, tally))
    assert not any(question.binding for question in questions)
    assert {question.rule for question in questions} <= getattr(get_game_tests(game), "UNLIKELY", set())
    assert len(tally) == len(list(iter_count_slots(game, options, case.seats)))
    for count in tally:
        assert decode(type(count), encode(count)) == count
        render_filled(game.describe(options, count))
    sheet = game.score(options, tally)
    sides = len(game.sides(case.options, case.seats))
    assert len(sheet.points) == sides and all(type(point) is int for point in sheet.points)
    for line in sheet.lines:
        render_filled(line.label)
        assert len(line.values) == sides
    if sheet.verdict is not None:
        render_filled(sheet.verdict)


def check_undo(before, log):
    """Undo gives back exactly the match before, redo the match after."""
    number = len(log.entries) + 1
    target = {"target": str(log.entries[-1].number)}
    undone = log.append(Entry(number, "undo", target))
    assert undone.match == before.match
    assert undone.append(Entry(number + 1, "redo", target)).match == log.match


def check_match(case, match):
    """A match that was played to its end, and its notation."""
    standing = match.standing
    assert standing.is_over and render_filled(standing.verdict)
    sheets = [round_.sheet for round_ in match.finished_rounds]
    scored = (sheet.points for sheet in sheets)
    assert standing.totals == tuple(map(sum, zip(case.log().match.standing.totals, *scored, strict=True)))
    again = replay_notation(write_notation(match), get_games())
    assert again.problems == ()
    assert all(verdict.rules == () for verdict in again.verdicts)
    assert [round_.state for round_ in again.rounds] == [round_.state for round_ in match.finished_rounds]
    assert [round_.sheet for round_ in again.rounds] == sheets
    assert again.match.standing_after(again.rounds) == standing
    assert (again.match.options, again.match.seats) == (match.options, match.seats)
    assert write_notation(again.match) == write_notation(match)


@every_refereed_game
def test_every_kind_of_play_can_be_reached(game):
    kinds = set()
    for case in itertools.islice(itertools.cycle(get_tried_cases(game.slug)), 200):
        chance = case.random(f"kinds {len(kinds)}")
        state = case.setup()
        while not game.is_round_over(state) and kinds != set(game.plays):
            play = random_play(game, state, chance)
            kinds.add(game.get_kind(play))
            state = game.apply(state, play)
    assert kinds == set(game.plays)


@every_refereed_case
def test_candidates_include_every_legal_play(case):
    """Every value that a field can have near the deck and the table is tried; sequences are left to the games."""
    game, chance = case.game, case.random("candidates")
    state = case.setup()
    steps = 0
    while not game.is_round_over(state):
        if steps % 40 == 0:
            plays = set(game.candidates(state))
            for play in iter_all_plays(case):
                if play not in plays:
                    assert next(game.judge(state, play), None) is not None, play
        state = game.apply(state, random_play(game, state, chance))
        steps += 1


def iter_all_plays(case):
    for cls in case.game.plays.values():
        hints = get_type_hints(cls)
        ranges = [iter_values(part, hints[part.name], case) for part in fields(cls)]
        if all(values is not None for values in ranges):
            yield from itertools.starmap(cls, itertools.product(*ranges))


def iter_values(part, hint, case):
    if part.name == "seat" or part.metadata.get("is_seat"):
        return range(-1, case.seats + 1)
    if hint is int:
        return range(-1, 102)
    if hint == int | None:
        return [None, *range(-1, 102)]
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return list(hint)
    return None


@every_refereed_case
def test_a_game_goes_on_whatever_the_table_insists_on(case):
    """Plays at random, wrong ones too: the law has its reasons, the physics never fails, and the board can be drawn."""
    game, chance = case.game, case.random("insist")
    own = getattr(get_game_tests(game), "PLAYS", [])
    everything = [*iter_all_plays(case), *own] or list(game.candidates(case.setup()))
    state, insisted = case.setup(), 0
    for step in range(60):
        play = chance.choice(everything) if chance.random() < 0.5 else random_play(game, state, chance)
        violations = list(game.judge(state, play))
        for violation in violations:
            assert violation.rule in game.rules
            render_filled(violation.message)
        if not any(violation.binding for violation in violations):
            insisted += bool(violations)
            state = game.apply(state, play)
            assert hash(state) == hash(state)
            assert game.board(state).turn in (None, *range(case.seats))
            render_filled(game.describe(case.options, play))
        if game.is_round_over(state):
            sheet = game.score(case.options, game.tally(state))
            assert all(type(point) in (int, NoneType) for point in sheet.points)
            for violation in game.check_tally(case.options, case.seats, game.tally(state)):
                render_filled(violation.message)
            state = case.setup(step)
    assert insisted > 0


@every_case
def test_a_count_by_hand_scores_what_the_referee_scores(case):
    chance = case.random("count")
    tally = random_tally(case, chance)
    log = case.log()
    for count in chance.sample(tally, len(tally)):
        log = log.append(build_entry(log, count))
        assert log.match.invalid_steps == ()
    assert log.match.get_round(1).is_settled or log.match.has_open_score
    assert log.match.get_round(1).sheet == case.game.score(case.options, tally)
    assert replay_notation(write_notation(log.match), get_games()).problems == ()


# Late corrections


@every_case
@pytest.mark.random
def test_a_late_correction_equals_having_entered_it_right(case):
    chance = case.random("correction")
    done = 0
    while done < get_share(CORRECTIONS_A_GAME, case):
        logs = random_logs(case, chance, counted=chance.choice((0.3, 0.6, 0.9)))
        log = logs[-1]
        entries = [old for old in log.entries if old.kind != CONFIRM]
        for old in chance.sample(entries, min(17, len(entries))):
            content = draw_other_content(case, logs[old.number - 1].match, old, chance)
            if content is None:
                continue
            late = correct_entry(log, old.number, content)
            right = replay_with_right_entry(logs, old.number, content)
            assert late.match == right.match
            assert late.match.standing == right.match.standing
            assert late.entries[:-1] == log.entries
            if done % 3 == 0:
                check_by_brute_force(case, right, late.match)
            if chance.random() < 0.1:
                check_undo(log, late)
                check_written(late.match)
            done += 1
    assert done >= get_share(CORRECTIONS_A_GAME, case)


def check_written(match):
    """What does not stand is read again as it happened; a file cannot tell of a round opened again."""
    if match.unfinished_rounds:
        return
    again = replay_notation(write_notation(match), get_games())
    assert again.problems == ()
    assert [round_.sheet for round_ in again.rounds] == [round_.sheet for round_ in get_scored_rounds(match)]


def draw_other_content(case, match, old, chance):
    """Another entry that the match would have taken in the place of this one; None if chance finds none."""
    round_ = match.get_round(old.round)
    if old.kind in case.game.plays:
        return random_play(case.game, round_.state, chance, besides=decode(case.game.plays[old.kind], old.words))
    if old.kind in case.game.settings:
        return random_setting(case.game, round_.options, chance, old.kind)
    for count in random_tally(case, chance):
        seats = [getattr(content, "seat", None) for content in (count, decode(type(count), old.words))]
        if seats[0] == seats[1] and encode(count) != old.words and count_fits(case, round_, count):
            return count
    return None


def count_fits(case, round_, count):
    return not list(case.game.check_tally(round_.options, case.seats, (*round_.manual_counts, count)))


def check_by_brute_force(case, right, match):
    fallen, states, sheets = brute_force(case, right.entries)
    assert [step.action.number for step in match.invalid_steps] == fallen
    assert {number: round_.state for number, round_ in match.rounds.items()} == states
    assert {number: round_.sheet for number, round_ in match.rounds.items()} == sheets


class BruteForceRound:
    """The entries of a round judged one by one without match or log."""

    def __init__(self, case, options, number):
        self.case, self.options, self.state = case, options, case.game.setup(options, case.seats, number - 1)
        self.counts, self.fallen = [], set()

    def take(self, entry, *, is_late):
        content = decode(self.case.game.kinds[entry.kind], entry.words)
        if entry.kind in self.case.game.counts:
            self.counts.append((entry, content, is_late))
            return self.check_counts()
        if entry.kind in self.case.game.plays:
            violations = list(self.case.game.judge(self.state, content))
        else:
            violations = list(self.case.game.check_options(apply_setting(self.options, content), self.case.seats))
        self.note(entry, violations, is_late)
        if any(violation.binding for violation in violations):
            return None
        if entry.kind in self.case.game.plays:
            self.state = self.case.game.apply(self.state, content)
            return None
        self.options = apply_setting(self.options, content)
        self.state = replace(self.state, options=self.options)
        return self.check_counts()

    def check_counts(self):
        """All counts from the first one on: what is said of the options later holds for those before it, too."""
        self.counted = []
        for entry, content, is_late in self.counts:
            known = list(self.case.game.check_tally(self.options, self.case.seats, tuple(self.counted)))
            found = self.case.game.check_tally(self.options, self.case.seats, (*self.counted, content))
            violations = [new for new in found if new not in known]
            self.note(entry, violations, is_late)
            if not any(violation.binding for violation in violations):
                self.counted.append(content)

    def note(self, entry, violations, is_late):
        is_late = is_late and self.case.game.match_rule not in entry.overruled
        if is_late or any(violation.binding or violation.rule not in entry.overruled for violation in violations):
            self.fallen.add(entry.number)
        else:
            self.fallen.discard(entry.number)

    @property
    def sheet(self):
        game, counts = self.case.game, self.counted if self.counts else []
        slots = {(game.get_kind(count), getattr(count, "seat", None)) for count in counts}
        if slots >= set(iter_count_slots(game, self.options, self.case.seats)):
            return game.score(self.options, tuple(counts))
        return game.score(self.options, game.tally(self.state)) if game.is_round_over(self.state) else None


def brute_force(case, entries):
    """The same entries judged one by one: who falls, and each round's state and sheet."""
    rounds = {}
    for entry in entries:
        late = is_played_out(case, rounds, entry.round)
        before = rounds.get(max((number for number in rounds if number < entry.round), default=0))
        options = before.options if before else case.options
        judged = rounds.setdefault(entry.round, BruteForceRound(case, options, entry.round))
        if entry.kind != CONFIRM:
            judged.take(entry, is_late=late)
    fallen = [number for _n, own in sorted(rounds.items()) for number in sorted(own.fallen)]
    states = {number: own.state for number, own in rounds.items()}
    return fallen, states, {number: own.sheet for number, own in rounds.items()}


def is_played_out(case, rounds, number):
    """Whether a round begins after the end of the match: a correction may have brought that about."""
    if number in rounds or number == 1:
        return False
    sheets = [rounds[n].sheet for n in sorted(rounds) if n < number]
    scored = tuple(sheet for sheet in sheets if sheet is not None and not sheet.is_open)
    standing = case.game.standing(case.options, case.seats, scored)
    agreed = case.game.round_count(case.options, case.seats)
    return standing.is_over or (agreed is not None and number > agreed)
