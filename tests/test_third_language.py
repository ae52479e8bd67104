"""A third language needs a catalogue and texts, and no change of the code."""

import re
import shutil
import subprocess
import sys

import pytest

from tests.games.game_copies import build_environment, copy_app, get_game_folder, replace_in

CATALOGUE = r"""
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\n"

msgid "Contents"
msgstr "Sommaire"
"""
VISIT = """
import django
django.setup()
from django.test import Client
from django.conf import settings
from companion.games import get_broken_games, get_games
from companion.ops.compile_messages import compile_messages
assert list(get_games()) == ["take-that"], get_broken_games()
compile_messages(settings.LOCALE_PATHS)
client = Client(headers={"host": "localhost", "accept-language": "fr"})
for url in ("/fr/rules/take-that/", "/fr/rules/take-that/words/", "/fr/rules/?q=crapauds"):
    print(">>>", url)
    print(client.get(url).content.decode())
"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Return pages in French by URL, of a copy with one game; its texts are the English ones, but for a word."""
    root = copy_app(tmp_path_factory.mktemp("french") / "app")
    replace_in(root / "companion/core/languages.py", {'"en": "English"': '"en": "English", "fr": "Français"'})
    for folder in (root / "companion/games").iterdir():
        if folder.is_dir() and folder.name != "take_that":
            shutil.rmtree(folder)
    catalogue = root / "companion/locale/fr/LC_MESSAGES/django.po"
    catalogue.parent.mkdir(parents=True)
    catalogue.write_text(CATALOGUE, encoding="utf-8")
    game = get_game_folder(root, "take-that")
    for name in ("rulebook", "reference"):
        text = (game / f"{name}.en.md").read_text(encoding="utf-8")
        (game / f"{name}.fr.md").write_text(text.replace(" toads", " crapauds"), encoding="utf-8")
    for file in game.glob("*.toml"):
        text = file.read_text(encoding="utf-8")
        file.write_text(
            re.sub(r"^((?:\w+\.)?)en( = .*)$", r"\g<0>\n\1fr\2", text, flags=re.MULTILINE), encoding="utf-8"
        )
    environment = build_environment(root) | {"PYTHONPATH": str(root), "DJANGO_SETTINGS_MODULE": "companion.settings"}
    environment["DEBUG"] = "yes"  # no static files are collected
    command = [sys.executable, "-c", VISIT]
    visit = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=120)
    assert visit.returncode == 0, visit.stderr
    _start, *parts = re.split(r"^>>> (.*)$", visit.stdout, flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def test_rulebook_is_in_a_third_language(pages):
    page = pages["/fr/rules/take-that/"]
    assert '<html lang="fr"' in page and "Sommaire" in page and "crapauds" in page
    assert re.findall(r'<button name="language"\s+value="(\w+)"', page) == ["en", "el"]


def test_glossary_has_all_three_languages(pages):
    terms = pages["/fr/rules/take-that/words/"].partition('class="terms"')[2]
    assert re.findall(r'<span lang="(\w+)">', terms)[:3] == ["en", "fr", "el"]


def test_search_finds_words_of_a_third_language(pages):
    hits = pages["/fr/rules/?q=crapauds"].partition('class="hits"')[2]
    assert "crapauds" in hits
