"""Addresses of clients, and of this machine for phones in the same network."""

import ipaddress
import socket
from functools import lru_cache
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
    private = [address for address in dict.fromkeys(addresses) if is_private_address(address)]
    return [address for address in private if not ipaddress.ip_address(address).is_loopback]


def _get_route_address(target: str) -> str:
    """Return the address that leads to the target; empty if none does."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((target, 9))
        except OSError:
            return ""
        return str(probe.getsockname()[0])


def _resolve_hostname() -> list[str]:
    try:
        infos = socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET, socket.SOCK_STREAM)
    except OSError:
        return []
    return [str(info[4][0]) for info in infos]


@lru_cache(maxsize=10_000)
def get_network(address: str, *, ipv4_bits: int = 32, ipv6_bits: int = 64) -> str:
    """Return the network of an address, by default the IPv6 /64 that one household shares; empty for other text."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return ""
    ip = getattr(ip, "ipv4_mapped", None) or ip
    return str(ipaddress.ip_network((ip, ipv4_bits if ip.version == 4 else ipv6_bits), strict=False))
