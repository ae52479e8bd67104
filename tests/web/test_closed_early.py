"""Tables closed before their first round counts."""

import json

import pytest
from django.urls import reverse

from companion.exchange.export_records import iter_records
from companion.exchange.formats.registry import SINGLE_TABLE_FORMATS
from companion.games import get_games
from companion.history.models import SeatResult
from companion.tables.models import Table
from companion.tables.services.integrity import check_tables
from tests.api.test_api import Program, create_key
from tests.exchange.upload_pages import import_file
from tests.web.people import PEOPLE, Person, choose_people, load_fresh_log

pytestmark = pytest.mark.parametrize("slug", get_games())


@pytest.fixture
def closed_table(nobody: Person, slug: str) -> Table:
    """A table of about four players, closed right after opening."""
    table = nobody.open(slug, names=choose_people(slug, 4))
    assert nobody.enter(table, kind="close").status_code == 302
    table.refresh_from_db()
    return table


def test_final_page_lists_everybody_without_a_winner(nobody: Person, closed_table: Table):
    page = nobody.page("table", closed_table.public_id)
    assert not page.all("ol", **{"class": "ranks"})
    assert page.one("p", **{"class": "verdict"}).text == "The table is closed"
    assert all(name in page.text for name in PEOPLE[: closed_table.seats.count()])


def test_display_lists_everybody_without_a_winner(nobody: Person, closed_table: Table, slug: str):
    page = nobody.page("display", closed_table.public_id)
    assert not page.all("li", **{"class": "first"}) and not page.all("span", **{"class": "num place"})
    match = load_fresh_log(closed_table).match
    sides = get_games()[slug].scoring.sides(match.options, match.seats)
    assert len(page.all("span", **{"class": "num total"})) == (len(sides) if len(sides) > 1 else 0)


def test_lists_printout_and_share_page_show_no_winner(nobody: Person, closed_table: Table):
    assert not nobody.page("history").all("span", **{"class": "won"})
    assert "<th>Place</th>" not in nobody.get(reverse("table-paper", args=[closed_table.public_id])).content.decode()
    assert nobody.get(reverse("picture", args=[closed_table.public_id])).status_code == 404
    assert "1." not in nobody.page("share", closed_table.public_id).one("main").text


def test_statistics_count_no_outcome(nobody: Person, closed_table: Table):
    assert nobody.get(reverse("statistics")).status_code == 200
    closed_table.refresh_from_db()
    assert not closed_table.has_stale_stats and not SeatResult.objects.filter(table=closed_table).exists()
    assert closed_table.result["ranks"] == [] and next(check_tables(Table.objects.all())).differences == ()


def test_exports_and_api_rank_nobody(nobody: Person, closed_table: Table):
    [record] = iter_records(Table.objects.filter(pk=closed_table.pk))
    assert not any(record.get_rank(seat) or record.has_won(seat) for seat in range(len(record.seats)))
    for name in SINGLE_TABLE_FORMATS:
        assert nobody.get(reverse("export-table", args=[closed_table.public_id, name])).status_code == 200, name
    exported = json.loads(nobody.get(reverse("export-table", args=[closed_table.public_id, "json"])).getvalue())
    assert exported["tables"][0]["result"]["ranks"] == []
    plays = json.loads(nobody.get(reverse("export-table", args=[closed_table.public_id, "bgstats"])).getvalue())[
        "plays"
    ]
    assert {(score["winner"], score["rank"]) for score in plays[0]["playerScores"]} == {(False, 0)}
    response = Program(create_key(nobody)).ask(reverse("api-table", args=[closed_table.public_id]))
    assert response["result"]["ranks"] == []


def test_old_file_that_ranked_everybody_first_is_imported(nobody: Person, closed_table: Table):
    """Releases up to 0.6 wrote such files."""
    text = nobody.get(reverse("export-table", args=[closed_table.public_id, "json"])).getvalue().decode()
    data = json.loads(text)
    result = data["tables"][0]["result"]
    result["ranks"] = [1] * len(result["totals"])
    closed_table.delete()
    import_file(nobody, data, "companion.json")
    assert Table.objects.get().result["ranks"] == []
