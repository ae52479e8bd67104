"""The log of a table in a file: judged entry by entry, then folded to see whether it says what the file says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from companion import limits
from companion.core.errors import Malformed, display_word
from companion.core.game import Game
from companion.core.log import CLOSE, CORRECT, INSERT, REOPEN, TARGETED
from companion.core.match import CONFIRM
from companion.core.notation import build_options
from companion.core.text import _
from companion.exchange.import_data import BadFile, ImportedEntry, ImportedTable
from companion.games import get_games
from companion.tables.forms.entry import KEY, MAX_ROUND

MAX_RULES = 60
MAX_KEY_LENGTH = 80
_KEY = re.compile(KEY.pattern + r"(\.[a-z0-9-]{1,40}\.([0-9]{1,9}|all))?")
"""As a page makes it; a pad that is sent as a whole says which box each entry is from."""
_TARGET = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)
_KIND = re.compile(r"[a-z0-9-]{1,40}")
_COMMON_KINDS = frozenset({CONFIRM, CLOSE, REOPEN, *TARGETED})


def parse_entries(
    rows: Sequence[Mapping[str, Any]], devices: Sequence[str], game: Game | None, where: str
) -> tuple[ImportedEntry, ...]:
    """The log, from rows whose shape is right. Raises BadFile."""
    if len(rows) > limits.MAX_ENTRIES:
        raise BadFile(
            f"{where}[{limits.MAX_ENTRIES}]",
            _("This log is too long: at most {n} entries.", n=limits.MAX_ENTRIES),
        )
    keys: set[str] = set()
    last = 1
    found = []
    for index, row in enumerate(rows):
        here = f"{where}[{index}]"
        if row["number"] != index + 1:
            raise BadFile(f"{here}.number", _("This should be number {n}.", n=index + 1))
        _check_key(row["key"], keys, here)
        _check_kind(row, game, here)
        last = max(last, _check_round(row, game, last, here))
        _check_rules(row["overruled"], game, here)
        check_version(row["game_version"], f"{here}.game_version")
        found.append(_build_entry(row, devices, here))
    return tuple(found)


def estimate_work(entries: Iterable[ImportedEntry], game: Game | None) -> int:
    """How much there is to do to fold a log: an entry is weighed by the rounds, and a count by those of its round.

    So is a setting, after which the counts of its round are checked again.
    """
    rounds, counts = Counter[int](), Counter[int]()
    weighed = {*game.counts, *game.settings} if game else set()
    for written in entries:
        rounds[written.round] += 1
        if {written.kind, written.words.get("kind")} & weighed:
            counts[written.round] += 1
    return rounds.total() * len(rounds) + sum(number * number for number in counts.values())


def check_options(words: Mapping[str, str], game: Game | None, seats: int, where: str) -> None:
    """Raises BadFile for what the game does not have."""
    try:
        if game:
            build_options(game, seats, words)
    except Malformed as error:
        raise BadFile(f"{where}.seats" if error.field == "seats" else f"{where}.options", error.text) from None


def check_result(found: ImportedTable, result: Mapping[str, Any], where: str) -> None:
    """Compare the state that was folded out of the log with what the file says.

    Up to release 0.6 everybody was ranked first before a round counted: there the ranks of a file are not compared.
    Raises BadFile where they differ, unless another version of the game reckoned.
    """
    game = get_games().get(found.game or "")
    if game is None or found.state is None or result["game_version"] != game.version:
        return
    folded = found.state["result"]
    said = {"totals": folded["totals"], "rounds": (folded["rounds"],)}
    said |= {"ranks": folded["ranks"]} if folded["rounds"] else {}
    for name, numbers in said.items():
        if result[name] not in (list(numbers), *(numbers if name == "rounds" else ())):
            words = ", ".join(map(str, numbers)).replace("-", "−") or "–"
            raise BadFile(f"{where}.{name}", _("The log says otherwise: {words}.", words=words))


def _check_key(key: str, keys: set[str], where: str) -> None:
    if len(key) > MAX_KEY_LENGTH or not _KEY.fullmatch(key):
        raise BadFile(f"{where}.key", _("Not a key that the app makes."))
    if key in keys:
        raise BadFile(f"{where}.key", _("Two entries have the same key."))
    keys.add(key)


def _check_kind(row: Mapping[str, Any], game: Game | None, where: str) -> None:
    """Whether there is such a kind of entry, and what it speaks of has been said before."""
    kind, words = row["kind"], row["words"]
    _check_kind_exists(kind, game, _COMMON_KINDS, f"{where}.kind")
    if kind not in TARGETED:
        return
    if not _TARGET.fullmatch(words.get("target", "")) or int(words["target"]) >= row["number"]:
        raise BadFile(f"{where}.words.target", _("It refers to an entry that does not come before it."))
    if kind in (CORRECT, INSERT):
        _check_kind_exists(words.get("kind", ""), game, frozenset(), f"{where}.words.kind")
    elif len(words) > 1:
        name = next(name for name in words if name != "target")
        raise BadFile(f"{where}.words.{name}", _("There is no field “{name}” here.", name=display_word(name)))


def _check_kind_exists(kind: str, game: Game | None, besides: frozenset[str], where: str) -> None:
    if kind in besides or (_KIND.fullmatch(kind) if game is None else kind in game.kinds):
        return
    raise BadFile(where, _("There is no such kind of entry."))


def _check_round(row: Mapping[str, Any], game: Game | None, last: int, where: str) -> int:
    """The round that an entry begins or goes on with; a log begins one after the other."""
    number, kind = row["round"], row["kind"]
    is_in_round = kind == CONFIRM or (kind in game.kinds if game else False)
    if not 0 <= number <= MAX_ROUND or (is_in_round and not 1 <= number <= last + 1):
        raise BadFile(f"{where}.round", _("There is no such round."))
    return int(number) if is_in_round else 1


def _check_rules(rules: Sequence[str | None], game: Game | None, where: str) -> None:
    if len(rules) > MAX_RULES:
        raise BadFile(f"{where}.overruled[{MAX_RULES}]", _("There is no such rule."))
    for index, rule in enumerate(rules):
        is_known = rule is not None and (_KIND.fullmatch(rule) if game is None else rule in list(game.rules))
        if not is_known:
            raise BadFile(f"{where}.overruled[{index}]", _("There is no such rule."))


def check_version(version: int, where: str) -> None:
    if not 1 <= version <= 32_767:
        raise BadFile(where, _("There is no such version."))


def _build_entry(row: Mapping[str, Any], devices: Sequence[str], where: str) -> ImportedEntry:
    who = row["who"]
    if who is not None and not 0 <= who < len(devices):
        raise BadFile(f"{where}.who", _("There is no such phone in the list."))
    return ImportedEntry(
        number=row["number"],
        kind=row["kind"],
        words=row["words"],
        round=row["round"],
        overruled=tuple(row["overruled"]),
        key=row["key"],
        at=row["at"],
        who="" if who is None else devices[who],
        game_version=row["game_version"],
    )
