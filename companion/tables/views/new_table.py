"""Views of the new-table form and the rematch."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from secrets import token_urlsafe
from urllib.parse import urlencode

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from companion.core.game import Game, Preset, Violation
from companion.core.match import Match
from companion.core.notation import build_options
from companion.core.schema import Malformed, parse_whole_number
from companion.core.text import Text, ngettext
from companion.db.retry import retry
from companion.people.auth import create_circle, create_member_device, get_circle, get_device, set_device_cookie
from companion.people.models import Device
from companion.people.rate_limits import RateLimitExceeded, count_new_table
from companion.people.services import lock_circle_for_member
from companion.tables.auth import CIRCLE, get_access_or_404
from companion.tables.forms import calculator, new_table
from companion.tables.forms.entry import KEY
from companion.tables.forms.new_table import NewTableForm
from companion.tables.forms.pad import Box
from companion.tables.models import Table
from companion.tables.services import entries, saved_options, tables


@dataclass(frozen=True)
class NewTablePage:
    """Players, options and mode of a table to open, with what was wrong with them."""

    form: NewTableForm
    offers: Sequence[Preset]
    """Options that the circle has played with before."""
    key: str
    boxes: Mapping[str, Sequence[str]]
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

    @cached_property
    def option_fields(self) -> Mapping[str, Box]:
        return new_table.build_option_fields(self.game, self.form.options, len(self.names))

    @property
    def calculator_query(self) -> str:
        """The query of the calculator that shows the same options and counts."""
        options = {f"option.{name}": word for name, word in self.form.options.items()}
        return urlencode({"seats": len(self.names), **options, **self.boxes}, doseq=True)


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
            mode = Table.Mode.PAD if calculator.get_boxes(request.GET) else form.mode
            return _render_form(request, replace(form, mode=mode))
        form = new_table.parse_form(request.POST, game, circle)
        action = request.POST.get("action", "")
        device = get_device(request)
        if action.startswith("forget:") and circle is not None and device is not None:
            saved_options.delete_saved_options(game, circle, action.removeprefix("forget:"), by=device)
        form = _apply_action(form, action, saved_options.list_saved_options(game, circle.pk if circle else None))
        if action in ("open", "insist"):
            options = saved_options.fill_in_options(game, circle, form.options)
            return _open_table(request, replace(form, options=options))
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


@require_POST
def open_rematch(request: HttpRequest, public_id: str) -> HttpResponse:
    """Open a table with the same players and options, and the next dealer."""
    access = get_access_or_404(request, public_id, at_least=CIRCLE)
    try:
        return _open_table(request, new_table.build_rematch_form(access), rematch_of=access.table)
    except Malformed:  # options of another version of the game, or a player who is gone
        return redirect("new-table", access.table.game)


def _open_table(request: HttpRequest, form: NewTableForm, rematch_of: Table | None = None) -> HttpResponse:
    """Open the table, or find the one that this form has already opened; create a circle for a new device."""
    if not form.seated:
        raise Malformed(new_table.NOBODY_SEATED, "seat")
    seats = len(form.seated)
    match = Match(form.game, build_options(form.game, seats, form.options), seats)
    new_entries = calculator.build_new_entries(request.POST, match)
    table, token = retry(lambda: _get_or_open_table(request, form, new_entries, rematch_of))
    response = redirect("table", table.public_id)
    if token:
        set_device_cookie(response, token)
    return response


def _get_or_open_table(
    request: HttpRequest, form: NewTableForm, new_entries: Sequence[entries.NewEntry], rematch_of: Table | None
) -> tuple[Table, str]:
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
        circle = rematch_of.circle if rematch_of else device.circle or create_circle(device)
        with lock_circle_for_member(circle.pk, device):
            if table is None:
                players = new_table.get_or_create_players(form, circle)
                table = tables.open_table(
                    circle,
                    game=form.game,
                    players=players,
                    options=form.options,
                    mode=form.mode,
                    key=key,
                    rematch_of=rematch_of,
                )
                if new_entries:
                    entries.record_entries(table, seats=len(players), device=device, new_entries=new_entries)
            return table, token


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
    is_fresh = duplicate.opened_at > timezone.now() - tables.FORM_KEY_LIFETIME
    return (key, duplicate) if is_own and is_fresh else (None, None)


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
        offers,
        key=request.POST.get("key") or token_urlsafe(12),
        boxes=calculator.get_boxes(request.POST or request.GET),
        error=None if is_option_error else text,
        option_error=text if is_option_error else None,
        objections=refused.objections if refused else (),
        insists=refused.list_rules_to_overrule(calculator.get_insisted_rules(request.POST)) if refused else (),
        is_typing=request.POST.get("action") == "add",
    )
    return render(request, "tables/new_table.html", {"page": page}, status=status)
