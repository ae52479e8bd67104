"""Muzicando (2013)."""

from companion.core.game import About, Help, OptionSet, Pad, Referee, Scoring, Stats
from companion.core.game_builder import build_game
from companion.core.text import Text, _
from companion.games.muzicando.board import build_board
from companion.games.muzicando.help import (
    COUNTING_RULES,
    build_paper_sheet,
    build_preparation,
    explain,
    get_relevant_rules,
)
from companion.games.muzicando.plays import Call, Choose, Deal, Foul, Lay, Options, Pass, Stop, describe
from companion.games.muzicando.positions import LastAndBid, TableauAndCard, build_position
from companion.games.muzicando.rules import Rule, candidates, check_options, judge
from companion.games.muzicando.scoring import check_tally, get_progress, score, tally
from companion.games.muzicando.state import apply, setup
from companion.games.muzicando.stats import FACT_KINDS, collect_facts

GAME = build_game(
    rules=Rule,
    about=About(
        slug="muzicando",
        title=Text("Muzicando"),
        summary=_("Scales in seven colours: bid for a kind, and be the first to lay every card."),
        version=2,
        seats=range(2, 9),
        minutes=50,
    ),
    options=OptionSet(cls=Options, check=check_options),
    pad=Pad(
        counts={"deal": Deal},
        check=check_tally,
        progress=get_progress,
        seat_rule=Rule.PLAYERS,
        count_rule=Rule.SCORE,
    ),
    scoring=Scoring(
        score=score,
        match_rule=Rule.DEALS,
        sides=lambda options, seats: options.sides(seats),
        round_count=lambda options, seats: options.deals(seats),
    ),
    referee=Referee(
        plays={"bid": Call, "choose": Choose, "pass": Pass, "lay": Lay, "stop": Stop, "foul": Foul},
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
        questions={"card": TableauAndCard, "bid": LastAndBid},
        position=build_position,
    ),
    stats=Stats(facts=collect_facts, fact_kinds=FACT_KINDS),
)
