"""Any Game: score sheets for games without a folder of their own."""

from companion.core.game import About, Help, OptionSet, Pad
from companion.core.game_builder import build_game
from companion.core.scoring import Scoring
from companion.core.text import Text, _
from companion.games.any_game import help, plays, rules, scoring

TITLE = _("Any Game")

GAME = build_game(
    rules=rules.Rule,
    about=About(
        slug="any-game",
        title=TITLE,
        summary=_("For everything else on your shelf: give it a name, and the score sheet is ready."),
        version=1,
        seats=range(1, 13),
    ),
    options=OptionSet(
        cls=plays.Options,
        check=rules.check_options,
        presets=plays.list_presets,
        table_title=lambda options: Text("{name}", (("name", options.name),)) if options.name else TITLE,
    ),
    pad=Pad(
        counts={"count": plays.Count},
        check=scoring.check_tally,
        count_rule=rules.Rule.POINTS,
    ),
    scoring=Scoring(
        score=scoring.score,
        match_rule=rules.Rule.END,
        sides=scoring.sides,
        round_count=scoring.round_count,
        highest_wins=scoring.highest_wins,
    ),
    help=Help(
        describe=plays.describe,
        counting_rules=help.COUNTING_RULES,
        preparation=help.build_preparation,
        paper_sheet=help.build_paper_sheet,
    ),
)
