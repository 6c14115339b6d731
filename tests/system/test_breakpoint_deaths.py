# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whatever dies while breakpoints are planted (worker, daemon, client, tracer or target), the target continues without
them.
"""
import contextlib
import os
import signal

import ompdd
import pytest
from conftest import TRIALS, fails
from control import Gone, Hits, address_of, attach, has_settled, is_planted, runs_free
from daemons import adopt_orphans, orphaned_workers
from targets import Killer, alive, tracer, wait_until

BUSY = ({"event": "parallel_begin"}, {"function": "work"}, {"event": "task_end"})


def busy(client, target):
    """Set breakpoints, and go from hit to hit until something breaks."""
    hits = Hits(client, target)
    own = [client.breakpoint.set(target=target, **params)["breakpoint"] for params in BUSY]
    while True:
        # An earlier connection may have had a last one.
        if hits.next()["breakpoint"] in own:
            client.target.resume(target=target)


@pytest.fixture
def work_place(program, client):
    """A working program, and the addresses at which the tests below plant."""
    one = program("rounds", 4)
    target = client.target.attach(pid=one.pid)["target"]
    made = [client.breakpoint.set(target=target, **params) for params in BUSY]
    client.target.detach(target=target)
    return one, [address_of(place) for b in made for place in b["places"]]


def test_kill_of_the_worker(work_place, daemons, moments):
    one, places = work_place
    daemon = daemons()
    daemon.expect_log.append("worker")
    for trial in range(TRIALS):
        with daemon.connect() as client:
            client.daemon.info()
            pending = client.start("target.attach", {"pid": one.pid})
            found = wait_until(lambda: daemon.workers(), "a worker")
            killer = Killer(next(iter(found)), moments.uniform(0, 0.06))
            with contextlib.suppress(ompdd.Error, ompdd.Closed, Gone):
                busy(client, pending.result()["target"])
            killer.wait()
            wait_until(lambda: not daemon.workers(), "the worker is gone")
        runs_free(one, places)


def test_kill_of_the_daemon(work_place, daemons, moments):
    adopt_orphans()
    one, places = work_place
    for trial in range(TRIALS):
        daemon = daemons()
        daemon.expect_end = True
        try:
            with daemon.connect() as client:
                client.daemon.info()
                killer = Killer(daemon.pid, moments.uniform(0, 0.06))
                busy(client, client.target.attach(pid=one.pid)["target"])
        except (ompdd.Closed, ConnectionError):
            pass
        killer.wait()
        daemon.workers()
        daemon.kill()
        wait_until(lambda: not orphaned_workers(), "its worker has left")
        runs_free(one, places)


def test_vanishing_client(work_place, daemon, moments):
    """The client may hold the target at a breakpoint. Targets of other clients stay, without its breakpoints."""
    one, places = work_place
    with daemon.connect() as other:
        target = other.target.attach(pid=one.pid)["target"]
        for trial in range(TRIALS):
            pid = os.fork()
            if pid == 0:
                try:
                    busy(daemon.connect(), target)
                except BaseException as error:  # pylint: disable=broad-except
                    os.write(2, f"{error!r}".encode())
                os._exit(1)
            killer = Killer(pid, moments.uniform(0.01, 0.08))
            killer.wait()
            assert os.waitpid(pid, 0)[1] == signal.SIGKILL
            wait_until(lambda: other.breakpoint.list(target=target)["breakpoints"] == [], "its breakpoints are gone")
            runs_free(one, places)


def test_kill_of_the_tracer(program, daemons):
    """SECURITY.md makes no promise for this death: ompdd does what it can, and reports it."""
    one = program("rounds", 2)
    daemon = daemons()
    daemon.expect_log.append("tracer")
    with daemon.connect() as client:
        target, _ = attach(client, one)
        # No thread arrives there.
        made = client.breakpoint.set(target=target, function="main")
        address = address_of(made["places"][0])
        assert is_planted(one.pid, address)
        os.kill(tracer(one.pid), signal.SIGKILL)
        wait_until(lambda: client.breakpoint.list(target=target)["breakpoints"] == [], "it is noticed")
        runs_free(one, [address])
        client.breakpoint.set(target=target, function="main")
    runs_free(one, [address])


def test_kill_of_the_tracer_of_a_held_target(program, daemons):
    """While a client examines a hit, the text has no breakpoint, and no thread is about to get a SIGTRAP."""
    one = program("rounds", 4)
    daemon = daemons()
    daemon.expect_log.append("tracer")
    with daemon.connect() as client:
        for trial in range(20):
            target, hits = attach(client, one)
            made = client.breakpoint.set(target=target, function="chore")
            client.breakpoint.set(target=target, event="parallel_begin")
            address = address_of(made["places"][0])
            hits.next()
            for _ in range(trial % 3):
                client.target.resume(target=target)
                hits.next()
            if trial % 2:
                client.target.step(target=target, kind="instruction")
            wait_until(lambda: not is_planted(one.pid, address), "it is taken out")  # pylint: disable=cell-var-from-loop
            wait_until(lambda: has_settled(tracer(one.pid)), "and the threads stand elsewhere")
            os.kill(tracer(one.pid), signal.SIGKILL)
            wait_until(lambda: client.breakpoint.list(target=target)["breakpoints"] == [], "it is noticed")
            runs_free(one, [address])
            client.target.detach(target=target)


def test_held_breakpoint_is_put_back(program, client):
    one = program("rounds", 2)
    target, hits = attach(client, one)
    made = client.breakpoint.set(target=target, function="chore")
    address = address_of(made["places"][0])
    for _ in range(3):
        hits.next()
        wait_until(lambda: not is_planted(one.pid, address), "it is taken out")
        client.target.resume(target=target)
    hits.next()


def test_death_of_a_held_target(program, client):
    one = program("rounds", 2)
    target, hits = attach(client, one)
    client.breakpoint.set(target=target, function="chore")
    hits.next()
    one.expect_end = True
    os.kill(one.pid, signal.SIGKILL)
    wait_until(lambda: not alive(one.pid), "it ends")
    wait_until(lambda: client.target.info(target=target)["state"] == "exited", "and that is noticed")
    with fails("target_exited"):
        client.breakpoint.set(target=target, function="chore")
    client.target.detach(target=target)


def test_exec_ends_them(program, client):
    one = program("events", "exec")
    target, _ = attach(client, one)
    client.breakpoint.set(target=target, function="oracle_say")
    one.signal()
    one.wait_ready()
    with fails("target_exec"):
        client.breakpoint.list(target=target)
    assert not tracer(one.pid)


