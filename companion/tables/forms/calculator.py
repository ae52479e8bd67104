"""Counting without a table: a round that is only imagined, read from a form, and kept if somebody wants to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from secrets import token_urlsafe

from django.http import QueryDict

from companion.core.game import Game
from companion.core.match import Match
from companion.core.notation import build_options
from companion.core.schema import Malformed, is_sequence, parse_whole_number
from companion.core.text import Text, _
from companion.tables.forms import entry, pad
from companion.tables.forms.new_table import join_nonblank
from companion.tables.forms.pad import Preview
from companion.tables.log_cache import get_table_game
from companion.tables.models import Table
from companion.tables.services.entries import NewEntry

DEFAULT_SEATS = 3
"""How many players the form begins with, where the game is for so many."""


@dataclass(frozen=True)
class Calculation:
    """An imagined round: the match it belongs to, what is in the boxes, and what that comes to."""

    match: Match
    options: Mapping[str, str]
    boxes: Mapping[str, Sequence[str]]
    preview: Preview
    error: Text | None = None
    missing: Text | None = None
    """What a result wants that was asked for and is not there."""


def parse_calculation(data: QueryDict, game: Game) -> Calculation:
    """The form; what cannot be read of seats and options is named, and the usual ones stand in for it."""
    seats = DEFAULT_SEATS if DEFAULT_SEATS in game.seats else game.seats[0]
    error: Text | None = None
    given = {name: str(word) for name, word in data.items() if name.startswith("option.") and word}
    options = {name.removeprefix("option."): word for name, word in given.items()}
    parts = {name: data.getlist(f"option.{name}") for name in options if is_sequence(game.options, name)}
    options |= {name: join_nonblank(words) for name, words in parts.items()}
    try:
        asked = parse_whole_number(data.get("seats", str(seats)))
        seats = asked if asked in game.seats else seats
        match = Match(game, build_options(game, asked, options), asked)
    except Malformed as malformed:
        error, options = malformed.text, {}
        match = Match(game, game.options(), seats)
    found = _drop_stale_boxes(get_boxes(data), match)
    seen = pad.preview_posted_counts(_build_pad_data(found), match)
    is_asked = found and "change" not in data and seen.sheet is None and not (seen.violations or seen.malformed)
    return Calculation(match, options, found, seen, error, _describe_missing(match, found, seen) if is_asked else None)


def _describe_missing(match: Match, found: Mapping[str, Sequence[str]], seen: Preview) -> Text:
    """Which box is blank, or whose count."""
    try:
        entry.build_new_entries(entry.parse_entry(_build_pad_data(found), match.game), match)
    except Malformed as error:
        return error.text
    names = tuple(pad.format_side_name(match.seats, (own.seat,)) for own in seen.sums if not own.is_filled)
    return _("Not counted yet: {names}", names=names)


def get_boxes(data: QueryDict) -> dict[str, list[str]]:
    """The boxes of counts in a form, whatever else there is."""
    return {name: words for name, words in data.lists() if "." in name and not name.startswith("option.")}


def list_box_fields(data: QueryDict) -> list[tuple[str, str]]:
    """The same as pairs, to be carried on in hidden fields."""
    return [(name, word) for name, words in get_boxes(data).items() for word in words]


def build_new_entries(data: QueryDict, table: Table, seats: int) -> list[NewEntry]:
    """The counts of the form as entries of a table's first round. Raises Malformed."""
    game = get_table_game(table)
    match = Match(game, build_options(game, seats, table.options), seats)
    found = _drop_stale_boxes(get_boxes(data), match)
    if not any(word.strip() for words in found.values() for word in words):
        return []
    return entry.build_new_entries(entry.parse_entry(_build_pad_data(found, get_insisted_rules(data)), game), match)


def get_insisted_rules(data: QueryDict) -> list[str]:
    """The rules that the table overrules so that the counts are kept."""
    return data.getlist("insist") if data.get("action") == "insist" else []


def _build_pad_data(found: Mapping[str, Sequence[str]], overruled: Sequence[str] = ()) -> QueryDict:
    """The boxes as the pad of a first round would post them."""
    data = QueryDict(mutable=True)
    data.setlist("insist", list(overruled))
    data["key"], data["round"] = token_urlsafe(12), "1"
    for name, words in found.items():
        data.setlist(name, list(words))
    return data


def _drop_stale_boxes(found: Mapping[str, Sequence[str]], match: Match) -> dict[str, Sequence[str]]:
    """The boxes without those that are no longer there, after the number of players or the options have changed."""
    kept: dict[str, Sequence[str]] = {}
    for name, words in found.items():
        kind, seat, field = (*name.split(".", 2), "", "")[:3]
        if not seat.isdecimal() or seat in map(str, range(match.seats)):
            most = pad.count_boxes(match, kind, field) if len(words) > 1 else 1
            kept[name] = list(words[:most])
    return kept
