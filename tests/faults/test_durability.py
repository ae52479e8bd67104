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
from tests.faults.test_killed_server import SEED, wait_for, writing
from tests.scale import choose_count

ENTRIES = 50
CUTS, INSTANTS = choose_count(40, 500), choose_count(10, 200)
WAL_HEAD = 32
on_sqlite = pytest.mark.skipif(IS_POSTGRESQL, reason="of SQLite’s files")
on_postgresql = pytest.mark.skipif(not IS_POSTGRESQL, reason="of a PostgreSQL")
_SYNC = re.compile(r"\b(fsync|fdatasync)\(")
_ANSWER = re.compile(r"\b(send|sendto|write)\(.*HTTP/1\.1 200")


def one_writer(app: AppServer) -> Writer:
    host, table = create_host(app.port, 2)
    return Writer(host, table, 0)


@on_sqlite
@pytest.mark.skipif(sys.platform != "linux", reason="looked at with strace")
def test_every_acknowledgement_follows_a_disk_sync(store):
    """Seen by who looks on from outside: what the system was asked for, in its order."""
    trace = store.data / "trace"
    watch = ["strace", "-f", "-qq", "-e", "trace=fsync,fdatasync,sendto,write", "-s", "20", "-o", str(trace)]
    assert shutil.which(watch[0]), "strace is not on this machine. On Debian: apt-get install strace"
    with AppServer(store.data, store.url, under=watch) as app:
        writer = one_writer(app)
        writer.enter(1)
        before = len(trace.read_text().splitlines())
        for number in range(2, ENTRIES + 2):
            assert writer.enter(number)
    lines = trace.read_text().splitlines()[before:]
    marks = ["sync" if _SYNC.search(line) else "answer" for line in lines if _SYNC.search(line) or _ANSWER.search(line)]
    assert marks.count("answer") >= ENTRIES
    story = " ".join(marks)
    assert "answer answer" not in story and story.startswith("sync"), story
    each = {"WAL": 1, "TRUNCATE": 2}[choose_journal_mode(sqlite3.sqlite_version_info)]
    assert marks.count("sync") >= each * ENTRIES


@on_postgresql
def test_postgresql_commits_synchronously_against_the_server_default(store):
    """It must sync at all, and the app asks for it whatever the server's own settings say."""
    assert store.rows("SHOW fsync") == [("on",)]
    store.rows(f"ALTER DATABASE {store.name} SET synchronous_commit = off")
    store.rows("CREATE EXTENSION pg_walinspect")
    ((start,),) = store.rows("SELECT pg_current_wal_flush_lsn()")
    newest = "SELECT xmin::text FROM tables_entry ORDER BY id DESC LIMIT 1"
    with AppServer(store.data, store.url) as app:
        writer = one_writer(app)
        for number in range(1, ENTRIES + 1):
            assert writer.enter(number)
            synced = f"pg_get_wal_records_info('{start}', pg_current_wal_flush_lsn()) WHERE record_type = 'COMMIT'"
            assert store.rows(f"SELECT count(*) FROM {synced} AND xid::text = ({newest})") == [(1,)], number


@on_sqlite
def test_a_cut_or_damaged_wal_yields_the_first_entries(store, tmp_path):
    """WAL, and nothing of it brought into the file: as where the power goes before it is."""
    pragmas = "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA wal_autocheckpoint=0"
    url = f"sqlite:///{store.data / DATABASE_FILE}?init_command={quote(pragmas)}"
    with AppServer(store.data, url) as app:
        writer = one_writer(app)
        with closing(sqlite3.connect(store.data / DATABASE_FILE)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # so that the table itself is in the file
        for number in range(1, ENTRIES + 1):
            assert writer.enter(number)
        kept = {name: (store.data / name).read_bytes() for name in (DATABASE_FILE, f"{DATABASE_FILE}-wal")}
    chance, found, wal = random.Random(SEED), set[int](), kept[f"{DATABASE_FILE}-wal"]
    assert len(wal) > ENTRIES * 4096
    for number in range(CUTS):
        cut = bytearray(wal[: chance.randrange(WAL_HEAD, len(wal))])
        for _flip in range(20 if number % 2 else 0):
            place = chance.randrange(max(WAL_HEAD, len(cut) - 8192), len(cut)) if len(cut) > WAL_HEAD else 0
            cut[place] ^= 1 << chance.randrange(8)
        found.add(
            entries_in(
                tmp_path / f"cut{number}",
                {DATABASE_FILE: kept[DATABASE_FILE], f"{DATABASE_FILE}-wal": bytes(cut)},
                writer,
            )
        )
    assert len(found) > min(CUTS, ENTRIES) / 4, "the cuts were all at one place"


@on_sqlite
def test_a_snapshot_at_any_instant_has_all_acknowledged_entries(store, tmp_path):
    """The server is stopped in its tracks; what is on the disk then is what a power cut leaves."""
    if choose_journal_mode(sqlite3.sqlite_version_info) != "TRUNCATE":
        pytest.skip("this SQLite is served with a log ahead of the file")
    chance, half_done = random.Random(SEED), 0
    with AppServer(store.data, store.url) as app:
        writer = one_writer(app)
        with writing(Writer.run_on, [writer]):
            for number in range(INSTANTS):
                seen = len(writer.attempts)
                wait_for(lambda seen=seen: len(writer.attempts) > seen)
                time.sleep(chance.uniform(0, 0.03))  # within which the next entry is being written
                told, kept = stopped(app, store, writer)
                half_done += bool(kept.get(f"{DATABASE_FILE}-journal"))
                assert entries_in(tmp_path / f"instant{number}", kept, writer) >= told
    assert half_done or INSTANTS < 40, "it was never stopped in the middle of writing"


def stopped(app: AppServer, store: Store, writer: Writer) -> tuple[int, dict[str, bytes]]:
    """How many entries were acknowledged when the server stood still, and the files as they were then."""
    app.send(signal.SIGSTOP)
    try:
        told = len(list(writer.acknowledged))
        return told, {path.name: path.read_bytes() for path in store.data.glob(f"{DATABASE_FILE}*")}
    finally:
        app.send(signal.SIGCONT)


def entries_in(folder: Path, files: dict[str, bytes], writer: Writer) -> int:
    """How many entries a copy of the files holds: the first that were sent, in their order, and nothing half."""
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    own = Store(folder)
    own.assert_sound()
    lines = read_stored_log(own, writer.table)
    sent = list(dict.fromkeys(attempt.key for attempt in writer.attempts))
    keys = [line.key for line in lines]
    # Sent, and stored before its answer could be noted: the key of the next entry is known all the same.
    following = f"entry-{writer.seat}-{len(sent) + 1:06}"
    assert keys == [*sent, following][: len(keys)]
    shutil.rmtree(folder)
    return len(lines)
