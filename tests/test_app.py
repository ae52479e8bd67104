"""Manifest, service worker, release id and settings of a phone."""

import json
import re
import struct
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.test import Client
from PIL import Image

from companion.games import get_games
from companion.printing.pdf import find_static_file
from companion.web.static_files import get_release_id
from tests.web.html import parse_html

ROOT = Path(django_settings.ROOT)


@pytest.fixture
def phone(db) -> Client:
    return Client()


@pytest.fixture(autouse=True)
def fresh_release_id():
    yield get_release_id.cache_clear()
    get_release_id.cache_clear()


def get_manifest(phone, language="en"):
    phone.cookies["django_language"] = language
    response = phone.get("/manifest.webmanifest")
    assert response["Content-Type"] == "application/manifest+json"
    return json.loads(response.content)


def read_png_size(png: Path) -> str:
    head = png.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    return "{}x{}".format(*struct.unpack(">II", head[16:]))


def test_the_app_can_be_installed(phone):
    """The manifest fields that browsers require."""
    data = get_manifest(phone)
    assert data["name"] and data["short_name"] and data["id"] == data["start_url"] == data["scope"] == "/"
    assert data["display"] == "standalone"
    required = {("192x192", "any"), ("512x512", "any"), ("512x512", "maskable")}
    assert required <= {(icon["sizes"], icon["purpose"]) for icon in data["icons"] if icon["type"] == "image/png"}
    assert any(icon["type"] == "image/svg+xml" for icon in data["icons"])


def test_every_icon_has_its_declared_size(phone):
    data = get_manifest(phone)
    for icon in data["icons"] + [icon for shortcut in data["shortcuts"] for icon in shortcut["icons"]]:
        path = find_static_file(icon["src"])
        assert path, icon
        assert icon["sizes"] == ("any" if path.suffix == ".svg" else read_png_size(path)), icon


def test_maskable_icons_stay_in_the_safe_zone():
    icon = Image.open(ROOT / "static/icons/maskable-512.png").convert("L")
    width, pixels = icon.width, icon.tobytes()
    drawn = [(n % width, n // width) for n, grey in enumerate(pixels) if abs(grey - pixels[0]) > 2]
    assert drawn
    assert max((x - width / 2) ** 2 + (y - width / 2) ** 2 for x, y in drawn) <= (width * 0.4) ** 2


def test_the_manifest_has_the_colours_of_the_pages(phone):
    css = (ROOT / "static/css/tokens.css").read_text()
    match = re.search(r"--ground: light-dark\((#\w{6}), var\(--night-ground, (#\w{6})\)\);", css)
    assert match
    colours = set(match.groups())
    data = get_manifest(phone)
    assert {data["background_color"], data["theme_color"]} <= colours
    page = phone.get("/").content.decode()
    assert set(re.findall(r'name="theme-color" content="(#\w+)"', page)) == colours


@pytest.mark.parametrize("language", ["en", "el"])
def test_shortcuts_are_in_the_language_of_the_phone(phone, language):
    data = get_manifest(phone, language)
    assert data["lang"] == language
    assert len(data["shortcuts"]) == 4  # phones show no more
    for shortcut in data["shortcuts"]:
        response = phone.get(shortcut["url"])
        assert response.status_code == 200 and f'<html lang="{language}"' in response.content.decode(), shortcut


def test_installable_pages_link_the_manifest(phone):
    for url in ("/", "/settings/", "/settings/phone/"):
        assert '<link rel="manifest" href="/manifest.webmanifest"' in phone.get(url).content.decode(), url


def test_the_service_worker_covers_the_whole_app_and_is_revalidated(phone):
    response = phone.get("/sw.js")
    assert response["Content-Type"].startswith("text/javascript")
    assert response["Cache-Control"] == "no-cache"
    assert f'const RELEASE = "{get_release_id()}";' in response.content.decode()


def test_the_service_worker_is_the_same_for_every_phone(phone):
    """Otherwise a phone that changes its language would be offered an update."""
    script = phone.get("/sw.js").content
    phone.cookies["django_language"] = "el"
    assert phone.get("/sw.js").content == script


def test_the_service_worker_caches_every_rulebook_in_both_languages(phone):
    match = re.search(r"const KEEP = (\[.*\]);", phone.get("/sw.js").content.decode())
    assert match
    urls = json.loads(match[1])
    assert {f"/{language}/rules/{slug}/" for language in ("en", "el") for slug in get_games()} <= set(urls)
    assert {"/en/offline/", "/el/offline/"} <= set(urls)
    for url in urls:
        assert phone.get(url).status_code == 200, url


def test_prefetching_does_not_change_the_back_link(phone):
    phone.cookies["came_from"] = "/tables/abcdefghijkl/"
    assert "came_from" not in phone.get("/en/rules/take-that/", headers={"sec-fetch-mode": "cors"}).cookies
    assert "came_from" in phone.get("/en/rules/take-that/", headers={"sec-fetch-mode": "navigate"}).cookies


def test_the_offline_page_lists_rulebooks_in_its_language(phone):
    page = phone.get("/el/offline/").content.decode()
    for slug in get_games():
        assert f'href="/el/rules/{slug}/"' in page


def test_the_release_id_is_stable_until_a_file_changes(settings, tmp_path):
    stylesheet = tmp_path / "css" / "own.css"
    stylesheet.parent.mkdir()
    stylesheet.write_text("p { color: red }")
    settings.STATICFILES_DIRS = [*settings.STATICFILES_DIRS, tmp_path]
    names = [get_release_id()]
    for text in ("p { color: red }", "p { color: tan }", "p { color: red }"):
        stylesheet.write_text(text)
        get_release_id.cache_clear()
        names.append(get_release_id())
    assert names[0] == names[1] == names[3] != names[2]


@pytest.mark.parametrize(
    "name", ["templates/home.html", "companion/site/views.py", "companion/games/own/rulebook.en.md"]
)
def test_the_release_id_changes_with_templates_and_rulebooks(settings, tmp_path, name):
    settings.ROOT = tmp_path
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_text("one")
    before = get_release_id()
    path.write_text("two")
    get_release_id.cache_clear()
    assert get_release_id() != before


def test_every_page_carries_the_release_id(phone):
    for url, status in (("/", 200), ("/en/rules/take-that/", 200), ("/nowhere/", 404)):
        response = phone.get(url)
        assert response.status_code == status
        assert f'data-release="{get_release_id()}"' in response.content.decode()


def test_every_page_offers_the_other_languages(phone, settings):
    def list_offered():
        form = next(form for form in parse_html(phone.get("/").content.decode()).all("form") if form.all("button"))
        return {button.attrs["value"]: (button.attrs["aria-label"], button.text) for button in form.all("button")}

    assert list_offered() == {"el": ("Ελληνικά", "ΕΛ")}
    settings.LANGUAGES = [*settings.LANGUAGES, ("de", "Deutsch")]
    assert list_offered() == {"el": ("Ελληνικά", "ΕΛ"), "de": ("Deutsch", "DE")}


@pytest.mark.parametrize(("size", "attribute"), [("large", "large"), ("very-large", "very-large"), ("usual", "")])
def test_each_phone_has_its_own_text_size(phone, size, attribute):
    response = phone.post("/settings/change/", {"text": size, "next": "/"})
    assert response.cookies["text"].value == size and response.cookies["text"]["httponly"]
    page = " ".join(phone.get("/settings/").content.decode().split())
    assert re.findall(r'<html[^>]* data-text="([^"]*)"', page) == [attribute] * bool(attribute)
    assert f'name="text" value="{size}" checked' in page
    assert "data-text" not in Client().get("/settings/").content.decode()


@pytest.mark.parametrize("value", ["", "huge", "LARGE", "large ", '"><b>', "x" * 4_000, "usual"])
def test_an_unknown_text_size_is_the_default(phone, value):
    assert ("text" in phone.post("/settings/change/", {"text": value}).cookies) == (value == "usual")
    phone.cookies["text"] = value
    page = " ".join(phone.get("/settings/").content.decode().split())
    assert "data-text" not in page and 'name="text" value="usual" checked' in page


def test_the_phone_page_depends_on_the_connection(phone):
    plain, secure = (phone.get("/settings/phone/", secure=is_secure).content.decode() for is_secure in (False, True))
    assert "could read along" in plain and "Caddyfile" in plain
    assert "could read along" not in secure and "Caddyfile" not in secure
    assert "/settings/phone/" in phone.get("/settings/").content.decode()
