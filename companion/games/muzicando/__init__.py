"""Muzicando (2013)."""

from companion.core.game import About, Help, OptionSet, Pad, Referee, Stats
from companion.core.game_builder import build_game
from companion.core.scoring import Scoring
from companion.core.text import Text, _
from companion.games.muzicando import board, help, plays, positions, rules, scoring, state, stats

GAME = build_game(
    rules=rules.Rule,
    about=About(
        slug="muzicando",
        title=Text("Muzicando"),
        summary=_("Scales in seven colours: bid for a kind, and be the first to lay every card."),
        version=2,
        seats=range(2, 9),
        minutes=50,
    ),
    options=OptionSet(cls=plays.Options, check=rules.check_options),
    pad=Pad(
        counts={"deal": plays.Deal},
        check=scoring.check_tally,
        progress=scoring.get_progress,
        count_rule=rules.Rule.SCORE,
    ),
    scoring=Scoring(
        score=scoring.score,
        match_rule=rules.Rule.DEALS,
        sides=lambda options, seats: options.sides(seats),
        round_count=lambda options, seats: options.deals(seats),
    ),
    referee=Referee(
        plays={
            "bid": plays.Call,
            "choose": plays.Choose,
            "pass": plays.Pass,
            "lay": plays.Lay,
            "stop": plays.Stop,
            "foul": plays.Foul,
        },
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
        questions={"card": positions.TableauAndCard, "bid": positions.LastAndBid},
        position=positions.build_position,
    ),
    stats=Stats(facts=stats.collect_facts, fact_kinds=stats.FACT_KINDS),
)
