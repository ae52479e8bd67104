"""Printed score sheets: finished or not, with many rounds, long names and the log."""

import pytest
from django.urls import reverse

from companion.games import get_games
from companion.printing import pdf
from companion.web.child_process import ChildProcess
from tests.paper import PdfInspector, extract_letters
from tests.web.html import parse_html
from tests.web.people import choose_people

pytestmark = pytest.mark.pages

LONG_NAME = "Ιφιγένεια-Αλεξάνδρα Παπαδοπούλου"


def print_table(person, table, **query):
    response = person.get(reverse("table-pdf", args=[table.public_id]), query)
    assert (response.status_code, response["Content-Type"]) == (200, "application/pdf")
    return PdfInspector(response.content)


def count_rounds(person, table, rounds):
    for number in range(1, rounds + 1):
        for seat, counts in enumerate(((12, 17, 0), (10, 4, 1), (14, 3, 0))):
            assert person.count(table, seat, *counts, round=number).status_code == 302


def assert_margins_are_blank(document):
    for ink, (width, height) in zip(document.ink, document.sheets, strict=True):
        for box in ((0, 0, width, 6), (0, height - 6, width, height), (0, 0, 6, height), (width - 6, 0, width, height)):
            assert ink.is_blank(*box)
    assert all(document.fonts.values())


def test_a_finished_match_is_printed_line_by_line_with_totals_and_places(alice):
    table = alice.open(names=("Sara", "Λίνος", "Alexis"))
    count_rounds(alice, table, 2)
    document = print_table(alice, table)
    assert len(document.sheets) == 1
    assert_margins_are_blank(document)
    text = document.text
    assert all(word in text for word in ("Sara", "Λίνος", "Alexis", "Round 1", "Round 2", "−17", "−10", "22", "Total"))


@pytest.mark.parametrize("paper", ["a4", "a5", "letter"])
def test_twenty_rounds_and_long_names_take_more_pages_and_not_smaller_type(alice, paper):
    table = alice.open(names=(LONG_NAME, LONG_NAME[:20], "Bo"), rounds="20")
    count_rounds(alice, table, 20)
    document = print_table(alice, table, paper=paper, log="yes")
    assert len(document.sheets) > 1
    assert all(len(lines) > 20 for lines in document.lines[:-1]), "a nearly empty page"
    assert_margins_are_blank(document)
    assert extract_letters(LONG_NAME) in extract_letters(document.text)
    assert extract_letters("Round 20") in extract_letters(document.text)
    assert min(line.bottom - line.top for sheet in document.lines for line in sheet) > 8 * 25.4 / 72


def test_an_unfinished_round_shows_what_has_been_counted(alice, table):
    alice.count(table, 0, 2, 3, 1)
    text = print_table(alice, table).text
    assert "not finished" in text
    assert "2 face up, 3 face down" in text


def test_a_table_without_an_entry_can_be_printed(alice, table):
    assert len(print_table(alice, table).sheets) == 1


def test_the_log_is_printed_where_it_is_wanted(alice, table):
    alice.count(table, 0, 2, 3, 1)
    assert "Log" in print_table(alice, table, log="yes").text
    assert "Log" not in print_table(alice, table).text


def test_eight_players_fit_on_the_smallest_paper(alice):
    names = tuple(f"Κωστής {n}" for n in range(8))
    table = alice.open("muzicando", names=names)
    document = print_table(alice, table, paper="a5")
    assert_margins_are_blank(document)
    assert document.text.count("Κωστής") == 8


@pytest.mark.parametrize("slug", get_games())
def test_the_page_and_the_pdf_say_the_same(alice, slug):
    table = alice.open(slug, names=choose_people(slug, 3))
    page = alice.page("table-paper", table.public_id)
    text = extract_letters(print_table(alice, table).text)
    assert all(extract_letters(cell.text) in text for cell in page.one("table").all("td", "th"))


def test_names_are_escaped_in_print(alice):
    table = alice.open(names=("<b>Ann</b>", "Bo & Co", "Cleo"))
    page = alice.page("table-paper", table.public_id)
    assert not page.one("table").all("b")
    assert "<b>Ann</b>" in page.one("table").text


def test_without_pango_the_page_says_what_to_install(alice, table, monkeypatch):
    def raise_unavailable():
        raise pdf.PdfUnavailable

    monkeypatch.setattr(pdf, "_load_weasyprint", raise_unavailable)
    monkeypatch.setattr(ChildProcess, "run", lambda _self, task, content: task(content))
    response = alice.get(reverse("table-pdf", args=[table.public_id]))
    assert response.status_code == 503
    assert "libpango" in parse_html(response.content.decode()).text
