"""Log formatters, redaction and security events.

No log line holds a name, the address of a page, a key or anything that somebody typed. Requests are logged by the name
of their route, devices by a hash that nothing else is stored under, networks without their last part.
"""

import hashlib
import json
import logging
import re
import traceback
import unicodedata
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from typing import Any

from django.conf import settings

request_logger = logging.getLogger("companion.request")
security_logger = logging.getLogger("companion.security")
MAX_FRAMES, MAX_CAUSES = 15, 3
"""Per exception; keeps a line below the 4 KB that several processes can write to one pipe without interleaving."""
MAX_MESSAGE_LENGTH = 500
_PATH = re.compile(r"(?<!\S)/.*", re.DOTALL)
"""From the first path to the end of the message, as a path may contain blanks."""


class Event(StrEnum):
    """Security events; operators search the log for these values."""

    WRONG_CODE = "wrong code"
    WRONG_KEY = "wrong API key"
    WRONG_HOST = "wrong host"
    REFUSED_GRANT = "refused grant"
    CSRF_FAILURE = "CSRF failure"
    LIMIT_REACHED = "limit reached"
    IMPORT_REFUSED = "import refused"
    DEVICE_REMOVED = "device turned out"
    PLAYER_ERASED = "player erased"


@dataclass(slots=True)
class RequestLog:
    """Log fields of the current request."""

    id: str
    device: str
    network: str
    role: str = ""
    """Role of the device at the requested table."""
    failure: list[dict[str, Any]] | None = None
    """As returned by `describe_exception`."""


CURRENT_REQUEST: ContextVar[RequestLog | None] = ContextVar("current_request", default=None)


def get_request_id() -> str:
    """Return the id of the current request; empty outside of one."""
    request_log = CURRENT_REQUEST.get()
    return request_log.id if request_log else ""


def record_role(role: str) -> None:
    """Record the device's role at the requested table for the request's log line."""
    request_log = CURRENT_REQUEST.get()
    if request_log is not None:
        request_log.role = str(role)


def log_security_event(event: Event, **details: str) -> None:
    """Log a security event. Details are words of the code, never of a request."""
    request_log = CURRENT_REQUEST.get()
    client = {"device": request_log.device, "network": request_log.network} if request_log else {}
    security_logger.warning(event, extra={"fields": {"event": str(event), **details, **client}})


def log_unredacted(logger: logging.Logger, level: int, text: str) -> None:
    """Log a text with its values, which must be facts of this installation that nobody has typed.

    All other messages are logged without the values that were filled in.
    """
    logger.log(level, text, extra={"fields": {"message": sanitize_text(" ".join(text.split()))}})


def short_hash(secret: str) -> str:
    """Return a device's name in the log: stable for its secret, and of no use to find the device."""
    return hashlib.blake2b(secret.encode(errors="replace"), key=_key(), digest_size=5).hexdigest() if secret else ""


@cache
def _key() -> bytes:
    return hashlib.sha256(b"companion.web.logging" + settings.SECRET_KEY.encode()).digest()


def describe_exception(error: BaseException | None) -> list[dict[str, Any]]:
    """Return the types of an exception and its causes, with places in the code.

    Messages may hold what somebody typed and are included at level DEBUG only; values of variables never are.
    """
    causes: list[dict[str, Any]] = []
    while error is not None and len(causes) < MAX_CAUSES:
        frames = [
            f"{_shorten_path(frame.f_code.co_filename)}:{line}"
            for frame, line in traceback.walk_tb(error.__traceback__)
        ]
        cause: dict[str, Any] = {"type": type(error).__qualname__, "at": frames[-MAX_FRAMES:]}
        if settings.LOG_LEVEL == "DEBUG":
            cause["message"] = sanitize_text(str(error))
        causes.append(cause)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return causes


def _shorten_path(file: str) -> str:
    """Return a source file without this machine's folders, which may contain somebody's name."""
    file = file.rpartition("-packages/")[2]
    return file.removeprefix(f"{settings.ROOT}/") if not file.startswith("<") else "?"


def sanitize_text(text: str) -> str:
    """Return the text on one line, without control characters and direction marks."""
    cut = text[:MAX_MESSAGE_LENGTH]
    return "".join("·" if unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp") else letter for letter in cut)


def _redact(record: logging.LogRecord) -> str:
    """Return the message template of other libraries, without its values and without paths."""
    if settings.LOG_LEVEL == "DEBUG":
        return sanitize_text(record.getMessage())
    return sanitize_text(_PATH.sub("…", str(record.msg)))


def _build_fields(record: logging.LogRecord) -> dict[str, Any]:
    fields: dict[str, Any] = getattr(record, "fields", None) or {"message": _redact(record)}
    request_log = CURRENT_REQUEST.get()
    if request_log is not None:
        fields = {"request": request_log.id, **fields}
    if record.exc_info:
        fields = {**fields, "failure": describe_exception(record.exc_info[1])}
    return fields


class JsonFormatter(logging.Formatter):
    """One JSON object a line, in plain ASCII."""

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        return json.dumps({"time": time, "level": record.levelname, "logger": record.name, **_build_fields(record)})


class TextFormatter(logging.Formatter):
    """Lines to read on a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created).strftime("%H:%M:%S")  # noqa: DTZ006 - local time on a terminal
        fields = _build_fields(record)
        message = [fields.pop("message")] if "message" in fields else []
        words = [f"{name}={value}" for name, value in fields.items() if value not in ("", None)]
        return " ".join([time, record.levelname, record.name, *message, *words])


class FailureHandler(logging.Handler):
    """Attach Django's report of a failed request to the request's own log line; Django's would name the path."""

    def emit(self, record: logging.LogRecord) -> None:
        request_log, error = CURRENT_REQUEST.get(), record.exc_info[1] if record.exc_info else None
        if error is not None and request_log is not None:
            request_log.failure = describe_exception(error)
        elif error is not None:
            request_logger.error("failed", extra={"fields": {"failure": describe_exception(error)}})
