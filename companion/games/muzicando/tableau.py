"""Cards laid in Muzicando, and where the next ones fit."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

from companion.games.muzicando.bids import HIGH_ENDS, LOW_ENDS, Kind, LayPosition
from companion.games.muzicando.deck import COLOURS, DECK, DO, STEPS, Card, are_neighbours
from companion.games.muzicando.plays import Options

ANYWHERE: tuple[None] = (None,)
"""The positions of a card without a choice."""
Places: TypeAlias = tuple[LayPosition | None, ...]
Cards: TypeAlias = tuple[Card, ...]


@dataclass(frozen=True)
class Tableau:
    """The cards on the table; a sign is stored with the note that it was laid on."""

    kind: Kind
    rows: tuple[Cards, ...] = ()
    """Sarabanda: the row, from left to right. Glissando: the rows from the top, each from its low end.
    Parada and Muzicando: the seven colours, each from low to high, or in the order laid."""
    openers: Cards = ()
    """Glissando: the card that opened each row."""
    signs: tuple[tuple[Card, Card | None], ...] = ()
    options: Options = Options()

    @cached_property
    def laid(self) -> frozenset[Card]:
        return frozenset().union(*self.rows, [sign for sign, _host in self.signs])

    @property
    def is_open(self) -> bool:
        return any(self.rows)

    @cached_property
    def fits(self) -> dict[Card, Places]:
        """Positions of each card not yet laid that fits."""
        return {card: places for card in DECK if (places := self.places(card))}

    def places(self, card: Card) -> Places:
        """Return the positions of one card, without computing those of all others."""
        return () if card in self.laid else self._places(card)

    def open_places(self, card: Card) -> Places:
        """Return the positions that differ: the two ends of Sarabanda's first card are equivalent."""
        places = self.places(card)
        is_mirrored = self.kind is Kind.SARABANDA and [len(row) for row in self.rows] == [1]
        return places[-1:] if is_mirrored else places

    def hosts(self, colour: int) -> Cards:
        """Return the cards on which the sign of a colour may be laid."""
        if self.kind in (Kind.SARABANDA, Kind.GLISSANDO):
            rows = [row[1:-1] if self.options.signs_between else row for row in self.rows]
            return tuple(card for row in rows for card in row if card.colour == colour)
        opener = Card(colour, colour if self.kind is Kind.PARADA else DO)
        return (opener,) if opener in self.laid else ()

    def with_card(self, card: Card, at: LayPosition | None) -> "Tableau":
        """Return the tableau with a card added, legal or not."""
        if card.sign:
            return replace(self, signs=(*self.signs, (card, next(iter(self.hosts(card.colour)), None))))
        if at is None:
            at = next(iter(self.open_places(card)), None)
        match self.kind:
            case Kind.SARABANDA:
                row = self.rows[0] if self.rows else ()
                return replace(self, rows=((card, *row) if at is LayPosition.LEFT else (*row, card),))
            case Kind.GLISSANDO:
                return self._with_note(card, at)
            case Kind.PARADA:
                return self._on_column(card, lambda column: tuple(sorted((*column, card))))
            case Kind.MUZICANDO:
                return self._on_column(card, lambda pile: (*pile, card))

    def _places(self, card: Card) -> Places:
        if card.sign:
            return ANYWHERE if self.hosts(card.colour) else ()
        match self.kind:
            case Kind.SARABANDA:
                return self.ends[card.step] if self.is_open else ANYWHERE if card.step == DO else ()
            case Kind.GLISSANDO:
                if not self.is_open:
                    return ANYWHERE if card.has_oval else ()
                return self._beside(card) if card.has_oval else self.ends[card.step]
            case Kind.PARADA:
                return ANYWHERE if card.has_oval or self._is_beside_its_column(card) else ()
            case Kind.MUZICANDO:
                return ANYWHERE if card.step == self.next_step(card.colour) else ()

    @cached_property
    def ends(self) -> tuple[Places, ...]:
        """Positions that continue a row, by step: both ways in Sarabanda, in scale order in Glissando."""
        places_by_step: list[list[LayPosition]] = [[] for _step in range(STEPS)]
        if self.kind is Kind.SARABANDA:
            for at, end in ((LayPosition.LEFT, self.rows[0][0]), (LayPosition.RIGHT, self.rows[0][-1])):
                for step in ((end.step - 1) % STEPS, (end.step + 1) % STEPS):
                    places_by_step[step].append(at)
        else:
            for opener, row in zip(self.openers, self.rows, strict=True):
                places_by_step[(row[0].step - 1) % STEPS].append(LOW_ENDS[opener.step])
                places_by_step[(row[-1].step + 1) % STEPS].append(HIGH_ENDS[opener.step])
        return tuple(tuple(dict.fromkeys(step_places)) for step_places in places_by_step)

    def _beside(self, card: Card) -> Places:
        """Return where an oval opens a row in Glissando: above the topmost or below the bottommost row."""
        rows = self.rows if self.options.any_row else [(opener,) for opener in self.openers]
        sides = ((LayPosition.ABOVE, rows[0]), (LayPosition.BELOW, rows[-1]))
        return tuple(at for at, row in sides if any(are_neighbours(card.step, other.step) for other in row))

    def _is_beside_its_column(self, card: Card) -> bool:
        column = self.rows[card.colour] if self.rows else ()
        if self.options.parada_wrap:
            return any(are_neighbours(card.step, other.step) for other in column)
        return any(abs(card.step - other.step) == 1 for other in column)

    def next_step(self, colour: int) -> int:
        """Return the next note of a colour's pile in Muzicando."""
        pile = self.rows[colour] if self.rows else ()
        return pile[-1].step + 1 if pile else DO

    def _on_column(self, card: Card, laid: Callable[[Cards], Cards]) -> "Tableau":
        columns = self.rows or ((),) * len(COLOURS)
        return replace(
            self, rows=tuple(laid(column) if c == card.colour else column for c, column in enumerate(columns))
        )

    def _with_note(self, card: Card, at: LayPosition | None) -> "Tableau":
        """Lay a card in Glissando: at the named end; by default an oval opens a row, and others extend the last row."""
        ends = {opener.step: index for index, opener in reversed(list(enumerate(self.openers)))}
        for sides, is_low in ((LOW_ENDS, True), (HIGH_ENDS, False)):
            step = sides.index(at) if at in sides else -1
            if step in ends:
                return self._at_end(ends[step], card, is_low=is_low)
        if card.has_oval or not self.rows or at in (LayPosition.ABOVE, LayPosition.BELOW):
            if at is LayPosition.ABOVE:
                return replace(self, rows=((card,), *self.rows), openers=(card, *self.openers))
            return replace(self, rows=(*self.rows, (card,)), openers=(*self.openers, card))
        return self._at_end(len(self.rows) - 1, card, is_low=False)

    def _at_end(self, index: int, card: Card, *, is_low: bool) -> "Tableau":
        row = (card, *self.rows[index]) if is_low else (*self.rows[index], card)
        return replace(self, rows=(*self.rows[:index], row, *self.rows[index + 1 :]))
