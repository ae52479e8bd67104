"""Goals drawn during a match, and scores that depend on undrawn goals."""

import json
from threading import Barrier, Thread

import pytest
from django.db import connection
from django.urls import reverse

from companion.people.auth import COOKIE_NAME
from companion.tables.models import SavedOptions, Table
from tests.web.html import list_fields, parse_html
from tests.web.people import Person, find_form, list_kinds, load_fresh_log, new_key

LYDIA = "OPbBsTRf,OPsTBfRb,PfTBObRs,PfBOTbRs,TObBfPsR,RPfOsBbT,RsTbBOfP,TPsObRBf"
HARRY = "BTbROfPs,TfRbPOsB,RBsObPfT,PsOfBRTb,RbOPfTsB,PsBRbTOf,RfPbTBOs,RfOsTPBb"
COLOUR = {"kind": "colour-goal", "colour_goal": 3, "colour_pattern": "31,22,13"}
HANDLE = {"kind": "handle-goal", "handle_goal": 10, "handle_pattern": "21,12"}


@pytest.fixture
def table(alice) -> Table:
    """A table of Sideboards whose goals nobody has drawn."""
    return alice.open("sideboards", names=("Lydia", "Harry"), way="pad")


def enter_sideboards(person, table, **fields):
    """Enter both sideboards on the pad."""
    for seat, cards in enumerate((LYDIA, HARRY)):
        assert person.enter(table, **{f"count__{seat}__cards": cards}, **fields).status_code == 302


def open_table_page(person, table):
    return person.page("table", table.public_id)


def list_texts(page, css_class):
    return [element.text for element in page.all() if css_class in element.attrs.get("class", "").split()]


def test_goals_are_asked_for_before_the_first_card(alice, table):
    page = open_table_page(alice, table)
    assert "Before the first card" in page.text
    panels = [element.attrs["id"] for element in page.all("details") if element.attrs.get("id", "").startswith("goal-")]
    assert panels == ["goal-c", "goal-h", "goal-r"]
    assert "open" in page.one("details", id="goal-c").attrs
    alice.enter(table, **COLOUR)
    assert "open" in open_table_page(alice, table).one("details", id="goal-h").attrs


def test_form_of_a_goal_draws_it(alice, table):
    page = open_table_page(alice, table)
    form = find_form(page, kind="handle-goal")
    pairs = [pair for pair in list_fields(page, form) if pair[0] != "handle_goal"]
    pairs += [("handle_goal", "9"), ("handle_pattern", "21"), ("handle_pattern", "12")]
    assert alice.send(form.attrs["action"], pairs).status_code == 302
    options = load_fresh_log(table).match.newest_options
    assert (options.handle_goal, options.handle_pattern, options.handle_points) == (9, (21, 12), 3)


def test_open_score_is_nowhere_totalled_ranked_or_called(alice, table):
    enter_sideboards(alice, table)
    table.refresh_from_db()
    assert (table.is_over, table.result) == (False, {"totals": [0, 0], "ranks": [], "rounds": 0})
    page = open_table_page(alice, table)
    assert [element.text for element in page.one("tfoot").all("td")] == ["?", "?"]
    assert not list_texts(page, "ranks")
    display = alice.page("display", table.public_id)
    assert list_texts(display, "total") == ["?", "?"] and not list_texts(display, "first")
    paper = alice.page("table-paper", table.public_id)
    assert [
        element.text for element in paper.all("tr") if "sum" in element.attrs.get("class", "")
    ] and "Place" not in paper.text
    assert alice.get(reverse("share", args=[table.public_id])).status_code == 200
    assert alice.get(reverse("picture", args=[table.public_id])).status_code == 404


def test_closed_table_with_an_open_score_crowns_nobody(alice, table):
    enter_sideboards(alice, table)
    alice.enter(table, kind="close")
    page = open_table_page(alice, table)
    assert not list_texts(page, "ranks") and "wins" not in page.text
    assert [cell.text for cell in page.one("tfoot").all("td")] == ["?", "?"]


def test_drawing_the_last_goal_ends_the_match(alice, table):
    enter_sideboards(alice, table)
    alice.enter(table, **COLOUR)
    assert not load_fresh_log(table).match.standing.is_over
    response = alice.enter(table, htmx=True, **HANDLE)
    assert "Lydia wins with 41." in parse_html(response.content.decode()).text.replace("\u2068", "").replace(
        "\u2069", ""
    )
    alice.enter(table, kind="undo", target=4)
    assert not load_fresh_log(table).match.standing.is_over, "the handle goal is open again"
    alice.enter(table, kind="redo", target=4)
    assert load_fresh_log(table).match.standing.is_over


def test_goal_is_corrected_in_the_log(alice, table):
    alice.enter(table, **COLOUR)
    page = alice.page("correct", table.public_id, 1)
    form = find_form(page, kind="colour-goal", amend="correct")
    assert ("colour_pattern", "31") in list_fields(page, form)
    assert alice.submit(page, form, colour_points="5").status_code == 302
    assert load_fresh_log(table).match.newest_options.colour_points == 5
    assert list_kinds(table) == ["colour-goal", "correct"]
    page = alice.page("correct", table.public_id, 1)
    assert alice.submit(page, find_form(page, kind="strike")).status_code == 302
    assert load_fresh_log(table).match.newest_options.colour_pattern == ()


def test_pattern_that_no_card_can_meet_is_refused_with_the_reason(alice, table):
    response = alice.enter(table, htmx=True, kind="colour-goal", colour_goal=3, colour_pattern="11,21")
    assert response.status_code == 422
    assert "two cells of this pattern lie in one column" in response.content.decode()
    assert list_kinds(table) == []


def test_same_goal_by_two_phones_is_one_entry_and_another_is_a_clash(alice, mate, table):
    page = {"seen": 0}
    alice.enter(table, **COLOUR, **page)
    assert mate.enter(table, htmx=True, **COLOUR, **page).status_code == 200
    assert list_kinds(table) == ["colour-goal"]
    response = mate.enter(table, htmx=True, **{**COLOUR, "colour_points": 5}, **page)
    assert response.status_code == 409
    assert mate.enter(table, **HANDLE, **page).status_code == 302, "another goal is another slot"
    slip = parse_html(response.content.decode())
    form = find_form(slip, amend="correct", kind="colour-goal")
    assert mate.submit(slip, form).status_code == 302
    assert load_fresh_log(table).match.newest_options.colour_points == 5


@pytest.mark.django_db(transaction=True)
def test_two_phones_that_draw_at_the_same_moment_leave_one_entry(alice, table):
    token = alice.cookies[COOKIE_NAME].value
    for attempt in range(10):
        start, statuses = Barrier(2), []
        points, seen = 1 + attempt % 2, load_fresh_log(table).version

        def draw(points=points, seen=seen, start=start, statuses=statuses):
            phone = Person()
            phone.cookies[COOKIE_NAME] = token
            start.wait(30)
            statuses.append(phone.enter(table, **{**COLOUR, "colour_points": points}, seen=seen).status_code)
            connection.close()

        threads = [Thread(target=draw) for _phone in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert set(statuses) <= {200, 302}, "one of them finds it already recorded"
        assert load_fresh_log(table).version == seen + 1


def test_goals_drawn_at_a_table_are_saved_and_offered_again(alice, table):
    alice.enter(table, **COLOUR)
    assert SavedOptions.objects.get(key="colour-3").words["colour_pattern"] == "31,22,13"
    next_table = alice.open("sideboards", names=("Lydia", "Harry"), way="pad", colour_goal="3")
    assert load_fresh_log(next_table).match.options.colour_pattern == (31, 22, 13)


def test_rematch_has_the_goals_of_the_last_round(alice, table):
    alice.enter(table, **COLOUR)
    alice.enter(table, **HANDLE)
    alice.enter(table, kind="row-goal", row_goal=19)
    enter_sideboards(alice, table)
    page = open_table_page(alice, table)
    form = next(
        element for element in page.all("form") if element.attrs["action"] == reverse("rematch", args=[table.public_id])
    )
    response = alice.submit(page, form)
    options = load_fresh_log(Table.objects.get(public_id=response["Location"].strip("/").split("/")[-1])).match.options
    assert (options.colour_goal, options.handle_pattern, options.row_goal) == (3, (21, 12), 19)


def test_viewer_sees_the_goals_and_cannot_draw(alice, stranger, table):
    page = open_table_page(alice, table)
    assert stranger.enter(table, **COLOUR).status_code == 404
    alice.enter(table, kind="close")
    assert alice.enter(table, htmx=True, **COLOUR).status_code == 409
    assert page.one("details", id="goal-c")


def test_file_of_a_table_holds_its_goals(alice, table):
    enter_sideboards(alice, table)
    alice.enter(table, **COLOUR)
    alice.enter(table, **HANDLE)
    match = load_fresh_log(table).match
    response = alice.get(reverse("export-table", args=[table.public_id, "json"]))
    data = json.loads(b"".join(response) if response.streaming else response.content)
    (exported,) = data["tables"]
    assert [entry["kind"] for entry in exported["entries"]] == list_kinds(table)
    assert exported["result"]["totals"] == list(match.standing.totals)


def test_key_sent_twice_draws_once(alice, table):
    key = new_key()
    for _time in range(2):
        assert alice.enter(table, key=key, **COLOUR).status_code == 302
    assert list_kinds(table) == ["colour-goal"]
