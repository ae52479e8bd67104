"""Beavers and Mice (Monty and Ann Stambler, AMIGO 2002)."""

from companion.core.game import About, Help, OptionSet, Pad, Referee, Stats
from companion.core.game_builder import build_game
from companion.core.scoring import Scoring
from companion.core.text import _
from companion.games.beavers_and_mice import board, help, plays, positions, rules, scoring, state, stats

GAME = build_game(
    rules=rules.Rule,
    about=About(
        slug="beavers-and-mice",
        title=_("Beavers and Mice"),
        summary=_("Four cards face down: remember them, lower them, and knock in time."),
        version=2,
        seats=range(2, 7),
        minutes=20,
    ),
    options=OptionSet(cls=plays.Options),
    pad=Pad(
        counts={"count": plays.Count},
        check=scoring.check_tally,
        count_rule=rules.Rule.SCORE,
    ),
    scoring=Scoring(
        score=scoring.score,
        match_rule=rules.Rule.ROUNDS,
        round_count=scoring.round_count,
        highest_wins=lambda options: False,
    ),
    referee=Referee(
        plays={
            "turn-up": plays.TurnUp,
            "discard": plays.Discard,
            "take": plays.Take,
            "swap": plays.Swap,
            "exchange": plays.Exchange,
            "peek": plays.Peek,
            "two-chances": plays.TwoChances,
            "reshuffle": plays.Reshuffle,
            "knock": plays.Knock,
            "reveal": plays.Reveal,
        },
        setup=state.setup,
        judge=rules.judge,
        apply=state.apply,
        candidates=rules.candidates,
        tally=scoring.tally,
        board=board.build_board,
    ),
    help=Help(
        describe=plays.describe,
        explain=help.explain,
        relevant_rules=help.get_relevant_rules,
        counting_rules=help.COUNTING_RULES,
        preparation=help.build_preparation,
        paper_sheet=help.build_paper_sheet,
        questions={"turn": positions.Turn},
        position=positions.build_position,
    ),
    stats=Stats(facts=stats.collect_facts, fact_kinds=stats.FACT_KINDS),
)
