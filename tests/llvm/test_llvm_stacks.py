# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stacks of clang's programs: the surrounding code calls regions and tasks with if(0) without a frame of the runtime.
"""
import re

import pytest
from cores import gcore


def logical(client, target, tid):
    result = client.stack.get(target=target, thread=tid, logical=True)
    assert result["complete"] is True, result["complete"]
    return result["frames"]


def short(function):
    """Return the kind of a function: outlined functions have numbers."""
    if not isinstance(function, str):
        return None
    for part in ("omp_task_entry", "omp_outlined"):
        if part in function:
            return part
    return function


def shape(frames):
    """Return the user's functions, with "/level" or "/task" where a region or a task ends.

    Functions of libc and double outlined functions occur once.
    """
    out = []
    for frame in frames:
        if frame["kind"] == "user":
            name = short(frame["function"])
            if name not in ("pause", "park", "oracle_park", "say_and_park") and (not out or out[-1] != name):
                out.append(name)
        elif frame["kind"] == "parallel":
            out.append(f"/{frame['level']}")
        elif frame["kind"] == "task":
            out.append("/task")
    return out


NEST = ["omp_outlined", "/3", "omp_outlined", "/2", "omp_outlined", "/1", "main"]
TASK = ["omp_outlined", "omp_task_entry", "/task"]
SHAPES = [
    (["serialized", "if0"], [NEST]),
    (["serialized", "one"], [NEST]),
    (["serialized", "limit"], [NEST]),
    (["serialized", "between"], [NEST]),
    (["nested", 2, 2], [["open_level", "omp_outlined", "/2", "open_level", "omp_outlined", "/1", "open_level", "main"]]),
    # Inlined into main(), and still shown.
    (["tasks", "undeferred"], [[*TASK, "omp_outlined", "/1", "undeferred", "main"]]),
    (["tasks", "nested"], [["omp_outlined", "/1", "main"], ["nest", *(5 * [*TASK, "nest"]), "omp_outlined", "/1", "main"]]),
    (["stacks", "regions"], [["leaf", "omp_outlined", "/2", "inner_region", "middle", "omp_outlined", "/1", "regions", "main"]]),
    # One task generates another, which a different thread executes.
    (["stacks", "tasks"], [["leaf", "first_task", *TASK, "omp_outlined", "/1", "main"],
                           ["leaf", *TASK, "leaf", "first_task", *TASK, "omp_outlined", "/1", "main"]]),
]


def name_of(case):
    return "-".join(str(part) for part in case[0])


@pytest.mark.parametrize("case", SHAPES, ids=name_of)
def test_logical(llvm, client, case):
    """Every enclosing region and task ends where its own code ends, down to main()."""
    args, shapes = case
    one = llvm(*args)
    target = client.target.attach(pid=one.pid, mode="stop")["target"]
    seen = [shape(logical(client, target, tid)) for tid in one.oracle()]
    assert all(it in shapes for it in seen), seen
    assert all(it in seen for it in shapes), seen


@pytest.mark.parametrize("case", SHAPES[:1] + SHAPES[-2:], ids=name_of)
def test_core(llvm, client, tmp_path, case):
    args, shapes = case
    one = llvm(*args, env={"OMP_STACKSIZE": "256K"})
    target = client.target.open_core(core=str(gcore(one, tmp_path)))["target"]
    assert all(shape(logical(client, target, tid)) in shapes for tid in one.oracle())


@pytest.mark.parametrize("case", [["serialized", "if0"], ["tasks", "nested"], ["tasks", "undeferred"]], ids=lambda case: "-".join(case))
def test_without_state_tracking(llvm, client, case):
    """Regions of one thread have no records then: their code belongs to the enclosing region, and nothing else changes.
    """
    one = llvm(*case, debug=False)
    target = client.target.attach(pid=one.pid, mode="stop")["target"]
    for tid in one.oracle():
        seen = shape(logical(client, target, tid))
        assert seen[seen.index("/1") + 1:] in (["main"], ["undeferred", "main"]) and seen.count("/task") == seen.count("omp_task_entry"), seen


def test_frames_of_tasks(llvm, client):
    """The library marks frames: the runtime's callee is the user's, and its caller is the runtime's."""
    one = llvm("stacks", "regions")
    target = client.target.attach(pid=one.pid, mode="stop")["target"]
    for tid in one.oracle():
        kinds = [(frame["kind"], short(frame["function"])) for frame in client.stack.get(target=target, thread=tid)["frames"]]
        assert ("user", "omp_outlined") in kinds and ("runtime", "__kmp_invoke_microtask") in kinds
        assert all(kind == "runtime" for kind, name in kinds if name and name.startswith("__kmp"))
        assert all(kind == "user" for kind, name in kinds if name in ("leaf", "middle", "inner_region", "omp_outlined", "regions", "main"))


def test_groups(llvm, client):
    """Every thread is in one group; threads with one stack are together."""
    one = llvm("flat", 30)
    target = client.target.attach(pid=one.pid, mode="stop")["target"]
    for is_logical in (False, True):
        groups = client.stack.groups(target=target, logical=is_logical)["groups"]
        members = [sorted(thread["tid"] for thread in group["threads"]) for group in groups]
        assert sorted(tid for group in members for tid in group) == sorted(one.oracle())
        assert sorted(len(group) for group in members) == ([30] if is_logical else [1, 29])
        assert all(group["complete"] is True for group in groups)


def test_ompdctl(llvm, ompdctl, daemon):
    one = llvm("serialized", "if0")
    text = ompdctl("-s", daemon.uris[0], "-p", one.pid, "bt", "--all", "--logical").stdout
    levels = [int(number) for number in re.findall(r"level (\d)", text)]
    assert levels == 2 * [3, 2, 1], text
    assert "main" in text.splitlines()[-1], text
