"""Responses to a posted entry: the updated table, or a notice with the reason."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse

from companion.core import refusals
from companion.core.completion import Ambiguity, NoLegalPlay
from companion.core.entry import AMENDMENTS, EntryKind
from companion.core.log import NoSuchTarget
from companion.core.schema import Malformed, parse_small_number
from companion.core.text import Text, _, ngettext
from companion.db.errors import DATABASE_ERRORS, RETRY_AFTER, is_transient, log_transient_error, may_have_committed
from companion.people.rate_limits import RateLimitExceeded
from companion.tables.auth import NotAllowed, TableAccess
from companion.tables.forms import pad
from companion.tables.forms.entry import IncompletePlay, PostedEntry
from companion.tables.presenters import correction_page, score_sheet, table_page
from companion.tables.presenters.board_page import BoardPage
from companion.tables.services.entries import EntryRefused, NewEntry, RecordResult, SlotTaken, TableClosed
from companion.tables.views import htmx
from companion.tables.views.htmx import (
    ILLEGAL,
    MALFORMED,
    RATE_LIMITED,
    SLOT_TAKEN,
    UNAVAILABLE,
    VIEW_ONLY,
    Clash,
    Notice,
)

EXPECTED_ERRORS = (
    NotAllowed,
    Malformed,
    NoSuchTarget,
    IncompletePlay,
    EntryRefused,
    TableClosed,
    RateLimitExceeded,
    *DATABASE_ERRORS,
)
"""Errors that are no fault of the app; `respond_to_error` handles them."""
_NOT_RESENT = frozenset({"csrfmiddlewaretoken", "key", "insist"})


def respond_to_recorded(
    request: HttpRequest, access: TableAccess, posted: PostedEntry, result: RecordResult
) -> HttpResponse:
    """Return the table with the new entries, or a notice if their slots were taken meanwhile."""
    access = access.with_log(result.cached_log)
    if result.clashes:
        clashes = tuple(_build_clash(access, clash) for clash in result.clashes)
        return _render_notice(request, access, Notice("clash", clashes=clashes), SLOT_TAKEN)
    notice = None
    if result.duplicates and not result.new:
        number = result.duplicates[0]
        if result.cached_log.entry_meta[number].key.partition(".")[0] != posted.key:
            notice = Notice("info", (_format_already_entered(access, number),))
    url = reverse("table", args=[access.table.public_id])
    query = {"way": posted.mode} if posted.mode in table_page.MODES and posted.mode != access.table.mode else {}
    query |= {"all": "yes"} if posted.is_for_all else {}
    url += f"?{urlencode(query)}" if query else ""
    values = _get_boxes(request.POST) if posted.kind == EntryKind.UNDO else {}
    number = posted.round if any(any(words) for words in values.values()) else 0
    page = table_page.build_table_page(
        access, mode=posted.mode, number=number, values=values, is_for_all=posted.is_for_all
    )
    return htmx.redirect_or_render(request, table_page.TEMPLATE, page, notice=notice, url=url)


def _format_already_entered(access: TableAccess, number: int) -> Text:
    if access.cached_log.entry_meta[number].device == access.device.pk:
        return _("You have already entered this.")
    return _("Already entered by {who}.", who=access.get_device_label(number) or "?")


def respond_to_error(request: HttpRequest, access: TableAccess, error: Exception) -> HttpResponse:
    """Return a notice with the reason; the page keeps everything that was picked or typed."""
    wait = 0
    match error:
        case IncompletePlay(reason=reason):
            notice, status = _build_question(reason, _list_resend_fields(request.POST)), ILLEGAL
        case EntryRefused(malformed=malformed, objections=objections):
            texts = (malformed,) if malformed else ()
            insists = error.list_rules_to_overrule(request.POST.getlist("insist"))
            notice = Notice("refusal", texts, objections, _list_resend_fields(request.POST), insists)
            status = ILLEGAL
        case NotAllowed(text=text, is_due_to_role=is_due_to_role):
            notice, status = Notice("error", (text,)), VIEW_ONLY if is_due_to_role else ILLEGAL
        case TableClosed(text=text) | NoSuchTarget(text=text):
            notice, status = Notice("error", (text,)), SLOT_TAKEN
        case Malformed(text=text, field=field):
            notice, status = Notice("error", (text,), field=field), MALFORMED
        case RateLimitExceeded(wait=wait):
            text = ngettext(
                "Too many entries from this phone. Try again in {n} second.",
                "Too many entries from this phone. Try again in {n} seconds.",
                wait,
            )
            notice, status = Notice("error", (text,)), RATE_LIMITED
        case _ if is_transient(error):
            log_transient_error(error)
            is_uncertain = may_have_committed(error)
            notice = (
                Notice("uncertain", (refusals.MAYBE_SAVED,)) if is_uncertain else Notice("error", (refusals.NOT_SAVED,))
            )
            status, wait = UNAVAILABLE, RETRY_AFTER
        case _:
            raise error
    response = _render_notice(request, access, notice, status)
    if wait:
        response.headers["Retry-After"] = str(wait)
    return response


def _render_notice(request: HttpRequest, access: TableAccess, notice: Notice, status: int) -> HttpResponse:
    page, template = _build_page(request, access)
    return htmx.render_page_or_part(request, template, page, notice=notice, status=status)


def _build_page(request: HttpRequest, access: TableAccess) -> tuple[BoardPage, str]:
    """Return the page that posted, with its filled boxes, and its template."""
    values = _get_boxes(request.POST)
    target = parse_small_number(request.POST.get("target", "")) if request.POST.get("amend") else None
    step = access.cached_log.log.get_step(target) if target is not None else None
    is_visible = step is not None and step.action.number not in access.visibility.hidden
    if step is not None and is_visible and step.action.kind in access.game.kinds:
        is_insertion = request.POST.get("amend") != EntryKind.CORRECT
        correction = correction_page.build_correction_page(access, step, is_insertion=is_insertion, values=values)
        return correction, correction_page.TEMPLATE
    number = parse_small_number(request.POST.get("round", "")) if values else None
    mode = request.POST.get("way", "")
    for_all = "all" in request.POST
    page = table_page.build_table_page(access, mode=mode, number=number or 0, values=values, is_for_all=for_all)
    return page, table_page.TEMPLATE


def _get_boxes(data: QueryDict) -> dict[str, list[str]]:
    return {name: words for name, words in data.lists() if "." in name}


def _list_resend_fields(data: QueryDict) -> tuple[tuple[str, str], ...]:
    return tuple((name, word) for name, words in data.lists() if name not in _NOT_RESENT for word in words)


def _build_question(reason: Ambiguity | NoLegalPlay, resend: tuple[tuple[str, str], ...]) -> Notice:
    if isinstance(reason, NoLegalPlay):
        return Notice("refusal", violations=reason.violations)
    answered = {reason.field, *reason.known_words}
    fields = tuple((name, word) for name, word in resend if name not in answered)
    return Notice("question", (reason.text,), resend=(*fields, *reason.known_words.items()), question=reason)


def _build_clash(access: TableAccess, clash: SlotTaken) -> Clash:
    """Return both values, and the correction that would replace the recorded one."""
    log, new_entry = access.cached_log.log, clash.new_entry
    is_own = access.cached_log.entry_meta[clash.taken_by].device == access.device.pk
    step, theirs = log.get_step(clash.taken_by), log.entries[clash.taken_by - 1]
    if clash.taken_by in access.visibility.hidden:
        return Clash(score_sheet.describe_hidden_entry(theirs))
    if new_entry.kind in AMENDMENTS:
        return Clash(
            score_sheet.describe_log_entry(log, theirs),
            score_sheet.describe_log_entry(log, new_entry.build_log_entry(access.cached_log.version + 1)),
            _encode_amendment(access, new_entry),
            is_own,
        )
    if step is None or new_entry.kind not in access.game.kinds:
        return Clash(score_sheet.describe_log_entry(log, theirs))
    recorded_text, own_text = (
        score_sheet.describe_entry(access.match, source.kind, source.words, source.content)
        for source in (step.action, new_entry)
    )
    words = {"target": str(clash.taken_by), "kind": new_entry.kind, **new_entry.words}
    return Clash(
        recorded_text,
        own_text,
        _encode_amendment(access, replace(new_entry, kind=EntryKind.CORRECT, words=words)),
        is_own,
    )


def _encode_amendment(access: TableAccess, new_entry: NewEntry) -> tuple[tuple[str, str], ...]:
    """Return the form fields that post an amendment again, on top of the newest entry."""
    words = dict(new_entry.words)
    form = {"target": words.pop("target"), "round": str(new_entry.round), "seen": str(access.cached_log.version)}
    form |= {"amend": new_entry.kind} if "kind" in words else {"kind": new_entry.kind}
    if words.get("kind") in access.game.pad.counts:
        boxes = pad.encode_box_values(access.game, words.pop("kind"), words)
        words = {name: ",".join(filled) for name, filled in boxes.items()}
    return (*form.items(), *words.items(), *(("insist", rule) for rule in sorted(new_entry.insisted_rules)))
