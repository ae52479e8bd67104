import socket
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import pytest

from companion.ops.health import backups, configuration, doctor
from companion.ops.health.findings import Verdict
from tests.ops.test_serve import free_port

NOW = datetime(2026, 11, 22, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    ("found", "verdict", "words"),
    [
        (configuration.debug(True), "wrong", "Set DEBUG=0"),
        (configuration.debug(False), "ok", "off"),
        (configuration.key(20), "wrong", "at least 50 characters"),
        (configuration.proxy("proxy.example", True), "wrong", "must be one address"),
        (configuration.proxy("*", True), "wrong", "must be one address"),
        (configuration.proxy("192.168.1.2", False), "look", "PUBLIC_URL is not https"),
        (configuration.proxy("127.0.0.1", True), "ok", "nobody else"),
        (configuration.proxy("", False), "ok", "No proxy"),
        (configuration.hosts(["localhost"], ["*"]), "look", "which is not taken"),
        (configuration.hosts(["localhost", "cards.local"], []), "ok", "localhost, cards.local"),
        (configuration.addresses(urlsplit("https://cards.example.org"), 8000), "ok", "https://cards.example.org"),
        (configuration.addresses(urlsplit(""), 8123), "ok", ":8123"),
        (configuration.papers(False, "libpango"), "look", "apt-get install libpango"),
        (configuration.catalogues(["el.po"]), "look", "still to be compiled"),
        (backups.age(None, NOW), "look", "There is no backup"),
        (backups.age(NOW - timedelta(hours=49), NOW), "look", "over 48 hours old"),
        (backups.age(NOW - timedelta(hours=47), NOW), "ok", "2026-11-20"),
        (backups.trial(None), "look", "has ever been restored"),
        (backups.trial(NOW), "ok", "2026-11-22"),
    ],
)
def test_each_check_says_what_is_so_and_what_to_do(found, verdict, words):
    assert found.verdict == verdict and words in found.text


def test_a_port_is_free_or_somebody_elses(monkeypatch):
    assert [own.verdict for own in configuration.port(free_port())] == [Verdict.OK]
    with socket.create_server(("0.0.0.0", 0)) as taken:
        number = taken.getsockname()[1]
        monkeypatch.setattr(configuration, "PATIENCE", 0.2)  # it never answers
        (found,) = configuration.port(number)
    assert found.verdict == Verdict.WRONG and f"PORT={number + 1}" in found.text


def test_a_check_that_cannot_be_made_is_a_finding_and_no_traceback():
    def check():
        raise PermissionError("no\nentry")

    (found,) = doctor.asked("disk", check)
    assert (found.verdict, found.text) == (Verdict.WRONG, "This could not be looked at: no entry")
