"""Match statistics of The Game."""

from collections.abc import Iterator

from companion.core.facts import Aggregation, Fact, FactKind, build_seat_facts
from companion.core.match import Match
from companion.core.match_facts import is_refereed, iter_plays
from companion.core.text import _
from companion.games.the_game.plays import Options, PlaceCard, Row
from companion.games.the_game.scoring import is_won_together
from companion.games.the_game.state import is_trick

FACT_KINDS = (
    FactKind("games", _("Games"), Aggregation.SUM),
    FactKind("beaten", _("Beaten"), Aggregation.SHARE, share_of="games"),
    FactKind("cards-left", _("Cards left"), Aggregation.MEAN),
    FactKind("tricks", _("Backwards tricks"), Aggregation.MEAN, needs_plays=True),
    FactKind("largest-gap", _("Largest gap"), Aggregation.MAX, needs_plays=True),
)


def collect_facts(options: Options, match: Match) -> Iterator[Fact]:
    """Yield the result for the table and each seat, and tricks and gaps for the seat that laid the card."""
    games = [match.standing_after((played,)) for played in match.finished_rounds]
    won = sum(is_won_together(options, game) for game in games)
    result = {"games": len(games), "beaten": won, "cards-left": match.standing.totals[0]}
    for name, value in result.items():
        yield Fact(name, value, None)
        yield from build_seat_facts(name, (value,) * match.seats)
    if is_refereed(match):
        yield from _iter_play_facts(match)


def _iter_play_facts(match: Match) -> Iterator[Fact]:
    """Yield tricks by seat, and the largest gap of each seat that has laid a card in the row's direction."""
    laid = [card for plays in iter_plays(match, PlaceCard) for card in _iter_laid_cards(plays)]
    tricks = [play.seat for play, top in laid if is_trick(play.row, top, play.card)]
    yield from build_seat_facts("tricks", map(tricks.count, range(match.seats)))
    for seat in range(match.seats):
        forward = [(play.card, top) for play, top in laid if play.seat == seat and _is_forward(play, top)]
        if forward:
            yield Fact("largest-gap", max(abs(card - top) - 1 for card, top in forward), seat)


def _is_forward(play: PlaceCard, top: int) -> bool:
    return play.card > top if play.row.is_ascending else play.card < top


def _iter_laid_cards(plays: tuple[PlaceCard, ...]) -> Iterator[tuple[PlaceCard, int]]:
    """Yield every card laid in a round, with the row's previous top card."""
    tops = {row: row.start for row in Row}
    for play in plays:
        yield play, tops[play.row]
        tops[play.row] = play.card
