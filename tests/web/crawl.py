"""Crawler over the links and forms of the app."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urljoin, urlsplit

from django.urls import Resolver404, resolve
from django.utils import translation

from tests.web.html import Element, list_controls, list_fields, parse_html
from tests.web.people import Person

FieldValues = tuple[tuple[str, str], ...]
PAGES_OF_A_TABLE = ("table", "log", "together")
"""Pages visited for every table; of all other pages, one per kind is enough."""


@dataclass(frozen=True)
class FormRequest:
    """A form, or a link with a query; `names` are the names of its fields."""

    route: str
    method: str
    page: str
    path: str
    values: FieldValues
    names: frozenset[str]


@dataclass(eq=False)
class Crawl:
    pages: dict[str, Element] = field(default_factory=dict)
    """HTML pages by URL."""
    routes: set[str] = field(default_factory=set)
    requests: list[FormRequest] = field(default_factory=list)


def crawl_pages(person: Person, seeds: Iterable[str]) -> Crawl:
    """Follow links from the seeds, visiting each kind of page once per set of query names."""
    crawl, queue, visited = Crawl(), list(seeds), set[object]()
    with translation.override("en"):
        while queue:
            url = queue.pop(0)
            kind = _get_page_kind(url)
            if kind is None or kind in visited:
                continue
            visited.add(kind)
            crawl.routes.add(kind[0])
            response = person.get(url)
            if response.status_code == 200 and response["Content-Type"].startswith("text/html"):
                page = crawl.pages[url] = parse_html(response.content.decode())
                links = [urljoin(url, e.attrs["href"]) for e in page.all("a") if "href" in e.attrs]
                queue += [link.partition("#")[0] for link in links]
                crawl.requests += _list_form_requests(page, url)
                crawl.requests += [request for link in links if (request := _build_link_request(link, url))]
    return crawl


def replace_numbers(name: str) -> str:
    """Return a field name with its numbers replaced, so that all seats share one name."""
    return re.sub(r"\d+", "#", name)


def _get_page_kind(url: str) -> tuple[str, ...] | None:
    parts = urlsplit(url)
    route = get_route(parts.path)
    if route is None or parts.netloc:
        return None
    table_path = parts.path if route in PAGES_OF_A_TABLE else ""
    return (
        route,
        table_path,
        *sorted({replace_numbers(name) for name, _value in parse_qsl(parts.query, keep_blank_values=True)}),
    )


def get_route(path: str) -> str | None:
    try:
        return resolve(path).url_name
    except Resolver404:
        return None


def _list_form_requests(page: Element, url: str) -> Iterator[FormRequest]:
    for form in page.all("form"):
        action = urljoin(url, form.attrs.get("action", url)).partition("#")[0]
        method = form.attrs.get("method", "get").lower()
        names = frozenset(control.attrs["name"] for control in list_controls(page, form) if control.attrs.get("name"))
        route = get_route(urlsplit(action).path)
        if route:
            values = tuple(list_fields(page, form))
            yield FormRequest(route, method, url, urlsplit(action).path, values, names - {"csrfmiddlewaretoken"})


def _build_link_request(link: str, url: str) -> FormRequest | None:
    parts = urlsplit(link)
    values = tuple(parse_qsl(parts.query, keep_blank_values=True))
    route = None if parts.netloc else get_route(parts.path)
    return (
        FormRequest(route, "get", url, parts.path, values, frozenset(name for name, _value in values))
        if route and values
        else None
    )
