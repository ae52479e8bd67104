"""Reading, judging and writing of the notation."""

from dataclasses import dataclass, replace

import pytest

from companion.core.entry import Entry, EntryKind
from companion.core.game import Violation
from companion.core.log import Log, fold_actions
from companion.core.match import Action, Match
from companion.core.notation import describe_notation, get_scored_rounds, replay_notation, write_notation
from companion.core.notation_lexer import MAX_FILE_LENGTH, NotationError
from companion.core.schema import field
from companion.core.text import Text, _
from companion.games import get_games
from companion.games.take_that.rules import Rule

GAMES = get_games()

BY_PLAY = """\
game take-that
seats 3
option professional=yes
extend seat=1 card=34
extend seat=2 card=41
extend seat=0 card=55 ! extend-within-ten
extend seat=0 card=49
reverse seat=1 card=94
"""
BY_COUNT = """\
game take-that
seats 3
count seat=0 face_up=12 face_down=17 toads=0
count seat=1 face_up=10 face_down=4 toads=1
count seat=2 face_up=14 face_down=3 toads=0
= -5,2,11
"""


def replay(text):
    return replay_notation(text, GAMES)


def get_error_line(text):
    with pytest.raises(NotationError) as error:
        replay(text)
    assert "{" not in str(error.value)
    str(error.value).encode("utf-8")
    return error.value.line


def get_problems(text):
    return [(verdict.line, str(verdict.problem)) for verdict in replay(text).problems]


def build_text(*lines, seats=3):
    return "\n".join(["game take-that", f"seats {seats}", *lines]) + "\n"


# Refereed and counted samples


def test_the_refereed_sample_replays_without_problems():
    result = replay(BY_PLAY)
    assert result.problems == ()
    assert [verdict.rules for verdict in result.verdicts] == [(), (), ("extend-within-ten",), (), ()]
    assert [verdict.is_recorded for verdict in result.verdicts] == [True, True, False, True, True]
    assert [verdict.line for verdict in result.verdicts] == [4, 5, 6, 7, 8]
    state = result.match.get_round(1).state
    assert (state.row, sorted(state.face_up[1])) == ((34, 41), [49, 94])
    assert result.match.options.professional
    assert result.rounds == ()


def test_the_counted_sample_replays_without_problems():
    result = replay(BY_COUNT)
    assert result.problems == ()
    assert [round_.sheet.points for round_ in result.rounds] == [(-5, 2, 11)]


# Marks


def test_a_refused_entry_gives_its_reason_and_changes_nothing():
    result = replay(BY_PLAY)
    (reason,) = result.verdicts[2].reasons
    assert str(reason) == "55 is 14 away from 41, and a card may be at most 10 away."
    without = replay(BY_PLAY.replace("extend seat=0 card=55 ! extend-within-ten\n", "# nothing here\n"))
    assert result.match.get_round(1).state == without.match.get_round(1).state


@pytest.mark.parametrize(
    "line",
    [
        "extend seat=1 card=30 !",
        "extend seat=1 card=30!",
        "extend seat=1 card=30 ! deck",
        "extend seat=1 card=30   !   deck  # no such card",
        "extend seat=2 card=30 ! deck turn",
        "extend seat=2 card=30 ! turn, deck",
        "extend seat=2 card=30 !turn,deck",
        "extend seat=2 card=30 ! turn",
        "extend seat=1 card=x !",
        "extend seat=1 !",
        "extend seat=1 card=34 card=34 !",
        "extend seat=1 card=34 colour=red !",
    ],
)
def test_a_line_marked_refused_names_its_rules_or_none(line):
    result = replay(build_text(line))
    assert result.problems == ()
    assert not result.verdicts[0].is_recorded
    assert result.match.rounds == {}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("extend seat=1 card=34 !", "This should have been refused, and it is legal."),
        ("extend seat=1 card=34 ! turn", "This should have been refused, and it is legal."),
        ("extend seat=2 card=34 ! deck", "This should break deck; it breaks turn."),
        ("extend seat=2 card=34 ! deck, turn", "This should break deck; it breaks turn."),
        ("extend seat=1 card=x ! deck", "This should break deck; it breaks nothing."),
        ("extend seat=1 card=34 ~ turn", "This should break turn; it breaks nothing."),
        ("extend seat=2 card=34", "This is refused: It is the turn of Player 2."),
        ("extend seat=2 card=34 ~", "This is refused: It is the turn of Player 2."),
        ("extend seat=1 card=30 ~ deck", "This is refused: There is no card 30 in the deck."),
    ],
)
def test_disagreements_of_file_and_rules_are_problems(line, problem):
    assert get_problems(build_text(line)) == [(3, problem)]


def test_a_line_insisted_on_is_recorded():
    result = replay(build_text("extend seat=2 card=34 ~ turn", "extend seat=0 card=45 ~ extend-within-ten"))
    assert result.problems == ()
    assert [verdict.is_recorded for verdict in result.verdicts] == [True, True]
    assert result.match.get_round(1).state.row == (34, 45)
    assert result.match.invalid_steps == ()


# Points


def test_points_are_compared_with_the_round_and_totals_with_the_match():
    text = BY_COUNT + "== -5,2,11\n" + BY_COUNT.partition("seats 3\n")[2] + "== -10,4,22\n"
    assert get_problems(text) == []
    assert get_problems(text.replace("== -10,4,22", "== -5,2,11")) == [(12, "The points are -10,4,22.")]


@pytest.mark.parametrize("points", ["-5,2", "-5,2,11,0", "0", "-5,2,12", "11,2,-5"])
def test_wrong_points_are_a_problem(points):
    assert get_problems(BY_COUNT.replace("= -5,2,11", f"= {points}")) == [(6, "The points are -5,2,11.")]


@pytest.mark.parametrize("points", ["= -5,2,11", "=-5,2,11", "=   -5, 2, 11", "= -5,2,11 # close"])
def test_points_may_be_spaced(points):
    assert get_problems(BY_COUNT.replace("= -5,2,11", points)) == []


@pytest.mark.parametrize("points", ["=", "= x", "= 1,,2", "= 1;2", "===", "= -5,2,11 ! score", "= 5.0", "= ٣"])
def test_points_that_are_not_numbers_raise_an_error(points):
    assert get_error_line(BY_COUNT.replace("= -5,2,11", points)) == 6


@pytest.mark.parametrize("points", ["= - 5,2,11", "= -5,2,1 1"])
def test_a_number_ends_at_a_space(points):
    assert get_error_line(BY_COUNT.replace("= -5,2,11", points)) == 6
    assert replay(BY_COUNT.replace("= -5,2,11", "= -5, 2 , 11")).problems == ()


def test_totals_can_be_compared_at_any_time():
    assert get_problems(build_text("== 0,0,0")) == []
    assert get_problems(BY_COUNT + "extend seat=2 card=34\n== -5,2,11\n") == []
    assert get_problems(BY_COUNT + "extend seat=2 card=34\n== -5,2,12\n") == [(8, "The points are -5,2,11.")]


def test_points_before_a_round_has_ended_are_a_problem():
    assert get_problems(build_text("= 0,0,0")) == [(3, "No round has been finished here.")]
    assert get_problems(BY_COUNT + "extend seat=2 card=34\n= -5,2,11\n") == [(8, "No round has been finished here.")]


# Rounds


def test_entries_belong_to_the_next_round_once_one_is_over():
    result = replay(BY_COUNT + "extend seat=2 card=34\n")
    assert [verdict.round for verdict in result.verdicts] == [1, 1, 1, 1, 2]
    assert result.match.get_round(2).state.row == (34,)


def test_an_extra_round_is_refused_unless_insisted_on():
    text = build_text("option rounds=1", *BY_COUNT.splitlines()[2:5], "extend seat=2 card=34")
    assert [line for line, _problem in get_problems(text)] == [7]
    assert get_problems(text.replace("card=34", "card=34 ! match")) == []
    assert get_problems(text.replace("card=34", "card=34 ~ match\nextend seat=0 card=41")) == []


def test_counts_replace_a_round_that_is_being_refereed():
    result = replay(build_text("extend seat=1 card=34", *BY_COUNT.splitlines()[2:]))
    assert result.problems == ()
    assert result.rounds[0].state.row == (34,)


def test_the_dealer_is_seat_0_unless_the_file_says_otherwise():
    assert replay(build_text()).match.get_round(1).state.turn == 1
    assert replay(build_text("option dealer=1")).match.get_round(1).state.turn == 2
    assert replay(build_text("option dealer=2")).match.get_round(1).state.turn == 0


# Unreadable notation


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("\n\n# nothing but a comment\n", 1),
        ("seats 3\n", 1),
        ("game\nseats 3\n", 1),
        ("game take-That\nseats 3\n", 1),
        ("game take-that extra\nseats 3\n", 1),
        ("# a comment\n\ngame nothing\nseats 3\n", 3),
        ("game take-that\n", 1),
        ("game take-that\nseats\n", 2),
        ("game take-that\nseats three\n", 2),
        ("game take-that\nseats 3 4\n", 2),
        ("game take-that\nseats 1\n", 2),
        ("game take-that\nseats 5\noption rounds=1\n", 2),
        ("game take-that\nseats -1\n", 2),
        ("game take-that\nseats 999999999\n", 2),
        ("game take-that\nseats 3\nextend seat=1 card=34 x\n", 3),
        ("game take-that\nseats 3\noption\n", 3),
        ("game take-that\nseats 3\noption rounds=3 ! match\n", 3),
        ("game take-that\nseats 3 ~ players\n", 2),
        ("game take-that\nseats 3\nseats 4\n", 2),
        ("game the-game\ngame take-that\nseats 3\n", 1),
        ("game take-that\nseats 3\n~\n", 3),
        ("game take-that\nseats 3\n! turn\n", 3),
        ("game take-that\nseats 3\nround 3\n", 3),
        ("game take-that\nseats 3\nround 0\n", 3),
        ("game take-that\nseats 3\nround\n", 3),
        ("game take-that\nseats 3\nround x\n", 3),
        ("game take-that\nseats 3\noption rounds\n", 3),
        ("game take-that\nseats 3\noption =3\n", 3),
        ("game take-that\nseats 3\noption rounds=x\noption professional=yes\n", 3),
        ("game take-that\noption rounds=0\nseats 3\n", 2),
        ("game take-that\noption dealer=3\nseats 3\n", 2),
        ("game take-that\noption colour=red\nseats 3\n", 2),
        ("game take-that\nseats 3\noption rounds=1 rounds=2\n", 3),
        ("game take-that\nseats 3\noption rounds=1\noption rounds=1\n", 4),
        ("game take-that\nseats 3\nextend seat=1 card=34\nseats 3\n", 4),
        ("game take-that\nseats 3\nextend seat=1 card=34\ngame take-that\n", 4),
        ("game take-that\nseats 3\nextend seat=1 card=34\noption rounds=1\n", 4),
        ("extend seat=1 card=34\ngame take-that\nseats 3\n", 1),
        ("game take-that\nseats 3\nextend seat=1 card\n", 3),
        ("game take-that\nseats 3\nextend seat=1 card=\n", 3),
        ("game take-that\nseats 3\nextend seat=1 =34\n", 3),
        ("game take-that\nseats 3\nextend seat=1 card = 34\n", 3),
        ("game take-that\nseats 3\nextend seat=1\n", 3),
        ("game take-that\nseats 3\nextend seat=1 card=34 card=34\n", 3),
        ("game take-that\nseats 3\nextend seat=1 card=34 colour=red\n", 3),
        ("game take-that\nseats 3\nextend seat=1 card=" + "9" * 5_000 + "\n", 3),
        ("game take-that\nseats 3\nplace seat=1 card=34 row=up-1\n", 3),
        ("game take-that\nseats 3\nconfirm\n", 3),
        ("game take-that\nseats 3\nundo target=1\n", 3),
        ("game take-that\nseats 3\n! deck\n", 3),
        ("game take-that\nseats 3\n\ud800 seat=1\n", 3),
        ("game take-that\nseats 3\n\x00\n", 3),
    ],
)
def test_an_unreadable_line_is_reported_with_its_number(text, line):
    assert get_error_line(text) == line


def test_a_file_that_is_too_long_is_rejected():
    assert get_error_line("#" * (MAX_FILE_LENGTH + 1)) == 1


# Lines


@pytest.mark.parametrize(
    "text",
    [
        BY_PLAY.replace("\n", "\r\n"),
        "\ufeff" + BY_PLAY,
        "\ufeff" + BY_PLAY.replace("\n", "\r\n"),
        BY_PLAY.rstrip("\n"),
        BY_PLAY.replace("\n", "   # a comment\n"),
        BY_PLAY.replace("\n", "\t\n"),
        BY_PLAY.replace(" ", "   "),
        BY_PLAY.replace("option professional=yes\n", "").replace("game", "option professional=yes\ngame"),
        BY_PLAY.replace("seats 3\noption professional=yes", "option professional=yes\nseats 3"),
    ],
)
def test_line_ends_marks_comments_and_spaces_make_no_difference(text):
    result, plain = replay(text), replay(BY_PLAY)
    assert result.problems == ()
    assert result.match.options == plain.match.options
    assert result.match.get_round(1).state == plain.match.get_round(1).state
    assert [verdict.line for verdict in result.verdicts] == [4, 5, 6, 7, 8]


def test_blank_lines_and_comments_count_as_lines():
    text = "# first\n\n" + BY_PLAY.replace("extend seat=2 card=41\n", "\n# here\nextend seat=2 card=41\n")
    assert [verdict.line for verdict in replay(text).verdicts] == [6, 9, 10, 11, 12]


# Writing


def build_finished_round():
    """Return the notation of a round in which everybody makes the first legal play."""
    game = GAMES["take-that"]
    state, lines = game.referee.setup(game.options.cls(), 3, 0), []
    while not state.is_over:
        play = next(play for play in game.referee.candidates(state) if not list(game.referee.judge(state, play)))
        kind = game.get_kind(play)
        lines.append(f"{kind} seat={play.seat}" + (f" card={play.card}" if hasattr(play, "card") else ""))
        state = game.referee.apply(state, play)
    return build_text(*lines)


ENDED = build_finished_round()


def read_match(text):
    return replay(text).match


def rewrite(match):
    """Return the match after a round trip through notation, and check its scores."""
    result = replay(write_notation(match))
    assert result.problems == (), (write_notation(match), [str(verdict.problem) for verdict in result.problems])
    assert [round_.sheet for round_ in result.rounds] == [round_.sheet for round_ in get_scored_rounds(match)]
    assert result.match.standing_after(result.rounds) == match.standing_after(get_scored_rounds(match))
    return result.match


def test_a_match_is_written_as_it_would_be_typed():
    assert write_notation(read_match(BY_COUNT)) == BY_COUNT
    assert write_notation(read_match(BY_PLAY)) == BY_PLAY.replace("extend seat=0 card=55 ! extend-within-ten\n", "")


def test_options_are_written_unless_they_are_defaults():
    match = read_match(build_text("option dealer=2 rounds=3", "option professional=yes"))
    assert write_notation(match) == build_text("option dealer=2", "option professional=yes", "option rounds=3")


def test_a_reopened_round_is_written_before_the_next():
    match = fold_actions(
        Match(GAMES["take-that"], GAMES["take-that"].options.cls(), 3),
        (
            Action(1, 1, "extend", {"seat": "1", "card": "34"}),
            Action(2, 2, "extend", {"seat": "2", "card": "41"}),
            Action(3, 2, "count", {"seat": "0", "face_up": "2", "face_down": "1", "toads": "0"}),
        ),
    )
    assert "round 2\nextend seat=2" in write_notation(match)
    rewritten = rewrite(match)
    assert [len(rewritten.get_round(number).plays) for number in (1, 2)] == [1, 1]
    assert len(rewritten.get_round(2).counts) == 1


def test_a_round_that_was_struck_out_is_left_open():
    match = fold_actions(
        Match(GAMES["take-that"], GAMES["take-that"].options.cls(), 3),
        tuple(
            Action(seat + 1, 2, "count", {"seat": str(seat), "face_up": "2", "face_down": "20", "toads": "0"})
            for seat in range(3)
        ),
    )
    rewritten = rewrite(match)
    assert [played.number for played in rewritten.unfinished_rounds] == [1]
    assert list(rewritten.rounds) == [2]


def test_a_play_insisted_on_is_written_with_its_rules():
    text = build_text("extend seat=2 card=34 ~ turn", "extend seat=1 card=45 ~ turn,extend-within-ten")
    assert write_notation(read_match(text)) == text
    assert rewrite(read_match(text)).get_round(1).state == read_match(text).get_round(1).state


def build_match(*lines, game="take-that", seats=3):
    log = Log.empty(GAMES[game], GAMES[game].options.cls(), seats)
    for line in lines:
        entry, _mark, rules = line.partition("~")
        kind, *pairs = entry.split()
        words = dict(pair.split("=", 1) for pair in pairs)
        log = log.append(Entry(len(log.entries) + 1, kind, words, log.match.current_number, tuple(rules.split())))
    return log.match


def test_an_illegal_play_is_written_as_insisted_on():
    """After a correction 49 is too far away, but stays in the row."""
    match = build_match(
        "extend seat=1 card=34",
        "extend seat=2 card=41",
        "extend seat=0 card=49",
        "correct target=2 kind=extend seat=2 card=35",
    )
    assert match.invalid_steps != ()
    assert "extend seat=0 card=49 ~ extend-within-ten\n" in write_notation(match)
    assert rewrite(match).get_round(1).state == match.get_round(1).state


def test_steps_without_effect_are_left_out():
    match = build_match(
        "extend seat=1 card=34",
        "extend seat=2 card=41",
        "reverse seat=0 card=14",
        "correct target=2 kind=extend seat=2 card=42",
    )
    assert write_notation(match) == build_text("extend seat=1 card=34", "extend seat=2 card=42")
    assert rewrite(match).get_round(1).state == match.get_round(1).state


def test_a_play_that_became_legal_is_written_without_a_mark():
    match = build_match(
        "extend seat=1 card=34",
        "extend seat=2 card=55 ~ extend-within-ten",
        "correct target=1 kind=extend seat=1 card=48",
    )
    assert write_notation(match) == build_text("extend seat=1 card=48", "extend seat=2 card=55")
    assert rewrite(match).invalid_steps == ()


def test_counts_that_replaced_an_ended_round_are_scored():
    stuck = ("place seat=0 card=99 row=up-1", "stuck seat=0")
    match = build_match(*stuck, "count left=40", game="the-game")
    assert match.standing.totals == (40,)
    assert rewrite(match).standing.totals == (40,)


def test_counts_that_did_not_replace_an_ended_round_are_not_scored():
    match = read_match(ENDED)
    number = 200
    assert match.get_round(1).is_over
    match = match.record(Action(number, 1, "count", {"seat": "0", "face_up": "0", "face_down": "79", "toads": "7"}))
    rewritten = rewrite(match)
    assert list(rewritten.rounds) == [1]


def test_rounds_after_a_replaced_round_are_unchanged():
    counts = BY_COUNT.splitlines()[2:5]
    match = read_match(ENDED)
    for number, line in enumerate((*counts, *counts), 200):
        kind, *pairs = line.split()
        match = match.record(Action(number, 1 if number < 203 else 2, kind, dict(pair.split("=") for pair in pairs)))
    assert match.standing.totals == (-10, 4, 22)
    assert rewrite(match).standing_after(get_scored_rounds(match)).totals == (-10, 4, 22)


def test_confirmations_are_not_written():
    match = build_match("count left=9", game="the-game")
    ended = read_match("game the-game\nseats 3\nplace seat=0 card=99 row=up-1\nstuck seat=0 ~ game-end\n")
    assert write_notation(ended.record(Action(9, 1, EntryKind.CONFIRM, {}))) == write_notation(ended)
    assert write_notation(match) == "game the-game\nseats 3\ncount left=9\n= 9\n"


def test_a_match_without_entries_is_written_as_its_header():
    assert write_notation(Match(GAMES["the-game"], GAMES["the-game"].options.cls(), 2)) == "game the-game\nseats 2\n"
    assert rewrite(replace(Match(GAMES["the-game"], GAMES["the-game"].options.cls(), 2))).rounds == {}


# The manual


def test_the_reference_puts_optional_fields_in_brackets():
    lines = describe_notation(GAMES["take-that"]).splitlines()
    assert lines[:2] == ["game take-that", "seats 2..4"]
    assert "option professional=yes|no" in lines
    assert "take seat=number [penalty=number]" in lines
    assert "count seat=number face_up=number face_down=number toads=number [hand=number]" in lines
    assert (
        "place seat=number card=number row=up-1|up-2|down-1|down-2" in describe_notation(GAMES["the-game"]).splitlines()
    )


# Quoted texts


@dataclass(frozen=True)
class NamedOptions(GAMES["take-that"].options.cls):
    """Options with a text field, as in Any Game."""

    title: str = field(_("Name"), max_length=40, default="")


NAMED = replace(
    GAMES["take-that"],
    about=replace(GAMES["take-that"].about, slug="named"),
    options=replace(GAMES["take-that"].options, cls=NamedOptions),
)


@pytest.mark.parametrize(
    "title",
    ["Canasta", "Ticket to Ride", '"Ride"', "7 Wonders # 2", "Yes! ~ no", "a=b", "\\", '\\"', "Ζωή & Σία", "=1", "x,y"],
)
def test_a_quoted_text_survives_a_round_trip(title):
    match = Match(NAMED, NamedOptions(title=title), 2).record(Action(1, 1, "extend", {"seat": "1", "card": "34"}))
    result = replay_notation(write_notation(match), {"named": NAMED})
    assert result.match.options.title == title
    assert result.problems == () and result.match.get_round(1).state == match.get_round(1).state
    assert write_notation(result.match) == write_notation(match)


def test_a_comment_may_follow_a_quoted_text():
    text = 'game named\nseats 2\noption title="A # B" rounds=3 # really "so"\nextend seat=1 card=34 # "\n'
    assert replay_notation(text, {"named": NAMED}).match.options == NamedOptions(title="A # B", rounds=3)


@pytest.mark.parametrize(
    "line",
    ['option title="A', 'option title="A"B"', 'option "title"=A', 'option title="A""', "option title=\ue0000\ue001"],
)
def test_an_unclosed_quote_raises_an_error(line):
    with pytest.raises(NotationError) as error:
        replay_notation(f"game named\nseats 2\n{line}\n", {"named": NAMED})
    assert error.value.line == 3


def test_options_that_do_not_fit_the_seats_raise_an_error():
    def check_seats(options, seats):
        if seats < 3:
            yield Violation(Rule.PLAYERS, Text("That needs three."))

    needs_three = replace(NAMED, options=replace(NAMED.options, check=check_seats))
    with pytest.raises(NotationError, match="needs three"):
        replay_notation("game named\nseats 2\n", {"named": needs_three})
