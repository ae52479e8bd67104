"""Take That (Andreas Spies and Reinhard Staupe, NSV 2016)."""

from companion.core.game import About, Help, OptionSet, Pad, Referee, Scoring, Stats
from companion.core.game_builder import build_game
from companion.core.text import _
from companion.games.take_that.board import Board, build_board
from companion.games.take_that.help import (
    COUNTING_RULES,
    build_paper_sheet,
    build_preparation,
    explain,
    get_relevant_rules,
)
from companion.games.take_that.plays import Count, Extend, Options, Play, Reverse, Take, describe
from companion.games.take_that.positions import RowAndCard, build_position
from companion.games.take_that.rules import Rule, candidates, judge
from companion.games.take_that.scoring import check_tally, get_progress, score, tally
from companion.games.take_that.state import State, apply, setup
from companion.games.take_that.stats import FACT_KINDS, collect_facts

GAME = build_game(
    rules=Rule,
    about=About(
        slug="take-that",
        title=_("Take That"),
        summary=_("Keep the row growing, reverse your way out, and mind the toads."),
        version=1,
        seats=range(2, 5),
        minutes=20,
    ),
    options=OptionSet(cls=Options),
    pad=Pad(
        counts={"count": Count},
        check=check_tally,
        progress=get_progress,
        seat_rule=Rule.PLAYERS,
        count_rule=Rule.SCORE,
    ),
    scoring=Scoring(score=score, match_rule=Rule.MATCH),
    referee=Referee[Options, State, Play, Count, Board](
        plays={"extend": Extend, "reverse": Reverse, "take": Take},
        setup=setup,
        judge=judge,
        apply=apply,
        candidates=candidates,
        is_round_over=lambda state: state.is_over,
        tally=tally,
        board=build_board,
    ),
    help=Help(
        describe=describe,
        explain=explain,
        relevant_rules=get_relevant_rules,
        counting_rules=COUNTING_RULES,
        preparation=build_preparation,
        paper_sheet=build_paper_sheet,
        questions={"card": RowAndCard},
        position=build_position,
    ),
    stats=Stats(facts=collect_facts, fact_kinds=FACT_KINDS),
)
