"""Matches of Sideboards."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest
from playwright.sync_api import Locator, expect

from companion.core.schema import decode
from companion.games import get_games
from companion.games.sideboards.board import draw_sideboard
from companion.games.sideboards.deck import SideboardCard
from companion.games.sideboards.plays import End, Options, PlaceCard
from companion.rulebook.loader import load_rulebook
from tests.browser.household import Household
from tests.browser.mirror import Mirror
from tests.browser.phone import Phone

NAMES = ("Lydia", "Χάρης")
GOALS = {
    "colour_goal": 3,
    "colour_pattern": (31, 22, 13),
    "handle_goal": 10,
    "handle_pattern": (21, 12),
    "row_goal": 19,
}
LYDIA = ("OPbBsTRf", "OPsTBfRb", "PfTBObRs", "PfBOTbRs", "TObBfPsR", "RPfOsBbT", "RsTbBOfP", "TPsObRBf")
HARRY = ("RfTPsOBb", "RTfPsOBb", "OTfPsRBb", "RTPsOfBb", "BTPsRfOb", "PfTRsOBb", "RbTsPOBf", "TfRPsOBb")
TWO = pytest.mark.parametrize(("device", "locale"), [("small", "en-GB"), ("small", "el-GR")])


@TWO
@pytest.mark.smoke
def test_match_is_refereed(phones: Callable[..., Phone], device: str, locale: str) -> None:
    phone = phones(device, locale)
    phone.expected.add(400)  # what is no whole card is no entry
    mirror = Mirror(get_games()["sideboards"], 2, **GOALS)
    open_table(phone, NAMES, "referee")

    for word in LYDIA[:3]:
        lays(phone, mirror, 0, word)
    _shows_what_counts_so_far(phone)
    _asks_for_the_whole_card(phone)
    _swaps_once(phone, mirror)
    lays(phone, mirror, 1, HARRY[0])
    lays(phone, mirror, 1, HARRY[1], End.LEFT)
    _is_undone(phone, mirror)
    lays(phone, mirror, 1, HARRY[1], turn=True)
    for seat, word in [(0, word) for word in LYDIA[3:]] + [(1, word) for word in HARRY[2:5]]:
        lays(phone, mirror, seat, word)
    _refuses_a_ninth_card(phone)
    for word in HARRY[5:]:
        lays(phone, mirror, 1, word)

    expect(phone.page.locator("table tfoot td")).to_have_text(list(map(str, mirror.points)))
    expect(phone.page.locator(".picture")).to_have_count(2)
    lights(phone, phone.page.locator(".picture").first, "c", draw_sideboard(Options(**GOALS), cards(LYDIA)).colours * 3)
    phone.tap(phone.button("Confirm"))
    best = max(range(2), key=lambda seat: mirror.points[seat])
    expect(phone.page.locator("p.verdict")).to_contain_text(NAMES[best])
    assert phone.page.locator(".ranks .total").first.inner_text() == str(max(mirror.points))


def cards(words: Sequence[str]) -> tuple[SideboardCard, ...]:
    return tuple(map(SideboardCard.read, words))


def open_table(phone: Phone, names: Sequence[str], way: str) -> None:
    """Sets a table and draws its goals, as people do it."""
    page = phone.page
    page.goto("/")
    phone.press('article[data-game="sideboards"] a.go')
    for count, name in enumerate(names, start=1):
        page.locator("#new-name").fill(name)
        phone.press(phone.button("Add"))
        expect(page.locator("ol.line-up li")).to_have_count(count)
    for kind in ("colour", "handle"):
        phone.press(f"[data-goal={kind}] summary")
        phone.press(f'label:has([name="option.{kind}_goal"][value="{GOALS[f"{kind}_goal"]}"])')
        for cell in GOALS[f"{kind}_pattern"]:  # type: ignore[attr-defined]
            phone.press(f'[name="option.{kind}_pattern"][value="{cell}"]')
    page.select_option("[name='option.row_goal']", str(GOALS["row_goal"]))
    phone.press(f'label:has([name=way][value="{way}"])')
    phone.press(phone.button("Open the table"))
    page.wait_for_url(re.compile(r"/tables/[\w-]{8,}/$"))


def make(phone: Phone, word: str, inside: str = "#board") -> None:
    """Taps a card: four colours, for the fifth follows, and the drawers of the three handles."""
    card = SideboardCard.read(word)
    maker = phone.page.locator(f"{inside} .maker")
    for colour in card.colours[:4]:
        phone.press(maker.locator(f"[data-colour={colour}]"))
    for handle in "fsb":
        phone.press(maker.locator(f"[data-slot='{card.handles.index(handle)}']"))


def lays(phone: Phone, mirror: Mirror, seat: int, word: str, end: End = End.RIGHT, *, turn: bool = False) -> None:
    choose(phone, seat)
    make(phone, word)
    if turn:
        phone.press(phone.page.locator("[data-make=turn]"))
    phone.tap(f".bar .lay[value={end}]")
    card = SideboardCard.read(word)
    mirror.apply(PlaceCard(seat, card.turned if turn else card, end))
    if not mirror.is_over:
        expect(chip(phone, seat)).to_contain_text(f"{len(mirror.state.sideboards[seat])}/8")
        assert shown(phone, seat) == ["".join(own.colours) for own in mirror.state.sideboards[seat]]


def chip(phone: Phone, seat: int) -> Locator:
    return phone.page.locator(f'label.pick:has([name=seat][value="{seat}"])')


def choose(phone: Phone, seat: int) -> None:
    phone.press(chip(phone, seat))
    expect(phone.page.locator(f'[data-seat="{seat}"] .light').first).to_be_visible()


def shown(phone: Phone, seat: int) -> list[str]:
    """The colours of the cards that the page shows, card by card from the left."""
    line = "drawers => drawers.map(drawer => drawer.classList[1])"
    shelves = phone.page.locator(f"[data-seat='{seat}'] .shelf").all()
    lines = [shelf.locator(".drawer:not(.room)").evaluate_all(line) for shelf in shelves]
    return ["".join(column) for column in zip(*lines, strict=True)]


def lights(phone: Phone, place: Locator, goal: str, count: int, goals: Locator | None = None) -> None:
    """One tap on a goal marks the drawers that count for it, with the number of their instance."""
    phone.press((goals or place).locator(f'.light:has([value="{goal}"])'))
    expect(place.locator(f".drawer[data-{goal}]")).to_have_count(count)
    outline = "own => getComputedStyle(own).outlineStyle"
    assert place.locator(f".drawer[data-{goal}]").first.evaluate(outline) == "solid"
    dimmed = place.locator(f".drawer:not([data-{goal}]):not(.room)")
    assert float(dimmed.first.evaluate("own => getComputedStyle(own).opacity")) < 0.5
    phone.press((goals or place).locator(f'.light:has([value="{goal}"])'))


def _shows_what_counts_so_far(phone: Phone) -> None:
    """Lydia after three cards: a colour pattern of three, three handle patterns of two, a row of three."""
    place = phone.page.locator("[data-seat='0']")
    assert place.locator(".light .num").all_inner_texts() == ["4", "9", "6"]
    expect(chip(phone, 0).locator(".num")).to_have_text("19")
    for goal, count in (("c", 3), ("h", 6), ("r", 3)):
        lights(phone, place, goal, count)


def _asks_for_the_whole_card(phone: Phone) -> None:
    phone.press("#board .maker [data-colour=P]")
    expect(phone.page.locator("#board .maker [data-colour=P]")).to_be_disabled()
    phone.tap(".bar .lay[value=right]")
    expect(phone.notice.locator(".slip")).to_be_visible()
    phone.press("#board .maker [data-make=back]")
    expect(phone.page.locator("#board .maker [data-colour=P]")).to_be_enabled()


def _swaps_once(phone: Phone, mirror: Mirror) -> None:
    """The button is there between the start cards and the last one, and once."""
    choose(phone, 1)
    expect(phone.page.locator("[data-seat='1'] .swap")).to_have_count(0)
    choose(phone, 0)
    phone.tap("[data-seat='0'] .swap")
    mirror.play("swap", seat=0)
    expect(phone.page.locator("[data-seat='0'] .swap")).to_have_count(0)
    expect(chip(phone, 0).locator(".swap-card")).to_have_count(0)
    expect(chip(phone, 1).locator(".swap-card")).to_have_count(1)


def _is_undone(phone: Phone, mirror: Mirror) -> None:
    before = mirror.state
    phone.tap(phone.page.locator(".bar [value=undo]"))
    mirror.state = mirror.game.setup(mirror.match.options, 2, 0)
    for step in [PlaceCard(0, card) for card in cards(LYDIA[:3])] + [PlaceCard(1, cards(HARRY)[0])]:
        mirror.apply(step)
    mirror.play("swap", seat=0)
    assert mirror.state != before
    expect(chip(phone, 1)).to_contain_text("1/8")


def _refuses_a_ninth_card(phone: Phone) -> None:
    choose(phone, 0)
    make(phone, HARRY[0])
    phone.tap(".bar .lay[value=left]")
    title = load_rulebook(get_games()["sideboards"], phone.language).section("eight-cards").title
    rule = phone.notice.get_by_role("link", name=title)
    expect(rule).to_have_attribute("href", f"/{phone.language}/rules/sideboards/#eight-cards")
    expect(phone.notice.locator("[name=insist]")).to_have_count(0)
    expect(phone.page.locator("#board .maker .drawer[data-slot='0']")).to_have_class("drawer R f")
    for _tap in range(7):  # three handles, and four colours, the fifth with the fourth
        phone.press("#board .maker [data-make=back]")
    expect(phone.page.locator("#board .maker .drawer[data-slot='0']")).to_have_class("drawer room")


@TWO
def test_sideboards_are_entered_on_the_pad(phones: Callable[..., Phone], device: str, locale: str) -> None:
    """One player enters the eight cards, the other one the numbers; the app finds what counts."""
    phone = phones(device, locale)
    open_table(phone, NAMES, "pad")
    layout = phone.page.locator("#count-0 .layout")
    phone.press(layout.locator("summary"))
    _number_pad_gives_way(phone)
    for word in LYDIA[1:]:
        make(phone, word, "#count-0")
        phone.press(layout.locator("[data-add=right]"))
    make(phone, str(SideboardCard.read(LYDIA[0]).turned), "#count-0")
    phone.press(layout.locator("[data-make=turn]"))
    phone.press(layout.locator("[data-add=left]"))
    assert laid_words(layout) == list(LYDIA)
    seen = phone.page.locator("#seen-0")
    expect(seen.locator(".light .num")).to_have_text(["12", "15", "10"])
    expect(seen.locator(".wood")).to_be_hidden()  # one sideboard, whose cards can be tapped
    lights(phone, layout.locator("[data-laid]"), "h", 10, seen)

    phone.press(layout.locator("[data-column='7']"))  # taken away, and laid anew
    phone.press(layout.locator("[data-add=away]"))
    expect(seen.locator(".picture")).to_have_count(0)
    make(phone, LYDIA[7], "#count-0")
    phone.press(layout.locator("[data-add=right]"))
    expect(seen.locator(".light .num")).to_have_text(["12", "15", "10"])
    phone.press("label:has([name='count.0.unused'])")
    phone.tap("form#board .save")
    expect(phone.page.locator("#count-0 .picture")).to_be_visible()

    phone.press("[name='count.1.colours']")
    phone.keys([2, 4, 9])
    expect(phone.page.locator("#preview .off")).to_be_visible()
    phone.press("[name='count.1.rows']")
    phone.keys([6])
    expect(phone.page.locator("#sum-1")).to_contain_text("36")
    phone.tap(".side .go")
    assert phone.page.locator(".ranks .total").all_inner_texts() == ["38", "36"]


def laid_words(layout: Locator) -> list[str]:
    words: list[str] = layout.locator(".words input").evaluate_all(
        "boxes => boxes.map(box => box.value).filter(Boolean)"
    )
    return words


@pytest.fixture
def layout(phones: Callable[..., Phone], household: Household) -> tuple[Phone, Locator]:
    """Two cards of the first player lie, and a third one has its first colour."""
    table = household.table("sideboards")
    phone = phones("small", token=household.token)
    phone.page.goto(f"/tables/{table.public_id}/?way=pad")
    own = phone.page.locator("#count-0 .layout")
    phone.press(own.locator("summary"))
    for word in LYDIA[:2]:
        make(phone, word, "#count-0")
        phone.press(own.locator("[data-add=right]"))
    phone.press(own.locator("[data-colour=P]"))
    return phone, own


def test_placed_card_can_be_edited_in_place(layout: tuple[Phone, Locator]) -> None:
    phone, own = layout
    first, second = (own.locator(f"[data-column='{place}']") for place in (0, 1))
    turned = str(SideboardCard.read(LYDIA[0]).turned)
    phone.press(first)
    expect(first).to_have_attribute("aria-pressed", "true")
    expect(own.locator("[data-add=left]")).to_be_hidden()
    phone.press(own.locator("[data-make=turn]"))
    assert laid_words(own) == [turned, LYDIA[1]]
    phone.press(second)  # the first one lies again, as it was changed
    expect(first).to_have_attribute("aria-pressed", "false")
    phone.press(own.locator("[data-make=back]"))
    phone.press(own.locator("[data-add=back]"))  # the second one is not whole: its question is shown
    expect(own.locator(".ask")).to_have_class(re.compile("look"))
    expect(second).to_have_attribute("aria-pressed", "true")
    phone.press(first)  # so it lies again as it lay
    assert laid_words(own) == [turned, LYDIA[1]]
    phone.press(own.locator("[data-add=back]"))
    expect(own.locator("[aria-pressed=true][data-column]")).to_have_count(0)
    expect(own.locator("[data-slot='0']")).to_have_class("drawer P")  # the new card has waited
    phone.press(first)
    phone.press(own.locator("[data-add=away]"))
    assert laid_words(own) == [LYDIA[1]]
    expect(own.locator("[data-slot='0']")).to_have_class("drawer P")


def test_buttons_are_disabled_for_an_incomplete_card(layout: tuple[Phone, Locator]) -> None:
    phone, own = layout
    expect(own.locator("[data-make=turn]")).to_be_disabled()
    phone.press(own.locator("[data-add=left]"))
    assert laid_words(own) == list(LYDIA[:2])
    expect(own.locator(".ask")).to_have_class(re.compile("look"))
    phone.press(own.locator("[data-colour=R]"))
    expect(own.locator(".ask")).not_to_have_class(re.compile("look"))


def test_unsaved_cards_are_not_shown_as_saved(layout: tuple[Phone, Locator]) -> None:
    phone, own = layout
    expect(phone.page.locator(".where .saved")).to_have_css("visibility", "hidden")
    phone.page.evaluate("scrollTo(0, 0)")
    own.locator("[data-column='0']").dispatch_event("click")
    bar = phone.page.locator(".thumb").evaluate("bar => bar.getBoundingClientRect().top")
    assert own.locator("[data-add=back]").evaluate("own => own.getBoundingClientRect().bottom") <= bar


def test_returned_card_words_are_drawn(phones: Callable[..., Phone], household: Household) -> None:
    table = household.table("sideboards")
    phone = phones("small", token=household.token)
    phone.page.goto(f"/tables/{table.public_id}/?way=pad")
    own = phone.page.locator("#count-0 .layout")
    own.locator(".words input").first.evaluate(
        "(box, word) => { box.value = word; box.dispatchEvent(new Event('input', { bubbles: true })); }", LYDIA[0]
    )
    expect(own).to_have_attribute("open", "")
    expect(own.locator("[data-column]")).to_have_count(1)
    expect(own.locator("[data-column='0']")).to_have_accessible_name(re.compile(r"^orange, pink \(bar\), black"))


def _number_pad_gives_way(phone: Phone) -> None:
    """Cards need the place of the number pad, until somebody goes on with numbers."""
    pad = phone.page.locator(".keypad")
    expect(pad).to_be_hidden()
    phone.press("[name='count.1.colours']")
    expect(pad).to_be_visible()
    phone.press("#count-0 .maker [data-colour=R]")
    expect(pad).to_be_hidden()
    phone.press("#count-0 .maker [data-make=back]")


def test_drawn_goal_is_offered_again(phones: Callable[..., Phone]) -> None:
    phone = phones("Pixel 7")
    open_table(phone, NAMES[:1], "pad")
    page = phone.page
    page.goto("/tables/new/sideboards/")
    phone.press('label:has([name="option.colour_goal"][value="5"])')
    pattern = "[name='option.colour_pattern']:checked"
    expect(page.locator(pattern)).to_have_count(0)
    expect(page.locator("[data-goal=handle] details")).to_have_attribute("open", "")
    phone.press('label:has([name="option.colour_goal"][value="3"])')
    assert page.locator(pattern).evaluate_all("cells => cells.map(cell => cell.value)") == ["13", "22", "31"]
    phone.press('label:has([name="option.handle_goal"][value="9"])')
    phone.press(page.locator(".offers button").filter(has_text="10"))
    expect(page.locator("[name='option.handle_pattern']:checked")).to_have_count(2)
    expect(page.locator('[name="option.handle_goal"][value="10"]')).to_be_checked()


def test_pattern_is_collapsed_until_drawn(phones: Callable[..., Phone]) -> None:
    phone = phones("Pixel 7")
    page = phone.page
    page.goto("/tables/new/sideboards/")
    cells = page.locator("[name='option.colour_pattern']")
    expect(cells.first).to_be_hidden()
    phone.press("[data-goal=colour] summary")
    phone.press(cells.first)
    phone.press('label:has([name="option.colour_goal"][value="5"])')  # another card has another pattern
    expect(page.locator("[name='option.colour_pattern']:checked")).to_have_count(0)
    of = "[name='option.row_of'] option:not([disabled])"
    for goal, offered in (("19", 6), ("24", 4)):
        page.select_option("[name='option.row_goal']", goal)
        expect(page.locator(of)).to_have_count(offered)
    page.select_option("[name='option.row_of']", "bar")
    page.select_option("[name='option.row_goal']", "20")
    expect(page.locator("[name='option.row_of']")).to_have_value("usual")


def test_calculator_scores_a_tapped_sideboard(phones: Callable[..., Phone]) -> None:
    phone = phones("small")
    page = phone.page
    page.goto("/calculate/sideboards/?seats=1&option.row_goal=19")
    phone.press(page.locator("details:has(.goal-card) > summary"))
    for kind in ("colour", "handle"):
        phone.press(page.locator(f"[data-goal={kind}] summary"))
    for cell in GOALS["colour_pattern"]:  # type: ignore[attr-defined]
        phone.press(f'[name="option.colour_pattern"][value="{cell}"]')
    for cell in GOALS["handle_pattern"]:  # type: ignore[attr-defined]
        phone.press(f'[name="option.handle_pattern"][value="{cell}"]')
    phone.press(page.locator("#count-0 .layout summary"))
    for word in LYDIA:
        make(phone, word, "#count-0")
        phone.press(page.locator("#count-0 [data-add=right]"))
    expect(page.locator("#seen-0 .light .num")).to_have_text(["12", "15", "10"])
    phone.press("form#board .save")
    expect(page.locator("table tfoot td")).to_have_text(["39"])


@pytest.mark.parametrize("locale", ["en-GB", "el-GR"])
def test_card_is_typed_without_javascript(phones: Callable[..., Phone], locale: str) -> None:
    phone = phones("Pixel 7", locale, java_script_enabled=False)
    phone.expected.add(400)
    page = phone.page
    open_table(phone, NAMES, "referee")
    words = ["RfTPsOBb", "RfRPsOBb", "RfTPs"]
    if phone.language == "el":  # the letters as the page shows them
        words = [word.translate(str.maketrans("RTPOBfsb", "ΚΤΡΠΜλτμ")) for word in words]
    for word, cards_ in zip(words, (1, 1, 1), strict=True):
        page.locator("#card").fill(word)
        phone.press(".bar .lay[value=left]")
        if word == words[0]:
            expect(page.locator(".shelf .drawer:not(.room)")).to_have_count(5 * cards_)
        else:
            expect(page.locator("#notice .slip")).to_be_visible()
    title = load_rulebook(get_games()["sideboards"], phone.language).section("composition").title
    page.locator("#card").fill(words[1])
    phone.press(".bar .lay[value=left]")
    expect(page.locator("#notice").get_by_role("link", name=title)).to_be_visible()


def test_goals_of_this_file_exist() -> None:
    words = {
        name: ",".join(map(str, value)) if isinstance(value, tuple) else str(value) for name, value in GOALS.items()
    }
    assert decode(Options, words) == Options(**GOALS)


# Goals drawn at the table


def draws(phone: Phone, kind: str) -> None:
    """Taps the goal, its number and its pattern, and saves it."""
    goal = phone.page.locator(f"#goal-{kind[0]}")
    if not goal.evaluate("goal => goal.open"):
        phone.press(goal.locator("> summary"))
    phone.press(goal.locator(f'label:has([value="{GOALS[f"{kind}_goal"]}"])'))
    for cell in GOALS[f"{kind}_pattern"]:  # type: ignore[attr-defined]
        phone.press(goal.locator(f'.cells [value="{cell}"]'))
    phone.tap(goal.locator("button.go"))
    expect(goal.locator("> summary .pattern i")).to_have_count(len(GOALS[f"{kind}_pattern"]))  # type: ignore[arg-type]


@TWO
def test_goals_are_drawn_after_the_cards_are_placed(
    phones: Callable[..., Phone], household: Household, device: str, locale: str
) -> None:
    lines = [f"1 place seat={seat} card={word}" for seat, words in enumerate((LYDIA, HARRY)) for word in words]
    table = household.table("sideboards", *lines, "1 row-goal row_goal=19", names=NAMES)
    phone = phones(device, locale, token=household.token)
    phone.page.goto(f"/tables/{table.public_id}/")
    cells = phone.page.locator("table tfoot td")
    expect(cells).to_have_text(["?", "?"])
    expect(phone.button("Confirm")).to_have_count(0)
    expect(phone.page.locator(".ranks")).to_have_count(0)

    phone.press(phone.page.locator(".picture a.light").first)
    draws(phone, "colour")
    expect(cells).to_have_text(["?", "?"])
    draws(phone, "handle")
    mirror = Mirror(get_games()["sideboards"], 2, **GOALS)
    for seat, words in enumerate((LYDIA, HARRY)):
        for word in words:
            mirror.apply(PlaceCard(seat, SideboardCard.read(word)))
    expect(cells).to_have_text(list(map(str, mirror.points)))
    phone.tap(phone.button("Confirm"))
    expect(phone.page.locator(".ranks .first")).to_have_count(1)


def test_drawing_survives_a_play_of_another_device(phones: Callable[..., Phone], household: Household) -> None:
    table = household.table("sideboards", names=NAMES)
    phone = phones("small", token=household.token)
    phone.page.goto(f"/tables/{table.public_id}/")
    phone.press(phone.page.locator('#goal-c .cells [value="31"]'))
    household.enter(table, f"1 place seat=1 card={HARRY[0]}")
    expect(phone.page.locator("#news button")).to_be_visible()
    for cell in (22, 13):
        phone.press(phone.page.locator(f'#goal-c .cells [value="{cell}"]'))
    phone.tap(phone.page.locator("#goal-c button.go"))
    expect(phone.page.locator("#goal-c > summary .pattern i")).to_have_count(3)
    assert household.entries(table) == ["place", "colour-goal"]
