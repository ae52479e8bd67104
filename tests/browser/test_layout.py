"""Layout of every page: widths, themes, languages, accessibility."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pytest
from axe_playwright_python.sync_playwright import Axe

from companion.history.models import Upload
from companion.people.models import Device
from companion.tables.models import Attendance, Table
from companion.tables.services.details import TableDetails, update_details
from companion.tables.services.guests import open_door
from companion.tables.services.tables import bin_table
from tests.browser.household import Household
from tests.browser.phone import Phone
from tests.exchange.upload_pages import pack_file
from tests.scale import LONG

WIDTHS = (320, 360, 1280, 390)
HEIGHT = 800
THEMES = ("light", "dark")
ENGLISH = re.compile(r"[A-Za-z]{3,}")
NOT_TRANSLATED = {
    "Sara",
    "Alexis",
    "Take",
    "That",
    "Game",
    "The",
    "Muzicando",
    "Sideboards",
    "Companion",
    "Android",
    "English",
    "Fire",
    "Andreas",
    "Spies",
    "Reinhard",
    "Staupe",
    "Steffen",
    "Benndorf",
    "NSV",
    "PDF",
    "API",
    "JSON",
    "CSV",
    "XML",
    "Stats",
    "BoardGameGeek",
    "Letter",
    "JavaScript",
    "https",
    "Caddy",
    "Caddyfile",
    "operating",
    "docs",
    "deploy",
    "md",
    "join",
    "bgsplay",
    "json",
    "txt",
    "UTC",
    "UTF",
    "null",
    "true",
    "false",
    "companion",
    "pad",
    "referee",
}
"""Names and technical terms that stay the same in every language."""

FIND_LAYOUT_PROBLEMS = """() => {
  const found = [];
  const add = (kind, element) => found.push(kind + ": " + element.outerHTML.replace(/\\s+/g, " ").slice(0, 110));
  const isSeen = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: false })
    && !element.closest(".sr, [hidden]");
  if (document.documentElement.scrollWidth > innerWidth) add("sideways", document.documentElement);
  const isCut = (element) => { // shortened on purpose, with an ellipsis
    for (let around = element.parentElement; around && around !== document.body; around = around.parentElement) {
      const isInside = around.getBoundingClientRect().right <= innerWidth + 1;
      if (isInside && getComputedStyle(around).textOverflow === "ellipsis") return true;
    }
    return false;
  };
  for (const element of document.querySelectorAll("main *, header *")) {
    const box = element.getBoundingClientRect();
    const isOutside = box.width > 1 && (box.right > innerWidth + 1 || box.left < -1);
    if (isOutside && isSeen(element) && !element.closest(".scroll-x, svg") && !isCut(element)) add("outside", element);
  }
  const isInText = (link) => getComputedStyle(link).display === "inline"
    && [...link.parentElement.childNodes].some((node) => node.nodeType === 3 && node.data.trim().length > 2);
  const controls = "a[href], button, input:not([type=hidden]), select, textarea, summary";
  for (const control of document.querySelectorAll(controls)) {
    const target = control.closest("label:has(input[type=radio], input[type=checkbox])") ?? control;
    if (!isSeen(control) || !isSeen(target)) continue;
    if (control.matches(".skip") || control.tabIndex < 0) continue;
    const { width, height } = target.getBoundingClientRect();
    const least = control.matches(".bin") ? 48 : 44;
    const isSmall = Math.min(width, height) < least - .5;
    const size = `${Math.round(width)}x${Math.round(height)}`;
    if (isSmall && !(control.matches("a") && isInText(control))) add(size, target);
  }
  for (const control of document.querySelectorAll("button, .btn, label.pick, label.row .face, summary")) {
    if (!isSeen(control)) continue;
    const box = control.getBoundingClientRect();
    const walker = document.createTreeWalker(control, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.parentElement.closest(".sr") || !node.data.trim()) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const { left, right, top, bottom } = range.getBoundingClientRect();
      const isWide = left < box.left - 1 || right > box.right + 1;
      if (isWide || top < box.top - 2 || bottom > box.bottom + 2) add("cut off", control);
    }
  }
  return [...new Set(found)];
}"""


@dataclass(frozen=True)
class PageCase:
    """A page to check: elements tapped first, expected status, and the form submitted to reach it."""

    name: str
    url: str
    taps: tuple[str, ...] = ()
    status: int = 200
    form: str = ""


def iter_pages(household: Household) -> Iterator[PageCase]:
    """Yield every page of the app, in each of its states."""
    yield PageCase("home without a table", "/")
    counts = (
        "1 count seat=0 face_up=12 face_down=17 toads=0",
        "1 count seat=1 face_up=10 face_down=4 toads=1",
        "1 count seat=2 face_up=14 face_down=3 toads=0",
    )
    plays = ("1 extend seat=1 card=34", "1 extend seat=2 card=41", "1 extend seat=0 card=55 ~ extend-within-ten")
    game = ("1 place seat=0 card=44 row=up-1", "1 place seat=0 card=90 row=down-1", "1 end-turn seat=0")
    final = household.create_table("take-that", *counts, *(line.replace("1", "2", 1) for line in counts), mode="pad")
    binned = household.create_table("take-that", mode="pad")
    bin_table(binned, by=None)
    stuck = household.create_table("the-game", *game, "1 place seat=1 card=45 row=up-1", "1 stuck seat=1")
    counted = household.create_table("the-game", "1 count left=7", mode="pad")
    pad = household.create_table(
        "take-that", *counts, *(line.replace("1", "2", 1) for line in counts[:2]), mode="pad", options={"rounds": "4"}
    )
    names = ("Sara", "Χριστόφορος-Κωνσταντίνος", "Alexis", "Μαρλέν")
    referee = household.create_table(
        "take-that", *plays[:2], "1 extend seat=3 card=55 ~ extend-within-ten", names=names
    )
    unsettled = household.create_table("take-that", *plays, "1 extend seat=1 card=45")
    household.record_entry(unsettled, "0 correct target=3 kind=extend seat=0 card=31")
    burning = household.create_table("the-game", *game, options={"on_fire": "yes"})
    fresh = household.create_table("the-game")
    drawing = household.create_table("the-game", *game[:2])
    losing = household.create_table(
        "the-game",
        *("1 place seat=0 card=33 row=up-1", "1 place seat=0 card=90 row=down-1", "1 end-turn seat=0"),
        *("1 place seat=1 card=80 row=down-1", "1 place seat=1 card=40 row=up-2"),
        options={"on_fire": "yes"},
    )
    closed = household.create_table("take-that", *counts, "0 close", mode="pad")
    for slug in ("take-that", "the-game"):
        yield PageCase(f"new table of {slug}", f"/tables/new/{slug}/", ("label:has(#seat-0)", "label:has(#seat-1)"))
        yield PageCase(f"calculator of {slug}", f"/calculate/{slug}/")
    yield PageCase(
        "calculator with counts",
        "/calculate/take-that/?seats=2&count.0.face_up=12&count.0.face_down=9&"
        "count.0.toads=12&count.1.face_up=14&count.1.face_down=3&count.1.toads=0",
    )
    yield PageCase(
        "calculator with a long error",
        "/calculate/take-that/?seats=3&count.0.face_up=11&count.0.face_down=1&count.0.toads=2",
    )
    yield PageCase("home", "/")
    yield PageCase("pad", _get_table_url(pad))
    yield PageCase("pad of The Game", _get_table_url(fresh) + "?way=pad", ("main summary >> nth=0",))
    yield PageCase("referee of Take That", _get_table_url(referee))
    yield PageCase("referee of The Game", _get_table_url(burning), ('label.row:has([value="up-2"])',))
    yield PageCase("referee of The Game before the first card", _get_table_url(fresh))
    yield PageCase("referee of The Game when the turn can end", _get_table_url(drawing))
    yield PageCase("referee of The Game when the fire wins", _get_table_url(losing))
    yield PageCase("a refusal", _get_table_url(unsettled), ("#card-98",))
    yield PageCase(
        "a question", _get_table_url(household.create_table("take-that", "1 extend seat=1 card=34")), ("#card-43",)
    )
    yield PageCase("entries that no longer apply", _get_table_url(unsettled))
    yield PageCase("tally", _get_table_url(stuck))
    yield PageCase("final sheet", _get_table_url(final))
    yield PageCase("final sheet of The Game", _get_table_url(counted))
    yield PageCase("a closed table", _get_table_url(closed))
    yield PageCase("sharing a result", _get_table_url(final) + "share/")
    yield PageCase("API keys", "/keys/")
    yield PageCase("log", _get_table_url(referee) + "log/")
    yield PageCase("correcting a count", _get_table_url(pad) + "entries/1/")
    yield PageCase("correcting a play", _get_table_url(referee) + "entries/2/")
    yield PageCase("history", "/history/")
    yield PageCase("bin", "/history/bin/")
    yield PageCase("settings", "/settings/")
    yield PageCase("this phone", "/settings/phone/", ("details summary",))
    yield from _iter_guest_pages(household, names)
    yield from _iter_history_pages(household, names)
    yield PageCase("offline", "/LANGUAGE/offline/")
    for slug in ("take-that", "the-game"):
        yield PageCase(f"blank sheets of {slug}", f"/LANGUAGE/rules/{slug}/paper/sheets/")
        yield PageCase(f"rules of {slug}", f"/LANGUAGE/rules/{slug}/", (".contents summary",))
    yield PageCase("search results in the rules", "/LANGUAGE/rules/?q=toad")
    yield PageCase("no search results", "/LANGUAGE/rules/?q=zzzzzz")
    yield PageCase("a position check", "/LANGUAGE/rules/take-that/could-i/?row=34,41&card=55")
    yield PageCase("an invalid position check", "/LANGUAGE/rules/take-that/could-i/?row=30", status=422)
    yield PageCase("help", _get_table_url(referee) + "help/")
    yield PageCase("printable score sheet of a table", _get_table_url(pad) + "paper/?log=yes")
    for kind in ("rulebook", "reference", "booklet"):
        yield PageCase(f"{kind} for paper", f"/LANGUAGE/rules/the-game/paper/{kind}/")
    yield PageCase("an error", "/tables/nothing-here/", status=404)


def _iter_guest_pages(household: Household, names: Sequence[str]) -> Iterator[PageCase]:
    """Yield the pages where several phones share a table or a circle."""
    table = household.create_table(
        "take-that", "1 count seat=3 face_up=12 face_down=17 toads=0", names=names, mode="pad"
    )
    open_door(table, role=Attendance.Role.SCORER, by=None)
    for number, role in enumerate((Attendance.Role.SCORER, Attendance.Role.VIEWER)):
        device = Device.objects.create(token_hash=f"{table.pk}-{number}", label="Το κινητό της Μαρλέν" * 2)
        Attendance.objects.create(table=table, device=device, role=role, seat=1 if number else None)
    yield PageCase("people at a table", _get_table_url(table) + "together/")
    yield PageCase("the big screen", _get_table_url(table) + "display/")
    Attendance.objects.create(table=table, device=household.device, role=Attendance.Role.CIRCLE, seat=0)
    yield PageCase("pad of one player", _get_table_url(table))
    Table.objects.filter(pk=table.pk).update(hides_counts=True)
    yield PageCase("counting for all with hidden counts", _get_table_url(table) + "?all=yes")
    yield PageCase("joining the circle", "/join/#" + "k" * 27)
    yield PageCase("the circle", "/circle/")
    yield PageCase("joining", "/join/")
    yield PageCase("a link to the circle", "/circle/", form="#invite")


def _iter_history_pages(household: Household, names: Sequence[str]) -> Iterator[PageCase]:
    """Yield the history pages, with enough matches for every chart."""
    results = ((12, 17, 0), (10, 4, 1), (14, 3, 0))
    for match in range(5):
        rows = [(n, seat, results[(seat + n * match) % 3]) for n in (1, 2) for seat in range(3)]
        counts = (f"{n} count seat={seat} face_up={up} face_down={down} toads={t}" for n, seat, (up, down, t) in rows)
        table = household.create_table("take-that", *counts, names=names[:3], mode="pad")
        household.create_table("the-game", f"1 count left={10 * match}", names=names, mode="pad")
    table.refresh_from_db()
    note, place = "Βροχή, και κανένα βατράχι ως το τέλος. " * 4, "Στης Χριστοφορίας-Κωνσταντίνας, Λευκάδα"
    update_details(table, TableDetails(note, place, table.began_at, 47), by=None)
    player = table.seats.get(number=1).player
    assert player
    yield PageCase("a table with its chart", _get_table_url(table))
    yield PageCase("when and where", _get_table_url(table) + "details/")
    yield PageCase("filtered history", "/history/?game=take-that&q=χριστοφορια", ("main details summary",))
    yield PageCase("players", "/players/")
    yield PageCase("a player", f"/players/{player.pk}/", (".facts summary", ".chart summary"))
    yield PageCase("changing a player", f"/players/{player.pk}/change/")
    yield PageCase("erasing a player", f"/players/{player.pk}/change/", form="form:has(h2):last-of-type")
    yield PageCase("statistics", "/statistics/", (".chart summary",))
    yield PageCase("statistics of a game", "/statistics/take-that/", (".chart summary",))
    yield PageCase("statistics of a cooperative game", "/statistics/the-game/", (".chart summary",))
    yield PageCase("sharing a table", _get_table_url(table) + "share/")
    yield PageCase("a code for another phone", _get_table_url(table) + "share/", form="#play form")
    yield PageCase("exporting part of the history", "/history/export/?game=take-that")
    yield PageCase("file formats", "/LANGUAGE/formats/")
    yield PageCase("importing a file", "/history/import/")
    yield PageCase(
        "matching players of a file", f"/history/import/{_create_upload(household, names)}/", ("main details summary",)
    )
    yield PageCase("after an import", "/history/?new=1&known=2&left=3")


def _create_upload(household: Household, names: Sequence[str]) -> int:
    """Create an upload with known, possibly known and new players, and a play with too many players."""
    people = [*names, "Sara K", *(f"Ζ{n}" for n in range(13))]
    scores = [[{"playerRefId": n, "score": str(n)} for n in range(first, first + 6)] for first in (0, 6)]
    many = [{"playerRefId": n} for n in range(len(people))]
    plays = [
        {"uuid": f"play-{n}", "gameRefId": n, "playDate": "2026-11-01 20:00:00", "playerScores": entries}
        for n, entries in enumerate((*scores, many))
    ]
    games = [{"id": n, "name": name} for n, name in enumerate(("Take That", "Ταξίδι στη Λευκάδα", "Ω"))]
    players = [{"id": n, "uuid": f"own-{n}", "name": name} for n, name in enumerate(people)]
    content = pack_file({"players": players, "games": games, "plays": plays})
    return Upload.objects.create(circle=household.device.circle, name="παιχνίδια", content=content).pk


def _get_table_url(table: Table) -> str:
    return f"/tables/{table.public_id}/"


def check_largest_text(phone: Phone) -> list[str]:
    """Return what does not fit at the smallest width with the largest text."""
    phone.page.set_viewport_size({"width": WIDTHS[0], "height": HEIGHT})
    phone.page.evaluate("document.documentElement.dataset.text = 'very-large'")
    problems: list[str] = phone.page.evaluate(FIND_LAYOUT_PROBLEMS)
    phone.page.evaluate("delete document.documentElement.dataset.text")
    return problems


def get_marked_words(phone: Phone) -> set[str]:
    """Return the words marked as English, such as glossary terms, or as not to be translated."""
    marked = phone.page.locator("main [lang=en], main [translate=no], main .request")
    return set(ENGLISH.findall(" ".join(marked.all_inner_texts())))


def _visit_pages(phone: Phone, household: Household) -> Iterator[PageCase]:
    phone.expected |= {404, 422}
    for case in iter_pages(household):
        response = phone.page.goto(case.url.replace("LANGUAGE", phone.language))
        assert response and response.status == case.status, case
        for tap in case.taps:
            if tap.startswith("#card"):
                phone.tap(tap)
            else:
                phone.page.locator(tap).first.click()
        if case.form:
            with phone.page.expect_navigation():
                phone.page.locator(f"{case.form} button").click()
        yield case


def find_layout_problems(phone: Phone, widths: Sequence[int], theme: str) -> Iterator[str]:
    """Yield what does not fit on the open page, which is left at the last width.

    The other theme is checked at 360 only: themes change colours, hardly ever sizes.
    """
    for width in widths:
        phone.page.set_viewport_size({"width": width, "height": HEIGHT})
        for scheme in [other for other in THEMES if other != theme and width == 360] + [theme]:
            phone.page.emulate_media(color_scheme=scheme)
            yield from (f"{width}, {scheme}: {problem}" for problem in phone.page.evaluate(FIND_LAYOUT_PROBLEMS))
    if phone.language == "el":
        yield from (f"largest text: {problem}" for problem in check_largest_text(phone))
        phone.page.set_viewport_size({"width": widths[-1], "height": HEIGHT})


def find_accessibility_problems(phone: Phone) -> Iterator[str]:
    """Yield the accessibility violations on the open page."""
    results = Axe().run(phone.page, options={"resultTypes": ["violations"]})
    for violation in results.response["violations"]:
        targets = [node["target"] for node in violation["nodes"]][:4]
        yield f"{violation['id']}: {violation['help']}: {targets}"


def find_untranslated_words(phone: Phone) -> set[str]:
    """Return English words on a Greek page."""
    if phone.language != "el":
        return set()
    return set(ENGLISH.findall(phone.page.locator("body").inner_text())) - get_marked_words(phone)


@pytest.mark.parametrize(("locale", "theme"), [("en-GB", "light"), ("el-GR", "dark")])
def test_pages_fit_every_width_and_are_accessible(
    phones: Callable[..., Phone], household: Household, locale: str, theme: str
) -> None:
    """Check the narrowest width in both languages.

    Outside the long run, pages alternate: one is checked at desktop width in one language and at phone width in the
    other, and for accessibility in one of them.
    """
    phone = phones("desk", locale, token=household.token, color_scheme=theme, reduced_motion="reduce")
    is_greek = phone.language == "el"
    problems = []
    phone.page.set_viewport_size({"width": 390, "height": HEIGHT})
    for number, case in enumerate(_visit_pages(phone, household)):
        is_full_check = number % 2 == is_greek
        widths = [width for width in WIDTHS if LONG or width != (360 if is_full_check else 1280)]
        problems += [f"{case.name}, {problem}" for problem in find_layout_problems(phone, widths, theme)]
        if LONG or is_full_check:
            problems += [f"{case.name}: {problem}" for problem in find_accessibility_problems(phone)]
        words = find_untranslated_words(phone) - NOT_TRANSLATED
        problems += [f"{case.name}: not Greek: {word}" for word in sorted(words)]
    assert not problems, "\n".join(problems)
