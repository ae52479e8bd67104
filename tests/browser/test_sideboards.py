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
LOCALES = pytest.mark.parametrize(("device", "locale"), [("small", "en-GB"), ("small", "el-GR")])


@LOCALES
@pytest.mark.smoke
def test_match_is_refereed(phones: Callable[..., Phone], device: str, locale: str) -> None:
    phone = phones(device, locale)
    phone.expected.add(400)  # an incomplete card
    mirror = Mirror(get_games()["sideboards"], 2, **GOALS)
    open_table(phone, NAMES, "referee")

    for word in LYDIA[:3]:
        place_card(phone, mirror, 0, word)
    _check_live_scores(phone)
    _reject_incomplete_card(phone)
    _swap_once(phone, mirror)
    place_card(phone, mirror, 1, HARRY[0])
    place_card(phone, mirror, 1, HARRY[1], End.LEFT)
    _undo(phone, mirror)
    place_card(phone, mirror, 1, HARRY[1], turn=True)
    for seat, word in [(0, word) for word in LYDIA[3:]] + [(1, word) for word in HARRY[2:5]]:
        place_card(phone, mirror, seat, word)
    _reject_ninth_card(phone)
    for word in HARRY[5:]:
        place_card(phone, mirror, 1, word)

    expect(phone.page.locator("table tfoot td")).to_have_text(list(map(str, mirror.points)))
    expect(phone.page.locator(".picture")).to_have_count(2)
    check_highlights(
        phone,
        phone.page.locator(".picture").first,
        "c",
        draw_sideboard(Options(**GOALS), parse_cards(LYDIA)).goals[0].number * 3,
    )
    phone.tap(phone.button("Confirm"))
    best = max(range(2), key=lambda seat: mirror.points[seat])
    expect(phone.page.locator("p.verdict")).to_contain_text(NAMES[best])
    assert phone.page.locator(".ranks .total").first.inner_text() == str(max(mirror.points))


def parse_cards(words: Sequence[str]) -> tuple[SideboardCard, ...]:
    return tuple(map(SideboardCard.read, words))


def open_table(phone: Phone, names: Sequence[str], mode: str) -> None:
    """Open a table through the form, with the goals drawn."""
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
    phone.press(f'label:has([name=way][value="{mode}"])')
    phone.press(phone.button("Open the table"))
    page.wait_for_url(re.compile(r"/tables/[\w-]{8,}/$"))


def enter_card(phone: Phone, word: str, inside: str = "#board") -> None:
    """Tap a card: four colours (the fifth follows from them) and the drawers of the three handles."""
    card = SideboardCard.read(word)
    maker = phone.page.locator(f"{inside} .maker")
    for colour in card.colours[:4]:
        phone.press(maker.locator(f"[data-colour={colour}]"))
    for handle in "fsb":
        phone.press(maker.locator(f"[data-slot='{card.handles.index(handle)}']"))


def place_card(phone: Phone, mirror: Mirror, seat: int, word: str, end: End = End.RIGHT, *, turn: bool = False) -> None:
    choose_seat(phone, seat)
    enter_card(phone, word)
    if turn:
        phone.press(phone.page.locator("[data-make=turn]"))
    phone.tap(f".bar .lay[value={end}]")
    card = SideboardCard.read(word)
    mirror.apply(PlaceCard(seat, card.turned if turn else card, end))
    if not mirror.is_over:
        expect(get_seat_chip(phone, seat)).to_contain_text(f"{len(mirror.state.sideboards[seat])}/8")
        assert read_colours(phone, seat) == ["".join(card.colours) for card in mirror.state.sideboards[seat]]


def get_seat_chip(phone: Phone, seat: int) -> Locator:
    return phone.page.locator(f'label.pick:has([name=seat][value="{seat}"])')


def choose_seat(phone: Phone, seat: int) -> None:
    phone.press(get_seat_chip(phone, seat))
    expect(phone.page.locator(f'[data-seat="{seat}"] .light').first).to_be_visible()


def read_colours(phone: Phone, seat: int) -> list[str]:
    """Return the colours of the cards on the page, card by card from the left."""
    get_colours = "drawers => drawers.map(drawer => drawer.classList[1])"
    shelves = phone.page.locator(f"[data-seat='{seat}'] .shelf").all()
    rows = [shelf.locator(".drawer:not(.room)").evaluate_all(get_colours) for shelf in shelves]
    return ["".join(column) for column in zip(*rows, strict=True)]


def check_highlights(phone: Phone, area: Locator, goal: str, count: int, goals: Locator | None = None) -> None:
    """Check that one tap on a goal highlights the drawers that count for it and dims the others."""
    phone.press((goals or area).locator(f'.light:has([value="{goal}"])'))
    expect(area.locator(f".drawer[data-{goal}]")).to_have_count(count)
    outline = "element => getComputedStyle(element).outlineStyle"
    assert area.locator(f".drawer[data-{goal}]").first.evaluate(outline) == "solid"
    dimmed = area.locator(f".drawer:not([data-{goal}]):not(.room)")
    assert float(dimmed.first.evaluate("element => getComputedStyle(element).opacity")) < 0.5
    phone.press((goals or area).locator(f'.light:has([value="{goal}"])'))


def _check_live_scores(phone: Phone) -> None:
    """Lydia after three cards: one colour pattern of three, three handle patterns of two, one row of three."""
    area = phone.page.locator("[data-seat='0']")
    assert area.locator(".light .num").all_inner_texts() == ["4", "9", "6"]
    expect(get_seat_chip(phone, 0).locator(".num")).to_have_text("19")
    for goal, count in (("c", 3), ("h", 6), ("r", 3)):
        check_highlights(phone, area, goal, count)


def _reject_incomplete_card(phone: Phone) -> None:
    phone.press("#board .maker [data-colour=P]")
    expect(phone.page.locator("#board .maker [data-colour=P]")).to_be_disabled()
    phone.tap(".bar .lay[value=right]")
    expect(phone.notice.locator(".slip")).to_be_visible()
    phone.press("#board .maker [data-make=back]")
    expect(phone.page.locator("#board .maker [data-colour=P]")).to_be_enabled()


def _swap_once(phone: Phone, mirror: Mirror) -> None:
    """The button is shown once, between the starting cards and the last one."""
    choose_seat(phone, 1)
    expect(phone.page.locator("[data-seat='1'] .swap")).to_have_count(0)
    choose_seat(phone, 0)
    phone.tap("[data-seat='0'] .swap")
    mirror.play("swap", seat=0)
    expect(phone.page.locator("[data-seat='0'] .swap")).to_have_count(0)
    expect(get_seat_chip(phone, 0).locator(".swap-card")).to_have_count(0)
    expect(get_seat_chip(phone, 1).locator(".swap-card")).to_have_count(1)


def _undo(phone: Phone, mirror: Mirror) -> None:
    state_before = mirror.state
    phone.tap(phone.page.locator(".bar [value=undo]"))
    mirror.state = mirror.game.referee.setup(mirror.match.options, 2, 0)
    for play in [PlaceCard(0, card) for card in parse_cards(LYDIA[:3])] + [PlaceCard(1, parse_cards(HARRY)[0])]:
        mirror.apply(play)
    mirror.play("swap", seat=0)
    assert mirror.state != state_before
    expect(get_seat_chip(phone, 1)).to_contain_text("1/8")


def _reject_ninth_card(phone: Phone) -> None:
    choose_seat(phone, 0)
    enter_card(phone, HARRY[0])
    phone.tap(".bar .lay[value=left]")
    title = load_rulebook(get_games()["sideboards"], phone.language).section("eight-cards").title
    rule = phone.notice.get_by_role("link", name=title)
    expect(rule).to_have_attribute("href", f"/{phone.language}/rules/sideboards/#eight-cards")
    expect(phone.notice.locator("[name=insist]")).to_have_count(0)
    expect(phone.page.locator("#board .maker .drawer[data-slot='0']")).to_have_class("drawer R f")
    for _tap in range(7):  # three handles and four colours; the fifth colour goes with the fourth
        phone.press("#board .maker [data-make=back]")
    expect(phone.page.locator("#board .maker .drawer[data-slot='0']")).to_have_class("drawer room")


@LOCALES
def test_sideboards_are_entered_on_the_pad(phones: Callable[..., Phone], device: str, locale: str) -> None:
    """One player enters eight cards, which the app scores; the other enters numbers."""
    phone = phones(device, locale)
    open_table(phone, NAMES, "pad")
    layout = phone.page.locator("#count-0 .layout")
    phone.press(layout.locator("summary"))
    _check_keypad_hides_for_cards(phone)
    for word in LYDIA[1:]:
        enter_card(phone, word, "#count-0")
        phone.press(layout.locator("[data-add=right]"))
    enter_card(phone, str(SideboardCard.read(LYDIA[0]).turned), "#count-0")
    phone.press(layout.locator("[data-make=turn]"))
    phone.press(layout.locator("[data-add=left]"))
    assert read_cards(layout) == list(LYDIA)
    preview = phone.page.locator("#seen-0")
    expect(preview.locator(".light .num")).to_have_text(["12", "15", "10"])
    expect(preview.locator(".wood")).to_be_hidden()  # the only sideboard, whose own cards can be tapped
    check_highlights(phone, layout.locator("[data-laid]"), "h", 10, preview)

    phone.press(layout.locator("[data-column='7']"))  # removed, then placed again
    phone.press(layout.locator("[data-add=away]"))
    expect(preview.locator(".picture")).to_have_count(0)
    enter_card(phone, LYDIA[7], "#count-0")
    phone.press(layout.locator("[data-add=right]"))
    expect(preview.locator(".light .num")).to_have_text(["12", "15", "10"])
    phone.press("label:has([name='count.0.unused'])")
    phone.tap("form#board .save")
    expect(phone.page.locator("#count-0 .picture")).to_be_visible()

    phone.press("[name='count.1.colours']")
    phone.type_numbers([2, 4, 9])
    expect(phone.page.locator("#preview .off")).to_be_visible()
    phone.press("[name='count.1.rows']")
    phone.type_numbers([6])
    expect(phone.page.locator("#sum-1")).to_contain_text("36")
    phone.tap(".side .go")
    assert phone.page.locator(".ranks .total").all_inner_texts() == ["38", "36"]


def read_cards(layout: Locator) -> list[str]:
    cards: list[str] = layout.locator(".words input").evaluate_all(
        "boxes => boxes.map(box => box.value).filter(Boolean)"
    )
    return cards


@pytest.fixture
def layout(phones: Callable[..., Phone], household: Household) -> tuple[Phone, Locator]:
    """A pad with two cards of the first player placed, and the first colour of a third one tapped."""
    table = household.create_table("sideboards")
    phone = phones("small", token=household.token)
    phone.page.goto(f"/tables/{table.public_id}/?way=pad")
    area = phone.page.locator("#count-0 .layout")
    phone.press(area.locator("summary"))
    for word in LYDIA[:2]:
        enter_card(phone, word, "#count-0")
        phone.press(area.locator("[data-add=right]"))
    phone.press(area.locator("[data-colour=P]"))
    return phone, area


def test_placed_card_can_be_edited_in_place(layout: tuple[Phone, Locator]) -> None:
    phone, area = layout
    first, second = (area.locator(f"[data-column='{place}']") for place in (0, 1))
    turned = str(SideboardCard.read(LYDIA[0]).turned)
    phone.press(first)
    expect(first).to_have_attribute("aria-pressed", "true")
    expect(area.locator("[data-add=left]")).to_be_hidden()
    phone.press(area.locator("[data-make=turn]"))
    assert read_cards(area) == [turned, LYDIA[1]]
    phone.press(second)  # the first card is put back as edited
    expect(first).to_have_attribute("aria-pressed", "false")
    phone.press(area.locator("[data-make=back]"))
    phone.press(area.locator("[data-add=back]"))  # the second card is incomplete: its prompt is highlighted
    expect(area.locator(".ask")).to_have_class(re.compile("look"))
    expect(second).to_have_attribute("aria-pressed", "true")
    phone.press(first)  # so the second card is put back unchanged
    assert read_cards(area) == [turned, LYDIA[1]]
    phone.press(area.locator("[data-add=back]"))
    expect(area.locator("[aria-pressed=true][data-column]")).to_have_count(0)
    expect(area.locator("[data-slot='0']")).to_have_class("drawer P")  # the new card is still there
    phone.press(first)
    phone.press(area.locator("[data-add=away]"))
    assert read_cards(area) == [LYDIA[1]]
    expect(area.locator("[data-slot='0']")).to_have_class("drawer P")


def test_buttons_are_disabled_for_an_incomplete_card(layout: tuple[Phone, Locator]) -> None:
    phone, area = layout
    expect(area.locator("[data-make=turn]")).to_be_disabled()
    phone.press(area.locator("[data-add=left]"))
    assert read_cards(area) == list(LYDIA[:2])
    expect(area.locator(".ask")).to_have_class(re.compile("look"))
    phone.press(area.locator("[data-colour=R]"))
    expect(area.locator(".ask")).not_to_have_class(re.compile("look"))


def test_unsaved_cards_are_not_shown_as_saved(layout: tuple[Phone, Locator]) -> None:
    phone, area = layout
    expect(phone.page.locator(".where .saved")).to_have_css("visibility", "hidden")
    phone.page.evaluate("scrollTo(0, 0)")
    area.locator("[data-column='0']").dispatch_event("click")
    bar = phone.page.locator(".thumb").evaluate("bar => bar.getBoundingClientRect().top")
    assert area.locator("[data-add=back]").evaluate("button => button.getBoundingClientRect().bottom") <= bar


def test_restored_card_notation_is_drawn(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("sideboards")
    phone = phones("small", token=household.token)
    phone.page.goto(f"/tables/{table.public_id}/?way=pad")
    area = phone.page.locator("#count-0 .layout")
    area.locator(".words input").first.evaluate(
        "(box, word) => { box.value = word; box.dispatchEvent(new Event('input', { bubbles: true })); }", LYDIA[0]
    )
    expect(area).to_have_attribute("open", "")
    expect(area.locator("[data-column]")).to_have_count(1)
    expect(area.locator("[data-column='0']")).to_have_accessible_name(re.compile(r"^orange, pink \(bar\), black"))


def _check_keypad_hides_for_cards(phone: Phone) -> None:
    """The keypad makes room for the cards until a number box is tapped."""
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
    phone.press('label:has([name="option.colour_goal"][value="5"])')  # another goal card clears the pattern
    expect(page.locator("[name='option.colour_pattern']:checked")).to_have_count(0)
    row_type_options = "[name='option.row_of'] option:not([disabled])"
    for goal, offered in (("19", 6), ("24", 4)):
        page.select_option("[name='option.row_goal']", goal)
        expect(page.locator(row_type_options)).to_have_count(offered)
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
        enter_card(phone, word, "#count-0")
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
    cards = ["RfTPsOBb", "RfRPsOBb", "RfTPs"]
    if phone.language == "el":  # the letters that the Greek page shows
        cards = [card.translate(str.maketrans("RTPOBfsb", "ΚΤΡΠΜλτμ")) for card in cards]
    for card in cards:
        page.locator("#card").fill(card)
        phone.press(".bar .lay[value=left]")
        if card == cards[0]:
            expect(page.locator(".shelf .drawer:not(.room)")).to_have_count(5)
        else:
            expect(page.locator("#notice .slip")).to_be_visible()
    title = load_rulebook(get_games()["sideboards"], phone.language).section("composition").title
    page.locator("#card").fill(cards[1])
    phone.press(".bar .lay[value=left]")
    expect(page.locator("#notice").get_by_role("link", name=title)).to_be_visible()


def test_goals_used_here_are_valid() -> None:
    fields = {
        name: ",".join(map(str, value)) if isinstance(value, tuple) else str(value) for name, value in GOALS.items()
    }
    assert decode(Options, fields) == Options(**GOALS)


# Goals drawn at the table


def draw_goal(phone: Phone, kind: str) -> None:
    """Draw a goal: tap its number and its pattern, and save it."""
    goal = phone.page.locator(f"#goal-{kind[0]}")
    if not goal.evaluate("goal => goal.open"):
        phone.press(goal.locator("> summary"))
    phone.press(goal.locator(f'label:has([value="{GOALS[f"{kind}_goal"]}"])'))
    for cell in GOALS[f"{kind}_pattern"]:  # type: ignore[attr-defined]
        phone.press(goal.locator(f'.cells [value="{cell}"]'))
    phone.tap(goal.locator("button.go"))
    expect(goal.locator("> summary .pattern i")).to_have_count(len(GOALS[f"{kind}_pattern"]))  # type: ignore[arg-type]


@LOCALES
def test_goals_are_drawn_after_the_cards_are_placed(
    phones: Callable[..., Phone], household: Household, device: str, locale: str
) -> None:
    lines = [f"1 place seat={seat} card={card}" for seat, cards in enumerate((LYDIA, HARRY)) for card in cards]
    table = household.create_table("sideboards", *lines, "1 row-goal row_goal=19", names=NAMES)
    phone = phones(device, locale, token=household.token)
    phone.page.goto(f"/tables/{table.public_id}/")
    cells = phone.page.locator("table tfoot td")
    expect(cells).to_have_text(["?", "?"])
    expect(phone.button("Confirm")).to_have_count(0)
    expect(phone.page.locator(".ranks")).to_have_count(0)

    phone.press(phone.page.locator(".picture a.light").first)
    draw_goal(phone, "colour")
    expect(cells).to_have_text(["?", "?"])
    draw_goal(phone, "handle")
    mirror = Mirror(get_games()["sideboards"], 2, **GOALS)
    for seat, cards in enumerate((LYDIA, HARRY)):
        for card in cards:
            mirror.apply(PlaceCard(seat, SideboardCard.read(card)))
    expect(cells).to_have_text(list(map(str, mirror.points)))
    phone.tap(phone.button("Confirm"))
    expect(phone.page.locator(".ranks .first")).to_have_count(1)


def test_drawing_survives_a_play_of_another_device(phones: Callable[..., Phone], household: Household) -> None:
    table = household.create_table("sideboards", names=NAMES)
    phone = phones("small", token=household.token)
    phone.page.goto(f"/tables/{table.public_id}/")
    phone.press(phone.page.locator('#goal-c .cells [value="31"]'))
    household.record_entry(table, f"1 place seat=1 card={HARRY[0]}")
    expect(phone.page.locator("#news button")).to_be_visible()
    for cell in (22, 13):
        phone.press(phone.page.locator(f'#goal-c .cells [value="{cell}"]'))
    phone.tap(phone.page.locator("#goal-c button.go"))
    expect(phone.page.locator("#goal-c > summary .pattern i")).to_have_count(3)
    assert household.get_entry_kinds(table) == ["place", "colour-goal"]
