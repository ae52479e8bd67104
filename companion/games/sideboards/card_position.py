"""Position of Sideboards with one card to lay."""

from dataclasses import dataclass, replace
from typing import ClassVar

from companion.core.explanations import Position, Proposal
from companion.core.schema import field
from companion.core.text import Text, _, format_number
from companion.games.sideboards.deck import LINES, SAMPLES, Colour, Handle, SideboardCard
from companion.games.sideboards.drawn_patterns import PartialCard, PatternKey
from companion.games.sideboards.plays import COLUMNS, Options, PlaceCard, Swap
from companion.games.sideboards.state import START, State, setup


@dataclass(frozen=True)
class CardToLay:
    """A card in hand and the number of cards already laid."""

    title: ClassVar = _("A card")

    card: PartialCard = field(_("My card"), _("from top to bottom"), default=PartialCard())
    laid: int | None = field(_("Cards in front of me"), range_=range(COLUMNS + 1), default=None)

    @property
    def colours(self) -> tuple[PatternKey, ...]:
        return tuple(
            PatternKey(self.card.with_colour(colour), False, colour, colour.letter, colour.label) for colour in Colour
        )

    @property
    def handles(self) -> tuple[PatternKey, ...]:
        return tuple(
            PatternKey(self.card.with_handle(handle), False, handle, handle.letter, handle.label) for handle in Handle
        )

    @property
    def drawers(self) -> tuple[PatternKey | None, ...]:
        """The card from top to bottom; None for drawers not tapped yet."""
        done = tuple(
            PatternKey("", False, " ".join(drawer), Colour(drawer[0]).letter, _label_card(drawer))
            for drawer in self.card.drawers
        )
        return (*done, *(None,) * (LINES - len(done)))

    @property
    def choices(self) -> tuple[PatternKey, ...]:
        """The card counts that the rules tell apart."""
        return (self._span(0, START - 1), self._span(START, COLUMNS - 1), self._span(COLUMNS, COLUMNS))

    @property
    def remove(self) -> tuple[str, str]:
        """The field that removes what was tapped last, and its value."""
        return ("tapped", self.card.shorter) if self.card.shorter else ("drop", "card")

    def _span(self, least: int, most: int) -> PatternKey:
        span = Text("{least}–{most}", (("least", least), ("most", most)))
        face = span if least < most else format_number(most)
        return PatternKey(str(most), self.laid in range(least, most + 1), "", face, face)


def _label_card(drawer: str) -> Text:
    colour = Colour(drawer[0]).label
    return _("{colour} ({handle})", colour=colour, handle=Handle(drawer[1]).label) if drawer[1:] else colour


def build_card_position(question: CardToLay) -> Position:
    proposals = []
    if question.card.is_whole:
        card = SideboardCard.read(question.card.word)
        proposals.append(Proposal(_("Lay {card}", card=card.label), PlaceCard(0, card)))
    if question.laid is not None:
        proposals.append(Proposal(_("Swap both hand cards"), Swap(0)))
    return Position(_lay_card(question.laid or 0), tuple(proposals))


def _lay_card(laid: int) -> State:
    state = setup(Options(), 2, 0)
    return replace(state, sideboards=(SAMPLES[:laid], *state.sideboards[1:]))
