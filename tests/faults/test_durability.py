"""Durability of acknowledged entries, and recovery from partial writes."""

from __future__ import annotations

import random
import re
import shutil
import signal
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest

from companion.db.settings import choose_journal_mode
from tests.faults.conftest import IS_POSTGRESQL
from tests.faults.phones import Writer, create_host
from tests.faults.servers import AppServer
from tests.faults.store import DATABASE_FILE, Store, read_stored_log
from tests.faults.test_killed_server import SEED, run_writers
from tests.scale import choose_count
from tests.servers import wait_until

ENTRIES = 50
CUTS, SNAPSHOTS = choose_count(40, 500), choose_count(10, 200)
WAL_HEADER_SIZE = 32
on_sqlite = pytest.mark.skipif(IS_POSTGRESQL, reason="needs SQLite")
on_postgresql = pytest.mark.skipif(not IS_POSTGRESQL, reason="needs PostgreSQL")
_SYNC = re.compile(r"\b(fsync|fdatasync)\(")
_ANSWER = re.compile(r"\b(send|sendto|write)\(.*HTTP/1\.1 200")


def create_writer(app: AppServer) -> Writer:
    host, table = create_host(app.port, 2)
    return Writer(host, table, 0)


@on_sqlite
@pytest.mark.skipif(sys.platform != "linux", reason="needs strace")
def test_every_acknowledgement_follows_a_disk_sync(store):
    """Checked in the order of system calls, as strace sees them."""
    trace = store.data / "trace"
    strace = ["strace", "-f", "-qq", "-e", "trace=fsync,fdatasync,sendto,write", "-s", "20", "-o", str(trace)]
    assert shutil.which(strace[0]), "strace is not on this machine. On Debian: apt-get install strace"
    with AppServer(store.data, store.url, wrapper=strace) as app:
        writer = create_writer(app)
        writer.send_entry(1)
        before = len(trace.read_text().splitlines())
        for number in range(2, ENTRIES + 2):
            assert writer.send_entry(number)
    lines = trace.read_text().splitlines()[before:]
    events = [
        "sync" if _SYNC.search(line) else "answer" for line in lines if _SYNC.search(line) or _ANSWER.search(line)
    ]
    assert events.count("answer") >= ENTRIES
    sequence = " ".join(events)
    assert "answer answer" not in sequence and sequence.startswith("sync"), sequence
    syncs_per_entry = {"WAL": 1, "TRUNCATE": 2}[choose_journal_mode(sqlite3.sqlite_version_info)]
    assert events.count("sync") >= syncs_per_entry * ENTRIES


@on_postgresql
def test_postgresql_commits_synchronously_against_the_server_default(store):
    """The app turns synchronous_commit on even if the server turns it off."""
    assert store.query("SHOW fsync") == [("on",)]
    store.query(f"ALTER DATABASE {store.name} SET synchronous_commit = off")
    store.query("CREATE EXTENSION pg_walinspect")
    ((start,),) = store.query("SELECT pg_current_wal_flush_lsn()")
    newest = "SELECT xmin::text FROM tables_entry ORDER BY id DESC LIMIT 1"
    with AppServer(store.data, store.url) as app:
        writer = create_writer(app)
        for number in range(1, ENTRIES + 1):
            assert writer.send_entry(number)
            synced = f"pg_get_wal_records_info('{start}', pg_current_wal_flush_lsn()) WHERE record_type = 'COMMIT'"
            assert store.query(f"SELECT count(*) FROM {synced} AND xid::text = ({newest})") == [(1,)], number


@on_sqlite
def test_a_cut_or_damaged_wal_yields_the_first_entries(store, tmp_path):
    """As after a power cut before the first checkpoint."""
    pragmas = "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA wal_autocheckpoint=0"
    url = f"sqlite:///{store.data / DATABASE_FILE}?init_command={quote(pragmas)}"
    with AppServer(store.data, url) as app:
        writer = create_writer(app)
        with closing(sqlite3.connect(store.data / DATABASE_FILE)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # the table itself must be in the file
        for number in range(1, ENTRIES + 1):
            assert writer.send_entry(number)
        files = {name: (store.data / name).read_bytes() for name in (DATABASE_FILE, f"{DATABASE_FILE}-wal")}
    rng, counts, wal = random.Random(SEED), set[int](), files[f"{DATABASE_FILE}-wal"]
    assert len(wal) > ENTRIES * 4096
    for number in range(CUTS):
        cut = bytearray(wal[: rng.randrange(WAL_HEADER_SIZE, len(wal))])
        for _ in range(20 if number % 2 else 0):
            position = (
                rng.randrange(max(WAL_HEADER_SIZE, len(cut) - 8192), len(cut)) if len(cut) > WAL_HEADER_SIZE else 0
            )
            cut[position] ^= 1 << rng.randrange(8)
        counts.add(
            check_recovered_entries(
                tmp_path / f"cut{number}",
                {DATABASE_FILE: files[DATABASE_FILE], f"{DATABASE_FILE}-wal": bytes(cut)},
                writer,
            )
        )
    assert len(counts) > min(CUTS, ENTRIES) / 4, "all cuts were at the same position"


@on_sqlite
def test_a_snapshot_at_any_instant_has_all_acknowledged_entries(store, tmp_path):
    """SIGSTOP freezes the server: the files are then what a crash would leave behind."""
    if choose_journal_mode(sqlite3.sqlite_version_info) != "TRUNCATE":
        pytest.skip("this SQLite is used with a WAL")
    rng, partial_writes = random.Random(SEED), 0
    with AppServer(store.data, store.url) as app:
        writer = create_writer(app)
        with run_writers(Writer.run_with_retries, [writer]):
            for number in range(SNAPSHOTS):
                count = len(writer.attempts)
                wait_until(lambda count=count: len(writer.attempts) > count)
                time.sleep(rng.uniform(0, 0.03))  # while the next entry is being written
                acknowledged, files = snapshot_database(app, store, writer)
                partial_writes += bool(files.get(f"{DATABASE_FILE}-journal"))
                assert check_recovered_entries(tmp_path / f"snapshot{number}", files, writer) >= acknowledged
    assert partial_writes or SNAPSHOTS < 40, "never stopped during a write"


def snapshot_database(app: AppServer, store: Store, writer: Writer) -> tuple[int, dict[str, bytes]]:
    """Freeze the server; return the number of acknowledged entries and the database files."""
    app.send_signal(signal.SIGSTOP)
    try:
        count = len(list(writer.acknowledged))
        return count, {path.name: path.read_bytes() for path in store.data.glob(f"{DATABASE_FILE}*")}
    finally:
        app.send_signal(signal.SIGCONT)


def check_recovered_entries(folder: Path, files: dict[str, bytes], writer: Writer) -> int:
    """Return the number of entries in a copy of the files; assert that they are the first that were sent, in order."""
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    store = Store(folder)
    store.assert_sound()
    entries = read_stored_log(store, writer.table)
    sent = list(dict.fromkeys(attempt.key for attempt in writer.attempts))
    keys = [entry.key for entry in entries]
    # An entry may be stored before the writer has recorded the attempt; its key is predictable.
    next_key = f"entry-{writer.seat}-{len(sent) + 1:06}"
    assert keys == [*sent, next_key][: len(keys)]
    shutil.rmtree(folder)
    return len(entries)
