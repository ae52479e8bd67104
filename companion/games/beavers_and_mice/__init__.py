"""Beavers and Mice (Monty and Ann Stambler, AMIGO 2002)."""

from companion.core.game import About, Help, OptionSet, Pad, Referee, Scoring, Stats
from companion.core.game_builder import build_game
from companion.core.text import _
from companion.games.beavers_and_mice.board import build_board
from companion.games.beavers_and_mice.help import (
    COUNTING_RULES,
    build_paper_sheet,
    build_preparation,
    explain,
    get_relevant_rules,
)
from companion.games.beavers_and_mice.plays import (
    Count,
    Discard,
    Exchange,
    Knock,
    Options,
    Peek,
    Reshuffle,
    Reveal,
    Swap,
    Take,
    TurnUp,
    TwoChances,
    describe,
)
from companion.games.beavers_and_mice.positions import Turn, build_position
from companion.games.beavers_and_mice.rules import Rule, candidates, judge
from companion.games.beavers_and_mice.scoring import check_tally, round_count, score, tally
from companion.games.beavers_and_mice.state import apply, setup
from companion.games.beavers_and_mice.stats import FACT_KINDS, collect_facts

GAME = build_game(
    rules=Rule,
    about=About(
        slug="beavers-and-mice",
        title=_("Beavers and Mice"),
        summary=_("Four cards face down: remember them, lower them, and knock in time."),
        version=2,
        seats=range(2, 7),
        minutes=20,
    ),
    options=OptionSet(cls=Options),
    pad=Pad(counts={"count": Count}, check=check_tally, seat_rule=Rule.PLAYERS, count_rule=Rule.SCORE),
    scoring=Scoring(score=score, match_rule=Rule.ROUNDS, round_count=round_count, highest_wins=lambda options: False),
    referee=Referee(
        plays={
            "turn-up": TurnUp,
            "discard": Discard,
            "take": Take,
            "swap": Swap,
            "exchange": Exchange,
            "peek": Peek,
            "two-chances": TwoChances,
            "reshuffle": Reshuffle,
            "knock": Knock,
            "reveal": Reveal,
        },
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
        questions={"turn": Turn},
        position=build_position,
    ),
    stats=Stats(facts=collect_facts, fact_kinds=FACT_KINDS),
)
