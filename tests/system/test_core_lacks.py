# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cores without some memory: the answer names the missing part, and concludes nothing from it."""
import os
import pathlib

import ompdd
import pytest
from conftest import fails
from cores import NT_PRSTATUS, SMALL_STACKS, Core, gcore, kernel_core
from snapshots import check_structure
from targets import PROGRAMS
from task_graph import RUNTIMES

COMMANDS = ("why", "tree", "threads", "snapshot")
# Bit 0 of coredump_filter: anonymous memory, so stacks, heaps and modified data. Files have the rest.
KERNEL_FILTERS = [*range(8), *range(0x10, 0x18), 0x33, 0x7f]
GCORE_FILTERS = [0, 4, 0x14, 0x33]


def start(program, kind):
    folder, env = RUNTIMES[kind]
    if not (PROGRAMS / folder / "flat").exists():
        pytest.skip("no clang")
    return program("flat", 4, path=PROGRAMS / folder / "flat", env={**SMALL_STACKS, **(env or {})})


def dump(one, folder, filter, how):
    pathlib.Path(f"/proc/{one.pid}/coredump_filter").write_text(hex(filter))
    if how == "kernel":
        return kernel_core(one, folder)
    return gcore(one, folder)


def facts(result):
    """Return each thread's number, team and state, to compare with another core of the same process."""
    snapshot = check_structure(result)
    return {tid: (thread["thread_num"], thread["state"], [(region["level"], region["team_size"]) for region in snapshot.regions(tid)])
            for tid, thread in snapshot.threads.items()}


@pytest.mark.parametrize("filter, how", [*((filter, "kernel") for filter in KERNEL_FILTERS), *((filter, "gdb") for filter in GCORE_FILTERS)])
@pytest.mark.parametrize("kind", RUNTIMES)
def test_dump_filters(kind, filter, how, program, client, ompdctl, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one = start(program, kind)
    before = facts(client.snapshot.get(target=client.target.attach(pid=one.pid)["target"])) if how == "gdb" else None
    core = dump(one, tmp_path, filter, how)
    info = client.target.open_core(core=str(core))
    names = [warning["name"] for warning in info.get("warnings", [])]
    if filter & 1:
        assert "core_memory_left_out" not in names
        found = facts(client.snapshot.get(target=info["target"]))
        assert len(found) == 4 and all(regions[-1] == (1, 4) for _, _, regions in found.values()), found
        assert before is None or found == before
        return
    assert names.count("core_memory_left_out") == 1, info
    for method in ("snapshot.get", "thread.list", "task.list", "diagnose.get"):
        with fails("core_memory_left_out") as failure:
            client.call(method, {"target": info["target"]})
        assert "the stacks of 4 of 4 threads" in str(failure.error) and "coredump_filter" in failure.error.data["hint"]
        assert "the stacks of 4 of 4 threads" in failure.error.data["missing"]
    for command in COMMANDS:
        done = ompdctl("--core", core, command, status=1)
        assert "[core_memory_left_out]" in done.stderr and "echo 0x33 > /proc/" in done.stderr, done.stderr
    # Registers are in the notes and code is in files: the answer has the innermost frames.
    done = ompdctl("--core", core, "bt")
    assert "#0" in done.stdout and "core_memory_left_out" in done.stdout and "no OpenMP" not in done.stdout, done.stdout


@pytest.mark.parametrize("kind", RUNTIMES)
def test_any_part_that_is_left_out(kind, program, client, tmp_path, monkeypatch):
    """Leave out each writable mapping in turn: the answer equals that of the whole core, or is an error."""
    monkeypatch.chdir(tmp_path)
    one = start(program, kind)
    path = kernel_core(one, tmp_path)
    core = Core(path)
    whole = facts(client.snapshot.get(target=client.target.open_core(core=str(path))["target"]))
    n_refused = 0
    for segment in core.segments:
        saved, segment[3] = segment[3], b""
        if segment[0] & 1 or not saved:
            segment[3] = saved
            continue
        target = client.target.open_core(core=str(core.write(tmp_path / "less")))["target"]
        segment[3] = saved
        try:
            assert facts(client.snapshot.get(target=target)) == whole, hex(segment[1])
        except ompdd.Error as error:
            assert error.name == "core_memory_left_out", error
            n_refused += 1
        client.target.detach(target=target)
    assert n_refused >= 6, "five stacks or TLS blocks, and the runtime's data"


def test_data_that_was_left_out_is_not_taken_from_the_file(program, client, tmp_path):
    """A library's file has its initial data, whatever length the segment claims."""
    one = start(program, "libgomp")
    core = Core(gcore(one, tmp_path))
    libgomp = [(first, last) for first, last, path in core.files() if "libgomp" in path]
    for segment in core.segments:
        if any(first <= segment[1] < last for first, last in libgomp):
            segment[3] = b""
    target = client.target.open_core(core=str(core.write(tmp_path / "less")))["target"]
    with fails("core_memory_left_out") as failure:
        client.snapshot.get(target=target)
    assert "libgomp" in failure.error.data["missing"]


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="changes a register of x86-64")
def test_stack_overflow_is_not_missing_memory(program, client, tmp_path):
    """A stack pointer below its stack, in the guard page: the core is whole."""
    one = start(program, "libgomp")
    core = Core(gcore(one, tmp_path))
    overflowed = next(desc for _, kind, desc in core.notes if kind == NT_PRSTATUS)
    stack_pointer = 112 + 19 * 8  # rsp in NT_PRSTATUS
    at = int.from_bytes(overflowed[stack_pointer:stack_pointer + 8], "little")
    stack = next(segment for segment in core.segments if segment[1] <= at < segment[1] + segment[2])
    core.notes = [[name, kind, desc if desc is not overflowed else
                   desc[:stack_pointer] + (stack[1] - 64).to_bytes(8, "little") + desc[stack_pointer + 8:]] for name, kind, desc in core.notes]
    info = client.target.open_core(core=str(core.write(tmp_path / "overflow")))
    assert not info.get("warnings"), info
    assert len(facts(client.snapshot.get(target=info["target"]))) == 4
