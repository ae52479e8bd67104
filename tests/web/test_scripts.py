"""Bundles of JavaScript modules."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from rjsmin import jsmin

from companion.web import scripts

ROOT = Path(__file__).resolve().parents[2]
MODULES = {
    "js/a.js": 'import { readB } from "./sub/b.js";\nimport "./c.js";\nreadB();\n',
    "js/sub/b.js": 'import { readD } from "../d.js";\nexport const readB = () => readD();\n',
    "js/c.js": 'import { readD } from "./d.js";\nconst readB = 1;\nreadD(readB);\n',
    "js/d.js": "export function readD() {}\n",
}


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    modules = dict(MODULES)
    monkeypatch.setattr(scripts, "read_source", modules.__getitem__)
    return modules


def test_modules_are_joined_once_after_what_they_import(modules: dict[str, str]) -> None:
    assert scripts.join_modules("js/a.js", modules["js/a.js"]) == (
        "function readD() {}\n"
        "const readB = () => readD();\n"
        "{const readB = 1;\nreadD(readB);\n}"  # a scope of its own
        "readB();\n"
    )


def test_two_modules_cannot_share_a_name(modules: dict[str, str]) -> None:
    modules["js/d.js"] += "const readB = 2;\n"
    with pytest.raises(ValueError, match="readB is declared in"):
        scripts.join_modules("js/a.js", modules["js/a.js"])


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("function addUp(one){}addUp(1);", "function a(one){}a(1);"),
        ("const total=1;f(`${total}`);", "const a=1;f(`${a}`);"),
        ("let total=[];f(...total);", "let a=[];f(...a);"),
        ('let total=1,a=2;f("the sum");', 'let b=1,a=2;f("the sum");'),
        ('let total=1;f("the total");', None),
        ("let total=1;f(`total ${total}`);", None),
        ("let total=1;f('the total');", None),
        ('let total=1;f(/[^/"]total/);', None),
        ("let total=1;row.total=total;", None),
        ("let total=1;f({total});", None),
        ("let total=1;f({total:total});", None),
        ("let history=1;", None),
        ("document.title=totals;", None),
    ],
)
def test_only_names_of_the_script_are_shortened(script: str, expected: str | None) -> None:
    assert scripts.shorten_names(script) == (expected or script)


@pytest.mark.parametrize("name", ["table-page", "form-page", "home-page", "sw"])
def test_strings_stay_as_they_are_when_names_are_shortened(name: str) -> None:
    source = (ROOT / f"static/js/{name}.js").read_text(encoding="utf-8")
    minified = jsmin(scripts.join_modules(f"js/{name}.js", source))
    before, after = (re.findall(r'"[\w /:#.=*-]+"', script) for script in (minified, scripts.shorten_names(minified)))
    assert before and before == after


def test_missing_module_is_reported() -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        scripts.join_modules("js/a.js", 'import "./nowhere.js";\n')


def read_collected(name: str) -> str:
    with staticfiles_storage.open(staticfiles_storage.stored_name(name)) as file:
        return file.read().decode()


@pytest.mark.parametrize("name", ["table-page", "form-page", "home-page"])
def test_pages_get_one_script(name: str) -> None:
    bundle = read_collected(f"js/{name}.js")
    assert not re.search(r"\bimport\b|\bexport\b|/[*]", bundle)
    assert "htmx:afterSettle" in bundle


def test_table_page_has_every_module_of_its_folders() -> None:
    page = (ROOT / "static/js/table-page.js").read_text(encoding="utf-8")
    modules = {name for name, _source in scripts._walk_modules("js/table-page.js", page, set())}
    folders = [ROOT / "static/js" / folder for folder in ("outbox", "pad", "table")]
    expected = {f"js/{path.parent.name}/{path.name}" for folder in folders for path in folder.glob("*.js")}
    assert expected and expected <= modules
