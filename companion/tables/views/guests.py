"""Views of guests and devices: join code, seats, roles, hidden counts, the display, devices of the circle."""

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from companion.core.schema import Malformed, parse_small_number
from companion.people.services import rename_device
from companion.people.validators import clean_name
from companion.people.views import get_member_or_404, render_circle
from companion.tables.auth import CIRCLE, SCORER, TableAccess, get_access_or_404
from companion.tables.models import Attendance
from companion.tables.presenters import guests_page
from companion.tables.services import guests
from companion.tables.views.htmx import render_page_or_part

GUEST_ROLES = (SCORER, Attendance.Role.VIEWER)


@never_cache
@require_safe
def show_guests(request: HttpRequest, public_id: str) -> HttpResponse:
    return _render_guests(request, get_access_or_404(request, public_id))


def _render_guests(request: HttpRequest, access: TableAccess, *, error: Malformed | None = None) -> HttpResponse:
    page = guests_page.build_guests_page(request, access, error.text if error else None)
    return render(request, "tables/guests.html", {"page": page}, status=422 if error else 200)


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
    page = guests_page.build_display_page(request, access)
    return render_page_or_part(request, "tables/display.html", page)


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
