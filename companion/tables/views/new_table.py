"""The pages before a table: choosing who plays and how, and the calculator that needs no table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from secrets import token_urlsafe
from urllib.parse import urlencode

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import select_template
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from companion.core.notation import build_options
from companion.core.schema import Malformed, parse_whole_number
from companion.core.text import Text, _, ngettext
from companion.db.retry import retry
from companion.people.auth import circle_of, device_of, found_circle, new_device, remember
from companion.people.models import Circle, Device
from companion.people.rate_limits import TooManyTries, count_table
from companion.people.services import authorize_member
from companion.tables.auth import CIRCLE, TableAccess, get_access_or_404
from companion.tables.forms import calculator, new_table, pad
from companion.tables.forms.entry import KEY
from companion.tables.forms.new_table import Setup
from companion.tables.models import Table
from companion.tables.presenters import score_sheet
from companion.tables.services import entries, saved_options
from companion.tables.views.htmx import is_part


@never_cache
@require_http_methods(["GET", "POST"])
def set_up_table(request: HttpRequest, slug: str) -> HttpResponse:
    """The form; every button of it but the last only changes what the form holds."""
    game = new_table.game_at(slug)
    circle = circle_of(request)
    last = Table.objects.of(circle).filter(game=slug).first()
    form = new_table.blank(game, circle, last)
    try:
        if request.method == "GET":
            form = replace(form, options={**form.options, **new_table.options_in(request.GET, game)})
            way = Table.Way.PAD if calculator.boxes(request.GET) else form.way
            return _form(request, replace(form, way=way))
        form = new_table.read(request.POST, game, circle)
        action = request.POST.get("action", "")
        device = device_of(request)
        if action.startswith("forget:") and circle is not None and device is not None:
            saved_options.delete_saved_options(game, circle, action.removeprefix("forget:"), by=device)
        form = _changed(form, action, saved_options.list_saved_options(game, circle.pk if circle else None))
        if action in ("open", "insist"):
            return _opened(request, form)
    except Malformed as error:
        return _form(request, form, error=error, status=422)
    except entries.EntryRefused as error:  # what the calculator was given
        return _form(request, form, refused=error, status=422)
    except TooManyTries as error:
        response = _form(request, form, error=Malformed(_too_often(error), "seat"), status=429)
        response.headers["Retry-After"] = str(error.wait)
        return response
    return _form(request, form)


def _too_often(error: TooManyTries) -> Text:
    return ngettext(
        "Too many tables were opened from here. Nothing was saved; try again in {n} minute.",
        "Too many tables were opened from here. Nothing was saved; try again in {n} minutes.",
        error.minutes,
    )


def _changed(form: Setup, action: str, offers: Sequence[saved_options.OfferedOptions]) -> Setup:
    """What the buttons of the form do. Raises Malformed."""
    what, _colon, place = action.partition(":")
    if what == "kept":
        words = next((offer.words for offer in offers if offer.key == place), {})
        return replace(form, options=saved_options.merge_options(form.options, words))
    if what == "draw":
        return form.drawn()
    if what in ("up", "down"):
        return form.moved(parse_whole_number(place), -1 if what == "up" else 1)
    if what in ("add", "open", "insist") and form.typed.strip():
        return form.with_person(form.typed)
    return form


@never_cache
@require_safe
def calculate(request: HttpRequest, slug: str) -> HttpResponse:
    """The same boxes, checks and score as at a table; nothing is recorded."""
    form = calculator.read(request.GET, new_table.game_at(slug))
    groups = pad.groups(form.match.round(1), form.boxes)
    context = {
        "game": form.match.game,
        "match": form.match,
        "names": (),
        "played": form.match.round(1),
        **new_table.options_context(Setup(form.match.game, (), options=form.options)),
        "groups": groups,
        "extras": pad.extras(groups),
        "signs": pad.has_sums(groups),
        "preview": form.preview,
        "sides": score_sheet.sheet(form.match).sides,
        "boxes_template": select_template([f"games/{slug}/_boxes.html", "tables/_boxes.html"]),
        "keypad_template": select_template([f"games/{slug}/_keypad.html", "tables/_keypad.html"]),
        "error": form.error,
        "missing": form.missing,
    }
    if is_part(request):  # asked while options are being tapped, which are wrong until they are whole
        return render(request, "tables/_recalculated.html", context)
    return render(request, "tables/calculator.html", context, status=400 if form.error else 200)


@require_POST
def set_up_rematch(request: HttpRequest, public_id: str) -> HttpResponse:
    """The same people and options at a new table; the deal passes on."""
    access = get_access_or_404(request, public_id, to=CIRCLE)
    try:
        table = retry(lambda: _rematch(request, access))
    except Malformed:  # options that another version of the game had, or somebody who is not here any more
        return redirect("new-table", access.table.game)
    return redirect("table", table.public_id)


def _rematch(request: HttpRequest, access: TableAccess) -> Table:
    """The new table, or the one that the same tap has opened already. Raises Malformed."""
    key, twin = _key_and_twin(request, access.device)
    if twin is not None:
        return twin
    players = [seat.player for seat in access.table.seats.select_related("player") if seat.player]
    if len(players) != len(access.names):
        raise Malformed(_("Who plays? Tap the names, or type new ones."), "seat")
    count_table(request, access.device)
    with transaction.atomic():
        authorize_member(access.table.circle_id, access.device)
        return entries.open_table(
            access.table.circle,
            game=access.game,
            players=players,
            options=entries.build_rematch_options(access.table, access.cached_log),
            way=access.table.way,
            key=key,
            rematch_of=access.table,
        )


def _opened(request: HttpRequest, form: Setup) -> HttpResponse:
    """A new table, or the one that this form has opened already. The first table of a browser makes a circle."""
    form = replace(form, options=saved_options.fill_in_options(form.game, circle_of(request), form.options))
    if not form.seated:
        raise Malformed(_("Who plays? Tap the names, or type new ones."), "seat")
    build_options(form.game, len(form.seated), form.options)
    table, token = retry(lambda: _table_and_token(request, form))
    response = redirect("table", table.public_id)
    if token:
        remember(response, token)
    return response


def _table_and_token(request: HttpRequest, form: Setup) -> tuple[Table, str]:
    """The table, and the secret of a browser that has had none. Of one form that is sent twice at once, one opens the
    table, and the other fails and finds it at the next try."""
    device, token = device_of(request), ""
    with transaction.atomic():
        key, table = _key_and_twin(request, device)
        if table is None:
            count_table(request, device)
        if device is None:
            device, token = new_device(request, table.circle if table else None)
        circle = device.circle or found_circle(device)
        authorize_member(circle.pk, device)
        return table or _new_table(request, form, device, circle, key), token


def _new_table(request: HttpRequest, form: Setup, device: Device, circle: Circle, key: str | None) -> Table:
    """A table with what the calculator was given recorded in it."""
    players = new_table.players_of(form, circle)
    table = entries.open_table(circle, game=form.game, players=players, options=form.options, way=form.way, key=key)
    kept = calculator.drafts(request.POST, table, len(players))
    if kept:
        entries.record_entries(table, seats=len(players), device=device, new_entries=kept)
    return table


def _key_and_twin(request: HttpRequest, device: Device | None) -> tuple[str | None, Table | None]:
    """The key that the form was drawn with, and the table that the same form has opened a moment ago.

    A form that was left open for long opens a table of its own, without a key.
    """
    key = request.POST.get("key", "")
    if not KEY.fullmatch(key):
        return None, None
    twin = Table.objects.select_related("circle").filter(opened_with=key).first()
    if twin is None:
        return key, None
    is_own = device is None or device.circle_id == twin.circle_id
    return (key, twin) if is_own and twin.opened_at > timezone.now() - entries.FORM_KEY_LIFETIME else (None, None)


def _form(
    request: HttpRequest,
    form: Setup,
    *,
    error: Malformed | None = None,
    refused: entries.EntryRefused | None = None,
    status: int = 200,
) -> HttpResponse:
    """The form, with what is wrong above its people, its options, or its counts."""
    is_of_options = error is not None and error.field in ("option", *new_table.labels(form.game))
    text = refused.malformed if refused else new_table.said_of(form.game, error) if error else None
    kept = calculator.boxes(request.POST or request.GET)
    circle = circle_of(request)
    context = {
        "names": tuple(person.name for person in form.seated),
        "game": form.game,
        "setup": form,
        **new_table.options_context(form),
        "offers": saved_options.list_saved_options(form.game, circle.pk if circle else None),
        "error": None if is_of_options else text,
        "option_error": text if is_of_options else None,
        "kept": kept,
        "key": request.POST.get("key") or token_urlsafe(12),
        "objections": refused.objections if refused else (),
        "insists": refused.list_rules_to_overrule(calculator.insisted(request.POST)) if refused else (),
        "is_typing": request.POST.get("action") == "add",
        "recount": urlencode([("seats", len(form.seated)), *new_table.option_fields(form), *kept]),
    }
    return render(request, "tables/new.html", context, status=status)
