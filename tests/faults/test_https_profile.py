"""Cookies, headers and scanner grade of the https profile."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.browser.proxy import create_certificate
from tests.faults.http_client import HttpClient
from tests.faults.https_server import serve_https
from tests.test_settings import POLICY

COOKIES = ("csrftoken", "django_language", "theme", "text", "device", "came_from")
OBSERVATORY = "@mdn/mdn-http-observatory@1"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return create_certificate(tmp_path_factory.mktemp("strict"))


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory, certificate: Path) -> Iterator[str]:
    with serve_https(tmp_path_factory.mktemp("strict") / "data", certificate) as own:
        yield own


@pytest.fixture
def visitor(url: str, certificate: Path) -> HttpClient:
    return HttpClient(url, certificate)


def test_cookies_are_host_only_and_http_only(visitor: HttpClient) -> None:
    assert visitor.post("/settings/change/", language="el", theme="dark", text="large", next="/")[0].status == 302
    visitor.ask("/en/rules/take-that/", came=visitor.open())
    assert set(visitor.cookies) == {f"__Host-{own}" for own in COOKIES}
    for name, (value, said) in visitor.cookies.items():
        assert {"Secure", "HttpOnly", "SameSite=Lax", "Path=/"} <= said, name
        assert not any(own.startswith("Domain") for own in said) and len(value) < 4_000, name


def test_settings_and_device_are_recognised_again(visitor: HttpClient) -> None:
    visitor.post("/settings/change/", language="el", theme="dark", text="large", next="/")
    visitor.open()
    html = visitor.ask("/players/")[1]
    assert '<html lang="el" data-theme="dark" data-text="large"' in html and "Bo" in html


@pytest.mark.parametrize("path", ["/", "/nowhere/", "/static/icons/icon.svg", "/sw.js", "/api/v1/"])
def test_every_response_has_the_strict_security_headers(visitor: HttpClient, path: str) -> None:
    answer, _html = visitor.ask(path)
    assert sorted(answer.headers["Content-Security-Policy"].split("; ")) == sorted(POLICY.split("; "))
    assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def scanner(folder: Path) -> Path:
    """Mozilla's scanner, fetched unless OBSERVATORY names a folder that has it. Skips where it cannot be had."""
    where = Path(os.environ.get("OBSERVATORY") or folder)
    found = where / "node_modules/@mdn/mdn-http-observatory"
    if not shutil.which("npm"):
        pytest.skip("There is no npm here, with which the scanner is fetched.")
    if not found.exists():
        fetch = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(where), OBSERVATORY]
        done = subprocess.run(fetch, capture_output=True, text=True, timeout=300)
        if done.returncode:
            pytest.skip(f"The scanner cannot be fetched: {done.stderr[-200:]}")
    (found / "conf/hsts-preload.json").write_text("{}")
    return found


@pytest.mark.long
def test_the_observatory_gives_the_best_grade(url: str, certificate: Path, tmp_path: Path) -> None:
    trust = os.environ | {"NODE_EXTRA_CA_CERTS": str(certificate)}
    scan = ["node", "src/scan.js", urlsplit(url).netloc]
    done = subprocess.run(scan, cwd=scanner(tmp_path), env=trust, capture_output=True, text=True, timeout=120)
    found = json.loads(done.stdout)
    assert found.get("scan"), found
    assert found["scan"]["grade"] == "A+" and found["scan"]["score"] >= 130, json.dumps(found, indent=1)
