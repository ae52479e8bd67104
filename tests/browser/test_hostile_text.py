"""Script payloads in names, notes and other texts, with and without the content security policy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pytest
from django.db import transaction
from django.urls import reverse

from companion.core.sanitize import fold_text
from companion.history.models import ApiKey, Upload
from companion.people.auth import add_to_circle
from companion.people.models import Device
from companion.people.validators import clean_name, clean_note
from companion.tables.models import Seat, Table
from companion.tables.services import details
from tests.browser.household import Household
from tests.browser.phone import Phone
from tests.exchange.backups import build_shared_play
from tests.exchange.upload_pages import pack_file
from tests.scale import choose_count
from tests.web.hostile import CLEANED_NAMES, ORDINARY_NAMES
from tests.web.payloads import ALL, SHORT

pytestmark = pytest.mark.hostile

SEATS = 12
TABLES = choose_count(1, -(-len(SHORT) // SEATS))
"""Number of tables of twelve whose pages are all visited."""
HARMLESS_QUERIES = ("Plain", "Plain " * 20, "a.b")
"""Ordinary search queries."""
PAYLOADS_PER_RUN = choose_count(3, len(ALL))
"""Number of payloads put into each URL."""
INSPECT_PAGE = """() => {
  const kinds = {}, foreign = [];
  const isOurs = (value) => /^([/?#](?![/\\\\])|$)/.test(value) || value.startsWith(location.origin + "/");
  for (const element of document.querySelectorAll("*")) {
    const isOwn = (name) => element.getAttribute(name) !== "htmx-request"; // set by htmx while it asks for news
    const names = element.getAttributeNames().filter(isOwn);
    const kind = [element.tagName.toLowerCase(), ...names.sort()].join(" ");
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    for (const name of names) {
      const value = element.getAttribute(name).trim();
      if (/^(on|data-hx-|hx-on)/i.test(name)) foreign.push(element.outerHTML.slice(0, 200));
      if (/^(href|src|action|formaction|ping|data|srcdoc|xlink:href|hx-get|hx-post)$/i.test(name) && !isOurs(value)
          && element.relList?.contains("noreferrer") !== true) foreign.push(element.outerHTML.slice(0, 200));
    }
    if (element.matches("script:not([src]), iframe, object, embed, base, style, math, marquee, plaintext"))
      foreign.push(element.outerHTML.slice(0, 200));
  }
  return [kinds, foreign];
}"""
"""Counts elements by name and attributes, and collects elements that the app did not create."""


@dataclass
class Scene:
    """A household whose texts are all taken from a list, and its tables of twelve."""

    household: Household
    tables: Sequence[Table]
    upload: Upload

    @property
    def pages(self) -> Iterator[str]:
        yield from map(reverse, ("home", "history", "players", "statistics", "circle", "keys", "export", "bin"))
        yield reverse("import-match", args=[self.upload.pk])
        yield from (f"{reverse('new-table', args=[slug])}" for slug in ("any-game", "take-that"))
        last = ""
        for _page in range(choose_count(2, 9)):
            yield (last := f"{reverse('history')}?before={self._get_last_key(last)}")
        for table in self.tables[:TABLES]:
            args = [table.public_id]
            for name in ("table", "log", "together", "details", "share", "table-paper", "display"):
                yield reverse(name, args=args)
            yield reverse("correct", args=[*args, 1])
        for seat in self.tables[0].seats.all()[: choose_count(1, SEATS)]:
            yield reverse("player", args=[seat.player_id])
            yield reverse("change-player", args=[seat.player_id])

    def _get_last_key(self, last: str) -> int:
        """Return the key of the last table on a history page, which the URL of the next page contains."""
        tables = list(Table.objects.filter(circle=self.household.device.circle).order_by("-began_at", "-pk"))
        number = int(last.partition("=")[2]) if last else tables[0].pk + 1
        older = [table.pk for table in tables if table.pk < number]
        return older[min(20, len(older) - 1)] if older else number


NAMES = list({fold_text(name): name for name in map(clean_name, SHORT)}.values())
"""Names that differ only in case belong to the same person."""


@transaction.atomic
def create_scene(names: Sequence[str], texts: Sequence[str]) -> Scene:
    household = Household.create()
    circle = household.device.circle
    short = [name for name in names if len(name) <= 24 and not set(name) & set(',"')]
    tables = []
    for number, first in enumerate(range(0, len(names), SEATS)):
        seat_names = [*names, *names][first : first + SEATS]
        options = {"name": names[-number - 1], "categories": ",".join(short[number : number + 2])}
        table = household.create_table(
            "any-game", "1 count seat=0 points=1,2", names=seat_names, mode="pad", options=options
        )
        tables.append(table)
    notes = [clean_note(text) for text in texts]
    for number, note in enumerate(notes):
        table = tables[number] if number < len(tables) else _copy_table(tables[number % len(tables)])
        details.update_note(table, note=note, by=None)
        place = details.get_or_create_place(circle.pk, names[number % len(names)])
        Table.objects.filter(pk=table.pk).update(place=place)
    devices = [Device(token_hash=f"x-{circle.pk}-{n}", label=name) for n, name in enumerate(names)]
    for device in Device.objects.bulk_create(devices):
        add_to_circle(device, circle)
    keys = [
        ApiKey(device=household.device, circle=circle, key_hash=f"{circle.pk}-{n}", label=name)
        for n, name in enumerate(names)
    ]
    ApiKey.objects.bulk_create(keys)
    return Scene(household, tables, _create_upload(household, names))


def _copy_table(table: Table) -> Table:
    """Create another table with the first two players of this one."""
    players = [seat.player for seat in table.seats.order_by("number")[:2]]
    options = {name: value for name, value in table.options.items() if name == "name"}
    copy = Table.objects.create(circle=table.circle, game=table.game, game_version=1, options=options, mode="pad")
    Seat.objects.bulk_create(Seat(table=copy, number=number, player=player) for number, player in enumerate(players))
    return copy


def _create_upload(household: Household, names: Sequence[str]) -> Upload:
    """Create an upload with a new player, game and comment for every text."""
    content = build_shared_play()
    play, player, game = content["plays"][0], content["players"][0], content["games"][0]
    numbered = list(enumerate((f"{name}." for name in names[:: choose_count(5, 1)]), 1))
    content["players"] = [{**player, "id": n, "uuid": f"own-{n}", "name": name[:40]} for n, name in numbered]
    content["games"] = [{**game, "id": n, "name": name[:40]} for n, name in numbered]
    content["plays"] = [
        {
            **play,
            "uuid": f"play-{n}",
            "gameRefId": n,
            "comments": name,
            "playerScores": [{"playerRefId": n, "score": "1"}],
        }
        for n, name in numbered
    ]
    return Upload.objects.create(circle=household.device.circle, name=names[0], content=pack_file(content))


def iter_urls_with(texts: Sequence[str]) -> Iterator[str]:
    for number, text in enumerate(texts):
        payload = quote(text)
        yield f"{reverse('history')}?q={payload}"
        yield f"{reverse('search')}?q={payload}"
        yield f"{reverse('settings')}?next={payload}"
        yield f"{reverse('game-statistics', args=['any-game'])}?called={payload}"
        yield f"{reverse('calculator', args=['any-game'])}?seats=2&option.name={payload}&count.0.{payload}={number}"


def inspect_page(phone: Phone, url: str) -> tuple[Counter[str], list[str]]:
    """Open a page, give payloads time to run, and return its element counts and its foreign elements."""
    response = phone.page.goto(url)
    assert response and response.status in (200, 400, 422), (url, response and response.status)
    phone.page.wait_for_timeout(30)
    kinds, foreign = phone.page.evaluate(INSPECT_PAGE)
    return Counter(kinds), foreign


@pytest.fixture
def phone_for(phones: Callable[..., Phone]) -> Callable[[Scene], Phone]:
    def make(scene: Scene) -> Phone:
        phone = phones("desk", token=scene.household.token)
        phone.expected |= {400, 422}
        phone.page.on("dialog", lambda dialog: (phone.problems.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        return phone

    return make


def test_hostile_text_is_never_executed(
    transactional_db: None, phone_for: Callable[[Scene], Phone], settings: Any
) -> None:
    """Compare element counts with the same pages of a household with plain texts.

    Dialogs, script errors, foreign requests and policy violations are recorded as problems of the phone, which fail the
    test at its end.
    """
    plain = create_scene([f"Person {n}" for n in range(len(NAMES))], [f"Note {n}" for n in range(len(ALL))])
    hostile = create_scene(NAMES, ALL)
    innocent, phone = phone_for(plain), phone_for(hostile)
    expected_kinds = [inspect_page(innocent, url)[0] for url in plain.pages]
    known_kinds = sum(
        (inspect_page(innocent, url)[0] for url in iter_urls_with(HARMLESS_QUERIES)), sum(expected_kinds, Counter())
    )
    for policy in (settings.CONTENT_SECURITY_POLICY, None):
        settings.CONTENT_SECURITY_POLICY = policy
        for url, expected in zip(hostile.pages, expected_kinds, strict=True):
            kinds, foreign = inspect_page(phone, url)
            assert not foreign, (url, foreign[:3])
            assert kinds == expected, (url, kinds - expected, expected - kinds)
        for url in iter_urls_with(ALL[policy is None :: len(ALL) // PAYLOADS_PER_RUN]):
            kinds, foreign = inspect_page(phone, url)
            assert not foreign, (url, foreign[:3])
            assert not set(kinds) - set(known_kinds), (url, set(kinds) - set(known_kinds))
    response = phone.page.goto("/")
    assert response and "content-security-policy" not in response.headers


@pytest.mark.long
def test_unusual_names_fit_the_narrowest_screen(transactional_db: None, phone_for: Callable[[Scene], Phone]) -> None:
    """Forty emoji, an unbreakable word and right-to-left letters cause no horizontal scrolling."""
    names = list({fold_text(name): name for name in map(clean_name, [*ORDINARY_NAMES, *CLEANED_NAMES])}.values())
    scene = create_scene(names, [*map(clean_note, names), "x" * 500])
    phone = phone_for(scene)
    phone.page.set_viewport_size({"width": 320, "height": 640})
    overflowing = []
    for url in scene.pages:
        inspect_page(phone, url)
        overflowing += [url] if phone.page.evaluate("document.documentElement.scrollWidth") > 320 else []
    assert not overflowing


def test_there_are_enough_hostile_texts() -> None:
    assert len(NAMES) >= 120 and len(set(ALL)) > len(NAMES)
