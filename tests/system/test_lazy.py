# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory that only the target itself can provide: no read of it keeps the target stopped."""
import contextlib
import os
import signal

import ompdd
import pytest
from targets import stopped_threads, tracer, wait_until

# The heartbeat of a stopped target pauses. A busy machine gets many times the limit; a hang takes much longer.
LIMIT_MS = 100
PATIENCE_MS = 20000


@pytest.fixture
def lazy(program):
    """tests/programs/lazy.c, and the longest pause of its heartbeat."""
    def start():
        try:
            return program("lazy")
        except AssertionError as failure:
            if "ended with 77" in str(failure):
                pytest.skip("no userfaultfd here for who reads another's memory")
            raise
    return start


def longest_gap_ms(one):
    gaps = [0]
    while one.has_line():
        gaps.append(one.read_line()["gap_us"])
    return max(gaps) / 1000


def is_untouched(one):
    return not stopped_threads(one.pid) and not tracer(one.pid)


def test_stop_ends_when_a_read_does_not(lazy, daemons):
    """Whatever the request, also if the answer is a time limit."""
    one = lazy()
    daemon = daemons()
    with daemon.connect() as client:
        target = client.target.attach(pid=one.pid, mode="stop", max_stop_ms=LIMIT_MS)["target"]
        outcomes = set()
        for i in range(12):
            ask = (client.snapshot.get, client.stack.groups, client.thread.list)[i % 3]
            try:
                ask(target=target)
                outcomes.add("answer")
            except ompdd.Error as error:
                assert error.name == "stop_timeout", error
                outcomes.add(error.name)
        wait_until(lambda: is_untouched(one), "it runs")
        assert longest_gap_ms(one) < LIMIT_MS + PATIENCE_MS, outcomes


def test_twenty_of_them(lazy, daemons):
    them = [lazy() for _ in range(20)]
    daemon = daemons()
    with daemon.connect() as client:
        targets = [client.target.attach(pid=one.pid, mode="stop", max_stop_ms=LIMIT_MS)["target"] for one in them]
        for pending in [client.start("snapshot.get", {"target": target}) for target in targets]:
            with contextlib.suppress(ompdd.Error):
                pending.result()
        for one in them:
            wait_until(lambda one=one: is_untouched(one), "it runs")
            assert longest_gap_ms(one) < LIMIT_MS + PATIENCE_MS


def test_kill_of_a_worker_whose_read_hangs(lazy, daemons):
    one = lazy()
    daemon = daemons()
    daemon.expect_log.append("worker")
    with daemon.connect() as client:
        for _ in range(3):
            target = client.target.attach(pid=one.pid, mode="stop", max_stop_ms=60000)["target"]
            pending = client.start("stack.groups", {"target": target, "logical": True})
            with contextlib.suppress(AssertionError):
                wait_until(lambda: tracer(one.pid), "a stop; it may be over already", timeout=0.5)
            os.kill(daemon.worker(), signal.SIGKILL)
            with contextlib.suppress(ompdd.Error):
                pending.result()
            wait_until(lambda: is_untouched(one), "it runs")
        assert longest_gap_ms(one) < PATIENCE_MS

def test_hold_outlasts_a_read_that_hangs(lazy, daemons):
    """The holder of a target can resume it, whatever requests came meanwhile. The answer names unreadable memory."""
    one = lazy()
    daemon = daemons()
    with daemon.connect() as client:
        target = client.target.attach(pid=one.pid, mode="stop", max_stop_ms=LIMIT_MS)["target"]
        for _ in range(5):
            client.target.stop(target=target)
            try:
                client.snapshot.get(target=target)
            except ompdd.Error as error:
                assert error.name in ("stop_timeout", "memory_unreadable", "openmp_not_started", "ompd_rc_error"), error
            assert client.target.info(target=target)["state"] == "held"
            client.target.resume(target=target)
            wait_until(lambda: is_untouched(one), "it runs")


def test_hold_ends_with_its_client_whose_question_hangs(lazy, daemons):
    one = lazy()
    daemon = daemons()
    with daemon.connect() as other:
        target = other.target.attach(pid=one.pid, mode="stop", max_stop_ms=LIMIT_MS)["target"]
        with daemon.connect() as client:
            client.target.stop(target=target)
            client.start("snapshot.get", {"target": target})
        wait_until(lambda: is_untouched(one), "it runs")
        assert other.target.info(target=target)["state"] == "running"
