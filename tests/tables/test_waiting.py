"""Entries from the outbox of a phone mean what its board offered when they were tapped."""

import pytest

from tests.tables.test_slots import get_notice
from tests.web.html import parse_html
from tests.web.people import find_button, find_form, list_kinds, load_fresh_log, new_key


@pytest.fixture
def take_that_table(alice):
    """A table of Take That with 25 in the row: 52 reverses it, but does not extend it."""
    table = alice.open(way="referee")
    lay_cards(alice, table, 25)
    return table


def lay_cards(person, table, *cards):
    for card in cards:
        assert person.enter(table, kind="extend", card=card).status_code == 302


def tap_card(person, table, card, **fields):
    """Tap a card on a page that shows only the first entry and has unsent entries after it."""
    return person.enter(table, **{"seen": 1, "place": len(list_kinds(table)) + 1, "card": card, **fields}, htmx=True)


def get_row(table):
    return load_fresh_log(table).match.get_round(1).state.row


def test_a_tap_means_the_play_that_the_board_offered(alice, take_that_table):
    lay_cards(alice, take_that_table, 34, 44)  # now 52 extends 44, too
    assert tap_card(alice, take_that_table, 52).status_code == 200
    assert get_row(take_that_table) == (34, 44)


def test_an_ambiguous_tap_is_asked_about(alice, take_that_table):
    lay_cards(alice, take_that_table, 34, 41)
    response = alice.enter(take_that_table, seen=2, place=4, card=43)  # next to 34, and its reversal
    page = parse_html(response.content.decode())
    form = find_form(page, card="43")
    assert response.status_code == 422
    assert alice.submit(page, form, find_button(page, form, name="kind", value="reverse")).status_code == 302
    assert get_row(take_that_table) == (25, 41)


def test_a_tap_that_has_become_another_play_is_asked_about(alice, take_that_table):
    alice.enter(take_that_table, kind="take", seat=2)
    lay_cards(alice, take_that_table, 49)
    response = alice.enter(take_that_table, seen=1, place=4, card=52)
    page = parse_html(response.content.decode())
    form = find_form(page, card="52")
    assert response.status_code == 422 and list_kinds(take_that_table) == ["extend", "take", "extend"]
    assert alice.submit(page, form, find_button(page, form, name="kind", value="extend")).status_code == 302
    assert get_row(take_that_table) == (49, 52)


def test_an_impossible_tap_is_refused_for_its_original_meaning(alice, take_that_table):
    alice.enter(take_that_table, kind="take", seat=2)
    lay_cards(alice, take_that_table, 78)
    response = tap_card(alice, take_that_table, 52)
    assert response.status_code == 422
    assert "25 is not in the row" in get_notice(response).text
    assert not parse_html(response.content.decode()).all("input", name="insist")


@pytest.fixture
def the_game_table(alice):
    """A table of The Game where 55 goes on one row only."""
    table = alice.open("the-game", names=("Ann", "Bo"), way="referee")
    for card, row in ((60, "up-1"), (61, "up-2"), (50, "down-1")):
        assert alice.enter(table, kind="place", seat=0, card=card, row=row).status_code == 302
    return table


def test_a_tap_means_the_row_that_the_board_offered_the_same_player(alice, the_game_table):
    alice.enter(the_game_table, kind="place", card=63, row="up-1")
    alice.enter(the_game_table, kind="place", card=53, row="up-1")  # backwards: now 55 goes there, too
    assert tap_card(alice, the_game_table, 55, seen=3).status_code == 200
    assert load_fresh_log(the_game_table).match.get_round(1).plays[-1].entry.row == "down-2"


def test_the_row_offered_to_another_player_is_not_taken_for_granted(alice, the_game_table):
    alice.enter(the_game_table, kind="place", card=63, row="up-1")
    alice.enter(the_game_table, kind="place", card=53, row="up-1")
    alice.enter(the_game_table, kind="end-turn")
    response = tap_card(alice, the_game_table, 55, seen=3)
    assert response.status_code == 422
    assert len(parse_html(response.content.decode()).all("button", name="row")) == 2


def test_an_entry_sent_again_is_one_though_its_place_was_never_filled(alice, take_that_table):
    """Earlier unsent entries were discarded, and the response was lost."""
    key = new_key()
    for _attempt in range(2):
        response = tap_card(alice, take_that_table, 34, key=key, place=5)
        assert response.status_code == 200 and not get_notice(response).text
    assert list_kinds(take_that_table) == ["extend", "extend"]


# Twice from one phone


def test_a_clash_with_an_entry_of_the_same_phone_says_so(alice, mate, table):
    alice.count(table, 0, 2, 3, 1)
    assert "You have already entered something else here." in get_notice(alice.count(table, 0, 4, 5, 0)).text
    assert "Somebody else was faster" in get_notice(mate.count(table, 0, 4, 5, 0)).text


def test_a_repeated_count_from_the_same_phone_is_recognized(alice, table):
    alice.count(table, 0, 2, 3, 1)
    assert get_notice(alice.count(table, 0, 2, 3, 1, htmx=True)).text == "You have already entered this."
    assert list_kinds(table) == ["count"]
