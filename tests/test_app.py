"""The app on a phone: its place on the home screen, its worker, its release, and what each phone chooses."""

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

ROOT = Path(django_settings.ROOT)


@pytest.fixture
def phone(db) -> Client:
    return Client()


@pytest.fixture(autouse=True)
def release_afresh():
    yield get_release_id.cache_clear()
    get_release_id.cache_clear()


def manifest(phone, language="en"):
    phone.cookies["django_language"] = language
    answer = phone.get("/manifest.webmanifest")
    assert answer["Content-Type"] == "application/manifest+json"
    return json.loads(answer.content)


def size_of(png: Path) -> str:
    head = png.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    return "{}x{}".format(*struct.unpack(">II", head[16:]))


def test_the_app_can_be_installed(phone):
    """What browsers ask for before they offer it."""
    about = manifest(phone)
    assert about["name"] and about["short_name"] and about["id"] == about["start_url"] == about["scope"] == "/"
    assert about["display"] == "standalone"
    wanted = {("192x192", "any"), ("512x512", "any"), ("512x512", "maskable")}
    assert wanted <= {(icon["sizes"], icon["purpose"]) for icon in about["icons"] if icon["type"] == "image/png"}
    assert any(icon["type"] == "image/svg+xml" for icon in about["icons"])


def test_every_icon_is_there_and_as_large_as_it_says(phone):
    about = manifest(phone)
    for icon in about["icons"] + [icon for way in about["shortcuts"] for icon in way["icons"]]:
        path = find_static_file(icon["src"])
        assert path, icon
        assert icon["sizes"] == ("any" if path.suffix == ".svg" else size_of(path)), icon


def test_the_drawing_of_a_maskable_icon_stays_in_the_part_that_no_phone_cuts_off():
    icon = Image.open(ROOT / "static/icons/maskable-512.png").convert("L")
    width, pixels = icon.width, icon.tobytes()
    drawn = [(n % width, n // width) for n, grey in enumerate(pixels) if abs(grey - pixels[0]) > 2]
    assert drawn
    assert max((x - width / 2) ** 2 + (y - width / 2) ** 2 for x, y in drawn) <= (width * 0.4) ** 2


def test_the_colours_of_the_app_are_those_of_its_pages(phone):
    css = (ROOT / "static/css/companion.css").read_text()
    colours = set(re.findall(r"--ground: (#\w{6});", css))
    about = manifest(phone)
    assert {about["background_color"], about["theme_color"]} <= colours
    page = phone.get("/").content.decode()
    assert set(re.findall(r'name="theme-color" content="(#\w+)"', page)) == colours


@pytest.mark.parametrize("language", ["en", "el"])
def test_every_shortcut_leads_to_a_page_in_the_language_of_the_phone(phone, language):
    about = manifest(phone, language)
    assert about["lang"] == language
    assert len(about["shortcuts"]) == 4  # phones show no more
    for way in about["shortcuts"]:
        answer = phone.get(way["url"])
        assert answer.status_code == 200 and f'<html lang="{language}"' in answer.content.decode(), way


def test_pages_that_can_be_installed_from_name_the_manifest(phone):
    for url in ("/", "/settings/", "/settings/phone/"):
        assert '<link rel="manifest" href="/manifest.webmanifest"' in phone.get(url).content.decode(), url


def test_the_worker_speaks_for_the_whole_app_and_is_asked_for_anew(phone):
    answer = phone.get("/sw.js")
    assert answer["Content-Type"].startswith("text/javascript")
    assert answer["Cache-Control"] == "no-cache"
    assert f'const RELEASE = "{get_release_id()}";' in answer.content.decode()


def test_the_worker_is_the_same_for_every_phone(phone):
    """Else a phone that changes its language would be offered a new version."""
    one = phone.get("/sw.js").content
    phone.cookies["django_language"] = "el"
    assert phone.get("/sw.js").content == one


def test_the_worker_fetches_the_rulebooks_of_all_games_in_both_languages(phone):
    listed = re.search(r"const KEEP = (\[.*\]);", phone.get("/sw.js").content.decode())
    assert listed
    urls = json.loads(listed[1])
    assert {f"/{language}/rules/{slug}/" for language in ("en", "el") for slug in get_games()} <= set(urls)
    assert {"/en/offline/", "/el/offline/"} <= set(urls)
    for url in urls:
        assert phone.get(url).status_code == 200, url


def test_a_page_that_is_only_kept_leaves_the_way_back_as_it_is(phone):
    phone.cookies["came_from"] = "/tables/abcdefghijkl/"
    assert "came_from" not in phone.get("/en/rules/take-that/", headers={"sec-fetch-mode": "cors"}).cookies
    assert "came_from" in phone.get("/en/rules/take-that/", headers={"sec-fetch-mode": "navigate"}).cookies


def test_without_network_the_rulebooks_are_named_in_the_language_of_the_page(phone):
    page = phone.get("/el/offline/").content.decode()
    for slug in get_games():
        assert f'href="/el/rules/{slug}/"' in page


def test_a_release_has_a_name_that_stays_until_a_file_changes(settings, tmp_path):
    own = tmp_path / "css" / "own.css"
    own.parent.mkdir()
    own.write_text("p { color: red }")
    settings.STATICFILES_DIRS = [*settings.STATICFILES_DIRS, tmp_path]
    names = [get_release_id()]
    for text in ("p { color: red }", "p { color: tan }", "p { color: red }"):
        own.write_text(text)
        get_release_id.cache_clear()
        names.append(get_release_id())
    assert names[0] == names[1] == names[3] != names[2]


@pytest.mark.parametrize(
    "name", ["templates/home.html", "companion/site/views.py", "companion/games/own/rulebook.en.md"]
)
def test_a_release_is_another_when_a_page_or_a_rulebook_says_something_else(settings, tmp_path, name):
    settings.ROOT = tmp_path
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_text("one")
    before = get_release_id()
    path.write_text("two")
    get_release_id.cache_clear()
    assert get_release_id() != before


def test_every_page_says_of_which_release_it_is(phone):
    for url, status in (("/", 200), ("/en/rules/take-that/", 200), ("/nowhere/", 404)):
        answer = phone.get(url)
        assert answer.status_code == status
        assert f'data-release="{get_release_id()}"' in answer.content.decode()


@pytest.mark.parametrize(("size", "attribute"), [("large", "large"), ("very-large", "very-large"), ("usual", "")])
def test_each_phone_has_its_own_size_of_text(phone, size, attribute):
    answer = phone.post("/settings/change/", {"text": size, "next": "/"})
    assert answer.cookies["text"].value == size and answer.cookies["text"]["httponly"]
    page = phone.get("/settings/").content.decode()
    assert re.findall(r'<html[^>]* data-text="([^"]*)"', page) == [attribute] * bool(attribute)
    assert f'name="text" value="{size}" checked' in page
    assert "data-text" not in Client().get("/settings/").content.decode()


@pytest.mark.parametrize("value", ["", "huge", "LARGE", "large ", '"><b>', "x" * 4_000, "usual"])
def test_a_size_of_text_that_there_is_not_is_the_usual_one(phone, value):
    assert ("text" in phone.post("/settings/change/", {"text": value}).cookies) == (value == "usual")
    phone.cookies["text"] = value
    page = phone.get("/settings/").content.decode()
    assert "data-text" not in page and 'name="text" value="usual" checked' in page


def test_what_this_phone_can_do_is_told_for_the_connection_that_it_has(phone):
    plain, secure = (phone.get("/settings/phone/", secure=is_secure).content.decode() for is_secure in (False, True))
    assert "could read along" in plain and "Caddyfile" in plain
    assert "could read along" not in secure and "Caddyfile" not in secure
    assert "/settings/phone/" in phone.get("/settings/").content.decode()
