"""Error responses: what was saved, what to do, and the request id."""

import re

import pytest
from django.conf import settings
from django.core.exceptions import BadRequest, PermissionDenied, SuspiciousOperation
from django.db import OperationalError
from django.test import RequestFactory
from django.urls import reverse
from django.utils import translation

from companion import limits
from companion.middleware import error_pages
from companion.people.rate_limits import RateLimitExceeded
from companion.site import views
from companion.tables.models import Entry
from tests.web.people import FIRST_PLAY, Person, dump_database, new_key

SECRETS = re.compile(r"Traceback|SELECT|INSERT|OperationalError|site-packages|\.py\b|DATABASES|settings\.|Annabel")
LANGUAGES = [code for code, _name in settings.LANGUAGES]


def send_large_entry(alice, table, htmx):
    return alice.enter(table, htmx=htmx, kind="x" * limits.MAX_FORM_BYTES)


def send_put(alice, table, htmx):
    return alice.put(reverse("record", args=[table.public_id]), headers={"HX-Request": "true"} if htmx else {})


def send_as_stranger(alice, table, htmx):
    stranger = Person()
    stranger.cookies[settings.LANGUAGE_COOKIE_NAME] = alice.cookies[settings.LANGUAGE_COOKIE_NAME].value
    return stranger.enter(table, htmx=htmx, **FIRST_PLAY)


def send_without_csrf_token(alice, table, htmx):
    alice.handler.enforce_csrf_checks = True
    return alice.enter(table, htmx=htmx, **FIRST_PLAY)


def create_failing_request(error):
    def send(alice, table, htmx):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("companion.tables.forms.entry.parse_entry", lambda *_: raise_error(error))
            return alice.enter(table, htmx=htmx, **FIRST_PLAY)

    return send


def raise_error(error):
    raise error


REQUESTS_BY_ERROR = {
    400: create_failing_request(BadRequest("Annabel")),
    "400 of a suspicious request": create_failing_request(SuspiciousOperation("Annabel")),
    403: create_failing_request(PermissionDenied("Annabel")),
    "403 of an old page": send_without_csrf_token,
    404: send_as_stranger,
    405: send_put,
    413: send_large_entry,
    429: create_failing_request(RateLimitExceeded(7)),
    500: create_failing_request(ValueError("Annabel")),
    503: create_failing_request(OperationalError("SELECT Annabel")),
}


@pytest.mark.parametrize("htmx", [False, True], ids=["page", "slip"])
@pytest.mark.parametrize("what", REQUESTS_BY_ERROR, ids=str)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_error_says_whether_it_was_saved_and_has_the_request_id(alice, table, what, htmx, language):
    alice.raise_request_exception = False
    alice.cookies[settings.LANGUAGE_COOKIE_NAME] = language
    before = dump_database()
    response = REQUESTS_BY_ERROR[what](alice, table, htmx)
    status = int(str(what)[:3])
    page = response.content.decode()
    assert response.status_code == status and dump_database() == before
    assert response["X-Request-ID"] in page and not SECRETS.search(page)
    if what == 429:
        assert response["Retry-After"] == "7"
    if status not in (429, 503):  # these have a notice of their own
        text = error_pages.STALE_PAGE if what == "403 of an old page" else error_pages.ERROR_TEXTS[status]
        with translation.override(language):
            assert str(text.title) in page and str(text.message) in page
    is_slip = htmx and what not in ("403 of an old page", 404, 500)
    assert page.count('id="notice"') == (1 if is_slip or status in (429, 503) else 0)
    assert ("<html" in page) != is_slip


@pytest.mark.parametrize("status", error_pages.ERROR_TEXTS)
def test_error_texts_say_what_was_saved_and_what_to_do(status):
    message = str(error_pages.ERROR_TEXTS[status].message)
    assert "saved" in message and re.search("Go back|Ask|Look|look|try", message)


def test_a_refused_entry_and_a_clash_have_the_request_id(alice, mate, table):
    refused = alice.enter(table, htmx=True, kind="extend", seat=0, card=12)
    alice.enter(table, place=1, **FIRST_PLAY)
    clash = mate.enter(table, htmx=True, place=1, kind="extend", seat=1, card=41)
    for response, status, message in ((refused, 422, "Not saved."), (clash, 409, "Yours isn’t saved yet.")):
        assert response.status_code == status
        assert message in response.content.decode() and response["X-Request-ID"] in response.content.decode()


def test_the_offline_page_says_where_the_entry_is(nobody):
    assert "aren’t sent yet are kept here" in nobody.get("/en/offline/").content.decode()


@pytest.mark.parametrize(
    ("method", "path", "status"), [("get", "/api/v2/", 404), ("put", "/api/v1/", 405), ("get", "/api/v1/", 401)]
)
def test_api_errors_are_json(nobody, method, path, status):
    nobody.cookies[settings.LANGUAGE_COOKIE_NAME] = "el"
    response = getattr(nobody, method)(path)
    assert response.status_code == status and response.json()["error"].isascii() is (status != 401)
    assert response.json().get("request", response["X-Request-ID"]) == response["X-Request-ID"]


def raise_revealing_error(*_args, **_kwargs):
    raise RuntimeError("Annabel: SELECT * FROM x -- /srv/data/companion.sqlite3")


FAILURE_POINTS = {
    "a view": "companion.site.views.list_past_tables",
    "a model": "companion.people.auth.Device.objects.select_related",
    "the folding of a log": "companion.tables.auth.get_cached_log",
    "the writing of an entry": "companion.tables.services.entries.Entry.objects.bulk_create",
    "what is drawn": "companion.tables.presenters.table_page.build_table_page",
    "what every page needs": "companion.site.views.get_release_id",
    "a template": "django.template.base.Template._render",
    "a middleware": "companion.middleware.charset.CharsetMiddleware.__call__",
    "the first of what sets headers": "companion.middleware.host_check.HostCheckMiddleware.__call__",
    "the database": "django.db.backends.utils.CursorWrapper.execute",
}


@pytest.mark.parametrize("where", FAILURE_POINTS)
def test_any_failure_gets_an_error_page_and_leaves_no_partial_write(alice, table, where):
    alice.raise_request_exception = False
    before = dump_database()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FAILURE_POINTS[where], raise_revealing_error)
        responses = [alice.get("/"), alice.enter(table, **FIRST_PLAY), alice.enter(table, htmx=True, **FIRST_PLAY)]
    failed = [response for response in responses if response.status_code == 500]
    assert failed
    for response in failed:
        page = response.content.decode()
        assert response["X-Request-ID"] in page and str(error_pages.ERROR_TEXTS[500].message) in page
        assert not SECRETS.search(page) and "/srv" not in page
        assert "default-src 'none'" in response["Content-Security-Policy"]
    count = Entry.objects.filter(table=table).count()
    assert dump_database() == before or count == 1  # recorded but not shown, as the page says
    key = new_key()
    for _ in range(2):  # resent with the same key, and counted once
        assert alice.enter(table, key=key, **FIRST_PLAY).status_code in (200, 302, 409, 422)
    assert Entry.objects.filter(table=table).count() == max(count, 1)


def test_the_bare_error_page_is_in_the_language_of_the_phone():
    request = RequestFactory().get("/", headers={"accept-language": "el"})
    page = error_pages.render_bare_error(request, 500).content.decode()
    assert '<html lang="el">' in page
    assert views.server_error(request).status_code == 500
