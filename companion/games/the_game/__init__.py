"""The Game (Steffen Benndorf, NSV 2015)."""

from companion.core.game import About, Help, OptionSet, Pad, Referee, Stats
from companion.core.game_builder import build_game
from companion.core.scoring import Scoring
from companion.core.text import _
from companion.games.the_game import board, help, plays, positions, rules, scoring, state, stats

GAME = build_game(
    rules=rules.Rule,
    about=About(
        slug="the-game",
        title=_("The Game"),
        summary=_("All together against the deck: two rows up, two rows down, 98 cards."),
        version=1,
        seats=range(1, 6),
        minutes=20,
    ),
    options=OptionSet(cls=plays.Options),
    pad=Pad(
        counts={"count": plays.Count},
        check=scoring.check_tally,
        progress=scoring.get_progress,
        count_rule=rules.Rule.GAME_END,
    ),
    scoring=Scoring(
        score=scoring.score,
        match_rule=rules.Rule.GAME_END,
        round_count=lambda options, seats: 1,
        highest_wins=lambda options: False,
        is_won_together=scoring.is_won_together,
    ),
    referee=Referee(
        plays={"place": plays.PlaceCard, "end-turn": plays.EndTurn, "stuck": plays.Stuck},
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
        questions={"card": positions.RowsAndHand},
        position=positions.build_position,
    ),
    stats=Stats(facts=stats.collect_facts, fact_kinds=stats.FACT_KINDS),
)
