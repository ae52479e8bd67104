"""Tests of the child process for costly tasks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from companion.printing import pdf
from companion.web import child_process
from companion.web.child_process import ChildProcess, TaskFailed
from companion.web.concurrency import ServerBusy


@pytest.fixture
def child():
    child = ChildProcess()
    yield child
    child._end()


def render(child: ChildProcess, html: str) -> bytes:
    return child.run(pdf.render_pdf_task, html.encode())


def test_a_failing_task_differs_from_a_slow_one(child):
    with pytest.raises(TaskFailed):
        child.run(pdf.render_pdf_task, b"\xff")
    assert render(child, "<p>One").startswith(b"%PDF-")


def test_tasks_run_one_at_a_time_in_one_process(child):
    assert render(child, "<p>One").startswith(b"%PDF-")
    pid = child._child.pid
    assert render(child, "<p>Δύο").startswith(b"%PDF-")
    assert child._child.pid == pid
    assert os.getpriority(os.PRIO_PROCESS, pid) > os.getpriority(os.PRIO_PROCESS, 0)


@pytest.mark.slow
def test_a_killed_process_is_replaced(child):
    render(child, "<p>One")
    child._child.kill()
    child._child.wait(10)
    assert render(child, "<p>Two").startswith(b"%PDF-")


@pytest.mark.slow
def test_a_task_that_takes_too_long_is_aborted(child, monkeypatch):
    render(child, "<p>One")
    monkeypatch.setattr(child_process, "MAX_TASK_SECONDS", 1.0)
    start = time.monotonic()
    with pytest.raises(ServerBusy):
        render(child, "<table>" + "<tr><td>x<td>y" * 30_000)
    assert time.monotonic() - start < 15
    monkeypatch.setattr(child_process, "MAX_TASK_SECONDS", 60.0)
    assert render(child, "<p>Two").startswith(b"%PDF-")


def test_the_memory_of_a_large_task_is_released(child, monkeypatch):
    monkeypatch.setattr(child_process, "MAX_REUSE_BYTES", 20)
    assert render(child, "<p>" + "long " * 10).startswith(b"%PDF-")
    assert child._child is None


@pytest.mark.parametrize("is_drawing", [False, True])
@pytest.mark.slow
def test_the_child_ends_with_the_server(tmp_path: Path, is_drawing):
    page = "'<table>' + '<tr><td>x' * 50_000" if is_drawing else "''"
    code = (
        "import sys, threading, time\n"
        "from companion.web.child_process import CHILD\n"
        "from companion.printing.pdf import render_pdf_task\n"
        "CHILD.run(render_pdf_task, b'<p>One')\n"
        f"page = {page}\n"
        "if page: CHILD._pipe.send((render_pdf_task, page.encode()))\n"
        "print(CHILD._child.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=os.environ)
    assert parent.stdout is not None
    with parent.stdout:
        child_pid = int(parent.stdout.readline())
        parent.send_signal(signal.SIGKILL)
        parent.wait(10)
    for _attempt in range(200):
        if (
            not Path(f"/proc/{child_pid}").exists()
            or "Z" in Path(f"/proc/{child_pid}/stat").read_text().rpartition(")")[2][:3]
        ):
            return
        time.sleep(0.05)
    pytest.fail("the child is still running")
