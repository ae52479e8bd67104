"""Result of a health check."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial


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


ok, warning, error = (partial(Finding, severity) for severity in Severity)
"""Findings of each severity, from a topic and a text."""


def has_errors(findings: Iterable[Finding]) -> bool:
    return any(finding.severity == Severity.ERROR for finding in findings)
