# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps into and out of parallel regions, and of one instruction."""
import os
import signal
import subprocess
import sys
import time

import pytest
from conftest import fails
from control import Stops, attach, frames, has_settled, runs_free, stand_at_function
from targets import PROGRAMS, SYSCALL, read_text, stopped_threads, system_call, task_state, tasks, tracer, wait_until

@pytest.fixture
def held(program, client):
    """Start a program, and hold it. Return (program, target, its stops)."""
    def start(*args):
        one = program(*args)
        target, _ = attach(client, one)
        stops = Stops(client, target)
        client.target.stop(target=target)
        assert stops.next()["type"] == "stopped"
        return one, target, stops
    return start


def all_stand(one):
    """A thread at a trap enters another stop once, without executing anything."""
    wait_until(lambda: all(task_state(one.pid, tid) == "t" for tid in tasks(one.pid)), "all stand")


@pytest.mark.parametrize("n", [1, 2, 8])
def test_into(n, held, client):
    """From anywhere: the next region of the thread, with all its members."""
    one, target, stops = held("rounds", n)
    for _ in range(5):
        stop = stops.step("into_parallel", one.pid)
        assert stop["function"] == "main._omp_fn.1" and stop["tid"] == one.pid
        assert stand_at_function(client, target, stop) == set(one.lines)
        all_stand(one)
    client.target.resume(target=target)
    runs_free(one, [int(stop["address"], 16)])


def test_into_from_its_breakpoint(held, client):
    """The thread is at the entry point, before the region."""
    one, target, stops = held("rounds", 4)
    client.breakpoint.set(target=target, event="parallel_begin")
    client.target.resume(target=target)
    for _ in range(3):
        assert stops.next()["event"] == "parallel_begin"
        stop = stops.step("into_parallel")
        assert stop["function"] == "main._omp_fn.1"
        assert stand_at_function(client, target, stop) == set(one.lines)
        client.target.resume(target=target)


def test_out(held, client):
    """Any member's step takes the encountering thread to the end of the region."""
    one, target, stops = held("rounds", 4)
    for tid in (one.pid, max(one.lines)):
        into = stops.step("into_parallel", one.pid)
        answer_tid = stops.step("out_of_parallel", tid)["tid"]
        assert answer_tid == one.pid
        stack = frames(client, target, one.pid)
        assert stack[0]["function"] == "main"
        level = {thread["tid"]: thread.get("parallel") for thread in client.snapshot.get(target=target)["threads"]}
        assert level[one.pid] != into["parallel"]
        with fails("step_impossible"):
            client.target.step(target=target, kind="out_of_parallel", thread=one.pid)
    client.target.resume(target=target)
    runs_free(one)


@pytest.fixture
def starve():
    """Give the threads of a program (or some of them) a small share of one processor, beside others that use the rest.
    """
    others = []

    def start(pid, tids=None):
        processor = max(os.sched_getaffinity(0))
        loop = f"import os\nos.sched_setaffinity(0, {{{processor}}})\nwhile os.getppid() == {os.getpid()}: pass"
        others.extend(subprocess.Popen([sys.executable, "-c", loop]) for _ in range(3))
        for tid in tids or tasks(pid):
            os.sched_setaffinity(tid, {processor})
            os.setpriority(os.PRIO_PROCESS, tid, 19)

    yield start
    for one in others:
        one.kill()
        one.wait()


def test_of_a_thread_that_ends(held, client):
    """It will not reach the step's end: nothing stays planted for it, and no thread is stopped."""
    one, target, stops = held("ender")
    (tid,) = one.lines
    assert client.target.step(target=target, kind="into_parallel", thread=tid)["thread"] == tid
    assert client.target.info(target=target)["step"]["thread"] == tid
    one.signal()
    assert [event["tid"] for event in stops.until("thread_exited")[-1:]] == [tid]
    info = wait_until(lambda: "step" not in (info := client.target.info(target=target)) and info, "the step is over")
    assert info["state"] == "running" and "stop" not in info
    wait_until(lambda: not stopped_threads(one.pid) and not tracer(one.pid), "it runs, and nobody traces it")


def into_function(stops, tid, function):
    """While others step, a thread continues freely: it may encounter other regions first."""
    while True:
        stop = stops.step("into_parallel", tid)
        if stop["function"] == function:
            return stop


def into_outer(stops, tid):
    return into_function(stops, tid, "main._omp_fn.0")


@pytest.mark.parametrize("busy", [False, True])
def test_nested(busy, held, starve, client):
    """Teams that execute the same function at the same time are distinguished."""
    one, target, stops = held("regions", 3, 4)
    for trial in range(4):
        outer = into_outer(stops, one.pid)
        assert len(stand_at_function(client, target, outer)) == 3
        if busy and not trial:
            starve(one.pid, [sorted(outer["threads"])[1]])
        for tid in sorted(outer["threads"])[:2]:
            inner = into_function(stops, tid, "inner._omp_fn.0")
            assert inner["tid"] == tid
            assert len(stand_at_function(client, target, inner)) == 4
            # Also the region of one thread after it.
            assert stops.step("out_of_parallel", tid)["tid"] == tid
            single = stops.step("into_parallel", tid)
            assert single["function"] == "alone._omp_fn.0" and single["threads"] == [tid]
            assert stops.step("out_of_parallel", tid)["tid"] == tid
            assert frames(client, target, tid)[0]["function"] in ("alone", "main._omp_fn.0")
    client.target.resume(target=target)
    runs_free(one)


def test_into_without_the_word_of_the_library(program, daemons):
    """The runtime does not record team membership: then only the thread itself is known to have arrived."""
    one = program("regions", 3, 4)
    with daemons("--libompd", PROGRAMS / "libompd_no_regions.so").connect() as client:
        target, _ = attach(client, one)
        stops = Stops(client, target)
        client.target.stop(target=target)
        assert stops.next()["type"] == "stopped"
        others = steps = 0
        while steps < 12 or not others:
            steps += 1
            assert steps < 600, "some stood at the same function"
            stop = into_function(stops, one.pid, "inner._omp_fn.0")
            assert stop["threads"] == [one.pid]
            others += sum(frames(client, target, tid)[0]["pc"] == stop["address"] for tid in tasks(one.pid) if tid != one.pid)
        client.target.resume(target=target)
        runs_free(one)


def test_none_is_left_out(held, client):
    """A thread that steps into regions encounters each of them, in order."""
    one, target, stops = held("regions", 3, 4)
    order = ["main._omp_fn.0", "inner._omp_fn.0", "alone._omp_fn.0"]
    sizes = dict(zip(order, (3, 4, 1)))
    outer = into_outer(stops, one.pid)
    for tid in sorted(outer["threads"]):
        # Only one thread ever encounters the outer region.
        met = order if tid == one.pid else order[1:]
        last = None
        for _ in range(2 * len(met)):
            stop = stops.step("into_parallel", tid)
            assert last is None or stop["function"] == met[(met.index(last) + 1) % len(met)]
            last = stop["function"]
            assert len(stand_at_function(client, target, stop)) == sizes[last]


def test_out_of_an_outer_region(held, client):
    """The encountering thread of the outer region is in an inner one by now.

    A member of the outer region waits for it.
    """
    one, target, stops = held("regions", 2, 3)
    outer = into_outer(stops, one.pid)
    inner = stops.step("into_parallel", one.pid)
    assert inner["function"] == "inner._omp_fn.0"
    other = next(tid for tid in outer["threads"] if tid != one.pid)
    snapshot = client.snapshot.get(target=target)
    regions = {thread["tid"]: thread.get("parallel") for thread in snapshot["threads"]}
    if regions[other] != snapshot["parallels"][0]["handle"] and frames(client, target, other)[0]["function"] == "main._omp_fn.0":
        stops.step("out_of_parallel", other)
        assert frames(client, target, one.pid)[0]["function"] == "main"


def test_cancelled(held, client):
    """A thread that encounters no region does not end the step. A stop does, and all continue after it."""
    one, target, stops = held("rounds", 4)
    other = max(one.lines)
    answer = client.target.step(target=target, kind="into_parallel", thread=other)
    assert answer["state"] == "running"
    info = client.target.info(target=target)
    assert info["state"] == "running"
    assert info["step"] == {"kind": "into_parallel", "thread": other, "own": True, "arrived": []}
    # Others encounter their regions meanwhile, and views are possible.
    assert len(client.thread.list(target=target)["threads"]) == 4
    client.target.stop(target=target)
    assert stops.next()["type"] == "stopped"
    info = client.target.info(target=target)
    assert info["stop"] == {"reason": "request", "own": True} and "step" not in info
    client.target.resume(target=target)
    runs_free(one)


def test_ended_by_a_breakpoint(held, client):
    one, target, stops = held("rounds", 4)
    client.breakpoint.set(target=target, function="chore")
    client.target.step(target=target, kind="into_parallel", thread=max(one.lines))
    assert stops.next()["type"] == "breakpoint"
    assert "step" not in client.target.info(target=target)


def test_client_gone(program, daemon):
    """Its step ends, and the threads at the function continue."""
    one = program("rounds", 4)
    with daemon.connect() as other:
        target = other.target.attach(pid=one.pid)["target"]
        for tid in (max(one.lines), one.pid):
            with daemon.connect() as client:
                client.target.stop(target=target)
                client.target.step(target=target, kind="into_parallel", thread=tid)
            wait_until(lambda: "step" not in other.target.info(target=target) and
                       other.target.info(target=target)["state"] == "running", "it is over")
            runs_free(one)


def test_worker_killed(program, daemons):
    one = program("rounds", 4)
    daemon = daemons()
    daemon.expect_log.append("worker")
    with daemon.connect() as client:
        target, _ = attach(client, one)
        stops = Stops(client, target)
        client.target.stop(target=target)
        stops.next()
        stop = stops.step("into_parallel", one.pid)
        client.target.step(target=target, kind="into_parallel", thread=max(one.lines))
        os.kill(daemon.worker(), signal.SIGKILL)
        wait_until(lambda: not daemon.workers(), "the worker is gone")
    runs_free(one, [int(stop["address"], 16)])


def test_instruction(held, client):
    """It changes only this thread, also at a breakpoint."""
    one, target, stops = held("rounds", 4)
    into = stops.step("into_parallel", one.pid)
    others = set(one.lines) - {one.pid}
    seen = []
    for _ in range(8):
        stop = stops.step("instruction", one.pid)
        seen.append(stop["address"])
        assert all(frames(client, target, tid)[0]["pc"] == into["address"] for tid in others)
        assert frames(client, target, one.pid)[0]["pc"] == stop["address"]
    assert into["address"] not in seen and len(set(seen)) == len(seen)
    made = client.breakpoint.set(target=target, address=seen[-1])
    assert stops.step("instruction", one.pid)["address"] != seen[-1]
    client.breakpoint.delete(target=target, breakpoint=made["breakpoint"])
    client.target.resume(target=target)
    runs_free(one, [int(seen[-1], 16)])


def blocked_signals(pid, tid):
    return next(line.split()[1] for line in read_text(f"/proc/{pid}/task/{tid}/status").splitlines() if line.startswith("SigBlk:"))


def test_instruction_without_a_processor(held, starve, client):
    """A thread that only waits for a processor still executes its instruction, and keeps the program's signal mask."""
    one, target, stops = held("rounds", 4)
    pc = stops.step("into_parallel", one.pid)["address"]
    before = blocked_signals(one.pid, one.pid)
    starve(one.pid)
    for _ in range(30):
        last, pc = pc, stops.step("instruction", one.pid)["address"]
        assert pc != last and frames(client, target, one.pid)[0]["pc"] == pc
        assert blocked_signals(one.pid, one.pid) == before
    client.target.resume(target=target)
    assert {blocked_signals(one.pid, tid) for tid in one.lines} == {before}


def test_kill_of_the_tracer_without_a_processor(program, daemons, starve):
    """A step that waits for its thread leaves nothing in it that would end the process when the tracer is killed."""
    one = program("rounds", 4)
    daemon = daemons()
    daemon.expect_log.append("tracer")
    starve(one.pid)
    with daemon.connect() as client:
        for _ in range(5):
            target, hits = attach(client, one)
            made = client.breakpoint.set(target=target, function="chore")
            hits.next()
            for _ in range(5):
                client.target.step(target=target, kind="instruction")
            wait_until(lambda: has_settled(tracer(one.pid)), "nothing is left to be done")
            os.kill(tracer(one.pid), signal.SIGKILL)
            wait_until(lambda: client.breakpoint.list(target=target)["breakpoints"] == [], "it is noticed")
            runs_free(one, [int(made["places"][0]["address"], 16)])
            client.target.detach(target=target)


def test_instruction_that_sleeps(held, client):
    """It stays unchanged, and continues with the next resume."""
    one, target, stops = held("flat", 2)
    with fails("step_impossible"):
        for _ in range(64):
            stops.step("instruction", one.pid)
    assert client.target.info(target=target)["state"] == "held"
    client.target.resume(target=target)
    wait_until(lambda: not stopped_threads(one.pid), "it runs")


def test_instruction_of_who_sleeps_is_no_wait(program, client):
    """The interrupted call restarts before the program counter.

    Its sleep is recognised at once, for each kind of restart.
    """
    for one in (program("sleep", 1000, path="/bin/sleep", wait=False), program("flat", 2)):
        wait_until(lambda one=one: system_call(one.pid, one.pid) in SYSCALL["pause"] | SYSCALL["sleep"], "it sleeps")
        target, _ = attach(client, one)
        stops = Stops(client, target)
        client.target.stop(target=target)
        begin = time.monotonic()
        for _ in range(12):
            with fails("step_impossible"):
                stops.step("instruction", one.pid)
        # Each took 5 s while the call was not recognised.
        assert time.monotonic() - begin < 50
        client.target.resume(target=target)
        wait_until(lambda one=one: not stopped_threads(one.pid), "it runs")


def test_refusals(program, client, daemon):
    one = program("rounds", 2)
    target, _ = attach(client, one)
    with fails("not_stopped"):
        client.target.step(target=target, kind="into_parallel")
    client.target.stop(target=target)
    with fails("step_impossible"):
        client.target.step(target=target, kind="into_parallel", thread=1)
    with daemon.connect() as other:
        with fails("target_held"):
            other.target.step(target=target, kind="instruction", thread=one.pid)
    assert client.target.info(target=target)["state"] == "held"
    client.target.resume(target=target)
    observed = client.target.attach(pid=program("flat", 2).pid, mode="observe")["target"]
    with fails("mode_unsupported"):
        client.target.step(target=observed, kind="into_parallel")
    plain = program("plain")
    target, _ = attach(client, plain)
    client.target.stop(target=target)
    for kind in ("into_parallel", "out_of_parallel"):
        with fails("no_openmp_runtime"):
            client.target.step(target=target, kind=kind)
    client.target.resume(target=target)
    runs_free(one)


# Over a region.

def test_over(held, client):
    """From anywhere: the thread is after its next region, at whose end only this thread was examined."""
    one, target, stops = held("rounds", 4)
    for _ in range(3):
        stop = stops.step("over_parallel", one.pid)
        assert stop["tid"] == one.pid and stop["function"] == "main" and "threads" not in stop
        all_stand(one)
    client.target.resume(target=target)
    runs_free(one, [int(stop["address"], 16)])


def test_over_the_region_that_begins(held, client):
    """At its start nothing of it has been executed; after it everything has, once."""
    one, target, stops = held("rounds", 2)
    chores = client.breakpoint.set(target=target, function="main._omp_fn.1", after=10 ** 6)["breakpoint"]
    client.breakpoint.set(target=target, event="parallel_begin")
    client.target.resume(target=target)
    for _ in range(3):
        assert stops.next()["event"] == "parallel_begin"
        before = next(b["passed"] for b in client.breakpoint.list(target=target)["breakpoints"] if b["breakpoint"] == chores)
        stop = stops.step("over_parallel")
        assert stop["tid"] == one.pid and stop["function"] == "main"
        after = next(b["passed"] for b in client.breakpoint.list(target=target)["breakpoints"] if b["breakpoint"] == chores)
        assert after == before + 2
        client.target.resume(target=target)


@pytest.mark.skipif(not (PROGRAMS / "llvm" / "rounds").exists(), reason="no clang with libomp here")
def test_on_libomp(program, client):
    """The same on LLVM's runtime: over regions from anywhere and from their start, into them with all members, and out.
    """
    one = program("rounds", 4, path=PROGRAMS / "llvm" / "rounds")
    target, _ = attach(client, one)
    stops = Stops(client, target)
    client.target.stop(target=target)
    assert stops.next()["type"] == "stopped"
    for _ in range(3):
        over = stops.step("over_parallel", one.pid)
        assert over["tid"] == one.pid and over["function"] == "main" and "threads" not in over
        all_stand(one)
    into = stops.step("into_parallel", one.pid)
    assert len(into["threads"]) == 4 and ".omp_outlined." in into["function"]
    out = stops.step("out_of_parallel", max(into["threads"]))
    assert (out["tid"], out["function"], out["address"]) == (one.pid, "main", over["address"])
    chores = client.breakpoint.set(target=target, function="chore", after=10 ** 6)["breakpoint"]
    client.breakpoint.set(target=target, event="parallel_begin")
    client.target.resume(target=target)
    for _ in range(3):
        assert stops.next()["event"] == "parallel_begin"
        before = next(b["passed"] for b in client.breakpoint.list(target=target)["breakpoints"] if b["breakpoint"] == chores)
        assert stops.step("over_parallel")["function"] == "main"
        after = next(b["passed"] for b in client.breakpoint.list(target=target)["breakpoints"] if b["breakpoint"] == chores)
        assert after == before + 4
        client.target.resume(target=target)


def test_over_ends_at_a_breakpoint_within(held, client):
    one, target, stops = held("rounds", 2)
    client.breakpoint.set(target=target, function="work")
    client.target.step(target=target, kind="over_parallel", thread=one.pid)
    assert stops.next()["type"] == "breakpoint"
    assert "step" not in client.target.info(target=target)


def test_over_is_refused(held, client):
    one, target, stops = held("rounds", 2)
    with fails("step_impossible"):
        client.target.step(target=target, kind="over_parallel", thread=1)
    client.target.resume(target=target)
    with fails("not_stopped"):
        client.target.step(target=target, kind="over_parallel", thread=one.pid)
