"""Paper sizes and PDF rendering."""

import pytest
from django.test import RequestFactory

from companion.printing.pdf import PAPER_SIZES, find_static_file, get_paper_size, render_pdf
from tests.paper import PdfInspector


def get_paper_slug(accepted, **query):
    return get_paper_size(RequestFactory().get("/", query, headers={"accept-language": accepted})).slug


@pytest.mark.parametrize(
    ("accepted", "word"),
    [("en-US", "letter"), ("es-MX,en;q=0.5", "letter"), ("el-GR", "a4"), ("en", "a4"), ("", "a4"), ("x" * 5_000, "a4")],
)
def test_the_default_paper_depends_on_the_region(accepted, word):
    assert get_paper_slug(accepted) == word


@pytest.mark.parametrize("size", PAPER_SIZES)
def test_another_paper_size_can_be_requested(size):
    assert get_paper_slug("en-US", paper=size) == size


def test_an_unknown_paper_size_falls_back_to_the_default():
    assert get_paper_slug("en-US", paper="a0") == "letter"


@pytest.mark.parametrize("name", ["css/paper.css", "fonts/text-greek.woff2", "games/take-that/drawing.svg"])
def test_static_files_are_found(name):
    assert find_static_file(f"static:///static/{name}").name == name.rpartition("/")[2]


@pytest.mark.parametrize(
    "url",
    [
        "/etc/passwd",
        "/static/../companion/settings.py",
        "/static/%2e%2e/%2e%2e/etc/passwd",
        "/static//etc/passwd",
        "file:///etc/passwd",
        "/static/",
        "/static/nothing.css",
        "/rules/take-that/",
    ],
)
def test_only_static_files_are_found(url):
    assert find_static_file(url) is None


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/x.png", "file:///etc/passwd", "data:image/svg+xml,<svg/>"])
def test_other_resources_are_left_out_of_pdfs(url):
    pdf = PdfInspector(render_pdf(f'<p>Hello</p><img src="{url}">'))
    assert len(pdf.sheets) == 1
    assert "Hello" in pdf.text


def test_drawings_are_printed_in_greyscale():
    pdf = PdfInspector(render_pdf('<img src="/static/games/take-that/drawing.svg" width="200">'))
    assert not pdf.ink[0].is_blank(0, 0, *pdf.sheets[0])
    assert pdf.is_black_and_white
