"""Installable app (PWA): manifest, service worker, offline page and the phone page."""

import json
from collections.abc import Iterator

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_safe

from companion.core.game import Game
from companion.games import get_games
from companion.printing.pdf import find_static_file
from companion.rulebook.loader import has_rulebook
from companion.web.i18n import translate
from companion.web.static_files import get_release_id, icon_url

BACKGROUND_COLOR = "#efe6d5"
"""The light page background of the stylesheet."""
ICONS = (
    ("icon.svg", "any", "any"),
    ("icon-192.png", "192x192", "any"),
    ("icon-512.png", "512x512", "any"),
    ("maskable-512.png", "512x512", "maskable"),
)
"""File, size and purpose; `make pictures` renders the PNGs from the SVG."""
MAX_GAME_SHORTCUTS = 2
"""Games among the shortcuts of the home screen icon; phones show four shortcuts, and two lead elsewhere."""


@cache_control(no_cache=True)
@require_safe
def manifest(request: HttpRequest) -> JsonResponse:
    """Return the web app manifest in the language of the phone."""
    content = {
        "id": "/",
        "name": "Companion",
        "short_name": "Companion",
        "description": _("Score pad and rules"),
        "lang": translation.get_language(),
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "background_color": BACKGROUND_COLOR,
        "theme_color": BACKGROUND_COLOR,
        "icons": [_build_icon(*icon) for icon in ICONS],
        "shortcuts": _build_shortcuts(),
    }
    return JsonResponse(content, content_type="application/manifest+json", json_dumps_params={"ensure_ascii": False})


@cache_control(no_cache=True)
@require_safe
def service_worker(request: HttpRequest) -> HttpResponse:
    """Serve the worker from the root, for a scope of the whole app, with the server's constants on top."""
    constants = {"RELEASE": get_release_id(), "STATIC": settings.STATIC_URL, "KEEP": list(_list_offline_pages())}
    path = find_static_file(static("js/sw.js"))
    assert path is not None
    head = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in constants.items())
    return HttpResponse(head + path.read_text(encoding="utf-8"), content_type="text/javascript; charset=utf-8")


@require_safe
def offline_page(request: HttpRequest) -> HttpResponse:
    """Show links to the cached rulebooks; the worker serves this for pages it has not cached."""
    return render(request, "offline.html", {"games": _list_games_with_rules()})


@never_cache
@require_safe
def phone_page(request: HttpRequest) -> HttpResponse:
    """Show what this phone can do here; a script on the page finds out."""
    return render(request, "capabilities.html", {"is_encrypted": request.is_secure()})


def _build_icon(name: str, sizes: str, purpose: str) -> dict[str, str]:
    media_type = "image/svg+xml" if name.endswith(".svg") else "image/png"
    return {"src": static(f"icons/{name}"), "sizes": sizes, "type": media_type, "purpose": purpose}


def _build_shortcuts() -> list[dict[str, object]]:
    shortcuts = [
        (_("New table: {title}").format(title=translate(game.title)), reverse("new-table", args=[slug]), slug)
        for slug, game in list(get_games().items())[:MAX_GAME_SHORTCUTS]
    ]
    shortcuts += [(_("Search the rules"), reverse("search"), "book"), (_("History"), reverse("history"), "any")]
    details = {"sizes": "any", "type": "image/svg+xml", "purpose": "any"}
    return [{"name": name, "url": url, "icons": [{"src": icon_url(icon), **details}]} for name, url, icon in shortcuts]


def _list_offline_pages() -> Iterator[str]:
    """Yield the addresses that the worker caches in advance."""
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            yield from (reverse("offline"), reverse("search"))
            yield from (reverse("rules", args=[game.slug]) for game in _list_games_with_rules())


def _list_games_with_rules() -> list[Game]:
    return list(filter(has_rulebook, get_games().values()))
