"""Rounds, counts, confirmations and violations of a match."""

from dataclasses import replace

import pytest

from companion.core.completion import complete_play
from companion.core.entry import EntryKind
from companion.core.match import Action, Match, get_count_slot, iter_count_slots
from companion.core.scoring import rank_totals
from companion.games import get_games
from companion.games.take_that.plays import Count as TakeThatCount
from companion.games.take_that.plays import Options as TakeThatOptions
from companion.games.take_that.rules import Rule
from companion.games.the_game.plays import Options as TheGameOptions

TAKE_THAT, THE_GAME = get_games()["take-that"], get_games()["the-game"]


def parse_actions(text, *, round_=1, first=1):
    """Parse actions from lines of kind, fields and, after `~`, overruled rules."""
    actions = []
    for number, line in enumerate(text.strip().splitlines(), first):
        entry, _mark, rules = line.partition("~")
        kind, *pairs = entry.split()
        words = dict(pair.split("=", 1) for pair in pairs)
        actions.append(Action(number, round_, kind, words, tuple(rules.split())))
    return actions


def build_match(*actions, game=TAKE_THAT, options=None, seats=3):
    match = Match(game, options or game.options.cls(), seats)
    for action in actions:
        match = match.record(action)
    return match


def build_counts(round_, first, up=(10, 4, 6)):
    down = (20, 12, 8)
    lines = "\n".join(f"count seat={seat} face_up={up[seat]} face_down={down[seat]} toads=0" for seat in range(len(up)))
    return parse_actions(lines, round_=round_, first=first)


STUCK = "place seat=0 card=99 row=up-1\nstuck seat=0"


# Ranks


@pytest.mark.parametrize(
    ("totals", "expected"),
    [
        ((), ()),
        ((5,), (1,)),
        ((3, 9, 3), (2, 1, 2)),
        ((9, 9, 3), (1, 1, 3)),
        ((0, 0, 0), (1, 1, 1)),
        ((-5, 2, 11), (3, 2, 1)),
    ],
)
def test_ties_share_the_better_rank_and_skip_the_next(totals, expected):
    assert rank_totals(totals) == expected


def test_ranking_can_start_with_the_lowest_total():
    assert rank_totals((3, 9, 3), highest_first=False) == (1, 3, 1)


# Rounds


def test_a_match_without_entries_is_in_its_first_round():
    empty = build_match()
    assert (empty.last_number, empty.current_number, empty.rounds) == (1, 1, {})
    assert empty.get_round(1).state == TAKE_THAT.referee.setup(TakeThatOptions(), 3, 0)
    assert not empty.standing.is_over and empty.finished_rounds == empty.unfinished_rounds == ()


def test_recording_returns_a_new_match():
    before = build_match()
    after = before.record(*parse_actions("extend seat=1 card=34"))
    assert before == build_match() and before.rounds == {}
    assert after.get_round(1).state.row == (34,)


def test_an_illegal_play_is_invalid_and_names_its_rule():
    recorded = build_match(*parse_actions("extend seat=1 card=34\nextend seat=2 card=55"))
    first, second = recorded.get_round(1).steps
    assert first.is_valid and first.violations == ()
    assert not second.is_valid
    assert [violation.rule for violation in second.objections] == [Rule.EXTEND_WITHIN_TEN]
    assert recorded.invalid_steps == (second,)


def test_an_illegal_play_changes_the_state():
    recorded = build_match(*parse_actions("extend seat=1 card=34\nextend seat=2 card=55"))
    assert recorded.get_round(1).state.row == (34, 55)


def test_a_play_insisted_on_is_valid_and_keeps_its_violations():
    recorded = build_match(*parse_actions("extend seat=1 card=34\nextend seat=2 card=55 ~ extend-within-ten"))
    step = recorded.get_round(1).steps[1]
    assert step.is_valid and step.objections == ()
    assert [violation.rule for violation in step.violations] == [Rule.EXTEND_WITHIN_TEN]
    assert recorded.invalid_steps == ()


def test_insisting_on_another_rule_does_not_help():
    recorded = build_match(*parse_actions("extend seat=1 card=34\nextend seat=2 card=55 ~ turn"))
    assert not recorded.get_round(1).steps[1].is_valid


def test_a_play_with_a_binding_violation_has_no_effect():
    recorded = build_match(*parse_actions("extend seat=1 card=34\nextend seat=2 card=34 ~ deck"))
    step = recorded.get_round(1).steps[1]
    assert not step.is_valid and not step.has_effect
    assert recorded.get_round(1).state.row == (34,)


@pytest.mark.parametrize(
    "line", ["extend seat=1", "extend seat=x card=34", "juggle seat=1", "extend seat=1 card=34 colour=red", "confirm"]
)
def test_a_malformed_action_is_recorded_without_effect(line):
    recorded = build_match(*parse_actions(line))
    (step,) = recorded.get_round(1).steps
    assert step.malformed is not None and "{" not in str(step.malformed)
    assert not step.is_valid and not step.has_effect
    assert recorded.get_round(1).state == build_match().get_round(1).state
    assert not recorded.get_round(1).is_over and not recorded.get_round(1).is_settled


@pytest.mark.parametrize("number", [0, -1, -99])
def test_rounds_are_numbered_from_one(number):
    action = Action(1, number, "extend", {"seat": "1", "card": "34"})
    assert build_match().judge(action).malformed is not None


def test_a_round_is_settled_even_if_all_before_it_were_struck():
    recorded = build_match(*build_counts(2, 1))
    assert list(recorded.rounds) == [2] and recorded.get_round(2).is_settled
    assert [played.number for played in recorded.unfinished_rounds] == [1]
    assert recorded.current_number == 1, "both agreed rounds have started, and the first is unfinished"


def test_a_round_beyond_those_agreed_breaks_the_match_rule():
    action = Action(1, 3, "extend", {"seat": "0", "card": "34"})
    (violation,) = build_match().judge(action).violations[:1]
    assert (violation.rule, violation.binding) == ("match", False)
    assert str(violation.message) == "The match has 2 rounds, and not all are finished: this would begin another."


def test_the_next_round_starts_once_the_round_is_settled():
    recorded = build_match(*build_counts(1, 1))
    assert recorded.get_round(1).is_settled
    assert (recorded.last_number, recorded.current_number) == (1, 2)
    assert recorded.get_round(2).state.turn == 2


def test_the_last_round_stays_current_when_the_match_is_over():
    recorded = build_match(*build_counts(1, 1), *build_counts(2, 4))
    assert recorded.standing.is_over
    assert (recorded.last_number, recorded.current_number) == (2, 2)


def test_an_extra_round_breaks_the_match_rule_once():
    over = build_match(*build_counts(1, 1), *build_counts(2, 4))
    first, second, third = build_counts(3, 7)
    assert [violation.rule for violation in over.judge(first).violations] == [Rule.MATCH]
    insisted = over.record(replace(first, overruled=("match",)))
    assert insisted.invalid_steps == ()
    assert insisted.judge(second).is_valid
    assert insisted.record(second).record(third).standing.totals == (-30, -24, -6)


# Counts


def test_a_kind_with_a_seat_is_counted_once_a_seat_and_any_other_once():
    assert list(iter_count_slots(TAKE_THAT, TAKE_THAT.options.cls(), 3)) == [("count", 0), ("count", 1), ("count", 2)]
    assert list(iter_count_slots(THE_GAME, THE_GAME.options.cls(), 3)) == [("count", None)]
    assert get_count_slot(TAKE_THAT, TakeThatCount(2, 0, 0, 0)) == ("count", 2)


def test_a_round_is_over_once_all_is_counted_in_any_order():
    first, second, third = build_counts(1, 1)
    recorded = build_match(third, first)
    assert recorded.get_round(1).missing_counts == (("count", 1),)
    assert not recorded.get_round(1).is_over and recorded.get_round(1).sheet is None
    recorded = recorded.record(second)
    assert recorded.get_round(1).missing_counts == ()
    assert recorded.get_round(1).is_over and recorded.get_round(1).is_settled
    assert recorded.get_round(1).sheet.points == (-10, -8, -2)
    assert recorded.standing.totals == (-10, -8, -2)


def test_a_count_is_blamed_only_for_violations_it_adds():
    recorded = build_match(
        *parse_actions(
            "count seat=0 face_up=11 face_down=4 toads=0 ~ reverse-pair\ncount seat=1 face_up=10 face_down=4 toads=8"
        )
    )
    first, second = recorded.get_round(1).steps
    assert first.is_valid
    assert {violation.rule for violation in second.violations} == {Rule.SCORE, Rule.DECK}


def test_an_impossible_count_does_not_count():
    recorded = build_match(*parse_actions("count seat=0 face_up=10 face_down=4 toads=5"))
    assert recorded.get_round(1).manual_counts == ()
    assert ("count", 0) in recorded.get_round(1).missing_counts


def test_counts_replace_a_round_that_is_being_refereed():
    played = parse_actions("extend seat=1 card=34\nextend seat=2 card=41")
    recorded = build_match(*played, *build_counts(1, 3))
    assert recorded.get_round(1).state.row == (34, 41)
    assert len(recorded.get_round(1).plays) == 2
    assert recorded.get_round(1).is_settled
    assert recorded.get_round(1).sheet.points == (-10, -8, -2)


def test_counts_replace_a_round_that_the_referee_has_ended():
    ended = build_match(*parse_actions(STUCK), game=THE_GAME)
    assert ended.get_round(1).sheet.points == (97,)
    recorded = ended.record(Action(3, 1, "count", {"left": "40"}))
    assert recorded.get_round(1).sheet.points == (40,)
    assert recorded.get_round(1).is_settled and recorded.standing.totals == (40,)


def test_incomplete_counts_do_not_replace_the_referees_tally():
    plays = parse_actions("extend seat=1 card=34\nextend seat=2 card=41")
    recorded = build_match(*plays, build_counts(1, 3)[0])
    assert not recorded.get_round(1).is_over


# Confirmation


def test_a_refereed_round_waits_for_confirmation():
    ended = build_match(*parse_actions(STUCK), game=THE_GAME)
    assert ended.get_round(1).is_over and not ended.get_round(1).is_settled
    assert (ended.current_number, ended.finished_rounds) == (1, ())
    assert not ended.standing.is_over
    confirmed = ended.record(Action(3, 1, EntryKind.CONFIRM, {}))
    assert confirmed.get_round(1).is_settled and confirmed.standing.is_over
    assert confirmed.standing.totals == (97,)


def test_an_unfinished_round_cannot_be_confirmed():
    going = build_match(*parse_actions("place seat=0 card=99 row=up-1"), game=THE_GAME)
    step = going.judge(Action(2, 1, EntryKind.CONFIRM, {}))
    assert not step.is_valid
    assert not going.record(Action(2, 1, EntryKind.CONFIRM, {})).get_round(1).is_confirmed


def test_an_early_confirmation_does_not_settle_the_round_later():
    lines = "place seat=0 card=99 row=up-1\nconfirm\nstuck seat=0"
    recorded = build_match(*parse_actions(lines), game=THE_GAME)
    assert recorded.get_round(1).is_over
    assert not recorded.get_round(1).is_settled


def test_a_round_counted_by_hand_needs_no_confirmation():
    assert build_match(Action(1, 1, "count", {"left": "9"}), game=THE_GAME).standing.is_over


# Earlier rounds


def test_an_unconfirmed_round_counts_once_the_next_has_started():
    plays = parse_actions("extend seat=1 card=12\n" + "take seat=2")
    recorded = build_match(*plays, *build_counts(1, 3), *parse_actions("extend seat=2 card=34", round_=2, first=6))
    assert [played.number for played in recorded.finished_rounds] == [1]


def test_an_earlier_round_that_is_not_over_has_no_score():
    first = build_counts(1, 1)[:2]
    recorded = build_match(*first, *build_counts(2, 4))
    assert [played.number for played in recorded.unfinished_rounds] == [1]
    assert [played.number for played in recorded.finished_rounds] == [2]
    assert recorded.standing.totals == (-10, -8, -2)
    assert not recorded.standing.is_over


def test_rounds_can_be_entered_in_any_order():
    first, second = build_counts(1, 1), build_counts(2, 4, up=(8, 2, 0))
    in_order = build_match(*first, *second)
    mixed = build_match(first[0], second[0], first[1], first[2], second[1], second[2])
    assert in_order.standing == mixed.standing
    assert [step.action.number for step in mixed.steps] == [1, 2, 3, 4, 5, 6]


def test_the_options_decide_how_many_rounds_there_are():
    assert build_match(*build_counts(1, 1), options=TakeThatOptions(rounds=1)).standing.is_over
    assert not build_match(*build_counts(1, 1), options=TakeThatOptions(rounds=3)).standing.is_over
    assert THE_GAME.scoring.round_count(TheGameOptions(), 3) == 1


# Without an end, and by teams


def test_each_side_counts_once_at_its_first_seat():
    scoring = replace(TAKE_THAT.scoring, sides=lambda options, seats: ((0, 2), (1, 3)))
    teams = replace(TAKE_THAT, scoring=scoring)
    assert list(iter_count_slots(teams, TAKE_THAT.options.cls(), 4)) == [("count", 0), ("count", 1)]


def test_a_match_without_a_round_count_never_runs_out_of_rounds():
    def standing(options, seats, sheets):
        return replace(TAKE_THAT.scoring.standing(options, seats, sheets), is_over=False)

    scoring = replace(TAKE_THAT.scoring, round_count=lambda options, seats: None, standing=standing)
    endless = replace(TAKE_THAT, scoring=scoring)
    played = build_match(*(action for n in range(1, 5) for action in build_counts(n, 3 * n)), game=endless)
    assert played.current_number == 5 and len(played.finished_rounds) == 4
    assert played.invalid_steps == ()
    reopened = build_match(*(action for n in (2, 3) for action in build_counts(n, 3 * n)), game=endless)
    assert [round_.number for round_ in reopened.unfinished_rounds] == [1]
    assert reopened.current_number == 4, "there is no last round to wait for"


def test_repeated_candidates_are_offered_once():
    once = TAKE_THAT.referee
    repeating = replace(once, candidates=lambda state: [*once.candidates(state), *once.candidates(state)])
    twice = replace(TAKE_THAT, referee=repeating)
    state = build_match().get_round(1).state
    assert list(repeating.iter_legal_plays(state)) == list(once.iter_legal_plays(state))
    for words in ({"card": "34"}, {"kind": "extend"}, {}):
        assert complete_play(twice, state, words) == complete_play(TAKE_THAT, state, words)
