"""systemd units, container image, Caddyfile and the guide to moving."""

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

from companion.management.commands.service import Command, render_units

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
ANALYZE = shutil.which("systemd-analyze")
with_systemd = pytest.mark.skipif(not ANALYZE, reason="needs systemd-analyze")
with_caddy = pytest.mark.skipif(not shutil.which("caddy"), reason="needs Caddy")


def write_units(folder: Path, root: Path, port: int = 8000) -> list[str]:
    """Write the units of an installation in the folder `root`; return their paths."""
    (root / "companion" / "locale").mkdir(parents=True)
    paths = []
    for name, content in render_units(root=root, data=root / "data", port=port).items():
        (folder / name).write_text(content, encoding="utf-8")
        paths.append(str(folder / name))
    return paths


def read_service_settings(unit: str) -> dict[str, str]:
    """Return the settings in the Service section; the last of repeated ones."""
    parser = configparser.RawConfigParser(strict=False, delimiters="=", interpolation=None)
    parser.optionxform = str
    parser.read_string(unit)
    return dict(parser["Service"])


@with_systemd
@pytest.mark.parametrize("name", ["companion", 'a "folder" of 100 % cards'])
def test_systemd_accepts_the_units(tmp_path, name):
    paths = write_units(tmp_path, tmp_path / name)
    result = subprocess.run([ANALYZE, "verify", *paths], capture_output=True, text=True, timeout=60)
    complaints = [line for line in result.stderr.splitlines() if str(tmp_path) in line]
    assert (result.returncode, complaints) == (0, [])


@with_systemd
@pytest.mark.parametrize("port", [80, 8000])
def test_units_are_sandboxed(tmp_path, port):
    server, nightly, _timer = write_units(tmp_path, tmp_path / "companion", port)
    # The threshold is ten times the exposure level from 0 to 10; a unit without any sandboxing has 9.6.
    command = [ANALYZE, "security", "--offline=yes", "--threshold=20", "--no-pager", server, nightly]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stdout[-300:]


def test_only_a_port_below_1024_needs_a_capability():
    root = Path("/srv/companion")
    units = [render_units(root=root, data=root / "data", port=port)["companion.service"] for port in (1024, 443)]
    capabilities = [read_service_settings(unit)["AmbientCapabilities"] for unit in units]
    assert capabilities == ["", "CAP_NET_BIND_SERVICE"]


def test_server_sees_only_its_own_folder_of_a_home(monkeypatch):
    home = Path("/home/pi/companion")
    monkeypatch.setattr(sys, "base_prefix", "/usr")
    service = read_service_settings(render_units(root=home, data=home / "data", port=8000)["companion.service"])
    assert service["ProtectHome"] == "tmpfs"
    assert (service["BindReadOnlyPaths"], service["BindPaths"]) == ('"/home/pi/companion"', '"/home/pi/companion/data"')


def test_service_command_prints_the_units_of_this_folder(capsys):
    Command().handle()
    output = capsys.readouterr().out
    assert f'ExecStart="{sys.executable}" manage.py serve' in output
    assert f"WorkingDirectory={ROOT}\n" in output


def test_units_and_deployment_files_name_existing_commands():
    texts = [path.read_text() for path in (ROOT / "Makefile", *DEPLOY.rglob("*")) if path.is_file()]
    assert set(re.findall(r"manage\.py ([a-z_]+)", "\n".join(texts))) <= set(get_commands())


def read_copied_paths() -> list[str]:
    """Return the project paths that the Containerfile copies."""
    groups = re.findall(r"^COPY (?!--from)(.+) \S+$", (DEPLOY / "Containerfile").read_text(), re.MULTILINE)
    return [path for paths in groups for path in paths.split()]


def test_build_context_holds_only_what_the_image_copies():
    rules = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and line[0] != "#"]
    assert rules[0] == "*"
    included = [rule[1:] for rule in rules if rule.startswith("!")]
    assert sorted(included) == sorted(read_copied_paths())
    assert not any(fnmatch(name, rule) for rule in included for name in ("data", ".git", ".venv", ".env", "tests"))
    assert all((ROOT / name).exists() for name in included)


def test_image_and_readme_install_the_packages_for_pdf():
    packages = re.compile(r"lib(?:pango|harfbuzz)[a-z0-9.-]*")
    needed = set(packages.findall((ROOT / "Makefile").read_text()))
    for name in ("deploy/Containerfile", "README.md"):
        assert needed <= set(packages.findall((ROOT / name).read_text())), name


def read_command_blocks(heading: str) -> list[list[str]]:
    """Return the lines of each block of commands below a heading of docs/upgrading.md."""
    section = (ROOT / "docs/upgrading.md").read_text().partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return [block.splitlines() for block in re.findall(r"^```\n(.*?)^```", section, re.MULTILINE | re.DOTALL)]


def run_command(data: Path, command: str) -> None:
    """Run a management command of the guide with another data folder, confirming every prompt."""
    arguments = [sys.executable, str(ROOT / "manage.py"), *shlex.split(command.partition("manage.py ")[2])]
    env = {"PATH": os.environ["PATH"], "COMPANION_DATA": str(data)}
    result = subprocess.run(
        arguments, cwd=data.parent, env=env, input="yes\n", capture_output=True, text=True, timeout=60
    )
    assert result.returncode == 0, (command, result.stderr)


@pytest.mark.slow
def test_guide_to_moving_brings_everything_along(tmp_path):
    leave, arrive = read_command_blocks("To another machine")
    old, new = tmp_path / "old", tmp_path / "new"
    script = "from django.core.management import call_command; call_command('migrate', verbosity=0); "
    script += (
        "from companion.people.models import *; Player.objects.create(circle=Circle.objects.create(), name='Ελένη')"
    )
    run_command(old, f"manage.py shell --verbosity 0 --command {shlex.quote(script)}")
    for data, lines in ((old, leave), (new, arrive)):
        for line in lines:
            if "manage.py" in line:
                run_command(data, line)
    with closing(sqlite3.connect(new / "companion.sqlite3")) as database:
        assert database.execute("SELECT name FROM people_player").fetchall() == [("Ελένη",)]


@with_caddy
def test_caddy_accepts_the_caddyfile(tmp_path):
    # Debian's Caddy has no DNS provider modules.
    plain = re.sub(r"\ttls \{.*?\n\t\}\n", "", (DEPLOY / "Caddyfile").read_text(), flags=re.DOTALL)
    (tmp_path / "Caddyfile").write_text(plain)
    result = subprocess.run(
        ["caddy", "validate", "--config", "Caddyfile", "--adapter", "caddyfile"],
        cwd=tmp_path, env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr[-500:]
