"""Exposure of a default installation."""

import pytest
from django.conf import settings
from django.urls import get_resolver
from django.urls.resolvers import URLResolver

PROBED_PATHS = [
    "/admin/", "/admin", "/en/admin/", "/setup/", "/install/", "/login/", "/accounts/login/", "/register/", "/debug/",
    "/__debug__/", "/metrics", "/server-status", "/.env", "/.git/config", "/.git/HEAD", "/data/companion.sqlite3",
    "/companion.sqlite3", "/secret_key", "/settings.py", "/static/", "/static/css/", "/static/../companion/settings.py",
    "/static/%2e%2e/secret_key", "/static/..%2fsecret_key", "/static//etc/passwd", "/static/js/", "/media/",
    "/backup.zip", "/phpinfo.php", "/wp-login.php", "/actuator/health", "/api/", "/graphql",
]  # fmt: skip


@pytest.mark.django_db
@pytest.mark.parametrize("path", PROBED_PATHS)
def test_commonly_probed_paths_do_not_exist(client, path):
    response = client.get(path)
    assert response.status_code == 404
    assert "SECRET" not in response.content.decode() and "urlpatterns" not in response.content.decode()


def test_there_are_no_user_accounts():
    assert not any(name.startswith(("django.contrib.admin", "django.contrib.auth")) for name in settings.INSTALLED_APPS)
    assert "*" not in [str(host) for host in settings.ALLOWED_HOSTS]


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "PROPFIND", "TRACK", "X" * 500])
def test_unusual_http_methods_are_refused(client, method):
    for path in ("/", "/history/", "/join/", "/static/icons/icon.svg", "/api/v1/"):
        response = client.generic(method, path, HTTP_COOKIE="device=secret", HTTP_X_CANARY="canary")
        assert response.status_code in (401, 403, 404, 405), path
        content = b"".join(response)
        assert b"canary" not in content and b"device=secret" not in content
        response.close()


def test_every_url_belongs_to_the_app():
    resolvers, names = [get_resolver()], set()
    while resolvers:
        for pattern in resolvers.pop().url_patterns:
            if isinstance(pattern, URLResolver):
                resolvers.append(pattern)
            else:
                names.add(pattern.callback.__module__.partition(".")[0])
    assert names == {"companion"}
