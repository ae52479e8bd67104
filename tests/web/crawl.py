"""Crawler over the links and forms of the app."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urljoin, urlsplit

from django.urls import Resolver404, resolve
from django.utils import translation

from tests.web.html import Element, controls, fields, read
from tests.web.people import Person

Sent = tuple[tuple[str, str], ...]
AT_ONE_TABLE = ("table", "log", "together")
"""Pages crawled for each table; of all others, one of a kind is enough."""


@dataclass(frozen=True)
class FormRequest:
    """A form, or a link with a query; `names` are its fields."""

    route: str
    method: str
    page: str
    path: str
    sent: Sent
    names: frozenset[str]


@dataclass(eq=False)
class Crawl:
    pages: dict[str, Element] = field(default_factory=dict)
    """HTML pages by URL."""
    routes: set[str] = field(default_factory=set)
    ways: list[FormRequest] = field(default_factory=list)


def crawl_pages(person: Person, seeds: Iterable[str]) -> Crawl:
    """Follow links from the seeds, visiting each kind of page once per set of query names."""
    crawl, queue, seen = Crawl(), list(seeds), set[object]()
    with translation.override("en"):
        while queue:
            url = queue.pop(0)
            kind = _kind(url)
            if kind is None or kind in seen:
                continue
            seen.add(kind)
            crawl.routes.add(kind[0])
            response = person.get(url)
            if response.status_code == 200 and response["Content-Type"].startswith("text/html"):
                page = crawl.pages[url] = read(response.content.decode())
                links = [urljoin(url, e.attrs["href"]) for e in page.all("a") if "href" in e.attrs]
                queue += [link.partition("#")[0] for link in links]
                crawl.ways += _list_form_requests(page, url)
                crawl.ways += [way for link in links if (way := _parse_link(link, url))]
    return crawl


def plain(name: str) -> str:
    """A field without the numbers in it: what is asked of one seat is asked of the next."""
    return re.sub(r"\d+", "#", name)


def _kind(url: str) -> tuple[str, ...] | None:
    parts = urlsplit(url)
    route = route_at(parts.path)
    if route is None or parts.netloc:
        return None
    own = parts.path if route in AT_ONE_TABLE else ""
    return route, own, *sorted({plain(name) for name, _value in parse_qsl(parts.query, keep_blank_values=True)})


def route_at(path: str) -> str | None:
    try:
        return resolve(path).url_name
    except Resolver404:
        return None


def _list_form_requests(page: Element, url: str) -> Iterator[FormRequest]:
    for form in page.all("form"):
        action = urljoin(url, form.attrs.get("action", url)).partition("#")[0]
        method = form.attrs.get("method", "get").lower()
        names = frozenset(own.attrs["name"] for own in controls(page, form) if own.attrs.get("name"))
        route = route_at(urlsplit(action).path)
        if route:
            sent = tuple(fields(page, form))
            yield FormRequest(route, method, url, urlsplit(action).path, sent, names - {"csrfmiddlewaretoken"})


def _parse_link(link: str, url: str) -> FormRequest | None:
    parts = urlsplit(link)
    sent = tuple(parse_qsl(parts.query, keep_blank_values=True))
    route = None if parts.netloc else route_at(parts.path)
    return (
        FormRequest(route, "get", url, parts.path, sent, frozenset(name for name, _v in sent))
        if route and sent
        else None
    )
