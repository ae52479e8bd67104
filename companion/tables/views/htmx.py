"""All that the app knows of htmx: which part of a page answers what, and with which status."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from companion.core.completion import Ambiguity
from companion.core.game import Violation
from companion.core.text import Text
from companion.web.logging import get_request_id

RECORDED, BREAKS_A_RULE, SLOT_TAKEN, NOT_AN_ENTRY, LOOKS_ONLY, TOO_OFTEN, BUSY = 200, 422, 409, 400, 403, 429, 503


@dataclass(frozen=True)
class Clash:
    """Two values for one slot: the one that is there, and one's own, if it can take the other's place by `resend`."""

    theirs: Text
    own: Text | None = None
    resend: tuple[tuple[str, str], ...] = ()
    is_own: bool = False
    """Whether both were entered by the same phone."""


@dataclass(frozen=True)
class Notice:
    """The slip above the board: one thing that somebody should know, and at most two ways to go on."""

    kind: str
    """`refusal`, `clash`, `question`, `error`, `uncertain` or `info`."""
    texts: tuple[Text, ...] = ()
    violations: tuple[Violation, ...] = ()
    resend: tuple[tuple[str, str], ...] = ()
    """What a button of the slip sends: what was posted, with what is asked or overruled."""
    insists: tuple[str, ...] = ()
    """The rules that the table may overrule."""
    question: Ambiguity | None = None
    clashes: tuple[Clash, ...] = ()
    field: str = ""
    """The box that it speaks of."""

    @property
    def is_refusal(self) -> bool:
        """Whether what was posted has not been saved, or nobody knows."""
        return self.kind in ("refusal", "clash", "error", "uncertain")


def is_partial_request(request: HttpRequest) -> bool:
    """Whether a part of the page is wanted, and not the page."""
    return bool(getattr(request, "htmx", False))


def render_page_or_part(
    request: HttpRequest,
    template: str,
    context: dict[str, Any],
    *,
    notice: Notice | None = None,
    status: int = RECORDED,
) -> HttpResponse:
    """The table part after a recorded entry, only the notice after a refused one; the whole page without htmx."""
    context = {**context, "notice": notice, "request_id": get_request_id()}
    if not is_partial_request(request):
        return render(request, template, context, status=status)
    part = "table" if status == RECORDED else "notice"
    return render(request, f"{template}#{part}", context, status=status)


def redirect_or_render(
    request: HttpRequest, template: str, context: dict[str, Any], *, notice: Notice | None, url: str
) -> HttpResponse:
    """After a write: the new table, or the way back to its page, so that a reload sends nothing twice."""
    if is_partial_request(request) or notice is not None:
        return render_page_or_part(request, template, context, notice=notice)
    return redirect(url)
