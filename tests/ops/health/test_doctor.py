import socket
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import pytest

from companion.ops.health import backups, configuration, doctor
from companion.ops.health.findings import Severity
from tests.servers import get_free_port

NOW = datetime(2026, 11, 22, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    ("finding", "severity", "text"),
    [
        (configuration.check_debug(True), "error", "Set DEBUG=0"),
        (configuration.check_debug(False), "ok", "off"),
        (configuration.check_key_length(20), "error", "at least 50 characters"),
        (configuration.check_proxy("proxy.example", True), "error", "must be one address"),
        (configuration.check_proxy("*", True), "error", "must be one address"),
        (configuration.check_proxy("192.168.1.2", False), "warn", "PUBLIC_URL is not https"),
        (configuration.check_proxy("127.0.0.1", True), "ok", "Only the forwarded headers"),
        (configuration.check_proxy("", False), "ok", "No proxy"),
        (configuration.check_hosts(["localhost"], ["*"]), "warn", "which is ignored"),
        (configuration.check_hosts(["localhost", "cards.local"], []), "ok", "localhost, cards.local"),
        (configuration.check_profile(urlsplit("https://cards.example.org"), 8000), "ok", "https://cards.example.org"),
        (configuration.check_profile(urlsplit(""), 8123), "ok", ":8123"),
        (configuration.check_printing(False, "libpango"), "warn", "apt-get install libpango"),
        (configuration.check_translations(["el.po"]), "warn", "not compiled yet"),
        (backups.check_newest_backup(None, NOW), "warn", "There is no backup"),
        (backups.check_newest_backup(NOW - timedelta(hours=49), NOW), "warn", "over 48 hours old"),
        (backups.check_newest_backup(NOW - timedelta(hours=47), NOW), "ok", "2026-11-20"),
        (backups.check_last_restore(None), "warn", "has ever been restored"),
        (backups.check_last_restore(NOW), "ok", "2026-11-22"),
    ],
)
def test_each_check_reports_a_fact_and_what_to_do(finding, severity, text):
    assert finding.severity == severity and text in finding.text


def test_a_port_is_free_or_taken_by_another_program(monkeypatch):
    assert [finding.severity for finding in configuration.check_port(get_free_port())] == [Severity.OK]
    with socket.create_server(("0.0.0.0", 0)) as listener:
        number = listener.getsockname()[1]
        monkeypatch.setattr(configuration, "PROBE_TIMEOUT", 0.2)  # the listener never answers
        (finding,) = configuration.check_port(number)
    assert finding.severity == Severity.ERROR and f"PORT={number + 1}" in finding.text


def test_a_failing_check_is_a_finding():
    def check():
        raise PermissionError("no\nentry")

    (finding,) = doctor.run_check("disk", check)
    assert (finding.severity, finding.text) == (Severity.ERROR, "This check failed: no entry")
