from urllib.parse import urlsplit

import pytest

from companion.web import lan_addresses

NOWHERE = urlsplit("")


@pytest.fixture
def found(monkeypatch):
    """A machine whose network cards and name lead to these addresses."""

    def machine(*ways: str | None, named: tuple[str, ...] = (), name: str = "cardbox") -> None:
        by_target = dict(zip(lan_addresses.ROUTE_PROBES, ways, strict=False))
        monkeypatch.setattr(lan_addresses, "_get_route_address", by_target.get)
        monkeypatch.setattr(lan_addresses, "_resolve_hostname", lambda: list(named))
        monkeypatch.setattr(lan_addresses, "get_hostname", lambda: name)

    return machine


def test_private_addresses_are_listed_once_before_the_hostname(found):
    found("192.168.1.5", "192.168.1.5", "10.8.0.2", named=("127.0.1.1", "10.8.0.2"))
    assert lan_addresses.list_phone_urls(8000, NOWHERE) == [
        "http://192.168.1.5:8000",
        "http://10.8.0.2:8000",
        "http://cardbox.local:8000",
    ]


def test_public_url_comes_first(found):
    found("192.168.1.5")
    assert lan_addresses.list_phone_urls(8000, urlsplit("https://cards.example.org"))[0] == "https://cards.example.org"


def test_unreachable_addresses_are_left_out(found):
    found("8.8.8.8", "127.0.0.1", None, "0.0.0.0")
    assert lan_addresses.list_phone_urls(8000, NOWHERE) == []


def test_addresses_of_this_machine_can_be_listed():
    assert all(lan_addresses.is_reachable(address) for address in lan_addresses.list_private_addresses())
