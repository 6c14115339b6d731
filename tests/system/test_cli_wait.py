# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ompdctl --wait NAME: commands for a program that starts later."""
import json
import os
import shutil
import signal
import subprocess
import time

import pytest
from daemons import BIN
from targets import PROGRAMS, children, tracer, wait_until

# Long enough for several searches.
BEFORE = 0.3


@pytest.fixture
def named(program, tmp_path):
    """Start a test program under a name that no other process has; the name is known before."""
    name = f"w{os.getpid()}"[:15]

    def start(source, *args):
        path = tmp_path / name
        shutil.copy(PROGRAMS / source, path)
        return program(source, *args, path=path, wait=False)
    start.called = name
    return start


def wait_for(*args):
    return subprocess.Popen([BIN / "ompdctl", *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)


def test_break_reports_the_program_that_starts_later(named):
    with wait_for("break", "parallel_begin", "--wait", named.called, "--json") as waiting:
        time.sleep(BEFORE)
        assert waiting.poll() is None, waiting.communicate()
        one = named("rounds", 2)
        event = json.loads(waiting.stdout.readline())["event"]
        assert event["type"] == "breakpoint" and event["tid"] == one.pid
        assert waiting.wait(600) == 0
    wait_until(lambda: not tracer(one.pid), "nothing traces it any more")
    assert one.alive()


def test_record_and_top_of_a_program_that_starts_later(named, tmp_path):
    with wait_for("record", "--wait", named.called, "-d", 1, "-o", tmp_path / "out.folded") as record, \
         wait_for("top", "--wait", named.called, "--once", "-d", 1) as top:
        time.sleep(BEFORE)
        assert record.poll() is None and top.poll() is None
        one = named("turns")  # It spends its time in regions; rounds sleeps for most of it.
        assert f"pid {one.pid}" in record.communicate(timeout=600)[0]
        assert f"pid {one.pid}" in top.communicate(timeout=600)[0]
        assert record.returncode == 0 and top.returncode == 0
    assert "parallel region" in (tmp_path / "out.folded").read_text()


def test_why_of_a_program_that_has_no_region_yet(named):
    with wait_for("why", "--wait", named.called) as waiting:
        one = named("unready", 4)  # Its dynamic linker waits for a line.
        wait_until(lambda: children(waiting.pid), "a worker")
        time.sleep(BEFORE)
        assert waiting.poll() is None, waiting.communicate()
        one.process.stdin.write(b"\n")
        one.process.stdin.flush()
        said, errors = waiting.communicate(timeout=600)
        assert waiting.returncode == 0 and not errors
    assert "4 threads" in said, said


def test_why_of_a_program_that_ends_without_a_region(named):
    with wait_for("why", "--wait", named.called) as waiting:
        one = named("never")
        time.sleep(BEFORE)
        assert waiting.poll() is None, waiting.communicate()
        one.close()
        errors = waiting.communicate(timeout=600)[1]
        assert waiting.returncode == 1 and f"process {one.pid} ended before it was examined" in errors, errors


def test_a_program_that_runs_counts(named):
    one = named("rounds", 2)
    with wait_for("top", "--wait", named.called, "--once", "-d", 1) as top:
        assert f"pid {one.pid}" in top.communicate(timeout=600)[0]


def test_a_process_without_a_runtime_does_not_count(named, tmp_path):
    path = tmp_path / named.called
    shutil.copy(shutil.which("sleep"), path)
    with subprocess.Popen([path, "1000"]) as other, wait_for("top", "--wait", named.called, "--once", "-d", 1) as top:
        time.sleep(BEFORE)
        assert top.poll() is None
        other.kill()
        other.wait()
        path.unlink()
        one = named("rounds", 2)
        assert f"pid {one.pid}" in top.communicate(timeout=600)[0]


def test_interrupted(named):
    with wait_for("record", "--wait", named.called) as waiting:
        time.sleep(BEFORE)
        waiting.send_signal(signal.SIGINT)
        assert waiting.wait(60) in (-signal.SIGINT, 130)
    assert not children(waiting.pid)


@pytest.mark.parametrize("args, message", [
    (["--wait", "4711"], "--wait needs the name of a program"), (["--wait", ""], "--wait needs the name of a program"),
    (["--wait", "a", "-p", "4711"], "--wait takes one name, and no process beside it"), (["--wait", "a,b"], "--wait takes one name"),
    (["--wait", "a", "-t", "t1"], "give either -p PID"),
])
def test_wrong_input(args, message):
    done = subprocess.run([BIN / "ompdctl", "record", *args], capture_output=True, text=True)
    assert done.returncode == 3 and message in done.stderr
