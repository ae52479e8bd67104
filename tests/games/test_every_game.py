"""Invariants of every game, on its record and in random matches."""

import itertools
from dataclasses import fields, is_dataclass, replace
from enum import StrEnum
from math import ceil
from types import NoneType
from typing import get_type_hints

import pytest

from companion.core.entry import TARGETED, Entry, EntryKind
from companion.core.game import Game, apply_setting
from companion.core.match import iter_count_slots
from companion.core.notation import describe_notation, get_scored_rounds, replay_notation, write_notation
from companion.core.schema import Meaning, decode, encode
from companion.core.text import Text
from companion.games import get_game_package, get_games
from tests.games.random_play import (
    Case,
    build_cases,
    build_entry,
    correct_entry,
    get_hook,
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
"""Share of entries that are undone and redone, besides the first of each match; each refolds the log."""


def get_tried_cases(slug: str) -> list[Case]:
    """Return the combinations of seats and options to try; every third in shorter runs."""
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
    """Return the number per case that adds up to the figure over all cases of its game."""
    return ceil(figure / len(get_tried_cases(case.game.slug)))


def assert_board_matches_judge(game: Game, state) -> None:
    for is_marked, plays in get_hook(game, "marks")(state, game.referee.board(state)):
        assert all(game.referee.is_legal(state, play) is is_marked for play in plays), plays


def assert_cards_are_conserved(game: Game, state) -> None:
    deck = get_hook(game, "cards")(state)
    if deck is None:
        return
    visible, hidden_count, total = deck
    assert len(visible) == len(set(visible)), "a card is visible twice"
    assert len(visible) + hidden_count == total
    assert hidden_count >= 0


def assert_round_stays_over(game: Game, state, play) -> None:
    is_impossible = any(violation.binding for violation in game.referee.judge(state, play))
    assert is_impossible or game.referee.apply(state, play).is_over, (
        f"{play} reopens a round that is over: let `judge` refuse every play then, with a binding violation"
    )


def assert_filled(text: Text) -> None:
    rendered = str(text)
    assert rendered and "{" not in rendered and "}" not in rendered


# The record


@every_game
def test_a_game_has_a_slug_title_and_summary(game):
    assert game.slug.replace("-", "").isalnum() and game.slug == game.slug.lower()
    assert get_game_package(game.slug).endswith("." + game.slug.replace("-", "_"))
    assert_filled(game.title)
    assert_filled(game.about.summary)
    assert game.about.version >= 1
    assert game.about.minutes is None or game.about.minutes > 0
    assert len(game.about.seats) > 0 and game.about.seats[0] >= 1


@every_game
def test_no_two_rules_share_an_id(game):
    assert issubclass(game.rules, StrEnum)
    assert len(game.rules.__members__) == len(list(game.rules)), "an alias: one id stands for two rules"
    for rule in game.rules:
        assert rule == rule.lower() and " " not in rule
    assert game.scoring.match_rule in game.rules


@every_game
def test_kinds_are_unique_and_differ_from_log_entries(game):
    assert not set(game.plays) & set(game.pad.counts)
    assert not set(game.kinds) & {*TARGETED, EntryKind.CONFIRM, EntryKind.CLOSE, EntryKind.REOPEN}
    assert len(set(game.kinds.values())) == len(game.kinds)
    for kind, cls in game.kinds.items():
        assert is_dataclass(cls) and cls.__dataclass_params__.frozen
        assert kind == kind.lower() and not set(kind) & set(" =#!~,")
        assert not {"target", "kind"} & {part.name for part in fields(cls)}


@every_game
def test_every_option_has_a_default_and_a_label_except_the_dealer(game):
    assert game.options.cls().dealer == 0
    for part in fields(game.options.cls):
        if part.name != "dealer":
            assert_filled(part.metadata["label"])
            assert decode(game.options.cls, encode(game.options.cls())) == game.options.cls()


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
        assert decode(game.options.cls, encode(case.options)) == case.options


@every_case
def test_every_seat_is_on_one_side(case):
    sides = case.game.scoring.sides(case.options, case.seats)
    assert sorted(itertools.chain(*sides)) == list(range(case.seats))
    rounds = case.game.scoring.round_count(case.options, case.seats)
    assert rounds is None or rounds >= 1


@every_case
def test_a_new_match_has_no_scores(case):
    standing = case.log().match.standing
    assert len(set(standing.totals)) == 1
    assert not standing.is_over
    assert len(standing.totals) == len(case.game.scoring.sides(case.options, case.seats))


# Random matches


@every_refereed_case
@pytest.mark.random
def test_random_matches_keep_every_invariant(case):
    """At least one match is played to its end; the last one stops when enough plays are made."""
    chance = case.random("match")
    plays, matches = 0, 0
    while plays < get_share(PLAYS_A_GAME, case):
        log, states = case.log(), {}
        while (content := next_content(case, log, chance)) is not None:
            number = log.match.current_number
            if content is EntryKind.CONFIRM:
                check_round(case, log.match.get_round(number))
            elif type(content) in case.game.plays.values():
                check_play(case, log.match.get_round(number), content)
                plays += 1
            before, log = log, log.append(build_entry(log, content))
            check_live_state(case, log, number, content, states)
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
    """Sheets add up, undo restores, and the notation survives a round trip."""
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
        start, points = logs[0].match.standing.totals, (sheet.points for sheet in sheets)
        assert match.invalid_steps == ()
        assert match.standing.totals == tuple(map(sum, zip(start, *points, strict=True)))
        replay = replay_notation(write_notation(match), get_games())
        assert replay.problems == () and [round_.sheet for round_ in replay.rounds] == sheets


@every_game
def test_enough_random_plays_are_made(game):
    assert sum(get_share(PLAYS_A_GAME, case) for case in get_tried_cases(game.slug)) >= PLAYS_A_GAME
    assert sum(get_share(CORRECTIONS_A_GAME, case) for case in get_tried_cases(game.slug)) >= CORRECTIONS_A_GAME


def check_play(case, round_, play):
    """Check a legal play before it is recorded."""
    game = case.game
    assert decode(type(play), encode(play)) == play
    assert_filled(game.help.describe(case.options, play))
    assert game.referee.board(round_.state).turn in (None, *range(case.seats))
    assert not list(game.referee.judge(round_.state, play))


def check_live_state(case, log, number, content, states):
    """Check that the state kept up to date play by play equals the folded round."""
    round_ = log.match.get_round(number)
    assert log.match.invalid_steps == ()
    if content is EntryKind.CONFIRM:
        assert round_.is_settled
        return
    live = states.get(number, case.game.set_up_round(round_.options, case.seats, number - 1))
    if type(content) in case.game.options.settings.values():
        live = replace(live, options=apply_setting(live.options, content))
    else:
        live = case.game.referee.apply(live, content)
    assert round_.state == live
    states[number] = live
    assert_cards_are_conserved(case.game, live)
    if len(log.entries) % 3 == 0:
        assert_board_matches_judge(case.game, live)


def check_round(case, round_):
    """Check a finished round without misplays."""
    game, options, tally = case.game, round_.options, round_.tally
    assert round_.state.is_over
    assert list(game.referee.iter_legal_plays(round_.state)) == []
    assert game.referee.board(round_.state).turn is None
    questions = list(game.pad.check(options, case.seats, tally))
    assert not any(question.binding for question in questions)
    assert {question.rule for question in questions} <= set(get_hook(game, "UNLIKELY", ()))
    assert len(tally) == len(list(iter_count_slots(game, options, case.seats)))
    for count in tally:
        assert decode(type(count), encode(count)) == count
        assert_filled(game.help.describe(options, count))
    sheet = game.scoring.score(options, tally)
    sides = len(game.scoring.sides(case.options, case.seats))
    assert len(sheet.points) == sides and all(type(point) is int for point in sheet.points)
    for line in sheet.lines:
        assert_filled(line.label)
        assert len(line.values) == sides
    if sheet.verdict is not None:
        assert_filled(sheet.verdict)


def check_undo(before, log):
    """Check that undo restores the match before the last entry, and redo the match after it."""
    number = len(log.entries) + 1
    target = {"target": str(log.entries[-1].number)}
    undone = log.append(Entry(number, "undo", target))
    assert undone.match == before.match
    assert undone.append(Entry(number + 1, "redo", target)).match == log.match


def check_match(case, match):
    """Check a finished match and its notation."""
    standing = match.standing
    is_endless = case.game.scoring.round_count(case.options, case.seats) is None
    assert standing.is_over or is_endless
    assert_filled(standing.verdict)
    sheets = [round_.sheet for round_ in match.finished_rounds]
    points = (sheet.points for sheet in sheets)
    assert standing.totals == tuple(map(sum, zip(case.log().match.standing.totals, *points, strict=True)))
    replay = replay_notation(write_notation(match), get_games())
    assert replay.problems == ()
    assert all(verdict.rules == () for verdict in replay.verdicts)
    assert [round_.state for round_ in replay.rounds] == [round_.state for round_ in match.finished_rounds]
    assert [round_.sheet for round_ in replay.rounds] == sheets
    assert replay.match.standing_after(replay.rounds) == standing
    assert (replay.match.options, replay.match.seats) == (match.options, match.seats)
    assert write_notation(replay.match) == write_notation(match)


@every_refereed_game
def test_every_kind_of_play_can_be_reached(game):
    kinds = set()
    for case in itertools.islice(itertools.cycle(get_tried_cases(game.slug)), 200):
        chance = case.random(f"kinds {len(kinds)}")
        state = case.setup()
        while not state.is_over and kinds != set(game.plays):
            play = random_play(game, state, chance)
            kinds.add(game.get_kind(play))
            state = game.referee.apply(state, play)
    assert kinds == set(game.plays)


@every_refereed_case
def test_candidates_include_every_legal_play(case):
    """Tries every value in or just outside a field's range; plays with sequences are tested per game."""
    game, chance = case.game, case.random("candidates")
    state = case.setup()
    steps = 0
    while not state.is_over:
        if steps % 40 == 0:
            plays = set(game.referee.candidates(state))
            for play in iter_all_plays(case):
                if play not in plays:
                    assert next(game.referee.judge(state, play), None) is not None, play
        state = game.referee.apply(state, random_play(game, state, chance))
        steps += 1


def iter_all_plays(case):
    for cls in case.game.plays.values():
        hints = get_type_hints(cls)
        ranges = [iter_values(part, hints[part.name], case) for part in fields(cls)]
        if all(values is not None for values in ranges):
            yield from itertools.starmap(cls, itertools.product(*ranges))


def iter_values(part, hint, case):
    if part.name == "seat" or part.metadata.get("meaning") in (Meaning.SEAT, Meaning.SEAT_ORDER):
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
    """On random plays, legal or not, `judge` has messages, `apply` never fails, and the board can be built."""
    game, chance = case.game, case.random("insist")
    extra_plays = get_hook(game, "PLAYS", ())
    all_plays = [*iter_all_plays(case), *extra_plays] or list(game.referee.candidates(case.setup()))
    state, insisted, step = case.setup(), 0, 0
    while step < 60 or (not insisted and step < 1_000):
        step += 1
        play = chance.choice(all_plays) if chance.random() < 0.5 else random_play(game, state, chance)
        violations = list(game.referee.judge(state, play))
        for violation in violations:
            assert violation.rule in game.rules
            assert_filled(violation.message)
        if not any(violation.binding for violation in violations):
            insisted += bool(violations)
            state = game.referee.apply(state, play)
            assert hash(state) == hash(state)
            assert game.referee.board(state).turn in (None, *range(case.seats))
            assert_filled(game.help.describe(case.options, play))
        if state.is_over:
            assert_round_stays_over(game, state, chance.choice(all_plays))
            sheet = game.scoring.score(case.options, game.referee.tally(state))
            assert all(type(point) in (int, NoneType) for point in sheet.points)
            for violation in game.pad.check(case.options, case.seats, game.referee.tally(state)):
                assert_filled(violation.message)
            state = case.setup(step)
    assert insisted > 0


@every_case
def test_a_count_by_hand_scores_what_the_referee_scores(case):
    chance = case.random("count")
    tally = random_tally(case, chance)
    log = case.log()
    for count in chance.sample(tally, len(tally)):
        log = log.append(build_entry(log, count))
        reasons = [str(violation.message) for step in log.match.invalid_steps for violation in step.violations]
        assert not reasons, f"`pad.check` refuses what `random_tally` of the game’s test module counts: {reasons}"
    assert log.match.get_round(1).is_settled or log.match.has_open_score
    assert log.match.get_round(1).sheet == case.game.scoring.score(case.options, tally)
    assert replay_notation(write_notation(log.match), get_games()).problems == ()


# Late corrections


@every_case
@pytest.mark.random
def test_a_late_correction_equals_having_entered_it_right(case):
    chance = case.random("correction")
    corrections = 0
    while corrections < get_share(CORRECTIONS_A_GAME, case):
        logs = random_logs(case, chance, counted=chance.choice((0.3, 0.6, 0.9)))
        log = logs[-1]
        entries = [entry for entry in log.entries if entry.kind != EntryKind.CONFIRM]
        for entry in chance.sample(entries, min(17, len(entries))):
            content = draw_other_content(case, logs[entry.number - 1].match, entry, chance)
            if content is None:
                continue
            corrected = correct_entry(log, entry.number, content)
            expected = replay_with_right_entry(logs, entry.number, content)
            assert corrected.match == expected.match
            assert corrected.match.standing == expected.match.standing
            assert corrected.entries[:-1] == log.entries
            if corrections % 3 == 0:
                check_by_brute_force(case, expected.entries, corrected.match)
            if chance.random() < 0.1:
                check_undo(log, corrected)
                check_notation(corrected.match)
            corrections += 1
    assert corrections >= get_share(CORRECTIONS_A_GAME, case)


def check_notation(match):
    """Check that the sheets survive a round trip, unless a reopened round is unfinished: notation cannot express it."""
    if match.unfinished_rounds:
        return
    replay = replay_notation(write_notation(match), get_games())
    assert replay.problems == ()
    assert [round_.sheet for round_ in replay.rounds] == [round_.sheet for round_ in get_scored_rounds(match)]


def draw_other_content(case, match, entry, chance):
    """Return different content that the match would have accepted in place of an entry, or None."""
    round_ = match.get_round(entry.round)
    if entry.kind in case.game.plays:
        return random_play(case.game, round_.state, chance, besides=decode(case.game.plays[entry.kind], entry.words))
    if entry.kind in case.game.options.settings:
        return random_setting(case.game, round_.options, chance, entry.kind)
    for count in random_tally(case, chance):
        seats = [getattr(content, "seat", None) for content in (count, decode(type(count), entry.words))]
        if seats[0] == seats[1] and encode(count) != entry.words and is_count_accepted(case, round_, count):
            return count
    return None


def is_count_accepted(case, round_, count):
    return not list(case.game.pad.check(round_.options, case.seats, (*round_.manual_counts, count)))


def check_by_brute_force(case, entries, match):
    invalid_numbers, states, sheets = replay_by_brute_force(case, entries)
    assert [step.action.number for step in match.invalid_steps] == invalid_numbers
    assert {number: round_.state for number, round_ in match.rounds.items()} == states
    assert {number: round_.sheet for number, round_ in match.rounds.items()} == sheets


class BruteForceRound:
    """A round whose entries are judged one by one, without `Match` or `Log`."""

    def __init__(self, case, options, number):
        self.case, self.options, self.state = case, options, case.game.set_up_round(options, case.seats, number - 1)
        self.counts, self.invalid_numbers = [], set()

    def record(self, entry, *, is_late):
        content = decode(self.case.game.kinds[entry.kind], entry.words)
        if entry.kind in self.case.game.pad.counts:
            self.counts.append((entry, content, is_late))
            return self.check_counts()
        if entry.kind in self.case.game.plays:
            violations = list(self.case.game.referee.judge(self.state, content))
        else:
            violations = list(self.case.game.options.check(apply_setting(self.options, content), self.case.seats))
        self.set_validity(entry, violations, is_late)
        if any(violation.binding for violation in violations):
            return None
        if entry.kind in self.case.game.plays:
            self.state = self.case.game.referee.apply(self.state, content)
            return None
        self.options = apply_setting(self.options, content)
        self.state = replace(self.state, options=self.options)
        return self.check_counts()

    def check_counts(self):
        """Check all counts again: a later setting also applies to earlier counts."""
        self.tally = []
        for entry, content, is_late in self.counts:
            before = list(self.case.game.pad.check(self.options, self.case.seats, tuple(self.tally)))
            after = self.case.game.pad.check(self.options, self.case.seats, (*self.tally, content))
            violations = [violation for violation in after if violation not in before]
            self.set_validity(entry, violations, is_late)
            if not any(violation.binding for violation in violations):
                self.tally.append(content)

    def set_validity(self, entry, violations, is_late):
        is_late = is_late and self.case.game.scoring.match_rule not in entry.overruled
        if is_late or any(violation.binding or violation.rule not in entry.overruled for violation in violations):
            self.invalid_numbers.add(entry.number)
        else:
            self.invalid_numbers.discard(entry.number)

    @property
    def sheet(self):
        game, counts = self.case.game, self.tally if self.counts else []
        slots = {(game.get_kind(count), getattr(count, "seat", None)) for count in counts}
        if slots >= set(iter_count_slots(game, self.options, self.case.seats)):
            return game.scoring.score(self.options, tuple(counts))
        return (
            game.scoring.score(self.options, game.referee.tally(self.state))
            if game.referee and self.state.is_over
            else None
        )


def replay_by_brute_force(case, entries):
    """Return the numbers of invalid entries, and the state and sheet of each round."""
    rounds = {}
    for entry in entries:
        is_late = is_after_the_end(case, rounds, entry.round)
        previous = rounds.get(max((number for number in rounds if number < entry.round), default=0))
        options = previous.options if previous else case.options
        current = rounds.setdefault(entry.round, BruteForceRound(case, options, entry.round))
        if entry.kind != EntryKind.CONFIRM:
            current.record(entry, is_late=is_late)
    invalid_numbers = [number for _n, round_ in sorted(rounds.items()) for number in sorted(round_.invalid_numbers)]
    states = {number: round_.state for number, round_ in rounds.items()}
    return invalid_numbers, states, {number: round_.sheet for number, round_ in rounds.items()}


def is_after_the_end(case, rounds, number):
    """Return whether a round starts after the end of the match, which a correction can bring about."""
    if number in rounds or number == 1:
        return False
    sheets = [rounds[n].sheet for n in sorted(rounds) if n < number]
    scored_sheets = tuple(sheet for sheet in sheets if sheet is not None and not sheet.is_open)
    standing = case.game.scoring.standing(case.options, case.seats, scored_sheets)
    round_count = case.game.scoring.round_count(case.options, case.seats)
    return standing.is_over or (round_count is not None and number > round_count)
