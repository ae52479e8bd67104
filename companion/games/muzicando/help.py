"""Explanations, relevant rules, preparation and paper score sheet of Muzicando."""

from collections.abc import Iterator

from companion.core.explanations import Explanation, PaperSheet, Preparation, PreparationStep
from companion.core.text import SeatName, Text, _, format_number, ngettext
from companion.games.muzicando.bids import HIGH_ENDS, LOW_ENDS, Bid, Kind, LayPosition
from companion.games.muzicando.deck import COLOURS, DO, NOTES, SIGN, Card, Sign, are_neighbours
from companion.games.muzicando.plays import Call, Choose, Foul, Lay, Options, Pass, Play, Stop
from companion.games.muzicando.rules import RULES, Rule
from companion.games.muzicando.state import State, describe_teams, setup
from companion.games.muzicando.tableau import Tableau

VIOLATION, PAD = "violation", "pad"
"""Sections of the rulebook that no play can break."""
COUNTING_RULES = (Rule.SCORE, Rule.CONTRACT, VIOLATION, Rule.DEALS, PAD)
MAX_RELEVANT_RULES = 6
NEARLY_OUT = 2
"""Hand size from which the end of the deal is near."""
GUIDO = Card(6, SIGN)
"""Card for the seat of any player beyond the seven notes: Guido d'Arezzo."""


def explain(state: State, play: Play) -> Explanation:
    match play:
        case Call():
            return _explain_bid(state, play)
        case Choose(seat, opening):
            reason = _("{name}, to the left of the dealer, chooses.", name=SeatName(seat))
            return Explanation(Rule.CHOOSING, _("Choose the kind"), opening.label, reason)
        case Pass() if state.tableau is None:
            return _explain_passed_bid(state)
        case Pass(seat):
            return _explain_passed_turn(state, seat)
        case Stop():
            reason = _("After the rest you lay as many cards as you like, until you stop.")
            return Explanation(Rule.REST, _("Stop laying"), reason=reason)
        case Foul():
            reason = _("If somebody breaks the rules, the deal is cancelled.")
            return Explanation(VIOLATION, _("Cancel the deal: rules were broken"), reason=reason)
        case Lay() if state.tableau is not None:
            return _explain_lay(state, state.tableau, play)
    raise TypeError(play)


def _explain_bid(state: State, play: Call) -> Explanation:
    if state.highest is None:
        reason = _("Nobody has bid yet, and any bid may be the first.")
        return Explanation(Rule.BIDDING, _("Make the first bid"), play.bid.label, reason)
    last = state.highest[1].label
    reason = _("{bid} is higher than {last}.", bid=play.bid.label, last=last)
    return Explanation(Rule.HIGHER_BID, _("Bid higher than {last}", last=last), play.bid.label, reason)


def _explain_passed_bid(state: State) -> Explanation:
    if state.highest is not None and state.passes >= state.seats - 2:
        reason = _("That makes everybody else pass: {bid} is the contract.", bid=state.highest[1].label)
    elif state.highest is not None or state.passes < state.seats - 1:
        reason = _("After a pass you may bid again.")
    elif state.options.redeal:
        reason = _("With that, everybody has passed, and the cards are dealt again.")
    else:
        reason = _("With that, everybody has passed, and {name} must bid.", name=SeatName(state.first))
    return Explanation(Rule.BIDDING, _("Pass"), reason=reason)


def _explain_passed_turn(state: State, seat: int) -> Explanation:
    if state.ends_by_passing(seat):
        reason = _("Everybody who has cards has passed: the deal ends.")
        return Explanation(Rule.DEAL_END, _("Pass, and end the deal"), reason=reason)
    if state.stock:
        reason = _("Only if no note fits. You draw a card for your next turn.")
        return Explanation(Rule.NO_IDLE_PASS, _("Pass, and draw a card"), reason=reason)
    return Explanation(Rule.NO_IDLE_PASS, _("Pass"), reason=_("Only if no note fits."))


def _explain_lay(state: State, tableau: Tableau, play: Lay) -> Explanation:
    card, kind = play.card, tableau.kind
    if card.sign:
        host = tableau.hosts(card.colour)[0]
        return Explanation(Rule.SIGNS, _("Lay a sign"), card.label, _describe_sign(state, card, host))
    if not tableau.is_open:
        return Explanation(Rule.OPENING, _("Open {kind}", kind=kind.label), card.label, _describe_opener(card, kind))
    at = play.at or next((at for at in tableau.open_places(card) if at), LayPosition.RIGHT)
    match kind:
        case Kind.SARABANDA:
            return _explain_row(tableau, card, at)
        case Kind.GLISSANDO if card.has_oval:
            return _explain_new_row(tableau, card, at)
        case Kind.GLISSANDO:
            return _explain_rows(tableau, card, at)
        case Kind.PARADA:
            return _explain_column(tableau, card)
        case Kind.MUZICANDO:
            return _explain_pile(tableau, card)


def _describe_sign(state: State, card: Card, host: Card) -> Text:
    if card.sign is Sign.REST:
        return _("{host} lies. All others sit out, and you go on laying until you stop.", host=host.label)
    if state.is_run:
        return _("{host} lies. The others sit out already.", host=host.label)
    if card.sign is Sign.SHARP:
        return _("{host} lies. The next player misses a turn.", host=host.label)
    if card.sign is Sign.FLAT:
        return _("{host} lies. The previous player misses a turn.", host=host.label)
    return _("{host} lies. The next and the previous player miss a turn.", host=host.label)


def _describe_opener(card: Card, kind: Kind) -> Text:
    if kind in (Kind.SARABANDA, Kind.MUZICANDO):
        return _("{card} is a Do, and any Do opens {kind}.", card=card.label, kind=kind.label)
    return _("{card} has an oval, and any oval opens {kind}.", card=card.label, kind=kind.label)


def _explain_row(tableau: Tableau, card: Card, at: LayPosition) -> Explanation:
    """Explain Sarabanda; the two ends of a single card are equivalent."""
    (row,) = tableau.rows
    end = row[0 if at is LayPosition.LEFT else -1]
    if len(row) == 1:
        heading = _("{note}, beside {other}", note=card.name, other=end.label)
        reason = _("{card} is a step from {other}.", card=card.label, other=end.label)
    else:
        heading = _title_places(tableau, card)
        reason = _("{card} is a step from {other}, {place}.", card=card.label, other=end.label, place=at.label)
    if {card.step, end.step} == {DO, len(NOTES) - 1}:
        reason = _("{card} fits beside {other}: after Si comes Do again.", card=card.label, other=end.label)
    return Explanation(Rule.SARABANDA, heading, COLOURS[card.colour], reason)


def _title_places(tableau: Tableau, card: Card) -> Text:
    """Return a heading for a note and all its positions, shared by its colours."""
    places = tuple(at.label for at in tableau.ends[card.step] if at)
    return _("{note}: {places}", note=card.name, places=places)


def _explain_rows(tableau: Tableau, card: Card, at: LayPosition) -> Explanation:
    """Explain Glissando at the end of a row."""
    openers = [opener.step for opener in tableau.openers]
    if at in LOW_ENDS:
        end = tableau.rows[openers.index(LOW_ENDS.index(at))][0]
        reason = _("{card} is one step below {other}, the low end of its row.", card=card.label, other=end.label)
    else:
        end = tableau.rows[openers.index(HIGH_ENDS.index(at))][-1]
        reason = _("{card} is one step above {other}, the high end of its row.", card=card.label, other=end.label)
    return Explanation(Rule.GLISSANDO, _title_places(tableau, card), COLOURS[card.colour], reason)


def _explain_new_row(tableau: Tableau, card: Card, at: LayPosition) -> Explanation:
    index = 0 if at is LayPosition.ABOVE else -1
    notes = tableau.rows[index] if tableau.options.any_row else tableau.openers[index : index + 1 or None]
    other = next(other for other in notes if are_neighbours(card.step, other.step)).label
    if at is LayPosition.ABOVE:
        heading = _("Open a new row above")
        reason = _("{card} has an oval and is a step from {other}, in the topmost row.", card=card.label, other=other)
    else:
        heading = _("Open a new row below")
        reason = _(
            "{card} has an oval and is a step from {other}, in the bottommost row.", card=card.label, other=other
        )
    return Explanation(Rule.GLISSANDO, heading, card.label, reason)


def _explain_column(tableau: Tableau, card: Card) -> Explanation:
    if card.has_oval:
        reason = _("{card} has an oval, which opens its column at any time.", card=card.label)
        return Explanation(Rule.PARADA, _("Open a column"), card.label, reason)
    other = next(other for other in tableau.rows[card.colour] if are_neighbours(card.step, other.step)).label
    reason = _("{card} is a step from {other}, in its own column.", card=card.label, other=other)
    return Explanation(Rule.PARADA, _("Continue a column"), card.label, reason)


def _explain_pile(tableau: Tableau, card: Card) -> Explanation:
    if card.step == DO:
        reason = _("{card} opens its pile at any time.", card=card.label)
        return Explanation(Rule.MUZICANDO, _("Open a pile"), card.label, reason)
    other = tableau.rows[card.colour][-1].label
    reason = _("{card} is the next note after {other}, on its own pile.", card=card.label, other=other)
    return Explanation(Rule.MUZICANDO, _("Continue a pile"), card.label, reason)


def get_relevant_rules(state: State) -> tuple[str, ...]:
    """Return the rules of the special situation first, then of the kind, then those that always apply."""
    if state.is_over:
        ends = (VIOLATION,) if state.foul is not None else (Rule.DEAL_END, Rule.SCORE)
        return (*ends, Rule.DEALS)
    if state.tableau is None:
        return (Rule.BIDDING, Rule.HIGHER_BID, Rule.CONTRACT) if state.has_bidding else (Rule.CHOOSING, *RULES.values())
    is_near = bool(state.order) or min(state.hands) <= NEARLY_OUT
    told = (
        (not state.tableau.is_open, Rule.OPENING),
        (state.is_run, Rule.REST),
        (bool(state.missing | state.skipped), Rule.MISSED_TURN),
        (state.ends_by_passing(state.turn) or is_near, Rule.DEAL_END),
        (is_near and state.has_bidding and not state.order, Rule.CONTRACT),
    )
    special = [rule for holds, rule in told if holds]
    return (*special, RULES[state.tableau.kind], Rule.NO_IDLE_PASS, Rule.SIGNS, Rule.TURN)[:MAX_RELEVANT_RULES]


def build_preparation(options: Options, seats: int) -> Preparation:
    guido = _("Guido d’Arezzo, the {card}: chooses a seat", card=GUIDO.label)
    draws = () if options.is_team(seats) else (*NOTES[:seats], *([guido] * (seats - len(NOTES))))
    return Preparation(tuple(_iter_steps(options, seats)), lot=_("Who deals first?"), draws=draws)


def _iter_steps(options: Options, seats: int) -> Iterator[PreparationStep]:
    state = setup(options, seats, 0)
    yield _build_seating_step(options, seats)
    if not options.is_team(seats):
        yield PreparationStep(Rule.PLAYERS, _("Who deals first"), _("whoever drew {note}", note=NOTES[0]))
    yield PreparationStep(Rule.DEAL, _("Shuffle and deal"), ngettext("{n} card each", "{n} cards each", state.hands[0]))
    if state.stock:
        yield PreparationStep(Rule.DEAL, _("Stock, face down"), ngettext("{n} card", "{n} cards", state.stock))
    left = _("whoever sits to the left of the dealer")
    if state.has_bidding:
        bids = tuple(Bid)
        yield PreparationStep(Rule.BIDDING, _("Who bids first"), left)
        yield PreparationStep(
            Rule.HIGHER_BID, _("Bids"), _("{first} to {last}", first=bids[0].label, last=bids[-1].label)
        )
        yield PreparationStep(Rule.CONTRACT, _("Who starts"), _("whoever bid highest"))
    else:
        yield PreparationStep(Rule.CHOOSING, _("Who starts"), left)
        yield PreparationStep(Rule.CHOOSING, _("Kind"), _("chosen by whoever starts"))
    yield PreparationStep(Rule.DEALS, _("Deals"), format_number(options.deals(seats)))
    yield from _iter_variant_steps(options, has_bidding=state.has_bidding)


def _build_seating_step(options: Options, seats: int) -> PreparationStep:
    if options.is_team(seats):
        return PreparationStep(Rule.PLAYERS, _("Teams"), describe_teams())
    last = NOTES[min(seats, len(NOTES)) - 1]
    if seats > len(NOTES):
        notes = _("draw {first} to {last}, and Guido d’Arezzo", first=NOTES[0], last=last)
    else:
        notes = _("draw {first} to {last}", first=NOTES[0], last=last)
    return PreparationStep(Rule.PLAYERS, _("Seats"), notes)


def _iter_variant_steps(options: Options, *, has_bidding: bool) -> Iterator[PreparationStep]:
    if options.parada_wrap:
        yield PreparationStep(Rule.PARADA, _("Do beside Si in Parada"), _("a column continues beyond Do and Si"))
    if options.redeal and has_bidding:
        yield PreparationStep(Rule.BIDDING, _("New deal when all pass"), _("if nobody bids, deal again"))
    if options.chooser_only and not has_bidding:
        yield PreparationStep(Rule.SCORE, _("Kind for the chooser only"), _("the others score only their place"))
    if options.signs_between:
        yield PreparationStep(Rule.SIGNS, _("Signs only between notes"), _("no sign at the end of a row"))
    if options.any_row:
        yield PreparationStep(Rule.GLISSANDO, _("New rows at any note"), _("not only at the opening note"))


def build_paper_sheet(options: Options, seats: int) -> PaperSheet:
    if options.has_bidding(seats):
        table, value = (_("who bid what"), _("order of going out")), _("contract, + or −")
    else:
        table, value = (_("who chose what"), _("order of going out")), _("kind")
    return PaperSheet(side_lines=(_("places"), value), points=_("points"), table_lines=table)
