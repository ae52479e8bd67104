"""Networks that clients connect from."""

import pytest

from companion.web.networks import get_network


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
