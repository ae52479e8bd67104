import pytest
from django.urls import reverse

from companion.tables.models import Entry, Table
from tests.web.html import list_fields, parse_html
from tests.web.people import (
    assert_all_pages_open,
    find_button,
    find_buttons,
    find_form,
    list_kinds,
    load_fresh_log,
    open_stuck_table,
)

ROUNDS = {1: ((12, 17, 0), (10, 4, 1), (14, 3, 0)), 2: ((8, 10, 1), (20, 2, 0), (6, 8, 1))}
"""Two rounds of valid counts, which score -5,2,11 and -6,18,-6."""


def fill_rounds(person, table, *rounds):
    for number in rounds or ROUNDS:
        for seat, counts in enumerate(ROUNDS[number]):
            response = person.count(table, seat, *counts, round=number, insist="deal")
            assert response.status_code == 302, parse_html(response.content.decode()).one(id="notice").text


def get_totals(table):
    return load_fresh_log(table).match.standing.totals


def play_cards(person, table, *cards, round=1, first=1):
    for index, card in enumerate(cards):
        play = {"kind": "extend", "seat": (first + index) % 3, "card": card}
        assert person.enter(table, round=round, **play).status_code == 302


def get_result(table):
    return Table.objects.get(pk=table.pk).result


# Correcting


def test_an_entry_three_rounds_back_is_corrected_and_the_old_one_stays_in_the_log(alice):
    table = alice.open(names=("Ann", "Bo", "Cleo"), rounds="3")
    fill_rounds(alice, table)
    for seat in range(3):
        alice.count(table, seat, 0, 0, 0, round=3, insist="deal")
    assert load_fresh_log(table).match.standing.is_over
    page = alice.page("correct", table.public_id, 1)
    form = page.one("form", id="board")
    response = alice.submit(page, form, **{"count.0.face_up": "14"})
    assert response.status_code == 302
    assert get_totals(table) == (-9, 20, 5)
    assert Entry.objects.get(table=table, number=1).words["face_up"] == "12"
    assert load_fresh_log(table).log.get_step(1).entry.face_up == 14
    assert get_result(table)["totals"] == [-9, 20, 5]


def test_a_refused_correction_keeps_its_page_and_input(alice, table):
    fill_rounds(alice, table)
    page = alice.page("correct", table.public_id, 2)
    response = alice.submit(page, page.one("form", id="board"), **{"count.1.face_up": "11"})
    next_page = parse_html(response.content.decode())
    assert response.status_code == 422
    assert next_page.one("input", id="count.1.face_up.0").attrs["value"] == "11"
    assert get_totals(table) == (-11, 20, 5)
    assert alice.submit(next_page, find_form(next_page, insist="reverse-pair")).status_code == 302
    assert get_totals(table) == (-11, 21, 5)


def test_a_play_is_corrected_on_the_board_as_it_stood_then(alice, table):
    play_cards(alice, table, 34, 41, 49)
    page = alice.page("correct", table.public_id, 2)
    assert [card.text for card in page.one("ol", **{"class": "lie"}).all("li")] == ["34"]
    form = page.one("form", id="board")
    assert alice.submit(page, form, find_button(page, form, name="card", value="44")).status_code == 302
    assert load_fresh_log(table).match.get_round(1).state.row == (34, 44, 49)


def test_a_play_that_was_forgotten_is_put_before_another(alice, table):
    alice.enter(table, kind="extend", seat=1, card=34)
    alice.enter(table, kind="extend", seat=0, card=43, insist="turn")
    page = alice.page("correct", table.public_id, 2, forgotten="")
    form = page.one("form", id="board")
    assert alice.submit(page, form, find_button(page, form, name="card", value="41")).status_code == 302
    assert load_fresh_log(table).match.get_round(1).state.row == (34, 41, 43)
    assert load_fresh_log(table).match.invalid_steps == ()


def test_an_entry_made_invalid_is_listed_and_can_be_accepted(alice, table):
    play_cards(alice, table, 34, 41, 49)
    assert alice.enter(table, amend="correct", target=2, kind="extend", seat=2, card=24).status_code == 302
    assert [step.action.number for step in load_fresh_log(table).match.invalid_steps] == [3]
    page = alice.page("table", table.public_id)
    assert page.one("section", **{"class": "slip"}).one("span", **{"class": "no"}).text == "3"
    assert alice.submit(page, find_form(page, kind="insist", target="3")).status_code == 302
    assert load_fresh_log(table).match.invalid_steps == ()
    assert load_fresh_log(table).match.get_round(1).state.row == (34, 24, 49)
    assert load_fresh_log(table).log.get_step(3).action.overruled == ("extend-within-ten",)


def test_an_entry_made_invalid_can_be_struck_out(alice, table):
    play_cards(alice, table, 34, 41, 49)
    alice.enter(table, amend="correct", target=2, kind="extend", seat=2, card=24)
    page = alice.page("table", table.public_id)
    assert alice.submit(page, find_form(page, kind="strike", target="3")).status_code == 302
    assert load_fresh_log(table).match.invalid_steps == ()
    assert load_fresh_log(table).match.get_round(1).state.row == (34, 24)
    assert list_kinds(table) == ["extend", "extend", "extend", "correct", "strike"]


def test_an_impossible_entry_can_only_be_corrected_or_struck(alice, table):
    play_cards(alice, table, 34, 41, 49)
    alice.enter(table, amend="correct", target=2, kind="extend", seat=2, card=44)
    assert alice.enter(table, amend="correct", target=1, kind="extend", seat=1, card=49).status_code == 302
    assert [step.action.number for step in load_fresh_log(table).match.invalid_steps] == [3]
    page = alice.page("table", table.public_id)
    assert not [form for form in page.all("form") if ("kind", "insist") in list_fields(page, form)]
    assert alice.enter(table, kind="insist", target=3, insist="deck").status_code == 422
    assert_all_pages_open(alice, table)


def test_striking_an_entry_from_its_page_takes_its_effect_away(alice, table):
    play_cards(alice, table, 34, 41)
    page = alice.page("correct", table.public_id, 2)
    assert alice.submit(page, find_form(page, kind="strike", target="2")).status_code == 302
    assert load_fresh_log(table).match.get_round(1).state.row == (34,)


@pytest.mark.parametrize("number", range(1, 7))
def test_after_the_match_is_over_every_entry_can_still_be_corrected_or_struck(alice, table, number):
    fill_rounds(alice, table)
    assert load_fresh_log(table).match.standing.is_over
    seat, played = (number - 1) % 3, 1 + (number - 1) // 3
    up, down, toads = ROUNDS[played][seat]
    words = {f"count.{seat}.face_up": up + 2, f"count.{seat}.face_down": down, f"count.{seat}.toads": toads}
    before = get_totals(table)
    assert alice.enter(table, amend="correct", target=number, round=played, insist="deal", **words).status_code == 302
    assert get_totals(table)[seat] == before[seat] + 2
    assert alice.enter(table, kind="strike", target=number).status_code == 302
    assert load_fresh_log(table).log.get_step(number) is None
    assert_all_pages_open(alice, table)


def test_a_correction_is_the_same_as_having_entered_it_right(alice):
    wrong = alice.open(names=("Ann", "Bo", "Cleo"))
    right = alice.open(names=("Ann", "Bo", "Cleo"))
    play_cards(alice, wrong, 34, 44, 49)
    alice.enter(wrong, amend="correct", target=2, kind="extend", seat=2, card=41)
    play_cards(alice, right, 34, 41, 49)
    assert load_fresh_log(wrong).match.get_round(1).state == load_fresh_log(right).match.get_round(1).state


def test_a_round_opened_again_by_a_correction_is_named_and_can_be_finished(alice):
    table = alice.open(names=("Ann", "Bo", "Cleo"), rounds="3")
    fill_rounds(alice, table, 1, 2)
    assert alice.enter(table, kind="strike", target=2).status_code == 302
    assert [played.number for played in load_fresh_log(table).match.unfinished_rounds] == [1]
    page = alice.page("table", table.public_id)
    assert "?round=1" in [link.attrs["href"] for link in page.one("section", **{"class": "slip"}).all("a")]
    assert alice.page("table", table.public_id, round="1").one("input", id="count.1.face_up.0")
    assert alice.count(table, 1, *ROUNDS[1][1], round=1, insist="deal").status_code == 302
    assert load_fresh_log(table).match.unfinished_rounds == ()
    assert get_totals(table) == (-11, 20, 5)


@pytest.mark.parametrize("struck", [(4, 5, 6), (6, 5, 4), (4,), (5, 4)])
def test_striking_out_a_round_keeps_later_scores(alice, struck):
    table = alice.open(names=("Ann", "Bo", "Cleo"), rounds="3")
    fill_rounds(alice, table, 1, 2)
    for seat in range(3):
        assert alice.count(table, seat, 10, 10, 0, round=3, insist="deal").status_code == 302
    for number in struck:
        assert alice.enter(table, kind="strike", target=number).status_code == 302
    match = load_fresh_log(table).match
    assert match.invalid_steps == ()
    assert match.get_round(3).sheet.points == (0, 0, 0)
    assert [played.number for played in match.unfinished_rounds] == [2]
    assert match.current_number == 2
    page = alice.page("table", table.public_id)
    assert "?round=2" in [link.attrs["href"] for link in page.one("section", **{"class": "slip"}).all("a")]
    for seat in {act - 4 for act in struck}:
        assert alice.count(table, seat, *ROUNDS[1][seat], round=2, insist="deal").status_code == 302
    assert load_fresh_log(table).match.standing.is_over


def test_a_new_count_replaces_one_that_became_impossible(alice):
    """An invalid count fills no slot, so entering it again is no clash."""
    table = alice.open(names=("Ann", "Bo"), rounds="2")
    assert alice.count(table, 0, 2, 39, 3, insist="deal").status_code == 302
    assert alice.count(table, 1, 2, 30, 4, insist="deal").status_code == 302
    counts = {"count.0.face_up": 2, "count.0.face_down": 39, "count.0.toads": 7}
    assert alice.enter(table, amend="correct", target=1, **counts).status_code == 302
    assert [step.action.number for step in load_fresh_log(table).match.invalid_steps] == [2]
    assert alice.count(table, 1, 2, 30, 0, insist="deal").status_code == 302
    assert [count.toads for count in load_fresh_log(table).match.get_round(1).manual_counts] == [7, 0]


def test_an_extra_round_is_refused_before_the_match_is_over(alice):
    table = alice.open("the-game", names=("Ann", "Bo"), way="referee")
    assert alice.enter(table, kind="place", seat=0, card=10, row="up-1").status_code == 302
    response = alice.enter(table, kind="place", seat=0, card=10, row="up-1", round=2)
    assert response.status_code == 422
    assert "1 round" in parse_html(response.content.decode()).one("div", id="notice").text


@pytest.mark.pages
def test_every_page_opens_after_whole_rounds_have_been_struck_out(alice):
    table = alice.open(names=("Ann", "Bo", "Cleo"), rounds="5")
    fill_rounds(alice, table, 1, 2)
    for seat in range(3):
        alice.count(table, seat, 0, 0, 0, round=3, insist="deal")
    for number in range(1, 7):
        assert alice.enter(table, kind="strike", target=number).status_code == 302
        assert_all_pages_open(alice, table)


def test_an_entry_that_is_no_step_has_no_page_to_correct_it(alice, table):
    play_cards(alice, table, 34)
    page = alice.page("table", table.public_id, way="referee")
    alice.submit(page, *find_buttons(page, "undo")[0])
    for number in (0, 1, 2, 99, "9" * 5_000):
        assert alice.get(f"{reverse('table', args=[table.public_id])}entries/{number}/").status_code == 404


# Refereed rounds


def test_a_refereed_round_counts_when_its_tally_has_been_seen_and_confirmed(alice):
    table = open_stuck_table(alice)
    assert not load_fresh_log(table).match.standing.is_over
    page = alice.page("table", table.public_id)
    assert page.one("tfoot").one("td").text == "95"
    assert alice.submit(page, find_form(page, kind="confirm")).status_code == 302
    assert load_fresh_log(table).match.standing.is_over
    assert get_result(table) == {"totals": [95], "ranks": [], "rounds": 1}


def test_confirming_twice_is_one_confirmation(alice, mate):
    table = open_stuck_table(alice)
    assert alice.enter(table, kind="confirm").status_code == 302
    assert mate.enter(table, kind="confirm").status_code == 200
    assert list_kinds(table).count("confirm") == 1


def test_counts_take_the_place_of_a_round_that_was_refereed(alice):
    table = open_stuck_table(alice)
    assert alice.enter(table, count__all__left=60, way="pad").status_code == 302
    assert load_fresh_log(table).match.standing.totals == (60,)
    assert len(load_fresh_log(table).match.get_round(1).plays) == 5
    assert_all_pages_open(alice, table)


def test_counts_may_be_entered_while_a_round_is_being_refereed(alice, table):
    play_cards(alice, table, 34, 41)
    fill_rounds(alice, table, 1)
    assert get_totals(table) == (-5, 2, 11)
    assert len(load_fresh_log(table).match.get_round(1).plays) == 2
    assert load_fresh_log(table).match.current_number == 2


def test_a_play_after_the_end_of_a_round_is_refused(alice):
    table = open_stuck_table(alice)
    response = alice.enter(table, kind="place", seat=1, card=50, row="up-2")
    assert response.status_code == 422
    assert not parse_html(response.content.decode()).all("input", name="insist")


def test_a_round_after_the_match_is_refused_and_may_be_insisted_on(alice, table):
    fill_rounds(alice, table)
    response = alice.count(table, 0, 2, 2, 0, round=3)
    assert response.status_code == 422
    assert alice.count(table, 0, 2, 2, 0, round=3, insist=["match", "deal"]).status_code == 302
    assert_all_pages_open(alice, table)


# Players, tallies and texts


def test_a_correction_is_for_the_same_player_by_default(alice, table):
    play_cards(alice, table, 34, 41)
    page = alice.page("correct", table.public_id, 2)
    assert dict(list_fields(page, page.one("form", id="board")))["seat"] == "2"
    page = alice.page("correct", table.public_id, 2, seat=0)
    assert dict(list_fields(page, page.one("form", id="board")))["seat"] == "0"
    who = page.one("nav", **{"aria-label": "Who was it?"})
    assert [link.text for link in who.all("a", **{"aria-current": "true"})] == ["Ann"]


def test_a_forgotten_play_is_of_whose_turn_it_was(alice, table):
    play_cards(alice, table, 34, 41)
    page = parse_html(alice.get(reverse("correct", args=[table.public_id, 2]), {"forgotten": ""}).content.decode())
    assert dict(list_fields(page, page.one("form", id="board")))["seat"] == "2"
    page = alice.page("correct", table.public_id, 2, seat=99)
    assert dict(list_fields(page, page.one("form", id="board")))["seat"] == "2"


def test_a_refereed_round_can_be_counted_by_hand_from_its_tally(alice):
    table = open_stuck_table(alice)
    page = alice.page("table", table.public_id)
    by_hand = next(link.attrs["href"] for link in page.all("a") if "way=pad" in link.attrs["href"])
    pad = parse_html(alice.get(reverse("table", args=[table.public_id]) + by_hand).content.decode())
    assert pad.one("input", name="count.all.left")
    assert alice.enter(table, count__all__left=90).status_code == 302
    assert load_fresh_log(table).match.get_round(1).sheet.points == (90,)


def test_the_sum_above_a_corrected_count_is_that_of_the_whole_round(alice, table):
    fill_rounds(alice, table, 1)
    page = alice.page("correct", table.public_id, 1)
    card_count = sum(up + down for up, down, _toads in ROUNDS[1])
    assert f"{card_count} of 79 cards counted" in page.one(id="preview").text


def test_undo_keeps_unsaved_input(alice, table):
    assert alice.count(table, 0, 12, 17, 0).status_code == 302
    form = {"kind": "undo", "target": 1, "way": "pad", "count.1.face_up": "10", "count.2.face_up": ""}
    page = parse_html(alice.enter(table, htmx=True, **form).content.decode())
    assert page.one("input", id="count.1.face_up.0").attrs["value"] == "10"
    assert page.one("input", id="count.0.face_up.0")


def test_the_page_lists_changed_options(alice):
    table = alice.open("the-game", names=("Ann", "Bo"), expert="three", on_fire="yes")
    text = alice.page("table", table.public_id).one("aside").text
    assert "On Fire" in text and "Expert: Three cards" in text
    assert "Played with" not in alice.page("table", alice.open().public_id).text
