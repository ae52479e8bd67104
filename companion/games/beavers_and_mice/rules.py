"""Rules of Beavers and Mice: violations, and the plays worth trying."""

from collections import Counter
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from itertools import product

from companion.core import refusals
from companion.core.game import Violation
from companion.core.text import SeatName, _, name_seats, ngettext
from companion.games.beavers_and_mice import plays
from companion.games.beavers_and_mice.deck import NUMBERS, ROW, Face, Revealed
from companion.games.beavers_and_mice.state import State


class Rule(StrEnum):
    """Rules that a violation can name; each is a section of the rulebook."""

    PLAYERS = "players"
    DECK = "deck"
    DEAL = "deal"
    TURN = "turn"
    TAKE_DISCARD = "take-discard"
    NO_SPECIAL_FROM_DISCARDS = "no-special-from-discards"
    DRAW = "draw"
    NO_SPECIAL_INTO_ROW = "no-special-into-row"
    SPECIALS = "specials"
    RESHUFFLE = "reshuffle"
    KNOCK = "knock"
    REPLACE_SPECIALS = "replace-specials"
    SCORE = "score"
    ROUNDS = "rounds"


def judge(state: State, play: plays.Play) -> Iterator[Violation]:
    """Yield a violation for each rule that the play breaks."""
    if state.is_over:
        yield Violation(Rule.KNOCK, _("This round is over: all rows lie open."), binding=True)
        return
    match play:
        case plays.TurnUp():
            yield from _judge_turn_up(state, play)
        case plays.Reshuffle(card=card):
            yield from _judge_reshuffle(state, card)
        case plays.Knock(seat):
            yield from _judge_knock(state, seat)
        case plays.Reveal(seat, cards):
            yield from _judge_reveal(state, seat, cards)
        case plays.Take():
            yield from _judge_take(state, play)
        case _:
            yield from _judge_draw(state, play)


def _judge_turn_up(state: State, play: plays.TurnUp) -> Iterator[Violation]:
    if not state.is_dealing:
        yield Violation(Rule.DEAL, _("The first discard has been turned up already."), binding=state.pile == 0)
    elif play.seat != state.dealer:
        yield Violation(Rule.DEAL, _("{name} deals, and turns up the first discard.", name=SeatName(state.dealer)))
    yield from _check_card(state, play.card)


def _judge_take(state: State, play: plays.Take) -> Iterator[Violation]:
    if state.top is None:
        yield Violation(Rule.TAKE_DISCARD, _("There is no discard to take."), binding=True)
        return
    yield from _check_turn(state, play.seat)
    if state.chances:
        message = _("Two Chances: the next card is drawn from the pile as well, not taken from the discards.")
        yield Violation(Rule.DRAW, message)
    elif state.top.is_special:
        message = _("The top discard is {card}, and a special can’t be taken.", card=state.top.label)
        yield Violation(Rule.NO_SPECIAL_FROM_DISCARDS, message)
    if state.drawn:
        message = _("A card has been drawn already, and on a turn you take the top discard or draw, not both.")
        yield Violation(Rule.TURN, message)
    yield from _check_card(state, play.card)


def _judge_draw(state: State, play: plays.Draw) -> Iterator[Violation]:
    if state.top is None and not state.is_revealing:
        yield Violation(Rule.DEAL, _("The first discard has not been turned up yet."), binding=True)
        return
    yield from _check_turn(state, play.seat)
    if state.pile == 0:
        message = _("The pile is exhausted: shuffle the discards into a new one, and turn one card up.")
        yield Violation(Rule.RESHUFFLE, message, binding=True)
    if state.drawn:
        yield from _check_drawn_card(state.drawn, play)
    yield from _check_card(state, play.card)
    if isinstance(play, plays.Swap):
        yield from _check_kept_number(state, play.card)
    elif isinstance(play, plays.Exchange):
        yield from _judge_exchange(state, play)


def _check_drawn_card(drawn: tuple[Face, ...], play: plays.Draw) -> Iterator[Violation]:
    """If the possible faces of the card drawn are known, reject plays that need another one."""
    match play:
        case plays.Swap() if all(face.is_special for face in drawn):
            message = _("The card drawn is a special, and it cannot go into the row: play it or discard it.")
            yield Violation(Rule.NO_SPECIAL_INTO_ROW, message)
        case plays.Discard(card=card) if card not in drawn:
            yield Violation(Rule.DRAW, _("Another card was drawn, not {card}.", card=card.label))
        case plays.Exchange() | plays.Peek() | plays.TwoChances() if play.card not in drawn:
            message = _("Another card was drawn, and {card} works only when it is drawn.", card=play.card.label)
            yield Violation(Rule.SPECIALS, message)


def _judge_exchange(state: State, play: plays.Exchange) -> Iterator[Violation]:
    if not 0 <= play.other < state.seats:
        yield Violation(Rule.PLAYERS, refusals.UNKNOWN_SEAT.with_values(n=play.other + 1), binding=True)
    elif play.other == play.seat:
        yield Violation(Rule.SPECIALS, _("Exchange takes one of your own cards and one of another player’s."))


def _check_kept_number(state: State, card: Face) -> Iterator[Violation]:
    """Reject keeping a card that must be a special: it was drawn unseen, but no number can be left."""
    left = sum(state.unseen[face] for face in NUMBERS) - (not card.is_special)
    if left < 1:
        message = _("All other numbers lie open, so the card drawn was a special, and it cannot go into the row.")
        yield Violation(Rule.NO_SPECIAL_INTO_ROW, message)


def _check_turn(state: State, seat: int) -> Iterator[Violation]:
    if state.is_dealing:
        message = _("The first card is a special: {name} turns up another card.", name=SeatName(state.dealer))
        yield Violation(Rule.DEAL, message)
    elif state.is_revealing:
        is_open = any(state.revealed)
        yield Violation(Rule.KNOCK, _("The last turns are over: all rows are revealed now."), binding=is_open)
    elif state.knocker == seat:
        yield Violation(Rule.KNOCK, _("{name} has knocked, and has no more turn.", name=SeatName(seat)))
    elif state.knocker is not None and seat not in state.last_turns:
        yield Violation(Rule.KNOCK, _("{name} has had the last turn already.", name=SeatName(seat)))
    elif seat != state.turn:
        yield Violation(Rule.TURN, _("It is the turn of {name}.", name=SeatName(state.turn)))


def _check_card(state: State, card: Face) -> Iterator[Violation]:
    if state.unseen[card] < 1:
        yield _refuse_card(state, card)


def _refuse_card(state: State, card: Face) -> Violation:
    message = ngettext(
        "The deck has only {n} card “{card}”, and it lies open already.",
        "The deck has only {n} cards “{card}”, and all of them lie open already.",
        state.options.deck.cards[card],
        card=card.label,
    )
    return Violation(Rule.DECK, message, binding=True)


def _judge_reshuffle(state: State, card: Face) -> Iterator[Violation]:
    if state.pile:
        message = ngettext("There is still {n} card in the pile.", "There are still {n} cards in the pile.", state.pile)
        yield Violation(Rule.RESHUFFLE, message)
    if card not in state.discards:
        message = _("{card} is not among the discards that are shuffled.", card=card.label)
        yield Violation(Rule.DECK, message, binding=True)


def _judge_knock(state: State, seat: int) -> Iterator[Violation]:
    if state.knocker is not None:
        message = _("{name} has knocked already.", name=SeatName(state.knocker))
        yield Violation(Rule.KNOCK, message, binding=True)
        return
    if state.is_revealing:
        yield Violation(Rule.KNOCK, _("The rows are being revealed: this round has ended."), binding=True)
        return
    if state.top is None:
        yield Violation(Rule.DEAL, _("The first discard has not been turned up yet."), binding=True)
        return
    if state.acted != seat:
        name = SeatName(seat)
        message = _("{name} can knock only at the end of their own turn, before the next one acts.", name=name)
        yield Violation(Rule.KNOCK, message)
    if missing := tuple(other for other in range(state.seats) if other not in state.had_turn):
        message = _("Nobody knocks before all have had a turn. Still without one: {names}.", names=name_seats(missing))
        yield Violation(Rule.KNOCK, message)


def _judge_reveal(state: State, seat: int, cards: tuple[Revealed, ...]) -> Iterator[Violation]:
    if len(cards) != ROW:
        yield Violation(Rule.DEAL, _("A row has four cards, not {n}.", n=len(cards)), binding=True)
        return
    if state.revealed[seat]:
        message = _("{name} has revealed already.", name=SeatName(seat))
        yield Violation(Rule.SCORE, message, binding=True)
        return
    if not state.is_revealing:
        message = _("Rows stay hidden until somebody has knocked and all others have had their last turn.")
        yield Violation(Rule.KNOCK, message)
    yield from _check_seen_cards(state, seat, cards)
    yield from _check_replacements(state, seat, cards)


def _check_seen_cards(state: State, seat: int, cards: tuple[Revealed, ...]) -> Iterator[Violation]:
    """Reject a row that lacks a card that everybody saw go into it."""
    for slot, face, card in zip(plays.Slot, state.certain[seat], cards, strict=True):
        if face and face is not card.faces[0]:
            message = _(
                "Everybody saw {card} become the {slot} of {name}, and it has not left since: it cannot be {other}.",
                card=face.label,
                slot=slot.label,
                name=SeatName(seat),
                other=card.faces[0].label,
            )
            yield Violation(Rule.SCORE, message)


def _check_replacements(state: State, seat: int, cards: tuple[Revealed, ...]) -> Iterator[Violation]:
    drawn = sum(card.replacements for card in cards)
    before = tuple(other for other in state.order[: state.order.index(seat)] if not state.revealed[other])
    if drawn and before:
        message = _(
            "Specials are replaced clockwise, beginning with the knocker: first {names}.", names=name_seats(before)
        )
        yield Violation(Rule.REPLACE_SPECIALS, message)
    again = Counter(state.discards) if drawn > state.pile else Counter[Face]()
    if drawn > state.pile + again.total():
        yield Violation(Rule.RESHUFFLE, _("That many cards cannot have been drawn as replacements."), binding=True)
    shown = Counter(face for card in cards for face in card.faces)
    elsewhere = Counter(face for other, row in enumerate(state.certain) if other != seat for face in row if face)
    for face, n in shown.items():
        left = state.unseen[face] + again[face]
        if n > left:
            yield _refuse_card(state, face)
        elif n > left - elsewhere[face]:
            yield _refuse_seen_card(state, seat, face)


def _refuse_seen_card(state: State, seat: int, card: Face) -> Violation:
    names = name_seats(other for other, row in enumerate(state.certain) if other != seat and card in row)
    message = _("{card} can’t be here that often: everybody saw it go to {names}.", card=card.label, names=names)
    return Violation(Rule.SCORE, message)


def candidates(state: State) -> Iterator[plays.Play]:
    """Yield every play of the seats that may act; of the rows to reveal, only a sample of possible ones."""
    if state.is_dealing:
        yield from (plays.TurnUp(state.dealer, card) for card in Face)
        return
    if state.is_revealing:
        yield from _iter_reveals(state)
    knocks = () if state.acted is None or state.is_revealing else (plays.Knock(state.acted),)
    if state.pile == 0:  # the knock comes first, so that a random match ends
        yield from knocks
        yield from (plays.Reshuffle(seat, card) for seat in range(state.seats) for card in Face)
    if not state.is_revealing:
        yield from (play for play in _list_turns(state.turn, state.seats) if not _is_pointless(state, play))
    if state.pile:
        yield from knocks


def _is_pointless(state: State, play: plays.Play) -> bool:
    """Return whether a take gives a card that is gone for a discard that cannot be taken: one violation is enough."""
    return isinstance(play, plays.Take) and not state.can_take and state.unseen[play.card] < 1


@lru_cache(maxsize=64)
def _list_turns(seat: int, seats: int) -> tuple[plays.Play, ...]:
    others = [other for other in range(seats) if other != seat]
    return (
        *(plays.Discard(seat, card) for card in Face),
        *(plays.Take(seat, slot, card) for slot, card in product(plays.Slot, Face)),
        *(plays.Swap(seat, slot, card) for slot, card in product(plays.Slot, Face)),
        *(plays.Exchange(seat, *picked) for picked in product(plays.Slot, others, plays.Slot)),
        *(plays.Peek(seat, slot) for slot in plays.Slot),
        plays.TwoChances(seat),
    )


def _iter_reveals(state: State) -> Iterator[plays.Reveal]:
    """Yield possible rows of the next seat to reveal: each number first in turn, without a special and with one."""
    seat = next(other for other in state.order if not state.revealed[other])
    preferred = [(*NUMBERS[first:], *NUMBERS[:first]) for first in range(len(NUMBERS))]
    rows = (
        _build_row(state, seat, faces, begins_special=begins) for faces, begins in product(preferred, (False, True))
    )
    yield from (plays.Reveal(seat, row) for row in dict.fromkeys(rows) if row)


def _build_row(state: State, seat: int, preferred: tuple[Face, ...], *, begins_special: bool) -> tuple[Revealed, ...]:
    """Return four hidden cards, preferred numbers first; specials are replaced by more of the same.

    A card that everybody saw go into a slot stays there.
    """
    hidden, pile = Counter(state.unseen), state.pile
    hidden.subtract(face for certain in state.certain for face in certain if face)
    specials = tuple(face for face in Face if face.is_special)
    row: list[Revealed] = []
    for place, certain in enumerate(state.certain[seat]):
        order = (*specials, *preferred) if begins_special and place == 0 else (*preferred, *specials)
        faces = [certain] if certain else []
        while not faces or faces[-1].is_special:
            if faces and pile == 0:
                hidden.update(state.discards)
                pile = len(state.discards)
            card = next((face for face in order if hidden[face] > 0), None)
            if card is None:
                return ()
            pile -= bool(faces)
            hidden[card] -= 1
            faces.append(card)
            order = (*preferred, *specials)
        row.append(Revealed(tuple(faces)))
    return tuple(row)
