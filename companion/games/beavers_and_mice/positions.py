"""Positions of Beavers and Mice to check without a table."""

from dataclasses import dataclass, replace
from typing import ClassVar

from companion.core.explanations import Position, Proposal
from companion.core.schema import LabelledEnum, field
from companion.core.text import _
from companion.games.beavers_and_mice import plays
from companion.games.beavers_and_mice.deck import NUMBERS, SPECIALS, Face
from companion.games.beavers_and_mice.plays import Slot
from companion.games.beavers_and_mice.state import State, apply, setup

ME, NEXT, LAST = range(3)
"""A table of three: ME asks and begins the round, LAST deals and is the one who knocks."""


class Stage(LabelledEnum):
    """Stage of the round, on which knocking and taking a discard depend."""

    FIRST_TURNS = "first-turns", _("others have not had a turn yet")
    ALL_HAD_ONE = "all-had-one", _("all others have had a turn")
    KNOCKED = "knocked", _("somebody else has knocked")
    CHANCES = "chances", _("I am playing Two Chances")


class Intention(LabelledEnum):
    """Play that the player would like to make."""

    TAKE = "take", _("take the top discard")
    TAKE_AFTER_DRAWING = "take-after-drawing", _("draw, then take the discard")
    KEEP_NUMBER = "keep-number", _("keep a drawn number")
    KEEP_SPECIAL = "keep-special", _("keep a drawn special")
    EXCHANGE = "exchange", _("play a drawn Exchange")
    PEEK = "peek", _("play a drawn Peek")
    TWO_CHANCES = "two-chances", _("play a drawn Two Chances")
    DISCARD = "discard", _("discard a drawn card")
    KNOCK = "knock", _("knock after my turn")
    KNOCK_INSTEAD = "knock-instead", _("knock instead of a turn")


_PLAYS: dict[Intention, tuple[plays.Play, tuple[Face, ...]]] = {
    Intention.TAKE: (plays.Take(ME, Slot.FIRST, Face.ZERO), ()),
    Intention.TAKE_AFTER_DRAWING: (plays.Take(ME, Slot.FIRST, Face.ZERO), tuple(Face)),
    Intention.KEEP_NUMBER: (plays.Swap(ME, Slot.FIRST, Face.ZERO), NUMBERS),
    Intention.KEEP_SPECIAL: (plays.Swap(ME, Slot.FIRST, Face.ZERO), SPECIALS),
    Intention.EXCHANGE: (plays.Exchange(ME, Slot.FIRST, LAST, Slot.FIRST), (Face.EXCHANGE,)),
    Intention.PEEK: (plays.Peek(ME, Slot.FIRST), (Face.PEEK,)),
    Intention.TWO_CHANCES: (plays.TwoChances(ME), (Face.TWO_CHANCES,)),
    Intention.DISCARD: (plays.Discard(ME, Face.ZERO), tuple(Face)),
    Intention.KNOCK: (plays.Knock(ME), ()),
    Intention.KNOCK_INSTEAD: (plays.Knock(ME), ()),
}
"""The play of each intention, and the possible faces of a card drawn before it, if one is drawn."""


@dataclass(frozen=True)
class Turn:
    """My turn: the top discard, the stage of the round and my intention."""

    title: ClassVar = _("My turn")
    acts: ClassVar = tuple(Intention)
    stages: ClassVar = tuple(Stage)

    top: Face = field(_("Top discard"), default=Face.FIVE)
    stage: Stage = field(_("The round"), default=Stage.ALL_HAD_ONE)
    act: Intention | None = field(_("I’d like to …"), default=None)


def build_position(question: Turn) -> Position:
    """Build a position; every combination of top, stage and intention is possible."""
    state = _build_state(question)
    if question.act is None:
        return Position(state)
    if question.act is Intention.KNOCK:
        state = _end_turn(state, question.top)
    play, drawn = _PLAYS[question.act]
    return Position(replace(state, drawn=drawn), (Proposal(question.act.label, play),))


def _end_turn(state: State, top: Face) -> State:
    """End the turn: discard a card like the one on top, in exchange for it or as the last chance."""
    if not state.chances:
        return apply(state, plays.Take(ME, Slot.FIRST, top))
    while state.chances:
        state = apply(state, plays.Discard(ME, top))
    return state


def _build_state(question: Turn) -> State:
    state = apply(setup(plays.Options(dealer=LAST), LAST + 1, 0), plays.TurnUp(LAST, question.top))
    if question.stage is Stage.FIRST_TURNS:
        return state
    state = replace(state, had_turn=frozenset((ME, NEXT, LAST)), acted=LAST)
    match question.stage:
        case Stage.KNOCKED:
            return apply(state, plays.Knock(LAST))
        case Stage.CHANCES:
            return apply(replace(state, acted=None), plays.TwoChances(ME))
        case _:
            return replace(state, acted=None)
