"""Broken games are excluded and reported, and the others keep working."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.faults.http_client import HttpClient
from tests.games.game_copies import (
    add_counted_game,
    add_game_copy,
    build_environment,
    copy_app,
    get_drawing,
    get_game_folder,
    get_stylesheet,
    get_templates,
    manage,
    replace_in,
)
from tests.servers import LoggedProcess, get_free_port, restore_sigint, wait_until_serving
from tests.web.html import parse_html

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@dataclass(frozen=True)
class Damage:
    """How a game is broken, and the file and reason that must be reported."""

    apply: Callable[[Path, str], object]
    file: str
    reason: str


def write(name: str, text: str) -> Callable[[Path, str], object]:
    return lambda root, slug: (get_game_folder(root, slug) / name).write_text(text, encoding="utf-8")


def append(name: str, text: str) -> Callable[[Path, str], object]:
    def apply(root: Path, slug: str) -> None:
        file = get_game_folder(root, slug) / name
        file.write_text(file.read_text(encoding="utf-8") + text, encoding="utf-8")

    return apply


def remove(name: str) -> Callable[[Path, str], object]:
    return lambda root, slug: (get_game_folder(root, slug) / name).unlink()


def remove_texts(root: Path, slug: str) -> None:
    folder = get_game_folder(root, slug)
    for file in (*folder.glob("*.md"), *folder.glob("*.toml")):
        file.unlink()


def swap(name: str, old: str, new: str) -> Callable[[Path, str], object]:
    def apply(root: Path, slug: str) -> None:
        file, replaced = get_game_folder(root, slug) / name, old.replace("SLUG", slug)
        assert replaced in file.read_text(encoding="utf-8"), f"{name} has no {replaced!r} to break"
        replace_in(file, {replaced: new})

    return apply


EXCLUDED = {
    "import": Damage(append("stats.py", "\nimport nowhere_to_be_found\n"), "stats.py", "nowhere_to_be_found"),
    "name": Damage(append("board.py", "\nfrom companion.core.game import Nothing\n"), "board.py", "Nothing"),
    "syntax": Damage(append("rules.py", "\ndef broken(:\n"), "rules.py", "SyntaxError"),
    "empty": Damage(write("__init__.py", ""), "__init__.py", "GAME"),
    "other": Damage(write("__init__.py", "GAME = 3\n"), "__init__.py", "GAME"),
    "field": Damage(swap("__init__.py", "    version=1,\n", ""), "__init__.py", "version"),
    "seats": Damage(swap("__init__.py", "range(2, 5)", "range(0)"), "__init__.py", "seats"),
    "check": Damage(swap("__init__.py", "check=scoring.check_tally,", "check=None,"), "__init__.py", "check"),
    "judge": Damage(swap("__init__.py", "judge=rules.judge,", "judge=None,"), "__init__.py", "judge"),
    "number": Damage(swap("__init__.py", "version=1", 'version="one"'), "__init__.py", "version"),
    "setup": Damage(append("state.py", "\n\ndef setup(*args):\n    return 1 // 0\n"), "state.py", "ZeroDivisionError"),
    "slug": Damage(swap("__init__.py", 'slug="SLUG"', 'slug="elsewhere"'), "__init__.py", "elsewhere"),
    "twin": Damage(swap("__init__.py", 'slug="SLUG"', 'slug="take-that"'), "__init__.py", "take-that"),
    "greek": Damage(remove("rulebook.el.md"), "rulebook.el.md", "missing"),
    "card": Damage(remove("reference.en.md"), "reference.en.md", "missing"),
    "example": Damage(remove("examples.toml"), "examples.toml", "missing"),
    "unknown": Damage(append("rulebook.en.md", "\n\n[example not-there]\n"), "rulebook.en.md", "not-there"),
    "toml": Damage(append("examples.toml", "\n[[example\n"), "examples.toml", "TOML"),
    "words": Damage(append("glossary.toml", '\n[[term]]\nid = "half"\n'), "glossary.toml", "section"),
    "doubts": Damage(write("doubts.toml", "doubts = 3\n"), "doubts.toml", "doubt"),
    "letters": Damage(
        lambda root, slug: (get_game_folder(root, slug) / "rulebook.en.md").write_bytes(b"# \xff\n"),
        "rulebook.en.md",
        "UTF-8",
    ),
}
SERVED = {
    "template": Damage(
        lambda root, slug: (get_templates(root, slug) / "position.html").write_text("{% nothing %}", encoding="utf-8"),
        "templates/position.html",
        "nothing",
    ),
}
OPTIONAL: dict[str, Callable[[Path, str], object]] = {
    "broken-bare": lambda root, slug: get_stylesheet(root, slug).unlink(),
    "broken-undrawn": lambda root, slug: get_drawing(root, slug).unlink(),
    "broken-unwritten": lambda root, slug: remove_texts(root, slug),
}
"""What a game need not have, and how it is removed."""
COUNTED = "yahtzee"
"""A game that is one file."""
INTACT = ("take-that", "muzicando", "any-game", "whole", "echo", COUNTED, *OPTIONAL)
"""`echo` yields every candidate twice."""


def get_broken_slug(kind: str) -> str:
    return f"broken-{kind}"


class BrokenApp:
    """A copy of the app with a server, and a visitor who has a table of every game."""

    def __init__(self, root: Path) -> None:
        self.root, self.log = root, ""
        self.visitor = HttpClient("")
        self.tables: dict[str, str] = {}
        self._process: LoggedProcess | None = None

    def start(self) -> None:
        port = get_free_port()
        self.visitor.url, self.visitor.host = f"http://127.0.0.1:{port}", f"127.0.0.1:{port}"
        self._process = start_server(self.root, port)

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            self.log = self._process.communicate(timeout=30)[0]

    def get_page(self, path: str, status: int = 200) -> str:
        response, html = self.visitor.request(path)
        assert response.status == status, (path, response.status, html[-2_000:])
        return html

    def open_table(self, slug: str, mode: str = "pad") -> str:
        fields = {"way": mode, "seat": "n:Ann", "new": "Bo", "action": "open"}
        response, html = self.visitor.post(f"/tables/new/{slug}/", **fields)
        assert response.status == 302, (slug, html[-1_000:])
        return str(response.headers["Location"])


def start_server(root: Path, port: int) -> LoggedProcess:
    env = {**build_environment(root), "PORT": str(port)}
    process = LoggedProcess(
        [sys.executable, "manage.py", "serve"],
        cwd=root,
        env=env,
        text=True,
        encoding="utf-8",
        preexec_fn=restore_sigint,
    )
    wait_until_serving(port, 120)
    return process


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokenApp]:
    """An app whose games were broken after each had a table with an entry."""
    app = BrokenApp(copy_app(tmp_path_factory.mktemp("broken") / "app"))
    slugs = [*map(get_broken_slug, [*EXCLUDED, *SERVED]), *OPTIONAL, "whole", "echo"]
    for slug in slugs:
        add_game_copy(app.root, slug)
    source = "\n\ndef candidates(state):\n    return (play for play in _candidates(state) for _time in range(2))\n"
    add_counted_game(app.root, COUNTED)
    rules = get_game_folder(app.root, "echo") / "rules.py"
    replace_in(rules, {"def candidates(": "def _candidates("})
    append("rules.py", source)(app.root, "echo")
    try:
        app.start()
        for slug in (*slugs, "take-that", COUNTED):
            app.tables[slug] = app.open_table(slug, "referee" if slug == "echo" else "pad")
            if slug != "echo":
                app.visitor.post(f"{app.tables[slug]}entries/", key=f"key-{slug}", kind="close", round="1")
        app.stop()
        for kind, damage in (EXCLUDED | SERVED).items():
            damage.apply(app.root, get_broken_slug(kind))
        for slug, remove_part in OPTIONAL.items():
            remove_part(app.root, slug)
        app.start()
        yield app
    finally:
        app.stop()


def test_the_home_page_shows_all_other_games(app: BrokenApp):
    html = app.get_page("/")
    assert all(f'data-game="{slug}"' in html for slug in (*INTACT, *map(get_broken_slug, SERVED)))
    assert [kind for kind in EXCLUDED if f'data-game="{get_broken_slug(kind)}"' in html] == []
    assert html.count('data-game="take-that"') == 1


@pytest.mark.parametrize("kind", EXCLUDED)
def test_a_table_of_a_broken_game_says_that_it_cannot_be_loaded(app: BrokenApp, kind: str):
    slug = get_broken_slug(kind)
    for language, message in (("en", "can’t be loaded right now"), ("el", "δεν μπορεί να φορτωθεί τώρα")):
        response, html = app.visitor.request(app.tables[slug], headers={"Accept-Language": language})
        assert response.status == 409 and message in html and slug in html
    response, html = app.visitor.post(f"{app.tables[slug]}entries/", key="key-again", kind="reopen")
    assert response.status == 409 and message not in html and 'class="lost"' in html
    assert HttpClient(app.visitor.url).request(app.tables[slug])[0].status == 404, "a stranger must get 404"


@pytest.mark.parametrize("kind", EXCLUDED)
def test_no_page_of_a_table_of_a_broken_game_fails(app: BrokenApp, kind: str):
    table = app.tables[get_broken_slug(kind)]
    for page in ("log/", "paper/", "together/", "display/", "details/", "help/", "news/", "share/", "picture.png"):
        assert app.visitor.request(f"/tables/{table.split('/')[-2]}/{page}")[0].status in (404, 409), page
    for page in ("rules", "calculate", "prepare", "statistics", "tables/new"):
        assert app.visitor.request(f"/{page}/{get_broken_slug(kind)}/")[0].status in (302, 404), page


def test_history_lists_tables_of_broken_games_by_slug(app: BrokenApp):
    html, older = "", [""]
    while older:
        page = app.get_page(f"/history/{older[0]}")
        html += page
        links = [link.attrs.get("href", "") for link in parse_html(page).all("a")]
        older = [link for link in links if "before=" in link]
    for kind in EXCLUDED:
        assert f'href="{app.tables[get_broken_slug(kind)]}"' in html and get_broken_slug(kind) in html


def test_statistics_exports_and_search_still_work(app: BrokenApp):
    for page in ("/statistics/", "/players/", "/en/rules/?q=toad", "/history/bin/", "/history/export/", "/settings/"):
        app.get_page(page)
    for page in ("/manifest.webmanifest", "/sw.js", "/en/offline/", "/history/import/"):
        app.get_page(page)
    for number in (1, 2):
        app.get_page(f"/players/{number}/")
    export = json.loads(app.get_page("/history/export/json/"))
    games = {table["game"] for table in export["tables"]}
    assert {"take-that", "echo", *map(get_broken_slug, SERVED)} <= games and not games & set(
        map(get_broken_slug, EXCLUDED)
    )


@pytest.mark.parametrize("slug", [*map(get_broken_slug, SERVED), "broken-bare", "broken-undrawn"])
def test_a_game_without_stylesheet_or_drawing_is_served(app: BrokenApp, slug: str):
    for page in (app.tables[slug], f"/en/rules/{slug}/", f"/calculate/{slug}/", f"{app.tables[slug]}picture.png"):
        html = app.get_page(page) if not page.endswith(".png") else ""
        for attribute in ("href", "src"):
            for url in [part.partition('"')[0] for part in html.split(f'{attribute}="/static/')[1:]]:
                assert app.visitor.request(f"/static/{url}")[0].status == 200, url


@pytest.mark.parametrize("slug", ["broken-unwritten", COUNTED])
def test_a_game_without_texts_has_no_link_to_them(app: BrokenApp, slug: str):
    table = app.tables[slug]
    app.visitor.post(f"{table}entries/", key=f"key-{slug}-open", kind="reopen", round="1")
    pages = ["/", table, f"{table}help/", f"{table}paper/", f"/calculate/{slug}/", f"/prepare/{slug}/"]
    pages += [f"/statistics/{slug}/", f"/tables/new/{slug}/", "/en/offline/", "/en/rules/"]
    links = {link.attrs.get("href", "") for page in pages for link in parse_html(app.get_page(page)).all("a")}
    assert f"/tables/new/{slug}/" in links
    for link in sorted(link for link in links if link.startswith("/") and slug in link):
        assert app.visitor.request(link)[0].status in (200, 302), link
    for page in ("", "words/", "doubts/", "paper/"):
        assert app.visitor.request(f"/en/rules/{slug}/{page}")[0].status == 404, page
    could_i = app.visitor.request(f"/en/rules/{slug}/could-i/")[0].status
    assert could_i == (404 if slug == COUNTED else 200)  # a referee can be asked without a rulebook


def test_a_game_that_is_one_file_is_counted_to_the_end(app: BrokenApp):
    table = app.open_table(COUNTED)
    for seat, upper in enumerate((30, 20)):
        fields = {f"count.{seat}.upper": str(upper), f"count.{seat}.lower": "100"}
        response, html = app.visitor.post(f"{table}entries/", key=f"key-dice-{seat}", round="1", way="pad", **fields)
        assert response.status == 302, html[-2_000:]
    response, html = app.visitor.post(f"{table}entries/", key="key-dice-close", kind="close", round="1")
    assert "upper section" in app.get_page(f"{table}log/")
    page = app.get_page(table)
    assert "130" in page and "120" in page


def test_equal_candidates_are_one_choice(app: BrokenApp):
    table = app.tables["echo"]
    fields = {"key": "key-echo-1", "round": "1", "place": "1", "way": "referee", "card": "34"}
    response, html = app.visitor.post(f"{table}entries/", **fields)
    assert response.status == 302, html[-2_000:]
    assert "34" in app.get_page(f"{table}log/")
    help_page = app.get_page(f"{table}help/?way=referee")
    assert "500" not in help_page


def test_the_system_check_names_every_broken_file_and_passes(app: BrokenApp):
    process = manage(app.root, "check")
    assert process.returncode == 0, process.stderr
    assert f"identified {len(EXCLUDED) + len(SERVED)} issues" in process.stderr
    for slug, damage in list_damages():
        [line] = [line for line in process.stderr.splitlines() if f"{slug}:" in line and "companion.W001" in line]
        assert damage.file.format(slug=slug) in line and damage.reason in line
    assert manage(app.root, "check", "--fail-level", "WARNING").returncode == 1


def test_doctor_names_every_broken_file(app: BrokenApp):
    output = manage(app.root, "doctor").stdout
    for slug, damage in list_damages():
        [line] = [line for line in output.splitlines() if f"{slug}:" in line]
        assert damage.file.format(slug=slug) in line and damage.reason in line


def test_verify_counts_unreadable_tables_without_a_difference(app: BrokenApp):
    process = manage(app.root, "verify")
    assert process.returncode == 0, process.stdout
    assert f"games that cannot be loaded: {len(EXCLUDED)}" in process.stderr


def test_the_log_names_every_broken_game_once(app: BrokenApp):
    app.stop()
    lines = [json.loads(line) for line in app.log.splitlines() if line.startswith("{")]
    messages = [line["message"] for line in lines if line["logger"] == "companion.games"]
    app.start()
    for kind, damage in EXCLUDED.items():
        [message] = [message for message in messages if f"{get_broken_slug(kind)}:" in message]
        assert damage.file in message and damage.reason in message


def list_damages() -> list[tuple[str, Damage]]:
    return [(get_broken_slug(kind), damage) for kind, damage in (EXCLUDED | SERVED).items()]


def test_a_repaired_game_is_back(app: BrokenApp):
    """Its entries are kept, and its tables can be verified again."""
    (get_game_folder(app.root, get_broken_slug("empty")) / "__init__.py").write_text(
        (get_game_folder(app.root, "whole") / "__init__.py")
        .read_text(encoding="utf-8")
        .replace("games.whole", "games.broken_empty")
        .replace('"whole"', '"broken-empty"'),
        encoding="utf-8",
    )
    app.stop()
    app.start()
    assert "The table is closed" in app.get_page(app.tables[get_broken_slug("empty")])
    assert manage(app.root, "verify").returncode == 0
