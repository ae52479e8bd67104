"""Everybody at the table: the page with door, seats and phones, what is changed on it, and the big screen."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from companion import limits
from companion.core.schema import Malformed, small_number
from companion.people.join_codes import spelt
from companion.tables.auth import CIRCLE, SCORER, Sitting, sitting_of
from companion.tables.models import Attendance
from companion.tables.presenters import table_page
from companion.tables.services import guests
from companion.tables.services.join_links import link_secret
from companion.tables.views.htmx import answer
from companion.web.qr import join_scan

GUEST_ROLES = (SCORER, Attendance.Role.VIEWER)


@never_cache
@require_safe
def show_guests(request: HttpRequest, public_id: str) -> HttpResponse:
    """Who am I, who else is here, and the code that lets others in."""
    return _page(request, sitting_of(request, public_id))


def _page(request: HttpRequest, sitting: Sitting, *, error: Malformed | None = None) -> HttpResponse:
    attendances, seated = guests.attendances(sitting.table)
    context = {
        **table_page.common_context(sitting),
        **_door_context(request, sitting),
        "sitting": sitting,
        "guests": attendances,
        "seated": seated,
        "most": limits.MOST_GUESTS if len(attendances) + len(seated) >= limits.MOST_GUESTS else None,
        "error": error.text if error else None,
    }
    return render(request, "tables/together.html", context, status=422 if error else 200)


def _door_context(request: HttpRequest, sitting: Sitting) -> dict[str, object]:
    door = guests.door_of(sitting.table) if sitting.may_enter else None
    if door is None or door.code is None:
        return {"door": None}
    return {"door": door, "spelt": spelt(door.code), "scan": join_scan(request, link_secret(door))}


@require_POST
def change_door(request: HttpRequest, public_id: str) -> HttpResponse:
    """Opens the door for guests who may enter something or only look, or shuts it."""
    sitting = sitting_of(request, public_id, to=CIRCLE)
    role = request.POST.get("role", "")
    if role in GUEST_ROLES:
        guests.open_door(sitting.table, role=Attendance.Role(role), by=sitting.device)
    else:
        guests.close_door(sitting.table, by=sitting.device)
    return redirect("together", public_id)


@require_POST
def take_seat(request: HttpRequest, public_id: str) -> HttpResponse:
    """This phone is that player's, or nobody's."""
    sitting = sitting_of(request, public_id, to=SCORER)
    seat = small_number(request.POST.get("seat", ""))
    guests.take_seat(sitting.table, seat if seat in range(len(sitting.names)) else None, by=sitting.device)
    return redirect("table", public_id)


@require_POST
def change_guest(request: HttpRequest, public_id: str) -> HttpResponse:
    """What a guest may do, or that a guest goes; everybody may go by themselves."""
    sitting = sitting_of(request, public_id)
    device, role = small_number(request.POST.get("device", "")), request.POST.get("role", "")
    is_leaving = device == sitting.device.pk and role not in GUEST_ROLES
    if not sitting.is_of_circle and not is_leaving:
        raise PermissionDenied
    if is_leaving:
        guests.leave(sitting.table, sitting.device.pk)
    elif device is not None and role in GUEST_ROLES:
        try:
            guests.set_role(sitting.table, device, Attendance.Role(role), by=sitting.device)
        except Malformed as error:
            return _page(request, sitting, error=error)
    elif device is not None:
        guests.remove_guest(sitting.table, device, by=sitting.device)
    return redirect("together", public_id) if sitting.is_of_circle else redirect("home")


@require_POST
def change_secrecy(request: HttpRequest, public_id: str) -> HttpResponse:
    """Whether counts are hidden from the others until all are in."""
    sitting = sitting_of(request, public_id, to=CIRCLE)
    try:
        guests.set_secrecy(sitting.table, hides_counts=request.POST.get("hides") == "yes", by=sitting.device)
    except Malformed as error:
        return _page(request, sitting, error=error)
    return redirect("together", public_id)


@never_cache
@require_safe
def show_display(request: HttpRequest, public_id: str) -> HttpResponse:
    """Standing, turn and round, large, for a tablet or a television in the room; nothing to tap."""
    sitting = sitting_of(request, public_id)
    context = {**table_page.display_context(sitting), **_door_context(request, sitting)}
    return answer(request, "tables/display.html", context)
