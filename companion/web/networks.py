"""Networks that clients connect from."""

import ipaddress
from functools import lru_cache


@lru_cache(maxsize=10_000)
def get_network(address: str, *, ipv4_bits: int = 32, ipv6_bits: int = 64) -> str:
    """Return the network of an address, by default the IPv6 /64 that one household shares; empty for other text."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return ""
    ip = getattr(ip, "ipv4_mapped", None) or ip
    return str(ipaddress.ip_network((ip, ipv4_bits if ip.version == 4 else ipv6_bits), strict=False))
