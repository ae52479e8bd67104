"""Sideboards (Hartwig Jakubik, NSV 2024)."""

from companion.core.game import About, Help, OptionSet, Pad, Referee, Scoring, Stats
from companion.core.game_builder import build_game
from companion.core.text import _
from companion.games.sideboards.board import build_board, build_picture
from companion.games.sideboards.card_position import CardToLay
from companion.games.sideboards.help import (
    COUNTING_RULES,
    build_paper_sheet,
    build_preparation,
    explain,
    get_relevant_rules,
)
from companion.games.sideboards.plays import (
    ColourGoal,
    Count,
    HandleGoal,
    Options,
    PlaceCard,
    RowGoal,
    Swap,
    describe,
    list_presets,
)
from companion.games.sideboards.positions import PatternOnDrawers, build_position
from companion.games.sideboards.rules import Rule, candidates, check_options, judge
from companion.games.sideboards.scoring import check_tally, score, standing, tally
from companion.games.sideboards.state import apply, setup
from companion.games.sideboards.stats import FACT_KINDS, collect_facts

GAME = build_game(
    rules=Rule,
    about=About(
        slug="sideboards",
        title=_("Sideboards"),
        summary=_("Build a sideboard out of eight cards: five colours, three handles and three goals."),
        version=2,
        seats=range(1, 7),
        minutes=15,
    ),
    options=OptionSet(
        cls=Options,
        check=check_options,
        settings={"colour-goal": ColourGoal, "handle-goal": HandleGoal, "row-goal": RowGoal},
        presets=list_presets,
    ),
    pad=Pad(
        counts={"count": Count},
        check=check_tally,
        picture=build_picture,
        seat_rule=Rule.PLAYERS,
        count_rule=Rule.TOTAL,
    ),
    scoring=Scoring(score=score, standing=standing, match_rule=Rule.MATCH),
    referee=Referee(
        plays={"place": PlaceCard, "swap": Swap},
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
        questions={"pattern": PatternOnDrawers, "card": CardToLay},
        position=build_position,
    ),
    stats=Stats(facts=collect_facts, fact_kinds=FACT_KINDS),
)
