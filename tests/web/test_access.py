"""Access to other circles' data, and CSRF protection."""

import re

import pytest
from django.urls import reverse

from companion.people.auth import COOKIE_NAME
from companion.people.models import Player
from companion.tables.models import Table
from tests.scale import choose_count
from tests.web.html import parse_html
from tests.web.people import FIRST_PLAY, Person, create_mate, dump_database
from tests.web.test_roles import GAME_ROUTES, PERMISSIONS, TABLE_ROUTES, build_url

ID = "abcDEF_-1234"
NAMES = re.compile(r"\b(Ann|Cleo)\b")
"""Whole words, as random tokens may contain these letters."""
TABLE_GETS = [name for name, method, _ in PERMISSIONS if name in TABLE_ROUTES and method == "get"]
TABLE_POSTS = [name for name, method, _ in PERMISSIONS if name in TABLE_ROUTES and method == "post"]
PAPERS = ("paper", "paper-pdf")
OPEN_GETS = [(name, ()) for name in ("home", "settings", "history", "bin", "search", "join", "circle")]
OPEN_GETS += [(name, ()) for name in ("phone", "manifest", "service-worker", "offline", "players", "statistics")]
OPEN_GETS += [(name, ()) for name in ("import", "export", "formats", "programs")]
OPEN_GETS += [("export-history", (word,)) for word in ("json", "csv", "notation", "bgg-xml")]
OPEN_GETS += [(name, (slug,)) for name in GAME_ROUTES for slug in ("the-game", "take-that")]
OPEN_GETS += [(name, ("take-that", kind)) for name in PAPERS for kind in ("reference", "sheets")]
OPEN_POSTS = [("change-settings", ()), ("new-table", ("take-that",)), ("join", ())]
OPEN_POSTS += [(name, ()) for name in ("invite", "change-device", "choose-circle", "import", "keys")]


def get_comparable_response(person, method, url):
    """Return status, page and cookies, without URL, CSRF token and request id, which differ every time."""
    response = person.send(url, {"kind": "close", "key": "12345678"}) if method == "post" else person.get(url)
    html = re.sub(r'name="(csrfmiddlewaretoken|next)" value="[^"]*"|next=[^"]*', "", response.content.decode())
    html = html.replace(response["X-Request-ID"], "")
    return response.status_code, html, sorted(response.cookies)


@pytest.mark.parametrize("name", TABLE_GETS + TABLE_POSTS)
def test_strangers_get_404_for_a_table(alice, table, stranger, nobody, name):
    method = "post" if name in TABLE_POSTS else "get"
    alice.enter(table, **FIRST_PLAY)
    outsider = Person()
    outsider.cookies[COOKIE_NAME] = "x" * 43
    answers = {
        str(get_comparable_response(person, method, build_url(name, public_id)))
        for person in (stranger, nobody, outsider)
        for public_id in (
            table.public_id,
            ID,
            "x",
            "x" * 200,
            str(table.pk),
            table.public_id.swapcase(),
            "..",
            "é",
            "\x00",
            "\u202e",
        )
    }
    assert len(answers) == 1
    assert answers.pop().startswith("(404, ")


@pytest.mark.parametrize("name", TABLE_GETS + TABLE_POSTS)
def test_unknown_ids_and_foreign_ids_look_the_same(alice, stranger, name):
    method = "post" if name in TABLE_POSTS else "get"
    foreign_table = Table.objects.exclude(circle__devices__token_hash="").get(seats__player__name="Xena")
    answers = {
        str(get_comparable_response(alice, method, build_url(name, public_id)))
        for public_id in (foreign_table.public_id, ID, "x" * 5_000, "\x00")
    }
    assert len(answers) == 1
    assert answers.pop().startswith("(404, ")


def test_entry_of_another_table_is_not_found(alice, table, stranger):
    foreign_table = Table.objects.get(seats__player__name="Xena")
    for card in (34, 44, 54):
        stranger.enter(foreign_table, kind="extend", seat=1, card=card, insist=["turn", "extend-within-ten"])
    alice.enter(table, **FIRST_PLAY)
    answers = {
        str(get_comparable_response(alice, "get", reverse("correct", args=[table.public_id, number])))
        for number in (2, 3, 99)
    }
    assert len(answers) == 1
    assert answers.pop().startswith("(404, ")
    assert alice.enter(table, kind="strike", target=2).status_code == 409


def test_guessing_foreign_ids_finds_nothing(alice, table, stranger):
    alice.count(table, 0, 2, 3, 1)
    before = dump_database()
    ids = [table.public_id, str(table.pk), table.public_id[:-1], table.public_id.lower(), table.public_id + "%00"]
    tries = 0
    for _round in range(choose_count(6, 12)):
        for public_id in ids:
            for name in (*TABLE_GETS, *TABLE_POSTS, "record", "record"):
                for method in ("get", "post"):
                    response = getattr(stranger, method)(build_url(name, public_id))
                    assert response.status_code in (404, 405)
                    assert not NAMES.search(response.content.decode())
                    tries += 1
    assert tries >= 1_000
    assert dump_database() == before


def test_players_and_history_of_another_circle_are_not_found(alice, table, stranger):
    ann = Player.objects.get(name="Ann")
    for name, args, query in (
        ("history", (), {}), ("history", (), {"player": ann.pk}), ("history", (), {"before": 10**9}), ("bin", (), {}),
        ("home", (), {}), ("new-table", ("take-that",), {}), ("settings", (), {}),
    ):  # fmt: skip
        html = stranger.get(reverse(name, args=args), query).content.decode()
        assert not NAMES.search(html) and table.public_id not in html, name


def test_player_filter_of_another_circle_is_ignored(alice, table, stranger):
    foreign_player, unknown_pk = Player.objects.get(name="Xena"), 10**9
    pages = {
        re.sub(
            r'value="\w{64}"|player=\d+|player%3D\d+',
            "",
            alice.get(reverse("history"), {"player": pk}).content.decode(),
        )
        for pk in (foreign_player.pk, unknown_pk)
    }
    assert len(pages) == 1


def test_all_devices_of_a_circle_have_the_same_access(alice, mate, table):
    alice.enter(table, **FIRST_PLAY)
    for name in TABLE_GETS:
        assert mate.get(build_url(name, table.public_id)).status_code == 200
    for name in ("history", "home"):
        assert table.public_id in mate.get(reverse(name)).content.decode()
    assert mate.enter(table, kind="undo", target=1).status_code == 302


def test_removed_device_loses_access(alice, table):
    mate = create_mate(alice)
    assert mate.get(build_url("table", table.public_id)).status_code == 200
    table.circle.devices.get(label="Mate’s phone").delete()
    assert mate.get(build_url("table", table.public_id)).status_code == 404


# Reading


def test_get_requests_change_nothing(alice, table, stranger):
    alice.enter(table, **FIRST_PLAY)
    urls = [reverse(name, args=args) for name, args in OPEN_GETS] + [build_url(n, table.public_id) for n in TABLE_GETS]
    evil = {"way": "referee", "round": "2", "action": "open", "seat": "n:Eve", "kind": "close", "language": "el"}
    before = dump_database()
    for person in (alice, stranger, Person()):
        for url in urls:
            for query in ({}, evil):
                cookies = set(person.cookies)
                person.get(url, query)
                assert set(person.cookies) - cookies <= {"csrftoken"}
    assert dump_database() == before


# CSRF


def list_unsafe_requests(table):
    data = {"key": "12345678", "round": "1", "kind": "extend", "seat": "1", "card": "34", "note": "x", "action": "open"}
    urls = [build_url(name, table.public_id) for name in TABLE_POSTS]
    return [*urls, *(reverse(name, args=args) for name, args in OPEN_POSTS)], [
        *data.items(),
        ("seat", "n:Ann"),
        ("way", "pad"),
    ]


@pytest.fixture
def csrf_checked(alice) -> Person:
    """Alice's browser, with CSRF checks enabled as in production."""
    person = Person(enforce_csrf_checks=True)
    person.cookies[COOKIE_NAME] = alice.cookies[COOKIE_NAME].value
    person.get("/settings/")
    return person


@pytest.mark.parametrize("token", ["", "x", "x" * 64], ids=len)
def test_post_without_csrf_token_is_rejected(csrf_checked, table, token):
    urls, data = list_unsafe_requests(table)
    before = dump_database()
    for url in urls:
        assert csrf_checked.send(url, [*data, ("csrfmiddlewaretoken", token)]).status_code == 403
    assert dump_database() == before


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://testserver", "http://testserver:81", "http://sub.testserver"]
)
def test_post_from_another_origin_is_rejected(csrf_checked, table, origin):
    urls, data = list_unsafe_requests(table)
    before = dump_database()
    for url in urls:
        token = [("csrfmiddlewaretoken", csrf_checked.cookies["csrftoken"].value)]
        assert csrf_checked.send(url, [*data, *token], HTTP_ORIGIN=origin).status_code == 403
    assert dump_database() == before


def test_every_form_has_a_csrf_token(csrf_checked, table):
    page = parse_html(csrf_checked.get(build_url("table", table.public_id), {"way": "referee"}).content.decode())
    form = page.one("form", id="board")
    assert csrf_checked.submit(page, form, card="34").status_code == 302
    table.refresh_from_db()
    assert table.version == 1
    for form in page.all("form", method="post"):
        assert form.one("input", name="csrfmiddlewaretoken").attrs["value"]


def test_csrf_failure_shows_an_error_page(csrf_checked, table):
    response = csrf_checked.send(build_url("record", table.public_id), {})
    assert response.status_code == 403
    assert parse_html(response.content.decode()).one("p", **{"class": "verdict"}).text
