"""Under which names this server answers: its own, the operator's, and any address of a private network.

A page elsewhere can point its own *name* at this machine (DNS rebinding), but not an address: so a literal private
address is safe to accept, whatever address the router hands out tomorrow, and a strange name is not.
"""

import ipaddress
import socket
from collections.abc import Callable, Iterable

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from companion.web.logging import Event, request_id, tell


def is_private_address(host: str) -> bool:
    """Is the host an IP address, IPv6 with or without brackets, that leads nowhere on the internet?"""
    try:
        address = ipaddress.ip_address(host[1:-1] if host.startswith("[") and host.endswith("]") else host)
    except ValueError:
        return False
    address = getattr(address, "ipv4_mapped", None) or address
    # 0.0.0.0 leads to this machine, too, but browsers were attacked by it, and nobody types it.
    return not (address.is_global or address.is_unspecified or address.is_multicast)


class PrivateAddresses(str):
    """An entry of ALLOWED_HOSTS that equals every private address.

    Django compares a request's host with each entry in lower case. Should it ever compare in another way, then this is
    a name that nobody has, and private addresses are refused: the safe side.
    """

    __slots__ = ()

    def __new__(cls) -> "PrivateAddresses":
        return super().__new__(cls, "private-addresses.invalid")

    def lower(self) -> "PrivateAddresses":
        return self

    def __eq__(self, host: object) -> bool:
        return isinstance(host, str) and is_private_address(host)

    def __ne__(self, host: object) -> bool:
        return not self == host

    __hash__ = str.__hash__


def allowed_hosts(*, machine: str, public: str | None, extra: Iterable[str]) -> list[str]:
    """Django's ALLOWED_HOSTS. The operator's extra names are taken as they are, except `*`."""
    own = {name.lower() for name in (machine, local_name(machine)) if name}
    named = {name.lower() for name in (public, *extra) if name and name != "*"}
    return [*sorted({"localhost"} | own | named), PrivateAddresses()]


def machine_name() -> str:
    return socket.gethostname()


def local_name(machine: str) -> str:
    """The name under which multicast DNS announces the machine: `name.local`."""
    first = machine.partition(".")[0].lower()
    return f"{first}.local" if first and first != "localhost" else ""


class HostMiddleware:
    """Refuses a request for a strange name before anything else looks at it, and tells the operator what to do."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        try:
            request.get_host()
        except DisallowedHost:
            tell(Event.WRONG_HOST)
            return HttpResponse(_refusal(request), status=400, content_type="text/plain; charset=utf-8")
        return self.get_response(request)


def _refusal(request: HttpRequest) -> str:
    name = request.META.get("HTTP_HOST", "")[:253].encode("ascii", "backslashreplace").decode()
    return (
        f"This server does not answer to the name {name!r}. "
        "If you run it and this name is yours, add it to ALLOWED_HOSTS in its environment and start it again. "
        f"Nothing was saved. Request {request_id()}.\n"
    )
