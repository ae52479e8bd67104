"""Any Game: score sheets for games without a folder of their own."""

from companion.core.game import About, Help, OptionSet, Pad, Scoring
from companion.core.game_builder import build_game
from companion.core.text import Text, _
from companion.games.any_game.help import COUNTING_RULES, build_paper_sheet, build_preparation
from companion.games.any_game.plays import Count, Options, describe, list_presets
from companion.games.any_game.rules import Rule, check_options
from companion.games.any_game.scoring import check_tally, highest_wins, round_count, score, sides, standing

TITLE = _("Any Game")

GAME = build_game(
    rules=Rule,
    about=About(
        slug="any-game",
        title=TITLE,
        summary=_("For everything else on your shelf: give it a name, and the score sheet is ready."),
        version=1,
        seats=range(1, 13),
    ),
    options=OptionSet(
        cls=Options,
        check=check_options,
        presets=list_presets,
        table_title=lambda options: Text("{name}", (("name", options.name),)) if options.name else TITLE,
    ),
    pad=Pad(counts={"count": Count}, check=check_tally, seat_rule=Rule.PLAYERS, count_rule=Rule.POINTS),
    scoring=Scoring(
        score=score,
        standing=standing,
        match_rule=Rule.END,
        sides=sides,
        round_count=round_count,
        highest_wins=highest_wins,
    ),
    help=Help(
        describe=describe,
        counting_rules=COUNTING_RULES,
        preparation=build_preparation,
        paper_sheet=build_paper_sheet,
    ),
)
