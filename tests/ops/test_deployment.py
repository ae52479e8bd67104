"""What keeps the companion running: units, container, proxy, and the commands that their pages tell."""

import configparser
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from fnmatch import fnmatch
from pathlib import Path

import pytest
from django.core.management import get_commands

from companion.management.commands.service import Command
from companion.ops.systemd import Installation, render_units

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "docs/operating.md", "docs/upgrading.md")
DEPLOY = ROOT / "deploy"
ANALYZE = shutil.which("systemd-analyze")
with_systemd = pytest.mark.skipif(not ANALYZE, reason="systemd-analyze is not on this machine")
with_caddy = pytest.mark.skipif(not shutil.which("caddy"), reason="Caddy is not on this machine")


def written(folder: Path, root: Path, port: int = 8000) -> list[str]:
    """The units for a companion that lies in the folder `root`, in files; their paths."""
    (root / "companion" / "locale").mkdir(parents=True)
    place = Installation("daemon", root, root / "data", Path(sys.executable), Path(sys.base_prefix), port)
    paths = []
    for name, content in render_units(place).items():
        (folder / name).write_text(content, encoding="utf-8")
        paths.append(str(folder / name))
    return paths


def lines(unit: str) -> dict[str, str]:
    """The settings of the section Service; of those that stand there several times the last."""
    parsed = configparser.RawConfigParser(strict=False, delimiters="=", interpolation=None)
    parsed.optionxform = str
    parsed.read_string(unit)
    return dict(parsed["Service"])


@with_systemd
@pytest.mark.parametrize("name", ["companion", 'a "folder" of 100 % cards'])
def test_systemd_understands_every_line_of_the_units(tmp_path, name):
    paths = written(tmp_path, tmp_path / name)
    ended = subprocess.run([ANALYZE, "verify", *paths], capture_output=True, text=True, timeout=60)
    ours = [line for line in ended.stderr.splitlines() if str(tmp_path) in line]
    assert (ended.returncode, ours) == (0, [])


@with_systemd
@pytest.mark.parametrize("port", [80, 8000])
def test_the_units_are_fenced_in(tmp_path, port):
    server, nightly, _timer = written(tmp_path, tmp_path / "companion", port)
    # The threshold is ten times the figure from 0 (fenced in) to 10; a unit without any fence has 9.6.
    command = [ANALYZE, "security", "--offline=yes", "--threshold=20", "--no-pager", server, nightly]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0, ended.stdout[-300:]


def test_only_a_port_below_1024_needs_a_capability():
    place = Installation("pi", Path("/srv/companion"), Path("/srv/data"), Path("/usr/bin/python3"), Path("/usr"))
    assert lines(render_units(place)["companion.service"])["AmbientCapabilities"] == ""
    low = Installation("pi", place.root, place.data, place.python, place.prefix, port=443)
    assert lines(render_units(low)["companion.service"])["AmbientCapabilities"] == "CAP_NET_BIND_SERVICE"


def test_a_folder_in_a_home_is_shown_to_the_server_and_the_rest_of_the_home_is_not():
    home = Path("/home/pi/companion")
    fence = lines(
        render_units(Installation("pi", home, home / "data", home / "python", Path("/usr")))["companion.service"]
    )
    assert fence["ProtectHome"] == "tmpfs"
    assert (fence["BindReadOnlyPaths"], fence["BindPaths"]) == ('"/home/pi/companion"', '"/home/pi/companion/data"')


def test_the_command_prints_the_units_of_this_folder(capsys):
    Command().handle()
    printed = capsys.readouterr().out
    assert f'ExecStart="{sys.executable}" manage.py serve' in printed
    assert f"WorkingDirectory={ROOT}\n" in printed


def test_every_command_that_is_told_exists():
    text = "\n".join(
        [*render_units(Installation("pi", ROOT, ROOT, ROOT, ROOT)).values()]
        + [(ROOT / name).read_text() for name in (*PAGES, "Makefile")]
        + [(DEPLOY / name).read_text() for name in ("Containerfile", "compose.yaml", "Caddyfile")]
    )
    assert set(re.findall(r"manage\.py ([a-z_]+)", text)) <= set(get_commands())
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    blocks = "\n".join(re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    assert set(re.findall(r"^make ([a-z-]+)", blocks, re.MULTILINE)) <= targets


def copied() -> list[str]:
    """What the Containerfile takes from this folder."""
    found = re.findall(r"^COPY (?!--from)(.+) \S+$", (DEPLOY / "Containerfile").read_text(), re.MULTILINE)
    return [name for names in found for name in names.split()]


def test_only_what_the_image_needs_is_ever_sent_to_its_builder():
    rules = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and line[0] != "#"]
    assert rules[0] == "*"
    let_in = [rule[1:] for rule in rules if rule.startswith("!")]
    assert sorted(let_in) == sorted(copied())
    assert not any(fnmatch(name, rule) for rule in let_in for name in ("data", ".git", ".venv", ".env", "tests"))
    assert all((ROOT / name).exists() for name in let_in)


def test_the_image_and_the_readme_name_the_same_packages_for_pdf():
    needed = set(re.findall(r"lib(?:pango|harfbuzz)[a-z0-9.-]*", (ROOT / "Makefile").read_text()))
    for name in ("deploy/Containerfile", "README.md"):
        assert needed <= set(re.findall(r"lib(?:pango|harfbuzz)[a-z0-9.-]*", (ROOT / name).read_text())), name


def told(part: str) -> list[list[str]]:
    """The lines of each block of commands in that part of docs/upgrading.md."""
    text = (ROOT / "docs/upgrading.md").read_text().partition(f"## {part}\n")[2].partition("\n## ")[0]
    return [block.splitlines() for block in re.findall(r"^```\n(.*?)^```", text, re.MULTILINE | re.DOTALL)]


def done(machine: Path, command: str, answer: str = "yes\n") -> str:
    """What a command of the page says, on a machine that is nothing but a data folder."""
    words = [sys.executable, str(ROOT / "manage.py"), *shlex.split(command.partition("manage.py ")[2])]
    env = {"PATH": os.environ["PATH"], "COMPANION_DATA": str(machine)}
    ended = subprocess.run(words, cwd=machine.parent, env=env, input=answer, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0, (command, ended.stderr)
    return ended.stdout


def test_who_moves_by_the_page_finds_everything_on_the_other_machine(tmp_path):
    leave, arrive = told("To another machine")
    old, new = tmp_path / "old", tmp_path / "new"
    begin = "from django.core.management import call_command; call_command('migrate', verbosity=0); "
    begin += (
        "from companion.people.models import *; Player.objects.create(circle=Circle.objects.create(), name='Ελένη')"
    )
    done(old, f"manage.py shell --verbosity 0 --command {shlex.quote(begin)}")
    for machine, lines in ((old, leave), (new, arrive)):
        for line in lines:
            if "manage.py" in line:
                done(machine, line)
    with closing(sqlite3.connect(new / "companion.sqlite3")) as database:
        assert database.execute("SELECT name FROM people_player").fetchall() == [("Ελένη",)]


@with_caddy
def test_caddy_understands_the_caddyfile(tmp_path):
    # Without the module of a DNS provider, which Debian's Caddy does not have.
    plain = re.sub(r"\ttls \{.*?\n\t\}\n", "", (DEPLOY / "Caddyfile").read_text(), flags=re.DOTALL)
    (tmp_path / "Caddyfile").write_text(plain)
    ended = subprocess.run(
        ["caddy", "validate", "--config", "Caddyfile", "--adapter", "caddyfile"],
        cwd=tmp_path, env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr[-500:]
