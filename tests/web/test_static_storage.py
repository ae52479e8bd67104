"""Bundles of scripts and stylesheets, as they are collected."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.files.storage import FileSystemStorage

from companion.web import static_files
from companion.web.static_storage import BundledStaticFilesStorage

STYLES = Path(settings.ROOT, "static", "css")


def read_collected(name):
    """Return the text of a collected file by its name in the sources."""
    return Path(settings.STATIC_ROOT, staticfiles_storage.stored_name(name)).read_text(encoding="utf-8")


def test_bundles_hold_what_they_import():
    table = read_collected("css/table.css")
    assert "@import" not in table
    assert ".card.legal {" in table and ".keypad" in table and ".seat.turn {" in table


def test_collected_styles_have_light_colours_for_browsers_without_light_dark():
    controls = read_collected("css/controls.css")
    fallback = controls[controls.index("@supports not (color: light-dark(red, red)) { :root, [data-game] {") :]
    fallback = fallback[: fallback.index("} }")]
    assert "--ground: #efe6d5;" in fallback and "--shade: rgb(74 52 20 / .22);" in fallback
    assert "light-dark" not in fallback.removeprefix("@supports not (color: light-dark(red, red))")
    assert "--accent: #1f6a49;" in read_collected("games/take-that/style.css")


@pytest.mark.parametrize(
    ("page", "importing", "contents"),
    [
        ("page.css", '@import "part.css";\n', ("a { color: red; }", "a { color: blue; }")),
        ("page.js", 'import "./part.js";\n', ("one();", "two();")),
    ],
)
def test_bundles_are_renamed_when_what_they_import_changes(page, importing, contents, tmp_path, monkeypatch):
    """Otherwise phones would keep the old part for a year."""
    for folder in ("sources", "collected"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / page).write_text(importing)
    part = tmp_path / "part"
    monkeypatch.setattr(finders, "find", lambda name: str(part))
    sources = FileSystemStorage(location=tmp_path / "sources")
    names = []
    for content in contents:
        part.write_text(content)
        storage = BundledStaticFilesStorage(location=tmp_path / "collected", base_url="/static/")
        list(storage.post_process({page: (sources, page)}))
        names.append(storage.stored_name(page))
        assert content in (tmp_path / "collected" / names[-1]).read_text()
    assert len(set(names)) == 2


def test_only_rules_without_a_condition_have_two_colours():
    """The light colours for older browsers are put beside their rule, and would lose its condition."""
    for path in [*STYLES.glob("*.css"), *Path(settings.GAMES).glob("*/static/style.css")]:
        conditional = re.findall(r"^@media[^{]*\{.*?^\}", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
        assert not [part for part in conditional if "light-dark(" in part], path


def test_files_are_collected_again_when_the_bundling_changes(settings, tmp_path, monkeypatch):
    collected = []
    settings.DATA, settings.STATIC_ROOT = tmp_path, tmp_path / "static"
    settings.STATIC_ROOT.mkdir()
    (settings.STATIC_ROOT / "staticfiles.json").touch()
    monkeypatch.setattr(static_files, "call_command", lambda *args, **options: collected.append(args))
    assert [static_files.collect_static(), static_files.collect_static()] == [True, False]
    (tmp_path / "scripts.py").touch()
    monkeypatch.setattr(static_files, "BUNDLERS", [tmp_path / "scripts.py"])
    assert static_files.collect_static() and len(collected) == 2
