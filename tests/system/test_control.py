# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Control in OpenMP's terms: events of constructs, conditions of breakpoints, and their effects on the target."""
import contextlib
import os
import pathlib
import random
import re
import subprocess

import ompdd
import pytest
from conftest import TRIALS, fails, needs
from control import Gone, attach, runs_free
from targets import (BUILD, LIBGOMP, OMPRT, PROGRAMS, Killer, children, read_memory, read_text, runtime_symbol, stopped_threads, tasks, tracer,
                     wait_until)

# The event that each counter of the program `constructs` counts.
OWN = BUILD / "lib" / "ompdd"
CONSTRUCT_EVENTS = {
    "barrier_enter": "barrier", "barrier_exit": "barrier",
    "implicit_barrier_enter": "implicit_barrier", "implicit_barrier_exit": "implicit_barrier",
    "taskwait_enter": "taskwait", "taskwait_exit": "taskwait",
    **{f"{name}_{what}": name for name in ("ordered", "critical", "atomic", "lock") for what in ("acquire", "acquired", "release")},
    "lock_acquire": "lock_acquire", "single_enter": "single_enter", "single_begin": "single_begin", "task_create": "task_create",
}


def hits_of_a_round(client, one, target, hits):
    """Collect all hits up to done(), which the program calls after the constructs, and its counters."""
    seen = []
    one.signal()
    while True:
        hit = hits.next()
        stop = client.target.info(target=target)["stop"]
        client.target.resume(target=target)
        if stop.get("function") == "done":
            return seen, one.read_line()
        seen.append(hit)


@pytest.mark.parametrize("event", CONSTRUCT_EVENTS)
def test_construct_event(event, program, client):
    """Exactly as many hits as the program counts."""
    one = program("constructs")
    target, hits = attach(client, one)
    client.breakpoint.set(target=target, function="done")
    made = client.breakpoint.set(target=target, event=event)
    assert made["event"] == event and made["places"]
    seen, counted = hits_of_a_round(client, one, target, hits)
    assert len(seen) == counted[CONSTRUCT_EVENTS[event]] > 0 and {hit["event"] for hit in seen} == {event}
    places = [place["function"] for place in made["places"]]
    assert all(name.startswith(("GOMP_", "omp_")) for name in places), places


@pytest.fixture(scope="module")
def constructs_of_clang(tmp_path_factory):
    """The same program for the system's LLVM runtime."""
    source = pathlib.Path(__file__).parent.parent / "programs"
    out = tmp_path_factory.mktemp("clang") / "constructs"
    if LIBGOMP:
        pytest.skip("once, with the system's libgomp, is enough")
    try:
        done = subprocess.run(["clang", "-fopenmp=libomp", "-O1", "-g", "-I", source, "-o", out, source / "constructs.c", source / "park.c"],
                              capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("no clang")
    if done.returncode:
        pytest.skip(f"clang has no OpenMP here: {done.stderr.splitlines()[:1]}")
    return out


@pytest.mark.parametrize("event", [event for event in CONSTRUCT_EVENTS if not event.startswith("atomic")] + ["parallel_begin", "parallel_end"])
def test_construct_event_of_clang(event, constructs_of_clang, program, client):
    """libomp's entry points suffice: no OMPD symbol is needed.

    Barriers of a directive and implicit barriers are distinguished.
    """
    one = program("constructs", path=constructs_of_clang)
    target, hits = attach(client, one)
    client.breakpoint.set(target=target, function="done")
    made = client.breakpoint.set(target=target, event=event)
    seen, counted = hits_of_a_round(client, one, target, hits)
    assert {hit["event"] for hit in seen} == {event}
    assert len(seen) == (counted[CONSTRUCT_EVENTS[event]] if event in CONSTRUCT_EVENTS else 1)
    assert all(place["function"].startswith(("__kmpc_", "GOMP_", "omp_")) for place in made["places"])


def test_what_cannot_be_seen_is_said(program, client):
    one = program("constructs")
    target, _ = attach(client, one)
    found = {entry["event"]: entry for entry in client.breakpoint.addresses(target=target)["events"]}
    assert "GOMP_barrier()" in found["implicit_barrier_enter"]["unseen"] and "GOMP_barrier()" in found["barrier_enter"]["unseen"]
    assert "instruction" in found["atomic_acquire"]["unseen"]
    assert "unseen" not in found["taskwait_enter"]
    missing = found["barrier_all_entered"]["places"]
    if not OMPRT:
        assert missing["name"] == "event_unavailable" and "internal function" in missing["message"]
    wait_until(lambda: not stopped_threads(one.pid) and not tracer(one.pid), "nothing was done to it")


def test_all_have_entered(program, client):
    """Once for each barrier of a directive or construct, by the last thread to arrive.

    The other runtimes do not report it.
    """
    if not (OWN / "libgomp.so.1").exists():
        pytest.skip("our runtime was not built")
    one = program("constructs", env={"LD_LIBRARY_PATH": str(OWN)})
    target, hits = attach(client, one)
    client.breakpoint.set(target=target, function="done")
    made = client.breakpoint.set(target=target, event="barrier_all_entered")
    assert [place["function"] for place in made["places"]] == ["ompd_bp_barrier_all_entered"]
    seen, counted = hits_of_a_round(client, one, target, hits)
    assert len(seen) == (counted["barrier"] + counted["implicit_barrier"]) // 2 == 2


# Conditions.

def numbers(client, target, tid):
    """Return thread number and level of a thread in a whole snapshot."""
    snapshot = client.snapshot.get(target=target)
    thread = next(thread for thread in snapshot["threads"] if thread["tid"] == tid)
    region = next(region for region in snapshot["parallels"] if region["handle"] == thread["parallel"])
    return thread["thread_num"], region["level"]


@pytest.mark.parametrize("after,every,expected", [(3, 1, 1), (0, 2, 2), (1, 3, 1), (100, 1, 0)])
def test_counts(after, every, expected, program, client):
    """Two critical constructs, two threads: four times. Only the requested hits count, and the others stop nothing."""
    one = program("constructs")
    target, hits = attach(client, one)
    client.breakpoint.set(target=target, function="done")
    made = client.breakpoint.set(target=target, event="critical_acquire", after=after, every=every)
    assert made.get("after", 0) == after and made.get("every", 1) == every
    seen, counted = hits_of_a_round(client, one, target, hits)
    listed = client.breakpoint.list(target=target)["breakpoints"][1]
    assert counted["critical"] == listed.get("passed", 4) == 4 and len(seen) == listed["hits"] == expected


def test_more_with_conditions_than_a_place_has_room_for(program, client):
    """A refused request changes nothing, and existing breakpoints keep counting."""
    one = program("constructs")
    target, hits = attach(client, one)
    client.breakpoint.set(target=target, function="done")
    for _ in range(8):
        client.breakpoint.set(target=target, event="critical_acquire", after=1000)
    before = client.breakpoint.list(target=target)["breakpoints"]
    with fails("limit_exceeded") as refused:
        client.breakpoint.set(target=target, event="critical_acquire", after=3)
    assert "8 breakpoints with conditions or counts" in str(refused.error) and "clear" in refused.error.hint
    assert client.breakpoint.list(target=target)["breakpoints"] == before
    _, counted = hits_of_a_round(client, one, target, hits)
    assert {entry["passed"] for entry in client.breakpoint.list(target=target)["breakpoints"][1:]} == {counted["critical"]}


def test_counts_of_returns(program, client):
    one = program("constructs")
    target, hits = attach(client, one)
    client.breakpoint.set(target=target, function="done")
    client.breakpoint.set(target=target, event="critical_acquired", after=1, every=2)
    seen, _ = hits_of_a_round(client, one, target, hits)
    assert len(seen) == 1 and client.breakpoint.list(target=target)["breakpoints"][1]["passed"] == 4


def test_counts_where_another_wants_every_hit(program, client):
    """Both are at one place, each with its own condition."""
    one = program("constructs")
    target, hits = attach(client, one)
    client.breakpoint.set(target=target, function="done")
    some = client.breakpoint.set(target=target, event="barrier_enter", after=1)["breakpoint"]
    each = client.breakpoint.set(target=target, function="GOMP_barrier")["breakpoint"]
    seen, _ = hits_of_a_round(client, one, target, hits)
    assert [hit["breakpoint"] for hit in seen] == [each, some]
    listed = {b["breakpoint"]: b for b in client.breakpoint.list(target=target)["breakpoints"]}
    assert listed[each]["hits"] == 2 and listed[some]["hits"] == 1 and listed[some]["passed"] == 2
    # One is deleted, the other stays.
    client.breakpoint.delete(target=target, breakpoint=each)
    seen, _ = hits_of_a_round(client, one, target, hits)
    assert {hit["breakpoint"] for hit in seen} == {some} and len(seen) == 2


@pytest.mark.parametrize("event", ["barrier_enter", "barrier_exit", "critical_acquired"])
@pytest.mark.parametrize("number", [0, 1, 2])
def test_thread_number(event, number, program, client):
    one = program("constructs")
    target, hits = attach(client, one)
    client.breakpoint.set(target=target, function="done")
    made = client.breakpoint.set(target=target, event=event, thread_num=number)
    assert made["thread_num"] == number
    seen, counted = hits_of_a_round(client, one, target, hits)
    assert len(seen) == (counted[CONSTRUCT_EVENTS[event]] / 2 if number < 2 else 0) and len({hit["tid"] for hit in seen}) <= 1
    listed = client.breakpoint.list(target=target)["breakpoints"][1]
    assert listed["hits"] == len(seen) and "undecided" not in listed


def test_thread_number_of_many(program, client):
    """Eight threads arrive at a place at once, again and again. A whole snapshot agrees each time."""
    one = program("rounds", 8)
    target, hits = attach(client, one)
    made = client.breakpoint.set(target=target, function="chore", thread_num=5, after=1, every=2)
    for n in range(8):
        hit = hits.next()
        assert numbers(client, target, hit["tid"]) == (5, 1)
        listed = client.breakpoint.list(target=target)["breakpoints"][0]
        assert listed["hits"] == n + 1 and listed["passed"] == 1 + 2 * (n + 1)
        client.target.resume(target=target)
    client.breakpoint.delete(target=target, breakpoint=made["breakpoint"])
    if client.target.info(target=target)["state"] == "breakpoint":
        client.target.resume(target=target)
    runs_free(one, [int(made["places"][0]["address"], 16)])


@pytest.mark.parametrize("level,expected", [(0, 0), (1, 2), (2, 0)])
def test_level(level, expected, program, client):
    one = program("constructs")
    target, hits = attach(client, one)
    # The function is called in the initial region.
    client.breakpoint.set(target=target, function="done", level=0)
    client.breakpoint.set(target=target, event="barrier_enter", level=level)
    seen, _ = hits_of_a_round(client, one, target, hits)
    assert len(seen) == expected


@pytest.mark.parametrize("region, other", [("main._omp_fn.1", "main._omp_fn.0"), ("main", "work")])
def test_region_that_begins(region, other, program, client):
    """The first region of main() has ended; each round encounters the second.

    A programmer does not know the compiler's names of regions: the enclosing function also names them.
    """
    one = program("rounds", 2)
    target, hits = attach(client, one)
    made = client.breakpoint.set(target=target, event="parallel_begin", region=region)
    assert made["region"] == region
    never = client.breakpoint.set(target=target, event="parallel_begin", region=other)["breakpoint"]
    for _ in range(4):
        hit = hits.next()
        assert hit["breakpoint"] == made["breakpoint"] and hit["tid"] == one.pid
        client.target.resume(target=target)
    assert {b["breakpoint"]: b["hits"] for b in client.breakpoint.list(target=target)["breakpoints"]}[never] == 0


def test_region_elsewhere(program, client):
    """libgomp does not store a region's function: the error says so."""
    one = program("rounds", 2)
    target, hits = attach(client, one)
    with fails("symbol_not_found") as refused:
        client.breakpoint.set(target=target, function="chore", region="no_such_function")
    assert "the function that contains the construct" in refused.error.hint
    if not OMPRT:
        with fails("condition_unavailable") as refused:
            client.breakpoint.set(target=target, function="chore", region="main._omp_fn.1")
        assert "does not store" in str(refused.error) and "parallel_begin" in refused.error.hint
        assert client.breakpoint.list(target=target)["breakpoints"] == []
        return
    never = client.breakpoint.set(target=target, function="chore", region="main._omp_fn.0")["breakpoint"]
    client.breakpoint.set(target=target, function="chore", region="main._omp_fn.1")
    assert hits.next()["breakpoint"] != never


def test_kill_with_conditions(program, daemons):
    """Whatever dies during the refusal or the view of a hit, the target continues without a trace."""
    one = program("rounds", 4)
    random_moment = random.Random(17)
    for trial in range(TRIALS):
        daemon = daemons()
        daemon.expect_log.append("worker")
        places = []
        with daemon.connect() as client:
            target, hits = attach(client, one)
            killer = Killer(next(iter(daemon.workers())), random_moment.uniform(0, 0.05))
            with contextlib.suppress(ompdd.Error, ompdd.Closed, Gone):
                for params in ({"function": "work", "after": 10 ** 9}, {"function": "chore", "thread_num": 9},
                               {"event": "task_create", "thread_num": 2, "every": 5}):
                    places += [int(place["address"], 16) for place in client.breakpoint.set(target=target, **params)["places"]]
                while True:
                    hits.next()
                    client.target.resume(target=target)
            killer.wait()
            wait_until(lambda: not daemon.workers(), "the worker is gone")
        runs_free(one, places)


# One thread.

def team_sizes(client, target, hits, n):
    """The next regions that start, as the runtime reports them."""
    sizes = []
    while len(sizes) < n:
        hits.next()
        tid = client.target.info(target=target)["stop"]["tid"]
        snapshot = client.snapshot.get(target=target)
        thread = next(thread for thread in snapshot["threads"] if thread["tid"] == tid)
        sizes.append(next(region["team_size"] for region in snapshot["parallels"] if region["handle"] == thread["parallel"]))
        client.target.resume(target=target)
    return sizes


@pytest.mark.skipif(not OMPRT, reason="only our runtime has it")
def test_serialize(program, client):
    """The given number of regions have one thread each, then everything is as before."""
    one = program("rounds", 3)
    target, hits = attach(client, one)
    client.breakpoint.set(target=target, event="parallel_begin")
    hits.next()
    assert client.target.serialize(target=target, count=2) | {"pid": 0} == {"target": target, "pid": 0, "left": 2}
    assert client.target.info(target=target)["serialize"] == {"left": 2, "own": True}
    client.target.resume(target=target)
    assert team_sizes(client, target, hits, 4) == [1, 1, 3, 3]
    assert "serialize" not in client.target.info(target=target)
    # Regions of other threads are not affected, nor any region afterwards.
    hits.next()
    other = next(tid for tid in one.lines if tid != one.pid)
    assert client.target.serialize(target=target, count=5, thread=other)["left"] == 5
    assert client.target.info(target=target)["serialize"] == {"left": 5, "thread": other, "own": True}
    client.target.resume(target=target)
    assert team_sizes(client, target, hits, 2) == [3, 3]
    client.target.serialize(target=target, count=5)
    assert client.target.serialize(target=target, count=0)["left"] == 0
    assert set(team_sizes(client, target, hits, 4)[2:]) == {3}
    client.target.detach(target=target)
    runs_free(one)


@pytest.mark.skipif(not OMPRT, reason="only our runtime has it")
@pytest.mark.parametrize("how", ["close", "detach", "kill", "resume"])
def test_serialize_ends_with_its_client(how, program, daemons):
    one = program("rounds", 3)
    daemon = daemons()
    if how == "kill":
        daemon.expect_log.append("worker")
    with daemon.connect() as other:
        client = daemon.connect()
        target, _ = attach(client, one)
        if how == "resume":
            client.target.stop(target=target)
        client.target.serialize(target=target, count=1000, thread=max(one.lines))
        address = runtime_symbol(one.pid, "ompd_serialize")
        assert read_memory(one.pid, address, 4) == (1000).to_bytes(4, "little")
        with fails("target_held" if how == "resume" else "serialize_unavailable"):
            other.target.serialize(target=target)
        if how == "resume":
            client.target.resume(target=target)
            # It lasts as long as regions remain.
            assert tracer(one.pid) and client.target.info(target=target)["serialize"]["left"] == 1000
        if how == "kill":
            os.kill(next(iter(daemon.workers())), 9)
        elif how == "detach":
            client.target.detach(target=target)
        client.close()
        wait_until(lambda: read_memory(one.pid, address, 8) == bytes(8), "it is over")
        wait_until(lambda: not tracer(one.pid), "nobody traces it")
        runs_free(one)


@pytest.mark.skipif(not OMPRT, reason="only our runtime has it")
def test_serialize_in_a_container(client):
    """The runtime gets the thread's number in its own namespace."""
    prefix = ["unshare", "--pid", "--fork", "--kill-child"]
    needs(*prefix)
    env = {**os.environ, "LD_LIBRARY_PATH": str(BUILD / "lib" / "ompdd")}
    with subprocess.Popen([*prefix, PROGRAMS / "rounds", "3"], env=env, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as one:
        try:
            wait_until(lambda: children(one.pid) and len(tasks(children(one.pid)[0])) == 3, "its threads are there")
            (pid,) = children(one.pid)
            thread = max(tasks(pid))
            own = int(re.search(r"^NSpid:.*\s(\d+)$", read_text(f"/proc/{pid}/task/{thread}/status"), re.M)[1])
            target = client.target.attach(pid=pid, mode="stop")["target"]
            client.target.serialize(target=target, count=1000000, thread=thread)
            word = int.from_bytes(read_memory(pid, runtime_symbol(pid, "ompd_serialize"), 8), "little")
            assert word >> 32 == own != thread
            assert client.target.info(target=target)["serialize"]["thread"] == thread
            client.target.detach(target=target)
        finally:
            one.kill()


def test_serialize_is_refused(program, client):
    one = program("rounds", 2)
    observed = client.target.attach(pid=one.pid, mode="observe")["target"]
    with fails("mode_unsupported"):
        client.target.serialize(target=observed)
    if OMPRT:
        return
    target, _ = attach(client, program("rounds", 2))
    with fails("serialize_unavailable") as refused:
        client.target.serialize(target=target)
    assert "libgomp" in str(refused.error) and "OMP_NUM_THREADS" in refused.error.hint
