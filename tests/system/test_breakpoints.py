# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Breakpoints: hits and their contents, and their effect on memory and children."""
import pathlib

import pytest
from conftest import fails
from control import address_of, attach, is_planted, runs_free
from daemons import SANITIZED
from targets import (OMPRT, RUNTIME, children, event_switch, read_text, runtime_symbol, stopped_threads,
                     task_state, tasks, tracer, wait_until)

EVENTS = ["parallel_begin", "parallel_end", "task_begin", "task_end", "thread_begin", "thread_end", "ompd_dll_locations_valid",
          "teams_begin", "teams_end", "target_begin", "target_end", "device_begin", "device_end"]
CONSTRUCTS = ["barrier_enter", "barrier_exit", "barrier_all_entered", "implicit_barrier_enter", "implicit_barrier_exit",
              "taskwait_enter", "taskwait_exit", "ordered_acquire", "ordered_acquired", "ordered_release", "critical_acquire",
              "critical_acquired", "critical_release", "atomic_acquire", "atomic_acquired", "atomic_release", "lock_acquire",
              "lock_acquired", "lock_release", "single_enter", "single_begin", "task_create", "target_data", "target_data_end",
              "target_submit"]


# Hits.

def test_function(program, client):
    one = program("rounds", 3)
    target, hits = attach(client, one)
    made = client.breakpoint.set(target=target, function="chore")
    assert made["kind"] == "function" and made["own"] and not made["once"] and made["hits"] == 0
    place = made["places"][0]
    assert place["function"] == "chore" and place["offset"] == 0 and place["point"] == "call"
    for n in range(1, 6):
        event = hits.next()
        assert event["breakpoint"] == made["breakpoint"] and event["address"] == place["address"]
        assert event["tid"] in one.lines
        # Everything is stopped, with a reason. (A thread at a trap enters another stop once, without executing
        # anything.)
        wait_until(lambda: all(task_state(one.pid, tid) == "t" for tid in tasks(one.pid)), "all stand")
        info = client.target.info(target=target)
        assert info["state"] == "breakpoint" and info["epoch"] == event["epoch"]
        stop = info["stop"]
        assert stop["reason"] == "breakpoint" and stop["own"] and stop["tid"] == event["tid"]
        assert stop["address"] == event["address"] and stop["function"] == "chore" and stop["offset"] == 0
        assert client.breakpoint.list(target=target)["breakpoints"] == [{**{k: v for k, v in made.items() if k not in ("target", "pid")},
                                                                         "hits": n}]
        assert client.target.resume(target=target)["state"] == "running"
    client.breakpoint.delete(target=target, breakpoint=made["breakpoint"])
    assert client.breakpoint.list(target=target)["breakpoints"] == []
    if client.target.info(target=target)["state"] == "breakpoint":
        client.target.resume(target=target)
    runs_free(one, [address_of(place)])


def test_address_and_thread(program, client):
    """Other threads pass a breakpoint for one thread silently, and they do arrive there."""
    one = program("rounds", 4)
    target, hits = attach(client, one)
    client.target.stop(target=target)
    other = client.breakpoint.set(target=target, function="work")
    address = other["places"][0]["address"]
    client.breakpoint.delete(target=target, breakpoint=other["breakpoint"])
    tid = sorted(one.lines)[-1]
    made = client.breakpoint.set(target=target, address=address, thread=tid)
    client.target.resume(target=target)
    assert made["kind"] == "address" and made["thread"] == tid
    for _ in range(5):
        assert hits.next()["tid"] == tid
        client.target.resume(target=target)


def test_once(program, client):
    one = program("rounds", 2)
    target, hits = attach(client, one)
    made = client.breakpoint.set(target=target, function="chore", once=True)
    assert made["once"]
    hits.next()
    assert client.breakpoint.list(target=target)["breakpoints"] == []
    assert client.target.info(target=target)["stop"]["breakpoint"] == made["breakpoint"]
    client.target.resume(target=target)
    runs_free(one, [address_of(made["places"][0])])


def test_two_at_one_place(program, client):
    """Each breakpoint counts the hit, the first is reported, and one can be deleted without the other."""
    one = program("rounds", 1)
    target, hits = attach(client, one)
    client.target.stop(target=target)
    first = client.breakpoint.set(target=target, function="chore")
    second = client.breakpoint.set(target=target, address=first["places"][0]["address"])
    client.target.resume(target=target)
    assert hits.next()["breakpoint"] == first["breakpoint"]
    assert [b["hits"] for b in client.breakpoint.list(target=target)["breakpoints"]] == [1, 1]
    client.breakpoint.delete(target=target, breakpoint=first["breakpoint"])
    client.target.resume(target=target)
    assert hits.next()["breakpoint"] == second["breakpoint"]
    client.breakpoint.delete(target=target, breakpoint=second["breakpoint"])
    client.target.resume(target=target)
    runs_free(one, [address_of(first["places"][0])])


def test_every_member_of_a_team(program, client):
    """All threads arrive at once, and each is reported once per round."""
    one = program("rounds", 8)
    target, hits = attach(client, one)
    client.breakpoint.set(target=target, function="chore")
    seen = []
    for _ in range(40):
        seen.append(hits.next()["tid"])
        client.target.resume(target=target)
    # No thread arrives a second time before all have arrived once, except in the round that set the breakpoint.
    rest = seen[8:]
    assert all(set(rest[i:i + 8]) == set(one.lines) for i in range(rest.index(rest[0]), 24, 8)) or len(set(rest)) == 8


def test_views_within_a_hit(program, client):
    """Snapshots and stacks of the stopped target. Handles end with the resume."""
    one = program("rounds", 4)
    target, hits = attach(client, one)
    client.breakpoint.set(target=target, function="chore")
    event = hits.next()
    snapshot = client.snapshot.get(target=target)
    assert snapshot["consistency"] == "stopped" and snapshot["epoch"] == event["epoch"]
    assert {thread["tid"] for thread in snapshot["threads"]} == set(one.lines)
    stop = client.target.info(target=target)["stop"]
    thread = next(thread for thread in snapshot["threads"] if thread["tid"] == event["tid"])
    if thread["openmp"] is True:
        assert stop["parallel"] == thread["parallel"] and stop["task"] == thread["task"]
        assert stop["parallel"].startswith(f"{target}:e{event['epoch']}:par:")
    stack = client.stack.get(target=target, thread=event["tid"])
    assert stack["frames"][0]["function"] == "chore" and stack["frames"][0]["pc"] == event["address"]
    client.target.resume(target=target)
    if thread["openmp"] is True:
        with fails("ompd_rc_stale_handle"):
            client.ompd.get_enclosing_parallel_handle(parallel_handle=stop["parallel"], target=target)


def test_captures_between_hits(program, client):
    """Breakpoints and snapshots at the same time: none disturbs the other."""
    one = program("rounds", 4)
    target, hits = attach(client, one)
    made = client.breakpoint.set(target=target, function="chore", thread=one.pid)
    for _ in range(30):
        snapshot = client.snapshot.get(target=target)
        assert {thread["tid"] for thread in snapshot["threads"]} == set(one.lines)
        if client.target.info(target=target)["state"] == "breakpoint":
            client.target.resume(target=target)
    client.breakpoint.delete(target=target, breakpoint=made["breakpoint"])
    if client.target.info(target=target)["state"] == "breakpoint":
        client.target.resume(target=target)
    runs_free(one)


def test_set_while_held(program, client):
    """A breakpoint that is set during a hold has its first hit after it, and the hold stays the same."""
    one = program("rounds", 2)
    target, hits = attach(client, one)
    epoch = client.target.stop(target=target)["epoch"]
    before = client.thread.list(target=target)
    client.breakpoint.set(target=target, function="chore")
    assert client.target.info(target=target)["stop"] == {"reason": "request", "own": True}
    after = client.thread.list(target=target)
    assert after["epoch"] == before["epoch"] == epoch and after["threads"] == before["threads"]
    client.target.resume(target=target)
    hits.next()


@pytest.mark.parametrize("event", EVENTS[:6])
def test_events(event, program, client):
    one = program("churn")
    target, hits = attach(client, one)
    made = client.breakpoint.set(target=target, event=event)
    assert made["kind"] == "event" and made["event"] == event and made["places"]
    functions = set()
    for _ in range(8):
        hit = hits.next()
        assert hit["event"] == event
        stop = client.target.info(target=target)["stop"]
        assert stop["event"] == event
        functions.add(stop.get("function"))
        client.target.resume(target=target)
    if OMPRT:
        # The runtime reports it itself.
        assert [place["function"] for place in made["places"]] == [f"ompd_bp_{event}"] and functions == {f"ompd_bp_{event}"}
        assert client.breakpoint.list(target=target)["breakpoints"][0]["places"] == made["places"]
        return
    if event == "parallel_begin":
        assert functions <= {place["function"] for place in made["places"]}
    if event == "parallel_end":
        # Where the region's call returns to: the program's own code.
        assert functions <= {"main", "visitor", "main._omp_fn.0"}
    if event == "task_begin":
        assert len(functions) == 1 and functions.pop().startswith("main._omp_fn.")
        learnt = [place for place in client.breakpoint.list(target=target)["breakpoints"][0]["places"] if place.get("learnt")]
        assert len(learnt) == 1


def test_events_of_leagues_and_targets(program, client):
    """In the order of events, on the thread that encountered the constructs."""
    one = program("leagues")
    target, hits = attach(client, one)
    for event in ("teams_begin", "teams_end", "target_begin", "target_end"):
        client.breakpoint.set(target=target, event=event)
    seen = []
    for _ in range(18):
        hit = hits.next()
        assert hit["tid"] == one.pid
        seen.append(hit["event"])
        if OMPRT:
            assert client.target.info(target=target)["stop"]["function"] == f"ompd_bp_{hit['event']}"
        client.target.resume(target=target)
    # Stock libgomp does not report a league in a target region.
    inside = ["teams_begin", "teams_end"] if OMPRT else []
    round_ = ["teams_begin", "teams_end", "target_begin", "target_end", "target_begin", *inside, "target_end"]
    # The first hit may come at any point of a round, since the breakpoints were set one after the other.
    rest = seen[next(i for i in range(6, 15) if seen[i:i + 2] == ["teams_end", "target_begin"]):]
    assert rest == (round_[1:] + 3 * round_)[:len(rest)]


def test_parallel_begin_and_end_pair(program, client):
    """A thread's region starts, then ends, in this order, on the same thread, at the same depth."""
    one = program("rounds", 2)
    target, hits = attach(client, one)
    client.breakpoint.set(target=target, event="parallel_begin")
    client.breakpoint.set(target=target, event="parallel_end")
    seen = []
    for _ in range(9):
        hit = hits.next()
        assert hit["tid"] == one.pid
        seen.append(hit["event"])
        client.target.resume(target=target)
    # At that moment the first breakpoint may have been set, and the second not yet.
    begin = seen.index("parallel_begin") if seen[1] == "parallel_end" else 1
    assert seen[begin:] == (["parallel_begin", "parallel_end"] * 5)[:len(seen) - begin]


def test_addresses(program, client):
    one = program("flat", 2)
    target = client.target.attach(pid=one.pid)["target"]
    result = client.breakpoint.addresses(target=target)
    found = {entry["event"]: entry["places"] for entry in result["events"]}
    assert list(found) == EVENTS + CONSTRUCTS
    regions = {place["function"]: place for place in result["regions"]}
    assert regions["GOMP_parallel"]["argument"] == 0 and not regions["GOMP_parallel"].get("begins_only")
    assert regions["GOMP_parallel"]["address"] == hex(runtime_symbol(one.pid, "GOMP_parallel"))
    assert {name for name, place in regions.items() if place.get("begins_only")} == {name for name in regions if name.endswith("_start")}
    if OMPRT:
        for event in EVENTS:
            name = event if event == "ompd_dll_locations_valid" else f"ompd_bp_{event}"
            address = runtime_symbol(one.pid, name)
            assert address and found[event] == [{"address": hex(address), "function": name, "offset": 0, "point": "call"}]
        assert not stopped_threads(one.pid) and not tracer(one.pid) and not event_switch(one.pid)
        return
    assert "GOMP_parallel" in {place["function"] for place in found["parallel_begin"]}
    assert found["task_begin"][0] | {"address": ""} == {"address": "", "function": "GOMP_task", "offset": 0,
                                                         "point": "argument_call", "argument": 0}
    assert {place["function"] for place in found["teams_end"]} == {"GOMP_teams_reg"}
    assert {(place["function"], place["point"]) for place in found["target_end"]} == {
        (name, "return") for name in ("GOMP_target_ext", "GOMP_target")}
    for event in ("ompd_dll_locations_valid", "device_begin", "device_end"):
        assert found[event]["name"] == "event_unavailable"
    assert not stopped_threads(one.pid) and not tracer(one.pid)


# Source lines.

SOURCE = pathlib.Path(__file__).parent.parent / "programs" / "rounds.c"


def line_of(text):
    return next(n for n, line in enumerate(SOURCE.read_text().splitlines(), 1) if text in line)


@pytest.mark.parametrize("file", ["rounds.c", "programs/rounds.c", "./rounds.c"])
def test_line_in_a_region(file, program, client):
    """The line is in the compiler's function for the region, and each member arrives there."""
    one = program("rounds", 4)
    target, hits = attach(client, one)
    line = line_of("line of a call in a region")
    made = client.breakpoint.set(target=target, file=file, line=line)
    assert made["kind"] == "line" and made["file"] == file and made["line"] == line
    assert [place["function"] for place in made["places"]] == ["main._omp_fn.1"] and made["places"][0]["offset"] > 0
    seen = set()
    for _ in range(12):
        event = hits.next()
        seen.add(event["tid"])
        frame = client.stack.get(target=target, thread=event["tid"])["frames"][0]
        assert frame["pc"] == made["places"][0]["address"] and frame["location"]["line"] == line
        client.target.resume(target=target)
    assert seen == set(one.lines)


def test_line_without_code(program, client):
    """The breakpoint moves to the next line with code, and reports it."""
    one = program("rounds", 1)
    target, hits = attach(client, one)
    made = client.breakpoint.set(target=target, file="rounds.c", line=line_of("line of a call in a region") + 1)
    assert made["line"] == line_of("if (forks)") and [place["function"] for place in made["places"]] == ["main"]
    assert hits.next()["tid"] == one.pid


def test_line_of_a_pragma(program, client):
    """The line is in the region's own function and, if the compiler left a row for it, at the region's call."""
    one = program("rounds", 1)
    target, _ = attach(client, one)
    line = line_of("line of a call in a region") - 3
    made = client.breakpoint.set(target=target, file="rounds.c", line=line)
    functions = [place["function"] for place in made["places"]]
    assert "main._omp_fn.1" in functions and set(functions) <= {"main", "main._omp_fn.1"} and len(set(functions)) == len(functions)


def test_line_refusals(program, client):
    one = program("rounds", 1)
    target, _ = attach(client, one)
    last = len(SOURCE.read_text().splitlines())
    with fails("symbol_not_found") as refused:
        client.breakpoint.set(target=target, file="rounds.c", line=last + 100)
    assert str(line_of("nanosleep")) in refused.error.hint and refused.error.data["file"] == "rounds.c"
    # The end of a path starts after a slash.
    for file in ("ounds.c", "other/rounds.c", "s.c", "/", "./"):
        with fails("symbol_not_found"):
            client.breakpoint.set(target=target, file=file, line=1)
    bare = program("flat_stripped", 1)
    target, _ = attach(client, bare)
    with fails("symbol_not_found") as refused:
        client.breakpoint.set(target=target, file="flat.c", line=1)
    assert "-g" in refused.error.hint
    runs_free(one)


# Refused requests.

def test_refusals(program, client):
    one = program("rounds", 2)
    target, _ = attach(client, one)
    for params in ({}, {"function": "work", "event": "task_begin"}, {"file": "rounds.c"}, {"line": 3, "function": "work"}):
        with fails("invalid_params"):
            client.breakpoint.set(target=target, **params)
    with fails("symbol_not_found"):
        client.breakpoint.set(target=target, function="no_such_function")
    with fails("breakpoint_impossible"):
        client.breakpoint.set(target=target, address="0x10")
    for event in ("ompd_dll_locations_valid", "device_begin", "device_end"):
        with fails("event_unavailable"):
            client.breakpoint.set(target=target, event=event)
    with fails("no_such_breakpoint"):
        client.breakpoint.delete(target=target, breakpoint=7)
    assert client.breakpoint.list(target=target)["breakpoints"] == []
    runs_free(one)
    plain = program("plain")
    target = client.target.attach(pid=plain.pid)["target"]
    with fails("no_openmp_runtime"):
        client.breakpoint.set(target=target, event="parallel_begin")


def test_not_in_observe_mode(program, client):
    one = program("rounds", 2)
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    with fails("mode_unsupported"):
        client.breakpoint.set(target=target, function="work")


def test_of_another_connection(program, daemon):
    """All clients see them. Only the owner may delete one, or resume its hit."""
    one = program("rounds", 2)
    with daemon.connect() as owner, daemon.connect() as other:
        target, hits = attach(owner, one)
        made = owner.breakpoint.set(target=target, function="chore")
        assert [b["own"] for b in other.breakpoint.list(target=target)["breakpoints"]] == [False]
        with fails("no_such_breakpoint"):
            other.breakpoint.delete(target=target, breakpoint=made["breakpoint"])
        hits.next()
        assert other.target.info(target=target)["stop"]["own"] is False
        for call in (other.target.resume, other.target.stop, other.target.detach):
            with fails("target_held"):
                call(target=target)
        owner.target.resume(target=target)


# Visible effects.

def test_memory_reads_show_the_program(program, client):
    """The breakpoint instruction is in memory, but neither stacks nor the OMPD library see it."""
    one = program("rounds", 2)
    target, hits = attach(client, one)
    # The library reads the code of this accessor to recognise libgomp.
    made = client.breakpoint.set(target=target, function="omp_get_thread_num")
    address = address_of(made["places"][0])
    # A long stop removes it.
    wait_until(lambda: is_planted(one.pid, address) or client.target.info(target=target)["state"] == "breakpoint", "it is there")
    other = client.target.attach(pid=one.pid, mode="observe")["target"]
    client.target.detach(target=other)
    assert client.snapshot.get(target=target)["runtime"]["kind"] == RUNTIME
    hits.next()
    assert client.ompd.finalize(target=target) is not None
    assert {thread["tid"] for thread in client.snapshot.get(target=target)["threads"]} == set(one.lines)
    client.breakpoint.delete(target=target, breakpoint=made["breakpoint"])
    assert not is_planted(one.pid, address)


def test_children_never_hit(program, client):
    one = program("rounds", 2, "fork")
    target, hits = attach(client, one)
    client.breakpoint.set(target=target, function="work")
    for _ in range(30):
        assert hits.next()["tid"] in one.lines
        client.target.resume(target=target)
    client.target.detach(target=target)
    runs_free(one)


def test_nothing_is_traced_without_need(program, daemon, client):
    """The tracer starts with the first breakpoint or hold, and ends with the last."""
    one = program("rounds", 2)
    target, _ = attach(client, one)
    client.snapshot.get(target=target)
    assert not tracer(one.pid)
    # A build with a sanitizer has no sandbox, so the worker starts the tracer itself.
    broker = daemon.worker() if SANITIZED else children(daemon.worker())[0]
    made = client.breakpoint.set(target=target, function="main")
    assert "omp-tracer" in read_text(f"/proc/{tracer(one.pid)}/comm")
    assert tracer(one.pid) in children(broker)
    client.breakpoint.delete(target=target, breakpoint=made["breakpoint"])
    assert not tracer(one.pid)
    wait_until(lambda: not children(broker), "the tracer has been reaped")
    client.target.stop(target=target)
    assert tracer(one.pid) in children(broker)
    client.target.resume(target=target)
    assert not tracer(one.pid)
    wait_until(lambda: not children(broker), "the tracer has been reaped")


def test_detach_leaves_nothing_behind(program, client):
    """After the answer, the next debugger can attach."""
    one = program("rounds", 2)
    for held in (False, True) * 5:
        target, hits = attach(client, one)
        made = client.breakpoint.set(target=target, function="chore")
        if held:
            hits.next()
        client.target.detach(target=target)
        assert not tracer(one.pid) and not is_planted(one.pid, address_of(made["places"][0]))
