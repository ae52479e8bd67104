import pytest
from django.urls import reverse

from companion.people.models import Device
from companion.tables.models import Entry, Table
from tests.web.html import list_fields, parse_html
from tests.web.people import (
    FIRST_PLAY,
    assert_all_pages_open,
    dump_database,
    find_button,
    find_buttons,
    find_form,
    list_kinds,
    load_fresh_log,
    new_key,
)


def get_row(table):
    return load_fresh_log(table).match.get_round(1).state.row


def open_board(person, table):
    """Return the page with the referee's board, and its form."""
    page = person.page("table", table.public_id, way="referee")
    return page, page.one("form", id="board")


# Recorded: 200 with the table, or a redirect to its page


def test_a_play_posted_by_htmx_returns_the_table_part(alice, table):
    response = alice.enter(table, htmx=True, place=1, **FIRST_PLAY)
    assert response.status_code == 200
    assert get_row(table) == (34,)
    page = parse_html(response.content.decode())
    assert [part.attrs["id"] for part in page.content if not isinstance(part, str)] == ["table"]


def test_a_play_posted_without_scripts_redirects_to_the_page(alice, table):
    response = alice.enter(table, way="referee", place=1, **FIRST_PLAY)
    assert response.status_code == 302
    assert response["Location"] == reverse("table", args=[table.public_id]) + "?way=referee"
    assert get_row(table) == (34,)


def test_an_entry_records_device_time_and_content(alice, mate, table):
    alice.enter(table, **FIRST_PLAY)
    mate.enter(table, kind="extend", seat=2, card=41)
    first_entry, second_entry = Entry.objects.filter(table=table)
    assert (first_entry.kind, first_entry.words, first_entry.round) == ("extend", {"seat": "1", "card": "34"}, 1)
    assert first_entry.device != second_entry.device == Device.objects.get(label="Mate’s phone")
    assert first_entry.at <= second_entry.at
    page = mate.page("log", table.public_id)
    assert [line.one("time").text.partition(" · ")[2] for line in page.one("ol", **{"class": "log"}).all("li")] == [
        "",
        "?",
    ]


def test_tapping_a_card_on_the_board_plays_it(alice, table):
    page, form = open_board(alice, table)
    response = alice.submit(page, form, find_button(page, form, name="card", value="34"))
    assert response.status_code == 302
    assert get_row(table) == (34,)


def test_other_members_can_play_at_the_table(alice, mate, table):
    alice.enter(table, **FIRST_PLAY)
    mate.enter(table, kind="extend", seat=2, card=41)
    assert get_row(table) == (34, 41)


def test_a_pad_posts_its_intent_and_older_forms_without_one_still_count(alice, table):
    boxes = {"count.0.face_up": "2", "count.0.face_down": "3", "count.0.toads": "1"}
    page = alice.page("table", table.public_id)
    form = page.one("form", id="board")
    assert ("intent", "counts") in list_fields(page, form)
    assert alice.submit(page, form, **boxes).status_code == 302
    alice.count(table, 1, 2, 3, 1)
    assert [entry.kind for entry in load_fresh_log(table).log.entries] == ["count", "count"]


def test_an_unknown_intent_is_no_entry(alice, table):
    assert alice.enter(table, intent="play", **FIRST_PLAY).status_code == 400
    assert not Entry.objects.filter(table=table).exists()


def test_undo_on_a_pad_posts_its_boxes_and_is_no_count(alice, table):
    alice.count(table, 0, 2, 3, 1)
    response = alice.enter(table, htmx=True, kind="undo", target=1, count__1__face_up=7)
    assert load_fresh_log(table).log.undone == {1}
    page = parse_html(response.content.decode())
    assert page.one("input", name="count.1.face_up").attrs["value"] == "7"


# Refused: 422 and only the notice


def test_a_refused_play_changes_nothing_and_names_its_rule(alice, table):
    alice.enter(table, **FIRST_PLAY)
    before = dump_database()
    response = alice.enter(table, htmx=True, kind="extend", seat=2, card=55)
    page = parse_html(response.content.decode())
    assert response.status_code == 422
    assert dump_database() == before
    assert [part.attrs["id"] for part in page.content if not isinstance(part, str)] == ["notice"]
    assert "55" in page.text and "34" in page.text and "21" in page.text
    assert page.one("a", **{"class": "rule"}).attrs["href"].endswith("/rules/take-that/#extend-within-ten")


def test_a_refusal_without_scripts_keeps_what_was_entered(alice, table):
    response = alice.enter(table, count__0__face_up="11", count__0__face_down="3", count__0__toads="0")
    page = parse_html(response.content.decode())
    assert response.status_code == 422
    assert list_kinds(table) == []
    assert page.one("main") and page.one("div", id="notice").text
    assert page.one("input", id="count.0.face_up.0").attrs["value"] == "11"


def test_a_pad_with_one_invalid_count_records_nothing(alice, table):
    boxes = {"count__0__face_up": 2, "count__0__face_down": 0, "count__0__toads": 0}
    response = alice.enter(table, **boxes, count__1__face_up=3, count__1__face_down=0, count__1__toads=1)
    assert response.status_code == 422
    assert list_kinds(table) == []


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ({"kind": "extend", "seat": 1, "card": 20}, 422),  # no such card
        ({"kind": "extend", "seat": 7, "card": 34}, 422),  # no such seat
        ({"kind": "extend", "seat": -1, "card": 34}, 422),
        ({"kind": "extend", "seat": 1, "card": 34, "round": 3}, 400),  # no such round
        ({"kind": "extend", "seat": 1, "card": 34, "round": -1}, 400),
        ({"kind": "close", "round": -1}, 400),
        ({"kind": "close", "round": 99_999}, 400),
        ({"kind": "extend", "seat": 1, "card": "x"}, 400),
        ({"kind": "extend", "seat": 1, "card": "٣٤"}, 400),
        ({"kind": "extend", "seat": 1, "cart": 34}, 400),
        ({"kind": "dance", "seat": 1}, 400),
        ({"kind": "correct", "target": 1, "card": 34}, 400),
        ({"kind": "undo"}, 400),
        ({"kind": "undo", "target": 1}, 409),
        ({"kind": "redo", "target": 1}, 409),
        ({"kind": "strike", "target": 1}, 409),
        ({"amend": "correct", "target": 1, **FIRST_PLAY}, 409),
        ({"amend": "correct", **FIRST_PLAY}, 400),
        ({"amend": "replace", "target": 1, **FIRST_PLAY}, 400),
        ({"kind": "confirm"}, 422),
        ({"key": ""}, 400),
        ({"key": "short", **FIRST_PLAY}, 400),
        ({"key": "x" * 65, **FIRST_PLAY}, 400),
        ({"key": "key with spaces", **FIRST_PLAY}, 400),
        ({"way": "referee"}, 422),  # no play at all: a question
        ({"count.0.face_up": ""}, 400),
        ({"count.0.face_up": "2"}, 400),  # some boxes are still empty
        ({"count.0.face_up": "2", "count.0.face_down": "x", "count.0.toads": "0"}, 400),
        ({"count.0.hats": "2"}, 400),
        ({"count.9.face_up": 2, "count.9.face_down": 0, "count.9.toads": 0}, 422),
    ],
)
@pytest.mark.parametrize("htmx", [True, False])
def test_a_malformed_entry_is_refused_with_a_reason(alice, table, said, status, htmx):
    before = dump_database()
    response = alice.enter(table, htmx=htmx, **said)
    assert response.status_code == status
    assert parse_html(response.content.decode()).one("div", id="notice").text
    assert dump_database() == before


def test_a_field_given_twice_is_refused(alice, table):
    pairs = [("key", new_key()), ("round", "1"), ("kind", "extend"), ("seat", "1"), ("card", "34"), ("card", "35")]
    assert alice.send(reverse("record", args=[table.public_id]), pairs).status_code == 400
    assert list_kinds(table) == []


# Insisting


def test_insisting_is_offered_and_logged(alice, table):
    alice.enter(table, **FIRST_PLAY)
    page = parse_html(alice.enter(table, kind="extend", seat=2, card=55).content.decode())
    response = alice.submit(page, form := find_form(page, insist="extend-within-ten"))
    assert response.status_code == 302
    assert dict(list_fields(page, form))["card"] == "55"
    assert get_row(table) == (34, 55)
    assert Entry.objects.get(table=table, number=2).overruled == ["extend-within-ten"]
    line = alice.page("log", table.public_id).one("ol", **{"class": "log"}).all("li")[0]
    assert line.one("span", **{"class": "tag over"}).text


def test_a_legal_entry_overrules_nothing_even_if_insisted_on(alice, table):
    alice.enter(table, insist="turn", **FIRST_PLAY)
    assert Entry.objects.get(table=table).overruled == []


def test_insisting_must_name_every_broken_rule(alice, table):
    alice.enter(table, **FIRST_PLAY)
    play = {"kind": "extend", "seat": 0, "card": 55}
    assert alice.enter(table, insist="turn", **play).status_code == 422
    assert alice.enter(table, insist=["turn", "extend-within-ten"], **play).status_code == 302
    assert Entry.objects.get(table=table, number=2).overruled == ["turn", "extend-within-ten"]


def test_binding_rules_cannot_be_insisted_on(alice, table):
    alice.enter(table, **FIRST_PLAY)
    response = alice.enter(table, kind="extend", seat=2, card=34, insist=["deck", "extend-within-ten"])
    page = parse_html(response.content.decode())
    assert response.status_code == 422
    assert get_row(table) == (34,)
    assert not page.all("input", name="insist")


def test_a_count_may_be_insisted_on_too(alice, table):
    assert alice.count(table, 0, 3, 0, 0).status_code == 422
    assert alice.count(table, 0, 3, 0, 0, insist="reverse-pair").status_code == 302
    assert load_fresh_log(table).match.get_round(1).manual_counts[0].face_up == 3


# Questions


def test_a_card_that_could_be_laid_and_could_reverse_is_asked_about(alice, table):
    alice.enter(table, kind="extend", seat=1, card=34)
    alice.enter(table, kind="extend", seat=2, card=41)
    response = alice.enter(table, card=43)  # next to 41, and the reversal of 34
    page = parse_html(response.content.decode())
    form = find_form(page, card="43")
    assert response.status_code == 422
    assert alice.submit(page, form, find_button(page, form, name="kind", value="reverse")).status_code == 302
    assert get_row(table) == (41,)


def test_a_card_without_a_row_is_asked_for_the_row(alice):
    table = alice.open("the-game", names=("Ann", "Bo"), way="referee")
    page = parse_html(alice.enter(table, seat=0, card=10, row="").content.decode())
    form = find_form(page, card="10")
    assert alice.submit(page, form, find_button(page, form, name="row", value="down-2")).status_code == 302
    assert load_fresh_log(table).match.get_round(1).state.rows[3] == (10,)


def test_the_starting_player_is_asked_for_by_name(alice):
    table = alice.open("the-game", names=("Ann", "Bo"), way="referee")
    page = parse_html(alice.enter(table, card=10, row="up-1").content.decode())
    form = find_form(page, card="10", row="up-1")
    button = find_button(page, form, name="seat", value="1")
    assert button.text == "Bo"
    assert alice.submit(page, form, button).status_code == 302
    assert load_fresh_log(table).match.get_round(1).steps[0].entry.seat == 1


def test_the_penalty_card_is_asked_for(alice):
    table = alice.open(names=("Ann", "Bo"), professional="yes", way="referee")
    alice.enter(table, kind="extend", seat=1, card=34)
    page = parse_html(alice.enter(table, kind="take", seat=0).content.decode())
    form = find_form(page, kind="take")
    button = find_button(page, form, name="penalty", value="22")
    assert alice.submit(page, form, button).status_code == 302
    assert load_fresh_log(table).match.get_round(1).state.face_down[0] == (34, 22)


# Undo and redo


def undo(person, table):
    page = person.page("table", table.public_id, way="referee")
    return person.submit(page, *find_buttons(page, "undo")[0])


def redo(person, table):
    page = person.page("table", table.public_id, way="referee")
    return person.submit(page, find_form(page, kind="redo"))


def test_undo_and_redo_are_unlimited(alice, table):
    cards = [34, 41, 49, 51, 52, 58, 61]
    for index, card in enumerate(cards):
        assert alice.enter(table, kind="extend", seat=(index + 1) % 3, card=card).status_code == 302
    for remaining in range(6, -1, -1):
        assert undo(alice, table).status_code == 302
        assert get_row(table) == tuple(cards[:remaining])
    for restored in range(1, 8):
        assert redo(alice, table).status_code == 302
        assert get_row(table) == tuple(cards[:restored])
    assert len(list_kinds(table)) == 21
    assert_all_pages_open(alice, table)


def test_undo_and_redo_stop_at_the_ends_of_the_log(alice, table):
    assert not find_buttons(alice.page("table", table.public_id, way="referee"), "undo")
    alice.enter(table, **FIRST_PLAY)
    page = alice.page("table", table.public_id, way="referee")
    assert find_buttons(page, "undo")
    assert not [f for f in page.all("form") if ("kind", "redo") in list_fields(page, f)]
    assert alice.enter(table, kind="redo", target=1).status_code == 409


def test_concurrent_undos_undo_one_entry(alice, mate, table):
    alice.enter(table, **FIRST_PLAY)
    alice.enter(table, kind="extend", seat=2, card=41)
    assert alice.enter(table, kind="undo", target=2).status_code == 302
    assert mate.enter(table, kind="undo", target=2).status_code == 409
    assert get_row(table) == (34,)


def test_a_correction_can_be_undone_and_redone(alice, table):
    alice.enter(table, **FIRST_PLAY)
    alice.enter(table, amend="correct", target=1, kind="extend", seat=1, card=35)
    assert get_row(table) == (35,)
    undo(alice, table)
    assert get_row(table) == (34,)
    redo(alice, table)
    assert get_row(table) == (35,)


# Closing


def test_a_closed_table_records_nothing_until_reopened(alice, table):
    assert alice.enter(table, kind="close").status_code == 302
    for fields in (FIRST_PLAY, {"kind": "undo", "target": 1}, {"kind": "close"}, {"count.0.face_up": 1}):
        response = alice.enter(table, **fields)
        assert response.status_code in (400, 409)
    assert list_kinds(table) == ["close"]
    table.refresh_from_db()
    assert table.is_closed
    assert alice.enter(table, kind="reopen").status_code == 302
    assert alice.enter(table, **FIRST_PLAY).status_code == 302
    table.refresh_from_db()
    assert not table.is_closed
    assert_all_pages_open(alice, table)


def test_a_closed_table_offers_only_to_reopen_it(alice, table):
    alice.count(table, 0, 2, 1, 0)
    alice.enter(table, kind="close")
    for name in ("table", "log"):
        page = alice.page(name, table.public_id)
        assert not [link for link in page.all("a") if "/entries/" in link.attrs["href"]]
    page = alice.page("table", table.public_id)
    assert alice.submit(page, find_form(page, kind="reopen")).status_code == 302
    assert not Table.objects.get(pk=table.pk).is_closed


# Previews


def test_a_preview_shows_the_score_and_records_nothing(alice, table):
    before = dump_database()
    form = {"key": new_key(), "round": 1, "count.0.face_up": "12", "count.0.face_down": "5", "count.0.toads": "1"}
    response = alice.send(reverse("preview", args=[table.public_id]), form, htmx=True)
    page = parse_html(response.content.decode())
    assert response.status_code == 200
    assert page.one("output", id="sum-0").text == "= 3"
    assert not page.all("output", id="sum-1")
    assert dump_database() == before


def test_a_preview_shows_problems_without_refusing(alice, table):
    form = {"key": new_key(), "count.0.face_up": "11", "count.0.face_down": "5", "count.0.toads": "0"}
    page = parse_html(alice.send(reverse("preview", args=[table.public_id]), form).content.decode())
    assert page.one("a", **{"class": "rule"}).attrs["href"].endswith("#reverse-pair")
