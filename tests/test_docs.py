"""Files, commands and fields named in the documentation."""

import re
from dataclasses import fields
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command, get_commands

from companion.games import get_games
from tests.games.test_layout import LAYOUT

ROOT = Path(settings.ROOT)
GUIDES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
PATH = re.compile(r"(?<![\w./<-])(?:companion|tests|templates|static|docs|deploy)/[\w./<>*-]*")
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)|^\[[\w-]+\]: (?!https?:)(\S+)$", re.MULTILINE)

every_guide = pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.name)


def slugify(heading: str) -> str:
    """Return the anchor that code hosts give a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def read_table(guide: str, heading: str) -> list[list[str]]:
    """Return the cells of the first table below a heading, without its head."""
    text = (ROOT / guide).read_text(encoding="utf-8").partition(f"# {heading}\n")[2]
    rows = re.search(r"^\|-.*\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert rows
    return [row.strip("|").split("|") for row in rows[1].splitlines()]


@every_guide
def test_paths_exist(guide):
    paths = {path.rstrip("./") for path in PATH.findall(guide.read_text(encoding="utf-8"))}
    missing = [path for path in paths if not any(ROOT.glob(re.sub(r"<[^>]*>", "*", path)))]
    assert not missing


@every_guide
def test_links_lead_somewhere(guide):
    for path, anchor, reference in LINK.findall(guide.read_text(encoding="utf-8")):
        target = guide.parent / (path or reference) if path or reference else guide
        assert target.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.+)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in map(slugify, headings), anchor


@every_guide
def test_commands_exist(guide):
    text = guide.read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"(?:`|^|[A-Z_]=\S+ )make ([a-z-]+)", text, re.MULTILINE)) <= targets
    assert set(re.findall(r"manage\.py ([a-z_]+)", text)) <= set(get_commands())


def test_matches_on_the_notation_page_replay(tmp_path):
    text = (ROOT / "docs/notation.md").read_text(encoding="utf-8")
    matches = re.findall(r"^```\n(game .*?)^```", text, re.MULTILINE | re.DOTALL)
    assert matches
    for number, match in enumerate(matches):
        (tmp_path / f"{number}.txt").write_text(match)
    call_command("replay", *tmp_path.iterdir())


def test_page_on_games_lists_every_field_of_the_record():
    rows = read_table("docs/adding-a-game.md", "The record")
    listed = {part.strip(" `"): re.findall(r"`(\w+)`", names) for part, names in rows}
    game = get_games()["take-that"]
    parts = {part.name: getattr(game, part.name) for part in fields(game) if part.name != "rules"}
    assert sorted(listed) == sorted(parts)
    for name, part in parts.items():
        assert sorted(listed[name]) == sorted(field.name for field in fields(part)), name


def test_page_on_games_names_what_the_files_of_a_game_define():
    rows = read_table("docs/adding-a-game.md", "Files")
    named = {file.strip("` "): set(re.findall(r"`(\w+)`", text)) for file, text in rows}
    for module, names in LAYOUT.items():
        assert named[f"{module}.py"] == set(names), module


def test_middleware_is_listed_in_its_order():
    listed = re.findall(r"`(companion/[\w/]+)\.py`", str(read_table("docs/architecture.md", "Middleware")))
    modules = (name.rpartition(".")[0] for name in settings.MIDDLEWARE if name.startswith("companion."))
    assert listed == [module.replace(".", "/") for module in modules]


def test_every_folder_of_code_is_on_the_map():
    listed = {name for row in read_table("docs/architecture.md", "Map") for name in re.findall(r"`([\w/]+)`", row[0])}
    folders = {f"companion/{path.name}" for path in (ROOT / "companion").iterdir() if path.is_dir()}
    assert folders - {"companion/__pycache__"} <= listed


@pytest.mark.parametrize("guide", ["docs/operating.md", "docs/privacy.md"])
def test_labels_are_those_on_the_screen(guide):
    labels = set(re.findall(r"(?<!\*)\*([^*\n]+)\*(?!\*)", (ROOT / guide).read_text(encoding="utf-8")))
    catalogue = (ROOT / "companion/locale/el/LC_MESSAGES/django.po").read_text(encoding="utf-8")
    assert labels
    assert {label for label in labels if f'msgid "{label}"\n' not in catalogue} == set()
