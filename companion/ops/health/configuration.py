"""Checks of the settings and of the machine around them: addresses, proxy, port, what prints and translates."""

from __future__ import annotations

import ipaddress
import json
import platform
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult

from companion.env import MIN_KEY_LENGTH
from companion.ops.health.findings import Finding

PROBE_TIMEOUT = 5.0
"""Seconds in which whoever has the port must say that it is a companion."""


def check_python() -> Finding:
    return Finding.ok("python", f"Python {platform.python_version()}.")


def check_profile(public: SplitResult, port: int) -> Finding:
    """Under which profile it runs. Whether phones reach it from outside only they can tell."""
    if public.scheme == "https":
        return Finding.ok("profile", f"https: {public.geturl()}. Open it on a phone to see whether it is reached.")
    where = public.geturl() or f"http://ADDRESS:{port}"
    return Finding.ok(
        "profile", f"http, for the home network: {where}. For https see docs/operating.md, “https at home”."
    )


def check_hosts(names: Sequence[str], extra: Sequence[str]) -> Finding:
    if "*" in extra:
        return Finding.warning("hosts", "ALLOWED_HOSTS has *, which is not taken: name the names that are yours.")
    return Finding.ok("hosts", f"It answers to {', '.join(names)}, and to every private address.")


def check_proxy(trusted: str, is_https: bool) -> Finding:
    """Who may say for whom a request is."""
    if not trusted:
        return Finding.ok("proxy", "No proxy is believed.")
    try:
        ipaddress.ip_address(trusted)
    except ValueError:
        return Finding.error("proxy", f"TRUSTED_PROXY must be one address, like 192.168.1.2, not {trusted!r}.")
    if not is_https:
        return Finding.warning(
            "proxy", f"What {trusted} says of others is believed, though PUBLIC_URL is not https. Is that meant?"
        )
    return Finding.ok("proxy", f"What the proxy at {trusted} says of others is believed, and nobody else.")


def check_debug(is_on: bool) -> Finding:
    if is_on:
        return Finding.error("debug", "DEBUG is on: errors show the inside of the program to everybody. Set DEBUG=0.")
    return Finding.ok("debug", "DEBUG is off.")


def check_key_length(length: int) -> Finding:
    if length < MIN_KEY_LENGTH:
        return Finding.error(
            "key", f"SECRET_KEY is short: at least {MIN_KEY_LENGTH} characters. Without it one is made."
        )
    return Finding.ok("key", "The secret key is long enough.")


def check_printing(can_print: bool, packages: str) -> Finding:
    if can_print:
        return Finding.ok("papers", "PDFs can be made.")
    return Finding.warning(
        "papers", f"PDFs cannot be made without Pango; browsers print all the same. Debian: apt-get install {packages}"
    )


def check_translations(stale: Sequence[Path]) -> Finding:
    if stale:
        return Finding.warning(
            "words", f"Translations have still to be compiled ({len(stale)}): manage.py serve does that."
        )
    return Finding.ok("words", "The translations are compiled.")


def check_port(number: int) -> Iterator[Finding]:
    """Free, ours, or somebody else's."""
    try:
        socket.create_server(("0.0.0.0", number)).close()
    except OSError as error:
        if _is_companion(number):
            yield Finding.ok("port", f"A companion answers on port {number}.")
            yield from check_workers(_ask_json(number, "/readyz").get("workers"))
        else:
            text = f"Port {number} cannot be used: {error.strerror}. Choose another: PORT={number + 1}"
            yield Finding.error("port", text)
    else:
        yield Finding.ok("port", f"Port {number} is free; no companion runs on it.")


def check_workers(count: Mapping[str, int] | None) -> Iterator[Finding]:
    """How many worker processes serve, of how many; nothing where another server than ours runs the app."""
    if count and count["serving"] < count["wanted"]:
        text = f"Only {count['serving']} of {count['wanted']} worker processes serve. The log says why the others died."
        yield Finding.warning("workers", text)
    elif count:
        yield Finding.ok("workers", f"{count['serving']} of {count['wanted']} worker processes serve.")


def _ask_json(number: int, path: str) -> dict[str, Any]:
    """What the server of this machine answers; nothing where that is no JSON."""
    with closing(HTTPConnection("127.0.0.1", number, timeout=PROBE_TIMEOUT)) as asked:
        try:
            asked.request("GET", path)
            return dict(json.loads(asked.getresponse().read()))
        except (OSError, HTTPException, ValueError):
            return {}


def _is_companion(number: int) -> bool:
    with closing(HTTPConnection("127.0.0.1", number, timeout=PROBE_TIMEOUT)) as asked:
        try:
            asked.request("GET", "/healthz")
            return asked.getresponse().read(16) == b"ok\n"
        except (OSError, HTTPException):
            return False
