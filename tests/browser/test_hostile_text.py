"""Names, notes and all other texts that want a page to do something, in a real browser: with the policy, and without
it, for the policy must have nothing to do."""

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
"""Tables of twelve of which every page is looked at."""
HARMLESS = ("Plain", "Plain " * 20, "a.b")
"""What is looked for by whoever means no harm."""
WORDS = choose_count(3, len(ALL))
"""Texts that are put into each address."""
LOOK = """() => {
  const kinds = {}, foreign = [];
  const isOurs = (value) => /^([/?#](?![/\\\\])|$)/.test(value) || value.startsWith(location.origin + "/");
  for (const element of document.querySelectorAll("*")) {
    const names = element.getAttributeNames();
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
"""What elements there are, by name and attributes, and which of them nobody of ours has made."""


@dataclass
class Scene:
    """A household whose every text is one of these, and its tables of twelve."""

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
            yield (last := f"{reverse('history')}?before={self._before(last)}")
        for table in self.tables[:TABLES]:
            own = [table.public_id]
            for name in ("table", "log", "together", "details", "share", "table-paper", "display"):
                yield reverse(name, args=own)
            yield reverse("correct", args=[*own, 1])
        for seat in self.tables[0].seats.all()[: choose_count(1, SEATS)]:
            yield reverse("player", args=[seat.player_id])
            yield reverse("change-player", args=[seat.player_id])

    def _before(self, last: str) -> int:
        """The address of a page of the history has the number of the last table on the one before."""
        pages = list(Table.objects.filter(circle=self.household.device.circle).order_by("-began_at", "-pk"))
        number = int(last.partition("=")[2]) if last else pages[0].pk + 1
        older = [table.pk for table in pages if table.pk < number]
        return older[min(20, len(older) - 1)] if older else number


NAMES = list({fold_text(name): name for name in map(clean_name, SHORT)}.values())
"""Two that differ in capitals only are one person."""


@transaction.atomic
def scene(names: Sequence[str], texts: Sequence[str]) -> Scene:
    household = Household.new()
    circle = household.device.circle
    short = [name for name in names if len(name) <= 24 and not set(name) & set(',"')]
    tables = []
    for number, first in enumerate(range(0, len(names), SEATS)):
        sat = [*names, *names][first : first + SEATS]
        options = {"name": names[-number - 1], "categories": ",".join(short[number : number + 2])}
        table = household.table("any-game", "1 count seat=0 points=1,2", names=sat, way="pad", options=options)
        tables.append(table)
    told = [clean_note(text) for text in texts]
    for number, text in enumerate(told):
        table = tables[number] if number < len(tables) else _copy(tables[number % len(tables)])
        details.update_note(table, note=text, by=None)
        place = details.get_or_create_place(circle.pk, names[number % len(names)])
        Table.objects.filter(pk=table.pk).update(place=place)
    devices = [Device(token_hash=f"x-{circle.pk}-{n}", label=name) for n, name in enumerate(names)]
    for device in Device.objects.bulk_create(devices):
        add_to_circle(device, circle)
    keys = [
        ApiKey(device=household.device, circle=circle, key_hash=f"{circle.pk}-{n}", label=own)
        for n, own in enumerate(names)
    ]
    ApiKey.objects.bulk_create(keys)
    return Scene(household, tables, _file(household, names))


def _copy(table: Table) -> Table:
    """Another table, of the first two of those who sit at this one."""
    players = [seat.player for seat in table.seats.order_by("number")[:2]]
    words = {name: word for name, word in table.options.items() if name == "name"}
    own = Table.objects.create(circle=table.circle, game=table.game, game_version=1, options=words, mode="pad")
    Seat.objects.bulk_create(Seat(table=own, number=number, player=player) for number, player in enumerate(players))
    return own


def _file(household: Household, names: Sequence[str]) -> Upload:
    """A file that waits, with a new person, game and place for every text."""
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


def words_in_addresses(texts: Sequence[str]) -> Iterator[str]:
    for number, text in enumerate(texts):
        word = quote(text)
        yield f"{reverse('history')}?q={word}"
        yield f"{reverse('search')}?q={word}"
        yield f"{reverse('settings')}?next={word}"
        yield f"{reverse('game-statistics', args=['any-game'])}?called={word}"
        yield f"{reverse('calculator', args=['any-game'])}?seats=2&option.name={word}&count.0.{word}={number}"


def looked_at(phone: Phone, url: str) -> tuple[Counter[str], list[str]]:
    """What is on the page, and what is foreign to it; after whatever it tried had its time."""
    answer = phone.page.goto(url)
    assert answer and answer.status in (200, 400, 422), (url, answer and answer.status)
    phone.page.wait_for_timeout(30)
    kinds, foreign = phone.page.evaluate(LOOK)
    return Counter(kinds), foreign


@pytest.fixture
def phone_of(phones: Callable[..., Phone]) -> Callable[[Scene], Phone]:
    def make(own: Scene) -> Phone:
        phone = phones("desk", token=own.household.token)
        phone.expected |= {400, 422}
        phone.page.on("dialog", lambda dialog: (phone.problems.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        return phone

    return make


def test_hostile_text_is_never_executed(
    transactional_db: None, phone_of: Callable[[Scene], Phone], settings: Any
) -> None:
    """Elements are counted on the same pages of a household whose texts are plain. Dialogs, scripts that fail, requests
    to others and reports of the policy are problems of the phone, which fail the test at its end."""
    plain = scene([f"Person {n}" for n in range(len(NAMES))], [f"Note {n}" for n in range(len(ALL))])
    hostile = scene(NAMES, ALL)
    innocent, phone = phone_of(plain), phone_of(hostile)
    counted = [looked_at(innocent, url)[0] for url in plain.pages]
    known = sum((looked_at(innocent, url)[0] for url in words_in_addresses(HARMLESS)), sum(counted, Counter()))
    for policy in (settings.CONTENT_SECURITY_POLICY, None):
        settings.CONTENT_SECURITY_POLICY = policy
        for url, expected in zip(hostile.pages, counted, strict=True):
            kinds, foreign = looked_at(phone, url)
            assert not foreign, (url, foreign[:3])
            assert kinds == expected, (url, kinds - expected, expected - kinds)
        for url in words_in_addresses(ALL[policy is None :: len(ALL) // WORDS]):
            kinds, foreign = looked_at(phone, url)
            assert not foreign, (url, foreign[:3])
            assert not set(kinds) - set(known), (url, set(kinds) - set(known))
    answer = phone.page.goto("/")
    assert answer and "content-security-policy" not in answer.headers


@pytest.mark.long
def test_unusual_names_fit_the_narrowest_screen(transactional_db: None, phone_of: Callable[[Scene], Phone]) -> None:
    """Nothing scrolls sideways, whoever plays: forty emoji, a word without a break, letters from the right."""
    names = list({fold_text(name): name for name in map(clean_name, [*ORDINARY_NAMES, *CLEANED_NAMES])}.values())
    strange = scene(names, [*map(clean_note, names), "x" * 500])
    phone = phone_of(strange)
    phone.page.set_viewport_size({"width": 320, "height": 640})
    wide = []
    for url in strange.pages:
        looked_at(phone, url)
        wide += [url] if phone.page.evaluate("document.documentElement.scrollWidth") > 320 else []
    assert not wide


def test_there_are_enough_hostile_texts() -> None:
    assert len(NAMES) >= 120 and len(set(ALL)) > len(NAMES)
