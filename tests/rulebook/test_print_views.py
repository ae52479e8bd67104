"""PDF prints of every game, on every paper size, in both languages."""

import pytest

from companion.core.languages import LANGUAGES
from companion.games import get_games
from companion.printing.pdf import PAPER_SIZES
from companion.rulebook.loader import load_rulebook
from companion.rulebook.print_views import PRINT_KINDS
from tests.paper import PdfInspector, extract_letters
from tests.rulebook.books import WITH_RULEBOOK, list_print_kinds
from tests.scale import LONG, choose_count
from tests.web.html import parse_html

MARGIN = 6.0
"""Margin that home printers cannot print on, in mm."""
LEAF_MARGIN = 3.0
"""Margin around each page of a booklet, in mm, as folds are not exact."""
MOST_SHEETS = {
    **{("rulebook", paper): 2 for paper in ("a4", "letter")},
    **{(kind, paper): 1 for kind in ("reference", "booklet") for paper in ("a4", "letter")},
    ("reference", "a5"): 1,
}
"""How many pages each print may take; any other at most four."""

CASES = [
    pytest.param(game, language, paper, kind.slug, id=f"{game.slug}-{kind.slug}-{language}-{paper}")
    for row, game in enumerate(WITH_RULEBOOK)
    for step, kind in enumerate(list_print_kinds(game))
    for column, paper in enumerate(kind.paper_sizes)
    if LONG or (row + step + column) % 2 == 0
    for language in (LANGUAGES if LONG else [list(LANGUAGES)[(row + column // 2 + 1) % len(LANGUAGES)]])
]
"""Half of all kinds and papers, in alternating languages; all of them in the long run."""
BLANK = [
    pytest.param(game, paper, id=f"{game.slug}-{paper}")
    for row, game in enumerate(WITH_RULEBOOK)
    for column, paper in enumerate(PAPER_SIZES)
    if LONG or row % len(PAPER_SIZES) == column
]
"""Each game on one paper size; on all of them in the long run."""


def render_print(client, game, language, paper, kind, **query):
    response = client.get(f"/{language}/rules/{game.slug}/paper/{kind}.pdf", {"paper": paper, **query})
    assert response.status_code == 200
    assert response["Content-Type"] == "application/pdf"
    return PdfInspector(response.content)


def assert_inside(sheet, size):
    """Check that nothing is printed in the margins."""
    width, height = size
    assert sheet.is_blank(0, 0, width, MARGIN)
    assert sheet.is_blank(0, height - MARGIN, width, height)
    assert sheet.is_blank(0, 0, MARGIN, height)
    assert sheet.is_blank(width - MARGIN, 0, width, height)


def assert_folds_stay_white(sheet, size):
    """Check that nothing is printed along the folds of a booklet, and only the line along the cut."""
    width, height = size[0] / 4, size[1] / 2
    for column in range(5):
        left, right = column * width - LEAF_MARGIN, column * width + LEAF_MARGIN
        assert sheet.is_blank(left, 0, right, height - 1), column
        assert sheet.is_blank(left, height + 1, right, 2 * height), column
    for row in range(3):
        assert sheet.is_blank(0, row * height - LEAF_MARGIN, size[0], row * height - 1), row
        assert sheet.is_blank(0, row * height + 1, size[0], row * height + LEAF_MARGIN), row


def assert_no_heading_is_left_alone(lines, titles):
    """Check that every heading is followed by a line of its section in the same column."""
    title_letters = {extract_letters(title) for title in titles}
    for heading in (line for line in lines if extract_letters(line.text) in title_letters):
        below = [line for line in lines if line.top > heading.top + 1 and abs(line.left - heading.left) < 12]
        assert any(line.top - heading.bottom < 12 for line in below), heading.text


def assert_folding_puts_the_pages_in_order(lines, size, section_count):
    """Check that the bottom row has pages 6 7 8 1 and the top row, upside down, 5 4 3 2, as folding requires.

    The cover is page 1, and each section a page; those after the last section have no number.
    """
    width, height = size[0] / 4, size[1] / 2
    positions = {}
    for line in lines:
        if line.text in {str(number) for number in range(2, 9)}:
            middle, is_bottom = (line.left + line.right) / 2, line.top > height
            is_page_number = min(line.top, 2 * height - line.bottom) < 8 and abs(middle % width - width / 2) < 3
            if is_page_number:
                positions[int(line.text)] = (int(middle / width), is_bottom)
    places = [(3, False), (2, False), (1, False), (0, False), (0, True), (1, True), (2, True)]
    assert positions == dict(enumerate(places[:section_count], start=2))


@pytest.mark.parametrize(("game", "language", "paper", "kind"), CASES[:: choose_count(1, 1, few=4)])
def test_prints_have_few_pages_and_all_contents(client, game, language, paper, kind):
    pdf = render_print(client, game, language, paper, kind)
    paper_size = PAPER_SIZES[paper]
    is_landscape = kind == "booklet"
    size = (paper_size.height, paper_size.width) if is_landscape else (paper_size.width, paper_size.height)
    assert all(sheet == pytest.approx(size, abs=0.2) for sheet in pdf.sheets)
    assert len(pdf.sheets) <= MOST_SHEETS.get((kind, paper), 4)
    assert pdf.fonts and all(pdf.fonts.values()), pdf.fonts
    assert pdf.is_black_and_white
    for ink in pdf.ink:
        assert_folds_stay_white(ink, size) if kind == "booklet" else assert_inside(ink, size)
    book = PRINT_KINDS[kind].book
    if not book:
        return
    titles = [section.title for section in load_rulebook(game, language, book).sections]
    text = extract_letters(pdf.text)
    if kind == "booklet":  # half of it is upside down: its words are extracted whole, but out of order
        assert all(extract_letters(title) in text for title in titles[4:])
        assert_folding_puts_the_pages_in_order(pdf.lines[0], size, len(titles))
    else:
        assert [title for title in titles if extract_letters(title) not in text] == []
        for lines in pdf.lines:
            assert_no_heading_is_left_alone(lines, titles)


@pytest.mark.parametrize(("game", "paper"), BLANK)
def test_large_blank_sheets_take_more_pages_not_smaller_type(client, game, paper):
    seats = game.about.seats[-1]
    pdf = render_print(client, game, "el", paper, "sheets", seats=seats, rounds=20)
    assert all(len(lines) > 8 for lines in pdf.lines[:-1]), "a sheet with nearly nothing on it"
    text = extract_letters(pdf.text)
    assert all(extract_letters(f"Παρτίδα {number}") in text for number in range(1, 21))
    for ink, size in zip(pdf.ink, pdf.sheets, strict=True):
        assert_inside(ink, size)
    assert min(line.bottom - line.top for sheet in pdf.lines for line in sheet) > 8 * 25.4 / 72


@pytest.mark.parametrize(("seats", "rounds"), [("99", "0"), ("x", "-3"), ("", "9999999999"), ("3", "21")])
def test_blank_sheets_clamp_players_and_rounds(client, seats, rounds):
    page = client.get("/en/rules/take-that/paper/sheets/", {"seats": seats, "rounds": rounds})
    assert page.status_code == 200
    assert len(parse_html(page.content.decode()).one("thead").all("td")) in (3, 4)


@pytest.mark.parametrize(
    ("accepted", "paper"),
    [
        ("el-GR,el;q=0.9", "a4"),
        ("en-GB", "a4"),
        ("en-US,en;q=0.9", "letter"),
        ("en-CA", "letter"),
        ("en", "a4"),
        ("", "a4"),
    ],
)
def test_prints_use_the_paper_of_the_region(client, accepted, paper):
    page = parse_html(
        client.get("/en/rules/take-that/paper/rulebook/", headers={"accept-language": accepted}).content.decode()
    )
    assert page.one("main").attrs["class"] == f"paper {paper}"
    changed = parse_html(
        client.get(
            "/en/rules/take-that/paper/rulebook/?paper=a5", headers={"accept-language": accepted}
        ).content.decode()
    )
    assert changed.one("main").attrs["class"] == "paper a5"


def test_booklets_need_large_enough_paper(client):
    page = parse_html(client.get("/en/rules/take-that/paper/?paper=a5").content.decode())
    assert "/en/rules/take-that/paper/booklet/?paper=a5" not in [link.attrs["href"] for link in page.all("a")]
    assert render_print(client, get_games()["take-that"], "en", "a5", "booklet").sheets[0] == pytest.approx(
        (297, 210), abs=0.2
    )


@pytest.mark.parametrize("kind", ["poster", "rulebook.pdf"])
def test_unknown_prints_are_not_found(client, kind):
    assert client.get(f"/en/rules/take-that/paper/{kind}/").status_code == 404


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", WITH_RULEBOOK, ids=lambda game: game.slug)
def test_the_print_page_lists_every_kind(client, game, language):
    page = parse_html(client.get(f"/{language}/rules/{game.slug}/paper/").content.decode())
    links = [link.attrs["href"].partition("?")[0] for link in page.one("main").all("a")]
    for kind in list_print_kinds(game):
        assert f"/{language}/rules/{game.slug}/paper/{kind.slug}/" in links
        assert f"/{language}/rules/{game.slug}/paper/{kind.slug}.pdf" in links
