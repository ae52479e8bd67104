"""What is printed: the sizes of paper, and a page as a PDF. What stands on the paper is left to the apps."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from io import BytesIO
from mimetypes import guess_type
from pathlib import Path
from textwrap import wrap
from typing import Any
from urllib.parse import unquote, urlsplit

from django.conf import settings
from django.contrib.staticfiles import finders
from django.core.exceptions import SuspiciousFileOperation
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils._os import safe_join
from django.utils.translation.trans_real import parse_accept_lang_header

from companion.core.text import Text, _
from companion.ops.child_process import CHILD
from companion.web.concurrency import limit_concurrency

LETTER_COUNTRIES = frozenset(["us", "ca", "mx", "ph", "cl", "co", "ve", "pr"])
"""Countries whose printers hold Letter and not A4."""
WEASYPRINT_PACKAGES = "libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0"


_COLOUR = re.compile(rb"#([0-9a-fA-F]{6}|[0-9a-fA-F]{3})\b")


@dataclass(frozen=True)
class PaperSize:
    """A size of paper, in mm, upright."""

    word: str
    label: Text
    width: float
    height: float


PAPER_SIZES = {
    paper.word: paper
    for paper in (
        PaperSize("a4", _("A4"), 210, 297),
        PaperSize("a5", _("A5"), 148, 210),
        PaperSize("letter", _("Letter"), 215.9, 279.4),
    )
}


class PdfUnavailable(Exception):
    """This machine lacks the libraries that draw a PDF."""


def get_paper_size(request: HttpRequest) -> PaperSize:
    """The paper that is asked for, or the one that is usual where the phone's language is spoken."""
    asked = request.GET.get("paper", "")
    if asked in PAPER_SIZES:
        return PAPER_SIZES[asked]
    languages = [code for code, _quality in parse_accept_lang_header(request.headers.get("Accept-Language", ""))]
    regions = (code.partition("-")[2] for code in languages if "-" in code)
    return PAPER_SIZES["letter" if next(regions, "") in LETTER_COUNTRIES else "a4"]


def render_printable(
    request: HttpRequest,
    template: str,
    context: dict[str, Any],
    *,
    name: str,
    as_pdf: bool,
    is_for_everybody: bool = False,
) -> HttpResponse:
    """The page that the browser prints, or the same page as a PDF of that name; one for everybody is drawn once."""
    context = {"paper": get_paper_size(request), "papers": PAPER_SIZES.values(), "is_pdf": as_pdf, **context}
    if not as_pdf:
        return render(request, template, context)
    try:
        draw = _render_cached_pdf if is_for_everybody else _render_pdf_in_child
        content = draw(render_to_string(template, context, request))
    except PdfUnavailable:
        return render(request, "paper/no_pdf.html", {"packages": WEASYPRINT_PACKAGES}, status=503)
    response = HttpResponse(content, content_type="application/pdf")
    response["Content-Disposition"] = f'inline; filename="{name}.pdf"'
    return response


def render_pdf(html: str) -> bytes:
    """A page as a PDF, drawn in this process, with every font that it uses in it; nothing but our own static files is
    ever fetched.

    Raises NoPdf where Pango is missing.
    """
    weasyprint, fetcher = _load_weasyprint()
    document = weasyprint.HTML(string=html, base_url="static:///", url_fetcher=fetcher)
    content: bytes = document.write_pdf()
    return content


def render_pdf_task(html: bytes) -> bytes:
    """The same as a task of a child process: nothing where Pango is missing."""
    try:
        return render_pdf(html.decode())
    except PdfUnavailable:
        return b""


def _render_pdf_in_child(html: str) -> bytes:
    content = CHILD.run(render_pdf_task, html.encode())
    if not content:
        raise PdfUnavailable
    return content


def can_render_pdf() -> bool:
    """Whether this machine has what PDFs are made with."""
    try:
        _load_weasyprint()
    except PdfUnavailable:
        return False
    return True


@lru_cache(maxsize=60)  # outside: what is kept needs no turn
@limit_concurrency()
def _render_cached_pdf(html: str) -> bytes:
    return _render_pdf_in_child(html)


@cache
def _load_weasyprint() -> tuple[Any, Any]:
    try:
        import weasyprint
        from weasyprint.urls import URLFetcher, URLFetcherResponse
    except OSError as error:  # Pango is loaded when it is imported
        raise PdfUnavailable from error

    class StaticFetcher(URLFetcher):  # type: ignore[misc]
        """Opens our own static files by their addresses, and nothing else."""

        def fetch(self, url: str, headers: Any = None) -> Any:
            path = find_static_file(url)
            if path is None:
                raise ValueError("only static files are printed")
            content, kind = _load_printable_file(path, path.stat().st_mtime_ns)
            return URLFetcherResponse(url, content, headers={"Content-Type": kind})

    return weasyprint, StaticFetcher(allowed_protocols=("static",))


@lru_cache(maxsize=100)
def _load_printable_file(path: Path, _changed: int) -> tuple[bytes, str]:
    """A static file and its type as it is printed: drawings in greys, fonts unpacked, which takes longest of all."""
    content, kind = path.read_bytes(), guess_type(path.name)[0] or ""
    if path.suffix == ".svg":
        return _convert_to_greyscale(content), kind
    if path.suffix == ".woff2":
        return decompress_woff2(content), "font/ttf"
    return content, kind


def decompress_woff2(font: bytes) -> bytes:
    """A font as browsers are sent it, as all other programs read it."""
    from fontTools.ttLib.woff2 import decompress  # takes a while to load

    found = BytesIO()
    decompress(BytesIO(font), found)
    return found.getvalue()


def _convert_to_greyscale(drawing: bytes) -> bytes:
    """A drawing without its colours, as bright as they are."""
    return _COLOUR.sub(_convert_colour, drawing)


def _convert_colour(colour: re.Match[bytes]) -> bytes:
    digits = colour[1].decode()
    red, green, blue = (int(part, 16) * (17 if len(part) == 1 else 1) for part in wrap(digits, len(digits) // 3))
    return b"#%02x%02x%02x" % ((round(0.2126 * red + 0.7152 * green + 0.0722 * blue),) * 3)


def find_static_file(url: str) -> Path | None:
    """The file behind the address of a static file: collected, or where it is written; None for anything else."""
    path = unquote(urlsplit(url).path)
    if not path.startswith(settings.STATIC_URL):
        return None
    name = path.removeprefix(settings.STATIC_URL)
    try:
        found = Path(safe_join(settings.STATIC_ROOT, name))
        if not found.is_file():
            found = Path(finders.find(name) or settings.STATIC_ROOT)
    except SuspiciousFileOperation:
        return None
    return found if found.is_file() else None
