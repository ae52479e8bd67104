"""Hidden counts: no request of anybody but the author reveals or changes them."""

from __future__ import annotations

import itertools
import re

import pytest
from django.urls import reverse

from companion.api.schema import ENDPOINTS
from companion.core.entry import TARGETED
from companion.exchange.formats.registry import FORMATS, SINGLE_TABLE_FORMATS
from companion.history.models import ShortLink
from companion.tables.models import Entry, Table
from tests.api.test_api import create_key, get_uid
from tests.web.html import parse_html
from tests.web.people import Person, create_guest, create_mate, list_kinds, load_fresh_log, new_key
from tests.web.test_roles import GAME_ROUTES, PERMISSIONS, build_url

SECRET = 654321
SECRET_FORMS = {f"{SECRET}", f"{SECRET:,}", f"{SECRET:,}".replace(",", "."), f"{SECRET:,}".replace(",", "\u202f")}
"""The hidden value in any form that a page could show."""


ROUTES_WITHOUT_TABLE = {
    *GAME_ROUTES,
    "paper",
    "paper-pdf",
    "search",
    "manifest",
    "service-worker",
    "formats",
    "programs",
}
ROUTES_WITH_ARGUMENTS = {"correct", "export-table", "export-history", "short-link", "import-match", "table-pdf"}
ROUTES = sorted(
    name
    for name, method, _statuses in PERMISSIONS
    if method == "get"
    and name not in ROUTES_WITHOUT_TABLE - {"game-statistics"} | ROUTES_WITH_ARGUMENTS
    and name[:3] != "api"
)
"""Pages about tables; the PDF of a table is rendered from its print page."""


def build_table_url(table, name="table", *args):
    return reverse(name, args=[table.public_id, *args])


def is_revealed_in(response) -> bool:
    body = b"".join(response.streaming_content) if response.streaming else response.content
    text = body.decode(errors="replace") + str(dict(response.items()))
    return any(secret in text for secret in SECRET_FORMS)


class Owner:
    """A guest who has entered a hidden count, and may correct or undo it."""

    def __init__(self, table: Table) -> None:
        self.table, self.person = table, create_guest(table, "scorer", seat=1)
        assert self.count(SECRET).status_code == 302

    def count(self, points: int, **fields: object):
        return self.person.enter(self.table, count__1__points=points, **fields)

    def corrects_it(self):
        self.count(SECRET + 1)
        self.person.enter(self.table, amend="correct", target=1, count__1__points=SECRET)

    def takes_it_back(self):
        assert self.person.enter(self.table, kind="undo", target=1).status_code == 302

    def enters_it_again(self):
        self.takes_it_back()
        assert self.count(SECRET, key=new_key()).status_code == 302

    def strikes_it_out(self):
        assert self.person.enter(self.table, kind="strike", target=1).status_code == 302

    def nothing(self):
        pass


FOLLOW_UPS = [Owner.nothing, Owner.corrects_it, Owner.takes_it_back, Owner.enters_it_again, Owner.strikes_it_out]


@pytest.fixture
def table(alice):
    table = alice.open("any-game", name="Chips", names=("Ann", "Bo", "Cleo"), target="999999")
    assert alice.send(build_table_url(table, "secrecy"), {"hides": "yes"}).status_code == 302
    table.refresh_from_db()
    return table


@pytest.fixture
def owner(table):
    return Owner(table)


@pytest.fixture
def people(alice, table, owner):
    """Everybody but the owner: a member, a member in the same seat, a viewer and an outsider."""
    rival = create_mate(alice)
    assert rival.send(build_table_url(table, "seat"), {"seat": 1}).status_code == 302
    return {
        "circle": alice,
        "rival": rival,
        "viewer": create_guest(table, "viewer"),
        "nobody": Person(),
    }


def generate_forms(table: Table):
    """Yield every kind of entry that could change, or follow, the hidden count."""
    targets = range(1, Entry.objects.filter(table=table).count() + 2)
    guesses = ({"count.1.points": points} for points in (1, SECRET - 1, 999_999))
    targeted = [{"kind": kind, "target": n} for kind in ("undo", "redo", "strike", "insist") for n in targets]
    amendments = [
        {"amend": amend, "target": n, f"count.{seat}.points": 7}
        for amend in ("correct", "insert")
        for n in targets
        for seat in (0, 1)
    ]
    yield from guesses
    yield from ({"kind": kind, "seen": seen} for kind in ("confirm",) for seen in ("", 0, 1))
    yield from targeted
    yield from amendments
    yield {"count.0.points": 5, "count.1.points": 6}
    yield {"kind": "close"}
    yield {"count.1.points": 3}
    yield {"kind": "reopen"}
    yield {"count.1.points": "x", "count.0.points": ""}
    yield {"kind": "points", "seat": 1, "points": 8}


def list_pages(table: Table, player: str = "Bo"):
    """Yield every URL that shows the table, with all query parameters."""
    yield from (build_url(name, table.public_id) for name in ROUTES)
    base = build_table_url(table)
    yield from (f"{base}?{query}" for query in ("way=pad", "way=pad&all=yes", "way=referee", "round=1", "round=2"))
    yield from (f"{build_table_url(table, 'log')}?{query}" for query in ("round=1", "corrections=yes", "before=3"))
    yield from (
        f"{build_table_url(table, 'help')}?{query}" for query in ("way=pad", "way=pad&count.1.points=1", "round=1")
    )
    yield f"{build_table_url(table, 'table-paper')}?log=yes"
    for number in range(1, Entry.objects.filter(table=table).count() + 1):
        yield from (build_table_url(table, "correct", number), f"{build_table_url(table, 'correct', number)}?forgotten")
    yield from (build_table_url(table, "export-table", file_format) for file_format in SINGLE_TABLE_FORMATS)
    yield from (reverse("export-history", args=[file_format]) for file_format in FORMATS)
    yield from (reverse("short-link", args=[link.code]) for link in ShortLink.objects.all())


def send_requests(person: Person, table: Table):
    """Yield every request that a person can make, with its response."""
    for form in generate_forms(table):
        fields = {"round": 1, "way": "pad", **form}
        for htmx, extra in itertools.product((False, True), ({}, {"insist": "deal"})):
            yield form, person.send(build_table_url(table, "record"), {**fields, "key": new_key(), **extra}, htmx=htmx)
        yield ("preview", form), person.send(build_table_url(table, "preview"), {**fields, "key": new_key()}, htmx=True)
    for name in ("secrecy", "share", "door", "seat"):
        yield name, person.send(build_table_url(table, name), {"hides": "", "role": "viewer", "seat": 1})
    for page in list_pages(table):
        yield page, person.get(page)
        yield page, person.get(page, headers={"HX-Request": "true"})


@pytest.mark.parametrize("then", FOLLOW_UPS, ids=[then.__name__ for then in FOLLOW_UPS])
@pytest.mark.parametrize("who", ["circle", "rival", "viewer", "nobody", "scorer"])
@pytest.mark.slow
def test_no_page_reveals_a_hidden_count(people, alice, table, owner, then, who):
    then(owner)
    person = people.get(who) or create_unseated_scorer(table)
    count = 0
    for name, response in send_requests(person, table):
        assert not is_revealed_in(response), name
        assert response.status_code < 500, name
        count += 1
    assert count > 150
    key = create_key(alice)
    for endpoint in ENDPOINTS:
        args = {"api-table": [table.public_id], "api-player": [get_uid("Bo")], "api-rulebook": ["take-that", "el"]}
        path = reverse(endpoint.route, args=args.get(endpoint.route, ()))
        assert not is_revealed_in(Person().get(path, headers={"authorization": f"Bearer {key}"})), path
    is_counted = then not in (Owner.takes_it_back, Owner.strikes_it_out)
    if is_counted:
        steps = [step for step in load_fresh_log(table).match.steps if step.action.words.get("seat") == "1"]
        assert [step.action.words["points"] for step in steps if step.is_valid] == [str(SECRET)]


def create_unseated_scorer(table):
    from companion.people.auth import COOKIE_NAME, hash_token
    from companion.people.models import Device
    from companion.tables.models import Attendance

    person, token = Person(), "z" * 43
    device = Device.objects.create(token_hash=hash_token(token), label="Another phone")
    Attendance.objects.create(table=table, device=device, role="scorer", seat=None)
    person.cookies[COOKIE_NAME] = token
    return person


@pytest.mark.slow
def test_the_check_would_find_a_revealed_count(alice, table, owner):
    Table.objects.update(hides_counts=False)
    revealing = [name for name, response in send_requests(alice, table) if is_revealed_in(response)]
    assert len(revealing) > 10


def test_the_owner_sees_the_count_but_not_on_the_big_screen(owner, table):
    assert is_revealed_in(owner.person.get(build_table_url(table))) and is_revealed_in(
        owner.person.get(build_table_url(table, "log"))
    )
    assert not is_revealed_in(owner.person.get(build_table_url(table, "display")))


@pytest.mark.parametrize("kind", sorted(TARGETED - {"redo", "insert"}))
def test_changing_a_hidden_count_is_refused_with_the_reason(alice, table, owner, kind):
    form = {"amend": kind, "count__1__points": 3} if kind == "correct" else {"kind": kind}
    response = alice.enter(table, target=1, htmx=True, **form)
    assert response.status_code == 422
    assert "Only the phone that entered it can change it" in response.content.decode()
    assert list_kinds(table) == ["count"]


def test_others_cannot_redo_an_undone_hidden_count(alice, table, owner):
    owner.takes_it_back()
    assert alice.enter(table, kind="redo", target=1).status_code == 422
    assert owner.person.enter(table, kind="redo", target=1).status_code == 302


def test_guessing_a_hidden_count_right_is_not_confirmed(alice, table, owner):
    answers = {alice.enter(table, count__1__points=points, htmx=True).status_code for points in (SECRET, 1)}
    assert answers == {409}
    right, wrong = (alice.enter(table, count__1__points=points, htmx=True).content.decode() for points in (SECRET, 1))
    comparable = [re.sub(r'<span aria-hidden="true">\w+</span>|value="key-\d+"', "", html) for html in (right, wrong)]
    assert comparable[0] == comparable[1] and "has counted" in comparable[0]


def test_all_counts_are_shown_with_the_last_one(alice, table, owner):
    for seat in (0, 2):
        assert alice.enter(table, **{f"count__{seat}__points": 5}).status_code == 302
    assert is_revealed_in(alice.get(build_table_url(table, "log")))


# Counts that do not fit together


@pytest.fixture
def table_with_bo(alice):
    """A table of Take That with a hidden count by Bo: 70 of the 72 cards that can lie face up."""
    table = alice.open(names=("Ann", "Bo", "Cleo"))
    alice.send(build_table_url(table, "secrecy"), {"hides": "yes"})
    bo = create_guest(table, "scorer", seat=1)
    assert bo.count(table, 1, 70, 0, 0).status_code == 302
    table.refresh_from_db()
    return table, bo


def test_a_verdict_ignores_hidden_counts(alice, table_with_bo):
    table, _bo = table_with_bo
    for face_up, status in ((40, 200), (2, 409)):  # the slot is taken, whether the first count was valid or not
        response = alice.count(table, 2, face_up, 0, 0, key=new_key(), htmx=True)
        assert response.status_code == status
        assert not re.search(r"\b70\b", parse_html(response.content.decode()).text)
    assert list_kinds(table) == ["count", "count"]
    page = alice.page("table", table.public_id)
    assert not page.all("section", **{"aria-labelledby": "unsettled"})
    assert "void" not in {line.attrs.get("class") for line in page.all("li")}


def test_mismatches_are_listed_once_counts_are_visible(alice, table_with_bo):
    table, bo = table_with_bo
    assert alice.count(table, 2, 40, 0, 0).status_code == 302
    assert alice.count(table, 0, 2, 0, 0).status_code == 302
    page = alice.page("table", table.public_id)
    listed = page.one("section", **{"aria-labelledby": "unsettled"})
    assert "40 face up" in listed.text
    corrected = bo.enter(
        table, amend="correct", target=1, count__1__face_up=30, count__1__face_down=0, count__1__toads=0, insist="deal"
    )
    assert corrected.status_code == 302
    assert load_fresh_log(table).match.finished_rounds and not load_fresh_log(table).match.invalid_steps


def test_a_count_invalid_in_itself_is_refused_beside_hidden_ones(alice, table_with_bo):
    table, _bo = table_with_bo
    response = alice.count(table, 2, 3, 0, 0, htmx=True)
    assert response.status_code == 422 and list_kinds(table) == ["count"]
