"""Every page that a person can get to by links, and what forms and links send from there. No assertions."""

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
"""Pages that differ by the table; one of each other kind is as good as any."""


@dataclass(frozen=True)
class Way:
    """One way of sending something: a form, or a link with a query; `names` are the fields that it knows."""

    route: str
    method: str
    page: str
    path: str
    sent: Sent
    names: frozenset[str]


@dataclass(eq=False)
class Crawl:
    pages: dict[str, Element] = field(default_factory=dict)
    """By address, those that are HTML."""
    routes: set[str] = field(default_factory=set)
    ways: list[Way] = field(default_factory=list)


def crawled(person: Person, seeds: Iterable[str]) -> Crawl:
    """From the seeds on by links, with each kind of page and each set of names in its query once."""
    found, todo, seen = Crawl(), list(seeds), set[object]()
    with translation.override("en"):
        while todo:
            url = todo.pop(0)
            kind = _kind(url)
            if kind is None or kind in seen:
                continue
            seen.add(kind)
            found.routes.add(kind[0])
            response = person.get(url)
            if response.status_code == 200 and response["Content-Type"].startswith("text/html"):
                page = found.pages[url] = read(response.content.decode())
                links = [urljoin(url, e.attrs["href"]) for e in page.all("a") if "href" in e.attrs]
                todo += [link.partition("#")[0] for link in links]
                found.ways += _of_forms(page, url)
                found.ways += [way for link in links if (way := _of_link(link, url))]
    return found


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


def _of_forms(page: Element, url: str) -> Iterator[Way]:
    for form in page.all("form"):
        action = urljoin(url, form.attrs.get("action", url)).partition("#")[0]
        method = form.attrs.get("method", "get").lower()
        names = frozenset(own.attrs["name"] for own in controls(page, form) if own.attrs.get("name"))
        route = route_at(urlsplit(action).path)
        if route:
            sent = tuple(fields(page, form))
            yield Way(route, method, url, urlsplit(action).path, sent, names - {"csrfmiddlewaretoken"})


def _of_link(link: str, url: str) -> Way | None:
    parts = urlsplit(link)
    sent = tuple(parse_qsl(parts.query, keep_blank_values=True))
    route = None if parts.netloc else route_at(parts.path)
    return Way(route, "get", url, parts.path, sent, frozenset(name for name, _v in sent)) if route and sent else None
