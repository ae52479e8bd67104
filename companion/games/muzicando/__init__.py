"""Muzicando (2013): the record that the rest of the app knows it by."""

from companion.core.game import Game
from companion.core.text import Text, _
from companion.games.muzicando.board import board
from companion.games.muzicando.help import COUNTING, matters, permit
from companion.games.muzicando.plays import Call, Choose, Deal, Foul, Lay, Options, Pass, Stop, describe
from companion.games.muzicando.positions import LastAndBid, TableauAndCard, ask
from companion.games.muzicando.preparation import form, prepare
from companion.games.muzicando.rules import Rule, candidates, judge
from companion.games.muzicando.scoring import check, check_options, score, so_far, standing, tally
from companion.games.muzicando.state import apply, setup
from companion.games.muzicando.stats import FACT_KINDS, facts

GAME = Game(
    slug="muzicando",
    title=Text("Muzicando"),
    summary=_("Scales in seven colours: bid for a kind, and be the first to lay every card."),
    version=2,
    seats=range(2, 9),
    minutes=50,
    options=Options,
    plays={"bid": Call, "choose": Choose, "pass": Pass, "lay": Lay, "stop": Stop, "foul": Foul},
    counts={"deal": Deal},
    rules=Rule,
    match_rule=Rule.DEALS,
    sides=lambda options, seats: options.sides(seats),
    round_count=lambda options, seats: options.deals(seats),
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
    check_options=check_options,
    explain=permit,
    relevant_rules=matters,
    counting_rules=COUNTING,
    preparation=prepare,
    paper_sheet=form,
    questions={"card": TableauAndCard, "bid": LastAndBid},
    position=ask,
    facts=facts,
    fact_kinds=FACT_KINDS,
)
