"""A game that writes nothing but its count."""

from companion.core.match import Action, Match, iter_count_slots
from companion.core.notation import replay_notation, write_notation
from companion.core.scoring import ScoreSheet
from tests.games import dice
from tests.games.yahtzee import GAME, Count

OPTIONS = GAME.options.cls()


def build_match(*rows, seats=3):
    """Return a match with one count a row: round, seat, upper, lower."""
    match = Match(GAME, OPTIONS, seats)
    for number, (round_, seat, upper, lower) in enumerate(rows, start=1):
        words = {"seat": str(seat), "upper": str(upper), "lower": str(lower)}
        match = match.record(Action(number, round_, "count", words))
    return match


def test_a_game_is_shown_by_its_slug():
    assert repr(GAME) == "yahtzee"


def test_every_seat_counts_for_itself():
    assert list(iter_count_slots(GAME, OPTIONS, 3)) == [("count", 0), ("count", 1), ("count", 2)]
    assert GAME.referee is None and not GAME.plays


def test_the_numbers_are_added_up():
    sheet = GAME.scoring.score(OPTIONS, (Count(1, 30, 100), Count(0, 20, 7)))
    assert sheet.points == (27, 130)
    assert [(str(line.label), line.values) for line in sheet.lines] == [
        ("upper section", (20, 30)),
        ("lower section", (7, 100)),
    ]


def test_the_highest_sum_leads_and_the_table_decides_when_to_stop():
    standing = build_match((1, 0, 20, 7), (1, 1, 30, 100), (1, 2, 30, 100)).standing
    assert (standing.totals, standing.ranks, standing.is_over) == ((27, 130, 130), (3, 1, 1), False)
    assert str(standing.verdict) == "Player 2, Player 3 share the win with 130."


def test_a_single_player_is_not_ranked():
    standing = build_match((1, 0, 20, 7), (2, 0, 1, 1), seats=1).standing
    assert (standing.ranks, str(standing.verdict)) == ((), "29 points in all.")


def test_counting_twice_or_for_nobody_is_refused():
    match = build_match((1, 0, 20, 7))
    for seat, rule, text in (
        (0, "score", "Player 1 has been counted twice."),
        (3, "players", "There is no seat 4 at this table."),
    ):
        words = {"seat": str(seat), "upper": "1", "lower": "1"}
        (violation,) = match.judge(Action(9, 1, "count", words)).violations
        assert (violation.rule, str(violation.message), violation.binding) == (rule, text, True)


def test_a_count_is_described_by_its_labels():
    assert str(GAME.help.describe(OPTIONS, Count(0, 20, 7))) == "Player 1: upper section 20, lower section 7"


def test_preparation_and_paper_follow_from_options_and_counts():
    preparation = GAME.help.preparation(OPTIONS, 2)
    assert [(str(step.label), str(step.value)) for step in preparation.steps] == [("Rounds", "as many as you like")]
    assert str(preparation.lot) == "Who starts?"
    paper = GAME.help.paper_sheet(OPTIONS, 2)
    assert (tuple(map(str, paper.side_lines)), paper.table_lines) == (("upper section", "lower section"), ())
    assert GAME.help.counting_rules == tuple(GAME.rules)


def test_a_match_survives_the_notation():
    match = build_match((1, 0, 20, 7), (1, 1, 30, 100), seats=2)
    replay = replay_notation(write_notation(match), {"yahtzee": GAME})
    assert not replay.problems
    assert isinstance(replay.match.get_round(1).sheet, ScoreSheet)
    assert replay.match.standing == match.standing


def test_a_play_of_an_unknown_seat_is_refused_before_the_game_judges_it():
    state = dice.GAME.referee.setup(dice.GAME.options.cls(), 2, 0)
    for seat in (-1, 2):
        (violation,) = dice.GAME.referee.judge(state, dice.Cross(seat, 7))
        assert (violation.rule, violation.binding) == (dice.Rule.CROSS, True)
        assert str(violation.message) == f"There is no seat {seat + 1} at this table."
    assert [str(violation.message) for violation in dice.GAME.referee.judge(state, dice.Cross(0, 7))] == [
        "One number a roll."
    ]


def test_no_candidate_is_left_once_the_round_is_over():
    state = dice.State(dice.GAME.options.cls(), 2, rolls=dice.ROLLS, crossed=((2,), (3,)), points=(2, 3))
    assert state.is_over
    assert not list(dice.GAME.referee.candidates(state))
