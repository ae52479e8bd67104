"""Back links and language redirects of the rulebook."""

from io import BytesIO

import pytest
from django.core.handlers.wsgi import WSGIRequest
from django.db import OperationalError
from django.urls import reverse

from companion.tables.services import details, tables
from companion.wsgi import Request
from tests.web.html import parse_html


def read_back_link(response):
    return parse_html(response.content.decode()).one("header").all("a")[0].attrs["href"]


@pytest.mark.parametrize("path", ["/tables/abc/?way=pad", "/calculate/take-that/?seats=2&count.0.face_up=4"])
def test_the_rules_link_back_to_the_referrer(nobody, path):
    response = nobody.get("/en/rules/take-that/", headers={"Referer": f"http://testserver{path}#notice"})
    assert read_back_link(response) == path
    assert "Referer" in response["Vary"]


def test_the_back_link_survives_other_pages_of_the_rules(nobody):
    def visit(path, referrer):
        return nobody.get(path, headers={"Referer": f"http://testserver{referrer}"})

    rules, checker = "/en/rules/take-that/", "/en/rules/take-that/could-i/"
    visit(rules, "/tables/abc/?way=referee")
    assert read_back_link(visit(checker, rules)) == "/tables/abc/?way=referee"
    assert read_back_link(visit(f"{checker}?row=34", checker)) == "/tables/abc/?way=referee"
    assert read_back_link(visit(rules, f"{rules}doubts/")) == "/tables/abc/?way=referee"
    assert read_back_link(visit(rules, "/")) == "/"
    assert read_back_link(visit(rules, checker)) == "/"


@pytest.mark.parametrize(
    "back_link", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", "/tables\\x", "%"]
)
def test_a_foreign_back_link_is_ignored(nobody, back_link):
    nobody.cookies["came_from"] = back_link
    response = nobody.get("/en/rules/take-that/", headers={"Referer": "http://testserver/en/rules/take-that/words/"})
    assert read_back_link(response) == "/"


@pytest.mark.parametrize(
    "referrer",
    [
        "",
        "http://evil.example/tables/abc/",
        "http://testserver/el/rules/take-that/",
        "http://[",
        "//tables/",
        "x" * 5_000,
    ],
)
def test_the_rules_link_home_by_default(nobody, referrer):
    assert read_back_link(nobody.get("/en/rules/take-that/", headers={"Referer": referrer})) == "/"


@pytest.mark.parametrize(("language", "other"), [("el", "en"), ("en", "el")])
def test_a_rulebook_links_to_its_other_language(nobody, language, other):
    for current, chosen in ((language, other), (other, language), (language, language)):
        nobody.cookies["django_language"] = language  # every response changes it
        form = {"language": chosen, "next": f"/{current}/rules/take-that/"}
        assert nobody.send(reverse("change-settings"), form)["Location"] == f"/{chosen}/rules/take-that/"


@pytest.mark.parametrize("content_type", ["a/b; x*=foo''%41", "a/b; x*=idna''%41", "text/plain; charset=idna"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_an_invalid_content_type_is_ignored(content_type, method):
    environ = {
        "REQUEST_METHOD": method,
        "CONTENT_TYPE": content_type,
        "wsgi.input": BytesIO(),
        "SERVER_NAME": "x",
        "SERVER_PORT": "1",
    }
    if "x*=" in content_type:
        with pytest.raises((LookupError, ValueError)):
            WSGIRequest(dict(environ))
    assert Request(dict(environ)).method == method


@pytest.mark.parametrize("page", ["new", "rematch", "note", "bin"])
def test_a_busy_database_gives_a_readable_error(alice, table, monkeypatch, page):
    def raise_locked(*_args, **_kwargs):
        raise OperationalError("database is locked")

    for name in ("open_table", "bin_table"):
        monkeypatch.setattr(tables, name, raise_locked)
    monkeypatch.setattr(details, "update_note", raise_locked)
    fields = [("seat", "n:Ann"), ("seat", "n:Bo"), ("action", "open"), ("note", "x")]
    url = {
        "new": reverse("new-table", args=["take-that"]),
        "rematch": reverse("rematch", args=[table.public_id]),
        "note": reverse("note", args=[table.public_id]),
        "bin": reverse("bin-table", args=[table.public_id]),
    }[page]
    response = alice.send(url, fields)
    assert response.status_code == 503
    assert "Nothing was saved" in parse_html(response.content.decode()).text
