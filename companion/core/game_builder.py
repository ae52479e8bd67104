"""Building of a game from its parts, and defaults for what follows from its dataclasses."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, replace
from enum import StrEnum
from typing import Never, cast

from companion.core import refusals
from companion.core.defaults import complete_part
from companion.core.explanations import Explanation, PaperSheet, Preparation, PreparationStep
from companion.core.game import (
    About,
    AnyReferee,
    BoardT,
    EntryT,
    Game,
    Help,
    OptionSet,
    Pad,
    PlayT,
    QuestionT,
    Referee,
    StateT,
    Stats,
    Violation,
)
from companion.core.match import Match
from companion.core.protocols import Count, Options, Play, Question, Record, State, Tally
from companion.core.schema import content_names, describe_value, field_names, get_kind_label, get_label
from companion.core.scoring import CountingRule, CountT, OptionsT, Scoring, complete_scoring
from companion.core.text import SeatName, Text, _, format_number

MOST_RELEVANT_RULES = 8
"""How many rules a help page lists as those that matter now."""


def build_game(
    *,
    about: About,
    pad: Pad[OptionsT, CountT],
    options: OptionSet[OptionsT] | None = None,
    rules: type[StrEnum] = CountingRule,
    scoring: Scoring[OptionsT, CountT] | None = None,
    referee: Referee[OptionsT, StateT, PlayT, CountT, BoardT] | None = None,
    help: Help[OptionsT, StateT, EntryT, QuestionT] | None = None,
    stats: Stats[OptionsT, Match] | None = None,
) -> Game:
    """Return a game; its parts are checked against each other by their types, which the app does not know.

    Functions that the parts leave out are derived. See `Game` for what the parts hold.
    """
    game = Game(
        about,
        rules,
        cast("OptionSet[Options]", options or OptionSet()),
        cast("Pad[Options, Count]", pad),
        cast("Scoring[Options, Count]", scoring or Scoring()),
        cast("AnyReferee | None", referee),
        cast("Help[Options, State, Record, Question]", help or Help()),
        cast("Stats[Options, Never]", stats or Stats()),
    )
    scored = complete_scoring(game.scoring, game.pad.counts.values())
    game = replace(game, scoring=scored, referee=_complete_referee(game))
    if callable(game.pad.check):  # otherwise `game_checks` tells
        game = replace(game, pad=replace(game.pad, check=_complete_check(game)))
    return replace(game, help=_complete_help(game))


def _complete_referee(game: Game) -> AnyReferee | None:
    """Return the game's referee, who is never asked about unknown seats, or for candidates once the round is over."""
    referee = game.referee
    if referee is None or not (callable(referee.judge) and callable(referee.candidates)):  # `game_checks` tells
        return referee

    def judge(state: State, play: Play) -> Iterator[Violation]:
        seat = getattr(play, "seat", 0)
        return referee.judge(state, play) if 0 <= seat < state.seats else iter((_refuse_seat(game, seat),))

    def list_candidates(state: State) -> Iterable[Play]:
        return () if state.is_over else referee.candidates(state)

    return replace(referee, judge=judge, candidates=list_candidates)


def _refuse_seat(game: Game, seat: int) -> Violation:
    rule = _choose_rule(game, CountingRule.PLAYERS)
    return Violation(rule, refusals.UNKNOWN_SEAT.with_values(n=seat + 1), binding=True)


def _complete_check(game: Game) -> Callable[[Options, int, Tally], Iterator[Violation]]:
    """Return the pad's own checks, after those that hold for any count: of a seat of the table, and only once."""
    pad = game.pad

    def check_tally(options: Options, seats: int, tally: Tally) -> Iterator[Violation]:
        slots = [(type(count), getattr(count, "seat", None)) for count in tally]
        known = []
        for count, (_cls, seat) in zip(tally, slots, strict=True):
            if seat is None or 0 <= seat < seats:
                known.append(count)
            else:
                yield _refuse_seat(game, seat)
        for (_cls, seat), times in Counter(slots).items():
            if times > 1:
                message = _("This round has been counted already.")
                if seat is not None:
                    message = _("{name} has been counted twice.", name=SeatName(seat))
                yield Violation(pad.count_rule, message, binding=True)
        yield from pad.check(options, seats, tuple(known))

    return check_tally


# Help


def _complete_help(game: Game) -> Help[Options, State, Record, Question]:
    rules = tuple(game.rules)
    has_single_count = len(game.pad.counts) == 1

    def describe(options: Options, entry: Record) -> Text:
        """Return the label of the kind, unless nothing else is counted, and the labelled fields."""
        kind = game.get_kind(entry)
        is_named = kind not in game.pad.counts or not has_single_count
        text = (*((get_kind_label(type(entry), kind),) if is_named else ()), *_describe_fields(entry))
        seat = getattr(entry, "seat", None)
        if seat is None:
            return Text("{parts}", (("parts", text),))
        return _("{name}: {points}", name=SeatName(seat), points=text)

    def explain(state: State, entry: Record) -> Explanation:
        """Return the rule that is named like the kind, or else the first."""
        kind = game.get_kind(entry)
        label = get_kind_label(type(entry), kind)
        return Explanation(_choose_rule(game, kind), label, Text("{parts}", (("parts", _describe_fields(entry)),)))

    def list_steps(options: Options, seats: int) -> Preparation:
        return Preparation(tuple(_iter_steps(game, options, seats)), lot=_("Who starts?") if seats > 1 else None)

    def build_paper_sheet(options: Options, seats: int) -> PaperSheet:
        lines: dict[bool, list[Text]] = {True: [], False: []}
        for cls in game.pad.counts.values():
            lines["seat" in field_names(cls)] += [get_label(cls, name) for name in content_names(cls)]
        is_single = len(lines[True]) == 1 and not lines[False]
        return PaperSheet(() if is_single else tuple(lines[True]), _("points"), tuple(lines[False]))

    defaults: Help[Options, State, Record, Question] = Help(
        describe=describe,
        explain=explain,
        relevant_rules=lambda state: rules[:MOST_RELEVANT_RULES] if game.referee else (),
        preparation=list_steps,
        paper_sheet=build_paper_sheet,
    )
    return complete_part(replace(game.help, counting_rules=game.help.counting_rules or rules), defaults)


def _describe_fields(entry: Record) -> tuple[Text, ...]:
    """Return the fields with their labels, without those that have their default value."""
    return tuple(
        _("{category} {n}", category=get_label(type(entry), part.name), n=describe_value(entry, part.name))
        for part in fields(entry)
        if part.name != "seat" and getattr(entry, part.name) != part.default
    )


def _choose_rule(game: Game, name: str) -> StrEnum:
    return next((rule for rule in game.rules if rule == name), next(iter(game.rules)))


def _iter_steps(game: Game, options: Options, seats: int) -> Iterator[PreparationStep]:
    """Yield the options that have been agreed on, and the number of rounds."""
    for part in fields(options):
        if part.name not in ("dealer", "rounds") and getattr(options, part.name) not in (False, None, ()):
            label = get_label(type(options), part.name)
            yield PreparationStep(_choose_rule(game, part.name), label, describe_value(options, part.name))
    rounds = game.scoring.round_count(options, seats)
    count = _("as many as you like") if rounds is None else format_number(rounds)
    yield PreparationStep(game.scoring.match_rule, _("Rounds"), count)
