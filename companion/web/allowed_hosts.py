"""ALLOWED_HOSTS: the machine's own names, the operator's, and every private address.

A page elsewhere can point its own *name* at this machine (DNS rebinding), but not an address. So any literal private
address is safe to accept, whatever the router hands out tomorrow; an unknown name is not.
"""

import ipaddress
from collections.abc import Iterable


def is_private_address(host: str) -> bool:
    """Return whether the host is an IP address (IPv6 with or without brackets) that is not routed on the internet."""
    try:
        address = ipaddress.ip_address(host[1:-1] if host.startswith("[") and host.endswith("]") else host)
    except ValueError:
        return False
    address = getattr(address, "ipv4_mapped", None) or address
    # 0.0.0.0 reaches this machine as well, but it has been used to attack browsers, and nobody types it.
    return not (address.is_global or address.is_unspecified or address.is_multicast)


class AnyPrivateAddress(str):
    """An entry of ALLOWED_HOSTS that equals every private address.

    Relies on Django comparing a request's host with each entry in lower case. Should it ever compare differently, this
    is a name nobody has, and private addresses are refused: it fails closed.
    """

    __slots__ = ()

    def __new__(cls) -> "AnyPrivateAddress":
        return super().__new__(cls, "private-addresses.invalid")

    def lower(self) -> "AnyPrivateAddress":
        return self

    def __eq__(self, host: object) -> bool:
        return isinstance(host, str) and is_private_address(host)

    def __ne__(self, host: object) -> bool:
        return not self == host

    __hash__ = str.__hash__


def build_allowed_hosts(*, machine: str, public: str | None, extra: Iterable[str]) -> list[str]:
    """Return Django's ALLOWED_HOSTS, with all of the operator's extra names except `*`."""
    machine_names = {name.lower() for name in (machine, get_mdns_name(machine)) if name}
    operator_names = {name.lower() for name in (public, *extra) if name and name != "*"}
    return [*sorted({"localhost"} | machine_names | operator_names), AnyPrivateAddress()]


def get_mdns_name(machine: str) -> str:
    """Return the name under which multicast DNS announces the machine: `name.local`."""
    first = machine.partition(".")[0].lower()
    return f"{first}.local" if first and first != "localhost" else ""
