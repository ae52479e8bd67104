"""Sideboards (Hartwig Jakubik, NSV 2024)."""

from companion.core.game import Game
from companion.core.text import _
from companion.games.sideboards.board import build_board, build_picture
from companion.games.sideboards.card_position import CardToLay
from companion.games.sideboards.help import COUNTING_RULES, explain, get_relevant_rules
from companion.games.sideboards.pad_checks import check_tally
from companion.games.sideboards.plays import ColourGoal, Count, HandleGoal, Options, PlaceCard, RowGoal, Swap, describe
from companion.games.sideboards.positions import PatternOnDrawers, build_position
from companion.games.sideboards.preparation import build_paper_sheet, build_preparation
from companion.games.sideboards.presets import list_presets
from companion.games.sideboards.rules import Rule, candidates, check_options, judge
from companion.games.sideboards.scoring import score, sides, standing, tally
from companion.games.sideboards.state import apply, setup
from companion.games.sideboards.stats import FACT_KINDS, collect_facts

GAME = Game(
    slug="sideboards",
    title=_("Sideboards"),
    summary=_("Build a sideboard out of eight cards: five colours, three handles and three goals."),
    version=2,
    seats=range(1, 7),
    minutes=15,
    options=Options,
    plays={"place": PlaceCard, "swap": Swap},
    counts={"count": Count},
    rules=Rule,
    match_rule=Rule.MATCH,
    sides=sides,
    round_count=lambda options, seats: options.rounds,
    setup=setup,
    judge=judge,
    apply=apply,
    candidates=candidates,
    is_round_over=lambda state: state.is_over,
    tally=tally,
    check_tally=check_tally,
    progress=lambda counts: None,
    score=score,
    standing=standing,
    board=build_board,
    describe=describe,
    explain=explain,
    relevant_rules=get_relevant_rules,
    counting_rules=COUNTING_RULES,
    preparation=build_preparation,
    paper_sheet=build_paper_sheet,
    questions={"pattern": PatternOnDrawers, "card": CardToLay},
    position=build_position,
    picture=build_picture,
    can_score_single_count=False,
    check_options=check_options,
    settings={"colour-goal": ColourGoal, "handle-goal": HandleGoal, "row-goal": RowGoal},
    presets=list_presets,
    facts=collect_facts,
    fact_kinds=FACT_KINDS,
)
