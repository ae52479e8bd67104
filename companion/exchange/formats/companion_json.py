"""Companion JSON, the lossless format: writer and parser."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from companion import limits
from companion.core import refusals
from companion.core.entry import TARGETED, EntryKind
from companion.core.errors import Malformed, display_word
from companion.core.game import Game
from companion.core.notation import build_options
from companion.core.text import Text, _
from companion.exchange.export_records import ExportedPlayer, TableRecord
from companion.exchange.formats.bgstats.plays import MAX_TEAMS
from companion.exchange.formats.companion_schema import ENTRY, FILE, FORMAT, PLAYER, RESULT, TABLE, VERSION
from companion.exchange.formats.encoding import dump_json, format_utc, iter_json_rows
from companion.exchange.import_data import (
    BadFile,
    ImportedEntry,
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
from companion.tables.forms.entry import MAX_ROUND
from companion.tables.models import Table

MAX_PLAYERS, MAX_TABLES, MAX_SEATS, MAX_DEVICES = 5_000, 20_000, 100, 500
MAX_WORK = 8_000_000
"""Total of `_estimate_work` for a file: forty times that of a usual file, less than ten seconds."""
TOTAL_LIMIT = 10**9
"""Exclusive: no form field takes as much."""
MAX_RULES = 60
_TARGET = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)
_COMMON_KINDS = frozenset({EntryKind.CONFIRM, EntryKind.CLOSE, EntryKind.REOPEN, *TARGETED})


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
    tables: list[ImportedTable] = []
    skipped: list[tuple[str, Text]] = []
    work = 0
    for where, fields in TABLE.parse_list(file["tables"], MAX_TABLES, "tables", unique=["id"]):
        try:
            table = _parse_table(fields, players.keys(), where)
        except SkippedTable as error:
            skipped.append((where, error.text))
            continue
        work += _estimate_work(table.entries, table.game_record)
        if work > MAX_WORK:
            raise BadFile(f"{where}.entries", refusals.FILE_TOO_COMPLEX)
        tables.append(table.judge())
        _check_result(tables[-1], fields["result"], f"{where}.result")
    return ImportFile(FORMAT, tuple(players.values()), tuple(tables), tuple(skipped))


def _check_format(document: Any) -> None:
    """Check format and version, before anything else. Raises BadFile."""
    if isinstance(document, dict) and document.get("format") == FORMAT and type(document.get("version")) is int:
        if document["version"] != VERSION:
            raise BadFile("version", _("The file was written by a newer version of this app."))
        return
    if isinstance(document, InvalidValue):
        raise BadFile("line 1", document.text)
    raise BadFile("format", _("This is not a file of this app."))


def _parse_table(fields: dict[str, Any], player_ids: Collection[str], where: str) -> ImportedTable:
    """Return the table of checked fields. Raises BadFile and SkippedTable."""
    game: Game | None = get_games().get(fields["game"])
    fields["seats"] = _check_seats(fields["seats"], player_ids, f"{where}.seats")
    fields["result"] = RESULT.parse(fields["result"], f"{where}.result")
    devices = _clean_devices(fields["devices"], f"{where}.devices")
    if game:
        _check_options(fields["options"], game, len(fields["seats"]), where)
        fields["entries"] = _parse_entries(fields["entries"], devices, game, f"{where}.entries")
    else:
        fields |= _build_totals(fields)
    return ImportedTable(
        source=fields["id"],
        game=game.slug if game else None,
        game_name=fields["game"],
        options=fields["options"],
        mode=fields["way"],
        seats=fields["seats"],
        entries=fields["entries"],
        note=fields["note"],
        place=fields["place"],
        began_at=fields["began_at"],
        ended_at=fields["ended_at"],
        hides_counts=fields["hides_counts"],
        game_version=fields["game_version"],
    )


def _clean_devices(labels: list[str | None], where: str) -> list[str]:
    check_length(labels, MAX_DEVICES, where)
    return [clean_value(clean_name, label or "", f"{where}[{index}]") for index, label in enumerate(labels)]


def _check_seats(ids: list[str | None], player_ids: Collection[str], where: str) -> tuple[str | None, ...]:
    if not 0 < len(ids) <= MAX_SEATS:
        raise BadFile(where, _("A table has 1 to {n} seats.", n=MAX_SEATS))
    for index, player_id in enumerate(ids):
        if player_id is not None and player_id not in player_ids:
            raise BadFile(f"{where}[{index}]", refusals.UNKNOWN_PLAYER_IN_FILE)
        if player_id is not None and player_id in ids[:index]:
            raise BadFile(f"{where}[{index}]", refusals.PLAYER_SEATED_TWICE)
    return tuple(ids)


def _parse_entries(values: list[Any], devices: Sequence[str], game: Game, where: str) -> tuple[ImportedEntry, ...]:
    """Return the entries of parsed JSON. Raises BadFile."""
    keys: set[str] = set()
    last_round = 1
    entries = []
    rows = ENTRY.parse_list(values, limits.MAX_ENTRIES, where, refusal=refusals.LOG_TOO_LONG)
    for number, (path, row) in enumerate(rows, 1):
        if row["number"] != number:
            raise BadFile(f"{path}.number", _("This should be number {n}.", n=number))
        if row["key"] in keys:
            raise BadFile(f"{path}.key", _("Two entries have the same key."))
        keys.add(row["key"])
        _check_kind(row, game, path)
        last_round = _check_round(row, game, last_round, path)
        _check_rules(row["overruled"], game, path)
        entries.append(_build_entry(row, devices, path))
    return tuple(entries)


def _estimate_work(entries: Iterable[ImportedEntry], game: Game) -> int:
    """Estimate the cost of folding a log.

    Each entry costs one per round; each count or setting one per count or setting of its round, as they are all
    checked again.
    """
    rounds, counts = Counter[int](), Counter[int]()
    weighted_kinds = {*game.pad.counts, *game.options.settings}
    for entry in entries:
        rounds[entry.round] += 1
        if {entry.kind, entry.words.get("kind")} & weighted_kinds:
            counts[entry.round] += 1
    return rounds.total() * len(rounds) + sum(number * number for number in counts.values())


def _check_options(words: Mapping[str, str], game: Game, seats: int, where: str) -> None:
    """Check the options against the game. Raises BadFile."""
    try:
        build_options(game, seats, words)
    except Malformed as error:
        raise BadFile(f"{where}.seats" if error.field == "seats" else f"{where}.options", error.text) from None


def _check_result(table: ImportedTable, result: Mapping[str, Any], where: str) -> None:
    """Compare the result in the file with the state computed from the log. Raises BadFile if they differ.

    Results of another version of the game are not compared. Neither are ranks before the first finished round: up to
    release 0.6 everybody was ranked first.
    """
    if table.game is None or table.state is None or result["game_version"] != table.game_record.about.version:
        return
    computed = table.state["result"]
    for name in ("totals", "rounds", "ranks") if computed["rounds"] else ("totals", "rounds"):
        numbers = [computed[name]] if name == "rounds" else list(computed[name])
        if result[name] not in (numbers, computed[name]):
            text = ", ".join(map(str, numbers)).replace("-", "−") or "–"
            raise BadFile(f"{where}.{name}", _("The log says otherwise: {words}.", words=text))


def _check_kind(row: Mapping[str, Any], game: Game, where: str) -> None:
    """Check that the kind exists and that its target, if any, is an earlier entry. Raises BadFile."""
    kind, words = row["kind"], row["words"]
    if kind not in game.kinds and kind not in _COMMON_KINDS:
        raise BadFile(f"{where}.kind", refusals.UNKNOWN_KIND)
    if kind not in TARGETED:
        return
    if not _TARGET.fullmatch(words.get("target", "")) or int(words["target"]) >= row["number"]:
        raise BadFile(f"{where}.words.target", _("It refers to an entry that does not come before it."))
    if kind in (EntryKind.CORRECT, EntryKind.INSERT):
        if words.get("kind") not in game.kinds:
            raise BadFile(f"{where}.words.kind", refusals.UNKNOWN_KIND)
    elif len(words) > 1:
        name = next(name for name in words if name != "target")
        raise BadFile(f"{where}.words.{name}", refusals.UNKNOWN_FIELD.with_values(name=display_word(name)))


def _check_round(row: Mapping[str, Any], game: Game, last_round: int, where: str) -> int:
    """Return the latest round after the entry; rounds start in order. Raises BadFile."""
    number = int(row["round"])
    is_in_round = row["kind"] == EntryKind.CONFIRM or row["kind"] in game.kinds
    if not 0 <= number <= MAX_ROUND or (is_in_round and not 1 <= number <= last_round + 1):
        raise BadFile(f"{where}.round", refusals.UNKNOWN_ROUND)
    return max(number, last_round) if is_in_round else last_round


def _check_rules(rules: Sequence[str | None], game: Game, where: str) -> None:
    check_length(rules, MAX_RULES, f"{where}.overruled", refusals.UNKNOWN_RULE)
    for index, rule in enumerate(rules):
        if rule not in list(game.rules):
            raise BadFile(f"{where}.overruled[{index}]", refusals.UNKNOWN_RULE)


def _build_entry(row: dict[str, Any], devices: Sequence[str], where: str) -> ImportedEntry:
    device = row.pop("who")
    if device is not None and not 0 <= device < len(devices):
        raise BadFile(f"{where}.who", _("There is no such phone in the list."))
    row["overruled"] = tuple(row["overruled"])
    return ImportedEntry(**row, device="" if device is None else devices[device])


def _build_totals(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return what replaces the log of an unknown game: one round of totals. Raises SkippedTable if it has none."""
    if fields["game"] in get_broken_games():
        raise SkippedTable(_("This game can’t be loaded right now. Import the file again once it can."))
    result, seats = fields["result"], len(fields["seats"])
    totals = result["totals"]
    check_seat_count(seats)
    sides = _side_options(len(totals), seats)
    is_scored = result["rounds"] > 0 and all(abs(total) < TOTAL_LIMIT for total in totals)
    if sides is None or not is_scored:
        raise SkippedTable(_("This game isn’t known here, and the file has no totals for it."))
    is_whole = bool(result["ranks"]) or fields["ended_at"] is not None
    return {
        "options": {"wins": _get_wins_option(result), **sides, **({"rounds": "1"} if is_whole else {})},
        "way": Table.Mode.PAD,
        "entries": build_count_entries(enumerate(totals), kind="total"),  # sides sit alternately
        "game_version": get_generic_game().about.version,
    }


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
