# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""OMPD's events with our runtime: its own calls of ompd_bp_*, turned on for as long as somebody has a breakpoint there."""
import collections
import contextlib
import os
import signal
import struct

import ompdd
import pytest
from snapshots import Snapshot, has_rc
from targets import OMPRT, tracer, wait_until
from test_breakpoints import Gone, Hits, attach, read_memory, rounds

assert OMPRT
EVENTS = ("parallel_begin", "parallel_end", "task_begin", "task_end", "thread_begin", "thread_end")


def switch_of(pid):
    """Address of ompd_breakpoints, by its symbol and where the runtime is mapped."""
    for line in open(f"/proc/{pid}/maps"):
        if "libgomp.so.1" in line:
            base, path = int(line.split("-")[0], 16), line.split()[-1]
            break
    with open(path, "rb") as file:
        elf = file.read()
    sections = struct.unpack_from("<Q", elf, 0x28)[0]
    size, n = struct.unpack_from("<HH", elf, 0x3a)
    for i in range(n):
        _, kind, _, _, offset, length, link = struct.unpack_from("<IIQQQQI", elf, sections + i * size)
        if kind != 11:  # SHT_DYNSYM
            continue
        strings = struct.unpack_from("<Q", elf, sections + link * size + 0x18)[0]
        for at in range(offset, offset + length, 24):
            name, _, _, _, value = struct.unpack_from("<IBBHQ", elf, at)
            if elf[strings + name:elf.index(b"\0", strings + name)] == b"ompd_breakpoints":
                return base + value
    raise AssertionError("no ompd_breakpoints")


def switch(pid):
    return struct.unpack("<I", read_memory(pid, switch_of(pid), 4))[0]


def check_hit(client, target, hit):
    """What is current at an event, as the specification says."""
    snapshot = Snapshot(client.snapshot.get(target=target))
    thread = snapshot.threads[hit["tid"]]
    if hit["event"].startswith("thread"):
        return None
    task, region = snapshot.tasks[thread["task"]], snapshot.parallels[thread["parallel"]]
    if hit["event"].startswith("task"):
        assert task["kind"] == "explicit" and not has_rc(task["function"])
        return task["function"]["address"]
    # Of parallel_begin, too: the new region is the current one, and its team is as large as it will be.
    assert region["level"] > 0 and task["kind"] == "implicit" and thread["thread_num"] == 0
    assert snapshot.parallels[region["enclosing"]]["level"] == region["level"] - 1
    if hit["event"] == "parallel_end":
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
        # Regions and tasks end on the thread that began them, in the reverse order.
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


def test_switch_is_on_as_long_as_it_is_needed(program, client):
    one = program("rounds", 2)
    target, hits = attach(client, one)
    assert switch(one.pid) == 0
    client.breakpoint.set(target=target, function="main")
    assert switch(one.pid) == 0, "no event"
    numbers = [client.breakpoint.set(target=target, event=event)["breakpoint"] for event in ("thread_end", "thread_begin")]
    assert switch(one.pid) == 0x100
    client.breakpoint.delete(target=target, breakpoint=numbers[0])
    assert switch(one.pid) == 0x100
    client.breakpoint.delete(target=target, breakpoint=numbers[1])
    assert switch(one.pid) == 0
    client.breakpoint.set(target=target, event="parallel_end", once=True)
    hits.next()
    client.target.resume(target=target)
    wait_until(lambda: switch(one.pid) == 0, "it was the last")


def test_what_the_program_wants_itself_stays(program, client):
    one = program("rounds", 2, env={"OMP_DEBUG": "enabled"})
    target, _ = attach(client, one)
    made = client.breakpoint.set(target=target, event="thread_end")
    assert switch(one.pid) == 0x101
    client.breakpoint.delete(target=target, breakpoint=made["breakpoint"])
    assert switch(one.pid) == 1


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
        wait_until(lambda: not tracer(one.pid) and switch(one.pid) == 0, "the runtime is as before")
        before = rounds(one)["rounds"]
        wait_until(lambda: rounds(one)["rounds"] > before, "it works")
