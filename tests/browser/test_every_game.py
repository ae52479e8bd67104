"""Every page of every game at moments of a random match: it fits every width, and every finger finds its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe

from companion.core.fields import encode
from companion.core.match import CONFIRM
from companion.games import games
from companion.tables.models import Table
from tests.browser.household import Household
from tests.browser.phone import Phone
from tests.browser.test_layout import CHECK, ENGLISH, HEIGHT, NOT_TRANSLATED, THEMES, said_in_english
from tests.games.drawing import known_of, random_logs, some_cases
from tests.web.people import stored

WIDTHS = (320, 360, 1280)
MOMENTS = 1
"""Of each match, beside its beginning and its end."""
NAMES = ("Sara", "Λίνος", "Χριστόφορος-Κωνσταντίνος", "Μαρλέν", "Alexis", "Ίρις", "Οδυσσέας", "Ζωή", *"ΑΒΓΔ")


def places(household: Household, slug: str, language: str) -> Iterator[str]:
    """The addresses of a game's pages: its forms, its rules, and tables in whatever state chance brings them to."""
    yield f"/tables/new/{slug}/"
    yield f"/calculate/{slug}/?seats={games()[slug].seats[-1]}"
    rules = f"/{language}/rules/{slug}/"
    yield from (rules, f"{rules}words/", f"{rules}doubts/", f"{rules}paper/")
    yield from (f"{rules}could-i/?ask={kind}" for kind in games()[slug].questions)
    yield f"/prepare/{slug}/?seats={games()[slug].seats[-1]}&draw=seats"
    for case in some_cases(slug, 1)[1:]:
        chance = case.random("layout")
        logs = random_logs(case, chance, counted=0.3)
        for log in [logs[0], *chance.sample(logs, min(MOMENTS, len(logs))), logs[-1]]:
            names = NAMES[: case.seats]
            table = household.table(slug, names=names, options=encode(case.options), way=_way(case))
            stored(table, log)
            yield from _pages(table, log, chance)


def _way(case) -> str:
    return "referee" if case.game.plays else "pad"


def _pages(table: Table, log, chance) -> Iterator[str]:
    url = f"/tables/{table.public_id}/"
    yield url
    yield f"{url}?way=pad"
    yield f"{url}help/"
    entries = [entry.number for entry in log.entries if entry.kind != CONFIRM]
    if entries:
        yield f"{url}entries/{chance.choice(entries)}/"


@pytest.mark.parametrize("locale", ["en-GB", "el-GR"])
@pytest.mark.parametrize("slug", games())
def test_every_page_of_a_game_fits_every_width(
    phones: Callable[..., Phone], household: Household, slug: str, locale: str
) -> None:
    """In Greek, which is the longer one; in English at the narrowest."""
    phone = phones("desk", locale, token=household.token, viewport={"width": 390, "height": HEIGHT})
    latin = NOT_TRANSLATED | set(getattr(known_of(games()[slug]), "LATIN", ()))
    problems = []
    for place in places(household, slug, phone.language):
        answer = phone.page.goto(place)
        assert answer and answer.status == 200, place
        for width in WIDTHS if phone.language == "el" else WIDTHS[:1]:
            phone.page.set_viewport_size({"width": width, "height": HEIGHT})
            for theme in THEMES if width == 360 else THEMES[:1]:
                phone.page.emulate_media(color_scheme=theme)
                problems += [f"{place}, {width}, {theme}: {what}" for what in phone.page.evaluate(CHECK)]
        if phone.language == "el":
            words = set(ENGLISH.findall(phone.page.locator("body").inner_text())) - said_in_english(phone)
            problems += [f"{place}: not Greek: {word}" for word in sorted(words - latin)]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize(("locale", "theme"), [("en-GB", "light"), ("el-GR", "dark")])
@pytest.mark.parametrize("slug", games())
def test_every_page_of_a_game_is_accessible(
    phones: Callable[..., Phone], household: Household, slug: str, locale: str, theme: str
) -> None:
    """One half of the pages by day and in English, the other by night and in Greek."""
    phone = phones("Pixel 7", locale, token=household.token, color_scheme=theme, reduced_motion="reduce")
    problems = set()
    for place in list(places(household, slug, phone.language))[locale == "el-GR" :: 2]:
        phone.page.goto(place)
        found = Axe().run(phone.page, options={"resultTypes": ["violations"]})
        for violation in found.response["violations"]:
            where = [node["target"] for node in violation["nodes"]][:4]
            problems.add(f"{place}: {violation['id']}: {violation['help']}: {where}")
    assert not problems, "\n".join(sorted(problems))
