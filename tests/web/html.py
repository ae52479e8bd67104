"""HTML parser with helpers for forms and accessible names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)
_DRAWN = frozenset(("path", "circle", "rect", "line", "use"))


@dataclass(eq=False)
class Element:
    """A tag with its attributes, and what lies in it: elements and strings, in order."""

    tag: str
    attrs: dict[str, str] = field(default_factory=dict)
    parent: Element | None = None
    content: list[Element | str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Element]:
        """Everything below, in the order of the page; what a template holds is not on it."""
        for part in self.content:
            if isinstance(part, Element):
                yield part
                yield from () if part.tag == "template" else part

    def all(self, *tags: str, **attrs: str) -> list[Element]:
        return [
            element
            for element in self
            if (not tags or element.tag in tags) and all(element.attrs.get(k) == v for k, v in attrs.items())
        ]

    def one(self, *tags: str, **attrs: str) -> Element:
        found = self.all(*tags, **attrs)
        assert len(found) == 1, f"{len(found)} of {tags} {attrs}"
        return found[0]

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


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = self.open = Element("")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs}, self.open)
        self.open.content.append(element)
        if tag not in _VOID | _DRAWN:
            self.open = element

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.content.append(Element(tag, {name: value or "" for name, value in attrs}, self.open))

    def handle_endtag(self, tag: str) -> None:
        closed = next((e for e in [self.open, *self.open.ancestors] if e.tag == tag), None)
        if closed is not None and closed.parent is not None:
            self.open = closed.parent

    def handle_data(self, data: str) -> None:
        self.open.content.append(data)


def read(html: str) -> Element:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.root


def controls(page: Element, form: Element) -> list[Element]:
    """The controls of a form: those in it, and those that name it."""
    own = form.attrs.get("id", "")
    return [
        control
        for control in page.all("input", "select", "textarea", "button")
        if (control.attrs["form"] == own if "form" in control.attrs else form in control.ancestors)
    ]


def fields(page: Element, form: Element, button: Element | None = None) -> list[tuple[str, str]]:
    """What the form would send, as it stands, by the button."""
    sent = []
    for control in controls(page, form):
        attrs = control.attrs
        if "name" not in attrs or "disabled" in attrs or (control.tag == "button" and control is not button):
            continue
        if attrs.get("type") in ("radio", "checkbox") and "checked" not in attrs:
            continue
        value = control.text if control.tag == "textarea" else attrs.get("value", "")
        if control.tag == "select":
            value = next((o.attrs["value"] for o in control.all("option") if "selected" in o.attrs), "")
        sent.append((attrs["name"], value))
    return sent


def name_of(page: Element, control: Element) -> str:
    """What a screen reader calls a control; empty where it has no name."""
    attrs = control.attrs
    if attrs.get("aria-label", "").strip():
        return attrs["aria-label"]
    if "aria-labelledby" in attrs:
        return " ".join(e.text for e in page if e.attrs.get("id") in attrs["aria-labelledby"].split())
    label = next((e for e in control.ancestors if e.tag == "label"), None)
    if label is None and "id" in attrs:
        label = next(iter(page.all("label", **{"for": attrs["id"]})), None)
    pictures = " ".join(image.attrs.get("alt", "") for image in control.all("img"))
    own = control.text if control.tag in ("button", "a", "summary") else ""
    return " ".join([label.text if label is not None else "", own, pictures, attrs.get("title", "")]).strip()


def is_hidden(element: Element) -> bool:
    """Whether it is kept from all ears. What is only `hidden` is shown by a script later."""
    return any(e.attrs.get("aria-hidden") == "true" or e.tag == "template" for e in [element, *element.ancestors])
