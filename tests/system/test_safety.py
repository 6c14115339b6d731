# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whatever dies at any moment, the target continues, and a living daemon keeps serving.

OMPDD_TRIALS is the number of trials of each random moment: 40 in the suite, 400 in the soak preset.
"""
import contextlib
import os
import signal
import time

import ompdd
import pytest
from conftest import TRIALS
from daemons import LIBC, PATIENT_STOP_MS, adopt_orphans, orphaned_workers
from snapshots import check_structure
from targets import SYSCALL, Killer, alive, read_text, states, stopped_threads, system_call, tasks, tracer, wait_until
from wire import line, request

THREADS = 60
# These tests do not measure how fast threads stop on a busy machine.
PATIENT = {"mode": "stop", "max_stop_ms": PATIENT_STOP_MS}


def unharmed(program):
    """Assert that the target is neither dead, stopped nor traced, once the kernel has cleaned up."""
    assert program.alive(), f"{program.name} died"
    wait_until(lambda: not stopped_threads(program.pid) and not any(map(tracer, tasks(program.pid))),
               f"{program.name} runs: {states(program.pid)}")
    assert set(tasks(program.pid)) == set(program.lines), "no thread was lost"


def one_round(client, pid):
    """attach, snapshot, hold, snapshot, resume, detach."""
    target = client.target.attach(pid=pid, **PATIENT)["target"]
    client.snapshot.get(target=target)
    client.target.stop(target=target)
    client.thread.list(target=target)
    client.target.resume(target=target)
    client.target.detach(target=target)


def duration_of_round(client, pid):
    one_round(client, pid)
    begin = time.monotonic()
    one_round(client, pid)
    return time.monotonic() - begin


def test_kill_of_the_worker_at_any_moment(program, daemons, moments):
    one = program("flat", THREADS)
    daemon = daemons()
    daemon.expect_log.append("worker")
    with daemon.connect() as client:
        whole = duration_of_round(client, one.pid)
        failed = 0
        for trial in range(TRIALS):
            wait_until(lambda: not daemon.workers(), "earlier workers have ended, so that the new one is found")
            # The worker exists as soon as the daemon gets the attach: kill it at any moment of its life.
            pending = client.start("target.attach", {"pid": one.pid, **PATIENT})
            workers = wait_until(lambda: daemon.workers(), "a worker")
            killer = Killer(next(iter(workers)), moments.uniform(0, whole * 1.2))
            try:
                target = pending.result()["target"]
                while True:
                    client.snapshot.get(target=target)
                    client.target.stop(target=target)
                    client.thread.list(target=target)
                    client.target.resume(target=target)
            except ompdd.Error as error:
                assert error.name in ("worker_failed", "no_such_target"), error
                failed += 1
            killer.wait()
            unharmed(one)
            assert client.target.list()["targets"] == []
        assert failed == TRIALS
        one_round(client, one.pid)


@contextlib.contextmanager
def halted(pid):
    """A process that no signal wakes: PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_DETACH."""
    for request in (0x4206, 0x4207):
        assert LIBC.ptrace(request, pid, None, None) == 0
    assert os.waitpid(pid, 0x40000000) != (0, 0)  # __WALL
    try:
        yield
    finally:
        LIBC.ptrace(17, pid, None, None)


def test_attach_waits_for_a_tracer_that_leaves(program, daemons):
    """The tracer of a killed worker may still be attached when the next one starts."""
    one = program("flat", 4)
    daemon = daemons()
    daemon.expect_log.append("worker")
    with daemon.connect() as client:
        target = client.target.attach(pid=one.pid, **PATIENT)["target"]
        client.target.stop(target=target)
        worker, left = daemon.worker(), tracer(one.pid)
        assert read_text(f"/proc/{left}/comm") == "omp-tracer\n"
        # It cannot end while it is stopped itself.
        with halted(left):
            os.kill(worker, signal.SIGKILL)
            wait_until(lambda: not daemon.workers(), "the worker's end")
            pending = client.start("target.attach", {"pid": one.pid, **PATIENT})
            second = daemon.worker()
            # Either it sleeps between two checks of the tracer, or it has given up (and ended).
            wait_until(lambda: system_call(second, second) in SYSCALL["sleep"] or not alive(second), "the new worker waits")
        client.snapshot.get(target=pending.result()["target"])
    unharmed(one)


def test_kill_of_the_worker_during_detach(program, daemons, moments):
    one = program("flat", THREADS)
    daemon = daemons()
    daemon.expect_log.append("worker")
    with daemon.connect() as client:
        for trial in range(TRIALS):
            target = client.target.attach(pid=one.pid, **PATIENT)["target"]
            client.target.stop(target=target)
            killer = Killer(daemon.worker(), moments.uniform(0, 0.003))
            try:
                client.target.detach(target=target)
            except ompdd.Error as error:
                assert error.name in ("worker_failed", "no_such_target"), error
            killer.wait()
            unharmed(one)
            wait_until(lambda: not daemon.workers(), "the worker ended")


def test_kill_of_ompdd_at_any_moment(program, daemons, moments):
    adopt_orphans()
    one = program("flat", THREADS)
    first = daemons()
    with first.connect() as client:
        whole = duration_of_round(client, one.pid)
    for trial in range(TRIALS):
        daemon = daemons()
        killer = None
        try:
            with daemon.connect() as client:
                killer = Killer(daemon.pid, moments.uniform(0, whole * 1.2))
                daemon.expect_end = True
                while True:
                    daemon.workers()
                    one_round(client, one.pid)
        except (ompdd.Closed, ConnectionError):
            pass
        killer.wait()
        daemon.kill()
        # Also a process that was started at the last moment, which no list has.
        wait_until(lambda: not orphaned_workers(), "the workers end with their daemon")
        unharmed(one)


def test_client_that_vanishes_at_any_moment(program, daemon, moments):
    """It may hold the target, and owe answers to the daemon."""
    one = program("flat", THREADS)
    with daemon.connect() as client:
        whole = duration_of_round(client, one.pid)
        for trial in range(TRIALS):
            with daemon.wire() as wire:
                target = client.target.attach(pid=one.pid, **PATIENT)["target"]
                wire.send(line(request("target.stop", {"target": target}))
                          + line(request("snapshot.get", {"target": target})) * 3)
                begin = time.monotonic()
                delay = moments.uniform(0, whole)
                wait_until(lambda: time.monotonic() - begin >= delay, "the moment")
            unharmed(one)
            # The vanished client's target is free: this client may hold and release it.
            wait_until(lambda: can_hold(client, target), "the hold is over")
            client.target.resume(target=target)
            client.target.detach(target=target)
            unharmed(one)


def can_hold(client, target):
    try:
        client.target.stop(target=target)
        return True
    except ompdd.Error as error:
        assert error.name == "target_held", error
        return False


def test_vanishing_client_costs_others_nothing(program, daemon):
    """Its queued requests are dropped. Another client's request on the same target is answered."""
    one = program("flat", 300)
    with daemon.connect() as client:
        target = client.target.attach(pid=one.pid, mode="observe")["target"]
        for _ in range(10):
            with daemon.wire() as wire:
                wire.send(line(request("snapshot.get", {"target": target})) * 32)
            assert len(client.snapshot.get(target=target)["threads"]) == 300


@pytest.mark.parametrize("what,errors", [
    ("exit", {"target_exited", "target_exiting", "memory_unreadable", "no_such_process"}),
    # A process that dumps core cannot be stopped any more.
    ("crash", {"target_exited", "target_exiting", "memory_unreadable", "no_such_process", "stop_timeout"}),
    ("exec", {"target_exec", "memory_unreadable", "target_exiting"}),
    ("fork", set()),
])
def test_target_that_changes_mid_request(what, errors, mode, program, daemon, moments):
    """Answers around the moment are either right or one of its errors; afterwards always the final error."""
    final = {"exit": "target_exited", "crash": "target_exited", "exec": "target_exec"}.get(what)
    with daemon.connect() as client:
        for trial in range(max(5, TRIALS // 4)):
            one = program("events", what)
            one.expect_end = what in ("exit", "crash")
            target = client.target.attach(pid=one.pid, mode=mode, max_stop_ms=5000 if what == "crash" else PATIENT_STOP_MS)["target"]
            pending = [client.start("snapshot.get", {"target": target}) for _ in range(12)]
            killer = Killer(one.pid, moments.uniform(0, 0.02), signal.SIGUSR1)
            for request_ in pending:
                try:
                    result = request_.result()
                    if mode == "stop":
                        # The threads of a process that ends do not end at once: a view may miss the first ones.
                        ends = what in ("exit", "crash")
                        n = len(check_structure(result, parked=not ends).threads)
                        assert n == 4 or (ends and 0 < n < 4), result
                except ompdd.Error as error:
                    assert error.name in errors, error
            killer.wait()
            if what == "fork":
                child = one.read_line()["child"]
                wait_until(lambda: not stopped_threads(child) and not tracer(child), "the child is left alone")
                assert len(client.snapshot.get(target=target)["threads"]) == 4
                os.kill(child, signal.SIGKILL)
            else:
                if what == "exec":
                    one.wait_ready()
                else:
                    wait_until(lambda one=one: not alive(one.pid), "the end")
                with pytest.raises(ompdd.Error) as caught:
                    client.snapshot.get(target=target)
                assert caught.value.name in (final, "target_exiting")
            client.target.detach(target=target)
            one.close()


def test_two_clients_at_once(program, daemon):
    """On one target and on two, in both modes: every answer is complete and right."""
    one, two = program("nested", 2, 3), program("flat", 20)
    with daemon.connect() as a, daemon.connect() as b:
        shared = a.target.attach(pid=one.pid, mode="stop")["target"]
        own = b.target.attach(pid=two.pid, mode="stop")["target"]
        looking = b.target.attach(pid=one.pid, mode="observe")["target"]
        for _ in range(15):
            pending = [(client, client.start("snapshot.get", {"target": target}), expected)
                       for client, target, expected in ((a, shared, one), (b, shared, one), (b, own, two), (a, own, two),
                                                        (a, looking, one), (b, looking, one))]
            for client, request_, expected in pending:
                snapshot = check_structure(request_.result())
                assert set(snapshot.threads) == set(expected.lines)


def test_sigterm_lets_everything_go(program, daemon):
    """Held targets run, requests are answered, the exit status is 0."""
    one = program("flat", THREADS)
    with daemon.connect() as client:
        target = client.target.attach(pid=one.pid, **PATIENT)["target"]
        client.target.stop(target=target)
        worker = daemon.worker()
        assert daemon.terminate() == 0
        wait_until(lambda: not alive(worker), "the worker ends")
    unharmed(one)
    assert not os.path.exists(daemon.path)


def test_sigterm_answers_what_waits(program, daemon):
    one = program("flat", 2)
    with daemon.connect() as client:
        target = client.target.attach(pid=one.pid, mode="observe")["target"]
        worker = daemon.worker()
        os.kill(worker, signal.SIGSTOP)
        waiting = client.start("snapshot.get", {"target": target})
        client.daemon.info()
        assert daemon.terminate() == 0
        with pytest.raises(ompdd.Error) as caught:
            waiting.result()
        assert caught.value.name == "shutting_down"
        wait_until(lambda: not alive(worker), "the worker ends")


def test_worker_failure_is_told_to_everybody_who_waits(program, daemons):
    daemon = daemons()
    daemon.expect_log.append("worker")
    one = program("flat", 2)
    with daemon.connect() as a, daemon.connect() as b:
        target = a.target.attach(pid=one.pid, mode="observe")["target"]
        worker = daemon.worker()
        os.kill(worker, signal.SIGSTOP)
        pending = [client.start("snapshot.get", {"target": target}) for client in (a, b, a)]
        a.daemon.info(), b.daemon.info()
        os.kill(worker, signal.SIGKILL)
        for request_ in pending:
            with pytest.raises(ompdd.Error) as caught:
                request_.result()
            assert caught.value.name == "worker_failed"


def test_threads_that_come_and_go(mode, program, daemon):
    """churn starts and ends threads all the time. A stop is consistent, and a view without a stop invents no thread."""
    one = program("churn")
    with daemon.connect() as client:
        target = client.target.attach(pid=one.pid, mode=mode)["target"]
        seen = 0
        pthreads = set()
        looks = 0
        while seen < 60:
            looks += 1
            assert looks < 6000, "most looks fail"
            try:
                result = client.snapshot.get(target=target)
            except ompdd.Error as error:
                assert mode == "observe" and error.name == "memory_unreadable", error
                continue
            main = [thread for thread in result["threads"] if thread["tid"] == one.pid]
            assert main if mode == "stop" else True
            # At any moment some pthread of the program has ended without being joined: it must not pass for the main
            # thread.
            assert all(thread["openmp"] for thread in main)
            pthreads |= {thread["pthread"] for thread in main}
            seen += 1
            assert result["pid"] == one.pid
        assert len(pthreads) == 1
        before = read_ticks(one.pid)
        wait_until(lambda: read_ticks(one.pid) > before, "the program works on")


def read_ticks(pid):
    fields = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def test_stop_is_bounded(program, daemon):
    """A limit that is too short to read 300 threads: an error, and the target runs."""
    one = program("flat", 300)
    with daemon.connect() as client:
        target = client.target.attach(pid=one.pid, mode="stop", max_stop_ms=1)["target"]
        stops = []
        for _ in range(20):
            try:
                result = client.snapshot.get(target=target)
                stops.append(result["stopped_us"])
                assert len(result["threads"]) == 300
            except ompdd.Error as error:
                assert error.name == "stop_timeout", error
            wait_until(lambda: not stopped_threads(one.pid) and not tracer(one.pid), "the target runs")
        # A busy machine may delay the release, but not every time.
        assert not stops or min(stops) < 200000, stops


def test_nobody_is_traced_between_captures(program, client):
    """gdb may attach at any time."""
    one = program("flat", 4)
    target = client.target.attach(pid=one.pid, **PATIENT)["target"]
    assert tracer(one.pid) == 0
    client.snapshot.get(target=target)
    assert tracer(one.pid) == 0 and not stopped_threads(one.pid)
