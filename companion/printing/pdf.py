"""Paper sizes and PDF rendering."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from io import BytesIO
from mimetypes import guess_type
from pathlib import Path
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
from PIL import ImageColor

from companion.core.text import Text, _
from companion.web.child_process import CHILD
from companion.web.concurrency import limit_concurrency

LETTER_COUNTRIES = frozenset(["us", "ca", "mx", "ph", "cl", "co", "ve", "pr"])
"""Countries that use Letter instead of A4."""
MAX_WIDE_COLUMNS = 5
"""Number of sides up to which the columns of a score sheet are wide."""
WEASYPRINT_PACKAGES = "libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0"


_COLOUR = re.compile(rb"#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{3})\b")


@dataclass(frozen=True)
class PaperSize:
    """A paper size in mm, in portrait orientation."""

    slug: str
    label: Text
    width: float
    height: float


PAPER_SIZES = {
    paper.slug: paper
    for paper in (
        PaperSize("a4", _("A4"), 210, 297),
        PaperSize("a5", _("A5"), 148, 210),
        PaperSize("letter", _("Letter"), 215.9, 279.4),
    )
}


class PdfUnavailable(Exception):
    """The libraries for rendering PDFs are not installed."""


def get_paper_size(request: HttpRequest) -> PaperSize:
    """Return the requested paper size, or the usual one in the region of the browser's language."""
    slug = request.GET.get("paper", "")
    if slug in PAPER_SIZES:
        return PAPER_SIZES[slug]
    languages = parse_accept_lang_header(request.headers.get("Accept-Language", ""))
    regions = (code.partition("-")[2] for code, _quality in languages if "-" in code)
    return PAPER_SIZES["letter" if next(regions, "") in LETTER_COUNTRIES else "a4"]


def render_printable(
    request: HttpRequest,
    template: str,
    page: object,
    *,
    name: str,
    as_pdf: bool,
    is_for_everybody: bool = False,
) -> HttpResponse:
    """Render a page for the browser to print, or as a PDF called `name`. PDFs for everybody are cached.

    The page has a `paper`, the `paper_sizes` to choose from, a `back_url`, a `pdf_url`, and a `query`: the beginning of
    a query string with what was chosen beside the paper size.
    """
    context = {"page": page, "is_pdf": as_pdf}
    if not as_pdf:
        return render(request, template, context)
    draw = _render_cached_pdf if is_for_everybody else _render_pdf_in_child
    try:
        content = draw(render_to_string(template, context, request))
    except PdfUnavailable:
        return render(request, "paper/no_pdf.html", {"packages": WEASYPRINT_PACKAGES}, status=503)
    response = HttpResponse(content, content_type="application/pdf")
    response["Content-Disposition"] = f'inline; filename="{name}.pdf"'
    return response


def render_pdf(html: str) -> bytes:
    """Render a page as a PDF with embedded fonts. Only local static files are fetched. Raises PdfUnavailable."""
    weasyprint, fetcher = _load_weasyprint()
    document = weasyprint.HTML(string=html, base_url="static:///", url_fetcher=fetcher)
    content: bytes = document.write_pdf()
    return content


def render_pdf_task(html: bytes) -> bytes:
    """Run `render_pdf` in the child process; return nothing if Pango is missing."""
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
    """Return whether the libraries for rendering PDFs are installed."""
    try:
        _load_weasyprint()
    except PdfUnavailable:
        return False
    return True


@lru_cache(maxsize=60)  # outermost, as cached PDFs need not wait
@limit_concurrency()
def _render_cached_pdf(html: str) -> bytes:
    return _render_pdf_in_child(html)


@cache
def _load_weasyprint() -> tuple[Any, Any]:
    try:
        import weasyprint
        from weasyprint.urls import URLFetcher, URLFetcherResponse
    except OSError as error:  # importing WeasyPrint loads Pango
        raise PdfUnavailable from error

    class StaticFetcher(URLFetcher):  # type: ignore[misc]
        """Fetcher of local static files only."""

        def fetch(self, url: str, headers: Any = None) -> Any:
            path = find_static_file(url)
            if path is None:
                raise ValueError("only static files are printed")
            content, kind = _load_printable_file(path, path.stat().st_mtime_ns)
            return URLFetcherResponse(url, content, headers={"Content-Type": kind})

    return weasyprint, StaticFetcher(allowed_protocols=("static",))


@lru_cache(maxsize=100)
def _load_printable_file(path: Path, _changed: int) -> tuple[bytes, str]:
    """Return a static file for printing and its type: drawings in greyscale, fonts decompressed, which is slow."""
    content, kind = path.read_bytes(), guess_type(path.name)[0] or ""
    if path.suffix == ".svg":
        return _COLOUR.sub(_convert_to_grey, content), kind
    if path.suffix == ".woff2":
        return decompress_woff2(content), "font/ttf"
    return content, kind


def decompress_woff2(font: bytes) -> bytes:
    """Return a WOFF2 font as TrueType."""
    from fontTools.ttLib.woff2 import decompress  # takes a while to load

    buffer = BytesIO()
    decompress(BytesIO(font), buffer)
    return buffer.getvalue()


def _convert_to_grey(colour: re.Match[bytes]) -> bytes:
    """Return the grey of the same luminance."""
    red, green, blue = ImageColor.getrgb(colour[0].decode())[:3]
    return b"#%02x%02x%02x" % ((round(0.2126 * red + 0.7152 * green + 0.0722 * blue),) * 3)


def find_static_file(url: str) -> Path | None:
    """Return the file of a static URL, collected or in its source folder; None for other URLs."""
    path = unquote(urlsplit(url).path)
    if not path.startswith(settings.STATIC_URL):
        return None
    name = path.removeprefix(settings.STATIC_URL)
    try:
        file = Path(safe_join(settings.STATIC_ROOT, name))
        if not file.is_file():
            file = Path(finders.find(name) or settings.STATIC_ROOT)
    except SuspiciousFileOperation:
        return None
    return file if file.is_file() else None
