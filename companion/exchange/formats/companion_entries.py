"""Parsing and checking of the log entries in Companion JSON."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from companion import limits
from companion.core import refusals
from companion.core.entry import TARGETED, EntryKind
from companion.core.errors import Malformed, display_word
from companion.core.game import Game
from companion.core.notation import build_options
from companion.core.text import _
from companion.exchange.formats.companion_schema import ENTRY
from companion.exchange.import_data import BadFile, ImportedEntry, ImportedTable
from companion.exchange.schema import check_length
from companion.games import get_games
from companion.tables.forms.entry import MAX_ROUND

MAX_RULES = 60
_TARGET = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)
_KIND = re.compile(r"[a-z0-9-]{1,40}")
_COMMON_KINDS = frozenset({EntryKind.CONFIRM, EntryKind.CLOSE, EntryKind.REOPEN, *TARGETED})


def parse_entries(
    values: list[Any], devices: Sequence[str], game: Game | None, where: str
) -> tuple[ImportedEntry, ...]:
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
        last_round = max(last_round, _check_round(row, game, last_round, path))
        _check_rules(row["overruled"], game, path)
        entries.append(_build_entry(row, devices, path))
    return tuple(entries)


def estimate_work(entries: Iterable[ImportedEntry], game: Game | None) -> int:
    """Estimate the cost of folding a log.

    Each entry costs one per round; each count or setting one per count or setting of its round, as they are all
    checked again.
    """
    rounds, counts = Counter[int](), Counter[int]()
    weighted_kinds = {*game.pad.counts, *game.options.settings} if game else set()
    for entry in entries:
        rounds[entry.round] += 1
        if {entry.kind, entry.words.get("kind")} & weighted_kinds:
            counts[entry.round] += 1
    return rounds.total() * len(rounds) + sum(number * number for number in counts.values())


def check_options(words: Mapping[str, str], game: Game | None, seats: int, where: str) -> None:
    """Check the options against the game. Raises BadFile."""
    try:
        if game:
            build_options(game, seats, words)
    except Malformed as error:
        raise BadFile(f"{where}.seats" if error.field == "seats" else f"{where}.options", error.text) from None


def check_result(table: ImportedTable, result: Mapping[str, Any], where: str) -> None:
    """Compare the result in the file with the state computed from the log. Raises BadFile if they differ.

    Results of another version of the game are not compared. Neither are ranks before the first finished round: up to
    release 0.6 everybody was ranked first.
    """
    game = get_games().get(table.game or "")
    if game is None or table.state is None or result["game_version"] != game.about.version:
        return
    computed = table.state["result"]
    expected = {"totals": computed["totals"], "rounds": (computed["rounds"],)}
    expected |= {"ranks": computed["ranks"]} if computed["rounds"] else {}
    for name, numbers in expected.items():
        if result[name] not in (list(numbers), *(numbers if name == "rounds" else ())):
            text = ", ".join(map(str, numbers)).replace("-", "−") or "–"
            raise BadFile(f"{where}.{name}", _("The log says otherwise: {words}.", words=text))


def _check_kind(row: Mapping[str, Any], game: Game | None, where: str) -> None:
    """Check that the kind exists and that its target, if any, is an earlier entry. Raises BadFile."""
    kind, words = row["kind"], row["words"]
    _check_kind_exists(kind, game, _COMMON_KINDS, f"{where}.kind")
    if kind not in TARGETED:
        return
    if not _TARGET.fullmatch(words.get("target", "")) or int(words["target"]) >= row["number"]:
        raise BadFile(f"{where}.words.target", _("It refers to an entry that does not come before it."))
    if kind in (EntryKind.CORRECT, EntryKind.INSERT):
        _check_kind_exists(words.get("kind", ""), game, frozenset(), f"{where}.words.kind")
    elif len(words) > 1:
        name = next(name for name in words if name != "target")
        raise BadFile(f"{where}.words.{name}", refusals.UNKNOWN_FIELD.with_values(name=display_word(name)))


def _check_kind_exists(kind: str, game: Game | None, extra_kinds: frozenset[str], where: str) -> None:
    if kind in extra_kinds or (_KIND.fullmatch(kind) if game is None else kind in game.kinds):
        return
    raise BadFile(where, refusals.UNKNOWN_KIND)


def _check_round(row: Mapping[str, Any], game: Game | None, last_round: int, where: str) -> int:
    """Return the latest round after the entry; rounds start in order. Raises BadFile."""
    number, kind = row["round"], row["kind"]
    is_in_round = kind == EntryKind.CONFIRM or (kind in game.kinds if game else False)
    if not 0 <= number <= MAX_ROUND or (is_in_round and not 1 <= number <= last_round + 1):
        raise BadFile(f"{where}.round", refusals.UNKNOWN_ROUND)
    return int(number) if is_in_round else 1


def _check_rules(rules: Sequence[str | None], game: Game | None, where: str) -> None:
    check_length(rules, MAX_RULES, f"{where}.overruled", refusals.UNKNOWN_RULE)
    for index, rule in enumerate(rules):
        exists = rule is not None and (_KIND.fullmatch(rule) if game is None else rule in list(game.rules))
        if not exists:
            raise BadFile(f"{where}.overruled[{index}]", refusals.UNKNOWN_RULE)


def _build_entry(row: dict[str, Any], devices: Sequence[str], where: str) -> ImportedEntry:
    device = row.pop("who")
    if device is not None and not 0 <= device < len(devices):
        raise BadFile(f"{where}.who", _("There is no such phone in the list."))
    row["overruled"] = tuple(row["overruled"])
    return ImportedEntry(**row, device="" if device is None else devices[device])
