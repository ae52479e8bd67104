"""Sideboards (Hartwig Jakubik, NSV 2024): the record that the rest of the app knows it by."""

from companion.core.game import Game
from companion.core.text import _
from companion.games.sideboards.board import board, picture_of
from companion.games.sideboards.card_position import CardToLay
from companion.games.sideboards.help import COUNTING, matters, permit
from companion.games.sideboards.pad_checks import check
from companion.games.sideboards.plays import ColourGoal, Count, HandleGoal, Options, Place, RowGoal, Swap, describe
from companion.games.sideboards.positions import PatternOnDrawers, ask
from companion.games.sideboards.preparation import form, prepare
from companion.games.sideboards.presets import keeps
from companion.games.sideboards.rules import Rule, candidates, check_options, judge
from companion.games.sideboards.scoring import score, sides, standing, tally
from companion.games.sideboards.state import apply, setup
from companion.games.sideboards.stats import FACT_KINDS, facts

GAME = Game(
    slug="sideboards",
    title=_("Sideboards"),
    summary=_("Build a sideboard out of eight cards: five colours, three handles and three goals."),
    version=2,
    seats=range(1, 7),
    minutes=15,
    options=Options,
    plays={"place": Place, "swap": Swap},
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
    check_tally=check,
    progress=lambda counts: None,
    score=score,
    standing=standing,
    board=board,
    describe=describe,
    explain=permit,
    relevant_rules=matters,
    counting_rules=COUNTING,
    preparation=prepare,
    paper_sheet=form,
    questions={"pattern": PatternOnDrawers, "card": CardToLay},
    position=ask,
    picture=picture_of,
    can_score_single_count=False,
    check_options=check_options,
    settings={"colour-goal": ColourGoal, "handle-goal": HandleGoal, "row-goal": RowGoal},
    presets=keeps,
    facts=facts,
    fact_kinds=FACT_KINDS,
)
