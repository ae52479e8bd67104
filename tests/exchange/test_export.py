"""Tests of the export: records, pages and access."""

import io
import json
import tracemalloc
import zipfile
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from django.urls import reverse
from django.utils import timezone

from companion.core.schema import encode
from companion.exchange.export_records import iter_records
from companion.exchange.formats import companion_json
from companion.exchange.formats.registry import FORMATS, SINGLE_TABLE_FORMATS
from companion.exchange.safe_json import parse_json
from companion.history.models import ShortLink
from companion.people.models import Circle, Player
from companion.tables.models import Entry, Seat, Table
from tests.exchange.sample_files import NAMES, SLUGS, build_random_log
from tests.web.html import parse_html
from tests.web.people import Person, create_guest, load_fresh_log, open_stuck_table, store_log


def store_random_table(person: Person, slug: str, number: int) -> Table:
    """Create a table with a random log."""
    log = build_random_log(slug, number)
    match = log.match
    table = Table.objects.create(circle=Table.objects.first().circle, game=slug, game_version=1)
    players = [Player.objects.get_or_create(circle=table.circle, name=name)[0] for name in NAMES[: match.seats]]
    Seat.objects.bulk_create(Seat(table=table, number=n, player=player) for n, player in enumerate(players))
    Table.objects.filter(pk=table.pk).update(options=encode(match.options))
    store_log(table, log)
    return table


def download(person: Person, name: str, *args: object, **query: object) -> bytes:
    response = person.get(reverse(name, args=args), query)
    assert response.status_code == 200
    return response.getvalue()


def play_table(person: Person) -> Table:
    table = person.open(rounds="1")
    for seat, count in enumerate(((12, 17, 0), (10, 4, 1), (14, 3, 0))):
        assert person.count(table, seat, *count).status_code == 302
    return table


@pytest.mark.parametrize("slug", SLUGS)
def test_a_stored_table_exports_its_whole_log(alice, table, slug):
    tables = [store_random_table(alice, slug, number) for number in range(6)]
    data = download(alice, "export-history", "json", game=slug)
    imported_tables = {imported.source: imported for imported in companion_json.parse_document(parse_json(data)).tables}
    for stored_table in tables:
        log = load_fresh_log(stored_table).log
        rows = {entry.number: entry for entry in Entry.objects.filter(table=stored_table)}
        imported = imported_tables[stored_table.public_id]
        assert tuple(entry.entry for entry in imported.entries) == log.entries
        assert all(rows[e.number].key == e.key and rows[e.number].at == e.at for e in imported.entries)


def test_every_download_has_an_ascii_file_name(alice, table):
    finished_table = play_table(alice)
    assert set(SINGLE_TABLE_FORMATS) == {"json", "notation", "csv", "bgsplay", "bgstats", "bgg-xml", "bgg-json"}
    for name in FORMATS:
        for url in (
            reverse("export-table", args=[finished_table.public_id, name]),
            reverse("export-history", args=[name]),
        ):
            response = alice.get(url)
            disposition = response["Content-Disposition"]
            assert disposition.isascii() and disposition.startswith("attachment; filename=")
            body = response.getvalue()
            assert ("text/" in response["Content-Type"] and body.startswith(b"# table")) or body[:2] in (
                b"PK",
                b"{\n",
                b'{"',
                b"<?",
            )
    assert alice.get(reverse("export-table", args=[finished_table.public_id, "pdf"])).status_code == 404
    assert alice.get(reverse("export-history", args=["hats"])).status_code == 404


def test_file_names_differ_between_formats(alice, table):
    finished_table = play_table(alice)
    for view, *args in ("export-table", finished_table.public_id), ("export-history",):
        names = [alice.get(reverse(view, args=[*args, name]))["Content-Disposition"] for name in FORMATS]
        assert len(set(names)) == len(names) and any(name.endswith('.bgstats.json"') for name in names)


def test_file_names_have_the_local_date(alice, table):
    finished_table = play_table(alice)
    Table.objects.filter(pk=finished_table.pk).update(began_at=datetime(2025, 11, 20, 23, 30, tzinfo=UTC))
    with timezone.override("Asia/Tokyo"):
        assert (
            "-2025-11-21.json"
            in alice.get(reverse("export-table", args=[finished_table.public_id, "json"]))["Content-Disposition"]
        )
        archive = zipfile.ZipFile(io.BytesIO(download(alice, "export-history", "notation")))
        assert any(name.startswith("2025-11-21-") for name in archive.namelist())
        disposition = alice.get(reverse("table-pdf", args=[finished_table.public_id]))["Content-Disposition"]
        assert "-2025-11-21.pdf" in disposition


def test_pad_keys_and_device_labels_are_exported(alice, mate, table):
    finished_table = play_table(alice)
    mate.enter(finished_table, kind="close")
    parsed_file = companion_json.parse_document(
        parse_json(download(alice, "export-table", finished_table.public_id, "json"))
    )
    entries = parsed_file.tables[0].entries
    assert entries[0].key.endswith(".count.0") and entries[-1].device == "Mate’s phone"


def test_an_export_respects_the_filters(alice, table):
    open_stuck_table(alice)
    alice.send(reverse("bin-table", args=[play_table(alice).public_id]), {})
    for query, slugs in (
        ({}, {"take-that", "the-game"}),
        ({"game": "the-game"}, {"the-game"}),
        ({"q": "Cleo"}, {"take-that"}),
    ):
        file = json.loads(download(alice, "export-history", "json", **query))
        assert {row["game"] for row in file["tables"]} == slugs
        page = alice.page("export", **query)
        assert page.one("p", **{"class": "lead"}).text.startswith(f"{len(file['tables'])} ")
        links = [a.attrs["href"] for a in page.one("ul", **{"class": "hits"}).all("a")]
        assert sorted(json.loads(alice.get(links[0]).getvalue())["tables"], key=str) == sorted(file["tables"], key=str)
    assert json.loads(download(alice, "export-history", "json", before="1-1"))["tables"], (
        "the page number filtered the export"
    )


def test_tables_of_other_circles_are_not_exported(alice, table, stranger, nobody):
    names = {player["name"] for player in json.loads(download(stranger, "export-history", "json"))["players"]}
    assert names == {"Xena", "Yannis"}
    assert json.loads(download(nobody, "export-history", "json"))["tables"] == []


def test_concealed_counts_are_in_no_export(alice, table):
    alice.send(reverse("secrecy", args=[table.public_id]), {"hides": "yes"})
    assert json.loads(download(alice, "export-history", "json"))["tables"], "hidden before anybody has counted"
    alice.count(table, 0, 12, 10, 1)
    for name in FORMATS:
        assert table.public_id.encode() not in download(alice, "export-history", name)
        assert alice.get(reverse("export-table", args=[table.public_id, name])).status_code == 404
    assert zipfile.ZipFile(io.BytesIO(download(alice, "export-history", "notation"))).namelist() == []
    assert not alice.page("share", table.public_id).all("ul", **{"class": "hits"})
    alice.enter(table, kind="undo", target=1)
    assert json.loads(download(alice, "export-history", "json"))["tables"] == [], "an undone count was exported"
    for seat, count in enumerate(((12, 17, 0), (10, 4, 1), (14, 3, 0))):
        alice.count(table, seat, *count)
    assert len(json.loads(download(alice, "export-history", "json"))["tables"]) == 1


def test_erased_players_are_in_no_export(alice, table):
    finished_table = play_table(alice)
    Player.objects.filter(name="Bo").delete()
    for name in set(FORMATS) - {"csv"}:
        data = download(alice, "export-table", finished_table.public_id, name)
        assert b"Bo" not in data.replace(b"Board", b"").replace(b"BoardGame", b"")


def test_tables_of_missing_games_are_not_exported(alice, table):
    finished_table = play_table(alice)
    Table.objects.filter(pk=table.pk).update(game="gone")
    assert [t["id"] for t in json.loads(download(alice, "export-history", "json"))["tables"]] == [
        finished_table.public_id
    ]


def fill_circle(circle: Circle, count: int) -> None:
    """Create tables with twenty entries each."""
    words = {"seat": "0", "face_up": "1", "face_down": "1", "toads": "0"}
    tables = Table.objects.bulk_create(
        Table(circle=circle, game="take-that", game_version=1, version=20) for _n in range(count)
    )
    Seat.objects.bulk_create(Seat(table=table, number=n) for table in tables for n in range(3))
    entry = partial(Entry, kind="count", round=1, words=words, game_version=1)
    Entry.objects.bulk_create(entry(table=table, number=n, key=f"key-{n}") for table in tables for n in range(1, 21))


@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_tables(alice, table):
    peaks = []
    for count in (50, 350):
        fill_circle(table.circle, count)
        tracemalloc.start()
        written = sum(map(len, companion_json.write_file(iter_records(Table.objects.all()), timezone.now())))
        peaks.append((tracemalloc.get_traced_memory()[1], written))
        tracemalloc.stop()
    assert peaks[1][1] > 6 * peaks[0][1]
    assert peaks[1][0] < 3 * peaks[0][0], "more than a batch was read at once"


# Short links


def create_short_link(person: Person, table: Table) -> str:
    """Share the table; return the code of the link."""
    response = person.send(reverse("share", args=[table.public_id]), {})
    text = parse_html(response.content.decode()).one("div", **{"class": "door"}).text
    return text.split("/b/")[1].strip()


def test_a_short_link_works_without_access_until_it_expires(alice, table, nobody):
    finished_table = play_table(alice)
    code = create_short_link(alice, finished_table)
    response = nobody.get(reverse("short-link", args=[code]))
    assert response.status_code == 302
    link = response["Location"]
    assert link.startswith("https://app.bgstatsapp.com/createPlay.html?data=")
    page = alice.page("share", finished_table.public_id)
    assert link in [a.attrs["href"] for a in page.all("a")]
    assert not nobody.cookies
    ShortLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert nobody.get(reverse("short-link", args=[code])).status_code == 404
    new_code = create_short_link(alice, finished_table)
    assert [row.code for row in ShortLink.objects.all()] == [new_code], "an expired link was kept"


def test_an_unfinished_table_has_no_links(alice, table):
    for response in (
        alice.get(reverse("share", args=[table.public_id])),
        alice.send(reverse("share", args=[table.public_id]), {}),
    ):
        assert response.status_code == 200 and "bgstatsapp" not in response.content.decode()
    assert not ShortLink.objects.exists()


def test_a_short_link_ends_if_its_table_is_binned_or_reopened(alice, table, nobody):
    finished_table = play_table(alice)
    code = create_short_link(alice, finished_table)
    alice.enter(finished_table, kind="undo", target=3)
    assert nobody.get(reverse("short-link", args=[code])).status_code == 404
    alice.enter(finished_table, kind="redo", target=3)
    assert nobody.get(reverse("short-link", args=[code])).status_code == 302
    alice.send(reverse("bin-table", args=[finished_table.public_id]), {})
    assert nobody.get(reverse("short-link", args=[code])).status_code == 404


def test_only_members_may_export_a_table(alice, table):
    finished_table = play_table(alice)
    guest = create_guest(finished_table)
    assert (
        reverse("share", args=[finished_table.public_id])
        in alice.get(reverse("table", args=[finished_table.public_id])).content.decode()
    )
    assert "/share/" not in guest.get(reverse("table", args=[finished_table.public_id])).content.decode()
    assert guest.send(reverse("share", args=[finished_table.public_id]), {}).status_code == 403


@pytest.mark.parametrize("language", ["en", "el"])
def test_the_format_page_documents_every_field(nobody, language):
    html = nobody.get(f"/{language}/formats/").content.decode()
    file = json.loads("".join(companion_json.write_file([], timezone.now())))
    assert all(f">{name}</code>" in html for name in [*file, "hides_counts", "overruled", "ranks"])
