# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every state and wait object of a thread of our runtime, as the runtime stores it, without inference."""
import pathlib
import re

import pytest
from cores import SMALL_STACKS, gcore
from snapshots import check_structure, has_rc
from targets import wait_until
from control import attach
from test_oracle import agree
from test_states import VALUES

# The wait of the waiting threads in programs/waits.c. gcc emits the same call for a barrier and for the end of some
# constructs; the state is no more precise then.
WAITS = {
    "critical": "wait_critical", "named": "wait_critical", "lock": "wait_lock", "nestlock": "wait_lock", "atomic": "wait_atomic",
    "ordered": "wait_ordered", "barrier": "wait_barrier", "single": "wait_barrier",
    "sections": "wait_barrier_implicit_workshare", "loop": "wait_barrier_implicit_workshare",
    "copyprivate": "wait_barrier_implicit_workshare", "end": "wait_barrier_implicit_parallel",
}
MORE = ("detach", "taskloop", "depend_if0", "doacross", "cancellable", "static_loop", "nested_end", "old_nestlock",
        "reduction", "target_end", "target", "teams", "target_teams", "target_inside")
POLICIES = [{}, {"OMP_WAIT_POLICY": "active"}, {"OMP_WAIT_POLICY": "passive"}]


def look(client, program, mode):
    target = client.target.attach(pid=program.pid, mode=mode)["target"]
    result = client.snapshot.get(target=target)
    client.target.detach(target=target)
    return check_structure(result)


def check_thread(thread, state):
    assert thread["state"] == {"name": f"ompt_state_{state}", "value": VALUES[f"ompt_state_{state}"], "source": "plugin"}
    if state.startswith("wait"):
        assert thread["wait_id"]["source"] == "plugin" and int(thread["wait_id"]["value"], 16) != 0, thread
    else:
        assert has_rc(thread["wait_id"]), thread


def check_lines(snapshot, program):
    for tid, line in program.lines.items():
        if "states" in line:
            check_thread(snapshot.threads[tid], line["states"][0].removeprefix("ompt_state_"))


def runtime_data(pid):
    """Address ranges of the runtime's own variables."""
    ranges, inside = [], False
    for line in open(f"/proc/{pid}/maps"):
        fields = line.split()
        inside = "libgomp.so.1" in line or (inside and len(fields) == 5)  # .bss has no name
        if inside and "rw" in fields[1]:
            ranges.append([int(part, 16) for part in fields[0].split("-")])
    return ranges


@pytest.mark.parametrize("name", ["waits", "waits_stripped"])
@pytest.mark.parametrize("what", WAITS)
def test_waits(what, name, mode, program, client):
    one = program(name, what)
    snapshot = look(client, one, mode)
    agree(snapshot, one)
    ids = set()
    for tid, line in one.lines.items():
        thread = snapshot.threads[tid]
        check_thread(thread, WAITS[what] if line["by"] == "futex" else "work_parallel")
        if line["by"] == "futex":
            ids.add(int(thread["wait_id"]["value"], 16))
        if "wait_address" in line:
            assert int(thread["wait_id"]["value"], 16) == int(line["wait_address"], 16)
    assert len(ids) == 1, "all wait for the same"
    if what in ("critical", "atomic"):
        assert any(low <= ids.copy().pop() < high for low, high in runtime_data(one.pid)), "it has no name, the runtime has the lock"


@pytest.mark.parametrize("what", WAITS)
def test_waits_of_threads_that_never_sleep(what, program, client):
    """A spinning thread is in its wait, too."""
    one = program("waits", what, env={"OMP_WAIT_POLICY": "active", "GOMP_SPINCOUNT": "infinite"}, wait=False)
    lines = [one.read_line() for _ in range(4)][1:]
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    waiting = [line["tid"] for line in lines if line["by"] == "futex"]
    assert len(waiting) == 2

    def there():
        snapshot = check_structure(client.snapshot.get(target=target))
        return all(snapshot.threads[tid]["state"]["name"] == f"ompt_state_{WAITS[what]}" for tid in waiting) and snapshot
    snapshot = wait_until(there, "all wait")
    for tid in waiting:
        check_thread(snapshot.threads[tid], WAITS[what])


@pytest.mark.parametrize("policy", POLICIES, ids=str)
@pytest.mark.parametrize("what", MORE)
def test_more_waits(what, policy, mode, program, client):
    env = {"OMP_CANCELLATION": "true", **policy}
    one = program("states", what, env=env, wait=not policy)
    if policy:
        one.lines = {line["tid"]: line for line in [one.read_line() for _ in range(one.read_line()["lines"])]}

        def there():
            try:
                check_lines(look(client, one, mode), one)
                return True
            except AssertionError:
                return False
        wait_until(there, "all are where they shall be")
        return
    snapshot = look(client, one, mode)
    agree(snapshot, one)
    check_lines(snapshot, one)


@pytest.mark.parametrize("what", ["taskwait", "taskgroup", "depend"])
def test_waits_for_tasks(what, mode, program, client):
    one = program("tasks", what)
    check_lines(look(client, one, mode), one)


def test_idle_and_serial(mode, program, client):
    one = program("idle", 4)
    snapshot = look(client, one, mode)
    for tid in snapshot.threads:
        check_thread(snapshot.threads[tid], "work_serial" if tid == one.pid else "idle")
        if tid != one.pid:
            assert has_rc(snapshot.threads[tid]["parallel"])


def test_region_ends_of_threads_that_sleep(program, client):
    """A thread that fell asleep before the end of its region does not keep that state afterwards."""
    for _ in range(10):
        one = program("idle", 5, 2)
        snapshot = look(client, one, "observe")
        parked = set(one.lines)
        for tid, thread in snapshot.threads.items():
            check_thread(thread, "work_parallel" if tid in parked else "idle")
        one.close()


@pytest.mark.parametrize("what", ["lock", "loop", "end"])
def test_core(what, program, client, tmp_path):
    one = program("waits_stripped", what, env=SMALL_STACKS)
    target = client.target.open_core(core=str(gcore(one, tmp_path)))["target"]
    snapshot = check_structure(client.snapshot.get(target=target))
    agree(snapshot, one)
    for tid, line in one.lines.items():
        check_thread(snapshot.threads[tid], WAITS[what] if line["by"] == "futex" else "work_parallel")


# States in which the tests above park a program; "overhead" is at parallel_end, where test_points.py stops one.
PARKED = set(WAITS.values()) | {"wait_taskwait", "wait_taskgroup", "wait_barrier_implicit", "idle", "work_serial", "work_parallel", "overhead"}


def test_no_state_is_left_out():
    """For each state that the runtime sets and a thread can stay in, a test parks a program."""
    runtime = pathlib.Path(__file__).parents[3] / "runtime"
    text = "".join(path.read_text() for folder in ("core", "abi") for path in (runtime / folder).rglob("*.[ch]"))
    assert {name for name in re.findall(r"\bompt_state_(\w+)", text) if name != "t"} == PARKED


def test_overhead(program, client):
    """A program cannot park here by itself: the runtime ends a region."""
    one = program("rounds", 3)
    target, hits = attach(client, one)
    client.breakpoint.set(target=target, event="parallel_end")
    hit = hits.next()
    check_thread(check_structure(client.snapshot.get(target=target), False).threads[hit["tid"]], "overhead")
