"""Checks of the settings and the machine: addresses, proxy, port, printing, translations."""

import ipaddress
import json
import platform
import socket
from collections.abc import Iterator
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException

from django.conf import settings

from companion import env
from companion.ops.compile_messages import list_stale_catalogues
from companion.ops.health.findings import Finding, error, ok, warning
from companion.printing import pdf

PROBE_TIMEOUT = 5.0
"""Seconds for the server on the port to identify itself as a companion."""
MAX_PROBE_BYTES = 10_000
"""Another program on the port may answer without end."""


def check_python() -> Finding:
    return ok("python", f"Python {platform.python_version()}.")


def check_profile() -> Finding:
    """Report http or https. Whether phones reach the server from outside, only they can tell."""
    url = settings.PUBLIC_URL.geturl()
    if settings.IS_HTTPS:
        return ok("profile", f"https: {url}. Open it on a phone to see whether it works.")
    url = url or f"http://ADDRESS:{settings.PORT}"
    return ok("profile", f"http, for the home network: {url}. For https see docs/operating.md, “https at home”.")


def check_hosts() -> Finding:
    if "*" in env.get_list("ALLOWED_HOSTS"):
        return warning("hosts", "ALLOWED_HOSTS contains *, which is ignored: list your own names.")
    names = ", ".join(settings.ALLOWED_HOSTS[:-1])  # the last entry stands for all private addresses
    return ok("hosts", f"The server answers to {names}, and every private address.")


def check_proxy() -> Finding:
    trusted = settings.TRUSTED_PROXY
    if not trusted:
        return ok("proxy", "No proxy is trusted.")
    try:
        ipaddress.ip_address(trusted)
    except ValueError:
        return error("proxy", f"TRUSTED_PROXY must be one address, like 192.168.1.2, not {trusted!r}.")
    if not settings.IS_HTTPS:
        text = f"The forwarded headers of {trusted} are trusted, but PUBLIC_URL is not https. Is that intended?"
        return warning("proxy", text)
    return ok("proxy", f"Only the forwarded headers of the proxy at {trusted} are trusted.")


def check_debug() -> Finding:
    if settings.DEBUG:
        return error("debug", "DEBUG is on: error pages show internals to everybody. Set DEBUG=0.")
    return ok("debug", "DEBUG is off.")


def check_key_length() -> Finding:
    """Report a short SECRET_KEY. That nobody else can read the key's file has been checked when it was read."""
    if len(settings.SECRET_KEY) < env.MIN_KEY_LENGTH:
        advice = f"use at least {env.MIN_KEY_LENGTH} characters, or unset it to have one generated."
        return error("key", f"SECRET_KEY is too short: {advice}")
    return ok("key", "The secret key is long enough.")


def check_printing() -> Finding:
    if pdf.can_render_pdf():
        return ok("pdf", "PDF export works.")
    advice = f"Debian: apt-get install {pdf.WEASYPRINT_PACKAGES}"
    return warning("pdf", f"PDF export needs Pango; printing from the browser works without. {advice}")


def check_translations() -> Finding:
    if stale := list_stale_catalogues(settings.LOCALE_PATHS):
        return warning("messages", f"Translations are not compiled yet ({len(stale)}): manage.py serve does that.")
    return ok("messages", "The translations are compiled.")


def check_port() -> Iterator[Finding]:
    """Report whether the port is free, ours, or taken by another program."""
    port = settings.PORT
    try:
        socket.create_server(("0.0.0.0", port)).close()
    except OSError as problem:
        if _fetch("/healthz") == b"ok\n":
            yield ok("port", f"A companion answers on port {port}.")
            yield from _check_workers()
        else:
            text = f"Port {port} cannot be used: {problem.strerror}. Choose another: PORT={port + 1}"
            yield error("port", text)
    else:
        yield ok("port", f"Port {port} is free; no companion runs on it.")


def _check_workers() -> Iterator[Finding]:
    """Report missing workers; nothing if the database is unavailable, or if another server runs the app."""
    count = None
    with suppress(ValueError):  # no JSON
        count = json.loads(_fetch("/readyz")).get("workers")
    if not count:
        return
    text = f"{count['serving']} of {count['wanted']} worker processes serve."
    if count["serving"] < count["wanted"]:
        yield warning("workers", f"Only {text} The log says why the others died.")
    else:
        yield ok("workers", text)


def _fetch(path: str) -> bytes:
    """Return the beginning of what the server on the port answers with; empty if it does not."""
    with closing(HTTPConnection("127.0.0.1", settings.PORT, timeout=PROBE_TIMEOUT)) as client:
        try:
            client.request("GET", path)
            return client.getresponse().read(MAX_PROBE_BYTES)
        except (OSError, HTTPException):
            return b""
