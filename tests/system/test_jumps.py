# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code that leaves no frame: functions that end with a jump into the next one, and those that are inlined (programs/jumps.c)."""
import pytest
from cores import SMALL_STACKS, gcore
from snapshots import check_structure, has_rc
from targets import OMPRT

LEVELS = ("O0", "O2")
# Whose threads say which function the runtime called.
ENTERED = ("region", "nested", "if0", "final", "taskloop", "barrier", "inlined")


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
