# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Control in OpenMP's terms: events of constructs, conditions of breakpoints, what becomes of the target in all of it."""
import pathlib
import subprocess

import pytest
from control import attach, runs_free, wait_until
from targets import LIBGOMP, stopped_threads, tracer

# What the program `constructs` counts for each event.
CONSTRUCT_EVENTS = {
    "barrier_enter": "barrier", "barrier_exit": "barrier",
    "implicit_barrier_enter": "implicit_barrier", "implicit_barrier_exit": "implicit_barrier",
    "taskwait_enter": "taskwait", "taskwait_exit": "taskwait",
    **{f"{name}_{what}": name for name in ("ordered", "critical", "atomic", "lock") for what in ("acquire", "acquired", "release")},
    "lock_acquire": "lock_acquire", "single_enter": "single_enter", "single_begin": "single_begin", "task_create": "task_create",
}


def hits_of_a_round(client, one, target, hits):
    """All hits up to done(), which the program calls behind the constructs; then what it has counted."""
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
    """As many as the program counts; nothing but that."""
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
    """The same program for LLVM's runtime, as the system has it."""
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
    """By libomp's entry points: no symbol of OMPD is needed. A directive's barrier and an implicit one are told apart."""
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
    assert missing["name"] == "event_unavailable" and "within the runtime" in missing["message"]
    wait_until(lambda: not stopped_threads(one.pid) and not tracer(one.pid), "nothing was done to it")
