"""Tracked files and dependencies: no secrets, no runtime files, no vulnerable versions."""

import math
import re
import subprocess
import tomllib
from collections import Counter
from pathlib import Path

import django
import pytest
from django.conf import settings

ROOT = Path(settings.ROOT)
SECRETS = {
    "a private key": r"-----BEGIN [A-Z ]*PRIVATE KEY",
    "a key of a cloud": r"\bAKIA[0-9A-Z]{16}\b|\bAIza[0-9A-Za-z_-]{35}\b",
    "a token of a forge": r"\bgh[pousr]_[0-9A-Za-z]{36}|\bglpat-[0-9A-Za-z_-]{20}|\bnpm_[0-9A-Za-z]{36}",
    "a token of a chat": r"\bxox[abprs]-[0-9A-Za-z-]{10,}",
    "a signed token": r"\beyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}",
    "a password in an address": r"\w+://[^\s/:@<{]+:(?!password|secret|companion|pass\b)[^\s/:@<{$]+@[\w.-]+",
    "a key that is written down": r"(?i)(secret_key|api_key|password|token)\s*[=:]\s*[\"'][0-9a-z+/_-]{24,}[\"']",
}
"""Patterns of secrets; examples use the words password, secret or companion."""
RUNTIME_FILE = re.compile(
    r"\.(sqlite3|db|env|pem|key|log)(-wal|-shm|-journal)?$|(^|/)(\.git|\.env|data|\.venv)(/|$)|secret_key$"
)
"""Files of a running server or of a developer's machine."""
MIN_VERSIONS = {"django": "5.2.19", "waitress": "3.0.2", "whitenoise": "6.12", "pillow": "12", "django-csp": "4.0"}
"""The lowest versions without a known vulnerability; check again after each announcement."""


def list_tracked_files() -> list[str]:
    process = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if process.returncode:
        pytest.skip("not a git repository")
    return [name for name in process.stdout.split("\0") if name]


def read_tracked_texts():
    for name in filter(lambda path: (ROOT / path).is_file(), list_tracked_files()):
        data = (ROOT / name).read_bytes()
        if b"\0" not in data and not name.endswith("test_package.py"):
            yield name, data.decode("utf-8", "replace")


@pytest.mark.parametrize("name", SECRETS)
def test_no_tracked_file_holds_a_secret(name):
    hits = [f"{path}: {hit[0]}" for path, text in read_tracked_texts() for hit in re.finditer(SECRETS[name], text)]
    assert hits == []


def compute_entropy(word: str) -> float:
    """Return the bits per letter."""
    return -sum(n / len(word) * math.log2(n / len(word)) for n in Counter(word).values())


def test_the_settings_hold_no_random_values():
    """Such as the key that `startproject` writes into the settings."""
    text = "".join(path.read_text() for path in (ROOT / "companion").glob("*.py"))
    assert [word for word in re.findall(r"[\"']([^\"'\s]{32,})[\"']", text) if compute_entropy(word) > 4.5] == []


def test_no_runtime_file_is_tracked():
    assert [name for name in list_tracked_files() if RUNTIME_FILE.search(name)] == []


def parse_version(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)))


def test_versions_with_known_vulnerabilities_are_excluded():
    requirements = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    minimums = {
        re.split(r"[\[<>=]", requirement)[0]: requirement.partition(">=")[2].partition(",")[0]
        for requirement in requirements
    }
    pinned = dict(re.findall(r"^([\w.-]+)==([\w.]+)", (ROOT / "constraints.txt").read_text(), re.MULTILINE))
    for name, floor in MIN_VERSIONS.items():
        assert parse_version(minimums[name]) >= parse_version(floor) <= parse_version(pinned[name]), name
    assert parse_version(django.get_version()) >= parse_version(MIN_VERSIONS["django"])


def test_constraints_pin_every_dependency():
    requirements = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    pinned = {line.partition("==")[0].strip().lower() for line in (ROOT / "constraints.txt").read_text().splitlines()}
    assert {re.split(r"[\[<>=]", requirement)[0].lower() for requirement in requirements} <= pinned
