import socket
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.utils import timezone

from companion.ops.health import configuration, doctor, files
from companion.ops.health.findings import Severity
from tests.servers import get_free_port

HTTPS = {"PUBLIC_URL": urlsplit("https://cards.example.org"), "IS_HTTPS": True}


@pytest.mark.parametrize(
    ("check", "changes", "severity", "text"),
    [
        (configuration.check_debug, {"DEBUG": True}, "error", "Set DEBUG=0"),
        (configuration.check_debug, {"DEBUG": False}, "ok", "off"),
        (configuration.check_key_length, {"SECRET_KEY": "x" * 20}, "error", "at least 50 characters"),
        (configuration.check_proxy, {"TRUSTED_PROXY": "proxy.example"}, "error", "must be one address"),
        (configuration.check_proxy, {"TRUSTED_PROXY": "*"}, "error", "must be one address"),
        (configuration.check_proxy, {"TRUSTED_PROXY": "192.168.1.2"}, "warn", "PUBLIC_URL is not https"),
        (configuration.check_proxy, {"TRUSTED_PROXY": "127.0.0.1", **HTTPS}, "ok", "Only the forwarded headers"),
        (configuration.check_proxy, {"TRUSTED_PROXY": ""}, "ok", "No proxy"),
        (
            configuration.check_hosts,
            {"ALLOWED_HOSTS": ["localhost", "cards.local", ""]},
            "ok",
            "localhost, cards.local",
        ),
        (configuration.check_profile, HTTPS, "ok", "https://cards.example.org"),
        (configuration.check_profile, {"PORT": 8123}, "ok", ":8123"),
    ],
)
def test_each_check_reports_a_fact_and_what_to_do(settings, check, changes, severity, text):
    for name, value in changes.items():
        setattr(settings, name, value)
    finding = check()
    assert finding.severity == severity and text in finding.text


def test_any_host_is_a_warning(monkeypatch):
    monkeypatch.setenv("ALLOWED_HOSTS", "cards.example.org, *")
    finding = configuration.check_hosts()
    assert finding.severity == Severity.WARNING and "which is ignored" in finding.text


def test_what_is_missing_is_a_warning(monkeypatch):
    monkeypatch.setattr(configuration.pdf, "can_render_pdf", lambda: False)
    assert "apt-get install libpango" in configuration.check_printing().text
    monkeypatch.setattr(configuration, "list_stale_catalogues", lambda _folders: ["el.po"])
    assert "not compiled yet (1)" in configuration.check_translations().text


@pytest.mark.parametrize(
    ("hours", "severity", "text"), [(49, "warn", ": over 48 hours old."), (47, "ok", "The newest backup is of ")]
)
def test_an_old_backup_is_a_warning(monkeypatch, hours, severity, text):
    made = timezone.now() - timedelta(hours=hours)
    monkeypatch.setattr(files.retention, "get_newest_backup_time", lambda: made)
    finding = files.check_newest_backup()
    assert (
        finding.severity == severity and text in finding.text and f"{made.astimezone():%Y-%m-%d %H:%M}" in finding.text
    )


def test_no_backup_and_no_restore_are_warnings(settings, tmp_path):
    settings.DATA = tmp_path
    assert "There is no backup" in files.check_newest_backup().text
    assert "has ever been restored" in files.check_last_restore().text
    (files.retention.get_backup_folder() / files.retention.RESTORE_MARKER).touch()
    assert f"{timezone.localtime():%Y-%m-%d}" in files.check_last_restore().text


def test_a_port_is_free_or_taken_by_another_program(monkeypatch, settings):
    settings.PORT = get_free_port()
    assert [finding.severity for finding in configuration.check_port()] == [Severity.OK]
    with socket.create_server(("0.0.0.0", 0)) as listener:
        settings.PORT = listener.getsockname()[1]
        monkeypatch.setattr(configuration, "PROBE_TIMEOUT", 0.2)  # the listener never answers
        (finding,) = configuration.check_port()
    assert finding.severity == Severity.ERROR and f"PORT={settings.PORT + 1}" in finding.text


def test_a_failing_check_is_a_finding():
    def check():
        raise PermissionError("no\nentry")

    (finding,) = doctor.run_check("disk", check)
    assert (finding.severity, finding.text) == (Severity.ERROR, "This check failed: no entry")
