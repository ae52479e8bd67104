"""The addresses under which a phone in the same network finds this machine."""

import ipaddress
import socket
from urllib.parse import SplitResult

from companion.web.allowed_hosts import get_hostname, get_mdns_name, is_private_address

# Documentation addresses: connecting a UDP socket sends nothing, it only makes the system choose a way out.
ROUTE_PROBES = ("192.0.2.1", "198.51.100.1", "10.255.255.255", "192.168.255.255", "172.31.255.255")


def list_phone_urls(port: int, public: SplitResult) -> list[str]:
    """Where to point a phone, the best address first; empty on a machine without a network."""
    addresses = [f"http://{address}:{port}" for address in list_private_addresses()]
    name = get_mdns_name(get_hostname())
    return [
        *([f"{public.scheme}://{public.netloc}"] if public.netloc else []),
        *addresses,
        *([f"http://{name}:{port}"] if name and addresses else []),
    ]


def list_private_addresses() -> list[str]:
    """This machine's private IPv4 addresses, the one that leads outside first; loopback is of no use to a phone."""
    found = [_way_out(target) for target in ROUTE_PROBES] + _of_the_name()
    return [address for address in dict.fromkeys(found) if address and is_reachable(address)]


def is_reachable(address: str) -> bool:
    return is_private_address(address) and not ipaddress.ip_address(address).is_loopback


def _way_out(target: str) -> str | None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((target, 9))
        except OSError:
            return None
        return str(probe.getsockname()[0])


def _of_the_name() -> list[str]:
    try:
        infos = socket.getaddrinfo(get_hostname(), None, socket.AF_INET, socket.SOCK_STREAM)
    except OSError:
        return []
    return [str(info[4][0]) for info in infos]
