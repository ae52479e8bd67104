"""Views of guests and devices: join code, seats, roles, hidden counts, the display, devices of the circle."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from companion import limits
from companion.core.schema import Malformed, parse_small_number
from companion.core.text import Text
from companion.people.join_codes import spell_code
from companion.people.models import Device
from companion.people.services import rename_device
from companion.people.validators import clean_name
from companion.people.views import get_member_or_404, render_circle
from companion.tables.auth import CIRCLE, SCORER, VIEWER, TableAccess, get_access_or_404
from companion.tables.models import Attendance, Door
from companion.tables.presenters.base_page import BasePage
from companion.tables.presenters.table_page import TablePage, build_table_page
from companion.tables.services import guests
from companion.tables.views.htmx import render_page_or_part
from companion.web.qr import QrCode, build_join_qr

GUEST_ROLES = (SCORER, VIEWER)


@dataclass(frozen=True)
class JoinCode:
    """What lets guests in while the door of a table is open."""

    door: Door
    qr_code: QrCode

    @cached_property
    def spoken(self) -> Sequence[Text]:
        """A word for each symbol of the code."""
        return spell_code(self.door.code or "")


@dataclass(frozen=True)
class GuestsPage(BasePage):
    """Who holds which phone, who may join, and whether counts are hidden."""

    join_code: JoinCode | None
    guests: Sequence[Attendance]
    seated: Sequence[Attendance]
    """The circle's devices that have taken a seat."""
    error: Text | None

    @property
    def limit(self) -> int | None:
        """The most phones at a table, once it is reached."""
        return limits.MAX_GUESTS if len(self.guests) + len(self.seated) >= limits.MAX_GUESTS else None


@dataclass(frozen=True)
class DisplayPage(TablePage):
    """Standing, round and turn, for everybody in the room to see."""

    join_code: JoinCode | None = None


@never_cache
@require_safe
def show_guests(request: HttpRequest, public_id: str) -> HttpResponse:
    return _render_guests(request, get_access_or_404(request, public_id))


def _render_guests(request: HttpRequest, access: TableAccess, *, error: Malformed | None = None) -> HttpResponse:
    attendances = guests.list_attendances(access.table)
    page = GuestsPage(access, _build_join_code(request, access), *attendances, error.text if error else None)
    return render(request, "tables/guests.html", {"page": page}, status=422 if error else 200)


def _build_join_code(request: HttpRequest, access: TableAccess) -> JoinCode | None:
    """Return the code of an open door, for those who can enter something."""
    door = guests.get_open_door(access.table) if access.can_enter else None
    return JoinCode(door, build_join_qr(request, guests.build_link_secret(door))) if door else None


@require_POST
def change_door(request: HttpRequest, public_id: str) -> HttpResponse:
    """Let guests join as scorers or viewers, or stop letting them join."""
    access = get_access_or_404(request, public_id, at_least=CIRCLE)
    role = request.POST.get("role", "")
    if role in GUEST_ROLES:
        guests.open_door(access.table, role=Attendance.Role(role), by=access.device)
    else:
        guests.close_door(access.table, by=access.device)
    return redirect("together", public_id)


@require_POST
def take_seat(request: HttpRequest, public_id: str) -> HttpResponse:
    """Assign this device a seat, or none."""
    access = get_access_or_404(request, public_id, at_least=SCORER)
    seat = parse_small_number(request.POST.get("seat", ""))
    guests.take_seat(access.table, seat if seat in range(len(access.names)) else None, by=access.device)
    return redirect("table", public_id)


@require_POST
def change_guest(request: HttpRequest, public_id: str) -> HttpResponse:
    """Change the role of a guest, or remove a guest; any device can remove itself."""
    access = get_access_or_404(request, public_id)
    device, role = parse_small_number(request.POST.get("device", "")), request.POST.get("role", "")
    is_leaving = device == access.device.pk and role not in GUEST_ROLES
    if not access.is_member and not is_leaving:
        raise PermissionDenied
    if is_leaving:
        guests.leave_table(access.table, access.device.pk)
    elif device is not None and role in GUEST_ROLES:
        try:
            guests.set_guest_role(access.table, device, Attendance.Role(role), by=access.device)
        except Malformed as error:
            return _render_guests(request, access, error=error)
    elif device is not None:
        guests.remove_guest(access.table, device, by=access.device)
    return redirect("together", public_id) if access.is_member else redirect("home")


@require_POST
def change_secrecy(request: HttpRequest, public_id: str) -> HttpResponse:
    """Set whether counts stay hidden until all are in."""
    access = get_access_or_404(request, public_id, at_least=CIRCLE)
    try:
        guests.set_hides_counts(access.table, hides_counts=request.POST.get("hides") == "yes", by=access.device)
    except Malformed as error:
        return _render_guests(request, access, error=error)
    return redirect("together", public_id)


@never_cache
@require_safe
def show_display(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show standing, turn and round in large type, for a shared screen."""
    access = get_access_or_404(request, public_id)
    page = build_table_page(replace(access, role=VIEWER, seat=None, device=Device()))
    parts = {field.name: getattr(page, field.name) for field in fields(page)}
    display_page = DisplayPage(**parts, join_code=_build_join_code(request, access))
    return render_page_or_part(request, "tables/display.html", display_page)


@never_cache
@require_POST
def change_device(request: HttpRequest) -> HttpResponse:
    """Rename a device of the circle, or remove it from the circle and its tables."""
    device, circle = get_member_or_404(request)
    target = circle.devices.filter(pk=parse_small_number(request.POST.get("device", "")) or 0).first()
    if target is None:
        raise Http404
    try:
        if request.POST.get("action") == "out":
            guests.remove_member(target, circle=circle, by=device)
        else:
            label = clean_name(request.POST.get("label", ""))
            rename_device(target, label=label, circle=circle, by=device)
    except Malformed as error:
        return render_circle(request, device, error=error.text, invalid_device=target, status=422)
    return redirect("circle")
