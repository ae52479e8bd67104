"""Companion JSON, the lossless format: writer and parser."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from companion.core import refusals
from companion.core.game import Game
from companion.core.text import Text, _
from companion.exchange.export_records import ExportedPlayer, TableRecord
from companion.exchange.formats.bgstats.plays import MAX_TEAMS
from companion.exchange.formats.companion_entries import (
    check_options,
    check_result,
    estimate_work,
    parse_entries,
)
from companion.exchange.formats.companion_schema import ENTRY, FILE, FORMAT, PLAYER, RESULT, TABLE, VERSION
from companion.exchange.formats.encoding import dump_json, format_utc, iter_json_rows
from companion.exchange.import_data import (
    BadFile,
    ImportedPlayer,
    ImportedTable,
    ImportFile,
    SkippedTable,
    build_count_entries,
    check_seat_count,
)
from companion.exchange.safe_json import InvalidValue
from companion.exchange.schema import JsonObject, check_length, clean_value
from companion.games import get_broken_games, get_games, get_generic_game
from companion.people.validators import clean_name
from companion.tables.models import Table

MAX_PLAYERS, MAX_TABLES, MAX_SEATS, MAX_DEVICES = 5_000, 20_000, 100, 500
MAX_WORK = 8_000_000
"""Total of `estimate_work` for a file: forty times that of a usual file, less than ten seconds."""
TOTAL_LIMIT = 10**9
"""Exclusive: no form field takes as much."""


def write_file(records: Iterable[TableRecord], written_at: datetime) -> Iterator[str]:
    """Write the file, one table per line; the players come last, as they are only known then."""
    players: dict[str, ExportedPlayer] = {}
    head = {"format": FORMAT, "version": VERSION, "written_at": format_utc(written_at)}
    yield dump_json(head)[:-1] + ',\n"tables": ['
    yield from iter_json_rows(export_table(record) for record in _collect_players(records, players))
    yield '\n],\n"players": ['
    yield from iter_json_rows(map(PLAYER.serialize, players.values()))
    yield "\n]}\n"


def _collect_players(records: Iterable[TableRecord], players: dict[str, ExportedPlayer]) -> Iterator[TableRecord]:
    for record in records:
        players.update((player.uid, player) for player in record.seats if player.uid)
        yield record


def export_table(record: TableRecord) -> JsonObject:
    """Return a table as in the file."""
    labels = [entry.device.label if entry.device else "" for entry in record.entries]
    devices = list(dict.fromkeys(filter(None, labels)))
    indexes = {label: index for index, label in enumerate(devices)}
    return TABLE.serialize(
        record,
        seats=[player.uid or None for player in record.seats],
        devices=devices,
        entries=[
            ENTRY.serialize(entry, who=indexes.get(label)) for entry, label in zip(record.entries, labels, strict=True)
        ],
        result=RESULT.serialize(record, rounds=len(record.match.finished_rounds)),
    )


def parse_document(document: Any) -> ImportFile:
    """Return the contents of parsed JSON, emptying it, with judged tables to check their results. Raises BadFile."""
    _check_format(document)
    file = FILE.parse(document, "")
    player_rows = PLAYER.parse_list(file["players"], MAX_PLAYERS, "players", unique=["id"])
    players = {row["id"]: ImportedPlayer(**row) for _where, row in player_rows}
    parsed: list[tuple[str, ImportedTable, dict[str, Any]]] = []
    skipped: list[tuple[str, Text]] = []
    work = 0
    for where, fields in TABLE.parse_list(file["tables"], MAX_TABLES, "tables", unique=["id"]):
        table = _parse_table(fields, players.keys(), where)
        result = RESULT.parse(fields["result"], f"{where}.result")
        work += estimate_work(table.entries, get_games().get(table.game or ""))
        if work > MAX_WORK:
            raise BadFile(f"{where}.entries", refusals.FILE_TOO_COMPLEX)
        try:
            parsed.append((where, table if table.game else _convert_to_totals(table, result), result))
        except SkippedTable as error:
            skipped.append((where, error.text))
    judged = [(where, table.judge(), result) for where, table, result in parsed]
    for where, table, result in judged:
        check_result(table, result, f"{where}.result")
    return ImportFile(
        FORMAT, tuple(players.values()), tuple(table for _where, table, _result in judged), tuple(skipped)
    )


def _check_format(document: Any) -> None:
    """Check format and version, before anything else. Raises BadFile."""
    if isinstance(document, dict) and document.get("format") == FORMAT and type(document.get("version")) is int:
        if document["version"] != VERSION:
            raise BadFile("version", _("The file was written by a newer version of this app."))
        return
    if isinstance(document, InvalidValue):
        raise BadFile("line 1", document.text)
    raise BadFile("format", _("This is not a file of this app."))


def _parse_table(fields: Mapping[str, Any], player_ids: Collection[str], where: str) -> ImportedTable:
    game: Game | None = get_games().get(fields["game"])
    seats = _check_seats(fields["seats"], player_ids, f"{where}.seats")
    check_options(fields["options"], game, len(seats), where)
    check_length(fields["devices"], MAX_DEVICES, f"{where}.devices")
    labels = enumerate(fields["devices"])
    devices = [clean_value(clean_name, label or "", f"{where}.devices[{index}]") for index, label in labels]
    return ImportedTable(
        source=fields["id"],
        game=game.slug if game else None,
        game_name=fields["game"],
        options=fields["options"],
        mode=fields["way"],
        seats=seats,
        entries=parse_entries(fields["entries"], devices, game, f"{where}.entries"),
        note=fields["note"],
        place=fields["place"],
        began_at=fields["began_at"],
        ended_at=fields["ended_at"],
        hides_counts=fields["hides_counts"],
        game_version=fields["game_version"],
    )


def _check_seats(ids: list[str | None], player_ids: Collection[str], where: str) -> tuple[str | None, ...]:
    if not 0 < len(ids) <= MAX_SEATS:
        raise BadFile(where, _("A table has 1 to {n} seats.", n=MAX_SEATS))
    for index, player_id in enumerate(ids):
        if player_id is not None and player_id not in player_ids:
            raise BadFile(f"{where}[{index}]", refusals.UNKNOWN_PLAYER_IN_FILE)
        if player_id is not None and player_id in ids[:index]:
            raise BadFile(f"{where}[{index}]", refusals.PLAYER_SEATED_TWICE)
    return tuple(ids)


def _convert_to_totals(table: ImportedTable, result: Mapping[str, Any]) -> ImportedTable:
    """Return the table with one round of totals instead of its log. Raises SkippedTable if that is impossible."""
    if table.game_name in get_broken_games():
        raise SkippedTable(_("This game can’t be loaded right now. Import the file again once it can."))
    totals, seats = result["totals"], len(table.seats)
    check_seat_count(seats)
    sides = _side_options(len(totals), seats)
    is_scored = result["rounds"] > 0 and all(abs(total) < TOTAL_LIMIT for total in totals)
    if sides is None or not is_scored:
        raise SkippedTable(_("This game isn’t known here, and the file has no totals for it."))
    is_whole = bool(result["ranks"]) or table.ended_at is not None
    return replace(
        table,
        options={"wins": _get_wins_option(result), **sides, **({"rounds": "1"} if is_whole else {})},
        mode=Table.Mode.PAD,
        entries=build_count_entries(enumerate(totals), kind="total"),  # sides sit alternately
        game_version=get_generic_game().about.version,
    )


def _side_options(totals: int, seats: int) -> dict[str, str] | None:
    """Return the options for the sides, or None if the number of totals fits no sides."""
    if totals == seats:
        return {}
    if totals == 1:
        return {"wins": "shared"}
    if 2 <= totals <= MAX_TEAMS and seats % totals == 0:
        return {"teams": str(totals)}
    return None


def _get_wins_option(result: Mapping[str, Any]) -> str:
    """Return which total wins: the lowest only if the best-ranked side does not have the highest."""
    ranks, totals = result["ranks"], result["totals"]
    best = {total for total, rank in zip(totals, ranks, strict=False) if rank == min(ranks)}
    return "lowest" if best and max(totals) not in best else "highest"
