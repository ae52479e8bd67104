"""The notation, with table metadata in comments: writer and parser."""

import hashlib
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from django.utils import timezone
from django.utils.timezone import localtime

from companion import limits
from companion.core import refusals
from companion.core.entry import EntryKind
from companion.core.match import Match
from companion.core.notation import Replay, replay_notation, write_notation
from companion.core.notation_lexer import HEADER, ROUND, NotationError, read_lines
from companion.core.schema import encode
from companion.core.text import _
from companion.exchange.export_records import TableRecord
from companion.exchange.formats.encoding import format_utc, stream_zip
from companion.exchange.import_data import BadFile, ImportedEntry, ImportedPlayer, ImportedTable, ImportFile
from companion.exchange.safe_json import decode_text
from companion.exchange.schema import YEARS, clean_start, clean_value
from companion.games import get_games
from companion.people.validators import clean_name, clean_note, clean_place
from companion.tables.models import Table
from companion.web.i18n import translate_plain

KIND = "notation"
_TABLE_COMMENT = re.compile(r"# (?:(began|ended|place|note)|seat ([0-9]{1,2})):? (.+)", re.ASCII)
_ID = re.compile(r"# table ([A-Za-z0-9_-]{1,40})")


def format_table(record: TableRecord) -> str:
    """Return the match in the notation, after comments with the table's metadata."""
    table = record.table
    comments = [f"table {table.public_id}", f"began {format_utc(table.began_at)}"]
    comments += [f"ended {format_utc(table.ended_at)}"] if table.ended_at else []
    comments += [f"place {record.place}"] if record.place else []
    comments += [f"note {line}" for line in table.note.split("\n") if line]
    comments += [f"seat {seat}: {player.name}" for seat, player in enumerate(record.seats) if player.name]
    return "".join(f"# {line}\n" for line in comments) + write_notation(record.match)


def write_archive(records: Iterable[TableRecord]) -> Iterator[bytes]:
    """Write a zip with one file per table."""
    return stream_zip((_file_name(record), (format_table(record).encode(),)) for record in records)


def _file_name(record: TableRecord) -> str:
    return f"{localtime(record.table.began_at):%Y-%m-%d}-{record.game.slug}-{record.table.public_id}.txt"


def parse_file(data: bytes, name: str) -> ImportFile:
    """Parse a file with one match. Raises BadFile."""
    text = decode_text(data)
    try:
        count = 0
        for line in read_lines(text):  # before they are judged
            count += line.word not in (*HEADER, ROUND, "=", "==")
            if count > limits.MAX_ENTRIES:
                raise BadFile(f"line {line.number}", refusals.LOG_TOO_LONG.with_values(n=limits.MAX_ENTRIES))
        replay = replay_notation(text, get_games())
    except NotationError as error:
        raise BadFile(f"line {error.line}", error.text) from None
    for verdict in replay.problems:
        raise BadFile(f"line {verdict.line}", verdict.problem or refusals.UNKNOWN_KIND)
    comments = _parse_comments(text, replay.match.seats)
    players = tuple(ImportedPlayer(name, name) for name in comments.seats)
    return ImportFile(KIND, players, (_build_table(replay, comments, text, name),))


@dataclass
class _TableComments:
    """Metadata of a table from its comments."""

    seats: list[str]
    place: str = ""
    notes: list[str] = field(default_factory=list)
    times: dict[str, datetime] = field(default_factory=dict)


def _parse_comments(text: str, seats: int) -> _TableComments:
    """Parse the comments at the top of the file. Raises BadFile if they contradict the match."""
    comments = _TableComments([""] * seats)
    for number, line in enumerate(text.splitlines(), 1):
        if line and not line.startswith("#"):
            break
        comment = _TABLE_COMMENT.fullmatch(line)
        if comment and (comment[2] or text.startswith("# table ")):  # a handwritten comment can begin with “place”
            _parse_comment(comments, comment, f"line {number}")
    comments.seats = [name or translate_plain(_("Player {n}", n=seat + 1)) for seat, name in enumerate(comments.seats)]
    return comments


def _parse_comment(comments: _TableComments, comment: re.Match[str], where: str) -> None:
    word, seat, rest = comment.groups()
    match word:
        case "began" | "ended":
            comments.times[word] = _parse_time(rest, where)
            if word == "began":
                clean_value(clean_start, comments.times[word], where)
        case "place":
            comments.place = clean_value(clean_place, rest, where)
        case "note":
            comments.notes.append(rest)
            clean_value(clean_note, "\n".join(comments.notes), where)
        case _:
            name = clean_value(clean_name, rest, where)
            if int(seat) >= len(comments.seats):
                raise BadFile(where, refusals.UNKNOWN_SEAT.with_values(n=int(seat) + 1))
            if name in comments.seats:
                raise BadFile(where, refusals.PLAYER_SEATED_TWICE)
            comments.seats[int(seat)] = name


def _parse_time(value: str, where: str) -> datetime:
    try:
        moment = datetime.fromisoformat(value)
        if moment.tzinfo and moment.year in YEARS:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise BadFile(where, refusals.INVALID_TIME)


def _build_table(replay: Replay, comments: _TableComments, text: str, name: str) -> ImportedTable:
    """Return the table, identified by the id in an exported file, or by a hash of a handwritten one."""
    match = replay.match
    table_id = _ID.fullmatch(text.partition("\n")[0].rstrip("\r"))
    return ImportedTable(
        source=table_id[1] if table_id else hashlib.sha256(text.replace("\r\n", "\n").encode()).hexdigest(),
        game=match.game.slug,
        game_name=str(match.game.get_table_title(match.options)),
        options=encode(match.options),
        mode=Table.Mode.REFEREE if any(round_.plays for round_ in match.rounds.values()) else Table.Mode.PAD,
        seats=tuple(comments.seats),
        entries=tuple(_build_entries(match)),
        note=clean_value(clean_note, "\n".join(comments.notes), name),
        place=comments.place,
        began_at=comments.times.get("began", timezone.now()),
        ended_at=comments.times.get("ended"),
        game_version=match.game.about.version,
    )


def _build_entries(match: Match) -> Iterator[ImportedEntry]:
    """Yield the log of the match, with a confirmation of each finished round, which would not count otherwise."""
    actions = sorted((step.action for step in match.steps), key=lambda action: action.number)
    last_in_round = {action.round: action.number for action in actions}
    numbers = itertools.count(1)

    def build_entry(kind: str, words: Mapping[str, str], round_: int, overruled: tuple[str, ...] = ()) -> ImportedEntry:
        number, version = next(numbers), match.game.about.version
        return ImportedEntry(number, kind, words, round_, overruled, f"line-{number:05d}", game_version=version)

    for action in actions:
        yield build_entry(action.kind, action.words, action.round, action.overruled)
        round_ = match.get_round(action.round)
        if action.number == last_in_round[action.round] and round_.is_over and not round_.is_settled:
            yield build_entry(EntryKind.CONFIRM, {}, action.round)
