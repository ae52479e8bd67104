"""The Game (Steffen Benndorf, NSV 2015)."""

from companion.core.game import About, Help, OptionSet, Pad, Referee, Scoring, Stats
from companion.core.game_builder import build_game
from companion.core.text import _
from companion.games.the_game.board import build_board
from companion.games.the_game.help import (
    COUNTING_RULES,
    build_paper_sheet,
    build_preparation,
    explain,
    get_relevant_rules,
)
from companion.games.the_game.plays import Count, EndTurn, Options, PlaceCard, Stuck, describe
from companion.games.the_game.positions import RowsAndHand, build_position
from companion.games.the_game.rules import Rule, candidates, judge
from companion.games.the_game.scoring import check_tally, get_progress, is_won_together, score, tally
from companion.games.the_game.state import apply, setup
from companion.games.the_game.stats import FACT_KINDS, collect_facts

GAME = build_game(
    rules=Rule,
    about=About(
        slug="the-game",
        title=_("The Game"),
        summary=_("All together against the deck: two rows up, two rows down, 98 cards."),
        version=1,
        seats=range(1, 6),
        minutes=20,
    ),
    options=OptionSet(cls=Options),
    pad=Pad(
        counts={"count": Count},
        check=check_tally,
        progress=get_progress,
        seat_rule=Rule.PLAYERS,
        count_rule=Rule.GAME_END,
    ),
    scoring=Scoring(
        score=score,
        match_rule=Rule.GAME_END,
        round_count=lambda options, seats: 1,
        highest_wins=lambda options: False,
        is_won_together=is_won_together,
    ),
    referee=Referee(
        plays={"place": PlaceCard, "end-turn": EndTurn, "stuck": Stuck},
        setup=setup,
        judge=judge,
        apply=apply,
        candidates=candidates,
        is_round_over=lambda state: state.ending is not None,
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
        questions={"card": RowsAndHand},
        position=build_position,
    ),
    stats=Stats(facts=collect_facts, fact_kinds=FACT_KINDS),
)
