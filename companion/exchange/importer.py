"""Storage of uploaded files, and import of their tables into a circle in short transactions."""

import itertools
import re
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.formats import date_format

from companion import limits
from companion.core.errors import Malformed
from companion.core.sanitize import fold_text
from companion.core.text import _
from companion.db.retry import retry
from companion.exchange.export_records import iter_batches
from companion.exchange.import_data import ImportedEntry, ImportedTable, truncate
from companion.exchange.name_matching import (
    FileMatch,
    GameChoice,
    format_source,
    get_external_game_id,
    get_external_id,
)
from companion.games import get_games
from companion.history.models import MAX_FILE_NAME_LENGTH, MAX_UPLOAD_AGE, Alias, Upload
from companion.people.models import Circle, Device, Player
from companion.people.services import create_players, lock_circle_for_member
from companion.tables.models import Entry, Place, SearchableNote, Seat, Table
from companion.web.i18n import translate_plain

BATCH_TABLES, BATCH_ENTRIES = 100, 1_000
"""Written per transaction, about 50 ms; a single table may have more entries."""
MAX_PAUSE = 0.2
"""Upper bound, in seconds, of the pause between transactions. The pause lasts as long as the last transaction, so that
phones at the tables get the lock."""
_PUBLIC_ID = re.compile(r"[A-Za-z0-9_-]{12}")
"""The format of ids generated here."""


class ImportAlreadyStarted(Exception):
    """Another request has started to import the same upload, and has created its players."""


@dataclass(frozen=True)
class ImportResult:
    """Numbers of tables: imported, already here, and not representable here."""

    new: int
    known: int
    skipped: int


@dataclass
class _Import:
    """A matched file with everything else that decides what its tables become."""

    match: FileMatch
    upload: Upload | None
    by: Device | None
    players: Mapping[str, Player] = field(default_factory=dict)
    """By imported id."""
    places: Mapping[str, Place] = field(default_factory=dict)
    """By their names in the file."""


def save_upload(circle: Circle, device: Device, *, name: str, content: bytes) -> Upload:
    """Store a parsed file, and delete expired uploads and the oldest ones above the limits.

    Raises Http404 if the device does not belong to the circle (any more).
    """
    with lock_circle_for_member(circle.pk, device):
        Upload.objects.filter(made_at__lt=timezone.now() - MAX_UPLOAD_AGE).delete()
        upload = Upload.objects.create(circle=circle, device=device, name=name[-MAX_FILE_NAME_LENGTH:], content=content)
        _delete_oldest(Upload.objects.filter(circle=circle), limits.MAX_PENDING_IMPORTS)
        _delete_oldest(Upload.objects.all(), limits.MAX_PENDING_IMPORTS_TOTAL)
    return upload


def _delete_oldest(uploads: QuerySet[Upload], limit: int) -> None:
    older = uploads.order_by("-made_at", "-pk").values_list("pk", flat=True)[limit:]
    Upload.objects.filter(pk__in=list(older)).delete()


def import_tables(match: FileMatch, upload: Upload | None = None, *, by: Device | None = None) -> ImportResult:
    """Import all new tables, with the players and games of the match.

    Entries that break a rule are imported, and their table shows the violation.

    Up to 100 tables are written in one transaction. A larger file starts with a transaction for its players, then
    writes its tables in batches, so that others can write in between. An interrupted import keeps the batches written
    so far; repeating it writes the rest, for the same players.

    Raises Malformed if a table would seat the same player twice, ImportAlreadyStarted if another request was faster
    with the same upload, IntegrityError if a player was merged or erased meanwhile, and Http404 if the device does not
    belong to the circle, at the start of any transaction.
    """
    task, new_tables = _Import(match, upload, by), match.new_tables
    importable = [table for table in new_tables if len(table.seats) in table.game_record.about.seats]
    _check_players_are_distinct(task, importable)
    batches = list(
        iter_batches(importable, lambda table: len(table.entries), max_items=BATCH_TABLES, max_size=BATCH_ENTRIES)
    )
    is_large = len(batches) > 1
    with lock_circle_for_member(match.circle.pk, by):
        _start(task, importable)
        count = 0 if is_large else _write_tables(task, importable)
    if is_large:
        count = sum(_write_batch(task, batch) for batch in batches)
    skipped_count = len(match.file.skipped) + len(new_tables) - len(importable)
    return ImportResult(count, match.known_count + len(importable) - count, skipped_count)


def _check_players_are_distinct(task: _Import, tables: Iterable[ImportedTable]) -> None:
    """Check that no table would seat the same player twice. Raises Malformed."""
    names = {player.id: player.name for player in task.match.file.players}
    for table in tables:
        id_by_player: dict[Player, str] = {}
        for player_id in filter(None, table.seats):
            player = task.match.player_by_id.get(player_id)
            other_id = id_by_player.setdefault(player, player_id) if player else player_id
            if player and other_id != player_id:
                text = _(
                    "{one} and {other} sat at the same table on {day}, so they can’t both be {name}.",
                    one=names[other_id],
                    other=names[player_id],
                    day=date_format(table.began_at, "j E Y"),
                    name=player.name,
                )
                raise Malformed(text, player_id)


def _start(task: _Import, tables: Sequence[ImportedTable]) -> None:
    """Create the players, places and aliases. Raises ImportAlreadyStarted. Call inside a transaction."""
    if task.upload is not None and not task.upload.is_begun:
        is_first = Upload.objects.filter(pk=task.upload.pk, is_begun=False).update(is_begun=True)
        if not is_first:
            raise ImportAlreadyStarted
    task.players = _get_or_create_players(task, tables)
    _remember_aliases(task, tables)
    task.places = get_or_create_places(task.match.circle, tables)


def _get_or_create_players(task: _Import, tables: Sequence[ImportedTable]) -> dict[str, Player]:
    """Return the players of all seats by imported id; new ones get a free name."""
    last_seated: dict[str, datetime] = {}
    for table in sorted(tables, key=lambda table: table.began_at):
        last_seated |= dict.fromkeys(filter(None, table.seats), table.began_at)
    used_names = set(Player.objects.filter(circle=task.match.circle).values_list("name", flat=True))
    players: dict[str, Player] = {}
    new_names: dict[str, str] = {}
    looks: dict[str, tuple[int | None, str | None]] = {}
    for imported in task.match.file.players:
        player = task.match.player_by_id.get(imported.id)
        if imported.id in last_seated and player is not None:
            players[imported.id] = player
        elif imported.id in last_seated:
            name = _find_free_name(imported.name, used_names)
            used_names.add(name)
            new_names[imported.id] = name
            looks[name] = (imported.colour, imported.sign)
    created = create_players(task.match.circle, looks)
    players.update((imported_id, created[name]) for imported_id, name in new_names.items())
    _update_last_seated(players, last_seated)
    return players


def _find_free_name(name: str, used_names: set[str]) -> str:
    short_name = truncate(name, limits.MAX_NAME_LENGTH - 5)
    numbered_names = (f"{short_name} {number}" for number in itertools.count(2))
    return next(free for free in itertools.chain([name], numbered_names) if free not in used_names)


def _update_last_seated(players: Mapping[str, Player], last_seated: Mapping[str, datetime]) -> None:
    """Update `seated_at`, by which players are offered in order of their last table."""
    changed = {}
    for imported_id, player in players.items():
        if player.seated_at is None or player.seated_at < last_seated[imported_id]:
            player.seated_at = last_seated[imported_id]
            changed[player.pk] = player
    Player.objects.bulk_update(changed.values(), ["seated_at"], batch_size=200)


def get_or_create_places(circle: Circle, tables: Sequence[ImportedTable]) -> dict[str, Place]:
    """Return the places by their names in the file.

    Names that differ in case or accents are one place; a new place gets the most frequent spelling.
    """
    existing = list(Place.objects.filter(circle=circle))
    places = {place.name: place for place in existing}
    places_by_folded_name = {fold_text(place.name): place for place in reversed(existing)}  # the latest used wins
    for name, _uses in Counter(table.place for table in tables if table.place).most_common():
        if name not in places:
            places[name] = places_by_folded_name.setdefault(fold_text(name), Place(circle=circle, name=name))
    Place.objects.bulk_create([place for place in places_by_folded_name.values() if place.pk is None], batch_size=500)
    return places


def _remember_aliases(task: _Import, tables: Sequence[ImportedTable]) -> None:
    """Save the choices as aliases for the next file."""
    rows = {
        (Alias.Kind.PLAYER, get_external_id(task.match.file.kind, imported)): Alias(player=task.players[imported.id])
        for imported in task.match.file.players
        if imported.id in task.players
    }
    for name in {table.game_name for table in tables if table.game is None}:
        choice = task.match.game_by_name.get(fold_text(name))
        if choice is not None:
            rows[Alias.Kind.GAME, get_external_game_id(name)] = Alias(game=choice.slug, called=choice.name)
    for (kind, external_id), row in rows.items():
        row.circle, row.source, row.kind, row.external_id = task.match.circle, task.match.file.kind, kind, external_id
    Alias.objects.bulk_create(
        rows.values(),
        update_conflicts=True,
        unique_fields=["circle", "source", "kind", "external_id"],
        update_fields=["player", "game", "called"],
        batch_size=500,
    )


def _write_batch(task: _Import, batch: Sequence[ImportedTable]) -> int:
    """Write a batch in its own transaction, then pause to let others write."""
    started_at = time.monotonic()

    def write() -> int:
        with lock_circle_for_member(task.match.circle.pk, task.by):
            return _write_tables(task, batch)

    count = retry(write)
    time.sleep(min(time.monotonic() - started_at, MAX_PAUSE))
    return count


def _build_table(task: _Import, imported: ImportedTable) -> Table:
    """Build an unsaved table; a generic game gets the chosen name."""
    choice = task.match.game_by_name.get(fold_text(imported.game_name), GameChoice(name=imported.game_name))
    name = translate_plain(get_games()[choice.slug].title) if choice.slug else choice.name
    options = imported.build_options(name)
    table = Table(
        circle=task.match.circle,
        game=imported.game_record.slug,
        game_version=imported.game_version,
        options=options,
        mode=imported.mode if imported.game else Table.Mode.PAD,
        note=imported.note,
        place=task.places.get(imported.place),
        began_at=imported.began_at,
        version=len(imported.entries),
        has_stale_stats=True,
        source=format_source(task.match.file, imported),
        hides_counts=imported.hides_counts,
        **imported.get_state(options),
    )
    if table.is_over or table.is_closed:
        table.ended_at = imported.ended_at
    return table


def _build_entry(table: Table, imported: ImportedEntry) -> Entry:
    """Build an unsaved entry without a device, as a file can name anyone."""
    return Entry(
        table=table,
        number=imported.number,
        key=imported.key,
        kind=imported.kind,
        round=imported.round,
        words=dict(imported.words),
        overruled=list(imported.overruled),
        game_version=imported.game_version,
        at=imported.at or table.began_at,
    )


def _write_tables(task: _Import, batch: Sequence[ImportedTable]) -> int:
    """Write the tables that nobody has written meanwhile, and return how many."""
    imported_tables = {format_source(task.match.file, imported): imported for imported in batch}
    known_tables = Table.objects.filter(circle=task.match.circle, source__in=imported_tables)
    for source in known_tables.values_list("source", flat=True):
        imported_tables.pop(source or "", None)
    ids = {table.source for table in imported_tables.values() if _PUBLIC_ID.fullmatch(table.source)}
    free_ids = ids - set(Table.objects.filter(public_id__in=ids).values_list("public_id", flat=True))
    rows = [(imported, _build_table(task, imported)) for imported in imported_tables.values()]
    for imported, table in rows:
        if imported.source in free_ids:
            table.public_id = imported.source
    Table.objects.bulk_create([table for _imported, table in rows])
    seats = [
        Seat(table=table, number=number, player=task.players.get(player_id) if player_id else None)
        for imported, table in rows
        for number, player_id in enumerate(imported.seats)
    ]
    Seat.objects.bulk_create(seats, batch_size=1_000)
    entries = (_build_entry(table, entry) for imported, table in rows for entry in imported.entries)
    Entry.objects.bulk_create(entries, batch_size=1_000)
    SearchableNote.objects.bulk_create(
        SearchableNote(table=table, circle=task.match.circle, text=fold_text(table.note))
        for _imported, table in rows
        if table.note
    )
    return len(rows)
