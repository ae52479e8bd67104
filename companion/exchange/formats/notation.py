"""A table in the notation: the match as text, with comments for what the notation has no words for; and its reader."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from django.utils.timezone import localtime

from companion import limits
from companion.core.match import CONFIRM, Match, Step
from companion.core.notation import Replay, replay_notation, write_notation
from companion.core.notation_lexer import HEADER, ROUND, NotationError, read_lines
from companion.core.schema import encode
from companion.core.text import _
from companion.exchange.export_records import TableRecord
from companion.exchange.formats.zip_stream import stream_zip
from companion.exchange.import_data import BadFile, ImportedEntry, ImportedPlayer, ImportedTable, ImportFile
from companion.exchange.safe_json import decode_text
from companion.exchange.validation import YEARS, check_start, clean_text
from companion.games import get_games
from companion.people.validators import clean_name, clean_note, clean_place
from companion.tables.models import Table
from companion.web.i18n import translate_plain

KIND = "notation"
_TABLE_COMMENT = re.compile(r"# (?:(began|ended|place|note)|seat ([0-9]{1,2})):? (.+)", re.ASCII)
_ID = re.compile(r"# table ([A-Za-z0-9_-]{1,40})")


def format_table(record: TableRecord) -> str:
    """The match, under what else is known of the table."""
    said = [f"table {record.public_id}", f"began {_format_time(record.began_at)}"]
    said += [f"ended {_format_time(record.ended_at)}"] if record.ended_at else []
    said += [f"place {record.place}"] if record.place else []
    said += [f"note {line}" for line in record.note.split("\n") if line]
    said += [f"seat {guest.seat}: {guest.name}" for guest in record.seats if guest.name]
    return "".join(f"# {line}\n" for line in said) + write_notation(record.match)


def write_archive(records: Iterable[TableRecord]) -> Iterator[bytes]:
    """A file a table, together in one."""
    return stream_zip((_file_name(record), (format_table(record).encode(),)) for record in records)


def _file_name(record: TableRecord) -> str:
    return f"{localtime(record.began_at):%Y-%m-%d}-{record.game.slug}-{record.public_id}.txt"


def _format_time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()


def parse_file(data: bytes, name: str) -> ImportFile:
    """One match, of a file of that name. Raises BadFile with the line."""
    text = decode_text(data)
    try:
        _check_length(text)
        found = replay_notation(text, get_games())
    except NotationError as error:
        raise BadFile(f"line {error.line}", error.text) from None
    for verdict in found.problems:
        raise BadFile(f"line {verdict.line}", verdict.problem or _("There is no such kind of entry."))
    beside = _parse_comments(text, found.match.seats)
    people = tuple(ImportedPlayer(own, own) for own in beside.seats)
    return ImportFile(KIND, people, (_build_table(found, beside, text, name),))


def _check_length(text: str) -> None:
    """Raises BadFile for more entries than any table has, before they are judged."""
    count = 0
    for line in read_lines(text):
        count += line.word not in (*HEADER, ROUND, "=", "==")
        if count > limits.MAX_ENTRIES:
            raise BadFile(f"line {line.number}", _("This log is too long: at most {n} entries.", n=limits.MAX_ENTRIES))


@dataclass
class _TableComments:
    """What the comments say."""

    seats: list[str]
    place: str = ""
    notes: list[str] = field(default_factory=list)
    times: dict[str, datetime] = field(default_factory=dict)


def _parse_comments(text: str, seats: int) -> _TableComments:
    """What the comments on top say of the table. Raises BadFile for what cannot be said of one."""
    found = _TableComments([""] * seats)
    for number, line in enumerate(text.splitlines(), 1):
        if line and not line.startswith("#"):
            break
        said = _TABLE_COMMENT.fullmatch(line)
        if said and (said[2] or text.startswith("# table ")):  # anybody may begin a remark with “place”
            _parse_comment(found, said, f"line {number}")
    found.seats = [own or translate_plain(_("Player {n}", n=seat + 1)) for seat, own in enumerate(found.seats)]
    return found


def _parse_comment(found: _TableComments, said: re.Match[str], where: str) -> None:
    word, seat, rest = said.groups()
    match word:
        case "began" | "ended":
            found.times[word] = _parse_time(rest, where)
            if word == "began":
                check_start(found.times[word], where)
        case "place":
            found.place = clean_text(clean_place, rest, where)
        case "note":
            found.notes.append(rest)
            clean_text(clean_note, "\n".join(found.notes), where)
        case _:
            name = clean_text(clean_name, rest, where)
            if int(seat) >= len(found.seats):
                raise BadFile(where, _("There is no seat {n} at this table.", n=int(seat) + 1))
            if name in found.seats:
                raise BadFile(where, _("The same player sits there twice."))
            found.seats[int(seat)] = name


def _parse_time(word: str, where: str) -> datetime:
    try:
        moment = datetime.fromisoformat(word)
        if moment.tzinfo and moment.year in YEARS:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise BadFile(where, _("That’s not a valid date and time."))


def _build_table(found: Replay, beside: _TableComments, text: str, name: str) -> ImportedTable:
    match = found.match
    return ImportedTable(
        source=_find_source(text),
        game=match.game.slug,
        game_name=str(match.game.get_table_title(match.options)),
        options=encode(match.options),
        way=Table.Mode.REFEREE if any(played.plays for played in match.rounds.values()) else Table.Mode.PAD,
        seats=tuple(beside.seats),
        entries=tuple(_build_entries(match)),
        note=clean_text(clean_note, "\n".join(beside.notes), name),
        place=beside.place,
        began_at=beside.times.get("began"),
        ended_at=beside.times.get("ended"),
        game_version=match.game.version,
    )


def _find_source(text: str) -> str:
    """The id of the table that was written so; of what people have written themselves, something that stands for it."""
    first, _break, _rest = text.partition("\n")
    own = _ID.fullmatch(first.rstrip("\r"))
    return own[1] if own else hashlib.sha256(text.replace("\r\n", "\n").encode()).hexdigest()


def _build_entries(match: Match) -> Iterator[ImportedEntry]:
    """The log that makes the match: a round that was played to its end is agreed to as well, or it would not count."""
    steps = sorted(match.steps, key=lambda step: step.action.number)
    last = {step.action.round: step.action.number for step in steps}
    number = 0
    for step in steps:
        number += 1
        yield _build_entry(number, step, match)
        played = match.get_round(step.action.round)
        if step.action.number == last[played.number] and played.is_over and not played.is_settled:
            number += 1
            yield ImportedEntry(
                number, CONFIRM, {}, played.number, key=_format_key(number), game_version=match.game.version
            )


def _build_entry(number: int, step: Step, match: Match) -> ImportedEntry:
    act = step.action
    values: dict[str, Any] = {
        "overruled": act.overruled,
        "key": _format_key(number),
        "game_version": match.game.version,
    }
    return ImportedEntry(number, act.kind, act.words, act.round, **values)


def _format_key(number: int) -> str:
    return f"line-{number:05d}"
