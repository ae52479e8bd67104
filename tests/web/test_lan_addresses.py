from urllib.parse import urlsplit

import pytest

from companion.web import lan_addresses

NOWHERE = urlsplit("")


@pytest.fixture
def set_network(monkeypatch):
    """Function that fakes the addresses found by route and by hostname, and the hostname."""

    def patch_addresses(*routes: str | None, resolved: tuple[str, ...] = (), name: str = "cardbox") -> None:
        by_target = dict(zip(lan_addresses.ROUTE_PROBES, routes, strict=False))
        monkeypatch.setattr(lan_addresses, "_get_route_address", by_target.get)
        monkeypatch.setattr(lan_addresses, "_resolve_hostname", lambda: list(resolved))
        monkeypatch.setattr(lan_addresses.socket, "gethostname", lambda: name)

    return patch_addresses


def test_private_addresses_are_listed_once_before_the_hostname(set_network):
    set_network("192.168.1.5", "192.168.1.5", "10.8.0.2", resolved=("127.0.1.1", "10.8.0.2"))
    assert lan_addresses.list_phone_urls(8000, NOWHERE) == [
        "http://192.168.1.5:8000",
        "http://10.8.0.2:8000",
        "http://cardbox.local:8000",
    ]


def test_public_url_comes_first(set_network):
    set_network("192.168.1.5")
    assert lan_addresses.list_phone_urls(8000, urlsplit("https://cards.example.org"))[0] == "https://cards.example.org"


def test_unreachable_addresses_are_left_out(set_network):
    set_network("8.8.8.8", "127.0.0.1", None, "0.0.0.0")
    assert lan_addresses.list_phone_urls(8000, NOWHERE) == []


def test_addresses_of_this_machine_can_be_listed():
    assert all(lan_addresses.is_reachable(address) for address in lan_addresses.list_private_addresses())
