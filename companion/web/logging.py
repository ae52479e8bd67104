"""What the server tells its operator, a line each: how it is written, and what is left out. Not the log of a table.

No line holds a name, an address of a page, a key or anything that somebody typed: requests are told by the name of
their route, devices by a hash that nothing else is stored under, networks without their last part.
"""

from __future__ import annotations

import hashlib
import ipaddress
import json
import logging
import re
import traceback
import unicodedata
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache, lru_cache
from typing import Any

from django.conf import settings

request_logger = logging.getLogger("companion.request")
security_logger = logging.getLogger("companion.security")
MAX_FRAMES, MAX_CAUSES = 15, 3
"""Of an error: a line of it stays below the 4 KB that several processes can write to one pipe without mixing them."""
MAX_MESSAGE_LENGTH = 500
_PATH = re.compile(r"(?<!\S)/.*", re.DOTALL)
"""From the first address of a page on: where it ends nobody knows, for it may hold blanks."""


class Event(StrEnum):
    """What has to do with who may do what: the words by which an operator looks for it."""

    WRONG_CODE = "wrong code"
    WRONG_KEY = "wrong API key"
    WRONG_HOST = "wrong host"
    REFUSED_GRANT = "refused grant"
    FORGED = "CSRF failure"
    LIMIT_REACHED = "limit reached"
    IMPORT_REFUSED = "import refused"
    TURNED_OUT = "device turned out"
    ERASED = "player erased"


@dataclass(slots=True)
class RequestLog:
    """The request that is being answered, as lines tell of it."""

    id: str
    device: str
    network: str
    role: str = ""
    """Of the device at the table that was asked for."""
    failure: list[dict[str, Any]] | None = None
    """What went wrong, as `describe_exception` tells it."""


CURRENT_REQUEST: ContextVar[RequestLog | None] = ContextVar("trace", default=None)


def get_request_id() -> str:
    """Of the request that is being answered; nothing outside of one."""
    trace = CURRENT_REQUEST.get()
    return trace.id if trace else ""


def record_role(role: str) -> None:
    """What the device may do at the table that is asked for, once that is known."""
    trace = CURRENT_REQUEST.get()
    if trace is not None:
        trace.role = str(role)


def log_security_event(event: Event, **more: str) -> None:
    """A line on security. What is said beside the event are words of the code, never of a request."""
    trace = CURRENT_REQUEST.get()
    who = {"device": trace.device, "network": trace.network} if trace else {}
    security_logger.warning(event, extra={"told": {"event": str(event), **more, **who}})


def unredacted(text: str) -> dict[str, Any]:
    """For `extra`: words that are told with their values, for nobody has typed any of them: of this installation and of
    its database. Of other messages the values are left out."""
    return {"told": {"message": sanitize_text(" ".join(text.split()))}}


def short_hash(secret: str) -> str:
    """A device in a line: the same for as long as its secret, and of no use to find the device by."""
    return hashlib.blake2b(secret.encode(errors="replace"), key=_key(), digest_size=5).hexdigest() if secret else ""


@cache
def _key() -> bytes:
    return hashlib.sha256(b"companion.web.logging" + settings.SECRET_KEY.encode()).digest()


@lru_cache(maxsize=1_000)
def mask_address(address: str) -> str:
    """The network of an address: of IPv4 the first three numbers, of IPv6 the first 48 bits."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return ""
    found = getattr(found, "ipv4_mapped", None) or found
    return str(ipaddress.ip_network((found, 24 if found.version == 4 else 48), strict=False))


def describe_exception(error: BaseException | None) -> list[dict[str, Any]]:
    """An exception and what it came from: types and places in the code. Its message may hold what somebody typed, and
    is told at the level DEBUG alone; values of variables never are."""
    found: list[dict[str, Any]] = []
    while error is not None and len(found) < MAX_CAUSES:
        frames = [
            f"{_place(frame.f_code.co_filename)}:{line}" for frame, line in traceback.walk_tb(error.__traceback__)
        ]
        told: dict[str, Any] = {"type": type(error).__qualname__, "at": frames[-MAX_FRAMES:]}
        if settings.LOG_LEVEL == "DEBUG":
            told["message"] = sanitize_text(str(error))
        found.append(told)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return found


def _place(file: str) -> str:
    """A file of the code without the folders of this machine, in which somebody's name may stand."""
    file = file.rpartition("-packages/")[2]
    return file.removeprefix(f"{settings.ROOT}/") if not file.startswith("<") else "?"


def sanitize_text(text: str) -> str:
    """The text on one line, without characters that move a cursor or turn a direction."""
    cut = text[:MAX_MESSAGE_LENGTH]
    return "".join("·" if unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp") else letter for letter in cut)


def _message(record: logging.LogRecord) -> str:
    """What others say, without the values that they put into it, and without addresses of pages."""
    if settings.LOG_LEVEL == "DEBUG":
        return sanitize_text(record.getMessage())
    return sanitize_text(_PATH.sub("…", str(record.msg)))


def _told(record: logging.LogRecord) -> dict[str, Any]:
    found: dict[str, Any] = getattr(record, "told", None) or {"message": _message(record)}
    trace = CURRENT_REQUEST.get()
    if trace is not None:
        found = {"request": trace.id, **found}
    if record.exc_info:
        found = {**found, "failure": describe_exception(record.exc_info[1])}
    return found


class JsonFormatter(logging.Formatter):
    """A JSON object a line, for machines: in plain ASCII, so that nothing in it is more than letters."""

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        return json.dumps({"time": time, "level": record.levelname, "logger": record.name, **_told(record)})


class TextFormatter(logging.Formatter):
    """The same as words, for a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created).strftime("%H:%M:%S")  # noqa: DTZ006 - for whoever sits there
        told = _told(record)
        message = [told.pop("message")] if "message" in told else []
        words = [f"{name}={value}" for name, value in told.items() if value not in ("", None)]
        return " ".join([time, record.levelname, record.name, *message, *words])


class FailureHandler(logging.Handler):
    """Takes what Django says of a failed request, for the one line of the request: Django would name the path."""

    def emit(self, record: logging.LogRecord) -> None:
        trace, error = CURRENT_REQUEST.get(), record.exc_info[1] if record.exc_info else None
        if error is not None and trace is not None:
            trace.failure = describe_exception(error)
        elif error is not None:
            request_logger.error("failed", extra={"told": {"failure": describe_exception(error)}})
