"""Several phones at one table: seats, shares of the pad, and hidden counts."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest
from django.urls import reverse

from companion.games import get_games
from companion.people.services import remove_device
from companion.tables.models import Attendance, Table
from tests.web.people import FIRST_PLAY, Person, choose_people, create_guest, get_device, load_fresh_log


def build_url(table, name="table"):
    return reverse(name, args=[table.public_id])


def list_counted_seats(person, table, **query):
    """Return the seats whose boxes the pad shows."""
    page = person.page("table", table.public_id, way="pad", **query)
    return {
        name.split(".")[1] for name in (box.attrs.get("name", "") for box in page.all("input")) if name.count(".") == 2
    }


def list_progress(person, table, **query):
    """Return the other players' progress as the page shows it."""
    page = person.page("table", table.public_id, **query)
    sections = [section for section in page.all("section") if section.attrs.get("class") == "others"]
    return [item.text for item in sections[0].all("li")] if sections else []


# Seats


def test_a_phone_with_a_seat_enters_its_own_count(alice, table):
    assert list_counted_seats(alice, table) == {"0", "1", "2"}
    assert alice.send(build_url(table, "seat"), {"seat": 1}).status_code == 302
    assert list_counted_seats(alice, table) == {"1"}
    assert list_progress(alice, table) == ["Ann not counted yet", "Cleo not counted yet"]
    assert list_counted_seats(alice, table, all="yes") == {"0", "1", "2"}
    alice.send(build_url(table, "seat"), {"seat": ""})
    assert list_counted_seats(alice, table) == {"0", "1", "2"}


def test_counting_for_all_continues_after_an_entry(alice, table):
    alice.send(build_url(table, "seat"), {"seat": 1})
    answer = alice.count(table, 0, 2, 3, 1, all="yes", way="pad")
    assert answer.status_code == 302 and "all=yes" in answer["Location"]
    html = alice.count(table, 2, 2, 3, 1, all="yes", htmx=True).content.decode()
    assert 'name="count.1.face_up"' in html and 'name="all"' in html


def test_counting_for_others_links_back(alice, table):
    """Even while somebody else's count is hidden, but never for a phone without a seat."""
    assert list_progress_links(alice, table) == []
    alice.send(build_url(table, "seat"), {"seat": 1})
    assert list_progress_links(alice, table) == ["Count for others as well"]
    assert list_progress_links(alice, table, all="yes") == ["Only my own"]
    page = alice.page("table", table.public_id, way="pad", all="yes")
    [back] = [link for link in page.all("a") if link.text == "Only my own"]
    query = dict(parse_qsl(back.attrs["href"].lstrip("?")))
    assert query.pop("way") == "pad" and list_counted_seats(alice, table, **query) == {"1"}
    html = alice.count(table, 0, 2, 3, 1, all="yes", htmx=True).content.decode()
    assert "Only my own" in html and "Count for others as well" not in html


def list_progress_links(person, table, **query):
    """Return the links in the other players' progress."""
    page = person.page("table", table.public_id, way="pad", **query)
    sections = [element for element in page.all("section") if element.attrs.get("class") == "others"]
    return [link.text for section in sections for link in section.all("a")]


def test_only_seats_taken_by_a_phone_are_shown_as_counting(alice, mate, table):
    ann = create_seated_guest(table, 0)
    viewer = create_guest(table, "viewer")
    for page in (list_progress(viewer, table), list_progress(viewer, table, way="pad")):
        assert page == ["Ann counting", "Bo not counted yet", "Cleo not counted yet"]
    mate.send(build_url(table, "seat"), {"seat": 2})
    assert list_progress(viewer, table) == ["Ann counting", "Bo not counted yet", "Cleo counting"]
    assert ann.count(table, 0, 2, 3, 1).status_code == 302
    alice.send(build_url(table, "guest"), {"device": get_device(ann).pk, "role": ""})
    assert list_progress(viewer, table) == ["Ann counted", "Bo not counted yet", "Cleo counting"]
    remove_device(get_device(mate), circle=table.circle, by=get_device(alice))
    assert list_progress(viewer, table) == ["Ann counted", "Bo not counted yet", "Cleo not counted yet"]
    display = viewer.page("display", table.public_id).one("section", **{"class": "others"})
    assert [item.text for item in display.all("li")] == list_progress(viewer, table)


def test_a_side_is_counting_if_any_of_its_seats_is_taken(alice):
    table = alice.open("any-game", names=("Ann", "Bo", "Cleo", "Dora"), teams="2")
    create_seated_guest(table, 3)
    assert list_progress(create_guest(table, "viewer"), table) == ["Ann, Cleo not counted yet", "Bo, Dora counting"]


def test_the_last_of_the_counts_in_any_order_ends_the_round(alice, table):
    phones = [create_seated_guest(table, seat) for seat in range(3)]
    for seat in (2, 0):
        assert phones[seat].count(table, seat, 4, 4, 1).status_code == 302
    assert load_fresh_log(table).match.current_number == 1
    assert list_progress(phones[1], table) == ["Ann counted", "Cleo counted"]
    phones[1].count(table, 1, 4, 4, 1, insist="deal")
    assert load_fresh_log(table).match.current_number == 2
    assert list_progress(phones[1], table) == ["Ann counting", "Cleo counting"]


def create_seated_guest(table, seat):
    guest = Person()
    unseated = create_guest(table, f"scorer{seat}")
    guest.cookies = unseated.cookies
    Attendance.objects.filter(device=get_device(unseated)).update(role="scorer", seat=seat)
    return guest


@pytest.mark.parametrize("seat", ["3", "-1", "x", "99999999999", "٢", "1.0"])
def test_a_seat_that_does_not_exist_cannot_be_taken(alice, table, seat):
    alice.send(build_url(table, "seat"), {"seat": seat})
    assert Attendance.objects.get().seat is None
    assert list_counted_seats(alice, table) == {"0", "1", "2"}


def test_two_phones_can_take_one_seat(alice, mate, table):
    for phone in (alice, mate):
        phone.send(build_url(table, "seat"), {"seat": 0})
        assert list_counted_seats(phone, table) == {"0"}


@pytest.mark.parametrize("slug", sorted(get_games()))
@pytest.mark.parametrize("way", ["pad", "referee"])
@pytest.mark.pages
def test_every_game_has_a_pad_for_the_seat_of_the_phone(alice, slug, way):
    game = get_games()[slug]
    if way == "referee" and not game.plays:
        pytest.skip("nothing to referee")
    names = choose_people(slug, 4)
    table = alice.open(slug, names=names, way=way)
    all_boxes = list_counted_seats(alice, table)
    for seat in range(len(names)):
        alice.send(build_url(table, "seat"), {"seat": seat})
        seat_boxes = list_counted_seats(alice, table)
        assert seat_boxes == all_boxes if all_boxes <= {"all"} else len(seat_boxes) == 1
        for viewer in (alice, create_seated_guest(table, seat)):
            assert viewer.get(build_url(table), {"way": way}).status_code == 200
    viewer = create_guest(table, "viewer")
    assert list_counted_seats(viewer, table) - {"all"} == set()
    for name in ("together", "display", "table", "log"):
        assert viewer.get(build_url(table, name)).status_code == 200


def test_any_member_of_a_team_can_count_for_it(alice):
    table = alice.open("any-game", names=("Ann", "Bo", "Cleo", "Dora"), teams="2")
    for seat, side in ((0, "0"), (2, "0"), (1, "1"), (3, "1")):
        alice.send(build_url(table, "seat"), {"seat": seat})
        assert list_counted_seats(alice, table) == {side}


def test_a_phone_shows_when_it_is_its_turn(alice, table):
    alice.send(build_url(table, "seat"), {"seat": 1})
    assert "Your turn" in alice.get(build_url(table), {"way": "referee"}).content.decode()
    alice.enter(table, **FIRST_PLAY)
    page = alice.get(build_url(table), {"way": "referee"}).content.decode()
    assert "Your turn" not in page and "Cleo" in page


# Hidden counts


@pytest.fixture
def bo_with_hidden_count(alice, table):
    """Bo's phone, which has entered a count at a table that hides counts."""
    alice.send(build_url(table, "secrecy"), {"hides": "yes"})
    bo = create_seated_guest(table, 1)
    assert bo.count(table, 1, 26, 8, 1).status_code == 302
    return bo


def list_revealing_pages(person, table):
    """Return the pages that contain Bo's count."""
    pages = [
        build_url(table),
        f"{build_url(table)}?way=pad&all=yes",
        build_url(table, "log"),
        build_url(table, "display"),
    ]
    pages += [build_url(table, "table-paper") + "?log=yes", build_url(table, "together")]
    return [page for page in pages if "26 face up" in person.get(page).content.decode()]


def test_counts_are_hidden_from_other_phones(alice, table, bo_with_hidden_count):
    assert list_revealing_pages(alice, table) == []
    assert list_revealing_pages(create_guest(table, "viewer"), table) == []
    assert list_progress(alice, table) == ["Bo counted"]
    assert "Bo" in alice.get(build_url(table, "log")).content.decode()
    assert alice.get(reverse("correct", args=[table.public_id, 1])).status_code == 403


def test_the_author_sees_and_corrects_a_hidden_count(table, bo_with_hidden_count):
    assert build_url(table) in list_revealing_pages(bo_with_hidden_count, table)
    assert bo_with_hidden_count.get(reverse("correct", args=[table.public_id, 1])).status_code == 200


def test_correcting_a_hidden_count_keeps_it_hidden(alice, table, bo_with_hidden_count):
    bo_with_hidden_count.enter(
        table, amend="correct", target=1, count__1__face_up=28, count__1__face_down=8, count__1__toads=1
    )
    html = alice.get(build_url(table, "log")).content.decode()
    assert "28 face up" not in html and "26 face up" not in html
    assert "No. 1 changed" in html


def test_the_last_count_reveals_all(alice, table, bo_with_hidden_count):
    for seat in (0, 2):
        alice.count(table, seat, 4, 4, 1, insist="deal")
    assert build_url(table, "log") in list_revealing_pages(alice, table)
    assert load_fresh_log(table).match.current_number == 2


def test_previews_do_not_reveal_hidden_counts(alice, table, bo_with_hidden_count):
    form = {"key": "12345678", "round": 1}
    counts = {f"count.{seat}.{name}": 2 for seat in (0, 2) for name in ("face_up", "face_down", "toads")}
    html = alice.send(build_url(table, "preview"), {**form, **counts}).content.decode()
    assert "8 of 79 cards counted" in html  # without the hidden count


def test_counts_stay_hidden_until_the_round_is_complete(alice, table, bo_with_hidden_count):
    refused = alice.send(build_url(table, "secrecy"), {"hides": ""})
    assert refused.status_code == 422 and "Somebody has already counted" in refused.content.decode()
    assert Table.objects.get(pk=table.pk).hides_counts and list_revealing_pages(alice, table) == []
    for seat in (0, 2):
        alice.count(table, seat, 4, 4, 1, insist="deal")
    assert alice.send(build_url(table, "secrecy"), {"hides": ""}).status_code == 302
    assert not Table.objects.get(pk=table.pk).hides_counts


# The big screen


def test_the_big_screen_shows_the_standing_without_controls(alice, table):
    alice.enter(table, **FIRST_PLAY)
    Table.objects.update(mode="referee")
    viewer = create_guest(table, "viewer")
    page = viewer.page("display", table.public_id)
    main = page.one("main", id="table")
    assert not main.all("button") and not main.all("input") and not main.all("a")
    assert "Round 1 of 2" in main.text and "Cleo" in main.one("b", **{"class": "whose"}).text
    assert [name.text for name in main.all("span", **{"class": "name"})][:3] == ["Ann", "Bo", "Cleo"]


def test_the_big_screen_shows_the_code_while_the_door_is_open(alice, table):
    alice.send(build_url(table, "door"), {"role": "viewer"})
    assert 'class="code"' in alice.get(build_url(table, "display")).content.decode()
    assert 'class="code"' not in create_guest(table, "viewer").get(build_url(table, "display")).content.decode()
