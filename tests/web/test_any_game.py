"""The generic game: saved sheets, validation, open-ended matches, teams, shared results."""

import pytest
from django.urls import reverse

from companion.tables.models import SavedOptions, Table
from tests.web.html import list_fields, parse_html
from tests.web.people import find_button, list_kinds, load_fresh_log

NEW_TABLE_URL = reverse("new-table", args=["any-game"])


def list_saved_names(person):
    """Return the titles of saved sheets that the form offers."""
    page = person.page("new-table", "any-game")
    return [b.text for b in page.all("button") if b.attrs.get("value", "").startswith("kept:")]


def get_options(page):
    form = page.one("form", id="setup")
    return {name: value for name, value in list_fields(page, form) if name.startswith("option.") and value}


def submit_invalid_form(person, *names, **options):
    """Submit the form, and return it with the reason why no table was opened."""
    pairs = [("seat", f"n:{name}") for name in names]
    pairs += [(f"option.{name}", value) for name, value in options.items()]
    response = person.send(NEW_TABLE_URL, [*pairs, ("way", "pad"), ("action", "open")])
    assert response.status_code == 422
    assert Table.objects.count() == 0
    return parse_html(response.content.decode())


# Saved sheets


def test_saved_sheet_is_offered_and_fills_in_the_form(alice):
    alice.open("any-game", name="Canasta", teams="2", target="5000", names=("Ann", "Bo", "Cleo", "Dora"))
    alice.open("any-game", name="Yatzy", categories="ones,twos", wins="lowest", names=("Ann",))
    assert list_saved_names(alice) == ["Yatzy", "Canasta"]
    page = alice.page("new-table", "any-game")
    form = page.one("form", id="setup")
    button = find_button(page, form, value="kept:canasta")
    typed = {"option.start": "7", "option.categories": "x", "option.name": "y"}
    pairs = [pair for pair in list_fields(page, form, button) if pair[0] not in typed]
    response = alice.send(NEW_TABLE_URL, [*pairs, *typed.items(), ("seat", "n:Ed")])
    page = parse_html(response.content.decode())
    assert get_options(page) == {
        "option.name": "Canasta",
        "option.wins": "highest",
        "option.teams": "2",
        "option.target": "5000",
        "option.start": "0",
    }
    assert "Ed" in page.one("ol").text


def test_form_does_not_start_with_the_sheet_of_another_game(alice):
    alice.open("any-game", name="Canasta", teams="2", target="5000")
    page = alice.page("new-table", "any-game")
    assert get_options(page) == {"option.wins": "highest", "option.teams": "0", "option.start": "0"}


def test_sheet_played_again_replaces_the_saved_one(alice):
    alice.open("any-game", name="Canasta", target="5000")
    alice.open("any-game", name="CANASTA", target="3000")
    assert list_saved_names(alice) == ["CANASTA"]
    assert SavedOptions.objects.get().words["target"] == "3000"


def test_deleted_sheet_is_not_offered_but_its_table_keeps_it(alice, stranger):
    table = alice.open("any-game", name="Canasta", target="5000")
    stranger.open("any-game", name="Canasta", target="100", names=("Zoe", "Yan"))
    page = alice.page("new-table", "any-game")
    form = page.one("form", id="setup")
    pairs = list_fields(page, form, find_button(page, form, value="forget:canasta"))
    next_page = parse_html(alice.send(NEW_TABLE_URL, [*pairs, ("seat", "n:Ed")]).content.decode())
    assert "Ed" in next_page.one("ol").text
    assert list_saved_names(alice) == []
    assert list_saved_names(stranger) == ["Canasta"]
    assert "5000" in alice.page("table", table.public_id).text


def test_untitled_table_saves_no_sheet(alice):
    alice.open("any-game", target="50")
    assert list_saved_names(alice) == []


def test_saved_sheets_belong_to_their_circle(alice, nobody):
    alice.open("any-game", name="Canasta")
    assert list_saved_names(nobody) == []


# Bad input


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"teams": "3"}, "2 players cannot make 3 teams."),
        ({"teams": "2", "wins": "shared"}, "One shared result means that there are no teams."),
        ({"teams": "1"}, "“1” is not one of 0, 2, 3, 4, 5, 6."),
        ({"categories": "Gold, gold"}, "Two categories are called “Gold”."),
        ({"categories": ", ".join("abcdefghijklm")}, "13 categories are too many: at most 12."),
        ({"categories": "x" * 25}, "That is too long: at most 24 characters."),
        ({"name": "x" * 41}, "That is too long: at most 40 characters."),
        ({"rounds": "0"}, "0 is not between 1 and 99."),
        ({"rounds": "2.5"}, "“2.5” is not a whole number written in the digits 0 to 9."),
        ({"target": "0"}, "Everybody starts with 0, so a target of 0 is reached before the first round."),
        ({"target": "1000000"}, "1000000 is too much for the sheet: the limit is 999999, above or below zero."),
        ({"start": "-1000000"}, "−1000000 is too much for the sheet: the limit is 999999, above or below zero."),
        ({"wins": "first"}, "“first” is not one of highest, lowest, shared."),
    ],
)
def test_invalid_sheet_is_rejected_and_stays_in_the_form(nobody, options, said):
    page = submit_invalid_form(nobody, "Ann", "Bo", **options)
    assert said in page.one("div", role="alert").text
    for name, value in options.items():
        if name not in ("teams", "wins"):
            assert page.one("input", name=f"option.{name}").attrs["value"] == value


def test_sheet_for_thirteen_players_is_rejected(nobody):
    page = submit_invalid_form(nobody, *"ABCDEFGHIJKLM")
    assert "Any Game is for 1 to 12 players." in page.one("div", role="alert").text


def test_extra_commas_between_categories_are_ignored(alice):
    table = alice.open_by_form("any-game", categories=" coins, ,cards won,")
    assert load_fresh_log(table).match.options.categories == ("coins", "cards won")
    response = alice.get(reverse("calculator", args=["any-game"]), {"option.categories": "coins, cards won, "})
    page = parse_html(response.content.decode())
    assert len([box for box in page.all("input") if box.attrs.get("name") == "count.2.points"]) == 2


@pytest.mark.parametrize("word", ["1.5", "12+", "twelve", "5,6", "1000000", "٣"])
def test_invalid_points_are_rejected_and_not_recorded(alice, word):
    table = alice.open("any-game")
    response = alice.enter(table, htmx=True, count__0__points=word)
    assert response.status_code in (400, 422)
    assert len(parse_html(response.content.decode()).one("div", id="notice").text) > 20
    assert list_kinds(table) == []


def test_teams_have_one_count(alice):
    table = alice.open("any-game", names=("Ann", "Bo", "Cleo", "Dora"), teams="2")
    response = alice.enter(table, htmx=True, count__2__points="5")
    assert response.status_code == 422
    notice = parse_html(response.content.decode()).one("div", id="notice")
    assert "Cleo is on the team of Ann, and a team is counted once." in notice.text
    assert notice.one("a", **{"class": "rule"}).attrs["href"].endswith("/rules/any-game/#teams")


# A table of any game


def test_sums_and_negative_numbers_add_up_and_the_title_shows_everywhere(alice):
    table = alice.open("any-game", name="Skat <b>")
    alice.enter(table, count__0__points="12+7-3", count__1__points="−8", count__2__points="0")
    assert load_fresh_log(table).match.standing.totals == (16, -8, 0)
    for page in (alice.page("table", table.public_id), alice.page("log", table.public_id), alice.page("home")):
        assert "Skat <b>" in page.text
    alice.enter(table, kind="close")
    assert "Skat <b>" in alice.page("history").text


def test_open_ended_match_is_ended_by_a_button_and_has_a_winner(alice):
    table = alice.open("any-game")
    assert "End the match" not in alice.page("table", table.public_id).text
    alice.enter(table, count__0__points="5", count__1__points="9", count__2__points="9")
    page = alice.page("table", table.public_id)
    assert "End the match" in page.text and "Close the table" not in page.text
    alice.enter(table, kind="close")
    page = alice.page("table", table.public_id)
    assert page.one("p", **{"class": "verdict"}).text == "Bo, Cleo share the win with 9."
    assert "Round 1" in page.text and "Round 2" not in page.text
    alice.enter(table, kind="reopen")
    assert "Round 2" in alice.page("table", table.public_id).text


def test_shared_result_is_counted_once_and_ranks_nobody(alice):
    table = alice.open("any-game", wins="shared", rounds="1", target="20")
    page = alice.page("table", table.public_id)
    assert [box.attrs["name"] for box in page.all("input") if "data-keypad" in box.attrs] == ["count.0.points"]
    alice.enter(table, count__0__points="18")
    page = alice.page("table", table.public_id)
    assert page.one("p", **{"class": "verdict"}).text == "Target missed: 18 of 20."
    assert not page.all("ol", **{"class": "ranks"})
    assert page.one("p", **{"class": "big num"}).text == "18"


def test_final_page_of_one_round_shows_the_categories(alice):
    table = alice.open("any-game", categories="coins,cards")
    counts = {"count.0.points": ["4", "5"], "count.1.points": ["0", "-5"], "count.2.points": ["1", "1"], "round": "1"}
    alice.send(reverse("record", args=[table.public_id]), {**counts, "key": "key-categories"})
    page = alice.page("table", table.public_id)
    cells = [[cell.text for cell in row.all("td")] for row in page.all("tr")]
    assert ["4", "0", "1"] in cells and ["5", "−5", "1"] in cells
    assert page.one("p", **{"class": "verdict"}).text == "Ann wins with 9."


def test_changed_options_are_listed_without_the_title(alice):
    table = alice.open("any-game", name="Seven", categories="coins,cards", wins="lowest", rounds="3")
    (text,) = (p.text for p in alice.page("table", table.public_id).all("p") if "Played with:" in p.text)
    assert text.split("Played with:")[1].strip() == "Winner: The lowest total · Categories: coins, cards · Rounds: 3"
