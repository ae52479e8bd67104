"""Form for the calculator: the counts of one round, without a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from secrets import token_urlsafe
from urllib.parse import urlencode

from django.http import QueryDict

from companion.core.game import Game
from companion.core.log import Log
from companion.core.match import Match
from companion.core.notation import build_options
from companion.core.schema import Malformed, is_sequence, parse_whole_number
from companion.core.text import Text, _
from companion.games import get_game
from companion.tables.forms import entry, pad
from companion.tables.forms.entry import Intent
from companion.tables.forms.new_table import join_nonblank
from companion.tables.forms.pad import Preview
from companion.tables.models import Table
from companion.tables.services.entries import NewEntry

DEFAULT_SEATS = 3
"""Initial number of players, if the game allows it."""


@dataclass(frozen=True)
class Calculation:
    """A parsed form: a match of one round, its filled boxes and their score."""

    match: Match
    options: Mapping[str, str]
    boxes: Mapping[str, Sequence[str]]
    preview: Preview
    error: Text | None = None
    missing: Text | None = None
    """Which boxes a requested result still needs."""


def parse_calculation(data: QueryDict, game: Game) -> Calculation:
    """Parse the form; malformed seats or options are reported in `error` and replaced by the defaults."""
    seats = DEFAULT_SEATS if DEFAULT_SEATS in game.about.seats else game.about.seats[0]
    error: Text | None = None
    posted = {name.removeprefix("option."): words for name, words in data.lists() if name.startswith("option.")}
    options = {
        name: join_nonblank(words) if is_sequence(game.options.cls, name) else words[-1]
        for name, words in posted.items()
        if words[-1]
    }
    try:
        posted_seats = parse_whole_number(data.get("seats", str(seats)))
        seats = posted_seats if posted_seats in game.about.seats else seats
        match = Match(game, build_options(game, posted_seats, options), posted_seats)
    except Malformed as malformed:
        error, options = malformed.text, {}
        match = Match(game, game.options.cls(), seats)
    boxes = _drop_stale_boxes(get_boxes(data), match)
    preview = pad.preview_posted_counts(_build_pad_data(boxes), match)
    is_unscored = preview.sheet is None and not (preview.violations or preview.malformed)
    is_missing = boxes and "change" not in data and is_unscored
    return Calculation(
        match, options, boxes, preview, error, _describe_missing(match, boxes, preview) if is_missing else None
    )


def _describe_missing(match: Match, boxes: Mapping[str, Sequence[str]], preview: Preview) -> Text:
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


def list_box_fields(data: QueryDict) -> list[tuple[str, str]]:
    """Return the boxes as pairs for hidden form fields."""
    return [(name, word) for name, words in get_boxes(data).items() for word in words]


def build_new_entries(data: QueryDict, table: Table, seats: int) -> list[NewEntry]:
    """Return the counts as new entries of a table's first round. Raises Malformed."""
    game = get_game(table.game)
    match = Match(game, build_options(game, seats, table.options), seats)
    boxes = _drop_stale_boxes(get_boxes(data), match)
    if not any(word.strip() for words in boxes.values() for word in words):
        return []
    posted = entry.parse_entry(_build_pad_data(boxes, get_insisted_rules(data)), game)
    return entry.build_new_entries(posted, Log(match))


def get_insisted_rules(data: QueryDict) -> list[str]:
    """Return the ids of the rules to overrule."""
    return data.getlist("insist") if data.get("action") == "insist" else []


def _build_pad_data(boxes: Mapping[str, Sequence[str]], insists: Sequence[str] = ()) -> QueryDict:
    """Return the data that the pad of a first round would post."""
    fields = {"key": token_urlsafe(12), "intent": Intent.COUNTS, "round": 1, "insist": insists, **boxes}
    return QueryDict(urlencode(fields, doseq=True))


def _drop_stale_boxes(boxes: Mapping[str, Sequence[str]], match: Match) -> dict[str, Sequence[str]]:
    """Drop boxes that are gone since the number of players or the options changed."""
    current: dict[str, Sequence[str]] = {}
    for name, words in boxes.items():
        kind, seat, field = (*name.split(".", 2), "", "")[:3]
        if not seat.isdecimal() or seat in map(str, range(match.seats)):
            limit = pad.count_boxes(match, kind, field) if len(words) > 1 else 1
            current[name] = list(words[:limit])
    return current
