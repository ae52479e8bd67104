"""Take That (Andreas Spies and Reinhard Staupe, NSV 2016)."""

from companion.core.game import About, Help, OptionSet, Pad, Referee, Stats
from companion.core.game_builder import build_game
from companion.core.scoring import Scoring
from companion.core.text import _
from companion.games.take_that import board, help, plays, positions, rules, scoring, state, stats

GAME = build_game(
    rules=rules.Rule,
    about=About(
        slug="take-that",
        title=_("Take That"),
        summary=_("Keep the row growing, reverse your way out, and mind the toads."),
        version=1,
        seats=range(2, 5),
        minutes=20,
    ),
    options=OptionSet(cls=plays.Options),
    pad=Pad(
        counts={"count": plays.Count},
        check=scoring.check_tally,
        progress=scoring.get_progress,
        count_rule=rules.Rule.SCORE,
    ),
    scoring=Scoring(score=scoring.score, match_rule=rules.Rule.MATCH),
    referee=Referee[plays.Options, state.State, plays.Play, plays.Count, board.Board](
        plays={"extend": plays.Extend, "reverse": plays.Reverse, "take": plays.Take},
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
        questions={"card": positions.RowAndCard},
        position=positions.build_position,
    ),
    stats=Stats(facts=stats.collect_facts, fact_kinds=stats.FACT_KINDS),
)
