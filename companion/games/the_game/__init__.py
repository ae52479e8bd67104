"""The Game (Steffen Benndorf, NSV 2015): the record that the rest of the app knows it by."""

from companion.core.game import Game
from companion.core.text import _
from companion.games.the_game.board import board
from companion.games.the_game.help import COUNTING, form, matters, permit
from companion.games.the_game.plays import Count, EndTurn, Options, Place, Stuck, describe
from companion.games.the_game.positions import RowsAndHand, ask
from companion.games.the_game.preparation import prepare
from companion.games.the_game.rules import Rule, candidates, judge
from companion.games.the_game.scoring import beaten, check, rounds, score, sides, so_far, standing, tally
from companion.games.the_game.state import apply, setup
from companion.games.the_game.stats import FACT_KINDS, facts

GAME = Game(
    slug="the-game",
    title=_("The Game"),
    summary=_("All together against the deck: two rows up, two rows down, 98 cards."),
    version=1,
    seats=range(1, 6),
    minutes=20,
    options=Options,
    plays={"place": Place, "end-turn": EndTurn, "stuck": Stuck},
    counts={"count": Count},
    rules=Rule,
    match_rule=Rule.GAME_END,
    sides=sides,
    round_count=rounds,
    setup=setup,
    judge=judge,
    apply=apply,
    candidates=candidates,
    is_round_over=lambda state: state.ending is not None,
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
    questions={"card": RowsAndHand},
    position=ask,
    highest_wins=lambda options: False,
    is_won_together=beaten,
    facts=facts,
    fact_kinds=FACT_KINDS,
)
