"""Undo, redo, corrections and closing in the log of a table."""

import pytest

from companion.core.entry import Entry, EntryKind
from companion.core.log import Log, NoSuchTarget
from companion.games import get_games
from companion.games.take_that.plays import Extend

TAKE_THAT, THE_GAME = get_games()["take-that"], get_games()["the-game"]


def build_log(*lines, game=TAKE_THAT, seats=3):
    log = Log.empty(game, game.options.cls(), seats)
    for line in lines:
        log = append_line(log, line)
    return log


def append_line(log, line):
    """Append a line such as `2: extend seat=1 card=34 ~ rule` (round and overruled rules are optional)."""
    line, _sign, rules = line.partition("~")
    number, colon, rest = line.partition(":")
    kind, *pairs = (rest if colon else line).split()
    words = dict(pair.split("=", 1) for pair in pairs)
    round_ = int(number) if colon else log.match.current_number
    return log.append(Entry(len(log.entries) + 1, kind, words, round_, tuple(rules.split())))


def get_row(log, number=1):
    return log.match.get_round(number).state.row


def get_invalid_numbers(log):
    return [step.action.number for step in log.match.invalid_steps]


THREE = ("extend seat=1 card=34", "extend seat=2 card=41", "extend seat=0 card=49")
COUNTED = (
    "count seat=0 face_up=12 face_down=17 toads=0",
    "count seat=1 face_up=10 face_down=4 toads=1",
    "count seat=2 face_up=14 face_down=3 toads=0",
)


# Undo and redo


def test_undo_removes_the_last_entry_and_redo_restores_it():
    before, log = build_log(*THREE[:2]), build_log(*THREE)
    undone = append_line(log, "undo target=3")
    assert undone.match == before.match
    assert append_line(undone, "redo target=3").match == log.match


def test_everything_can_be_undone_entry_by_entry():
    log = build_log(*THREE)
    for target in (3, 2, 1):
        log = append_line(log, f"undo target={target}")
    assert log.match == build_log().match
    for target in (1, 2, 3):
        log = append_line(log, f"redo target={target}")
    assert log.match == build_log(*THREE).match
    assert len(log.entries) == 9


@pytest.mark.parametrize("target", [0, 1, 2, 4, -3, 99])
def test_only_the_last_entry_can_be_undone(target):
    with pytest.raises(NoSuchTarget):
        append_line(build_log(*THREE), f"undo target={target}")


def test_an_empty_log_has_nothing_to_undo():
    with pytest.raises(NoSuchTarget) as error:
        append_line(build_log(), "undo target=1")
    assert str(error.value.text) == "Nothing more to undo here."


@pytest.mark.parametrize("target", [0, 1, 3, 4, 5])
def test_only_the_last_undone_entry_can_be_redone(target):
    log = append_line(append_line(build_log(*THREE), "undo target=3"), "undo target=2")
    with pytest.raises(NoSuchTarget) as error:
        append_line(log, f"redo target={target}")
    assert str(error.value.text) == "Nothing to redo."
    assert get_row(append_line(log, "redo target=2")) == (34, 41)


def test_a_redone_entry_can_be_undone_again():
    log = build_log(*THREE)
    for _time in range(3):
        log = append_line(log, "undo target=3")
        assert get_row(log) == (34, 41)
        log = append_line(log, "redo target=3")
        assert get_row(log) == (34, 41, 49)
    assert get_row(append_line(append_line(log, "undo target=3"), "undo target=2")) == (34,)


@pytest.mark.parametrize("line", ["extend seat=0 card=48", "strike target=1", "insist target=2 ~ turn"])
def test_nothing_can_be_redone_after_a_new_entry(line):
    log = append_line(append_line(build_log(*THREE), "undo target=3"), line)
    with pytest.raises(NoSuchTarget):
        append_line(log, "redo target=3")


def test_a_new_entry_clears_redo_for_good():
    log = append_line(append_line(build_log(*THREE), "undo target=3"), "extend seat=0 card=48")
    log = append_line(append_line(log, "undo target=5"), "extend seat=0 card=51")
    assert get_row(log) == (34, 41, 51)
    with pytest.raises(NoSuchTarget):
        append_line(log, "redo target=3")


def test_the_same_entry_cannot_be_undone_twice():
    log = append_line(build_log(*THREE), "undo target=3")
    with pytest.raises(NoSuchTarget):
        append_line(log, "undo target=3")


def test_undo_reaches_into_the_previous_round():
    log = build_log(*COUNTED, "extend seat=2 card=34")
    assert log.match.last_number == 2
    log = append_line(log, "undo target=4")
    assert (log.match.last_number, log.match.current_number) == (1, 2)
    log = append_line(log, "undo target=3")
    assert (log.match.current_number, log.match.get_round(1).is_over) == (1, False)


def test_a_confirmation_can_be_undone():
    played = ("place seat=0 card=99 row=up-1", "place seat=0 card=2 row=down-1", "end-turn seat=0", "stuck seat=1")
    log = build_log(*played, "confirm", game=THE_GAME)
    assert log.match.standing.is_over
    assert not append_line(log, "undo target=5").match.standing.is_over


# Corrections


def test_a_correction_counts_as_if_entered_right():
    log = append_line(build_log(*THREE), "correct target=2 kind=extend seat=2 card=42")
    assert get_row(log) == (34, 42, 49)
    assert log.match == build_log(THREE[0], "extend seat=2 card=42", THREE[2]).match


def test_a_correction_can_change_the_kind():
    log = append_line(build_log(*THREE, "reverse seat=1 card=94"), "correct target=4 kind=take seat=1")
    assert get_row(log) == ()
    assert log.match.get_round(1).state.face_down[1] == (34, 41, 49)


def test_steps_invalid_after_a_correction_are_listed_not_dropped():
    log = append_line(build_log(*THREE), "correct target=2 kind=extend seat=2 card=35")
    assert get_invalid_numbers(log) == [3]
    assert get_row(log) == (34, 35, 49)
    log = append_line(build_log(*THREE, "reverse seat=1 card=94"), "correct target=3 kind=extend seat=0 card=48")
    assert get_invalid_numbers(log) == [4]
    assert log.match.get_round(1).state.face_up[1] == ()


def test_the_last_correction_of_an_entry_counts():
    log = append_line(build_log(*THREE), "correct target=2 kind=extend seat=2 card=42")
    log = append_line(log, "correct target=2 kind=extend seat=2 card=43")
    assert get_row(log) == (34, 43, 49)
    assert get_row(append_line(log, "undo target=5")) == (34, 42, 49)
    assert get_row(append_line(append_line(log, "undo target=5"), "undo target=4")) == (34, 41, 49)


def test_correcting_a_count_changes_the_totals():
    log = append_line(build_log(*COUNTED), "correct target=2 kind=count seat=1 face_up=10 face_down=4 toads=0")
    assert log.match.standing.totals == (-5, 6, 11)


def test_correcting_an_earlier_round_leaves_later_rounds_unchanged():
    log = build_log(*COUNTED, *COUNTED)
    assert log.match.standing.totals == (-10, 4, 22)
    log = append_line(log, "correct target=1 kind=count seat=0 face_up=12 face_down=16 toads=0")
    assert log.match.standing.totals == (-9, 4, 22)
    assert log.match.get_round(2).sheet.points == (-5, 2, 11)


def test_a_correction_can_reopen_an_earlier_round():
    log = append_line(build_log(*COUNTED, *COUNTED), "strike target=1")
    assert [round_.number for round_ in log.match.unfinished_rounds] == [1]
    assert not log.match.standing.is_over
    assert log.match.standing.totals == (-5, 2, 11)
    log = append_line(log, "1: " + COUNTED[0])
    assert log.match.unfinished_rounds == ()
    assert log.match.standing.totals == (-10, 4, 22)


def test_a_table_can_insist_on_a_correction():
    log = append_line(build_log(*THREE), "correct target=2 kind=extend seat=2 card=60 ~ extend-within-ten deck")
    assert get_invalid_numbers(log) == [2, 3]
    log = append_line(build_log(*THREE), "correct target=2 kind=extend seat=2 card=58 ~ extend-within-ten")
    assert get_invalid_numbers(log) == []
    assert get_row(log) == (34, 58, 49)


def test_a_correction_drops_earlier_overruled_rules():
    log = build_log("extend seat=1 card=34", "extend seat=2 card=55 ~ extend-within-ten")
    assert get_invalid_numbers(log) == []
    assert get_invalid_numbers(append_line(log, "correct target=2 kind=extend seat=2 card=56")) == [2]


def test_striking_an_entry_keeps_the_others():
    log = append_line(build_log(*THREE, "extend seat=1 card=51"), "strike target=3")
    assert get_row(log) == (34, 41, 51)
    assert get_invalid_numbers(log) == [4], "it is out of turn now"
    assert [step.action.number for step in log.match.steps] == [1, 2, 4]


def test_a_struck_entry_cannot_be_corrected():
    log = append_line(build_log(*THREE), "strike target=3")
    for line in (
        "strike target=3",
        "correct target=3 kind=take seat=0",
        "insist target=3 ~ turn",
        "insert target=3 kind=take seat=0",
    ):
        with pytest.raises(NoSuchTarget) as error:
            append_line(log, line)
        assert str(error.value.text) == "That entry no longer counts."
    assert get_row(append_line(log, "undo target=4")) == (34, 41, 49)


def test_an_undone_entry_cannot_be_corrected():
    log = append_line(build_log(*THREE), "undo target=3")
    with pytest.raises(NoSuchTarget):
        append_line(log, "correct target=3 kind=extend seat=0 card=48")


@pytest.mark.parametrize("target", [4, 5, 0, 99])
def test_only_entries_that_count_can_be_corrected(target):
    log = append_line(append_line(build_log(*THREE), "correct target=1 kind=extend seat=1 card=35"), "close")
    with pytest.raises(NoSuchTarget):
        append_line(log, f"strike target={target}")


def test_insisting_later_makes_an_invalid_entry_valid():
    log = append_line(build_log(*THREE), "correct target=2 kind=extend seat=2 card=35")
    assert get_invalid_numbers(log) == [3]
    log = append_line(log, "insist target=3 ~ extend-within-ten")
    assert get_invalid_numbers(log) == []
    assert get_invalid_numbers(append_line(log, "undo target=5")) == [3]


def test_insisting_again_keeps_earlier_overruled_rules():
    log = build_log("extend seat=1 card=34", "extend seat=0 card=45 ~ turn")
    assert get_invalid_numbers(log) == [2]
    assert get_invalid_numbers(append_line(log, "insist target=2 ~ extend-within-ten")) == []


def test_insisting_does_not_make_the_impossible_valid():
    log = append_line(build_log(*THREE), "correct target=2 kind=extend seat=2 card=49 ~ extend-within-ten")
    assert get_invalid_numbers(log) == [3]
    assert get_invalid_numbers(append_line(log, "insist target=3 ~ deck")) == [3]


def test_a_forgotten_entry_is_inserted_before_another():
    log = build_log("extend seat=1 card=34", "extend seat=0 card=41 ~ turn")
    log = append_line(log, "insert target=2 kind=extend seat=2 card=42")
    assert get_row(log) == (34, 42, 41)
    assert get_invalid_numbers(log) == []
    assert [step.action.number for step in log.match.steps] == [1, 3, 2]
    assert get_row(append_line(log, "undo target=3")) == (34, 41)


def test_an_inserted_entry_can_be_corrected_and_struck():
    log = build_log(
        "extend seat=1 card=34", "extend seat=0 card=41 ~ turn", "insert target=2 kind=extend seat=2 card=42"
    )
    assert get_row(append_line(log, "correct target=3 kind=extend seat=2 card=39")) == (34, 39, 41)
    assert get_row(append_line(log, "strike target=3")) == (34, 41)
    assert get_row(append_line(log, "insert target=3 kind=extend seat=2 card=38")) == (34, 38, 42, 41)


def test_an_inserted_entry_belongs_to_the_round_of_its_target():
    log = append_line(build_log(*COUNTED[1:], "1: " + COUNTED[0], *COUNTED), "strike target=3")
    log = append_line(log, "insert target=1 kind=count seat=0 face_up=12 face_down=17 toads=0")
    assert log.match.standing.totals == (-10, 4, 22)


def test_a_correction_can_be_undone_and_redone():
    before = build_log(*THREE)
    log = append_line(before, "correct target=2 kind=extend seat=2 card=35")
    undone = append_line(log, "undo target=4")
    assert undone.match == before.match
    assert append_line(undone, "redo target=4").match == log.match


def test_a_malformed_correction_is_listed_as_invalid():
    log = append_line(build_log(*THREE), "correct target=2 kind=extend seat=2 card=x")
    assert get_invalid_numbers(log) == [2, 3], "49 is out of turn now"
    assert get_row(log) == (34, 49)
    log = append_line(build_log(*THREE), "correct target=2 kind=juggle seat=2")
    assert get_invalid_numbers(log) == [2, 3]


# Confirmations and corrections

STUCK = ("place seat=0 card=99 row=up-1", "place seat=0 card=2 row=down-1", "end-turn seat=0", "stuck seat=1")


def test_a_reopened_round_needs_a_new_confirmation():
    log = build_log(*STUCK, "confirm", game=THE_GAME)
    log = append_line(log, "correct target=4 kind=place seat=1 card=50 row=up-2")
    assert not log.match.get_round(1).is_over and not log.match.standing.is_over
    log = append_line(log, "1: stuck seat=1")
    assert log.match.get_round(1).is_over
    assert not log.match.get_round(1).is_settled, "nobody has seen this tally"
    log = append_line(log, "confirm")
    assert log.match.get_round(1).is_settled


def test_confirming_again_settles_a_reopened_round():
    log = build_log(*STUCK, "confirm", game=THE_GAME)
    log = append_line(log, "correct target=4 kind=place seat=1 card=50 row=up-2")
    log = append_line(append_line(log, "1: stuck seat=1"), "confirm")
    assert get_invalid_numbers(log) == []


def test_a_round_still_over_after_a_correction_stays_confirmed():
    log = build_log(*STUCK, "confirm", game=THE_GAME)
    log = append_line(log, "correct target=2 kind=place seat=0 card=3 row=down-1")
    assert log.match.get_round(1).is_settled and get_invalid_numbers(log) == []


# Nothing is overwritten


def test_no_operation_changes_or_removes_entries():
    log = build_log(*THREE)
    for line in (
        "correct target=2 kind=extend seat=2 card=42",
        "strike target=3",
        "undo target=5",
        "redo target=5",
        "insert target=2 kind=extend seat=0 card=39 ~ turn",
        "insist target=2 ~ turn",
        "close",
        "reopen",
    ):
        before = log
        log = append_line(log, line)
        assert log.entries[:-1] == before.entries
        assert log.entries[-1].number == len(log.entries)
    assert [entry.words for entry in log.entries[:3]] == [
        append_line(build_log(), line).entries[0].words for line in THREE
    ]


def test_appending_does_not_change_the_old_log():
    log = build_log(*THREE)
    append_line(log, "strike target=1")
    append_line(log, "undo target=3")
    assert log == build_log(*THREE)


def test_equal_entries_fold_to_equal_logs():
    lines = (*THREE, "correct target=2 kind=extend seat=2 card=42", "strike target=3", "undo target=5", "confirm")
    assert build_log(*lines) == build_log(*lines)


# Close and reopen


def test_a_table_can_be_closed_and_reopened():
    log = build_log(*THREE)
    closed = append_line(log, "close")
    assert closed.is_closed and closed.match == log.match
    assert not append_line(closed, "reopen").is_closed


def test_closing_cannot_be_undone():
    closed = append_line(build_log(*THREE), "close")
    with pytest.raises(NoSuchTarget):
        append_line(closed, "undo target=4")
    assert get_row(append_line(closed, "undo target=3")) == (34, 41)
    assert append_line(closed, "undo target=3").is_closed


# What an entry did


def test_get_step_finds_the_step_of_an_entry():
    log = build_log(*THREE)
    assert log.get_step(2).action.number == 2
    assert log.get_step(2).entry.card == 41
    assert append_line(log, "undo target=3").get_step(3) is None
    assert log.get_step(99) is None


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("extend seat=1 card=51", 4),
        ("correct target=2 kind=extend seat=2 card=42", 2),
        ("insist target=2 ~ turn", 2),
        ("insert target=2 kind=extend seat=2 card=39", 4),
        ("strike target=2", None),
        ("undo target=3", None),
        ("close", None),
    ],
)
def test_the_newest_step_judges_the_newest_entry(line, number):
    log = append_line(build_log(*THREE), line)
    step = log.newest_step
    assert (step and step.action.number) == number


def test_the_match_before_an_entry_includes_later_corrections():
    log = append_line(build_log(*THREE), "correct target=1 kind=extend seat=1 card=35")
    assert log.match_before(1).rounds == {}
    assert log.match_before(3).get_round(1).state.row == (35, 41)


def test_counts_replace_a_refereed_round_and_its_plays_stay_in_the_log():
    log = build_log(*THREE, *COUNTED)
    assert log.match.get_round(1).sheet.points == (-5, 2, 11)
    assert len(log.match.get_round(1).plays) == 3
    assert log.match.current_number == 2
    assert append_line(log, "undo target=6").match.current_number == 1


def test_a_confirmation_cannot_be_corrected():
    log = build_log(*STUCK, EntryKind.CONFIRM, game=THE_GAME)
    with pytest.raises(NoSuchTarget):
        append_line(log, "correct target=5 kind=stuck seat=1")


# Content that a form has decoded


def test_known_content_is_recorded_as_it_is_also_after_a_correction_and_its_undo():
    played, corrected, forgotten = Extend(1, 34), Extend(1, 41), Extend(1, 31)
    log = build_log().append(Entry(1, "extend", {}, 1, content=played))
    assert log.match.rounds[1].steps[0].entry is played
    words = {"target": "1", "kind": "extend"}
    amended = log.append(Entry(2, "correct", words, 1, content=corrected))
    assert amended.match.rounds[1].steps[0].entry is corrected
    undone = append_line(amended, "undo target=2")
    assert undone.match.rounds[1].steps[0].entry is played
    amended = undone.append(Entry(4, "insert", words, 1, content=forgotten))
    assert [step.entry for step in amended.match.rounds[1].steps] == [forgotten, played]
    insisted = append_line(amended, "insist target=1 ~ extend-within-ten")
    assert insisted.match.rounds[1].steps[1].entry is played


def test_entries_with_and_without_known_content_are_equal():
    words = {"seat": "1", "card": "34"}
    assert build_log().append(Entry(1, "extend", words, 1, content=Extend(1, 34))) == build_log("extend seat=1 card=34")
