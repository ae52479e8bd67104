"""Board of The Game, as its pages show it."""

from dataclasses import dataclass
from functools import cache, lru_cache

from companion.core.card_view import CardView
from companion.core.text import Text, _
from companion.games.the_game.deck import DECK, FIRE
from companion.games.the_game.plays import Row
from companion.games.the_game.rules import can_lie_on
from companion.games.the_game.state import ROWS, TRICK, State, is_trick

LAID, BY_TRICK, FIRE_CARD, HELD = _("laid"), _("backwards trick"), _("fire card"), _("in hand")


@dataclass(frozen=True)
class RowView:
    """A row: its top card (1 or 100 while empty), and whether that card burns and is due to be covered this turn."""

    id: str
    label: Text
    is_ascending: bool
    top: int
    cards: int
    burns: bool
    is_due: bool
    trick: int | None
    """The card for the backwards trick, if it is still to come."""
    takes: tuple[int, ...]
    """Held cards that fit; empty if no hand is known."""

    @property
    def field(self) -> str:
        """Name of the row's field in a question."""
        return Row(self.id).name.lower()


@dataclass(frozen=True)
class Board:
    state: State
    turn: int | None
    rows: tuple[RowView, ...]
    cards: tuple[CardView, ...]
    draws: int
    """Cards to draw if the turn ended now."""
    can_end: bool
    due: tuple[int, ...]
    """Fire cards to cover this turn."""
    held: tuple[CardView, ...]
    """Cards known to be in hand; none at a table."""

    @property
    def status(self) -> tuple[Text, ...]:
        """How far the turn has come, and the cards left in the pile."""
        state = self.state
        return _("{laid} of {minimum} laid", laid=state.laid, minimum=state.minimum), _("pile {n}", n=state.pile)

    @property
    def end_hint(self) -> Text | None:
        """What ending the turn does now, if it may end."""
        if self.can_end and self.due:
            return _("the fire wins")
        return _("draws {n}", n=self.draws) if self.can_end and self.draws else None


def build_board(state: State) -> Board:
    laid, cards = state.seen, _build_cards(state)
    return Board(
        state,
        turn=None if state.is_over else state.turn,
        rows=tuple(_build_row(state, row, laid) for row in ROWS),
        cards=cards,
        draws=min(state.laid, state.pile),
        can_end=state.turn is not None and state.laid >= state.minimum,
        due=tuple(sorted(state.due)),
        held=tuple(card for card in cards if "held" in card.tags),
    )


def _build_row(state: State, row: Row, laid: frozenset[int]) -> RowView:
    top = state.top(row)
    cards = len(state.rows[ROWS.index(row)])
    trick = top - TRICK if row.is_ascending else top + TRICK
    return RowView(
        row.value,
        row.label,
        row.is_ascending,
        top,
        cards,
        top in state.burning,
        top in state.due,
        trick if trick in DECK and trick not in laid else None,
        tuple(sorted(card for card in state.held or () if can_lie_on(row, top, card))),
    )


def _build_cards(state: State) -> tuple[CardView, ...]:
    """Return every card with the rows that take it, if it may be in hand; tests compare this with `judge`."""
    is_playable = not state.is_over and state.hands[state.turn or 0] > 0
    rows = [(row, *_find_fitting_cards(row, state.top(row))) for row in ROWS] if is_playable else []
    burn = FIRE if state.options.on_fire else frozenset()
    held = frozenset(DECK) if state.held is None else state.held
    return tuple(
        _build_card(card, is_laid=True, is_fire=card in burn)
        if card in state.seen
        else _build_card(
            card,
            rows=" ".join([row for row, taken, _trick in rows if card in taken and card in held]),
            trick=" ".join([row for row, _taken, trick in rows if card == trick and card in held]),
            is_fire=card in burn,
            is_held=state.held is not None and card in held,
        )
        for card in DECK
    )


@lru_cache(maxsize=20_000)
def _build_card(
    card: int, *, rows: str = "", trick: str = "", is_laid: bool = False, is_fire: bool = False, is_held: bool = False
) -> CardView:
    """Return a card tagged `trick`, `laid`, `fire` (not laid yet) and `held`, with the rows for the page to highlight.

    `rows` are the ids of those that take it now, `trick` of those that take it by the trick.
    """
    burns = is_fire and not is_laid
    tags = ("trick",) * bool(trick) + ("laid",) * is_laid + ("fire",) * burns + ("held",) * is_held
    notes = (LAID,) * is_laid + (BY_TRICK,) * bool(trick) + (FIRE_CARD,) * is_fire + (HELD,) * is_held
    details = tuple((name, ids) for name, ids in (("rows", rows), ("trick", trick)) if ids)
    return CardView(str(card), str(card), bool(rows), tags, notes, details)


@cache
def _find_fitting_cards(row: Row, top: int) -> tuple[frozenset[int], int]:
    """Return the cards that fit on a top card, and the one among them for the trick, or 0."""
    taken = frozenset(card for card in DECK if can_lie_on(row, top, card))
    return taken, next((card for card in taken if is_trick(row, top, card)), 0)
