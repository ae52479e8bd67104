import pytest
from django.core.exceptions import DisallowedHost
from django.http import HttpResponse
from django.test import RequestFactory

from companion.middleware.host_check import HostCheckMiddleware
from companion.web.allowed_hosts import build_allowed_hosts, get_mdns_name, is_private_address

OWN_HOSTS = ["localhost", "cardbox", "CardBox", "cardbox.local", "cards.example.org", "extra.example"]
PRIVATE_HOSTS = [
    "127.0.0.1", "127.9.9.9", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.77", "169.254.3.4", "100.101.2.3",
    "192.0.2.2",
    "[::1]", "[fd12:3456::1]", "[fe80::1]", "[::ffff:192.168.1.77]",
]  # fmt: skip
FOREIGN_HOSTS = [
    "evil.example", "*", "localhost.evil.example", "192.168.1.77.evil.example", "cardbox.evil", "local", ".local",
    "8.8.8.8", "0.0.0.0", "172.32.0.1", "100.128.0.1", "224.0.0.251", "[2606:4700::1111]", "[::ffff:8.8.8.8]", "[::]",
    "192.168.1", "192.168.001.077", "0x7f.1", "2130706433", "private-addresses.invalid", "",
]  # fmt: skip


@pytest.fixture(autouse=True)
def cardbox(settings):
    settings.ALLOWED_HOSTS = build_allowed_hosts(
        machine="CardBox", public="cards.example.org", extra=["extra.example", "*"]
    )


def request_host(host: str) -> HttpResponse:
    return HostCheckMiddleware(lambda request: HttpResponse("come in"))(
        RequestFactory().get("/", headers={"host": host})
    )


@pytest.mark.parametrize("port", ["", ":8000"])
@pytest.mark.parametrize("host", OWN_HOSTS + PRIVATE_HOSTS)
def test_own_names_and_private_addresses_are_allowed(host, port):
    assert request_host(host + port).content == b"come in"


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
def test_other_hosts_are_rejected_with_a_hint_for_the_operator(host):
    response = request_host(host)
    assert response.status_code == 400
    assert "ALLOWED_HOSTS" in response.text
    assert response["Content-Type"].startswith("text/plain")


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
def test_django_rejects_the_same_hosts_as_the_middleware(host):
    with pytest.raises(DisallowedHost):
        RequestFactory().get("/", headers={"host": host}).get_host()


def test_rejected_host_is_shown_without_odd_characters():
    assert "\\u202e" in request_host("a\u202eb").text.replace("\\\\", "\\")


@pytest.mark.parametrize("host", ["localhost", "", "[", "[]", "[127.0.0.1", "1.2.3.4.5"])
def test_public_addresses_are_not_private(host):
    assert is_private_address(host) is False


def test_machine_without_hostname_has_no_local_name():
    assert get_mdns_name("") == ""
    assert get_mdns_name("localhost") == ""
    assert get_mdns_name("Box.home.example") == "box.local"
