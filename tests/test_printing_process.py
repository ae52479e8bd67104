"""PDFs are drawn beside the process that serves: what takes too long is ended, and nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from companion.printing import process
from companion.printing.process import PdfProcess
from companion.web.concurrency import ServerBusy


@pytest.fixture
def printer():
    own = PdfProcess()
    yield own
    own._end()


def test_pages_are_drawn_one_after_the_other_in_one_process(printer):
    assert printer.draw("<p>One").startswith(b"%PDF-")
    child = printer._child.pid
    assert printer.draw("<p>Δύο").startswith(b"%PDF-")
    assert printer._child.pid == child
    assert os.getpriority(os.PRIO_PROCESS, child) > os.getpriority(os.PRIO_PROCESS, 0)


def test_a_process_that_was_killed_is_replaced(printer):
    printer.draw("<p>One")
    printer._child.kill()
    printer._child.wait(10)
    assert printer.draw("<p>Two").startswith(b"%PDF-")


def test_a_page_that_takes_too_long_is_given_up(printer, monkeypatch):
    printer.draw("<p>One")
    monkeypatch.setattr(process, "MOST_SECONDS", 1.0)
    began = time.monotonic()
    with pytest.raises(ServerBusy):
        printer.draw("<table>" + "<tr><td>x<td>y" * 30_000)
    assert time.monotonic() - began < 15
    monkeypatch.setattr(process, "MOST_SECONDS", 60.0)
    assert printer.draw("<p>Two").startswith(b"%PDF-")


def test_the_memory_of_a_long_page_is_given_back(printer, monkeypatch):
    monkeypatch.setattr(process, "LARGEST_KEPT", 20)
    assert printer.draw("<p>" + "long " * 10).startswith(b"%PDF-")
    assert printer._child is None


@pytest.mark.parametrize("is_drawing", [False, True])
def test_it_ends_with_the_process_that_serves(tmp_path: Path, is_drawing):
    page = "'<table>' + '<tr><td>x' * 50_000" if is_drawing else "''"
    code = (
        "import sys, threading, time\n"
        "from companion.printing.process import PDF_PROCESS, write_message\n"
        "PDF_PROCESS.draw('<p>One')\n"
        f"page = {page}\n"
        "if page: write_message(PDF_PROCESS._child.stdin, page.encode())\n"
        "print(PDF_PROCESS._child.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=os.environ)
    assert parent.stdout is not None
    with parent.stdout:
        child = int(parent.stdout.readline())
        parent.send_signal(signal.SIGKILL)
        parent.wait(10)
    for _time in range(200):
        if not Path(f"/proc/{child}").exists() or "Z" in Path(f"/proc/{child}/stat").read_text().rpartition(")")[2][:3]:
            return
        time.sleep(0.05)
    pytest.fail("it lives on")
