"""Responses to htmx: parts of a page, and the status of each outcome."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from companion.core.completion import Ambiguity
from companion.core.game import Violation
from companion.core.text import Text
from companion.tables.presenters.base_page import BasePage
from companion.web.logging import get_request_id

RECORDED, ILLEGAL, SLOT_TAKEN, MALFORMED, VIEW_ONLY, RATE_LIMITED, UNAVAILABLE = 200, 422, 409, 400, 403, 429, 503

MAX_BUTTONS = 8
"""Answers to a question that are shown as buttons; more are shown as cards."""


@dataclass(frozen=True)
class Clash:
    """Two values for one slot; posting `resend` replaces the recorded value by one's own."""

    theirs: Text
    own: Text | None = None
    resend: tuple[tuple[str, str], ...] = ()
    is_own: bool = False
    """Whether the same device entered both."""


@dataclass(frozen=True)
class Notice:
    """Message above the board, with at most two actions."""

    kind: str
    """`refusal`, `clash`, `question`, `error`, `uncertain` or `info`."""
    texts: tuple[Text, ...] = ()
    violations: tuple[Violation, ...] = ()
    resend: tuple[tuple[str, str], ...] = ()
    """Form fields that the buttons of the notice post again."""
    insists: tuple[str, ...] = ()
    """Ids of the rules that may be overruled."""
    question: Ambiguity | None = None
    clashes: tuple[Clash, ...] = ()
    field: str = ""
    """Name of the box with the error."""

    @property
    def css_class(self) -> str:
        return {"info": "info", "question": "info", "clash": "clash"}.get(self.kind, "")

    @property
    def has_many_answers(self) -> bool:
        return self.question is not None and len(self.question.alternatives) > MAX_BUTTONS

    @property
    def is_refusal(self) -> bool:
        """Whether the entry was not saved, or may not have been."""
        return self.kind in ("refusal", "clash", "error", "uncertain")


def is_partial_request(request: HttpRequest) -> bool:
    """Return whether htmx requests a part of the page."""
    return bool(getattr(request, "htmx", False))


def render_page_or_part(
    request: HttpRequest,
    template: str,
    page: BasePage,
    *,
    notice: Notice | None = None,
    status: int = RECORDED,
) -> HttpResponse:
    """Render the page; for htmx only its table, or only its notice after an error."""
    context = {"page": page, "notice": notice, "request_id": get_request_id()}
    if not is_partial_request(request):
        return render(request, template, context, status=status)
    part = "table" if status == RECORDED else "notice"
    return render(request, f"{template}#{part}", context, status=status)


def redirect_or_render(
    request: HttpRequest, template: str, page: BasePage, *, notice: Notice | None, url: str
) -> HttpResponse:
    """Render the table after a write; without htmx redirect, so that a reload does not post again."""
    if is_partial_request(request) or notice is not None:
        return render_page_or_part(request, template, page, notice=notice)
    return redirect(url)
