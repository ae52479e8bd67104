"""Pages for managing API keys and for the documentation of the API."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from companion import limits
from companion.api import keys
from companion.api.schema import ENDPOINTS, ERRORS, FILTERS, OBJECT_TYPES
from companion.core.schema import Malformed, parse_small_number
from companion.core.text import Text
from companion.history.models import ApiKey
from companion.people.auth import get_circle
from companion.people.models import Device
from companion.people.validators import clean_name
from companion.people.views import get_member_or_404


@dataclass(frozen=True)
class KeysPage:
    """The keys of a phone, with the one just created or the error in its form."""

    keys: Sequence[ApiKey]
    new_key: str
    typed_label: str
    error: Text | None

    @property
    def max_keys(self) -> int:
        return limits.MAX_API_KEYS

    @property
    def has_room(self) -> bool:
        return len(self.keys) < limits.MAX_API_KEYS


@dataclass(frozen=True)
class DocsPage:
    """The documentation of the API."""

    address: str
    has_circle: bool
    endpoints, filters, errors, object_types = ENDPOINTS, FILTERS, ERRORS, OBJECT_TYPES


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def keys_page(request: HttpRequest) -> HttpResponse:
    """List, create and revoke keys. A new key is shown only in the response to the form that created it."""
    device, circle = get_member_or_404(request)
    if request.method != "POST":
        return _render_page(request, device)
    if request.POST.get("action") == "back":
        keys.revoke_key(device, parse_small_number(request.POST.get("key", "")) or 0)
        return redirect("keys")
    try:
        label = clean_name(request.POST.get("label", ""))
        return _render_page(request, device, new_key=keys.create_key(device, circle, label=label))
    except Malformed as error:
        return _render_page(request, device, error=error.text)


@never_cache
@require_safe
def docs_page(request: HttpRequest) -> HttpResponse:
    page = DocsPage(request.build_absolute_uri(reverse("api")), get_circle(request) is not None)
    return render(request, "api/docs.html", {"page": page})


def _render_page(request: HttpRequest, device: Device, *, new_key: str = "", error: Text | None = None) -> HttpResponse:
    typed_label = request.POST.get("label", "")[:160] if error else ""
    page = KeysPage(list(keys.list_keys(device)), new_key, typed_label, error)
    return render(request, "api/keys.html", {"page": page}, status=422 if error else 200)
