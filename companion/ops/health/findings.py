"""What a check has found, in a sentence for the operator. How it is found is left to the modules beside this one."""

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    OK = "ok"
    LOOK = "look"
    """It works; somebody should know."""
    WRONG = "wrong"


@dataclass(frozen=True)
class Finding:
    verdict: Verdict
    topic: str
    text: str
    """What is so, and what to do about it."""


def fine(topic: str, text: str) -> Finding:
    return Finding(Verdict.OK, topic, text)


def look(topic: str, text: str) -> Finding:
    return Finding(Verdict.LOOK, topic, text)


def wrong(topic: str, text: str) -> Finding:
    return Finding(Verdict.WRONG, topic, text)
