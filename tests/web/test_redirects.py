"""Redirects to other sites."""

from urllib.parse import urljoin, urlsplit

import pytest
from django.urls import reverse

FOREIGN_URLS = [
    "//evil.example", "///evil.example", "////evil.example", "\\\\evil.example", "/\\evil.example", "\\/evil.example",
    "/\\/evil.example", "https:evil.example", "https:/evil.example", "https://evil.example", "HTTPS://evil.example",
    "http:///evil.example", "//evil.example/%2f..", "/\t/evil.example", "/\n/evil.example", "\t//evil.example",
    " //evil.example", "//testserver@evil.example", "//evil.example\\@testserver", "https://testserver.evil.example",
    "http://testserver:80\x40evil.example/", "javascript:alert(1)", "data:text/html,x", "/%0d%0aSet-Cookie:x=1",
    "/\r\nLocation: https://evil.example", "/\r\n\r\n<script>", "//evil%E3%80%82example", "//[::1]", "/.//evil.example",
    "%2f%2fevil.example", "//evil。example",
]  # fmt: skip


@pytest.mark.parametrize("where", FOREIGN_URLS, ids=ascii)
def test_redirects_stay_on_this_site(nobody, where):
    for language in ("el", "", "xx"):
        answer = nobody.send(reverse("change-settings"), {"next": where, "language": language})
        location = answer["Location"]
        assert answer.status_code == 302 and not set(location) & set("\r\n\t\\")
        assert urlsplit(urljoin("http://testserver/settings/", location)).netloc == "testserver"
        assert "x" not in answer.cookies
    page = nobody.page("settings", next=where)
    for link in [*page.all("a"), *page.all("form")]:
        url = link.attrs.get("href", link.attrs.get("action", ""))
        assert urlsplit(urljoin("http://testserver/", url)).netloc == "testserver"


@pytest.mark.parametrize(
    "came", ["https://evil.example/tables/x/", "http://testserver//evil.example", "//evil/tables/"]
)
def test_back_link_of_the_rules_stays_on_this_site(nobody, came):
    answer = nobody.get("/en/rules/take-that/", headers={"Referer": came})
    assert "evil" not in answer.content.decode() and "came_from" not in answer.cookies
