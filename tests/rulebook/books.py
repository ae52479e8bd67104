"""Games by the texts that they have; every text is optional."""

from companion.games import get_games
from companion.rulebook.loader import has_rulebook
from companion.rulebook.print_views import PRINT_KINDS


def list_games_with(book):
    return [game for game in get_games().values() if has_rulebook(game, book)]


WITH_RULEBOOK, WITH_REFERENCE = map(list_games_with, ("rulebook", "reference"))


def list_print_kinds(game):
    """Return what can be printed of a game: without a reference, nothing that is made of it."""
    missing = () if game in WITH_REFERENCE else ("reference", "booklet")
    return [kind for kind in PRINT_KINDS.values() if kind.slug not in missing]
