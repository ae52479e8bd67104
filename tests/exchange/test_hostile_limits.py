"""Tests of the time and memory that hostile files cost, each in its own process."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Callable

import pytest

from companion.exchange.detect import parse_upload
from companion.exchange.import_data import BadFile
from tests.exchange import hostile_files
from tests.exchange.sample_files import build_random_records
from tests.exchange.test_companion_json import write_companion_file
from tests.scale import LONG

pytestmark = pytest.mark.hostile

SECONDS = 5
"""CPU seconds, enforced by the operating system."""
MEMORY = 150_000
"""Kilobytes on top of a process that parses nothing."""


def measure_cost(task: Callable[[], None]) -> tuple[int, int]:
    """Run a task in a process; return its wait status and its peak memory in kilobytes."""
    pid = os.fork()
    if pid == 0:
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            task()
            os._exit(0)
        except BaseException:
            os._exit(1)
    _pid, status, usage = os.wait4(pid, 0)
    return status, usage.ru_maxrss


def expect_refusal(content: bytes) -> None:
    with pytest.raises(BadFile):
        parse_upload(content, "file")


@pytest.mark.long
def test_hostile_files_are_refused_quickly_in_little_memory():
    valid_file = write_companion_file(build_random_records("take-that", 1)).decode()
    cases = [
        *hostile_files.iter_unknown_files(),
        *hostile_files.iter_bgstats_files(),
        *hostile_files.iter_notation_files(),
    ]
    cases += list(hostile_files.iter_companion_files(valid_file))
    assert len(cases) >= 60
    _status, baseline = measure_cost(lambda: None)
    for name, content, _where in cases:
        status, peak = measure_cost(lambda content=content: expect_refusal(content))
        assert status == 0, (name, signal.strsignal(status) if status < 65 else status)
        assert peak - baseline < MEMORY, name


def test_the_harness_notices_slow_and_accepted_files():
    def loop_forever() -> None:
        while True:
            pass

    assert measure_cost(lambda: expect_refusal(b"game take-that\nseats 2\n"))[0] != 0
    if LONG:
        assert measure_cost(loop_forever)[0] == signal.SIGKILL
