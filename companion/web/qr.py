"""QR codes of addresses that another phone opens."""

import io
from dataclasses import dataclass

import segno
from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from companion.web.networks import list_phone_urls


@dataclass(frozen=True)
class QrCode:
    """A URL and its QR code: an SVG path of the dark modules, and the width in modules including the quiet zone."""

    url: str
    path: str
    size: int

    @property
    def display_url(self) -> str:
        """The address as people type it, without the secret."""
        return self.url.partition("#")[0].partition("://")[2]


def build_join_qr(request: HttpRequest | None, secret: str) -> QrCode:
    """Return the QR code for joining with a code or key; it comes after #, and so never reaches a log."""
    return _make_qr(f"{get_external_url(request)}{reverse('join')}#{secret}")


def build_short_link_qr(request: HttpRequest | None, code: str) -> QrCode:
    """Return the QR code of a short link."""
    return _make_qr(f"{get_external_url(request)}{reverse('short-link', args=[code])}")


def get_external_url(request: HttpRequest | None) -> str:
    """Return scheme and host under which other phones reach this server, even if the request came to localhost."""
    request_url = f"{request.scheme}://{request.get_host()}" if request else ""
    if request and request.get_host().rpartition(":")[0].strip("[]") not in ("localhost", "127.0.0.1", "::1"):
        return request_url
    return next(
        iter(list_phone_urls(settings.PORT, settings.PUBLIC_URL)), request_url or f"http://localhost:{settings.PORT}"
    )


def render_terminal_qr(url: str, encoding: str | None) -> str:
    """Return a QR code of block characters; empty for a terminal whose encoding lacks them."""
    drawing = io.StringIO()
    segno.make(url, error="l", micro=False).terminal(out=drawing, compact=True, border=2)
    try:
        drawing.getvalue().encode(encoding or "utf-8")
    except UnicodeEncodeError:
        return ""
    return drawing.getvalue()


def _make_qr(url: str) -> QrCode:
    code = segno.make(url, error="m", micro=False)
    border = 4
    rows = enumerate(code.matrix_iter(border=border))
    cells = (f"M{x} {y}h1v1h-1z" for y, row in rows for x, is_dark in enumerate(row) if is_dark)
    return QrCode(url, "".join(cells), int(code.symbol_size(border=border)[0]))
