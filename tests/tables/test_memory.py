"""Size and staleness of the log cache."""

from companion.core.entry import Entry as LogEntry
from companion.core.log import Log
from companion.games import get_games
from companion.tables.log_cache import _CACHE, CachedLog, _LogCache, get_cached_log
from companion.tables.models import Entry, Table
from tests.web.people import FIRST_PLAY, list_kinds, load_fresh_log


def test_an_outdated_row_gets_the_newer_cached_log(alice, table, monkeypatch):
    alice.enter(table, **FIRST_PLAY)
    old = Table.objects.get()
    alice.enter(table, kind="extend", seat=2, card=41)
    monkeypatch.setattr("companion.tables.log_cache._build_empty_log", lambda *_: 1 / 0)
    assert get_cached_log(old, 3).version == 2
    assert _CACHE.get(table.public_id).version == 2


def test_a_shorter_log_never_replaces_a_longer_one(alice, table):
    alice.enter(table, **FIRST_PLAY)
    shorter = load_fresh_log(table)
    alice.enter(table, kind="extend", seat=2, card=41)
    _CACHE.put(table.public_id, shorter)
    assert _CACHE.get(table.public_id).version == 2


def test_the_cache_notices_a_restored_backup(alice, table):
    for seat, card in ((1, 34), (2, 41), (0, 49)):
        alice.enter(table, kind="extend", seat=seat, card=card)
    Entry.objects.filter(table=table, number=3).delete()
    Table.objects.filter(pk=table.pk).update(version=2)
    assert alice.enter(table, kind="extend", seat=0, card=51).status_code == 302
    assert list_kinds(table) == ["extend"] * 3
    assert load_fresh_log(table).match.get_round(1).state.row == (34, 41, 51)
    assert alice.page("log", table.public_id).all("span", **{"class": "no"})[0].text == "3"


def test_the_cache_is_bounded_by_logs_and_entries(alice, monkeypatch):
    cache = _LogCache()
    log = Log.empty(get_games()["take-that"], get_games()["take-that"].options.cls(), 3)
    entries = tuple(LogEntry(number, "close", {}) for number in range(1, 11))
    cached_log = CachedLog(log.extend(entries), {}, {}, {})
    monkeypatch.setattr("companion.tables.log_cache.MAX_CACHED_LOGS", 5)
    monkeypatch.setattr("companion.tables.log_cache.MAX_CACHED_ENTRIES", 40)
    for name in "abcdefg":
        cache.put(name, cached_log)
    assert [name for name in "abcdefg" if cache.get(name)] == ["d", "e", "f", "g"]


def test_an_uncached_table_is_read_from_its_entries(alice, mate, table):
    for seat, card in ((1, 34), (2, 41)):
        alice.enter(table, kind="extend", seat=seat, card=card)
    before = load_fresh_log(table)
    _CACHE.drop(table.public_id)
    assert mate.enter(table, kind="extend", seat=0, card=49).status_code == 302
    assert load_fresh_log(table).log.entries[:2] == before.log.entries
