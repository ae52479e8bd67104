"""View for renaming and removing devices of a circle."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from companion.core.schema import Malformed, parse_small_number
from companion.people.services import rename_device
from companion.people.validators import clean_name
from companion.people.views import get_member_or_404, render_circle
from companion.tables.services.guests import remove_member


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
            remove_member(target, circle=circle, by=device)
        else:
            label = clean_name(request.POST.get("label", ""))
            rename_device(target, label=label, circle=circle, by=device)
    except Malformed as error:
        return render_circle(request, device, error=error.text, invalid_device=target, status=422)
    return redirect("circle")
