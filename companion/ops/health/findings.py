"""Result of a health check."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    OK = "ok"
    WARNING = "warn"
    """It works; somebody should know."""
    ERROR = "error"


@dataclass(frozen=True)
class Finding:
    severity: Severity
    topic: str
    text: str
    """A sentence for the operator: what was found, and what to do about it."""

    @classmethod
    def ok(cls, topic: str, text: str) -> Finding:
        return cls(Severity.OK, topic, text)

    @classmethod
    def warning(cls, topic: str, text: str) -> Finding:
        return cls(Severity.WARNING, topic, text)

    @classmethod
    def error(cls, topic: str, text: str) -> Finding:
        return cls(Severity.ERROR, topic, text)


def has_errors(findings: Iterable[Finding]) -> bool:
    return any(finding.severity == Severity.ERROR for finding in findings)
