"""Layout of every game's pages during a random match."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from companion.core.entry import EntryKind
from companion.core.schema import encode
from companion.games import get_games
from companion.rulebook.glossary import load_doubts, load_glossary
from companion.tables.models import Table
from companion.tables.services import details
from tests.browser.household import Household
from tests.browser.phone import Phone
from tests.browser.test_layout import (
    HEIGHT,
    NOT_TRANSLATED,
    find_accessibility_problems,
    find_layout_problems,
    find_untranslated_words,
)
from tests.games.random_play import get_hook, random_logs, sample_cases
from tests.rulebook.books import WITH_RULEBOOK
from tests.scale import LONG
from tests.web.people import store_log

WIDTHS = (320, 1280, 360)
NAMES = ("Sara", "Λίνος", "Χριστόφορος-Κωνσταντίνος", "Μαρλέν", "Alexis", "Ίρις", "Οδυσσέας", "Ζωή", *"ΑΒΓΔ")


def iter_urls(household: Household, slug: str, language: str) -> Iterator[str]:
    """Yield the URLs of a game: its forms, its rules, and tables with random matches.

    One match is in progress and one is over; the long run takes both states of each match.
    """
    yield f"/tables/new/{slug}/"
    yield f"/calculate/{slug}/?seats={get_games()[slug].about.seats[-1]}"
    rules, game = f"/{language}/rules/{slug}/", get_games()[slug]
    yield from (rules, f"{rules}paper/") if game in WITH_RULEBOOK else ()
    yield from (f"{rules}words/",) if load_glossary(game) else ()
    yield from (f"{rules}doubts/",) if load_doubts(game) else ()
    yield from (f"{rules}could-i/?ask={kind}" for kind in get_games()[slug].help.questions)
    yield f"/prepare/{slug}/?seats={get_games()[slug].about.seats[-1]}&draw=seats"
    for number, case in enumerate(sample_cases(slug, 1)[1:]):
        chance = case.random("layout")
        logs = random_logs(case, chance, counted=0.3)
        moments = [chance.choice(logs), logs[-1]]
        for log in moments if LONG else moments[number % 2 :][:1]:
            names = NAMES[: case.seats]
            table = household.create_table(slug, names=names, options=encode(case.options), mode=_get_mode(case))
            store_log(table, log)
            yield from _iter_table_urls(table, log, chance)


def _get_mode(case) -> str:
    return "referee" if case.game.plays else "pad"


def _iter_table_urls(table: Table, log, chance) -> Iterator[str]:
    url = f"/tables/{table.public_id}/"
    yield url
    yield f"{url}?way=pad"
    yield f"{url}help/"
    entries = [entry.number for entry in log.entries if entry.kind != EntryKind.CONFIRM]
    if entries:
        yield f"{url}entries/{chance.choice(entries)}/"


FIND_FLATTENED = """() => [...document.querySelectorAll("main .picks > *")]
  .filter((control) => control.getBoundingClientRect().height < 44).map((control) => control.outerHTML)"""


@pytest.mark.parametrize("slug", get_games())
def test_shared_controls_are_visible_in_the_style_of_every_game(
    phones: Callable[..., Phone], household: Household, slug: str
) -> None:
    table = household.create_table(slug, names=NAMES[: get_games()[slug].about.seats[-1]])
    details.get_or_create_place(table.circle_id, "Λευκάδα")
    phone = phones("small", token=household.token)
    for page in ("details/", "together/"):
        phone.page.goto(f"/tables/{table.public_id}/{page}")
        expect(phone.page.locator("main .picks > *").first).to_be_visible()
        assert phone.page.evaluate(FIND_FLATTENED) == [], page


FIND_WRAPPED = """() => [...document.querySelectorAll("#people .picks bdi")]
  .filter((name) => name.getClientRects()[0].height > 40).map((name) => name.textContent)"""


@pytest.mark.parametrize("width", [320, 360, 390, 430])
def test_player_names_are_not_cut_off(phones: Callable[..., Phone], household: Household, width: int) -> None:
    names = ("Bo", "Freya", "Δημήτρης", "Χριστόφορος", "Άννα", "Hugo", "Mary Jane", "Ίρις")
    household.create_table("muzicando", names=names)
    household.create_table("take-that", names=("Χριστοφοροκωνσταντίνος-Οδυσσέας Παπαδ", "Ζωή"))
    phone = phones(token=household.token, viewport={"width": width, "height": 800})
    phone.page.goto("/tables/new/take-that/")
    expect(phone.page.locator("#people .picks bdi")).to_have_count(10)
    assert phone.page.evaluate(FIND_WRAPPED) == ["Χριστοφοροκωνσταντίνος-Οδυσσέας Παπαδ"]
    assert phone.page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize(("locale", "theme"), [("en-GB", "light"), ("el-GR", "dark")])
@pytest.mark.parametrize("slug", get_games())
def test_game_pages_fit_every_width_and_are_accessible(
    phones: Callable[..., Phone], household: Household, slug: str, locale: str, theme: str
) -> None:
    """Check every width in Greek, whose texts are longer, and the narrowest in English.

    Half of the pages are checked for accessibility in English with the light theme, the rest in Greek with the
    dark one.
    """
    phone = phones("desk", locale, token=household.token, color_scheme=theme, reduced_motion="reduce")
    is_greek = phone.language == "el"
    latin = NOT_TRANSLATED | set(get_hook(get_games()[slug], "LATIN", ()))
    problems = []
    phone.page.set_viewport_size({"width": 390, "height": HEIGHT})
    for number, url in enumerate(iter_urls(household, slug, phone.language)):
        response = phone.page.goto(url)
        assert response and response.status == 200, url
        problems += [
            f"{url}, {problem}" for problem in find_layout_problems(phone, WIDTHS if is_greek else WIDTHS[:1], theme)
        ]
        if number % 2 == is_greek:
            problems += [f"{url}: {problem}" for problem in find_accessibility_problems(phone)]
        problems += [
            f"{url}: not Greek, nor in `LATIN` of its tests: {word}"
            for word in sorted(find_untranslated_words(phone) - latin)
        ]
    assert not problems, "\n".join(problems)
