"""HTML parser with helpers for forms and accessible names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)
_SVG_SHAPES = frozenset(("path", "circle", "rect", "line", "use"))


@dataclass(eq=False)
class Element:
    """A tag with its attributes and its content: elements and strings, in document order."""

    tag: str
    attrs: dict[str, str] = field(default_factory=dict)
    parent: Element | None = None
    content: list[Element | str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Element]:
        """Yield all descendants in document order, except those inside a `<template>`."""
        for part in self.content:
            if isinstance(part, Element):
                yield part
                yield from () if part.tag == "template" else part

    def all(self, *tags: str, **attrs: str) -> list[Element]:
        """Return the descendants with any of the tags and all of the attributes."""
        return [
            element
            for element in self
            if (not tags or element.tag in tags) and all(element.attrs.get(k) == v for k, v in attrs.items())
        ]

    def one(self, *tags: str, **attrs: str) -> Element:
        """Return the only match; fail if there are none or several."""
        elements = self.all(*tags, **attrs)
        assert len(elements) == 1, f"{len(elements)} of {tags} {attrs}"
        return elements[0]

    @property
    def ancestors(self) -> Iterator[Element]:
        element = self.parent
        while element is not None:
            yield element
            element = element.parent

    @property
    def text(self) -> str:
        parts = (part.text if isinstance(part, Element) else part for part in self.content)
        return " ".join("".join(parts).split())


class _TreeBuilder(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = self.open = Element("")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs}, self.open)
        self.open.content.append(element)
        if tag not in _VOID | _SVG_SHAPES:
            self.open = element

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.content.append(Element(tag, {name: value or "" for name, value in attrs}, self.open))

    def handle_endtag(self, tag: str) -> None:
        closed = next((e for e in [self.open, *self.open.ancestors] if e.tag == tag), None)
        if closed is not None and closed.parent is not None:
            self.open = closed.parent

    def handle_data(self, data: str) -> None:
        self.open.content.append(data)


def parse_html(html: str) -> Element:
    reader = _TreeBuilder()
    reader.feed(html)
    reader.close()
    return reader.root


def list_controls(page: Element, form: Element) -> list[Element]:
    """Return the controls inside a form and those that refer to it by a `form` attribute."""
    form_id = form.attrs.get("id", "")
    return [
        control
        for control in page.all("input", "select", "textarea", "button")
        if (control.attrs["form"] == form_id if "form" in control.attrs else form in control.ancestors)
    ]


def list_fields(page: Element, form: Element, button: Element | None = None) -> list[tuple[str, str]]:
    """Return the name and value pairs that submitting the form by this button would send."""
    pairs = []
    for control in list_controls(page, form):
        attrs = control.attrs
        if "name" not in attrs or "disabled" in attrs or (control.tag == "button" and control is not button):
            continue
        if attrs.get("type") in ("radio", "checkbox") and "checked" not in attrs:
            continue
        value = control.text if control.tag == "textarea" else attrs.get("value", "")
        if control.tag == "select":
            value = next((o.attrs["value"] for o in control.all("option") if "selected" in o.attrs), "")
        pairs.append((attrs["name"], value))
    return pairs


def get_accessible_name(page: Element, control: Element) -> str:
    """Return the accessible name of a control, or an empty string."""
    attrs = control.attrs
    if attrs.get("aria-label", "").strip():
        return attrs["aria-label"]
    if "aria-labelledby" in attrs:
        return " ".join(e.text for e in page if e.attrs.get("id") in attrs["aria-labelledby"].split())
    label = next((e for e in control.ancestors if e.tag == "label"), None)
    if label is None and "id" in attrs:
        label = next(iter(page.all("label", **{"for": attrs["id"]})), None)
    pictures = " ".join(image.attrs.get("alt", "") for image in control.all("img"))
    content = control.text if control.tag in ("button", "a", "summary") else ""
    return " ".join([label.text if label is not None else "", content, pictures, attrs.get("title", "")]).strip()


def is_hidden(element: Element) -> bool:
    """Whether screen readers never get to it. The `hidden` attribute does not count: scripts remove it later."""
    return any(e.attrs.get("aria-hidden") == "true" or e.tag == "template" for e in [element, *element.ancestors])
