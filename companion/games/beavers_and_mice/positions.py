"""Positions of Beavers and Mice to check without a table."""

from dataclasses import dataclass, replace
from typing import ClassVar

from companion.core.explanations import Position, Proposal
from companion.core.schema import LabelledEnum, field
from companion.core.text import _
from companion.games.beavers_and_mice.deck import NUMBERS, SPECIALS, Face
from companion.games.beavers_and_mice.plays import (
    Discard,
    Exchange,
    Knock,
    Options,
    Peek,
    Play,
    Slot,
    Swap,
    Take,
    TurnUp,
    TwoChances,
)
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


_DRAWN_FACES = {
    Intention.TAKE_AFTER_DRAWING: tuple(Face),
    Intention.KEEP_NUMBER: NUMBERS,
    Intention.KEEP_SPECIAL: SPECIALS,
    Intention.EXCHANGE: (Face.EXCHANGE,),
    Intention.PEEK: (Face.PEEK,),
    Intention.TWO_CHANCES: (Face.TWO_CHANCES,),
    Intention.DISCARD: tuple(Face),
}
"""Possible faces of a card drawn beforehand; no card is drawn for other intentions."""


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
    state = replace(state, drawn=_DRAWN_FACES.get(question.act, ()))
    return Position(state, (Proposal(question.act.label, _build_play(question)),))


def _end_turn(state: State, top: Face) -> State:
    """End the turn: discard a card like the one on top, in exchange for it or as the last chance."""
    if not state.chances:
        return apply(state, Take(ME, Slot.FIRST, top))
    while state.chances:
        state = apply(state, Discard(ME, top))
    return state


def _build_state(question: Turn) -> State:
    state = apply(setup(Options(dealer=LAST), LAST + 1, 0), TurnUp(LAST, question.top))
    if question.stage is Stage.FIRST_TURNS:
        return state
    state = replace(state, had_turn=frozenset((ME, NEXT, LAST)), acted=LAST)
    match question.stage:
        case Stage.KNOCKED:
            return apply(state, Knock(LAST))
        case Stage.CHANCES:
            return apply(replace(state, acted=None), TwoChances(ME))
        case _:
            return replace(state, acted=None)


def _build_play(question: Turn) -> Play:
    match question.act:
        case Intention.TAKE | Intention.TAKE_AFTER_DRAWING:
            return Take(ME, Slot.FIRST, Face.ZERO)
        case Intention.KEEP_NUMBER | Intention.KEEP_SPECIAL:
            return Swap(ME, Slot.FIRST, Face.ZERO)
        case Intention.EXCHANGE:
            return Exchange(ME, Slot.FIRST, LAST, Slot.FIRST)
        case Intention.PEEK:
            return Peek(ME, Slot.FIRST)
        case Intention.TWO_CHANCES:
            return TwoChances(ME)
        case Intention.DISCARD:
            return Discard(ME, Face.ZERO)
        case _:
            return Knock(ME)
