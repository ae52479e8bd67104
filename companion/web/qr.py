"""Addresses to be scanned: where another phone finds a page of this server, and the drawing of that as a QR code."""

from __future__ import annotations

from dataclasses import dataclass

import segno
from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from companion.web.lan_addresses import list_phone_urls


@dataclass(frozen=True)
class QrCode:
    """An address with its QR code: `path` draws the dark modules, in a square of `size` modules with its quiet zone."""

    url: str
    path: str
    size: int

    @property
    def display_url(self) -> str:
        """The address without what is secret, as people type it."""
        return self.url.partition("#")[0].partition("://")[2]


def build_join_qr(request: HttpRequest | None, secret: str) -> QrCode:
    """The address that joins with a code or a key, which stands after # and never reaches a log."""
    return _scan(f"{get_external_url(request)}{reverse('join')}#{secret}")


def build_short_link_qr(request: HttpRequest | None, code: str) -> QrCode:
    """The address under which a code leads somewhere for a while."""
    return _scan(f"{get_external_url(request)}{reverse('short-link', args=[code])}")


def get_external_url(request: HttpRequest | None) -> str:
    """Scheme and host under which other phones reach this server: on its own machine it is called localhost."""
    own = f"{request.scheme}://{request.get_host()}" if request else ""
    if own and request and request.get_host().rpartition(":")[0].strip("[]") not in ("localhost", "127.0.0.1", "::1"):
        return own
    return next(iter(list_phone_urls(settings.PORT, settings.PUBLIC_URL)), own or f"http://localhost:{settings.PORT}")


def _scan(url: str) -> QrCode:
    code = segno.make(url, error="m", micro=False)
    border = 4
    rows = enumerate(code.matrix_iter(border=border))
    cells = (f"M{x} {y}h1v1h-1z" for y, row in rows for x, is_dark in enumerate(row) if is_dark)
    return QrCode(url, "".join(cells), int(code.symbol_size(border=border)[0]))
