"""Rate limits by device, address and server."""

from __future__ import annotations

import time
from collections import Counter

import pytest
from django.conf import settings
from django.test import RequestFactory
from django.urls import reverse

from companion import limits
from companion.people import rate_limits
from companion.people.join_codes import CODE_LENGTH, SPELLING
from companion.people.models import AttemptCounter
from companion.people.rate_limits import RateLimitExceeded, count_code_attempt, refund_attempt
from tests.faults.phones import run_concurrently
from tests.scale import choose_count
from tests.web.people import Person, dump_database

HOURS = choose_count(1, 12)
"""Simulated hours; the rest of twelve would repeat the same pattern."""


@pytest.fixture
def clock(monkeypatch):
    """A clock that only the test moves."""

    class Clock:
        now = 1_800_000_000.0

        def time(self) -> float:
            return self.now

    fake_clock = Clock()
    monkeypatch.setattr(rate_limits, "time", fake_clock)
    return fake_clock


def build_request(address="192.0.2.1", browser="a"):
    request = RequestFactory().post("/join/", REMOTE_ADDR=address)
    request.COOKIES[settings.CSRF_COOKIE_NAME] = browser
    return request


def count_passed(requests):
    """Return how many of the requests were admitted."""
    passed = 0
    for request in requests:
        try:
            count_code_attempt(request)
        except RateLimitExceeded:
            continue
        passed += 1
    return passed


@pytest.mark.django_db
def test_a_device_may_try_ten_wrong_codes_in_ten_minutes(clock):
    assert count_passed(build_request() for _attempt in range(25)) == 10 == limits.WRONG_CODE_RATE_PER_DEVICE.limit
    clock.now += 10 * 60 - 1
    assert count_passed([build_request()]) == 0
    clock.now += 1
    assert count_passed(build_request() for _attempt in range(25)) == 10


@pytest.mark.django_db
def test_an_address_may_try_fifteen_with_any_number_of_browsers(clock):
    def count_passed_from(address, count):
        passed = 0
        for number in range(count):
            clock.now += 3  # slowly enough for the server's limit
            passed += count_passed([build_request(address, f"browser {number}")])
        return passed

    assert count_passed_from("192.0.2.1", 60) == 15 == limits.WRONG_CODE_RATE_PER_ADDRESS.limit
    assert count_passed_from("192.0.2.2", 5) == 5
    assert (
        count_passed_from("2001:db8:1:2::1", 10) + count_passed_from("2001:db8:1:2:ffff::9", 10) == 15
    )  # one household's network
    assert count_passed_from("2001:db8:1:3::1", 5) == 5


@pytest.mark.django_db
def test_one_address_cannot_use_up_the_server_limit(clock):
    assert count_passed(build_request("192.0.2.1", str(number)) for number in range(500)) == 15
    others = [build_request(f"10.0.{number}.1", f"other {number}") for number in range(200)]
    assert count_passed(others) == limits.WRONG_CODE_RATE_PER_SERVER.limit - 15 >= 45


@pytest.mark.django_db
@pytest.mark.slow
def test_ten_attackers_leave_guests_half_of_all_minutes(clock):
    """The figures of docs/operating.md: wrong codes per hour, and minutes in which a guest still gets in."""
    passed = open_minutes = 0
    for minute in range(HOURS * 60):
        attack = (build_request(f"10.0.{n % 10}.1", f"{minute} {n}") for n in range(100))
        passed += count_passed(attack)
        open_minutes += count_passed([build_request(f"10.9.{minute % 250}.1", "a guest")])
        clock.now += 60
    assert passed <= HOURS * 60 * 30
    assert open_minutes >= HOURS * 60 / 2


@pytest.mark.django_db
def test_the_server_allows_sixty_wrong_codes_a_minute(clock):
    assert (
        count_passed(build_request(f"10.0.{number}.1", str(number)) for number in range(200))
        == 60
        == limits.WRONG_CODE_RATE_PER_SERVER.limit
    )
    clock.now += 60
    assert count_passed(build_request(f"10.1.{number}.1", str(number)) for number in range(200)) == 60


@pytest.mark.django_db
def test_one_persistent_phone_locks_out_nobody_else(clock):
    count_passed(build_request() for _attempt in range(500))
    assert count_passed(build_request("192.0.2.9", f"other {number}") for number in range(15)) == 15


@pytest.mark.django_db
def test_attempts_above_the_limit_write_nothing(clock, django_assert_num_queries):
    count_passed(build_request() for _attempt in range(10))
    with django_assert_num_queries(1):
        assert count_passed([build_request()]) == 0


@pytest.mark.django_db
def test_the_error_says_how_long_to_wait(clock):
    count_passed(build_request() for _attempt in range(10))
    clock.now += 100
    with pytest.raises(RateLimitExceeded) as refused:
        count_code_attempt(build_request())
    assert refused.value.wait == 500


@pytest.mark.django_db
def test_valid_codes_do_not_count(clock):
    for _attempt in range(50):
        count_code_attempt(build_request())
        refund_attempt(build_request())
    assert count_passed(build_request() for _attempt in range(11)) == 10


@pytest.mark.django_db
def test_counters_hold_only_hashes_and_expire(clock):
    count_code_attempt(build_request("198.51.100.77", "a-browser"))
    stored = str(list(AttemptCounter.objects.values_list()))
    assert "198.51" not in stored and "a-browser" not in stored
    clock.now += 2 * 24 * 3600
    count_code_attempt(build_request("192.0.2.5", "b"))
    assert AttemptCounter.objects.count() == 3


@pytest.mark.django_db(transaction=True)
def test_exactly_the_limit_passes_of_400_concurrent_attempts():
    def try_codes(number):
        return count_passed([build_request(f"10.0.{number}.{attempt}", f"{number} {attempt}") for attempt in range(25)])

    assert sum(run_concurrently(try_codes, range(16))) == limits.WRONG_CODE_RATE_PER_SERVER.limit
    assert (
        AttemptCounter.objects.get(who=rate_limits._hash_subject("server")).count
        >= limits.WRONG_CODE_RATE_PER_SERVER.limit
    )


@pytest.mark.django_db
@pytest.mark.slow
def test_guessing_for_twelve_hours_has_a_chance_below_one_per_cent(clock, monkeypatch):
    """Every attempt comes from another address and browser, so that only the server limit applies."""
    server = [("server", "WRONG_CODE_RATE_PER_SERVER")]
    monkeypatch.setattr(rate_limits, "_list_code_counters", lambda _request: server)
    passed = 0
    for _minute in range(HOURS * 60):
        passed += count_passed(build_request() for _guess in range(63))
        clock.now += 60
    assert passed == HOURS * 60 * 60
    assert 0.004 < 12 / HOURS * passed * 100 / len(SPELLING) ** CODE_LENGTH < 0.01


@pytest.mark.django_db
def test_a_blocked_device_is_refused_even_with_a_valid_code(alice, table):
    alice.send(reverse("door", args=[table.public_id]), {"role": "scorer"})
    guest = Person()
    guest.get(reverse("join"))
    answers = Counter(guest.send(reverse("join"), {"code": "ACDEFG"}).status_code for _attempt in range(12))
    assert answers == {404: 10, 429: 2}
    before = dump_database()
    refused = guest.send(reverse("join"), {"code": table.door.code})
    assert refused.status_code == 429 and 0 < int(refused["Retry-After"]) <= 600
    assert "10 minutes" in refused.content.decode()
    assert dump_database() == before


@pytest.mark.django_db
def test_a_flood_gets_plain_text_and_others_the_error_page(table, monkeypatch):
    monkeypatch.setattr(limits, "REFUSAL_PAGE_RATE", limits.Rate(3, 60))
    monkeypatch.setattr(rate_limits, "_REFUSALS", rate_limits.InMemoryCounter("REFUSAL_PAGE_RATE"))

    def send_refused_codes(address):
        guest = Person()
        guest.get(reverse("join"))
        answers = [guest.post(reverse("join"), {"code": "ACDEFG"}, REMOTE_ADDR=address) for _attempt in range(5)]
        assert {answer.status_code for answer in answers} == {429} and all(answer["Retry-After"] for answer in answers)
        return ['name="code"' in answer.content.decode() for answer in answers]

    monkeypatch.setattr(limits, "WRONG_CODE_RATE_PER_SERVER", limits.Rate(0, 60))
    assert send_refused_codes("10.0.0.1") == [True, True, True, False, False]
    assert send_refused_codes("10.0.0.2") == [True, True, True, False, False]


def test_rate_limits_use_the_system_clock():
    assert rate_limits.time is time
