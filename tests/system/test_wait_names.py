# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The object that a thread waits for has the program's own name: variables of C, C++ and Fortran, critical sections,
barriers.
"""
import pytest
from cores import SMALL_STACKS, gcore
from snapshots import check_structure

LOCKS = {  # Program and place of its lock: variable, offset, and the usual name if it differs; None: no name.
    ("locks_cpp", "global"): ("global_lock", 0),
    ("locks_cpp", "local"): ("choose(char const*)::local_lock", 0),
    ("locks_cpp", "namespace"): ("ns::lock", 0),
    ("locks_cpp", "pool"): ("pool", 24, "pool+0x18"),
    ("locks_cpp", "heap"): None,
    ("locks_f90",): ("shelf::second_lock", 0),
    ("waits", "lock"): ("lock", 0),
    ("waits", "nestlock"): ("nest_lock", 0),
    ("waits", "named"): (".gomp_critical_user_residual", 0, "residual"),
    ("waits_stripped", "lock"): None,
}


def look(client, **attach):
    target = (client.target.open_core if "core" in attach else client.target.attach)(**attach)["target"]
    return check_structure(client.snapshot.get(target=target))


def waits(snapshot, program):
    """Return the wait ids of the threads that sleep in the runtime."""
    found = [snapshot.threads[tid]["wait_id"] for tid, line in program.lines.items() if line["by"] == "futex"]
    assert found
    return found


def check(snapshot, program, expected):
    for wait in waits(snapshot, program):
        assert "value" in wait, wait
        symbol, offset, *name = expected or (None, None)
        assert (wait.get("symbol"), wait.get("offset"), wait.get("name")) == (symbol, offset, name[0] if name else symbol), wait
        assert "parallel" not in wait


@pytest.mark.parametrize("case", LOCKS, ids=" ".join)
def test_locks(case, mode, program, client):
    one = program(*case)
    check(look(client, pid=one.pid, mode=mode), one, LOCKS[case])


@pytest.mark.parametrize("case", [("locks_cpp", "pool"), ("locks_f90",), ("waits", "named")], ids=" ".join)
def test_locks_in_a_core(case, program, client, tmp_path):
    one = program(*case, env=SMALL_STACKS)
    check(look(client, core=str(gcore(one, tmp_path))), one, LOCKS[case])


def test_a_barrier_is_that_of_a_region(mode, program, client):
    one = program("waits", "barrier")
    snapshot = look(client, pid=one.pid, mode=mode)
    for tid, line in one.lines.items():
        if line["by"] == "futex":
            thread = snapshot.threads[tid]
            assert thread["wait_id"]["parallel"] == thread["parallel"]
            assert "symbol" not in thread["wait_id"]


@pytest.mark.parametrize("case,shown", [
    (("locks_cpp", "pool"), "pool+0x18"), (("locks_f90",), "shelf::second_lock"),
    (("waits", "named"), "residual"), (("waits", "barrier"), "barrier of main._omp_fn.0"),
], ids=lambda value: " ".join(value) if isinstance(value, tuple) else None)
def test_on_the_command_line(case, shown, program, ompdctl):
    one = program(*case)
    threads = ompdctl("-p", one.pid, "threads").stdout
    assert f"  {shown}" in threads, threads
    assert "0x" not in threads.replace(shown, ""), threads
    verbose = ompdctl("-p", one.pid, "threads", "-v").stdout
    assert shown in verbose and "0x" in verbose.replace(shown, ""), verbose
    tree = ompdctl("-p", one.pid, "tree").stdout
    if "barrier" not in shown:
        assert f"waits for {shown}\n" in tree, tree
