# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code that leaves no frame: functions that end with a jump into the next one, and those that are inlined (programs/jumps.c)."""
import pytest
from control import Stops, attach
from cores import SMALL_STACKS, gcore
from snapshots import check_structure, has_rc
from targets import OMPRT, read_text, wait_until

FUTEX = 202
LEVELS = ("O0", "O2")
# Whose threads say which function the runtime called.
ENTERED = ("region", "nested", "if0", "final", "taskloop", "barrier", "inlined")


def park_again(one):
    """Until the primary thread waits at the end of its region."""
    wait_until(lambda: read_text(f"/proc/{one.pid}/syscall").split()[0] == str(FUTEX), "it waits")


def look(client, target):
    return check_structure(client.snapshot.get(target=target, stacks="all"))


def functions(one, snapshot):
    """Of the current task of each thread: what it says, what is said of it."""
    for tid, line in one.lines.items():
        yield line["entered"], snapshot.tasks[snapshot.threads[tid]["task"]]["function"]


def check_functions(one, snapshot, mode="stop"):
    for entered, function in functions(one, snapshot):
        # Of a thread that is not stopped, few registers are known: then nobody knows.
        if mode == "observe" and has_rc(function):
            continue
        assert not has_rc(function), entered
        assert function["symbol"] == entered and function.get("source") == (None if OMPRT else "inferred")
    named = {parallel["function"]["symbol"] for parallel in snapshot.parallels.values() if not has_rc(parallel["function"])}
    assert all("._omp_fn." in name for name in named), named


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("what", ENTERED)
def test_function_is_what_the_runtime_called(what, level, mode, program, client):
    """Whatever that jumped to: the outermost function on the stack is no proof."""
    one = program(f"jumps_{level}", what)
    check_functions(one, look(client, client.target.attach(pid=one.pid, mode=mode)["target"]), mode)


@pytest.mark.skipif(OMPRT, reason="its runtime is its own")
@pytest.mark.parametrize("what", ENTERED)
def test_function_in_a_static_program(what, mode, program, programs, client):
    if not (programs / "jumps_static").exists():
        pytest.skip("no static libgomp")
    one = program("jumps_static", what)
    check_functions(one, look(client, client.target.attach(pid=one.pid, mode=mode)["target"]), mode)


@pytest.mark.parametrize("what", ["nested", "if0"])
def test_function_in_a_core(what, program, client, tmp_path):
    one = program("jumps_O2", what, env=SMALL_STACKS)
    check_functions(one, look(client, client.target.open_core(core=str(gcore(one, tmp_path)))["target"]))


def test_function_without_a_name(program, client):
    """What was called has an address, if nobody knows its name."""
    one = program("jumps_stripped", "region")
    snapshot = look(client, client.target.attach(pid=one.pid)["target"])
    found = [function for _, function in functions(one, snapshot)]
    assert len({function["address"] for function in found}) == 1 and all(has_rc(function["symbol"]) for function in found)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("what,depth", [("end", 1), ("nested_end", 2)])
def test_out_of_a_region_at_its_end(what, depth, level, program, client):
    """The primary thread waits for its team; the entry point has jumped on, and is on its stack no more."""
    one = program(f"jumps_{level}", what)
    target, _ = attach(client, one)
    stops = Stops(client, target)

    def level_of(tid):
        snapshot = check_structure(client.snapshot.get(target=target))
        return snapshot.parallel_of(tid)["level"], snapshot
    for number in range(3):
        client.target.stop(target=target)
        assert stops.next()["type"] == "stopped"
        level, snapshot = level_of(one.pid)
        assert level == depth
        members = snapshot.parallel_of(one.pid)["threads"]
        # Whoever of the team it is that is to come out, the primary thread does.
        asked = members[number % len(members)]
        assert client.target.step(target=target, kind="out_of_parallel", thread=asked)["thread"] == one.pid
        one.signal()
        stop = stops.next()
        assert stop["reason"] == "step" and stop["tid"] == one.pid
        assert level_of(one.pid)[0] == depth - 1
        client.target.resume(target=target)
        assert one.read_line()["rounds"] == number + 1
        park_again(one)
