"""Checks of the settings and the machine: addresses, proxy, port, printing, translations."""

from __future__ import annotations

import ipaddress
import json
import platform
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import SplitResult

from companion.env import MIN_KEY_LENGTH
from companion.ops.health.findings import Finding

PROBE_TIMEOUT = 5.0
"""Seconds for the server on the port to identify itself as a companion."""
MAX_PROBE_BYTES = 10_000
"""Another program on the port may answer without end."""


def check_python() -> Finding:
    return Finding.ok("python", f"Python {platform.python_version()}.")


def check_profile(public: SplitResult, port: int) -> Finding:
    """Report http or https. Whether phones reach the server from outside, only they can tell."""
    if public.scheme == "https":
        return Finding.ok("profile", f"https: {public.geturl()}. Open it on a phone to see whether it works.")
    url = public.geturl() or f"http://ADDRESS:{port}"
    return Finding.ok(
        "profile", f"http, for the home network: {url}. For https see docs/operating.md, “https at home”."
    )


def check_hosts(names: Sequence[str], extra: Sequence[str]) -> Finding:
    if "*" in extra:
        return Finding.warning("hosts", "ALLOWED_HOSTS contains *, which is ignored: list your own names.")
    return Finding.ok("hosts", f"The server answers to {', '.join(names)}, and every private address.")


def check_proxy(trusted: str, is_https: bool) -> Finding:
    if not trusted:
        return Finding.ok("proxy", "No proxy is trusted.")
    try:
        ipaddress.ip_address(trusted)
    except ValueError:
        return Finding.error("proxy", f"TRUSTED_PROXY must be one address, like 192.168.1.2, not {trusted!r}.")
    if not is_https:
        return Finding.warning(
            "proxy", f"The forwarded headers of {trusted} are trusted, but PUBLIC_URL is not https. Is that intended?"
        )
    return Finding.ok("proxy", f"Only the forwarded headers of the proxy at {trusted} are trusted.")


def check_debug(is_on: bool) -> Finding:
    if is_on:
        return Finding.error("debug", "DEBUG is on: error pages show internals to everybody. Set DEBUG=0.")
    return Finding.ok("debug", "DEBUG is off.")


def check_key_length(length: int) -> Finding:
    """Report a short SECRET_KEY. That nobody else can read the key's file has been checked when it was read."""
    if length < MIN_KEY_LENGTH:
        return Finding.error(
            "key",
            f"SECRET_KEY is too short: use at least {MIN_KEY_LENGTH} characters, or unset it to have one generated.",
        )
    return Finding.ok("key", "The secret key is long enough.")


def check_printing(can_print: bool, packages: str) -> Finding:
    if can_print:
        return Finding.ok("pdf", "PDF export works.")
    return Finding.warning(
        "pdf", f"PDF export needs Pango; printing from the browser works without. Debian: apt-get install {packages}"
    )


def check_translations(stale: Sequence[Path]) -> Finding:
    if stale:
        return Finding.warning(
            "messages", f"Translations are not compiled yet ({len(stale)}): manage.py serve does that."
        )
    return Finding.ok("messages", "The translations are compiled.")


def check_port(number: int) -> Iterator[Finding]:
    """Report whether the port is free, ours, or taken by another program."""
    try:
        socket.create_server(("0.0.0.0", number)).close()
    except OSError as error:
        if _fetch(number, "/healthz") == b"ok\n":
            yield Finding.ok("port", f"A companion answers on port {number}.")
            with suppress(ValueError):  # no JSON: the database is unavailable, or another server runs the app
                yield from check_workers(json.loads(_fetch(number, "/readyz")).get("workers"))
        else:
            text = f"Port {number} cannot be used: {error.strerror}. Choose another: PORT={number + 1}"
            yield Finding.error("port", text)
    else:
        yield Finding.ok("port", f"Port {number} is free; no companion runs on it.")


def check_workers(count: Mapping[str, int] | None) -> Iterator[Finding]:
    """Report missing workers; nothing if another server runs the app."""
    if count and count["serving"] < count["wanted"]:
        text = f"Only {count['serving']} of {count['wanted']} worker processes serve. The log says why the others died."
        yield Finding.warning("workers", text)
    elif count:
        yield Finding.ok("workers", f"{count['serving']} of {count['wanted']} worker processes serve.")


def _fetch(number: int, path: str) -> bytes:
    """Return the beginning of what the server on the port answers with; empty if it does not."""
    with closing(HTTPConnection("127.0.0.1", number, timeout=PROBE_TIMEOUT)) as client:
        try:
            client.request("GET", path)
            return client.getresponse().read(MAX_PROBE_BYTES)
        except (OSError, HTTPException):
            return b""
