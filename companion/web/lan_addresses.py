"""Addresses of this machine for phones in the same network."""

import ipaddress
import socket
from urllib.parse import SplitResult

from companion.web.allowed_hosts import get_mdns_name, is_private_address

# Connecting a UDP socket sends nothing; it only makes the system choose a route.
ROUTE_PROBES = ("192.0.2.1", "198.51.100.1", "10.255.255.255", "192.168.255.255", "172.31.255.255")


def list_phone_urls(port: int, public: SplitResult) -> list[str]:
    """Return URLs to open on a phone, the best one first; none on a machine without a network."""
    addresses = [f"http://{address}:{port}" for address in list_private_addresses()]
    name = get_mdns_name(socket.gethostname())
    return [
        *([f"{public.scheme}://{public.netloc}"] if public.netloc else []),
        *addresses,
        *([f"http://{name}:{port}"] if name and addresses else []),
    ]


def list_private_addresses() -> list[str]:
    """Return this machine's private IPv4 addresses without loopback, that of the default route first."""
    addresses = [_get_route_address(target) for target in ROUTE_PROBES] + _resolve_hostname()
    return [address for address in dict.fromkeys(addresses) if address and is_reachable(address)]


def is_reachable(address: str) -> bool:
    return is_private_address(address) and not ipaddress.ip_address(address).is_loopback


def _get_route_address(target: str) -> str | None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((target, 9))
        except OSError:
            return None
        return str(probe.getsockname()[0])


def _resolve_hostname() -> list[str]:
    try:
        infos = socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET, socket.SOCK_STREAM)
    except OSError:
        return []
    return [str(info[4][0]) for info in infos]
