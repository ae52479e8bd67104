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
from companion.tables.services.entries import bin_table
from companion.tables.services.guests import open_door
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
"""Names, which are the same in every language."""

CHECK = """() => {
  const found = [];
  const say = (what, element) => found.push(what + ": " + element.outerHTML.replace(/\\s+/g, " ").slice(0, 110));
  const isSeen = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: false })
    && !element.closest(".sr, [hidden]");
  if (document.documentElement.scrollWidth > innerWidth) say("sideways", document.documentElement);
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
    if (isOutside && isSeen(element) && !element.closest(".scroll-x, svg") && !isCut(element)) say("outside", element);
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
    if (isSmall && !(control.matches("a") && isInText(control))) say(size, target);
  }
  for (const control of document.querySelectorAll("button, .btn, label.pick, label.row .face, summary")) {
    if (!isSeen(control)) continue;
    const box = control.getBoundingClientRect();
    const walker = document.createTreeWalker(control, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.parentElement.closest(".sr") || !node.data.trim()) continue;
      const words = document.createRange();
      words.selectNodeContents(node);
      const { left, right, top, bottom } = words.getBoundingClientRect();
      const isWide = left < box.left - 1 || right > box.right + 1;
      if (isWide || top < box.top - 2 || bottom > box.bottom + 2) say("cut off", control);
    }
  }
  return [...new Set(found)];
}"""


@dataclass(frozen=True)
class Place:
    """A page to look at: its name, its address, what is tapped there first, and the form that is sent from there."""

    name: str
    url: str
    taps: tuple[str, ...] = ()
    status: int = 200
    form: str = ""


def places(household: Household) -> Iterator[Place]:
    """Every page of the app, in the states that it can be in."""
    yield Place("home without a table", "/")
    counts = (
        "1 count seat=0 face_up=12 face_down=17 toads=0",
        "1 count seat=1 face_up=10 face_down=4 toads=1",
        "1 count seat=2 face_up=14 face_down=3 toads=0",
    )
    plays = ("1 extend seat=1 card=34", "1 extend seat=2 card=41", "1 extend seat=0 card=55 ~ extend-within-ten")
    game = ("1 place seat=0 card=44 row=up-1", "1 place seat=0 card=90 row=down-1", "1 end-turn seat=0")
    final = household.table("take-that", *counts, *(line.replace("1", "2", 1) for line in counts), way="pad")
    binned = household.table("take-that", way="pad")
    bin_table(binned, by=None)
    stuck = household.table("the-game", *game, "1 place seat=1 card=45 row=up-1", "1 stuck seat=1")
    counted = household.table("the-game", "1 count left=7", way="pad")
    pad = household.table(
        "take-that", *counts, *(line.replace("1", "2", 1) for line in counts[:2]), way="pad", options={"rounds": "4"}
    )
    names = ("Sara", "Χριστόφορος-Κωνσταντίνος", "Alexis", "Μαρλέν")
    referee = household.table("take-that", *plays[:2], "1 extend seat=3 card=55 ~ extend-within-ten", names=names)
    unsettled = household.table("take-that", *plays, "1 extend seat=1 card=45")
    household.enter(unsettled, "0 correct target=3 kind=extend seat=0 card=31")
    burning = household.table("the-game", *game, options={"on_fire": "yes"})
    fresh = household.table("the-game")
    drawing = household.table("the-game", *game[:2])
    losing = household.table(
        "the-game",
        *("1 place seat=0 card=33 row=up-1", "1 place seat=0 card=90 row=down-1", "1 end-turn seat=0"),
        *("1 place seat=1 card=80 row=down-1", "1 place seat=1 card=40 row=up-2"),
        options={"on_fire": "yes"},
    )
    closed = household.table("take-that", *counts, "0 close", way="pad")
    for slug in ("take-that", "the-game"):
        yield Place(f"new table of {slug}", f"/tables/new/{slug}/", ("label:has(#seat-0)", "label:has(#seat-1)"))
        yield Place(f"calculator of {slug}", f"/calculate/{slug}/")
    yield Place(
        "calculator with counts",
        "/calculate/take-that/?seats=2&count.0.face_up=12&count.0.face_down=9&"
        "count.0.toads=12&count.1.face_up=14&count.1.face_down=3&count.1.toads=0",
    )
    yield Place(
        "calculator that objects at length",
        "/calculate/take-that/?seats=3&count.0.face_up=11&count.0.face_down=1&count.0.toads=2",
    )
    yield Place("home", "/")
    yield Place("pad", _url(pad))
    yield Place("pad of The Game", _url(fresh) + "?way=pad", ("main summary >> nth=0",))
    yield Place("referee of Take That", _url(referee))
    yield Place("referee of The Game", _url(burning), ('label.row:has([value="up-2"])',))
    yield Place("referee of The Game before the first card", _url(fresh))
    yield Place("referee of The Game when the turn can end", _url(drawing))
    yield Place("referee of The Game when the fire wins", _url(losing))
    yield Place("a refusal", _url(unsettled), ("#card-98",))
    yield Place("a question", _url(household.table("take-that", "1 extend seat=1 card=34")), ("#card-43",))
    yield Place("what no longer stands", _url(unsettled))
    yield Place("tally", _url(stuck))
    yield Place("final sheet", _url(final))
    yield Place("final sheet of The Game", _url(counted))
    yield Place("a closed table", _url(closed))
    yield Place("a result to show", _url(final) + "share/")
    yield Place("keys of programs", "/keys/")
    yield Place("log", _url(referee) + "log/")
    yield Place("correcting a count", _url(pad) + "entries/1/")
    yield Place("correcting a play", _url(referee) + "entries/2/")
    yield Place("history", "/history/")
    yield Place("bin", "/history/bin/")
    yield Place("settings", "/settings/")
    yield Place("this phone", "/settings/phone/", ("details summary",))
    yield from _together(household, names)
    yield from _remembered(household, names)
    yield Place("no network", "/LANGUAGE/offline/")
    for slug in ("take-that", "the-game"):
        yield Place(f"blank sheets of {slug}", f"/LANGUAGE/rules/{slug}/paper/sheets/")
        yield Place(f"rules of {slug}", f"/LANGUAGE/rules/{slug}/", (".contents summary",))
    yield Place("the rules that were found", "/LANGUAGE/rules/?q=toad")
    yield Place("nothing found", "/LANGUAGE/rules/?q=zzzzzz")
    yield Place("an answer", "/LANGUAGE/rules/take-that/could-i/?row=34,41&card=55")
    yield Place("no question", "/LANGUAGE/rules/take-that/could-i/?row=30", status=422)
    yield Place("what may be done", _url(referee) + "help/")
    yield Place("a sheet of a table for paper", _url(pad) + "paper/?log=yes")
    for kind in ("rulebook", "reference", "booklet"):
        yield Place(f"{kind} for paper", f"/LANGUAGE/rules/the-game/paper/{kind}/")
    yield Place("an error", "/tables/nothing-here/", status=404)


def _together(household: Household, names: Sequence[str]) -> Iterator[Place]:
    """The pages on which several phones meet."""
    table = household.table("take-that", "1 count seat=3 face_up=12 face_down=17 toads=0", names=names, way="pad")
    open_door(table, role=Attendance.Role.SCORER, by=None)
    for number, role in enumerate((Attendance.Role.SCORER, Attendance.Role.VIEWER)):
        device = Device.objects.create(token_hash=f"{table.pk}-{number}", label="Το κινητό της Μαρλέν" * 2)
        Attendance.objects.create(table=table, device=device, role=role, seat=1 if number else None)
    yield Place("everybody at a table", _url(table) + "together/")
    yield Place("the big screen", _url(table) + "display/")
    Attendance.objects.create(table=table, device=household.device, role=Attendance.Role.CIRCLE, seat=0)
    yield Place("one's own part of the pad", _url(table))
    Table.objects.filter(pk=table.pk).update(hides_counts=True)
    yield Place("counting for all beside a secret", _url(table) + "?all=yes")
    yield Place("joining for good", "/join/#" + "k" * 27)
    yield Place("the circle", "/circle/")
    yield Place("joining", "/join/")
    yield Place("a link to the circle", "/circle/", form="#invite")


def _remembered(household: Household, names: Sequence[str]) -> Iterator[Place]:
    """The pages of what was played: enough of it for every picture."""
    dealt = ((12, 17, 0), (10, 4, 1), (14, 3, 0))
    for left in range(5):
        said = [(n, seat, dealt[(seat + n * left) % 3]) for n in (1, 2) for seat in range(3)]
        counts = (f"{n} count seat={seat} face_up={up} face_down={down} toads={t}" for n, seat, (up, down, t) in said)
        table = household.table("take-that", *counts, names=names[:3], way="pad")
        household.table("the-game", f"1 count left={10 * left}", names=names, way="pad")
    table.refresh_from_db()
    note, place = "Βροχή, και κανένα βατράχι ως το τέλος. " * 4, "Στης Χριστοφορίας-Κωνσταντίνας, Λευκάδα"
    update_details(table, TableDetails(note, place, table.began_at, 47), by=None)
    player = table.seats.get(number=1).player
    assert player
    yield Place("a table with its course", _url(table))
    yield Place("when and where", _url(table) + "details/")
    yield Place("history narrowed down", "/history/?game=take-that&q=χριστοφορια", ("main details summary",))
    yield Place("players", "/players/")
    yield Place("a player", f"/players/{player.pk}/", (".facts summary", ".chart summary"))
    yield Place("changing a player", f"/players/{player.pk}/change/")
    yield Place("erasing a player", f"/players/{player.pk}/change/", form="form:has(h2):last-of-type")
    yield Place("statistics", "/statistics/", (".chart summary",))
    yield Place("statistics of a game", "/statistics/take-that/", (".chart summary",))
    yield Place("statistics of a game won together", "/statistics/the-game/", (".chart summary",))
    yield Place("sending a table", _url(table) + "share/")
    yield Place("a code for another phone", _url(table) + "share/", form="#play form")
    yield Place("sending some of the history", "/history/export/?game=take-that")
    yield Place("what stands in our own file", "/LANGUAGE/formats/")
    yield Place("taking in a file", "/history/import/")
    yield Place("who is who in a file", f"/history/import/{_sent(household, names)}/", ("main details summary",))
    yield Place("after taking in a file", "/history/?new=1&known=2&left=3")


def _sent(household: Household, names: Sequence[str]) -> int:
    """A file that waits: somebody who is known, somebody who may be, many who are new, and a play for too many."""
    people = [*names, "Sara K", *(f"Ζ{n}" for n in range(13))]
    scores = [[{"playerRefId": n, "score": str(n)} for n in range(first, first + 6)] for first in (0, 6)]
    many = [{"playerRefId": n} for n in range(len(people))]
    plays = [
        {"uuid": f"play-{n}", "gameRefId": n, "playDate": "2026-11-01 20:00:00", "playerScores": own}
        for n, own in enumerate((*scores, many))
    ]
    games = [{"id": n, "name": name} for n, name in enumerate(("Take That", "Ταξίδι στη Λευκάδα", "Ω"))]
    players = [{"id": n, "uuid": f"own-{n}", "name": name} for n, name in enumerate(people)]
    content = pack_file({"players": players, "games": games, "plays": plays})
    return Upload.objects.create(circle=household.device.circle, name="παιχνίδια", content=content).pk


def _url(table: Table) -> str:
    return f"/tables/{table.public_id}/"


def with_the_largest_text(phone: Phone) -> list[str]:
    """What goes wrong on the page where the width is the least and the text the largest."""
    phone.page.set_viewport_size({"width": WIDTHS[0], "height": HEIGHT})
    phone.page.evaluate("document.documentElement.dataset.text = 'very-large'")
    found: list[str] = phone.page.evaluate(CHECK)
    phone.page.evaluate("delete document.documentElement.dataset.text")
    return found


def said_in_english(phone: Phone) -> set[str]:
    """What is marked as English, such as the terms of a glossary, or as of no language."""
    marked = phone.page.locator("main [lang=en], main [translate=no], main .request")
    return set(ENGLISH.findall(" ".join(marked.all_inner_texts())))


def _visited(phone: Phone, household: Household) -> Iterator[Place]:
    phone.expected |= {404, 422}
    for place in places(household):
        answer = phone.page.goto(place.url.replace("LANGUAGE", phone.language))
        assert answer and answer.status == place.status, place
        for tap in place.taps:
            if tap.startswith("#card"):
                phone.tap(tap)
            else:
                phone.page.locator(tap).first.click()
        if place.form:
            with phone.page.expect_navigation():
                phone.page.locator(f"{place.form} button").click()
        yield place


def misfits(phone: Phone, widths: Sequence[int], theme: str) -> Iterator[str]:
    """What does not fit on the page that is open; it ends at the last of the widths. At 360 the other theme has its
    turn too: it changes colours, hardly ever sizes."""
    for width in widths:
        phone.page.set_viewport_size({"width": width, "height": HEIGHT})
        for shown in [own for own in THEMES if own != theme and width == 360] + [theme]:
            phone.page.emulate_media(color_scheme=shown)
            yield from (f"{width}, {shown}: {what}" for what in phone.page.evaluate(CHECK))
    if phone.language == "el":
        yield from (f"largest text: {what}" for what in with_the_largest_text(phone))
        phone.page.set_viewport_size({"width": widths[-1], "height": HEIGHT})


def barriers(phone: Phone) -> Iterator[str]:
    """What keeps people from using the page that is open."""
    found = Axe().run(phone.page, options={"resultTypes": ["violations"]})
    for violation in found.response["violations"]:
        where = [node["target"] for node in violation["nodes"]][:4]
        yield f"{violation['id']}: {violation['help']}: {where}"


def words_left_in_english(phone: Phone) -> set[str]:
    """On a page in Greek."""
    if phone.language != "el":
        return set()
    return set(ENGLISH.findall(phone.page.locator("body").inner_text())) - said_in_english(phone)


@pytest.mark.parametrize(("locale", "theme"), [("en-GB", "light"), ("el-GR", "dark")])
def test_pages_fit_every_width_and_are_accessible(
    phones: Callable[..., Phone], household: Household, locale: str, theme: str
) -> None:
    """At the narrowest in both languages; what else there is by turns, unless the run is long: a page is wide in Greek
    where it is a telephone in English, and who cannot see well finds their way about it in one of them."""
    phone = phones("desk", locale, token=household.token, color_scheme=theme, reduced_motion="reduce")
    is_greek = phone.language == "el"
    problems = []
    phone.page.set_viewport_size({"width": 390, "height": HEIGHT})
    for number, place in enumerate(_visited(phone, household)):
        is_turn = number % 2 == is_greek
        widths = [width for width in WIDTHS if LONG or width != (360 if is_turn else 1280)]
        problems += [f"{place.name}, {what}" for what in misfits(phone, widths, theme)]
        if LONG or is_turn:
            problems += [f"{place.name}: {what}" for what in barriers(phone)]
        words = words_left_in_english(phone) - NOT_TRANSLATED
        problems += [f"{place.name}: not Greek: {word}" for word in sorted(words)]
    assert not problems, "\n".join(problems)
