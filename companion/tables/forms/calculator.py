"""Form for the calculator: the counts of one round, without a table."""

from collections import Counter
from collections.abc import Mapping, Sequence
from secrets import token_urlsafe
from urllib.parse import urlencode

from django.http import QueryDict

from companion.core.game import Game
from companion.core.log import Log
from companion.core.match import Match
from companion.core.notation import build_options
from companion.core.schema import Malformed, parse_whole_number
from companion.core.text import Text, _
from companion.tables.forms import entry, pad
from companion.tables.forms.entry import Intent
from companion.tables.forms.new_table import parse_options
from companion.tables.forms.pad import Preview
from companion.tables.services.entries import NewEntry

DEFAULT_SEATS = 3
"""Initial number of players, if the game allows it."""


def parse_round(data: QueryDict, game: Game) -> tuple[Match, Mapping[str, str], Text | None]:
    """Return a match of the posted seats and options, the options, and what is wrong with them, if anything.

    If something is wrong, the defaults take its place.
    """
    seats = DEFAULT_SEATS if DEFAULT_SEATS in game.about.seats else game.about.seats[0]
    try:
        posted_seats = parse_whole_number(data.get("seats", str(seats)))
        seats = posted_seats if posted_seats in game.about.seats else seats
        options = parse_options(data, game)
        return Match(game, build_options(game, posted_seats, options), posted_seats), options, None
    except Malformed as malformed:
        return Match(game, game.options.cls(), seats), {}, malformed.text


def parse_boxes(data: QueryDict, match: Match) -> dict[str, list[str]]:
    """Return the posted boxes, without those that are gone since the number of players or the options changed."""
    sizes = Counter(box.name for group in pad.build_groups(match.get_round(1), {}) for box in group.boxes)
    return {name: data.getlist(name)[:size] for name, size in sizes.items() if name in data}


def preview_boxes(match: Match, boxes: Mapping[str, Sequence[str]]) -> Preview:
    """Score the boxes as far as they are filled in."""
    return pad.preview_posted_counts(_build_pad_data(boxes), match)


def describe_missing(match: Match, boxes: Mapping[str, Sequence[str]], preview: Preview) -> Text:
    """Name the first blank box, or else the players not counted yet."""
    try:
        entry.build_new_entries(entry.parse_entry(_build_pad_data(boxes), match.game), Log(match))
    except Malformed as error:
        return error.text
    names = tuple(pad.format_side_name(match.seats, (points.seat,)) for points in preview.sums if not points.is_filled)
    return _("Not counted yet: {names}", names=names)


def get_boxes(data: QueryDict) -> dict[str, list[str]]:
    """Return the boxes of counts among the posted fields."""
    return {name: words for name, words in data.lists() if "." in name and not name.startswith("option.")}


def build_new_entries(data: QueryDict, match: Match) -> list[NewEntry]:
    """Return the counts as new entries of the first round of a table. Raises Malformed."""
    boxes = parse_boxes(data, match)
    if not any(word.strip() for words in boxes.values() for word in words):
        return []
    posted = entry.parse_entry(_build_pad_data(boxes, get_insisted_rules(data)), match.game)
    return entry.build_new_entries(posted, Log(match))


def get_insisted_rules(data: QueryDict) -> list[str]:
    """Return the ids of the rules to overrule."""
    return data.getlist("insist") if data.get("action") == "insist" else []


def _build_pad_data(boxes: Mapping[str, Sequence[str]], insists: Sequence[str] = ()) -> QueryDict:
    """Return the data that the pad of a first round would post."""
    fields = {"key": token_urlsafe(12), "intent": Intent.COUNTS, "round": 1, "insist": insists, **boxes}
    return QueryDict(urlencode(fields, doseq=True))
