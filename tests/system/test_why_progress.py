# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads that run without progress: they poll, spin or compute. "Not hung" needs progress that was seen."""
import json
import signal
import threading

import pytest
from cores import gcore
from hangs import RUNTIMES, diagnose_until, here, start
from snapshots import diagnose
from targets import wait_until


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("way, call", (("sleep", "usleep"), ("condition", "pthread_cond_timedwait"), ("poll", "poll")))
def test_a_member_that_polls(way, call, runtime, mode, program, client):
    one = start(program, "polls", runtime, way)
    thing = " for condition variable condition" if way == "condition" else ""
    # The condition variable is known only if the last sample finds the thread asleep.
    result = diagnose_until(client, one.pid, lambda r: r["verdict"] == "blocked" and r["title"].endswith(thing), mode)
    first = result["findings"][0]
    assert (first["kind"], first["certainty"], first["waits_for"], first["n_waiting"]) == ("polls", "proven", "barrier", 2), first
    (thread,) = first["threads"]
    assert (thread["thread_num"], thread["calls"], thread["progress"]) == (1, call, "polls")
    assert thread["place"]["location"]["line"] in here("polls")
    assert result["title"].startswith("blocked: 2 threads wait for the barrier at the end of the region: thread 1 (")
    assert result["title"].endswith(f") has not arrived and polls in {call}(){thing}"), result["title"]
    assert result["looks"]["interval_us"] >= 500000


def test_a_call_that_signals_interrupt(mode, program, client):
    """After each signal the kernel starts the call again: the thread runs, and its code does not come back to the call."""
    one = start(program, "polls", "libgomp", "read")
    result = diagnose_until(client, one.pid, lambda r: r["looks"]["n"] >= 5, mode)
    first = result["findings"][0]
    (thread,) = first["threads"]
    assert (result["verdict"], thread["thread_num"], thread["calls"]) == ("unknown", 1, "read"), result
    assert (first["kind"], thread["progress"]) == ("slow", "unseen"), first


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_long_slices(runtime, mode, program, client):
    """Whether it wakes in the first half second must not matter."""
    one = start(program, "polls", runtime, "long")
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    diagnose(client, target, interval_ms=0)

    def is_right():
        result = client.diagnose.get(target=target, interval_ms=700)
        return (result["verdict"], result["findings"][0]["kind"]) == ("blocked", "polls")
    # A stack that is read while the thread moves is not compared: beside other programs one verdict may lack it.
    wait_until(lambda: is_right() and is_right(), "two such verdicts, one after the other")


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("way", ("yield", "spin"))
def test_a_member_that_spins(way, runtime, program, client):
    """Its registers and its stack are the same each time: it may never go on."""
    one = start(program, "polls", runtime, way)
    result = diagnose_until(client, one.pid, lambda r: r["findings"] and r["findings"][0]["kind"] == "spins")
    first = result["findings"][0]
    assert (result["verdict"], first["certainty"], first["waits_for"], first["n_waiting"]) == ("unknown", "candidate", "barrier", 2), result
    (thread,) = first["threads"]
    assert thread["progress"] == "spins" and thread["place"]["location"]["line"] in here("polls"), thread
    assert "spins in by_" in result["title"] and "this may be a livelock; no progress of OpenMP was seen in " in result["title"]


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_a_long_loop_is_neither_hung_nor_known_to_go_on(runtime, program, client):
    one = start(program, "healthy", runtime, "computes")
    # The first samples may see the start of the region, which is progress.
    result = diagnose_until(client, one.pid, lambda r: r["verdict"] == "unknown" and r["findings"] and
                            r["findings"][0]["kind"] == "slow" and r["findings"][0]["n_waiting"] == 2)
    assert " has not arrived and runs in " in result["title"] and "; no progress of OpenMP was seen in " in result["title"], result["title"]
    assert "livelock" not in json.dumps(result)
    assert result["findings"][0]["threads"][0]["progress"] == "unseen"


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("kind", ("steps", "barriers", "tasks"))
def test_progress_that_was_seen(kind, runtime, program, client):
    """Threads may be in the same loop at each sample: the runtime's counters show that they go on."""
    one = start(program, "healthy", runtime, kind)
    diagnose_until(client, one.pid, lambda r: r["verdict"] == "busy" and
                   any(thread.get("progress") in ("openmp", "place") for f in r["findings"] for thread in f["threads"]))


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("name, args", (("healthy", ["steps"]), ("healthy", ["serial"]), ("polls", ["spin"])))
def test_one_moment_shows_no_progress(name, args, runtime, program, client, tmp_path):
    one = start(program, name, runtime, *args, env={"OMP_STACKSIZE": "128K"})
    target = client.target.attach(pid=one.pid)["target"]
    results = [diagnose(client, target, interval_ms=0) for _ in range(5)]
    results.append(client.diagnose.get(target=client.target.open_core(core=str(gcore(one, tmp_path)))["target"]))
    for result in results:
        assert result["verdict"] != "busy", json.dumps(result, indent=1)
    assert name == "healthy" or any("one moment does not show whether running threads make progress" in result["title"] for result in results)


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_a_sleeper_that_signals_interrupt_does_not_poll(runtime, mode, program, client):
    """It runs for a moment each time, but its call goes on: the sleep ends once."""
    one = start(program, "healthy", runtime, "naps")
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    ends = threading.Event()

    def interrupt():
        while not ends.wait(0.03):
            one.signal(signal.SIGSTOP)
            one.signal(signal.SIGCONT)
    other = threading.Thread(target=interrupt)
    other.start()
    try:
        for _ in range(4):
            result = diagnose(client, target, interval_ms=700)
            assert result["verdict"] != "blocked" and not any(f["kind"] == "polls" for f in result["findings"]), json.dumps(result)
    finally:
        ends.set()
        other.join()
