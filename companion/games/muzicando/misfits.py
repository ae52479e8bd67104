"""Reasons why a card does not fit in Muzicando."""

from companion.core.text import Text, _, ngettext
from companion.games.muzicando.bids import Kind, LayPosition
from companion.games.muzicando.deck import COLOURS, NOTES, SIGN, Card, are_neighbours
from companion.games.muzicando.tableau import Cards, Tableau


def explain_misfit(tableau: Tableau, card: Card) -> Text:
    """Return why a card fits nowhere."""
    if not tableau.is_open:
        return _explain_opening(tableau.kind, card)
    if card.sign:
        return _explain_no_host(tableau, card)
    match tableau.kind:
        case Kind.SARABANDA:
            return _explain_no_end(card, tableau.rows[0])
        case Kind.GLISSANDO:
            return _explain_no_new_row(tableau, card) if card.has_oval else _explain_no_row(tableau, card)
        case Kind.PARADA:
            return _explain_no_column(tableau, card)
        case Kind.MUZICANDO:
            return _explain_no_pile(tableau, card)


def explain_misplaced(tableau: Tableau, card: Card, at: LayPosition) -> Text:
    """Return why a note does not fit at the position named, in Sarabanda or Glissando."""
    if tableau.kind is Kind.SARABANDA:
        if at not in (LayPosition.LEFT, LayPosition.RIGHT):
            return _("In Sarabanda there is only one row.")
        end = tableau.rows[0][0 if at is LayPosition.LEFT else -1]
        return _("{card} is not a step from {other}, {place}.", card=card.label, other=end.label, place=at.label)
    if at in (LayPosition.ABOVE, LayPosition.BELOW):
        return _explain_not_outside(tableau, card, at)
    if card.has_oval:
        return _("{card} has an oval: it opens a new row, and continues none.", card=card.label)
    step = next((step for step, places in enumerate(tableau.ends) if at in places), None)
    if step is None:
        return _("There is no such row: {place}.", place=at.label)
    return _("{card} does not fit there: the {place} takes {note}.", card=card.label, place=at.label, note=NOTES[step])


def _explain_opening(kind: Kind, card: Card) -> Text:
    if kind in (Kind.SARABANDA, Kind.MUZICANDO):
        return _("{card} does not open: the first card is a Do.", card=card.label)
    return _("{card} does not open: the first card is a note with an oval.", card=card.label)


def _explain_no_host(tableau: Tableau, card: Card) -> Text:
    if tableau.kind in (Kind.PARADA, Kind.MUZICANDO):
        return _("{card} must wait: its colour has not been opened.", card=card.label)
    if tableau.signs_between and any(other.colour == card.colour for row in tableau.rows for other in row):
        return _("{card} must wait: no note of its colour lies between two others.", card=card.label)
    return _("{card} must wait: no note of its colour lies.", card=card.label)


def _explain_no_end(card: Card, row: Cards) -> Text:
    """Return why a card fits neither end of a row or column."""
    if len(row) == 1:
        return _("{card} is not a step from {other}, the only card there.", card=card.label, other=row[0].label)
    left, right = row[0].label, row[-1].label
    return _("{card} is a step from neither end, {left} and {right}.", card=card.label, left=left, right=right)


def _explain_no_row(tableau: Tableau, card: Card) -> Text:
    return ngettext(
        "{card} does not continue the row: its ends take {notes}.",
        "{card} continues no row: their ends take {notes}.",
        len(tableau.rows),
        card=card.label,
        notes=tuple(NOTES[step] for step, places in enumerate(tableau.ends) if places),
    )


def _explain_no_new_row(tableau: Tableau, card: Card) -> Text:
    top, bottom = tableau.openers[0], tableau.openers[-1]
    if tableau.any_row:
        return _("{card} opens a new row, and is a step from no note of the topmost or bottommost.", card=card.label)
    if top == bottom:
        return _("{card} opens a new row, and is not a step from {other}.", card=card.label, other=top.label)
    return _(
        "{card} opens a new row, and is a step from neither the topmost nor the bottommost one ({top}, {bottom}).",
        card=card.label,
        top=top.label,
        bottom=bottom.label,
    )


def _explain_not_outside(tableau: Tableau, card: Card, at: LayPosition) -> Text:
    if not card.has_oval:
        return _("{card} has no oval, and opens no new row.", card=card.label)
    if tableau.any_row:
        return _("{card} is a step from no note of the row there.", card=card.label)
    opener = tableau.openers[0 if at is LayPosition.ABOVE else -1]
    return _("{card} is not a step from {other}, which has opened the row there.", card=card.label, other=opener.label)


def _explain_no_column(tableau: Tableau, card: Card) -> Text:
    opener = Card(card.colour, card.colour)
    if opener not in tableau.laid:
        return _("{card} must wait: its colour is opened by {opener}.", card=card.label, opener=opener.label)
    column = tableau.rows[card.colour]
    for other in column:
        if are_neighbours(card.step, other.step):
            return _(
                "In Parada {card} does not lie beside {other}: Do is the lowest note, and Si the highest.",
                card=card.label,
                other=other.label,
            )
    return _explain_no_end(card, column)


def _explain_no_pile(tableau: Tableau, card: Card) -> Text:
    step = tableau.next_step(card.colour)
    if step == SIGN:  # only after a card laid against the rules
        return _("The pile of {colour} ends with Si.", colour=COLOURS[card.colour])
    return _("{card} must wait: {note} comes next in its colour.", card=card.label, note=NOTES[step])
