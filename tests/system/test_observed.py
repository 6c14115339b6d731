# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads that are not stopped: which have arrived at the barrier, which run, and why the rest is not known."""
import pytest
from snapshots import check_structure, has_rc
from targets import OMPRT, PROGRAMS, wait_until

AT_BARRIER = ("barrier", "busy", "end", "single", "sections", "loop", "copyprivate")


@pytest.fixture(params=["own", "libomp"])
def waits(request, program):
    """The program on the runtime under test, or on LLVM's in its place."""
    def start(mode):
        env = {}
        if request.param == "libomp":
            folder = PROGRAMS / "llvm" / "as_libgomp"
            if OMPRT or not folder.exists():
                pytest.skip("no libomp here")
            env = {"LD_LIBRARY_PATH": str(folder), "KMP_BLOCKTIME": "0"}
        one = program("waits", mode, env=env)
        one.counts = request.param == "own"
        return one
    return start


def look(client, one, mode):
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    return target, check_structure(client.snapshot.get(target=target))


def team(snapshot):
    return next(parallel for parallel in snapshot.parallels.values() if parallel["level"] == 1)


@pytest.mark.parametrize("what", AT_BARRIER)
def test_who_has_come_to_the_barrier(what, mode, waits, client):
    one = waits(what)
    target, _ = look(client, one, mode)

    def arrived():
        found = team(check_structure(client.snapshot.get(target=target)))["arrived"]
        # libomp's first thread does not record its arrival. If it does not sleep, more may have arrived.
        assert found["threads"] <= 2 and (found["exact"] or not one.counts)
        return found["threads"] == 2
    # On their way into the barrier, threads may sleep already; in libomp for another reason.
    wait_until(arrived, "two of three have come")
    assert all("arrived" not in parallel for parallel in client.parallel.list(target=target)["parallels"] if parallel["level"] == 0)


def test_nobody_has_come(mode, program, client):
    one = program("waits", "critical")
    _, snapshot = look(client, one, mode)
    assert team(snapshot)["arrived"]["threads"] == 0


def test_counted_again_in_the_same_region(mode, program, client):
    """The team has passed the barrier as often as it has members: the count starts again."""
    one = program("stacks", "barrier")
    _, snapshot = look(client, one, mode)
    waiting = [tid for tid, line in one.lines.items() if line["by"] == "futex"]
    assert team(snapshot)["arrived"] == {"threads": len(waiting), "exact": True}


def test_who_runs(waits, client):
    one = waits("busy")
    target, _ = look(client, one, "observe")

    def seen():
        found = check_structure(client.snapshot.get(target=target)).threads
        return all(found[tid]["kernel"]["state"] == ("running" if line["by"] == "run" else "asleep") for tid, line in one.lines.items()) and found

    # On its way to its place a thread may be awake for a moment.
    found = wait_until(seen, "those that wait sleep")
    for tid, line in one.lines.items():
        kernel = found[tid]["kernel"]
        # Our own runtime records its threads' states: the kernel is not needed.
        if line["by"] == "futex" and not OMPRT:
            assert kernel["syscall"] == "futex"


def test_in_a_stop_nobody_runs(program, client):
    one = program("waits", "busy")
    _, snapshot = look(client, one, "stop")
    assert not any("kernel" in thread for thread in snapshot.threads.values())


@pytest.mark.skipif(OMPRT, reason="it says what its threads do")
def test_unknown_states_say_why(program, client, ompdctl):
    one = program("waits", "busy")
    _, snapshot = look(client, one, "observe")
    (runs,) = [tid for tid, line in one.lines.items() if line["by"] == "run"]
    state = snapshot.threads[runs]["state"]
    assert has_rc(state) and state["name"] == "thread_running" and state["hint"], state
    lines = ompdctl("-p", one.pid, "-m", "observe", "threads").stdout.splitlines()
    assert [line for line in lines if line.startswith("- state not known: ")] == [f"- state not known: {state['message']}"]


def test_tree_tells(program, ompdctl):
    one = program("waits", "busy")
    assert "; 2 at its barrier" in ompdctl("-p", one.pid, "-m", "observe", "tree").stdout


def test_where_running_threads_are(waits, client):
    """On request, the kernel's samples show it, or the answer gives the reason."""
    one = waits("busy")
    target = client.target.attach(pid=one.pid, mode="observe")["target"]

    def threads():
        return {thread["tid"]: thread for thread in client.thread.list(target=target, sample_ms=1000)["threads"]}
    (runs,) = [tid for tid, line in one.lines.items() if line["by"] == "run"]
    place = threads()[runs]["place"]
    if place.get("name") == "perf_refused":
        assert place["hint"]
        return
    # On a loaded machine it may not get its millisecond within that second.
    found = wait_until(lambda: (found := threads()) and not has_rc(found[runs]["place"]) and found, "it is sampled")
    assert found[runs]["place"]["function"] == "busy", found[runs]
    assert found[runs]["state"]["name"] == "ompt_state_work_parallel"
    # A sleeper has arrived there through the region's code.
    places = [found[tid]["place"] for tid in one.lines if tid != runs]
    assert all(has_rc(place) or place["function"] in ("main._omp_fn.0", "main") for place in places), places


def test_nobody_is_sampled_unasked(program, client):
    one = program("waits", "busy")
    _, snapshot = look(client, one, "observe")
    assert not any("place" in thread for thread in snapshot.threads.values())


def test_ompdctl_shows_where(program, ompdctl):
    one = program("waits", "busy")

    def shown():
        out = ompdctl("-p", one.pid, "-m", "observe", "threads", "--sample", 1000).stdout
        return " AT" in out and "busy waits.c:" in out or "place not known" in out
    wait_until(shown, "the place, or why not")
