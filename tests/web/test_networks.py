"""Networks that clients connect from, and addresses of this machine."""

from urllib.parse import urlsplit

import pytest

from companion.web import networks
from companion.web.allowed_hosts import is_private_address
from companion.web.networks import get_network

NOWHERE = urlsplit("")


def test_addresses_are_truncated():
    assert get_network("::ffff:192.0.2.7", ipv4_bits=24) == "192.0.2.0/24"
    assert get_network("fe80::1%eth0", ipv6_bits=48) == "fe80::/48"
    assert get_network("nonsense") == get_network("") == ""


@pytest.mark.parametrize(
    ("address", "second_address", "is_same"),
    [
        ("192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("fe80::1%eth0", "fe80::2", True),
    ],
)
def test_an_ipv6_household_counts_as_one_address(address, second_address, is_same):
    assert (get_network(address) == get_network(second_address)) == is_same


@pytest.fixture
def set_network(monkeypatch):
    """Function that fakes the addresses found by route and by hostname, and the hostname."""

    def patch_addresses(*routes: str | None, resolved: tuple[str, ...] = (), name: str = "cardbox") -> None:
        by_target = dict(zip(networks.ROUTE_PROBES, routes, strict=False))
        monkeypatch.setattr(networks, "_get_route_address", lambda target: by_target.get(target) or "")
        monkeypatch.setattr(networks, "_resolve_hostname", lambda: list(resolved))
        monkeypatch.setattr(networks.socket, "gethostname", lambda: name)

    return patch_addresses


def test_private_addresses_are_listed_once_before_the_hostname(set_network):
    set_network("192.168.1.5", "192.168.1.5", "10.8.0.2", resolved=("127.0.1.1", "10.8.0.2"))
    assert networks.list_phone_urls(8000, NOWHERE) == [
        "http://192.168.1.5:8000",
        "http://10.8.0.2:8000",
        "http://cardbox.local:8000",
    ]


def test_public_url_comes_first(set_network):
    set_network("192.168.1.5")
    assert networks.list_phone_urls(8000, urlsplit("https://cards.example.org"))[0] == "https://cards.example.org"


def test_unreachable_addresses_are_left_out(set_network):
    set_network("8.8.8.8", "127.0.0.1", None, "0.0.0.0")
    assert networks.list_phone_urls(8000, NOWHERE) == []


def test_addresses_of_this_machine_can_be_listed():
    assert all(is_private_address(address) for address in networks.list_private_addresses())
