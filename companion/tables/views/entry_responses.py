"""What the app answers to something posted: the new table, or a notice with the reason. Nothing is written here."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse

from companion.core.completion import Ambiguity, NoLegalPlay
from companion.core.game import State
from companion.core.log import AMENDMENTS, CORRECT, UNDO, Entry, NoSuchTarget
from companion.core.match import Match
from companion.core.schema import Malformed, parse_small_number
from companion.core.text import Text, _, ngettext
from companion.db.errors import DATABASE_ERRORS, RETRY_AFTER, is_transient, log_transient_error, may_have_committed
from companion.people.rate_limits import RateLimitExceeded
from companion.tables.auth import NotAllowed, TableAccess
from companion.tables.forms import pad
from companion.tables.forms.entry import IncompletePlay, PostedEntry
from companion.tables.log_cache import EntryMeta
from companion.tables.presenters import score_sheet, shared_pad, table_page
from companion.tables.services.entries import EntryRefused, NewEntry, RecordResult, SlotTaken, TableClosed
from companion.tables.views import htmx
from companion.tables.views.htmx import (
    BREAKS_A_RULE,
    BUSY,
    LOOKS_ONLY,
    NOT_AN_ENTRY,
    SLOT_TAKEN,
    TOO_OFTEN,
    Clash,
    Notice,
)

EXPECTED = (
    NotAllowed,
    Malformed,
    NoSuchTarget,
    IncompletePlay,
    EntryRefused,
    TableClosed,
    RateLimitExceeded,
    *DATABASE_ERRORS,
)
"""What can go wrong with an entry without anything being wrong with the app."""
_NEVER_RESENT = frozenset({"csrfmiddlewaretoken", "key", "insist"})


def match_at(access: TableAccess, posted: PostedEntry) -> Match | None:
    """The match as it stood where the entry belongs: at the entry that it corrects, where it was recorded already,
    or at the place that its page saw free and that has been filled since; None where that is now."""
    log = access.cached_log.log
    if posted.amend:
        return log.match_before(int(posted.target)) if posted.target else None
    if posted.key in access.cached_log.numbers:
        return log.match_before(access.cached_log.numbers[posted.key])
    plays = log.match.get_round(posted.round).plays if posted.place else ()
    if posted.place is None or not 0 < posted.place <= len(plays):
        return None
    return log.match_before(plays[posted.place - 1].action.number)


def get_seen_state(access: TableAccess, posted: PostedEntry) -> State | None:
    """Return the state that the page showed when an entry was tapped; None where nothing has been entered since."""
    if posted.seen is None or posted.seen >= access.cached_log.version or posted.amend:
        return None
    return access.cached_log.log.get_round_at(posted.round or access.match.current_number, posted.seen).state


def respond_to_recorded(
    request: HttpRequest, access: TableAccess, posted: PostedEntry, result: RecordResult
) -> HttpResponse:
    """The table with the new entries in it; a clash, where a slot had been taken meanwhile."""
    access = access.with_log(result.cached_log)
    if result.clashes:
        clashes = tuple(_build_clash(access, clash) for clash in result.clashes)
        return _render_notice(request, access, Notice("clash", clashes=clashes), SLOT_TAKEN)
    notice = None
    if result.duplicates and not result.new:
        receipt = result.cached_log.entry_meta[result.duplicates[0]]
        if receipt.key.partition(".")[0] != posted.key:
            notice = Notice("info", (_format_already_entered(access, receipt),))
    url = reverse("table", args=[access.table.public_id])
    asked = {"way": posted.mode} if posted.mode in table_page.MODES and posted.mode != access.table.mode else {}
    asked |= {"all": "yes"} if "all" in request.POST else {}
    url += f"?{urlencode(asked)}" if asked else ""
    typed = _get_boxes(request.POST) if posted.words.get("kind") == UNDO else {}
    number = posted.round if any(any(words) for words in typed.values()) else 0
    for_all = "all" in request.POST
    context = table_page.build_table_context(access, mode=posted.mode, number=number, values=typed, is_for_all=for_all)
    return htmx.redirect_or_render(request, table_page.TABLE_TEMPLATE, context, notice=notice, url=url)


def _format_already_entered(access: TableAccess, receipt: EntryMeta) -> Text:
    if receipt.device == access.device.pk:
        return _("You have already entered this.")
    who = score_sheet.get_device_labels(access.cached_log, access.device).get(receipt.device or 0, "?")
    return _("Already entered by {who}.", who=who)


def respond_to_error(request: HttpRequest, access: TableAccess, error: Exception) -> HttpResponse:
    """A notice with the reason; nothing that was picked or typed is lost."""
    match error:
        case IncompletePlay(what=what):
            return _render_notice(
                request, access, _build_question(what, _list_resend_fields(request.POST)), BREAKS_A_RULE
            )
        case EntryRefused(malformed=malformed, objections=objections):
            texts = (malformed,) if malformed else ()
            insists = error.list_rules_to_overrule(request.POST.getlist("insist"))
            notice = Notice("refusal", texts, objections, _list_resend_fields(request.POST), insists)
            return _render_notice(request, access, notice, BREAKS_A_RULE)
        case NotAllowed(text=text, is_due_to_role=is_due_to_role):
            return _render_notice(
                request, access, Notice("error", (text,)), LOOKS_ONLY if is_due_to_role else BREAKS_A_RULE
            )
        case TableClosed():
            text = _("This table is closed. Open it again to enter something.")
            return _render_notice(request, access, Notice("error", (text,)), SLOT_TAKEN)
        case RateLimitExceeded(wait=wait):
            text = ngettext(
                "Too many entries from this phone. Try again in {n} second.",
                "Too many entries from this phone. Try again in {n} seconds.",
                wait,
            )
            response = _render_notice(request, access, Notice("error", (text,)), TOO_OFTEN)
            response.headers["Retry-After"] = str(wait)
            return response
        case NoSuchTarget(text=text):
            return _render_notice(request, access, Notice("error", (text,)), SLOT_TAKEN)
        case Malformed(text=text, field=field):
            return _render_notice(request, access, Notice("error", (text,), field=field), NOT_AN_ENTRY)
        case _ if is_transient(error):
            log_transient_error(error)
            if may_have_committed(error):
                notice = Notice(
                    "uncertain", (_("It isn’t known whether this was saved. Try again: it will count once."),)
                )
            else:
                notice = Notice("error", (_("Not saved: the server can’t save anything right now. Try again."),))
            response = _render_notice(request, access, notice, BUSY)
            response["Retry-After"] = str(RETRY_AFTER)
            return response
    raise error


def _render_notice(request: HttpRequest, access: TableAccess, notice: Notice, status: int) -> HttpResponse:
    context, template = _build_page_context(request, access)
    return htmx.render_page_or_part(request, template, context, notice=notice, status=status)


def _build_page_context(request: HttpRequest, access: TableAccess) -> tuple[dict[str, Any], str]:
    """The page that was posted from, with everything in it that had been filled in."""
    values = _get_boxes(request.POST)
    target = parse_small_number(request.POST.get("target", "")) if request.POST.get("amend") else None
    step = access.cached_log.log.get_step(target) if target is not None else None
    is_seen = step is not None and step.action.number not in access.visibility.hidden
    if step is not None and is_seen and step.action.kind in access.game.kinds:
        is_insertion = request.POST.get("amend") != CORRECT
        context = table_page.build_correction_context(access, step, is_insertion=is_insertion, values=values)
        return context, table_page.CORRECTION_TEMPLATE
    number = parse_small_number(request.POST.get("round", "")) if values else None
    mode = request.POST.get("way", "")
    for_all = "all" in request.POST
    context = table_page.build_table_context(access, mode=mode, number=number or 0, values=values, is_for_all=for_all)
    return context, table_page.TABLE_TEMPLATE


def _get_boxes(data: QueryDict) -> dict[str, list[str]]:
    return {name: words for name, words in data.lists() if "." in name}


def _list_resend_fields(data: QueryDict) -> tuple[tuple[str, str], ...]:
    return tuple((name, word) for name, words in data.lists() if name not in _NEVER_RESENT for word in words)


def _build_question(what: Ambiguity | NoLegalPlay, resend: tuple[tuple[str, str], ...]) -> Notice:
    if isinstance(what, NoLegalPlay):
        return Notice("refusal", violations=what.violations)
    asked = {what.field, *what.known_words}
    kept = tuple((name, word) for name, word in resend if name not in asked)
    return Notice("question", (what.text,), resend=(*kept, *what.known_words.items()), question=what)


def _build_clash(access: TableAccess, clash: SlotTaken) -> Clash:
    """Both values, and the correction that would put one's own in the place of the other."""
    log, draft = access.cached_log.log, clash.new_entry
    is_own = access.cached_log.entry_meta[clash.taken_by].device == access.device.pk
    step, theirs = log.get_step(clash.taken_by), log.entries[clash.taken_by - 1]
    if clash.taken_by in access.visibility.hidden:
        return Clash(shared_pad.describe_hidden_entry(theirs))
    if draft.kind in AMENDMENTS:
        mine = Entry(access.cached_log.version + 1, draft.kind, draft.words)
        return Clash(
            score_sheet.describe_log_entry(log, theirs),
            score_sheet.describe_log_entry(log, mine),
            _encode_amendment(access, draft),
            is_own,
        )
    if step is None or draft.kind not in access.game.kinds:
        return Clash(score_sheet.describe_log_entry(log, theirs))
    there, own = (score_sheet.describe_entry(access.match, said.kind, said.words) for said in (step.action, draft))
    words = {"target": str(clash.taken_by), "kind": draft.kind, **draft.words}
    return Clash(there, own, _encode_amendment(access, replace(draft, kind=CORRECT, words=words)), is_own)


def _encode_amendment(access: TableAccess, draft: NewEntry) -> tuple[tuple[str, str], ...]:
    """The form fields of an amendment, by somebody who has now seen the newest entry."""
    words = dict(draft.words)
    form = {"target": words.pop("target"), "round": str(draft.round), "seen": str(access.cached_log.version)}
    form |= {"amend": draft.kind} if "kind" in words else {"kind": draft.kind}
    if words.get("kind") in access.game.counts:
        boxes = pad.encode_box_values(access.game, words.pop("kind"), words)
        words = {name: ",".join(filled) for name, filled in boxes.items()}
    return (*form.items(), *words.items(), *(("insist", rule) for rule in sorted(draft.insisted_rules)))
