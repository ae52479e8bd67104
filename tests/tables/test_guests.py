"""Several phones at one table: seats, shares of the pad, and hidden counts."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest
from django.urls import reverse

from companion.games import get_games
from companion.people.services import remove_device
from companion.tables.models import Attendance, Table
from tests.web.people import FIRST_PLAY, Person, create_guest, get_device, load_fresh_log


def url(table, name="table"):
    return reverse(name, args=[table.public_id])


def boxes(person, table, **query):
    """Return the seats whose boxes the pad shows."""
    page = person.page("table", table.public_id, way="pad", **query)
    return {
        name.split(".")[1] for name in (own.attrs.get("name", "") for own in page.all("input")) if name.count(".") == 2
    }


def others(person, table, **query):
    """Return the other players' progress as shown on the page."""
    page = person.page("table", table.public_id, **query)
    found = [own for own in page.all("section") if own.attrs.get("class") == "others"]
    return [item.text for item in found[0].all("li")] if found else []


# Seats


def test_a_phone_with_a_seat_enters_its_own_count(alice, table):
    assert boxes(alice, table) == {"0", "1", "2"}
    assert alice.send(url(table, "seat"), {"seat": 1}).status_code == 302
    assert boxes(alice, table) == {"1"}
    assert others(alice, table) == ["Ann not counted yet", "Cleo not counted yet"]
    assert boxes(alice, table, all="yes") == {"0", "1", "2"}
    alice.send(url(table, "seat"), {"seat": ""})
    assert boxes(alice, table) == {"0", "1", "2"}


def test_counting_for_all_continues_after_an_entry(alice, table):
    alice.send(url(table, "seat"), {"seat": 1})
    answer = alice.count(table, 0, 2, 3, 1, all="yes", way="pad")
    assert answer.status_code == 302 and "all=yes" in answer["Location"]
    html = alice.count(table, 2, 2, 3, 1, all="yes", htmx=True).content.decode()
    assert 'name="count.1.face_up"' in html and 'name="all"' in html


def test_counting_for_others_links_back(alice, table):
    """Even while somebody else's count is hidden, but never for a phone without a seat."""
    assert links(alice, table) == []
    alice.send(url(table, "seat"), {"seat": 1})
    assert links(alice, table) == ["Count for others as well"]
    assert links(alice, table, all="yes") == ["Only my own"]
    page = alice.page("table", table.public_id, way="pad", all="yes")
    [back] = [link for link in page.all("a") if link.text == "Only my own"]
    query = dict(parse_qsl(back.attrs["href"].lstrip("?")))
    assert query.pop("way") == "pad" and boxes(alice, table, **query) == {"1"}
    html = alice.count(table, 0, 2, 3, 1, all="yes", htmx=True).content.decode()
    assert "Only my own" in html and "Count for others as well" not in html


def links(person, table, **query):
    """Return the links in the other players' progress."""
    page = person.page("table", table.public_id, way="pad", **query)
    found = [own for own in page.all("section") if own.attrs.get("class") == "others"]
    return [link.text for section in found for link in section.all("a")]


def test_only_seats_taken_by_a_phone_are_shown_as_counting(alice, mate, table):
    ann = guest_of_seat(table, 0)
    viewer = create_guest(table, "viewer")
    for page in (others(viewer, table), others(viewer, table, way="pad")):
        assert page == ["Ann counting", "Bo not counted yet", "Cleo not counted yet"]
    mate.send(url(table, "seat"), {"seat": 2})
    assert others(viewer, table) == ["Ann counting", "Bo not counted yet", "Cleo counting"]
    assert ann.count(table, 0, 2, 3, 1).status_code == 302
    alice.send(url(table, "guest"), {"device": get_device(ann).pk, "role": ""})
    assert others(viewer, table) == ["Ann counted", "Bo not counted yet", "Cleo counting"]
    remove_device(get_device(mate), circle=table.circle, by=get_device(alice))
    assert others(viewer, table) == ["Ann counted", "Bo not counted yet", "Cleo not counted yet"]
    display = viewer.page("display", table.public_id).one("section", **{"class": "others"})
    assert [item.text for item in display.all("li")] == others(viewer, table)


def test_a_side_is_counting_if_any_of_its_seats_is_taken(alice):
    table = alice.open("any-game", names=("Ann", "Bo", "Cleo", "Dora"), teams="2")
    guest_of_seat(table, 3)
    assert others(create_guest(table, "viewer"), table) == ["Ann, Cleo not counted yet", "Bo, Dora counting"]


def test_the_last_of_the_counts_in_any_order_ends_the_round(alice, table):
    phones = [guest_of_seat(table, seat) for seat in range(3)]
    for seat in (2, 0):
        assert phones[seat].count(table, seat, 4, 4, 1).status_code == 302
    assert load_fresh_log(table).match.current_number == 1
    assert others(phones[1], table) == ["Ann counted", "Cleo counted"]
    phones[1].count(table, 1, 4, 4, 1, insist="deal")
    assert load_fresh_log(table).match.current_number == 2
    assert others(phones[1], table) == ["Ann counting", "Cleo counting"]


def guest_of_seat(table, seat):
    guest = Person()
    made = create_guest(table, f"scorer{seat}")
    guest.cookies = made.cookies
    Attendance.objects.filter(device=get_device(made)).update(role="scorer", seat=seat)
    return guest


@pytest.mark.parametrize("seat", ["3", "-1", "x", "99999999999", "٢", "1.0"])
def test_a_seat_that_does_not_exist_cannot_be_taken(alice, table, seat):
    alice.send(url(table, "seat"), {"seat": seat})
    assert Attendance.objects.get().seat is None
    assert boxes(alice, table) == {"0", "1", "2"}


def test_two_phones_can_take_one_seat(alice, mate, table):
    for phone in (alice, mate):
        phone.send(url(table, "seat"), {"seat": 0})
        assert boxes(phone, table) == {"0"}


@pytest.mark.parametrize("slug", sorted(get_games()))
@pytest.mark.parametrize("way", ["pad", "referee"])
@pytest.mark.pages
def test_every_game_marks_what_belongs_to_the_phones_seat(alice, slug, way):
    game = get_games()[slug]
    if way == "referee" and not game.plays:
        pytest.skip("nothing to referee")
    table = alice.open(slug, names=("Ann", "Bo", "Cleo", "Dora"), way=way)
    everybodys = boxes(alice, table)
    for seat in range(4):
        alice.send(url(table, "seat"), {"seat": seat})
        own = boxes(alice, table)
        assert own == everybodys if everybodys <= {"all"} else len(own) == 1
        for viewer in (alice, guest_of_seat(table, seat)):
            assert viewer.get(url(table), {"way": way}).status_code == 200
    viewer = create_guest(table, "viewer")
    assert boxes(viewer, table) - {"all"} == set()
    for name in ("together", "display", "table", "log"):
        assert viewer.get(url(table, name)).status_code == 200


def test_any_member_of_a_team_can_count_for_it(alice):
    table = alice.open("any-game", names=("Ann", "Bo", "Cleo", "Dora"), teams="2")
    for seat, side in ((0, "0"), (2, "0"), (1, "1"), (3, "1")):
        alice.send(url(table, "seat"), {"seat": seat})
        assert boxes(alice, table) == {side}


def test_a_phone_is_told_that_it_is_its_turn(alice, table):
    alice.send(url(table, "seat"), {"seat": 1})
    assert "Your turn" in alice.get(url(table), {"way": "referee"}).content.decode()
    alice.enter(table, **FIRST_PLAY)
    page = alice.get(url(table), {"way": "referee"}).content.decode()
    assert "Your turn" not in page and "Cleo" in page


# Secrets


@pytest.fixture
def secret(alice, table):
    """A table that hides counts, where Bo has counted on a phone of their own."""
    alice.send(url(table, "secrecy"), {"hides": "yes"})
    bo = guest_of_seat(table, 1)
    assert bo.count(table, 1, 26, 8, 1).status_code == 302
    return bo


def secrets_in(person, table):
    """Return the pages that contain Bo's 17."""
    pages = [url(table), f"{url(table)}?way=pad&all=yes", url(table, "log"), url(table, "display")]
    pages += [url(table, "table-paper") + "?log=yes", url(table, "together")]
    return [page for page in pages if "26 face up" in person.get(page).content.decode()]


def test_counts_are_hidden_from_other_phones(alice, table, secret):
    assert secrets_in(alice, table) == []
    assert secrets_in(create_guest(table, "viewer"), table) == []
    assert others(alice, table) == ["Bo counted"]
    assert "Bo" in alice.get(url(table, "log")).content.decode()
    assert alice.get(reverse("correct", args=[table.public_id, 1])).status_code == 403


def test_the_author_sees_and_corrects_a_hidden_count(table, secret):
    assert url(table) in secrets_in(secret, table)
    assert secret.get(reverse("correct", args=[table.public_id, 1])).status_code == 200


def test_correcting_a_hidden_count_keeps_it_hidden(alice, table, secret):
    secret.enter(table, amend="correct", target=1, count__1__face_up=28, count__1__face_down=8, count__1__toads=1)
    html = alice.get(url(table, "log")).content.decode()
    assert "28 face up" not in html and "26 face up" not in html
    assert "No. 1 changed" in html


def test_the_last_count_reveals_all(alice, table, secret):
    for seat in (0, 2):
        alice.count(table, seat, 4, 4, 1, insist="deal")
    assert url(table, "log") in secrets_in(alice, table)
    assert load_fresh_log(table).match.current_number == 2


def test_previews_do_not_reveal_hidden_counts(alice, table, secret):
    said = {"key": "12345678", "round": 1}
    filled = {f"count.{seat}.{name}": 2 for seat in (0, 2) for name in ("face_up", "face_down", "toads")}
    html = alice.send(url(table, "preview"), {**said, **filled}).content.decode()
    assert "8 of 79 cards counted" in html  # what is typed, and not what the secret leaves of the deck


def test_counts_stay_hidden_until_the_round_is_complete(alice, table, secret):
    refused = alice.send(url(table, "secrecy"), {"hides": ""})
    assert refused.status_code == 422 and "Somebody has already counted" in refused.content.decode()
    assert Table.objects.get(pk=table.pk).hides_counts and secrets_in(alice, table) == []
    for seat in (0, 2):
        alice.count(table, seat, 4, 4, 1, insist="deal")
    assert alice.send(url(table, "secrecy"), {"hides": ""}).status_code == 302
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
    alice.send(url(table, "door"), {"role": "viewer"})
    assert 'class="code"' in alice.get(url(table, "display")).content.decode()
    assert 'class="code"' not in create_guest(table, "viewer").get(url(table, "display")).content.decode()
