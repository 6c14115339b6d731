# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Waits of threads: states and wait ids, and which of them are marked as inferred."""
import pathlib

import pytest
from snapshots import check_structure, has_rc
from targets import IN_LIBC, LIBGOMP, OMPRT, TWIN, wait_until

WAITS = ("critical", "named", "lock", "nestlock", "atomic", "ordered", "barrier", "single", "sections", "loop", "end",
         "copyprivate")
VALUES = {
    "ompt_state_work_serial": 0x000, "ompt_state_work_parallel": 0x001, "ompt_state_wait_barrier": 0x010,
    "ompt_state_wait_barrier_implicit_parallel": 0x011, "ompt_state_wait_barrier_implicit_workshare": 0x012,
    "ompt_state_wait_barrier_implicit": 0x013, "ompt_state_wait_barrier_explicit": 0x014, "ompt_state_wait_taskwait": 0x020,
    "ompt_state_wait_taskgroup": 0x021, "ompt_state_wait_mutex": 0x040, "ompt_state_wait_lock": 0x041,
    "ompt_state_wait_critical": 0x042, "ompt_state_wait_atomic": 0x043, "ompt_state_wait_ordered": 0x044,
    "ompt_state_wait_target": 0x080, "ompt_state_idle": 0x100, "ompt_state_overhead": 0x101,
}
# States that libgomp's memory proves, so the plugin reports them. Our own runtime stores every state.
PROVEN = set(VALUES) if OMPRT else {"ompt_state_idle", "ompt_state_wait_taskwait", "ompt_state_wait_taskgroup"}
# One of its regions, which these tests do not enter, contains target teams, as gcc 12 compiles them.
states_run = pytest.mark.skipif(bool(LIBGOMP) and b"GOMP_5.1\0" not in pathlib.Path(LIBGOMP, "libgomp.so.1").read_bytes(),
                                reason="the program wants GOMP_5.1, which this libgomp is too old for")


def look(client, program, mode):
    target = client.target.attach(pid=program.pid, mode=mode)["target"]
    return check_structure(client.snapshot.get(target=target))


def check_state(thread, states):
    state = thread["state"]
    if TWIN == "device" and "ompt_state_work_serial" in states:
        states = [*states, "ompt_state_wait_target"]  # the thread is the device
    assert not has_rc(state), thread
    assert state["name"] in states, f"{state} is none of {states}"
    assert state["value"] == VALUES[state["name"]]
    assert state["source"] == ("plugin" if state["name"] in PROVEN else "inferred"), state
    return state


@pytest.mark.parametrize("what", WAITS)
def test_wait_is_known(what, mode, program, client):
    one = program("waits", what)
    snapshot = look(client, one, mode)
    waiting = [line for line in one.lines.values() if line["by"] == "futex"]
    assert len(waiting) == 2
    holder = next(line for line in one.lines.values() if line["by"] == "pause")
    check_state(snapshot.threads[holder["tid"]], holder["states"])
    assert has_rc(snapshot.threads[holder["tid"]]["wait_id"])
    if IN_LIBC and mode == "observe":
        assert all(has_rc(snapshot.threads[line["tid"]]["state"]) for line in waiting)
        return
    for line in waiting:
        thread = snapshot.threads[line["tid"]]
        check_state(thread, line["states"])
        wait = thread["wait_id"]
        assert not has_rc(wait), thread
        assert wait["source"] in (("plugin",) if OMPRT else ("plugin", "inferred"))
        assert int(wait["value"], 16) != 0
        if "wait_address" in line:
            assert int(wait["value"], 16) == int(line["wait_address"], 16), "not what the program says it waits for"
    if what not in ("ordered",):
        assert len({snapshot.threads[line["tid"]]["wait_id"]["value"] for line in waiting}) == 1, "they wait for the same"


@pytest.mark.parametrize("what", ["taskwait", "taskgroup", "depend"])
def test_waiting_for_tasks_is_proven_by_memory(what, mode, program, client):
    one = program("tasks", what)
    snapshot = look(client, one, mode)
    line = next(line for line in one.lines.values() if "states" in line)
    state = check_state(snapshot.threads[line["tid"]], line["states"])
    assert state["source"] == "plugin"


@states_run
@pytest.mark.parametrize("what", ["ordered_over", "serial_lock"])
def test_what_is_said_is_so_now(what, mode, program, client):
    """libgomp's memory shows that a thread has slept in `ordered`, and on level 0 only that it is there."""
    one = program("states", what)
    snapshot = look(client, one, mode)
    for tid, line in one.lines.items():
        if IN_LIBC and mode == "observe" and line["by"] == "futex":
            assert has_rc(snapshot.threads[tid]["state"])
            continue
        check_state(snapshot.threads[tid], line["states"])
        assert has_rc(snapshot.threads[tid]["wait_id"]) == (line["by"] == "pause")


@states_run
@pytest.mark.skipif(OMPRT, reason="there a thread sleeps; tests/runtime/look has it")
def test_doacross(program, client):
    """The thread spins until its iteration is due: only a stop shows where."""
    one = program("states", "doacross", wait=False)
    lines = [one.read_line() for _ in range(3)][1:]
    (spins,) = [line["tid"] for line in lines if line["by"] == "futex"]
    target = client.target.attach(pid=one.pid)["target"]

    def seen():
        state = check_structure(client.snapshot.get(target=target)).threads[spins]["state"]
        return state == {"name": "ompt_state_wait_ordered", "value": 0x44, "source": "inferred"}
    wait_until(seen, "a thread that spins in the runtime")


def test_docked_threads_are_idle_and_in_no_team(mode, program, client):
    """gcc 12 leaves the team pointer of the last region in a docked thread: ompdd must not use it."""
    one = program("idle", 4)
    snapshot = look(client, one, mode)
    docked = [line["tid"] for line in one.lines.values() if line.get("idle")]
    assert len(docked) == 3
    for tid in docked:
        thread = snapshot.threads[tid]
        assert thread["openmp"] is True
        check_state(thread, ["ompt_state_idle"])
        assert has_rc(thread["parallel"]) and has_rc(thread["task"]) and has_rc(thread["thread_num"]), thread
    assert {parallel["level"] for parallel in snapshot.parallels.values()} == {0}
    main = snapshot.threads[one.pid]
    check_state(main, ["ompt_state_work_serial"])


def test_threads_at_work_work(mode, program, client):
    one = program("flat", 3)
    snapshot = look(client, one, mode)
    for tid in one.lines:
        check_state(snapshot.threads[tid], ["ompt_state_work_parallel"])
        assert has_rc(snapshot.threads[tid]["wait_id"])


def test_serial_part_is_serial(mode, program, client):
    one = program("tasks", "serial")
    thread = look(client, one, mode).threads[one.pid]
    # Without registers, the plugin is not on the stack.
    if not (TWIN == "device" and mode == "observe" and has_rc(thread["state"])):
        check_state(thread, ["ompt_state_work_serial"])


def test_running_threads_are_at_work_only_when_that_was_seen(program, client):
    one = program("waits", "spin")
    snapshot = look(client, one, "stop")
    for tid in one.lines:
        check_state(snapshot.threads[tid], ["ompt_state_work_parallel"])
    # Without a stop, a running thread shows nothing: the right answer is "not known".
    for tid, thread in look(client, one, "observe").threads.items():
        state = thread["state"]
        if OMPRT:
            check_state(thread, ["ompt_state_work_parallel"])
        else:
            assert has_rc(state) or state == {"name": "ompt_state_work_parallel", "value": 1, "source": "inferred"}, (tid, state)


def test_spinning_at_a_barrier_is_no_work(program, client):
    """With OMP_WAIT_POLICY=active no thread sleeps: only a stop shows that the program counter is in the runtime."""
    one = program("waits", "barrier", env={"OMP_WAIT_POLICY": "active"}, wait=False)
    lines = [one.read_line() for _ in range(4)][1:]
    waiting = [line["tid"] for line in lines if line["by"] == "futex"]
    assert len(waiting) == 2
    target = client.target.attach(pid=one.pid, mode="stop")["target"]

    def seen():
        snapshot = check_structure(client.snapshot.get(target=target))
        names = [snapshot.threads[tid]["state"].get("name") for tid in waiting]
        # On its way to the barrier a thread may be anywhere; once it spins it stays.
        return all(name and (name.startswith("ompt_state_wait_") or name == "ompt_state_overhead") for name in names)
    wait_until(seen, "threads that spin inside the runtime")


def test_state_of_threads_outside_openmp_is_not_invented(mode, program, client):
    one = program("pthreads")
    snapshot = look(client, one, mode)
    outside = [tid for tid, line in one.lines.items() if line.get("openmp") is False]
    assert len(outside) == 2
    for tid in outside:
        assert set(snapshot.threads[tid]) - {"kernel"} == {"tid", "pthread", "comm", "openmp"}
