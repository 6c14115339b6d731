# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Breakpoints by event and steps on LLVM's libomp, and warnings about events that it never reports."""
import pytest
from conftest import LLVM, PROGRAMS, fails
from control import Hits, Stops, attach, frames, stand_at_function
from targets import task_state, tasks

EVENTS = ["parallel_begin", "parallel_end", "task_begin", "task_end", "thread_begin", "thread_end"]


def hold(client, one):
    target, _ = attach(client, one)
    stops = Stops(client, target)
    client.target.stop(target=target)
    assert stops.next()["type"] == "stopped"
    return target, stops


@pytest.mark.parametrize("event", ["parallel_begin", "parallel_end", "task_begin", "task_end"])
def test_event(llvm, client, event):
    one = llvm("rounds", 2)
    target, hits = attach(client, one)
    made = client.breakpoint.set(target=target, event=event)
    assert [place["function"] for place in made["places"]] == ["ompd_bp_" + event]
    for _ in range(3):
        hit = hits.next()
        assert hit["breakpoint"] == made["breakpoint"] and hit["tid"] in tasks(one.pid)
        assert client.target.info(target=target)["stop"]["function"] == "ompd_bp_" + event
        client.target.resume(target=target)


@pytest.mark.parametrize("event", EVENTS)
def test_event_that_is_never_told(llvm, client, event):
    """Without OMP_DEBUG=enabled the runtime does not call its ompd_bp_*(): a warning says so."""
    one = llvm("rounds", 2, debug=False)
    target, _ = attach(client, one)
    with fails("event_unavailable") as caught:
        client.breakpoint.set(target=target, event=event)
    assert "OMP_DEBUG=enabled" in str(caught.error) and "OMP_DEBUG=enabled" in caught.error.data["hint"]
    assert caught.error.data["event"] == event
    shown = {entry["event"]: entry["places"] for entry in client.breakpoint.addresses(target=target)["events"]}
    assert shown[event]["name"] == "event_unavailable"
    assert client.breakpoint.list(target=target)["breakpoints"] == []


def test_event_that_was(llvm, client):
    target, _ = attach(client, llvm("rounds", 2))
    with fails("event_unavailable") as caught:
        client.breakpoint.set(target=target, event="ompd_dll_locations_valid")
    assert "already" in str(caught.error) and "stop_at" in caught.error.data["hint"]


@pytest.mark.parametrize("debug", [True, False], ids=["enabled", "unset"])
def test_before_the_runtime_starts(client, debug):
    """Its variables are not set yet; the environment is."""
    env = {"LD_LIBRARY_PATH": str(LLVM), **({"OMP_DEBUG": "enabled"} if debug else {"OMP_DEBUG": "enable"})}
    target = client.target.launch(argv=[str(PROGRAMS / "rounds"), "2"], env=env, stop_at="main")["target"]
    hits = Hits(client, target)
    valid = client.breakpoint.set(target=target, event="ompd_dll_locations_valid")["breakpoint"]
    if debug:
        client.breakpoint.set(target=target, event="thread_begin")
    else:
        with fails("event_unavailable"):
            client.breakpoint.set(target=target, event="thread_begin")
    client.target.resume(target=target)
    assert hits.next()["breakpoint"] == valid
    if debug:
        # The initial thread starts, too.
        client.target.resume(target=target)
        hits.next()
        assert client.target.info(target=target)["stop"]["function"] == "ompd_bp_thread_begin"
    client.target.kill(target=target)


@pytest.mark.parametrize("debug", [True, False], ids=["enabled", "unset"])
@pytest.mark.parametrize("n", [1, 2, 8])
def test_into(llvm, client, n, debug):
    one = llvm("rounds", n, debug=debug)
    target, stops = hold(client, one)
    for _ in range(3):
        stop = stops.step("into_parallel", one.pid)
        assert stop["function"].startswith(("main.omp_outlined", ".omp_outlined.")) and stop["tid"] == one.pid
        assert stand_at_function(client, target, stop) == set(one.lines)
        assert all(task_state(one.pid, tid) == "t" for tid in tasks(one.pid))


@pytest.mark.parametrize("debug", [True, False], ids=["enabled", "unset"])
def test_out_of(llvm, client, debug):
    one = llvm("rounds", 4, debug=debug)
    target, stops = hold(client, one)
    for _ in range(3):
        stops.step("into_parallel", one.pid)
        stop = stops.step("out_of_parallel", one.pid)
        assert stop["function"] == "main" and stop["tid"] == one.pid
        assert frames(client, target, one.pid)[0]["function"] == "main"
