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


def large(alice, table, htmx):
    return alice.enter(table, htmx=htmx, kind="x" * limits.MAX_FORM_BYTES)


def read_only(alice, table, htmx):
    return alice.put(reverse("record", args=[table.public_id]), headers={"HX-Request": "true"} if htmx else {})


def strange(alice, table, htmx):
    other = Person()
    other.cookies[settings.LANGUAGE_COOKIE_NAME] = alice.cookies[settings.LANGUAGE_COOKIE_NAME].value
    return other.enter(table, htmx=htmx, **FIRST_PLAY)


def forged(alice, table, htmx):
    alice.handler.enforce_csrf_checks = True
    return alice.enter(table, htmx=htmx, **FIRST_PLAY)


def of_views(error):
    def asked(alice, table, htmx):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("companion.tables.forms.entry.parse_entry", lambda *_: raised(error))
            return alice.enter(table, htmx=htmx, **FIRST_PLAY)

    return asked


def raised(error):
    raise error


FORCED = {
    400: of_views(BadRequest("Annabel")),
    "400 of a suspicious request": of_views(SuspiciousOperation("Annabel")),
    403: of_views(PermissionDenied("Annabel")),
    "403 of an old page": forged,
    404: strange,
    405: read_only,
    413: large,
    429: of_views(RateLimitExceeded(7)),
    500: of_views(ValueError("Annabel")),
    503: of_views(OperationalError("SELECT Annabel")),
}


@pytest.mark.parametrize("htmx", [False, True], ids=["page", "slip"])
@pytest.mark.parametrize("what", FORCED, ids=str)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_error_says_whether_it_was_saved_and_has_the_request_id(alice, table, what, htmx, language):
    alice.raise_request_exception = False
    alice.cookies[settings.LANGUAGE_COOKIE_NAME] = language
    before = dump_database()
    response = FORCED[what](alice, table, htmx)
    status = int(str(what)[:3])
    page = response.content.decode()
    assert response.status_code == status and dump_database() == before
    assert response["X-Request-ID"] in page and not SECRETS.search(page)
    if what == 429:
        assert response["Retry-After"] == "7"
    if status not in (429, 503):  # which the entry's own notice says
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
    for response, status, said in ((refused, 422, "Not saved."), (clash, 409, "Yours isn’t saved yet.")):
        assert response.status_code == status
        assert said in response.content.decode() and response["X-Request-ID"] in response.content.decode()


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


def fail(*_args, **_more):
    raise RuntimeError("Annabel: SELECT * FROM x -- /srv/data/companion.sqlite3")


PLACES = {
    "a view": "companion.site.views.list_past_tables",
    "a model": "companion.people.auth.Device.objects.select_related",
    "the folding of a log": "companion.tables.auth.get_cached_log",
    "the writing of an entry": "companion.tables.services.entries.Entry.objects.bulk_create",
    "what is drawn": "companion.tables.presenters.table_page.build_table_context",
    "what every page needs": "companion.site.views.get_release_id",
    "a template": "django.template.base.Template._render",
    "a middleware": "companion.middleware.charset.CharsetMiddleware.__call__",
    "the first of what sets headers": "companion.middleware.host_check.HostCheckMiddleware.__call__",
    "the database": "django.db.backends.utils.CursorWrapper.execute",
}


@pytest.mark.parametrize("where", PLACES)
def test_any_failure_gets_an_error_page_and_writes_nothing_by_half(alice, table, where):
    alice.raise_request_exception = False
    before = dump_database()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PLACES[where], fail)
        answers = [alice.get("/"), alice.enter(table, **FIRST_PLAY), alice.enter(table, htmx=True, **FIRST_PLAY)]
    failed = [response for response in answers if response.status_code == 500]
    assert failed
    for response in failed:
        page = response.content.decode()
        assert response["X-Request-ID"] in page and str(error_pages.ERROR_TEXTS[500].message) in page
        assert not SECRETS.search(page) and "/srv" not in page
        assert "default-src 'none'" in response["Content-Security-Policy"]
    kept = Entry.objects.filter(table=table).count()
    assert dump_database() == before or kept == 1  # recorded and not shown: the log has it, as the page says
    key = new_key()
    for _again in range(2):  # what was tapped is sent again, and counted once
        assert alice.enter(table, key=key, **FIRST_PLAY).status_code in (200, 302, 409, 422)
    assert Entry.objects.filter(table=table).count() == max(kept, 1)


def test_the_bare_error_page_is_in_the_language_of_the_phone():
    request = RequestFactory().get("/", headers={"accept-language": "el"})
    page = error_pages.render_bare_error(request, 500).content.decode()
    assert '<html lang="el">' in page
    assert views.server_error(request).status_code == 500
