"""The addresses under which a phone in the same network finds this machine."""

import ipaddress
import socket
from urllib.parse import SplitResult

from companion.web.allowed_hosts import is_private_address, local_name, machine_name

# Documentation addresses: connecting a UDP socket sends nothing, it only makes the system choose a way out.
FAR_AWAY = ("192.0.2.1", "198.51.100.1", "10.255.255.255", "192.168.255.255", "172.31.255.255")


def phone_urls(port: int, public: SplitResult) -> list[str]:
    """Where to point a phone, the best address first; empty on a machine without a network."""
    addresses = [f"http://{address}:{port}" for address in private_addresses()]
    name = local_name(machine_name())
    return [
        *([f"{public.scheme}://{public.netloc}"] if public.netloc else []),
        *addresses,
        *([f"http://{name}:{port}"] if name and addresses else []),
    ]


def private_addresses() -> list[str]:
    """This machine's private IPv4 addresses, the one that leads outside first; loopback is of no use to a phone."""
    found = [_way_out(target) for target in FAR_AWAY] + _of_the_name()
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
        infos = socket.getaddrinfo(machine_name(), None, socket.AF_INET, socket.SOCK_STREAM)
    except OSError:
        return []
    return [str(info[4][0]) for info in infos]
