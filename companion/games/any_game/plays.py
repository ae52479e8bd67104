"""Options and counts of Any Game, and their text in the log."""

from dataclasses import dataclass

from companion.core.game import Preset
from companion.core.schema import Choice, LabelledEnum, Seated, encode, field, field_names
from companion.core.text import SeatName, Text, _, format_number, ngettext

MAX_NAME_LENGTH = 40
MAX_CATEGORY_LENGTH = 24
MAX_CATEGORIES = 12
MAX_ROUNDS = 99
MAX_KEY_LENGTH = 200
MAX_POINTS = 999_999
"""Limit for a box, a start score or a target: what a column on a phone has room for."""


class Wins(LabelledEnum):
    """How the winner is decided, or that the table shares one result."""

    HIGHEST = "highest", _("The highest total")
    LOWEST = "lowest", _("The lowest total")
    SHARED = "shared", _("Nobody: one shared result")


@dataclass(frozen=True)
class Options:
    """The sheet: everything a table enters about a game that has no folder; `dealer` has no meaning."""

    dealer: int = 0
    name: str = field(_("What do you play?"), max_length=MAX_NAME_LENGTH, default="")
    wins: Wins = field(_("Winner"), default=Wins.HIGHEST)
    teams: int = field(
        _("Sides"),
        _("Partners sit alternately: with two teams, every other player is a partner."),
        choices=(
            Choice("0", _("Each for themselves")),
            *(Choice(str(n), ngettext("{n} team", "{n} teams", n)) for n in range(2, 7)),
        ),
        default=0,
    )
    categories: tuple[str, ...] = field(
        _("Categories"),
        _("Only if points are counted by category. Separate them with commas: coins, cards, tricks."),
        max_length=MAX_CATEGORY_LENGTH,
        default=(),
    )
    rounds: int | None = field(
        _("Rounds"),
        _("Blank: as many as you like. With categories and no target, blank means a single round."),
        range_=range(1, MAX_ROUNDS + 1),
        default=None,
    )
    target: int | None = field(
        _("Target"),
        _("The match ends with the round in which somebody reaches this total, counting up or down."),
        default=None,
    )
    start: int = field(_("Start score"), _("What everybody starts with."), default=0)


def list_boxes(options: Options, seats: int) -> tuple[Text, ...]:
    """Return a box per category, or a single one."""
    return tuple(map(translate_category, options.categories)) or (_("points"),)


def translate_category(name: str) -> Text:
    """Return a category in the table's own words."""
    return Text("{name}", (("name", name),))


@dataclass(frozen=True)
class Count(Seated):
    """The points of a side in a round, by category; `seat` is the first seat of the side."""

    points: tuple[int, ...] = field(_("points"), box_labels=list_boxes, accepts_sums=True)

    @property
    def total(self) -> int:
        return sum(self.points)


def describe(options: Options, entry: Count) -> Text:
    """Return the text of an entry in the log."""
    points = _describe_points(options, entry.points)
    if options.wins is Wins.SHARED:
        return _("Everybody: {points}", points=points)
    if options.teams:
        return _("Team of {name}: {points}", name=SeatName(entry.seat), points=points)
    return _("{name}: {points}", name=SeatName(entry.seat), points=points)


def _describe_points(options: Options, points: tuple[int, ...]) -> Text | tuple[Text, ...]:
    if len(points) != len(options.categories):
        return tuple(format_number(number) for number in points)
    parts = tuple(
        _("{category} {n}", category=name, n=number) for name, number in zip(options.categories, points, strict=True)
    )
    return _("{parts} = {sum}", parts=parts, sum=sum(points)) if len(parts) > 1 else parts


def list_presets(options: Options) -> tuple[Preset, ...]:
    """Return the sheet under its name, ignoring case; blanks are saved too, and replace an earlier sheet's values."""
    if not options.name:
        return ()
    encoded = encode(options)
    words = {name: encoded.get(name, "") for name in field_names(Options) if name != "dealer"}
    return (Preset(options.name.casefold()[:MAX_KEY_LENGTH], Text("{name}", (("name", options.name),)), words),)
