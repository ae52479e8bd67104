"""Take That (Andreas Spies and Reinhard Staupe, NSV 2016): the record that the rest of the app knows it by."""

from companion.core.game import Game
from companion.core.text import _
from companion.games.take_that.board import board
from companion.games.take_that.help import COUNTING, RowAndCard, ask, form, matters, permit, prepare
from companion.games.take_that.plays import Count, Extend, Options, Reverse, Take, describe
from companion.games.take_that.rules import Rule, candidates, judge
from companion.games.take_that.scoring import check, score, sides, so_far, standing, tally
from companion.games.take_that.state import apply, setup
from companion.games.take_that.stats import FACT_KINDS, facts

GAME = Game(
    slug="take-that",
    title=_("Take That"),
    summary=_("Keep the row growing, reverse your way out, and mind the toads."),
    version=1,
    seats=range(2, 5),
    minutes=20,
    options=Options,
    plays={"extend": Extend, "reverse": Reverse, "take": Take},
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
    progress=so_far,
    score=score,
    standing=standing,
    board=board,
    describe=describe,
    explain=permit,
    relevant_rules=matters,
    counting_rules=COUNTING,
    preparation=prepare,
    paper_sheet=form,
    questions={"card": RowAndCard},
    position=ask,
    facts=facts,
    fact_kinds=FACT_KINDS,
)
