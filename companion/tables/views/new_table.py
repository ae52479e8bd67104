"""Views of the new-table form, the rematch, and the calculator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from secrets import token_urlsafe
from urllib.parse import urlencode

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from companion.core.game import Game, Preset, Violation
from companion.core.match import Match
from companion.core.notation import build_options
from companion.core.schema import Malformed, parse_whole_number
from companion.core.text import Text, _, ngettext
from companion.db.retry import retry
from companion.people.auth import create_circle, create_member_device, get_circle, get_device, set_device_cookie
from companion.people.models import Circle, Device
from companion.people.rate_limits import RateLimitExceeded, count_new_table
from companion.people.services import lock_circle_for_member
from companion.tables.auth import CIRCLE, TableAccess, get_access_or_404
from companion.tables.forms import calculator, new_table, pad
from companion.tables.forms.calculator import Calculation
from companion.tables.forms.entry import KEY
from companion.tables.forms.new_table import NewTableForm
from companion.tables.models import Table
from companion.tables.presenters.base_page import OptionsForm, select_game_template
from companion.tables.presenters.score_sheet import build_score_grid
from companion.tables.presenters.shared_pad import Pad
from companion.tables.services import entries, saved_options, tables
from companion.tables.views.htmx import MAX_BUTTONS, is_partial_request


@dataclass(frozen=True)
class NewTablePage:
    """Players, options and mode of a table to open, with what was wrong with them."""

    form: NewTableForm
    options: OptionsForm
    key: str
    box_fields: Sequence[tuple[str, str]]
    """Counts carried over from the calculator."""
    error: Text | None
    option_error: Text | None
    objections: Sequence[Violation]
    """What the counts break."""
    insists: Sequence[str]
    """Ids of the rules that may be overruled."""
    is_typing: bool
    """Whether a name has just been added, and another one may follow."""

    @property
    def game(self) -> Game:
        return self.form.game

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(player.name for player in self.form.seated)

    @property
    def has_order(self) -> bool:
        return len(self.form.seated) > 1

    @property
    def can_draw_seats(self) -> bool:
        return len(self.form.seated) > 2

    @property
    def dealer_hint(self) -> Text | None:
        return self.form.dealer_hint if self.form.seated else None

    @property
    def calculator_query(self) -> str:
        """The query of the calculator that shows the same options and counts."""
        return urlencode([("seats", len(self.names)), *new_table.encode_options(self.form), *self.box_fields])


@dataclass(frozen=True)
class CalculatorPage:
    """The pad of one round and its score, without a table."""

    form: Calculation

    names = ()
    preview_method = "get"

    @property
    def game(self) -> Game:
        return self.form.match.game

    @property
    def match(self) -> Match:
        return self.form.match

    @property
    def preview_url(self) -> str:
        return reverse("calculator", args=[self.game.slug])

    @property
    def has_many_seats(self) -> bool:
        return len(self.game.about.seats) > MAX_BUTTONS

    @cached_property
    def options(self) -> OptionsForm:
        return OptionsForm(NewTableForm(self.game, (), options=self.form.options))

    @cached_property
    def pad(self) -> Pad:
        played = self.match.get_round(1)
        return Pad(played, pad.build_groups(played, self.form.boxes), {}, self.form.preview)

    @property
    def sides(self) -> tuple[Text, ...]:
        return build_score_grid(self.match).sides

    @property
    def boxes_template(self) -> object:
        return select_game_template(self.game.slug, "_boxes")

    @property
    def keypad_template(self) -> object:
        return select_game_template(self.game.slug, "_keypad")


@never_cache
@require_http_methods(["GET", "POST"])
def set_up_table(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form, apply its buttons, and open the table."""
    game = new_table.get_game_or_404(slug)
    circle = get_circle(request)
    last = Table.objects.of(circle).filter(game=slug).first()
    form = new_table.build_initial_form(game, circle, last)
    try:
        if request.method == "GET":
            form = replace(form, options={**form.options, **new_table.parse_options(request.GET, game)})
            mode = Table.Mode.PAD if calculator.list_box_fields(request.GET) else form.mode
            return _render_form(request, replace(form, mode=mode))
        form = new_table.parse_form(request.POST, game, circle)
        action = request.POST.get("action", "")
        device = get_device(request)
        if action.startswith("forget:") and circle is not None and device is not None:
            saved_options.delete_saved_options(game, circle, action.removeprefix("forget:"), by=device)
        form = _apply_action(form, action, saved_options.list_saved_options(game, circle.pk if circle else None))
        if action in ("open", "insist"):
            return _open_table(request, form)
    except Malformed as error:
        return _render_form(request, form, error=error, status=422)
    except entries.EntryRefused as error:  # counts carried over from the calculator
        return _render_form(request, form, refused=error, status=422)
    except RateLimitExceeded as error:
        response = _render_form(request, form, error=Malformed(_format_rate_limit(error), "seat"), status=429)
        response.headers["Retry-After"] = str(error.wait)
        return response
    return _render_form(request, form)


def _format_rate_limit(error: RateLimitExceeded) -> Text:
    return ngettext(
        "Too many tables opened. Nothing was saved. Try again in {n} minute.",
        "Too many tables opened. Nothing was saved. Try again in {n} minutes.",
        error.minutes,
    )


def _apply_action(form: NewTableForm, action: str, offers: Sequence[Preset]) -> NewTableForm:
    """Return the form after one of its buttons was pressed. Raises Malformed."""
    name, _colon, argument = action.partition(":")
    if name == "kept":
        words = next((offer.words for offer in offers if offer.key == argument), {})
        return replace(form, options=saved_options.merge_options(form.options, words))
    if name == "draw":
        return form.shuffle_seats()
    if name in ("up", "down"):
        return form.move_player(parse_whole_number(argument), -1 if name == "up" else 1)
    if name in ("add", "open", "insist") and form.new_name.strip():
        return form.add_player(form.new_name)
    return form


@never_cache
@require_safe
def show_calculator(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the pad with its checks and score, without a table."""
    form = calculator.parse_calculation(request.GET, new_table.get_game_or_404(slug))
    page = CalculatorPage(form)
    if is_partial_request(request):  # requested on every change, so options may be incomplete
        return render(request, "tables/_calculator_update.html", {"page": page, "preview": form.preview})
    return render(request, "tables/calculator.html", {"page": page}, status=400 if form.error else 200)


@require_POST
def open_rematch(request: HttpRequest, public_id: str) -> HttpResponse:
    """Open a table with the same players and options, and the next dealer."""
    access = get_access_or_404(request, public_id, at_least=CIRCLE)
    try:
        table = retry(lambda: _get_or_open_rematch(request, access))
    except Malformed:  # options of another version of the game, or a player who is gone
        return redirect("new-table", access.table.game)
    return redirect("table", table.public_id)


def _get_or_open_rematch(request: HttpRequest, access: TableAccess) -> Table:
    """Return the new table, or the one that the same request has already opened. Raises Malformed."""
    key, duplicate = _get_key_and_duplicate(request, access.device)
    if duplicate is not None:
        return duplicate
    players = [seat.player for seat in access.table.seats.select_related("player") if seat.player]
    if len(players) != len(access.names):
        raise Malformed(_("Who’s playing? Tap names, or type new ones."), "seat")
    count_new_table(request, access.device)
    with transaction.atomic():
        lock_circle_for_member(access.table.circle_id, access.device)
        return tables.open_table(
            access.table.circle,
            game=access.game,
            players=players,
            options=tables.build_rematch_options(access.table, access.cached_log),
            mode=access.table.mode,
            key=key,
            rematch_of=access.table,
        )


def _open_table(request: HttpRequest, form: NewTableForm) -> HttpResponse:
    """Open the table, or find the one that this form has already opened; create a circle for a new device."""
    form = replace(form, options=saved_options.fill_in_options(form.game, get_circle(request), form.options))
    if not form.seated:
        raise Malformed(_("Who’s playing? Tap names, or type new ones."), "seat")
    build_options(form.game, len(form.seated), form.options)
    table, token = retry(lambda: _get_or_open_table(request, form))
    response = redirect("table", table.public_id)
    if token:
        set_device_cookie(response, token)
    return response


def _get_or_open_table(request: HttpRequest, form: NewTableForm) -> tuple[Table, str]:
    """Return the table, and the secret of a device that is new.

    If one form is posted twice at the same time, the second fails, is retried, and finds the table of the first.
    """
    device, token = get_device(request), ""
    with transaction.atomic():
        key, table = _get_key_and_duplicate(request, device)
        if table is None:
            count_new_table(request, device)
        if device is None:
            device, token = create_member_device(request, table.circle if table else None)
        circle = device.circle or create_circle(device)
        lock_circle_for_member(circle.pk, device)
        return table or _create_table(request, form, device, circle, key), token


def _create_table(request: HttpRequest, form: NewTableForm, device: Device, circle: Circle, key: str | None) -> Table:
    """Open a table and record the counts carried over from the calculator."""
    players = new_table.get_or_create_players(form, circle)
    table = tables.open_table(circle, game=form.game, players=players, options=form.options, mode=form.mode, key=key)
    new_entries = calculator.build_new_entries(request.POST, table, len(players))
    if new_entries:
        entries.record_entries(table, seats=len(players), device=device, new_entries=new_entries)
    return table


def _get_key_and_duplicate(request: HttpRequest, device: Device | None) -> tuple[str | None, Table | None]:
    """Return the key of the form, and the table that the form has already opened.

    A form left open for long opens another table, without a key.
    """
    key = request.POST.get("key", "")
    if not KEY.fullmatch(key):
        return None, None
    duplicate = Table.objects.select_related("circle").filter(form_key=key).first()
    if duplicate is None:
        return key, None
    is_own = device is None or device.circle_id == duplicate.circle_id
    return (
        (key, duplicate) if is_own and duplicate.opened_at > timezone.now() - tables.FORM_KEY_LIFETIME else (None, None)
    )


def _render_form(
    request: HttpRequest,
    form: NewTableForm,
    *,
    error: Malformed | None = None,
    refused: entries.EntryRefused | None = None,
    status: int = 200,
) -> HttpResponse:
    """Render the form, with an error above its players, options or counts."""
    is_option_error = error is not None and error.field in ("option", *new_table.get_option_labels(form.game))
    text = refused.malformed if refused else new_table.format_option_error(form.game, error) if error else None
    circle = get_circle(request)
    offers = saved_options.list_saved_options(form.game, circle.pk if circle else None)
    page = NewTablePage(
        form,
        OptionsForm(form, offers),
        key=request.POST.get("key") or token_urlsafe(12),
        box_fields=calculator.list_box_fields(request.POST or request.GET),
        error=None if is_option_error else text,
        option_error=text if is_option_error else None,
        objections=refused.objections if refused else (),
        insists=refused.list_rules_to_overrule(calculator.get_insisted_rules(request.POST)) if refused else (),
        is_typing=request.POST.get("action") == "add",
    )
    return render(request, "tables/new_table.html", {"page": page}, status=status)
