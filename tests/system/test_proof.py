# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views of a program whose threads sleep: proven by the kernel's counts, without a stop."""
import pytest

from snapshots import check_oracle, check_structure
from targets import read_text, tasks, tracer, wait_until


def runs(pid):
    """Return how often each thread got a processor."""
    return {tid: int(read_text(f"/proc/{pid}/task/{tid}/schedstat").split()[2]) for tid in tasks(pid)}


def wait_asleep(one):
    """Wait until no thread gets a processor any more: threads of a runtime spin before they sleep."""
    last = [None]

    def is_quiet():
        before, last[0] = last[0], runs(one.pid)
        return before == last[0]
    wait_until(is_quiet, "all threads sleep")


@pytest.mark.parametrize("mode", ("stop", "observe"))
def test_sleeping_program_is_proven(mode, program, client):
    one = program("nested", 3, 2, env={"OMP_WAIT_POLICY": "passive"})
    wait_asleep(one)
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    wait_asleep(one)
    before = runs(one.pid)
    for _ in range(5):
        result = client.snapshot.get(target=target)
        assert result["consistency"] == "proven" and result["stopped_us"] == 0
        snapshot = check_structure(result)
        for line in one.oracle().values():
            check_oracle(snapshot, line)
        for method in ("thread.list", "parallel.list", "task.list", "icv.list"):
            assert client.call(method, {"target": target})["consistency"] == "proven"
        assert "not stopped: all slept" in client.view.get(target=target, view="threads")["heading"]
    assert runs(one.pid) == before, "no thread was woken"
    assert not tracer(one.pid)


def test_only_the_running_thread_is_stopped(program, client):
    one = program("stacks", "spin", env={"OMP_WAIT_POLICY": "passive"})
    running = {line["tid"] for line in one.lines.values() if line["by"] == "run"}
    target = client.target.attach(pid=one.pid, mode="stop")["target"]
    client.snapshot.get(target=target)
    wait_until(lambda: {tid for tid, n in runs(one.pid).items() if n != runs(one.pid)[tid]} <= running, "the others sleep")
    before = runs(one.pid)
    for _ in range(5):
        result = client.thread.list(target=target)
        assert result["consistency"] == "stopped" and result["stopped_us"] > 0
    assert {tid for tid, n in runs(one.pid).items() if n != before[tid]} <= running, "sleeping threads were not woken"


# The requests that read stacks: a sleeping thread's system call shows its stack pointer and program counter.
READ_STACKS = {
    "why": lambda client, target, tid: client.diagnose.get(target=target, interval_ms=20),
    "bt": lambda client, target, tid: client.stack.get(target=target, thread=tid),
    "stacks": lambda client, target, tid: client.stack.groups(target=target),
    "snapshot": lambda client, target, tid: client.snapshot.get(target=target, stacks="all"),
}


@pytest.mark.parametrize("name", READ_STACKS)
def test_stacks_of_sleeping_threads_need_no_stop(name, program, client):
    one = program("nested", 3, 2, env={"OMP_WAIT_POLICY": "passive"})
    wait_asleep(one)
    target = client.target.attach(pid=one.pid, mode="stop")["target"]
    wait_asleep(one)
    before = runs(one.pid)
    for tid in before:
        result = READ_STACKS[name](client, target, tid)
        assert result["consistency"] == "proven" and result["stopped_us"] == 0
    assert runs(one.pid) == before, "no thread was woken"


@pytest.mark.parametrize("name", READ_STACKS)
def test_stacks_stop_only_the_running_thread(name, program, client):
    one = program("stacks", "spin", env={"OMP_WAIT_POLICY": "passive"})
    running = {line["tid"] for line in one.lines.values() if line["by"] == "run"}
    target = client.target.attach(pid=one.pid, mode="stop")["target"]
    client.snapshot.get(target=target)
    wait_until(lambda: {tid for tid, n in runs(one.pid).items() if n != runs(one.pid)[tid]} <= running, "the others sleep")
    before = runs(one.pid)
    for tid in before:
        result = READ_STACKS[name](client, target, tid)
        assert result["consistency"] == "stopped" and result["stopped_us"] > 0
    assert {tid for tid, n in runs(one.pid).items() if n != before[tid]} <= running, "sleeping threads were not woken"


def test_running_program_is_not_proven(program, client):
    one = program("stacks", "spin")
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    for _ in range(5):
        assert client.snapshot.get(target=target)["consistency"] == "racy"


def test_each_thread_that_ran_is_racy(program, client):
    """The view is racy, and the threads that slept are not."""
    one = program("stacks", "spin", env={"OMP_WAIT_POLICY": "passive"})
    running = {line["tid"] for line in one.lines.values() if line["by"] == "run"}
    target = client.target.attach(pid=one.pid, mode="observe")["target"]

    def racy(threads):
        return {thread["tid"] for thread in threads if thread.get("racy")}
    for ask in (client.thread.list, client.snapshot.get):
        wait_until(lambda ask=ask: racy(ask(target=target)["threads"]) == running, "the others sleep")
        assert ask(target=target)["consistency"] == "racy"


def test_a_view_without_races_names_no_racy_thread(mode, program, client):
    one = program("nested", 3, 2, env={"OMP_WAIT_POLICY": "passive"})
    wait_asleep(one)
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    wait_asleep(one)
    result = client.thread.list(target=target)
    assert result["consistency"] == "proven" and not any("racy" in thread for thread in result["threads"])


def test_the_parent_of_a_vfork_is_racy(program, client):
    """It sleeps, but its child runs in its memory."""
    one = program("vforker", env={"OMP_WAIT_POLICY": "passive"})
    (parent,) = (tid for tid, line in one.lines.items() if line["by"] == "vfork")
    wait_asleep(one)
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    result = client.thread.list(target=target)
    assert result["consistency"] == "racy" and len(result["threads"]) == 3
    assert [thread["tid"] for thread in result["threads"] if "racy" in thread] == [parent]
