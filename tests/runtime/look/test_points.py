# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""OMPD's events with our runtime: its own calls of ompd_bp_*, enabled while a breakpoint is planted there."""
import collections
import contextlib
import os
import signal
import subprocess

import ompdd
import pytest
from conftest import fails
from control import Gone, Hits, Stops, attach, frames, rounds, runs_free, stand_at_function
from launched import Launched
from snapshots import Snapshot, has_rc
from test_frames import frame_of
from targets import OMPRT, PROGRAMS, event_switch, tracer, wait_until

assert OMPRT
LIBRARY = PROGRAMS.parents[1] / "lib" / "ompdd"
EVENTS = ("parallel_begin", "parallel_end", "task_begin", "task_end", "thread_begin", "thread_end")


def frames_are_outside_of_the_region(client, target, tid, is_initial):
    """The encountering task's frames: it has called the runtime for this region (enter), and was called before (exit)."""
    thread = client.ompd.get_thread_handle(target=target, kind="OMPD_THREAD_ID_LWP", thread_id=tid)["thread_handle"]
    task = client.ompd.get_curr_task_handle(target=target, thread_handle=thread)["task_handle"]
    leave, enter = frame_of(client, target, task)
    stack = frames(client, target, tid)
    # A function that ends with a parallel region jumps to the runtime: it has no frame.
    caller = next((frame for frame in stack if frame["kind"] == "user"), stack[-1])
    assert stack[0]["function"].startswith("ompd_bp_parallel_"), stack[0]
    # The frame that entered the runtime is the innermost one of the program: the region's code is not called yet, or has returned.
    assert int(stack[0]["sp"], 16) < enter[0] <= int(caller["sp"], 16) + 4096, (enter, caller)
    assert leave[0] == 0 or enter[0] < leave[0]
    assert (leave[0] == 0) == is_initial, leave


def check_hit(client, target, hit):
    """The current objects at an event, as the specification defines them."""
    snapshot = Snapshot(client.snapshot.get(target=target))
    thread = snapshot.threads[hit["tid"]]
    if hit["event"].startswith("thread"):
        return None
    task, region = snapshot.tasks[thread["task"]], snapshot.parallels[thread["parallel"]]
    if hit["event"].startswith("task"):
        assert task["kind"] == "explicit" and not has_rc(task["function"])
        return task["function"]["address"]
    # The region that begins or ends is the current one, with its final size. The current task is the encountering task.
    assert region["level"] > 0 and thread["thread_num"] == 0
    assert task["parallel"] == region["enclosing"] and snapshot.parallels[region["enclosing"]]["level"] == region["level"] - 1
    frames_are_outside_of_the_region(client, target, hit["tid"], task["kind"] == "initial")
    # The region works neither before it has its threads, nor after they have left.
    assert thread["state"]["name"] == "ompt_state_overhead"
    return region["function"]["address"], region["team_size"], region["level"]


def test_every_event_is_seen_once(program, client):
    one = program("points")
    target, hits = attach(client, one)
    for event in EVENTS:
        made = client.breakpoint.set(target=target, event=event)
        assert [place["function"] for place in made["places"]] == [f"ompd_bp_{event}"]
    end = client.breakpoint.set(target=target, function="done")["breakpoint"]
    one.signal()
    seen, stacks, threads = collections.Counter(), collections.defaultdict(list), collections.defaultdict(list)
    while (hit := hits.next())["breakpoint"] != end:
        event, tid = hit["event"], hit["tid"]
        seen[event] += 1
        threads[event].append(tid)
        what = check_hit(client, target, hit)
        # Regions and tasks end on the thread that started them, in the reverse order.
        if event in ("parallel_begin", "task_begin"):
            stacks[tid].append((event.split("_")[0], what))
        elif event in ("parallel_end", "task_end"):
            assert stacks[tid].pop() == (event.split("_")[0], what)
        client.target.resume(target=target)
    client.target.resume(target=target)
    said = one.read_line()
    assert not any(stacks.values())
    assert seen["parallel_begin"] == seen["parallel_end"] == said["parallel"]
    assert seen["task_begin"] == seen["task_end"] == said["task"]
    assert sorted(set(threads["thread_begin"]) - {one.pid}) == sorted(said["threads"])
    assert sorted(threads["thread_end"]) == sorted(said["ended"])
    assert len(threads["thread_begin"]) == len(set(threads["thread_begin"]))


def test_initial_thread_is_met_where_breakpoints_are():
    """With OMP_DEBUG a tool that learns of threads only through ompd_bp_thread_begin, and has reached main(), sees the
    initial thread start.
    """
    commands = ["set debuginfod enabled off", "break main", "run", "break ompd_bp_thread_begin", "continue", "thread", "backtrace"]
    done = subprocess.run(["gdb", "-nx", "-batch", *[part for command in commands for part in ("-ex", command)],
                           "--args", PROGRAMS / "flat", "2"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300,
                          check=False, env={**os.environ, "OMP_DEBUG": "enabled", "LD_LIBRARY_PATH": str(LIBRARY)})
    assert "Breakpoint 2, ompd_bp_thread_begin" in done.stdout, done.stdout + done.stderr
    assert "[Current thread is 1 " in done.stdout and " main (" in done.stdout, done.stdout


def test_switch_is_on_as_long_as_it_is_needed(program, client):
    one = program("rounds", 2)
    target, hits = attach(client, one)
    assert event_switch(one.pid) == 0
    client.breakpoint.set(target=target, function="main")
    assert event_switch(one.pid) == 0, "no event"
    numbers = [client.breakpoint.set(target=target, event=event)["breakpoint"] for event in ("thread_end", "thread_begin")]
    assert event_switch(one.pid) == 0x100
    client.breakpoint.delete(target=target, breakpoint=numbers[0])
    assert event_switch(one.pid) == 0x100
    client.breakpoint.delete(target=target, breakpoint=numbers[1])
    assert event_switch(one.pid) == 0
    client.breakpoint.set(target=target, event="parallel_end", once=True)
    hits.next()
    client.target.resume(target=target)
    wait_until(lambda: event_switch(one.pid) == 0, "it was the last")


def test_what_the_program_wants_itself_stays(program, client):
    one = program("rounds", 2, env={"OMP_DEBUG": "enabled"})
    target, _ = attach(client, one)
    made = client.breakpoint.set(target=target, event="thread_end")
    assert event_switch(one.pid) == 0x101
    client.breakpoint.delete(target=target, breakpoint=made["breakpoint"])
    assert event_switch(one.pid) == 1


@pytest.mark.parametrize("who", ["client", "worker", "daemon"])
def test_switch_is_off_whoever_dies(who, program, daemons):
    one = program("rounds", 3)
    for trial in range(5):
        daemon = daemons()
        if who != "client":
            daemon.expect_log.append("worker")
        with contextlib.suppress(ompdd.Error, ompdd.Closed, Gone), daemon.connect() as client:
            target, hits = attach(client, one)
            client.breakpoint.set(target=target, event="parallel_begin")
            for _ in range(trial):
                hits.next()
                client.target.resume(target=target)
            if who == "worker":
                os.kill(daemon.worker(), signal.SIGKILL)
            elif who == "daemon":
                daemon.kill()
        wait_until(lambda: not tracer(one.pid) and event_switch(one.pid) == 0, "the runtime is as before")
        before = rounds(one)["rounds"]
        wait_until(lambda: rounds(one)["rounds"] > before, "it works")


def test_forked_child_calls_nothing(program, client):
    """It has the memory of its parent, but not the breakpoints."""
    one = program("events", "fork")
    target, _ = attach(client, one)
    client.breakpoint.set(target=target, event="parallel_begin")
    client.breakpoint.set(target=target, event="task_end")
    one.signal()
    child = one.read_line()["child"]
    assert event_switch(one.pid) == 0x100
    try:
        # It starts traced, like its parent, and may run before the release.
        wait_until(lambda: event_switch(child) == 0 and not tracer(child), "it has nothing of ours")
    finally:
        os.kill(child, signal.SIGKILL)
    client.target.detach(target=target)
    assert event_switch(one.pid) == 0


@pytest.mark.parametrize("event", ["parallel_begin", "parallel_end"])
def test_step_out_from_an_event(event, program, client):
    """The region that starts or ends is the current one: a step out of it ends after its call."""
    one = program("rounds", 3)
    target, _ = attach(client, one)
    stops = Stops(client, target)
    made = client.breakpoint.set(target=target, event=event)
    for _ in range(3):
        assert stops.next()["event"] == event
        stop = stops.step("out_of_parallel")
        assert stop["tid"] == one.pid and frames(client, target, one.pid)[0]["function"] == "main"
        assert Snapshot(client.snapshot.get(target=target)).parallel_of(one.pid)["level"] == 0
        client.target.resume(target=target)
    client.breakpoint.delete(target=target, breakpoint=made["breakpoint"])
    if client.target.info(target=target)["state"] == "breakpoint":
        client.target.resume(target=target)
    runs_free(one)


@pytest.mark.parametrize("event", ["parallel_end", "task_begin"])
def test_step_into_from_another_event(event, program, client):
    """The next region is meant."""
    one = program("rounds", 3)
    target, _ = attach(client, one)
    stops = Stops(client, target)
    client.breakpoint.set(target=target, event=event, thread=one.pid, once=True)
    assert stops.next()["event"] == event
    stop = stops.step("into_parallel")
    assert stop["function"] == "main._omp_fn.1" and stand_at_function(client, target, stop) == set(one.lines)
    client.target.resume(target=target)
    runs_free(one)


def test_launch_stops_where_libompd_is_first_known(client, tmp_path):
    """That is in the runtime's initialiser, long before main()."""
    one = Launched(client, tmp_path / "one", "rounds", 2, stop_at="ompd_dll_locations_valid")
    try:
        assert "warnings" not in one.result, one.result
        hits = Hits(client, one.target, since=0)
        assert hits.next()["event"] == "ompd_dll_locations_valid"
        assert client.target.info(target=one.target)["stop"]["function"] == "ompd_dll_locations_valid" and one.text() == ""
        client.target.resume(target=one.target)
        one.wait_ready()
        one.runs_free()
        with fails("event_unavailable"):
            client.breakpoint.set(target=one.target, event="ompd_dll_locations_valid")
    finally:
        one.close()
