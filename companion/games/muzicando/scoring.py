"""Scoring of Muzicando, shared by pad, referee and calculator, and checks of its counts."""

from collections.abc import Iterator

from companion.core import refusals
from companion.core.game import Violation
from companion.core.scoring import ScoreLine, ScoreSheet
from companion.core.text import SeatName, Text, _
from companion.games.muzicando.bids import Kind
from companion.games.muzicando.deck import SIGNS
from companion.games.muzicando.plays import Deal, Options
from companion.games.muzicando.rules import RULES, Rule
from companion.games.muzicando.state import State

TEAM_FINE, OWN_FINE = -12, -11


def tally(state: State) -> tuple[Deal, ...]:
    """Return the deal as played; the last player out follows from the others."""
    highest = state.highest or (None, None)
    kind = None if state.has_bidding else state.kind
    chooser = state.leader if kind is not None and state.options.chooser_only else None
    is_stuck = state.foul is None and len(state.order) < state.seats
    order = () if state.foul is not None else state.order[: state.seats - (not is_stuck)]
    return (Deal(state.seats, highest[0], highest[1], kind, chooser, order, is_stuck, state.foul),)


def score(options: Options, counts: tuple[Deal, ...]) -> ScoreSheet:
    """Score places and contract or kind, or the fine for breaking the rules (rule `score`)."""
    (deal,) = counts
    if deal.foul is not None:
        return _score_foul(options, deal.players, deal.foul)
    sides = options.sides(deal.players)
    places = score_places(deal)
    by_side = tuple(sum(places[seat] for seat in side) for side in sides)
    label, bonus, verdict = _score_kind(options, deal)
    added = tuple(sum(bonus[seat] for seat in side) for side in sides)
    lines = (ScoreLine(_("places"), by_side), ScoreLine(label, tuple(points or None for points in added)))
    return ScoreSheet(lines, tuple(map(sum, zip(by_side, added, strict=True))), verdict)


def score_places(deal: Deal) -> tuple[int, ...]:
    """Return the number of players for the first, one less for each next, and 0 for those who could not go out."""
    place = {seat: index for index, seat in enumerate(deal.finished)}
    return tuple(deal.players - place[seat] if seat in place else 0 for seat in range(deal.players))


def is_contract_made(options: Options, deal: Deal) -> bool:
    """Return whether the first player out is on the bidder's side."""
    return any({deal.bidder, first} <= {*side} for first in deal.finished[:1] for side in options.sides(deal.players))


def _score_kind(options: Options, deal: Deal) -> tuple[Text, tuple[int, ...], Text | None]:
    """Return what the kind or the contract is called, its points by seat, and whether a contract is made.

    The points of a contract are for the bidder, or against them; those of a kind for everybody, or for the chooser.
    """
    seats = range(deal.players)
    if deal.bid is not None:
        bid, is_made = deal.bid, is_contract_made(options, deal)
        verdict = _("{bid} is made.", bid=bid.label) if is_made else _("{bid} is not made.", bid=bid.label)
        points = bid.points if is_made else -bid.points
        return _("contract {bid}", bid=bid.label), tuple(points * (seat == deal.bidder) for seat in seats), verdict
    points = deal.opening.value_in_points if deal.opening else 0
    takes = [not options.chooser_only or seat == deal.chooser for seat in seats]
    return (deal.opening.label if deal.opening else Text("")), tuple(points * taken for taken in takes), None


def _score_foul(options: Options, seats: int, foul: int) -> ScoreSheet:
    fine = TEAM_FINE if options.is_team(seats) else OWN_FINE
    points = tuple(fine if foul in side else 0 for side in options.sides(seats))
    line = ScoreLine(_("rules broken"), tuple(value or None for value in points))
    return ScoreSheet((line,), points, _("The deal is cancelled: {name} has broken the rules.", name=SeatName(foul)))


def get_progress(counts: tuple[Deal, ...]) -> Text | None:
    """Return how many of the place points are assigned."""
    deal = counts[0]
    if deal.foul is not None:
        return None
    points, players = sum(score_places(deal)), deal.players
    return _("{n} of {all} points for places", n=points, all=players * (players + 1) // 2)


def check_tally(options: Options, seats: int, counts: tuple[Deal, ...]) -> Iterator[Violation]:
    """Yield violations of a count entered by hand, binding if it is impossible."""
    for deal in counts:
        if deal.players != seats:
            message = _("Counted for {given} players, but {n} are playing.", given=deal.players, n=seats)
            yield Violation(Rule.PLAYERS, message, binding=True)
            continue
        named = (*deal.order, deal.bidder, deal.chooser, deal.foul)
        strangers = [seat for seat in named if seat is not None and not 0 <= seat < seats]
        for seat in dict.fromkeys(strangers):
            yield Violation(Rule.PLAYERS, refusals.UNKNOWN_SEAT.with_values(n=seat + 1), binding=True)
        if deal.foul is None and not strangers:
            yield from _check_contract(options, deal)
            yield from _check_order(deal)


def _check_contract(options: Options, deal: Deal) -> Iterator[Violation]:
    if options.has_bidding(deal.players):
        if deal.bid is None or deal.opening is not None:
            yield Violation(Rule.CONTRACT, _("The contract is missing: who bid highest, and what?"), binding=True)
    elif deal.bid is not None:
        yield Violation(Rule.CONTRACT, _("There is no bidding here: the kind is chosen."), binding=True)
    elif options.chooser_only and deal.chooser is None:
        yield Violation(Rule.CHOOSING, _("Who chose the kind? Only that player scores its value."), binding=True)
    if deal.chooser is not None and (deal.bid is not None or not options.chooser_only):
        yield Violation(Rule.CHOOSING, _("Who chose the kind doesn’t matter here."), binding=True)


def _check_order(deal: Deal) -> Iterator[Violation]:
    twice = [seat for seat in dict.fromkeys(deal.order) if deal.order.count(seat) > 1]
    for seat in twice:
        message = _("{name} is in the order twice.", name=SeatName(seat))
        yield Violation(Rule.SCORE, message, binding=True)
    if twice:
        return
    if deal.stuck and len(deal.order) == deal.players:
        yield Violation(
            Rule.SCORE, _("Everybody is in the order, so everybody has laid all their cards."), binding=True
        )
    elif deal.stuck and deal.kind in (Kind.PARADA, Kind.MUZICANDO):
        yield _refuse_leftover_notes(deal.kind, deal.players - len(deal.order))


def _refuse_leftover_notes(kind: Kind, stuck: int) -> Violation:
    """Return why players cannot be left with notes: in these kinds only signs can be left (doubts 7 and 14)."""
    if stuck > len(SIGNS):
        message = _(
            "In {kind} only signs can be left, and there are {signs}: {n} players cannot each have kept one.",
            kind=kind.label,
            signs=len(SIGNS),
            n=stuck,
        )
        return Violation(RULES[kind], message, binding=True)
    message = _("In {kind} every note finds its place, so only signs can be left.", kind=kind.label)
    return Violation(RULES[kind], message)
