"""BoardGameGeek plays, as XML of its API and as JSON of its form. Export only."""

from collections.abc import Iterable, Iterator
from tempfile import TemporaryFile
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from django.utils.timezone import localtime

from companion.avatars import COLOURS
from companion.exchange.export_records import TableRecord
from companion.exchange.formats.encoding import iter_json_rows

Values = dict[str, Any]


def write_json(records: Iterable[TableRecord]) -> Iterator[str]:
    """Write the plays with the field names of BoardGameGeek's form; `objectname` replaces the unknown game id."""
    yield '{"plays":['
    yield from iter_json_rows(map(build_play, records))
    yield "\n]}\n"


def write_xml(records: Iterable[TableRecord]) -> Iterator[str]:
    """Write the plays as the API returns them, with their total in the root element."""
    with TemporaryFile("w+", encoding="utf-8", newline="") as buffer:
        total = 0
        for total, record in enumerate(records, 1):
            buffer.write(ElementTree.tostring(_build_element(build_play(record), total), encoding="unicode") + "\n")
        buffer.seek(0)
        yield '<?xml version="1.0" encoding="utf-8"?>\n'
        yield f'<plays username="" userid="" total="{total}" page="1">\n'
        yield from buffer
        yield "</plays>\n"


def is_bgg_file(document: Any) -> bool:
    """Return whether parsed JSON is a file written by `write_json`."""
    plays = document.get("plays") if isinstance(document, dict) else None
    return isinstance(plays, list) and bool(plays) and isinstance(plays[0], dict) and "playdate" in plays[0]


def build_play(record: TableRecord) -> Values:
    """Return a play, without the unknown ids of games and accounts."""
    texts = filter(None, (record.variant, record.format_comment()))
    return {
        "playdate": f"{localtime(record.table.began_at):%Y-%m-%d}",
        "length": record.table.minutes or 0,
        "location": record.place,
        "quantity": 1,
        "incomplete": int(not record.is_finished),
        "nowinstats": int(not record.is_finished),
        "comments": "\n\n".join(texts),
        "objectid": 0,
        "objecttype": "thing",
        "objectname": str(record.game_name),
        "players": [_build_player(record, seat) for seat in range(len(record.seats))],
    }


def _build_player(record: TableRecord, seat: int) -> Values:
    player = record.seats[seat]
    return {
        "name": record.names[seat],
        "username": "",
        "color": str(COLOURS[player.colour]) if player.name and player.colour < len(COLOURS) else "",
        "position": str(seat + 1),
        "score": str(record.get_total(seat)) if record.match.finished_rounds else "",
        "rating": 0,
        "new": 0,
        "win": int(record.has_won(seat)),
    }


def _build_element(values: Values, number: int) -> Element:
    named = {"date": "playdate", **{name: name for name in _PLAY_ATTRIBUTES}}
    play = Element("play", {"id": str(number), **{name: str(values[field]) for name, field in named.items()}})
    item = {"name": values["objectname"], "objecttype": "thing", "objectid": str(values["objectid"])}
    kinds = SubElement(SubElement(play, "item", item), "subtypes")
    SubElement(kinds, "subtype", {"value": "boardgame"})
    SubElement(play, "comments").text = values["comments"]
    players = SubElement(play, "players")
    for player in values["players"]:
        attributes = {"startposition" if name == "position" else name: str(value) for name, value in player.items()}
        SubElement(players, "player", {**attributes, "userid": "0"})
    return play


_PLAY_ATTRIBUTES = ("quantity", "length", "incomplete", "nowinstats", "location")
