"""Exposure of a default installation."""

import pytest
from django.conf import settings
from django.urls import get_resolver
from django.urls.resolvers import URLResolver

CURIOUS = [
    "/admin/", "/admin", "/en/admin/", "/setup/", "/install/", "/login/", "/accounts/login/", "/register/", "/debug/",
    "/__debug__/", "/metrics", "/server-status", "/.env", "/.git/config", "/.git/HEAD", "/data/companion.sqlite3",
    "/companion.sqlite3", "/secret_key", "/settings.py", "/static/", "/static/css/", "/static/../companion/settings.py",
    "/static/%2e%2e/secret_key", "/static/..%2fsecret_key", "/static//etc/passwd", "/static/js/", "/media/",
    "/backup.zip", "/phpinfo.php", "/wp-login.php", "/actuator/health", "/api/", "/graphql",
]  # fmt: skip


@pytest.mark.django_db
@pytest.mark.parametrize("path", CURIOUS)
def test_commonly_probed_paths_do_not_exist(client, path):
    answer = client.get(path)
    assert answer.status_code == 404
    assert "SECRET" not in answer.content.decode() and "urlpatterns" not in answer.content.decode()


def test_there_are_no_user_accounts():
    assert not any(name.startswith(("django.contrib.admin", "django.contrib.auth")) for name in settings.INSTALLED_APPS)
    assert "*" not in [str(host) for host in settings.ALLOWED_HOSTS]


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "PROPFIND", "TRACK", "X" * 500])
def test_unusual_http_methods_are_refused(client, method):
    for path in ("/", "/history/", "/join/", "/static/icons/icon.svg", "/api/v1/"):
        answer = client.generic(method, path, HTTP_COOKIE="device=secret", HTTP_X_CANARY="canary")
        assert answer.status_code in (401, 403, 404, 405), path
        said = b"".join(answer)
        assert b"canary" not in said and b"device=secret" not in said
        answer.close()


def test_every_url_belongs_to_the_app():
    todo, names = [get_resolver()], set()
    while todo:
        for part in todo.pop().url_patterns:
            if isinstance(part, URLResolver):
                todo.append(part)
            else:
                names.add(part.callback.__module__.partition(".")[0])
    assert names == {"companion"}
