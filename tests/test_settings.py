import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path

ROOT = Path(__file__).resolve().parent.parent
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
    "manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

pytestmark = pytest.mark.urls(__name__)


def show_page(request: HttpRequest) -> HttpResponse:
    return HttpResponse("a page " * 100)


def raise_error(request: HttpRequest) -> HttpResponse:
    raise RuntimeError


def echo_body(request: HttpRequest) -> HttpResponse:
    return HttpResponse(request.body)


urlpatterns = [path("page", show_page), path("broken", raise_error), path("oversized", echo_body)]


@pytest.fixture
def visitor(settings) -> Client:
    settings.CSRF_FAILURE_VIEW = "django.views.csrf.csrf_failure"  # ours links to pages that these urlpatterns lack
    return Client(raise_request_exception=False, enforce_csrf_checks=True)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("method", "path", "host", "status"),
    [
        ("get", "/page", "localhost", 200),
        ("get", "/nowhere", "localhost", 404),
        ("get", "/broken", "localhost", 500),
        ("get", "/page", "evil.example", 400),
        ("post", "/page", "localhost", 403),
        ("get", "/static/nowhere.css", "localhost", 404),
    ],
)
def test_every_response_has_the_security_headers(visitor, method, path, host, status):
    response = getattr(visitor, method)(path, headers={"host": host})
    assert response.status_code == status
    assert sorted(response["Content-Security-Policy"].split("; ")) == sorted(POLICY.split("; "))
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Referrer-Policy"] == "same-origin"
    assert response["Cross-Origin-Opener-Policy"] == "same-origin"
    assert response["Cross-Origin-Resource-Policy"] == "same-origin"
    assert response["X-Frame-Options"] == "DENY"


def test_a_body_above_the_limit_is_refused():
    client = Client(raise_request_exception=False)
    assert client.post("/oversized", "x" * 65_536, content_type="text/plain").status_code == 200
    assert client.post("/oversized", "x" * 65_537, content_type="text/plain").status_code == 400


def test_pages_are_compressed(client):
    assert client.get("/page", headers={"accept-encoding": "gzip"})["Content-Encoding"] == "gzip"


@pytest.mark.urls("companion.urls")
def test_the_system_checks_pass():
    call_command("check", fail_level="WARNING")


@pytest.mark.django_db  # closing a response closes old connections
def test_static_files_are_immutable_and_compressed(client):
    from django.contrib.staticfiles.storage import staticfiles_storage

    response = client.get(staticfiles_storage.url("django_htmx/htmx-2.min.js"), headers={"accept-encoding": "br"})
    assert response["Content-Encoding"] == "br"
    assert "immutable" in response["Cache-Control"]
    assert "Access-Control-Allow-Origin" not in response
    response.close()


def run_manage(tmp_path: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a management command in another process, as settings are read once per process."""
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "COMPANION_DATA": str(tmp_path), **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_a_public_https_url_enables_the_strict_profile(tmp_path):
    expression = (
        "from django.conf import settings; print(settings.CSRF_COOKIE_SECURE, settings.SECURE_HSTS_SECONDS, "
        "settings.SECURE_SSL_REDIRECT, 'cards.example.org' in settings.ALLOWED_HOSTS, settings.CSRF_TRUSTED_ORIGINS)"
    )
    shell = ("shell", "--verbosity", "0", "--command", expression)
    strict = run_manage(tmp_path, *shell, PUBLIC_URL="https://cards.example.org")
    assert strict.stdout.strip() == "True 31536000 True True ['https://cards.example.org']", strict.stderr
    plain = run_manage(tmp_path, *shell)
    assert plain.stdout.strip() == "False 0 False False []", plain.stderr


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "http"),
        ("DEBUG", "perhaps"),
        ("PUBLIC_URL", "cards"),
        ("WORKERS", "0"),
        ("TZ", "Nowhere"),
        ("LOG_LEVEL", "x"),
    ],
)
def test_an_invalid_variable_stops_the_start_with_a_message(tmp_path, name, value):
    process = run_manage(tmp_path, "check", **{name: value})
    assert process.returncode == 1
    assert name in process.stderr
    assert "Traceback" not in process.stderr


@pytest.mark.parametrize(
    ("url", "silenced"),
    [
        ("", ["security.W004", "security.W008", "security.W016"]),
        ("https://cards.example.org", ["security.W005", "security.W021"]),
    ],
)
def test_deployment_checks_pass_except_the_silenced_ones(tmp_path, url, silenced):
    """Every silenced check would otherwise report something."""
    process = run_manage(tmp_path, "check", "--deploy", "--fail-level", "WARNING", PUBLIC_URL=url)
    assert process.returncode == 0, process.stderr
    expression = (
        "from django.conf import settings; from django.core.checks import run_checks; "
        "print(sorted(check.id for check in run_checks(include_deployment_checks=True) if check.level >= 30), "
        "settings.SILENCED_SYSTEM_CHECKS, settings.DEBUG)"
    )
    result = run_manage(tmp_path, "shell", "--verbosity", "0", "--command", expression, PUBLIC_URL=url)
    assert result.stdout.strip() == f"{silenced} {silenced} False", result.stderr
