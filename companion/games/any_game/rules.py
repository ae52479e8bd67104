"""Rules of Any Game: violations of a sheet."""

from collections.abc import Iterator
from enum import StrEnum

from companion.core import refusals
from companion.core.game import Violation
from companion.core.text import _, ngettext
from companion.games.any_game.plays import MAX_CATEGORIES, MAX_POINTS, Options, Wins


class Rule(StrEnum):
    """Rules that a violation can name; each is a section of the rulebook."""

    PLAYERS = "players"
    TEAMS = "teams"
    SHARED = "shared"
    POINTS = "points"
    CATEGORIES = "categories"
    START = "start"
    TARGET = "target"
    END = "end"


def check_options(options: Options, seats: int) -> Iterator[Violation]:
    """Yield violations of a sheet for this number of players; all are binding."""
    if options.wins is Wins.SHARED and options.teams:
        yield Violation(Rule.SHARED, _("One shared result means that there are no teams."), binding=True)
    elif options.teams > seats:
        message = ngettext(
            "{n} player cannot make {teams} teams.",
            "{n} players cannot make {teams} teams.",
            seats,
            teams=options.teams,
        )
        yield Violation(Rule.TEAMS, message, binding=True)
    yield from _check_categories(options)
    for rule, number in ((Rule.START, options.start), (Rule.TARGET, options.target or 0)):
        if abs(number) > MAX_POINTS:
            yield Violation(rule, refusals.TOO_MANY_POINTS.with_values(n=number, most=MAX_POINTS), binding=True)
    if options.target == options.start:
        message = _("Everybody starts with {n}, so a target of {n} is reached before the first round.", n=options.start)
        yield Violation(Rule.TARGET, message, binding=True)


def _check_categories(options: Options) -> Iterator[Violation]:
    names = [name.casefold() for name in options.categories]
    if len(names) > MAX_CATEGORIES:
        message = _("{n} categories are too many: at most {most}.", n=len(names), most=MAX_CATEGORIES)
        yield Violation(Rule.CATEGORIES, message, binding=True)
    twice = next((name for name in options.categories if names.count(name.casefold()) > 1), None)
    if twice is not None:
        yield Violation(Rule.CATEGORIES, _("Two categories are called “{name}”.", name=twice), binding=True)
