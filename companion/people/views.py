"""The circle page: its phones and invitations."""

from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from companion.core.schema import parse_small_number
from companion.core.text import Text
from companion.people import services
from companion.people.auth import get_device
from companion.people.models import Circle, Device
from companion.web.qr import QrCode, build_join_qr


@never_cache
@require_safe
def circle_page(request: HttpRequest) -> HttpResponse:
    return render_circle(request, get_device(request))


@never_cache
@require_POST
def invite(request: HttpRequest) -> HttpResponse:
    """Show a new key. Only its hash is stored, so it cannot be shown again."""
    device, circle = get_member_or_404(request)
    return render_circle(request, device, qr_code=build_join_qr(request, services.create_invitation(circle, by=device)))


@require_POST
def choose_circle(request: HttpRequest) -> HttpResponse:
    """Set the circle for which the phone opens tables."""
    device, _circle = get_member_or_404(request)
    circle = device.circles.filter(pk=parse_small_number(request.POST.get("circle", "")) or 0).first()
    if circle is not None:
        services.choose_circle(device, circle)
    return redirect("circle")


def get_member_or_404(request: HttpRequest) -> tuple[Device, Circle]:
    """Return the device and its circle. Raises Http404 if it has none."""
    device = get_device(request)
    if device is None or device.circle is None:
        raise Http404
    return device, device.circle


@dataclass(frozen=True)
class PhoneRow:
    """A device of the circle; `label` is what was typed if that was refused."""

    device: Device
    label: str
    is_this: bool


@dataclass(frozen=True)
class CirclePage:
    """The phones of a circle, a key to scan if one was asked for, and the other circles of this phone."""

    circle: Circle | None = None
    phones: tuple[PhoneRow, ...] = ()
    choices: tuple[Circle, ...] = ()
    """The circles of the device, in which it can open tables."""
    qr_code: QrCode | None = None
    error: Text | None = None


def render_circle(
    request: HttpRequest,
    device: Device | None,
    *,
    qr_code: QrCode | None = None,
    error: Text | None = None,
    invalid_device: Device | None = None,
    status: int = 200,
) -> HttpResponse:
    """Render the circle page, with a new key to scan or an error for `invalid_device`."""
    page = CirclePage()
    if device and device.circle:
        typed = {invalid_device: request.POST.get("label", "")[:160]}
        phones = device.circle.devices.order_by("created_at")
        page = CirclePage(
            circle=device.circle,
            phones=tuple(PhoneRow(phone, typed.get(phone, phone.label), phone == device) for phone in phones),
            choices=tuple(device.circles.order_by("pk")),
            qr_code=qr_code,
            error=error,
        )
    return render(request, "people/circle.html", {"page": page}, status=status)
