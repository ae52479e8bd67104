"""Test clients: Alice, her teammate, a stranger and a browser without a table."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from django.db.models import Model
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse

from companion.core.log import Log
from companion.games import get_games
from companion.people.auth import COOKIE_NAME, add_to_circle, create_member_device, hash_token
from companion.people.models import Circle, Device, Invitation, Membership, Player
from companion.people.services import get_or_create_player
from companion.tables.forms import new_table
from companion.tables.log_cache import _CACHE, CachedLog, get_cached_log
from companion.tables.models import Attendance, Door, Entry, Place, SearchableNote, Seat, Table
from companion.tables.services import saved_options, tables
from tests.scale import LONG
from tests.web.html import Element, list_controls, list_fields, parse_html

FormFields = Iterable[tuple[str, str]]

FIRST_PLAY = {"kind": "extend", "seat": 1, "card": 34}
"""Legal at Alice's table: Ann deals, so Bo begins."""

_numbers = itertools.count(1)


PEOPLE = ("Ann", "Bo", "Cleo", "Dora", "Ed", "Fay", "Gus", "Hal", "Ida", "Jo", "Kim", "Lia")


def choose_people(slug: str, number: int) -> tuple[str, ...]:
    """Return this many names, or as near to it as the seats of a game allow."""
    seats = get_games()[slug].about.seats
    return PEOPLE[: min(max(number, seats[0]), seats[-1])]


class Person(Client):
    """A person's browser."""

    def page(self, name: str, *args: object, **query: object) -> Element:
        response = self.get(reverse(name, args=args), query)
        assert response.status_code == 200, response.status_code
        return parse_html(response.content.decode())

    def send(self, path: str, values: FormFields | dict[str, Any], *, htmx: bool = False, **extra: Any) -> HttpResponse:
        """Post the fields in order, as a form does."""
        headers = {"HX-Request": "true"} if htmx else {}
        body = urlencode(
            list(values.items() if isinstance(values, dict) else values), doseq=True, errors="surrogatepass"
        )
        content_type = "application/x-www-form-urlencoded"
        return self.post(path, body, content_type=content_type, headers=headers, **extra)

    def open(
        self, slug: str = "take-that", names: Iterable[str] = ("Ann", "Bo", "Cleo"), *, way: str = "", **options: str
    ) -> Table:
        """Open a table with the options of the previous one, as the form would, but without its requests."""
        if COOKIE_NAME not in self.cookies:
            self.cookies[COOKIE_NAME] = create_member_device(RequestFactory().get("/"))[1]
        game, circle = get_games()[slug], get_device(self).circle
        form = new_table.build_initial_form(game, circle, Table.objects.of(circle).filter(game=slug).first())
        options = saved_options.fill_in_options(game, circle, {**form.options, **options})
        with transaction.atomic():
            players = [get_or_create_player(circle, name) for name in names]
            return tables.open_table(circle, game=game, players=players, options=options, mode=way or form.mode)

    def open_by_form(
        self, slug: str = "take-that", names: Iterable[str] = ("Ann", "Bo", "Cleo"), **options: str
    ) -> Table:
        """Open a table through its form; `way` is accepted among the options."""
        url = reverse("new-table", args=[slug])
        page = self.page("new-table", slug)
        pairs = [(name, value) for name, value in list_fields(page, page.one("form", id="setup")) if name != "seat"]
        player_values = {e.parent.text: e.attrs["value"] for e in page.all("input", name="seat")}  # type: ignore[union-attr]
        pairs = [pair for pair in pairs if pair[0].removeprefix("option.") not in options]
        pairs += [("seat", player_values.get(name, f"n:{name}")) for name in names]
        pairs += [(name if name == "way" else f"option.{name}", value) for name, value in options.items()]
        response = self.send(url, [*pairs, ("action", "open")])
        assert response.status_code == 302, response.content.decode()
        return Table.objects.get(public_id=response["Location"].strip("/").split("/")[-1])

    def enter(self, table: Table, *, htmx: bool = False, **values: object) -> HttpResponse:
        """Post an entry; a double underscore in a name stands for a dot. Without a `key` it gets a new one."""
        data = {"key": new_key(), "round": 1, **{name.replace("__", "."): value for name, value in values.items()}}
        return self.send(reverse("record", args=[table.public_id]), data, htmx=htmx)

    def count(self, table: Table, seat: int, *counts: object, round: int = 1, **extra: object) -> HttpResponse:
        """Fill in one player of a Take That pad: face up, face down, toads."""
        boxes = zip(("face_up", "face_down", "toads", "hand"), counts, strict=False)
        return self.enter(table, round=round, **{f"count__{seat}__{name}": n for name, n in boxes}, **extra)

    def submit(self, page: Element, form: Element, button: Element | None = None, **changed: str) -> HttpResponse:
        """Submit a form with some fields changed."""
        pairs = [pair for pair in list_fields(page, form, button) if pair[0] not in changed]
        return self.send(form.attrs["action"], [*pairs, *changed.items()])


def find_form(page: Element, **wanted: str) -> Element:
    """Return the form that would send these fields."""
    for form in page.all("form"):
        if set(wanted.items()) <= set(list_fields(page, form)):
            return form
    raise AssertionError(f"no form sends {wanted}")


def find_button(page: Element, form: Element, **attrs: str) -> Element:
    return next(c for c in list_controls(page, form) if c.tag == "button" and attrs.items() <= c.attrs.items())


def find_buttons(page: Element, value: str, name: str = "kind") -> list[tuple[Element, Element]]:
    """Return the buttons that send the value, each with its form."""
    return [
        (form, control)
        for form in page.all("form")
        for control in list_controls(page, form)
        if control.tag == "button" and (control.attrs.get("name"), control.attrs.get("value")) == (name, value)
    ]


def open_stuck_table(person: Person) -> Table:
    """Open a table of The Game that ended in its second turn with 95 cards left, unconfirmed."""
    table = person.open("the-game", names=("Ann", "Bo"), way="referee")
    plays = [("place", 0, 10, "up-1"), ("place", 0, 90, "down-1"), ("end-turn", 0), ("place", 1, 80, "down-1")]
    for kind, seat, *card in plays:
        fields = dict(zip(("card", "row"), card, strict=False))
        assert person.enter(table, kind=kind, seat=seat, **fields).status_code == 302
    assert person.enter(table, kind="stuck", seat=1).status_code == 302
    return table


def new_key() -> str:
    return f"key-{next(_numbers):08d}"


def load_fresh_log(table: Table) -> CachedLog:
    """Return the log, reloaded from the database."""
    _CACHE._logs.pop(table.public_id, None)
    table.refresh_from_db()
    return get_cached_log(table, table.seats.count())


def list_kinds(table: Table) -> list[str]:
    return list(Entry.objects.filter(table=table).values_list("kind", flat=True))


def store_log(table: Table, log: Log) -> None:
    """Store the entries of a log for the table."""
    Entry.objects.bulk_create(
        Entry(
            table=table,
            number=entry.number,
            key=new_key(),
            kind=entry.kind,
            round=entry.round,
            words=dict(entry.words),
            overruled=list(entry.overruled),
            game_version=1,
        )
        for entry in log.entries
    )
    Table.objects.filter(pk=table.pk).update(version=len(log.entries))
    load_fresh_log(table)


STORED_MODELS = (
    Circle,
    Device,
    Membership,
    Invitation,
    Player,
    Place,
    Table,
    SearchableNote,
    Seat,
    Attendance,
    Door,
    Entry,
)


def dump_database() -> tuple[object, ...]:
    """Return all rows, for comparison. In raw SQL, as it is called thousands of times."""
    with connection.cursor() as cursor:
        return tuple(_rows(cursor, model) for model in STORED_MODELS)


def _rows(cursor: CursorWrapper, model: type[Model]) -> list[tuple[object, ...]]:
    cursor.execute(f"SELECT * FROM {model._meta.db_table} ORDER BY {model._meta.pk.column}")
    return cursor.fetchall()


def list_pages(table: Table) -> list[str]:
    """Return the URLs of all pages that show the table. Short runs take one of the two pages of each entry."""
    args = [table.public_id]
    base, log = reverse("table", args=args), reverse("log", args=args)
    pages = [
        base,
        f"{base}?way=pad",
        f"{base}?way=referee",
        f"{base}?round=1",
        f"{base}?round=2",
        log,
        f"{log}?round=1",
    ]
    pages += [f"{log}?before=3", f"{log}?corrections=yes", reverse("details", args=args)]
    pages += [reverse(name) for name in ("history", "bin", "home", "players", "statistics")]
    for step in load_fresh_log(table).match.steps:
        if step.action.kind in load_fresh_log(table).game.kinds:
            url = reverse("correct", args=[table.public_id, step.action.number])
            entry_pages = [url, f"{url}?forgotten"]
            pages += entry_pages if LONG else entry_pages[step.action.number % 2 :][:1]
    return pages


def assert_all_pages_open(person: Client, table: Table) -> None:
    for url in list_pages(table):
        assert person.get(url).status_code == 200, url


def create_mate(person: Client) -> Person:
    """Return another browser of the same circle."""
    mate = Person()
    token = "m" * 43
    device = Device.objects.create(token_hash=hash_token(token), label="Mate’s phone")
    add_to_circle(device, Circle.objects.get(devices=get_device(person)))
    mate.cookies[COOKIE_NAME] = token
    return mate


def create_guest(table: Table, role: str = "scorer", seat: int | None = None) -> Person:
    """Return a guest's browser."""
    guest = Person()
    token = f"{role:-<43}"
    device = Device.objects.create(token_hash=hash_token(token), label=f"A {role}’s phone")
    Attendance.objects.create(table=table, device=device, role=role, seat=seat)
    guest.cookies[COOKIE_NAME] = token
    return guest


def get_device(person: Client) -> Device:
    return Device.objects.get(token_hash=hash_token(person.cookies[COOKIE_NAME].value))


@pytest.fixture
def alice(db: None) -> Person:
    """A member of a circle with a table of Take That."""
    person = Person()
    person.open()
    return person


@pytest.fixture
def table(alice: Person) -> Table:
    """Alice's first table: Take That with Ann, Bo and Cleo, two rounds, scored on the pad. Ann deals, Bo begins."""
    return Table.objects.get()


@pytest.fixture
def mate(alice: Person, table: Table) -> Person:
    """Another phone of Alice's circle."""
    return create_mate(alice)


@pytest.fixture
def stranger(db: None) -> Person:
    """A member of another circle with a table."""
    person = Person()
    person.open(names=("Xena", "Yannis"))
    return person


@pytest.fixture
def nobody(db: None) -> Person:
    """A browser that has never opened a table."""
    return Person()
