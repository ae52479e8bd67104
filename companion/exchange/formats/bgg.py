"""Tables as plays of BoardGameGeek: the elements of its XML, and the names of its form as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from tempfile import TemporaryFile
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from django.utils.timezone import localtime

from companion.avatars import COLOURS
from companion.exchange.export_records import TableRecord
from companion.exchange.formats.comments import format_comment, format_variant, get_seat_names

Values = dict[str, Any]


def write_json(records: Iterable[TableRecord]) -> Iterator[str]:
    """The plays in the names of the form that takes them; `objectname` is ours: nobody knows the number of a game."""
    yield '{"plays":['
    for index, record in enumerate(records):
        yield (",\n" if index else "\n") + json.dumps(build_play(record), ensure_ascii=False, separators=(",", ":"))
    yield "\n]}\n"


def write_xml(records: Iterable[TableRecord]) -> Iterator[str]:
    """The plays as they are answered to whoever asks for them; how many there are stands before the first."""
    with TemporaryFile("w+", encoding="utf-8", newline="") as kept:
        total = 0
        for total, record in enumerate(records, 1):
            kept.write(ElementTree.tostring(_build_element(build_play(record), total), encoding="unicode") + "\n")
        kept.seek(0)
        yield '<?xml version="1.0" encoding="utf-8"?>\n'
        yield f'<plays username="" userid="" total="{total}" page="1">\n'
        yield from kept
        yield "</plays>\n"


def is_bgg_file(found: Any) -> bool:
    """Whether plain data is such a file: its plays have days in the words of the form."""
    plays = found.get("plays") if isinstance(found, dict) else None
    return isinstance(plays, list) and bool(plays) and isinstance(plays[0], dict) and "playdate" in plays[0]


def build_play(record: TableRecord) -> Values:
    """One play; numbers of games and names of accounts are not known here."""
    said = filter(None, (format_variant(record), format_comment(record)))
    return {
        "playdate": f"{localtime(record.began_at):%Y-%m-%d}",
        "length": record.minutes or 0,
        "location": record.place,
        "quantity": 1,
        "incomplete": int(not record.is_finished),
        "nowinstats": int(not record.is_finished),
        "comments": "\n\n".join(said),
        "objectid": 0,
        "objecttype": "thing",
        "objectname": str(record.called),
        "players": [_build_player(record, seat, name) for seat, name in enumerate(get_seat_names(record))],
    }


def _build_player(record: TableRecord, seat: int, name: str) -> Values:
    guest = record.seats[seat]
    return {
        "name": name,
        "username": "",
        "color": str(COLOURS[guest.colour]) if guest.name and guest.colour < len(COLOURS) else "",
        "position": str(seat + 1),
        "score": str(record.total(seat)) if record.match.finished_rounds else "",
        "rating": 0,
        "new": 0,
        "win": int(record.has_won(seat)),
    }


def _build_element(values: Values, number: int) -> Element:
    named = {"date": "playdate", **{name: name for name in _PLAY_ATTRIBUTES}}
    own = Element("play", {"id": str(number), **{name: str(values[said]) for name, said in named.items()}})
    item = {"name": values["objectname"], "objecttype": "thing", "objectid": str(values["objectid"])}
    kinds = SubElement(SubElement(own, "item", item), "subtypes")
    SubElement(kinds, "subtype", {"value": "boardgame"})
    SubElement(own, "comments").text = values["comments"]
    players = SubElement(own, "players")
    for player in values["players"]:
        said = {"startposition" if name == "position" else name: str(value) for name, value in player.items()}
        SubElement(players, "player", {**said, "userid": "0"})
    return own


_PLAY_ATTRIBUTES = ("quantity", "length", "incomplete", "nowinstats", "location")
