"""Scoring of The Game, shared by pad, referee and calculator, and checks of its counts."""

from collections.abc import Iterator

from companion.core.game import Violation
from companion.core.scoring import ScoreLine, ScoreSheet, Standing
from companion.core.text import SeatName, Text, _, name_seats, ngettext
from companion.games.the_game.deck import DECK
from companion.games.the_game.plays import Count, Options
from companion.games.the_game.rules import Rule
from companion.games.the_game.state import Ending, State

EXCELLENT = 10
"""Fewer cards left than this is an excellent result."""


def tally(state: State) -> tuple[Count, ...]:
    return (Count(hands=state.hands, pile=state.pile, burnt=state.ending is Ending.BURNT),)


def score(options: Options, counts: tuple[Count, ...]) -> ScoreSheet:
    """Score the cards left in hands and pile (rule `score`)."""
    (count,) = counts
    held, pile = ScoreLine(_("in hand"), (sum(count.hands or ()),)), ScoreLine(_("draw pile"), (count.pile,))
    return ScoreSheet(() if count.hands is None else (held, pile), (count.total,), _build_verdict(count))


def is_won_together(options: Options, standing: Standing) -> bool:
    """Return whether all cards are laid (rule `score`)."""
    return standing.is_over and standing.totals == (0,)


def _build_verdict(count: Count) -> Text:
    if count.total == 0:
        return _("All 98 cards are laid: The Game is beaten!")
    if count.burnt:
        return ngettext("The fire wins: {n} card left.", "The fire wins: {n} cards left.", count.total)
    if count.total < EXCELLENT:
        return ngettext("Excellent: only {n} card left.", "Excellent: only {n} cards left.", count.total)
    return ngettext("{n} card left.", "{n} cards left.", count.total)


def get_progress(counts: tuple[Count, ...]) -> Text:
    return _("{n} of {deck} cards laid", n=len(DECK) - sum(count.total for count in counts), deck=len(DECK))


def check_tally(options: Options, seats: int, counts: tuple[Count, ...]) -> Iterator[Violation]:
    """Yield violations of a count entered by hand, binding if the deck makes it impossible."""
    for count in counts:
        if count.total > len(DECK):
            yield Violation(Rule.DECK, _("{n} cards are left of a deck of 98?", n=count.total), binding=True)
        elif min(count.left or 0, count.pile or 0, *(count.hands or (0,))) < 0:
            yield Violation(Rule.DECK, _("The number of cards can’t be negative."), binding=True)
        elif count.total > len(DECK) - options.minimum:
            message = _(
                "With {n} cards left nobody has played a turn, and every card fits on an empty row.", n=count.total
            )
            yield Violation(Rule.GAME_END, message)
        if count.burnt and count.total == 0:
            yield Violation(Rule.GAME_END, _("All 98 cards are laid: the fire has not won."), binding=True)
        if count.burnt and not options.on_fire:
            yield Violation(Rule.GAME_END, _("Nothing burns at this table: On Fire is not played."), binding=True)
        if count.hands is not None:
            yield from _check_hands(options, seats, count.hands, count)


def _check_hands(options: Options, seats: int, hands: tuple[int, ...], count: Count) -> Iterator[Violation]:
    if len(hands) != seats:
        message = _("Hands at this table: {n}, not {given}.", n=seats, given=len(hands))
        yield Violation(Rule.PLAYERS, message, binding=True)
        return
    full = options.hand(seats)
    for seat, held in enumerate(hands):
        if held > full:
            message = _("{name}: a hand has at most {most} cards, not {n}.", name=SeatName(seat), most=full, n=held)
            yield Violation(Rule.DEAL, message)
    if count.pile:
        yield from _check_drawn_hands(options, hands, full, is_burnt=count.burnt)


def _check_drawn_hands(options: Options, hands: tuple[int, ...], full: int, *, is_burnt: bool) -> Iterator[Violation]:
    """Check that while there is a pile, every hand is full except the one of the player who was stuck."""
    short = [seat for seat, held in enumerate(hands) if held < full]
    if len(short) > 1:
        names = name_seats(short)
        message = _("While the pile lasts, only one hand can be short, not {names}.", names=names)
        yield Violation(Rule.DRAW, message)
    elif short and not is_burnt and hands[short[0]] < full - options.minimum + 1:
        message = _(
            "{name} holds {n} of {full} cards: that was a whole turn, so it was not the end, or nothing was drawn.",
            name=SeatName(short[0]),
            n=hands[short[0]],
            full=full,
        )
        yield Violation(Rule.DRAW, message)
