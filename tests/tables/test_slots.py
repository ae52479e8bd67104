"""Idempotency keys, and clashes in a slot."""

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from companion.games import get_game_package, get_games
from companion.tables.models import Entry
from tests.games.dice import GAME as DICE
from tests.web.html import list_fields, parse_html
from tests.web.people import (
    FIRST_PLAY,
    assert_all_pages_open,
    find_form,
    list_kinds,
    load_fresh_log,
    new_key,
    open_stuck_table,
)


def get_notice(response):
    return parse_html(response.content.decode()).one("div", id="notice")


# The same key


def test_the_same_key_twice_is_one_entry(alice, table):
    key = new_key()
    for htmx, status in ((True, 200), (True, 200), (False, 302)):
        assert alice.enter(table, key=key, htmx=htmx, **FIRST_PLAY).status_code == status
    assert list_kinds(table) == ["extend"]


@pytest.mark.slow
def test_a_hundred_double_taps_are_a_hundred_entries(alice):
    table = alice.open(names=("Ann", "Bo", "Cleo", "Dora"), rounds="25")
    for index in range(100):
        key, seat, number = new_key(), index % 4, 1 + index // 4
        for _tap in range(2):
            response = alice.count(table, seat, 2, index % 7, 0, round=number, key=key, insist="deal", htmx=True)
            assert response.status_code == 200
            assert not get_notice(response).text
    assert list_kinds(table) == ["count"] * 100
    assert load_fresh_log(table).match.standing.is_over


def test_resending_a_form_later_records_it_once(alice, mate, table):
    key = new_key()
    alice.enter(table, key=key, place=1, **FIRST_PLAY)
    mate.enter(table, kind="extend", seat=2, card=41)
    mate.enter(table, kind="extend", seat=0, card=49)
    assert alice.enter(table, key=key, place=1, **FIRST_PLAY).status_code == 302
    assert len(list_kinds(table)) == 3


def test_an_undone_key_is_not_recorded_again(alice, table):
    key = new_key()
    alice.enter(table, key=key, **FIRST_PLAY)
    alice.enter(table, kind="undo", target=1)
    alice.enter(table, key=key, **FIRST_PLAY)
    assert list_kinds(table) == ["extend", "undo"]
    assert load_fresh_log(table).match.get_round(1).state.row == ()


def test_the_same_key_at_two_tables_is_two_entries(alice, table):
    second_table, key = alice.open(), new_key()
    for target in (table, second_table):
        assert alice.enter(target, key=key, **FIRST_PLAY).status_code == 302
    assert list_kinds(table) == list_kinds(second_table) == ["extend"]


def test_a_pad_sent_twice_is_recorded_once(alice, table):
    key, boxes = new_key(), {f"count__{seat}__{name}": 2 for seat in range(3) for name in ("face_up", "face_down")}
    toads = {f"count__{seat}__toads": 0 for seat in range(3)}
    for _tap in range(3):
        response = alice.enter(table, key=key, insist="deal", htmx=True, **boxes, **toads)
        assert response.status_code == 200 and not get_notice(response).text
    assert list_kinds(table) == ["count"] * 3


def test_a_resent_pad_records_an_added_player(alice, table):
    """The response was lost, so the page kept its key while another count was filled in."""
    key, bo_count = new_key(), {"count__1__face_up": 4, "count__1__face_down": 5, "count__1__toads": 0}
    ann_count = {"count__0__face_up": 2, "count__0__face_down": 3, "count__0__toads": 1}
    assert alice.enter(table, key=key, **bo_count).status_code == 302
    response = alice.enter(table, key=key, htmx=True, **ann_count, **bo_count)
    assert response.status_code == 200, get_notice(response).text
    assert [(c.seat, c.face_up) for c in load_fresh_log(table).match.get_round(1).manual_counts] == [(1, 4), (0, 2)]


# The same slot


def test_the_same_play_by_two_phones_is_one_entry(alice, mate, table):
    alice.enter(table, place=1, **FIRST_PLAY)
    response = mate.enter(table, place=1, **FIRST_PLAY)
    assert response.status_code == 200
    assert get_notice(response).text
    assert list_kinds(table) == ["extend"]


def test_the_same_count_by_two_phones_is_one_entry(alice, mate, table):
    assert alice.count(table, 0, 2, 3, 1).status_code == 302
    response = mate.count(table, 0, 2, 3, 1, htmx=True)
    assert response.status_code == 200
    assert get_notice(response).text
    assert list_kinds(table) == ["count"]


def test_a_clash_of_counts_shows_both_and_offers_mine(alice, mate, table):
    alice.count(table, 0, 2, 3, 1)
    response = mate.count(table, 0, 4, 5, 0)
    assert response.status_code == 409
    assert list_kinds(table) == ["count"]
    text = get_notice(response).text
    assert "2 face up" in text and "4 face up" in text
    page = parse_html(response.content.decode())
    assert mate.submit(page, find_form(page, amend="correct")).status_code == 302
    assert load_fresh_log(table).match.get_round(1).manual_counts[0].face_up == 4
    assert list_kinds(table) == ["count", "correct"]


def test_a_clash_of_plays_shows_both_and_offers_mine(alice, mate, table):
    alice.enter(table, place=1, **FIRST_PLAY)
    response = mate.enter(table, place=1, kind="extend", seat=1, card=44)
    assert response.status_code == 409
    text = get_notice(response).text
    assert "34" in text and "44" in text
    page = parse_html(response.content.decode())
    assert mate.submit(page, find_form(page, amend="correct")).status_code == 302
    assert load_fresh_log(table).match.get_round(1).state.row == (44,)


def test_every_clashing_slot_is_shown_with_its_own_choice(alice, mate, table):
    alice.count(table, 0, 4, 36, 2)
    alice.count(table, 1, 6, 30, 2)
    counts = {
        f"count.{seat}.{name}": n for seat in (0, 1) for name, n in (("face_up", 8), ("face_down", 3), ("toads", 0))
    }
    response = mate.enter(table, htmx=True, **counts)
    assert response.status_code == 409
    slip = get_notice(response)
    assert [len(values.all("button")) for values in slip.all("div", **{"class": "two-values"})] == [1, 1]
    for target in ("1", "2"):
        assert mate.submit(slip, find_form(slip, target=target)).status_code == 302
    assert [count.face_up for count in load_fresh_log(table).match.get_round(1).manual_counts] == [8, 8]


def test_a_clash_keeps_the_page_on_its_round(alice, mate):
    """Without JavaScript the whole page is returned; it must not offer the values for the next round."""
    table = alice.open(names=("Ann", "Bo"))
    alice.count(table, 0, 4, 36, 2)
    alice.count(table, 1, 6, 30, 2)
    page = parse_html(mate.count(table, 0, 8, 3, 0).content.decode())
    assert dict(list_fields(page, page.one("form", id="board")))["round"] == "1"
    assert not [box for box in page.all("input", name="count.0.face_up") if "data-keypad" in box.attrs]


def test_only_the_tally_that_was_shown_can_be_confirmed(alice, mate):
    table = open_stuck_table(alice)
    page = mate.page("table", table.public_id)
    assert alice.enter(table, amend="insert", target=1, kind="place", seat=0, card=9, row="up-1").status_code == 302
    response = mate.submit(page, find_form(page, kind="confirm"))
    assert response.status_code == 409
    assert "9" in get_notice(response).text
    assert not load_fresh_log(table).match.get_round(1).is_confirmed
    page = mate.page("table", table.public_id)
    assert mate.submit(page, find_form(page, kind="confirm")).status_code == 302
    assert load_fresh_log(table).match.get_round(1).is_confirmed


def test_a_key_reused_in_another_round_is_a_clash(alice, table):
    key = new_key()
    for seat in range(3):
        assert alice.count(table, seat, 10, 10, 0, insist="deal", key=f"{key}{seat}").status_code == 302
    assert alice.count(table, 0, 10, 10, 0, insist="deal", key=f"{key}0", round=2).status_code == 409


# Several counts at once


def build_odd_counts(face_up_counts=(3, 5)):
    return {
        f"count.{seat}.{name}": number
        for seat, face_up in enumerate(face_up_counts)
        for name, number in (("face_up", face_up), ("face_down", 30), ("toads", 0))
    }


def test_all_refusals_are_shown_before_insisting(alice, table):
    slip = get_notice(alice.enter(table, htmx=True, **build_odd_counts()))
    assert "Ann" in slip.text and "Bo" in slip.text
    assert list_kinds(table) == []
    assert alice.submit(slip, find_form(slip, insist="reverse-pair")).status_code == 302
    assert list_kinds(table) == ["count", "count"]


def test_insisting_once_covers_different_rules(alice, table):
    boxes = {**build_odd_counts((3, 4)), "count.1.hand": 50}
    slip = get_notice(alice.enter(table, htmx=True, **boxes))
    form = slip.one("form")
    assert [value for name, value in list_fields(slip, form) if name == "insist"] == ["reverse-pair", "deal"]
    assert alice.submit(slip, form).status_code == 302


def test_insisting_is_not_offered_for_binding_rules(alice, table):
    slip = get_notice(alice.enter(table, htmx=True, **{**build_odd_counts(), "count.1.toads": 31}))
    assert "Ann" in slip.text and "Bo" in slip.text
    assert not slip.all("form")
    assert list_kinds(table) == []


def test_keeping_theirs_is_a_link_that_changes_nothing(alice, mate, table):
    alice.count(table, 0, 2, 3, 1)
    slip = get_notice(mate.count(table, 0, 4, 5, 0))
    keep = slip.all("a")[0].attrs["href"]
    assert mate.get(keep).status_code == 200
    assert list_kinds(table) == ["count"]


@pytest.mark.parametrize("words", [{"left": "12"}, {"hands": ["2", "3"], "pile": "0"}])
def test_using_mine_works_for_either_way_of_counting_cards(alice, mate, words):
    table = alice.open("the-game", names=("Ann", "Bo"))
    alice.enter(table, count__all__left=9)
    response = mate.enter(table, **{f"count.all.{name}": word for name, word in words.items()})
    assert response.status_code == 409
    page = parse_html(response.content.decode())
    assert mate.submit(page, find_form(page, amend="correct")).status_code == 302
    assert load_fresh_log(table).match.get_round(1).manual_counts[0].total == (12 if "left" in words else 5)


def test_using_mine_after_another_change_clashes_again(alice, mate, table):
    alice.count(table, 0, 2, 3, 1)
    page = parse_html(mate.count(table, 0, 4, 5, 0).content.decode())
    version = load_fresh_log(table).version
    counts = {"count.0.face_up": 6, "count.0.face_down": 3, "count.0.toads": 1}
    assert alice.enter(table, amend="correct", target=1, seen=version, **counts).status_code == 302
    response = mate.submit(page, find_form(page, amend="correct"))
    assert response.status_code == 409
    assert load_fresh_log(table).match.get_round(1).manual_counts[0].face_up == 6


def correct_concurrently(alice, mate, table, card):
    """Correct entry 1 from two open pages; Alice is faster."""
    alice.enter(table, **FIRST_PLAY)
    pages = [person.page("correct", table.public_id, 1) for person in (alice, mate)]
    forms = [dict(list_fields(page, page.one("form", id="board"))) for page in pages]
    url = reverse("record", args=[table.public_id])
    assert alice.send(url, {**forms[0], "card": "35"}).status_code == 302
    return mate.send(url, {**forms[1], "card": card})


def test_two_corrections_of_one_entry_clash(alice, mate, table):
    response = correct_concurrently(alice, mate, table, "36")
    assert response.status_code == 409
    assert load_fresh_log(table).match.get_round(1).state.row == (35,)
    text = get_notice(response).text
    assert "35" in text and "36" in text
    page = parse_html(response.content.decode())
    assert mate.submit(page, find_form(page, amend="correct", target="1")).status_code == 302
    assert load_fresh_log(table).match.get_round(1).state.row == (36,)


def test_the_same_correction_by_two_phones_is_one_entry(alice, mate, table):
    response = correct_concurrently(alice, mate, table, "35")
    assert response.status_code == 200
    assert get_notice(response).text
    assert list_kinds(table) == ["extend", "correct"]


def test_two_corrections_of_a_count_clash_and_mine_can_be_used(alice, mate, table):
    alice.count(table, 0, 2, 3, 1)
    pages = [person.page("correct", table.public_id, 1) for person in (alice, mate)]
    assert alice.submit(pages[0], pages[0].one("form", id="board"), **{"count.0.face_up": "4"}).status_code == 302
    response = mate.submit(pages[1], pages[1].one("form", id="board"), **{"count.0.face_up": "6"})
    assert response.status_code == 409
    page = parse_html(response.content.decode())
    assert mate.submit(page, find_form(page, amend="correct", target="1")).status_code == 302
    assert load_fresh_log(table).match.get_round(1).manual_counts[0].face_up == 6


def test_striking_a_just_corrected_entry_is_a_clash(alice, mate, table):
    alice.enter(table, **FIRST_PLAY)
    page = mate.page("correct", table.public_id, 1)
    alice.enter(table, amend="correct", target=1, kind="extend", seat=1, card=35)
    response = mate.submit(page, find_form(page, kind="strike", target="1"))
    assert response.status_code == 409
    assert load_fresh_log(table).match.get_round(1).state.row == (35,)
    page = parse_html(response.content.decode())
    assert mate.submit(page, find_form(page, kind="strike", target="1")).status_code == 302
    assert load_fresh_log(table).match.get_round(1).state.row == ()


# Other slots


def test_an_old_page_does_not_clash_in_another_slot(alice, mate, table):
    old = mate.page("table", table.public_id)
    alice.count(table, 0, 2, 3, 1)
    alice.enter(table, kind="extend", seat=1, card=34, round=2)
    alice.enter(table, kind="undo", target=2)
    form = old.one("form", id="board")
    changed = {"count.1.face_up": "4", "count.1.face_down": "5", "count.1.toads": "0"}
    assert mate.submit(old, form, **changed).status_code == 302
    assert [count.seat for count in load_fresh_log(table).match.get_round(1).manual_counts] == [0, 1]


def test_a_pad_with_one_slot_taken_records_the_others(alice, mate, table):
    alice.count(table, 0, 2, 3, 1)
    boxes = {"count__0__face_up": 4, "count__0__face_down": 5, "count__0__toads": 0}
    more = {"count__2__face_up": 6, "count__2__face_down": 1, "count__2__toads": 0}
    assert mate.enter(table, **boxes, **more).status_code == 409
    assert [(c.seat, c.face_up) for c in load_fresh_log(table).match.get_round(1).manual_counts] == [(0, 2), (2, 6)]
    assert_all_pages_open(alice, table)


def test_a_pad_is_saved_player_by_player(alice, table):
    for seat, remaining in ((2, [0, 1]), (0, [1]), (1, [0, 1, 2])):  # after the last count the next round begins
        assert alice.count(table, seat, 2, seat, 0, insist="deal").status_code == 302
        page = alice.page("table", table.public_id)
        assert [index for index in range(3) if page.all("input", id=f"count.{index}.face_up.0")] == remaining
    assert [count.seat for count in load_fresh_log(table).match.get_round(1).manual_counts] == [2, 0, 1]


def test_blank_is_not_zero(alice, table):
    alice.count(table, 0, 0, 0, 0, count__1__face_up="", count__1__face_down="", count__1__toads="")
    assert [count.seat for count in load_fresh_log(table).match.get_round(1).manual_counts] == [0]
    assert not load_fresh_log(table).match.get_round(1).is_over


def test_refusals_leave_no_gaps_in_entry_numbers(alice, table):
    for card in (34, 20, 99, 34, 41):
        alice.enter(table, kind="extend", seat=1 + (card == 41), card=card)
    assert list(Entry.objects.filter(table=table).values_list("number", flat=True)) == [1, 2]


def test_the_database_rejects_duplicate_keys_and_numbers(alice, table):
    """Whatever the code does."""
    alice.count(table, 0, 8, 8, 0)
    entry = Entry.objects.get(table=table)
    twin = {"table": table, "kind": entry.kind, "words": entry.words, "game_version": 1}
    for values in ({"key": entry.key, "number": 2}, {"key": "another-key", "number": entry.number}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Entry.objects.create(**twin, **values)


# Played at the same time


@pytest.fixture
def dice_table(alice, monkeypatch):
    """A table whose dice have just been rolled."""

    def find_package(slug):
        return "tests.games" if slug == "dice" else get_game_package(slug)  # there is no rulebook

    loaded = ({**get_games(), "dice": DICE}, {})
    monkeypatch.setattr("companion.games._load_games", lambda: loaded)
    monkeypatch.setattr("companion.rulebook.loader.get_game_package", find_package)
    table = alice.open("dice", way="referee")
    assert alice.enter(table, kind="roll", place=1).status_code == 302
    return table


def test_two_players_cross_a_number_on_the_same_roll(alice, mate, dice_table):
    for person, seat in ((alice, 1), (mate, 0)):
        response = person.enter(dice_table, kind="cross", seat=seat, number=7, place=2, htmx=True)
        assert response.status_code == 200
    assert list_kinds(dice_table) == ["roll", "cross", "cross"]


def test_a_player_crosses_one_number_on_a_roll(alice, mate, dice_table):
    alice.enter(dice_table, kind="cross", seat=1, number=7, place=2)
    for number, status in ((7, 200), (8, 409)):
        response = mate.enter(dice_table, kind="cross", seat=1, number=number, place=2, htmx=True)
        assert response.status_code == status
    assert list_kinds(dice_table) == ["roll", "cross"]


def test_a_cross_does_not_move_to_the_next_roll(alice, mate, dice_table):
    alice.enter(dice_table, kind="roll", place=2)
    assert mate.enter(dice_table, kind="cross", seat=1, number=7, place=2, htmx=True).status_code == 409
    assert list_kinds(dice_table) == ["roll", "roll"]


def test_a_referee_without_templates_shows_the_table(alice, dice_table):
    assert_all_pages_open(alice, dice_table)
