"""Forbidden patterns in code, templates and scripts, and their exceptions."""

import re
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.ROOT)
FORBIDDEN = {
    "text that is declared to be markup": r"\|\s*safe(seq)?\b|mark_safe|autoescape off|SafeString\(|csrf_exempt",
    "markup out of text, in scripts": r"\.(inner|outer)HTML\s*\+?=|insertAdjacentHTML|document\.write\(|srcdoc",
    "text that is run": r"\beval\(|\bexec\(|new Function\(|setTimeout\([\"'`]|\bpickle|\bmarshal\.|yaml\.load",
    "scripts in attributes": r"hx-on|\bjs:|javascript:|\son(click|load|change|submit|input|error)\s*=\s*[\"']",
    "style and script in the page": r"\sstyle=|<style|<script(?![^>]*\ssrc=)",
    "filters that are slow or wrong for what people type": r"\|\s*(urlizetrunc|urlize|striptags|wordwrap|intcomma)\b",
    "queries made of names from outside": r"\.(filter|exclude|get|annotate|alias|order_by)\(\*|\.(extra|raw)\(|RawSQL",
    "a shell": r"shell=True|os\.system|os\.popen",
    "a way out to other servers": r"\burlopen\b|\bimport requests\b|\bhttpx\b|http\.client|smtplib|create_connection\(",
}
ALLOWED = {
    ("api/views.py", "csrf_exempt"): "Read-only, and cookies are not used.",
    ("tables/_box.html", "|striptags"): "Removes <bdi> from labels of a game, in which names are already escaped.",
    ("controls/_tap_order.html", "|striptags"): "The same.",
    ("sideboards/templates/_row_goal.html", "|striptags"): "The same.",
    ("statistics/group_stats.py", ".annotate(*"): "Names from a constant.",
    ("statistics/ratings.py", ".filter(*"): "Names from the same function.",
    ("health/configuration.py", "http.client"): "Probes the local server only.",
    ("tables/auth.py", ".raw("): "One constant statement with parameters.",
    ("exchange/export_records.py", ".filter(*"): "Names from the same function.",
}
"""Reasons by the end of the path and the start of the match."""


def read_lines(suffix: str) -> list[tuple[str, str]]:
    folders = {".html": ("companion", "templates"), ".py": ("companion",), ".js": ("companion", "static/js")}[suffix]
    paths = [path for folder in folders for path in sorted((ROOT / folder).rglob(f"*{suffix}"))]
    return [(path.as_posix(), line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


def find_exception(path: str, match: str) -> tuple[str, str] | None:
    return next((key for key in ALLOWED if path.endswith(key[0]) and "".join(match.split()).startswith(key[1])), None)


@pytest.mark.parametrize("suffix", [".html", ".py", ".js"])
@pytest.mark.parametrize("name", FORBIDDEN)
def test_forbidden_patterns_occur_only_with_a_reason(name, suffix):
    hits = [(path, hit[0]) for path, line in read_lines(suffix) for hit in re.finditer(FORBIDDEN[name], line)]
    assert [f"{path}: {match}" for path, match in hits if not find_exception(path, match)] == []


def test_every_exception_is_still_needed():
    hits = [
        (path, hit[0])
        for suffix in (".html", ".py", ".js")
        for path, line in read_lines(suffix)
        for pattern in FORBIDDEN.values()
        for hit in re.finditer(pattern, line)
    ]
    assert {find_exception(path, match) for path, match in hits} - {None} == set(ALLOWED)
