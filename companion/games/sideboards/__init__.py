"""Sideboards (Hartwig Jakubik, NSV 2024)."""

from companion.core.game import About, Help, OptionSet, Pad, Referee, Stats
from companion.core.game_builder import build_game
from companion.core.scoring import Scoring
from companion.core.text import _
from companion.games.sideboards import board, help, plays, positions, rules, scoring, state, stats

GAME = build_game(
    rules=rules.Rule,
    about=About(
        slug="sideboards",
        title=_("Sideboards"),
        summary=_("Build a sideboard out of eight cards: five colours, three handles and three goals."),
        version=2,
        seats=range(1, 7),
        minutes=15,
    ),
    options=OptionSet(
        cls=plays.Options,
        check=rules.check_options,
        settings={"colour-goal": plays.ColourGoal, "handle-goal": plays.HandleGoal, "row-goal": plays.RowGoal},
        presets=plays.list_presets,
    ),
    pad=Pad(
        counts={"count": plays.Count},
        check=scoring.check_tally,
        picture=board.build_picture,
        count_rule=rules.Rule.TOTAL,
    ),
    scoring=Scoring(score=scoring.score, match_rule=rules.Rule.MATCH),
    referee=Referee(
        plays={"place": plays.PlaceCard, "swap": plays.Swap},
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
        questions={"pattern": positions.PatternOnDrawers, "card": positions.CardToLay},
        position=positions.build_position,
    ),
    stats=Stats(facts=stats.collect_facts, fact_kinds=stats.FACT_KINDS),
)
