# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holders of contended objects: never a thread other than the program's own record, and what is proven in each case."""
import collections
import json
import os
import struct
import subprocess

import pytest
from targets import BUILD, LIBGOMP, OMPRT, PAUSE, PROGRAMS, wait_until

LOOKS = 60
# tests/programs/holds.c
OBJECTS = ["global", "first", "second", "nest", "named", "other_named", "unnamed", "passed"]
N_THREADS = 6
TRUTH = struct.Struct(f"<{len(OBJECTS)}Q{len(OBJECTS)}i{N_THREADS}i{N_THREADS}i")
LOCKS = ("lock", "nest_lock", "critical", "atomic", "mutex")


class Running:
    def __init__(self, name, *args):
        environment = dict(os.environ, OMP_WAIT_POLICY="passive")
        if LIBGOMP:
            environment["LD_LIBRARY_PATH"] = LIBGOMP
        self.process = subprocess.Popen([PROGRAMS / name, *args], env=environment, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)

    def line(self):
        return self.process.stdout.readline().split()

    def look(self, n=1, *memory):
        done = subprocess.run([BUILD / "tests/support/who_holds", BUILD / "lib/libompd.so", str(self.process.pid), str(n),
                               *[str(value) for value in memory]], capture_output=True, text=True)
        if "has used the OpenMP runtime yet" in done.stderr:
            return [{"waits": []}]
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture
def running():
    started = []

    def start(*args):
        started.append(Running(*args))
        return started[-1]

    yield start
    for one in started:
        one.close()


def judge(look, seen):
    """Compare one view with the program's record of that moment."""
    values = TRUTH.unpack(bytes.fromhex(look["memory"]))
    n = len(OBJECTS)
    addresses, holders, tids, busy = values[:n], values[n:2 * n], values[2 * n:2 * n + N_THREADS], values[-N_THREADS:]
    for wait in look["waits"]:
        if wait["kind"] not in LOCKS:
            continue
        # The unnamed critical construct has the runtime's own lock. Any other lock of the runtime would appear only for
        # a moment.
        number = addresses.index(wait["wait_id"]) if wait["wait_id"] in addresses else OBJECTS.index("unnamed")
        if number == OBJECTS.index("unnamed") and wait["kind"] != "critical":
            continue
        name, holder = OBJECTS[number], holders[number]
        seen[name, "waits"] += 1
        assert wait["complete"] or wait["unknown"], wait
        if not wait["complete"]:
            assert not wait["holders"], wait
            assert not holder or holder in [one["tid"] for one in wait["candidates"]], (name, holder, wait)
        elif not wait["holders"]:
            assert not holder, (name, holder, wait)
        else:
            one, = wait["holders"]
            assert one["evidence"] and one["source"] in ("memory", "code"), one
            assert one["tid"] in tids and busy[tids.index(one["tid"])] >> number & 1, (name, one, tids, busy)
            assert holder in (0, one["tid"]), (name, holder, one)
            seen[name, one["source"]] += 1


@pytest.mark.parametrize("name", ["holds_O0", "holds_O1", "holds_O2", "holds_O3", "holds_stripped", "holds_bound"])
def test_holders_are_those_that_the_program_says(name, running):
    one = running(name)
    address = one.line()[0]
    seen = collections.Counter()

    def enough():
        for look in one.look(LOOKS, address, TRUTH.size):
            judge(look, seen)
        if OMPRT:
            return all(seen[lock, "memory"] for lock in ("global", "nest", "named", "unnamed", "passed"))
        # The holder of a lock whose address is only on the stack is not proven without optimization.
        code = ["named", "unnamed", "global"] + ([] if name == "holds_O0" else ["first"])
        return seen["nest", "memory"] and all(seen[lock, "code"] for lock in code)

    wait_until(enough, f"each lock was waited for, and its holder named: {seen}")


def look_until(one, n, condition=lambda waits: True):
    """Return the waits once this many threads sleep at locks, tasks or barriers."""
    def waits():
        found = one.look()[0]["waits"]
        return found if len(found) >= n and condition(found) else None

    return wait_until(waits, f"{n} threads wait")


def proven(wait):
    assert wait["complete"], wait
    return [holder["tid"] for holder in wait["holders"]]


def locks_only(waits):
    return [wait for wait in waits if wait["kind"] in LOCKS]


@pytest.mark.parametrize("what", ["cross", "cross_critical"])
def test_cycle_is_proven(what, running):
    one = running("stuck", what)
    tids = {who: int(tid) for who, tid in (one.line(), one.line())}
    waits = {wait["tid"]: wait for wait in look_until(one, 2, lambda found: len(locks_only(found)) == 2)}
    assert proven(waits[tids["a"]]) == [tids["b"]], waits
    assert proven(waits[tids["b"]]) == [tids["a"]], waits
    assert {holder["doing"] for wait in waits.values() for holder in wait["holders"]} == {"waits"}


def test_thread_waits_for_itself(running):
    one = running("stuck", "self")
    tid = int(one.line()[1])
    wait, = locks_only(look_until(one, 1, locks_only))
    assert wait["tid"] == tid and proven(wait) == [tid], wait


def test_holder_that_has_ended(running):
    one = running("stuck", "ended")
    waits = locks_only(look_until(one, 2, lambda found: len(locks_only(found)) == 2))
    for wait in waits:
        if OMPRT:
            assert wait["complete"] and [holder["doing"] for holder in wait["holders"]] == ["ended"], wait
        else:
            assert not wait["complete"] and not wait["holders"], wait


def test_holder_that_is_idle(running):
    one = running("stuck", "idle")
    tid = int(one.line()[1])
    wait, = locks_only(look_until(one, 1, locks_only))
    if OMPRT:
        assert proven(wait) == [tid] and wait["holders"][0]["doing"] == "idle", wait
    else:
        assert [(other["tid"], other["doing"]) for other in wait["candidates"]] == [(tid, "idle")], wait


def test_holder_that_sleeps(running):
    one = running("stuck", "sleeps")
    tid = int(one.line()[1])
    waits = locks_only(look_until(one, 2, lambda found: len(locks_only(found)) == 2))
    for wait in waits:
        assert wait["kind"] == "critical" and proven(wait) == [tid], wait
        assert (wait["holders"][0]["doing"], wait["holders"][0]["call"]) == ("sleeps", PAUSE), wait


def test_holder_that_waits_at_a_barrier(running):
    one = running("stuck", "barrier")
    tid = int(one.line()[1])
    waits = look_until(one, 3)
    by_tid = {wait["tid"]: wait for wait in waits}
    others = set(by_tid) - {tid}
    for other in others:
        assert by_tid[other]["holders"] == [] or proven(by_tid[other]) == [tid], by_tid
        if OMPRT:
            assert proven(by_tid[other]) == [tid], by_tid
    assert by_tid[tid]["kind"] == "barrier" and sorted(proven(by_tid[tid])) == sorted(others), by_tid


def test_child_that_sleeps(running):
    one = running("stuck", "child")
    tid = int(one.line()[1])
    wait = next(wait for wait in look_until(one, 1, lambda found: any(w["kind"] == "taskwait" for w in found))
                if wait["kind"] == "taskwait")
    assert [(holder["tid"], holder["call"]) for holder in wait["holders"]] == [(tid, PAUSE)], wait


@pytest.mark.skipif(not OMPRT, reason="libgomp does not store it")
@pytest.mark.parametrize("what, kind", [("ordered", "ordered"), ("copyprivate", "single")])
def test_whose_turn(what, kind, running):
    one = running("stuck", what)
    tid = int(one.line()[1])
    wait, = look_until(one, 1, lambda found: [wait["kind"] for wait in found] == [kind])
    assert proven(wait) == [tid] and wait["holders"][0]["call"] == PAUSE, wait


@pytest.mark.skipif(not OMPRT, reason="libgomp does not store it")
def test_detached_task(running):
    one = running("stuck", "detached")
    tid = int(one.line()[1])
    waits = look_until(one, 2, lambda found: any(wait["kind"] == "taskwait" for wait in found))
    wait = next(wait for wait in waits if wait["kind"] == "taskwait")
    assert wait["tid"] == tid and wait["complete"], wait
    assert sorted(holder["doing"] for holder in wait["holders"]) == ["detached", "queued"], wait
