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
    with serve_https(tmp_path_factory.mktemp("strict") / "data", certificate) as url:
        yield url


@pytest.fixture
def visitor(url: str, certificate: Path) -> HttpClient:
    return HttpClient(url, certificate)


def test_cookies_are_host_only_and_http_only(visitor: HttpClient) -> None:
    assert visitor.post("/settings/change/", language="el", theme="dark", text="large", next="/")[0].status == 302
    visitor.request("/en/rules/take-that/", referer=visitor.open_table())
    assert set(visitor.cookies) == {f"__Host-{name}" for name in COOKIES}
    for name, (value, attributes) in visitor.cookies.items():
        assert {"Secure", "HttpOnly", "SameSite=Lax", "Path=/"} <= attributes, name
        assert not any(attribute.startswith("Domain") for attribute in attributes) and len(value) < 4_000, name


def test_settings_and_device_are_recognised_again(visitor: HttpClient) -> None:
    visitor.post("/settings/change/", language="el", theme="dark", text="large", next="/")
    visitor.open_table()
    html = " ".join(visitor.request("/players/")[1].split())
    assert '<html lang="el" data-theme="dark" data-text="large"' in html and "Bo" in html


@pytest.mark.parametrize("path", ["/", "/nowhere/", "/static/icons/icon.svg", "/sw.js", "/api/v1/"])
def test_every_response_has_the_strict_security_headers(visitor: HttpClient, path: str) -> None:
    response, _html = visitor.request(path)
    assert sorted(response.headers["Content-Security-Policy"].split("; ")) == sorted(POLICY.split("; "))
    assert response.headers["Strict-Transport-Security"] == "max-age=31536000"
    assert response.headers["X-Content-Type-Options"] == "nosniff"


def install_scanner(folder: Path) -> Path:
    """Install Mozilla's scanner, unless OBSERVATORY names a folder that has it. Skips if that fails."""
    root = Path(os.environ.get("OBSERVATORY") or folder)
    scanner = root / "node_modules/@mdn/mdn-http-observatory"
    if not shutil.which("npm"):
        pytest.skip("npm is not installed.")
    if not scanner.exists():
        install = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(root), OBSERVATORY]
        process = subprocess.run(install, capture_output=True, text=True, timeout=300)
        if process.returncode:
            pytest.skip(f"The scanner cannot be installed: {process.stderr[-200:]}")
    (scanner / "conf/hsts-preload.json").write_text("{}")
    return scanner


@pytest.mark.long
def test_the_observatory_gives_the_best_grade(url: str, certificate: Path, tmp_path: Path) -> None:
    env = os.environ | {"NODE_EXTRA_CA_CERTS": str(certificate)}
    command = ["node", "src/scan.js", urlsplit(url).netloc]
    process = subprocess.run(
        command, cwd=install_scanner(tmp_path), env=env, capture_output=True, text=True, timeout=120
    )
    report = json.loads(process.stdout)
    assert report.get("scan"), report
    assert report["scan"]["grade"] == "A+" and report["scan"]["score"] >= 130, json.dumps(report, indent=1)
