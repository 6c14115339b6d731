# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM's own OMPD plugin for gdb, and its tests, on programs that gcc compiled, with our runtime and our libompd.

A test of LLVM's counts only if its output has at least one "Testing", one "Success" and no "Failed": many of them test nothing."""
import os
import pathlib
import re
import subprocess

import pytest
from conftest import LLVM

BUILD = pathlib.Path(os.environ["OMPDD_BUILD_DIR"])
TESTS = LLVM / "ompd-tests"
ENVIRONMENT = {**os.environ, "OMP_DEBUG": "enabled", "LD_LIBRARY_PATH": str(BUILD / "lib" / "ompdd")}
GDB = ["gdb", "-nx", "-iex", "set debuginfod enabled off", "-iex", "set pagination off", "-iex", "set confirm off",
       "-x", LLVM / "gdb-plugin" / "ompd" / "__init__.py"]

OFF = "the plugin says that its test is switched off"
# They do not count with LLVM's own runtime and library, either.
COUNT_FOR_NOBODY = {
    "test_ompd_device_initialize.c.cmd": OFF, "test_ompd_enumerate_states.c.cmd": OFF, "test_ompd_get_tool_data.c.cmd": OFF,
    "test_ompd_rel_address_space_handle.c.cmd": OFF, "test_ompd_rel_display_control_vars.c.cmd": OFF,
    "test_ompd_rel_parallel_handle.c.cmd": OFF, "test_ompd_rel_task_handle.c.cmd": OFF, "test_ompd_rel_thread_handle.c.cmd": OFF,
    "test_ompd_finalize.c.cmd": "it says \"Success if ompd is initialized\" of every library that returns a code",
    "test_ompd_finalize.c.cmd2": "it only looks whether the plugin asks for \"ompd init\" first",
}
FAIL = {
    "test_ompd_get_icv_from_scope.c.cmd": "it wants a nthreads-var of one element to be incomplete, of a thread: LLVM's defect; the rest succeeds",
}


def runs():
    """Return (source, commands) of each run of gdb in LLVM's tests of the interface."""
    for source in sorted((TESTS / "api_tests").glob("*.c")):
        for commands in re.findall(r"-x %s(\.cmd2?) ", source.read_text(encoding="utf-8")):
            yield source, source.with_name(source.name + commands)


RUNS = list(runs())


def compiled(source, folder):
    binary = folder / source.stem
    subprocess.run(["gcc", "-fopenmp", "-g", "-gdwarf-4", "-I", TESTS, source, "-o", binary], check=True, timeout=300)
    return binary


def gdb(binary, commands, **environment):
    return subprocess.run([*GDB, "-x", commands, binary], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          encoding="utf-8", errors="replace", env={**ENVIRONMENT, **environment}, timeout=300, check=False).stdout


def test_there_are_38_runs():
    assert len(RUNS) == 38
    assert set(COUNT_FOR_NOBODY) | set(FAIL) <= {commands.name for _, commands in RUNS}


@pytest.mark.parametrize("source, commands", RUNS, ids=[commands.name for _, commands in RUNS])
def test_of_llvm(source, commands, tmp_path):
    said = gdb(compiled(source, tmp_path), commands)
    assert "Loaded OMPD lib successfully!" in said or commands.suffix == ".cmd2", said
    counts = 'Testing "' in said and re.search(r"^Success|Success\.", said, re.M)
    assert not re.search("Python Exception|Traceback|Error occurred", said), said
    if commands.name in COUNT_FOR_NOBODY:
        assert not counts, "it counts now: take it from the list"
    elif commands.name in FAIL:
        assert "Failed" in said, "it succeeds now: take it from the list"
    else:
        assert counts and "Failed" not in said, said


def script(folder, *commands):
    path = folder / "commands"
    path.write_text("\n".join(commands) + "\n", encoding="utf-8")
    return path


def test_control_variables(tmp_path):
    """`ompd icvs` to the end, with the values of a nested region."""
    binary = compiled(TESTS / "openmp_examples" / "ompd_icvs.c", tmp_path)
    said = gdb(binary, script(tmp_path, "ompd init", "break ompd_icvs.c:17", "continue", "ompd icvs"), OMP_SCHEDULE="dynamic,2")
    values = dict(re.findall(r"^(\S+-var) +(?:address_space|thread|parallel|task) +(.*)$", said, re.M))
    assert not re.search("Traceback|Python Exception", said), said
    wanted = {"run-sched-var": "dynamic,2", "levels-var": "2", "active-levels-var": "2", "team-size-var": "5", "implicit-task-var": "1",
              "max-active-levels-var": "3", "explicit-task-var": "0", "team-num-var": "0"}
    assert {name: values.get(name) for name in wanted} == wanted, said


def test_threads(tmp_path):
    """`ompd threads` lists all threads of a team, including the initial one, and their states."""
    binary = compiled(TESTS / "api_tests" / "test_ompd_get_thread_id.c", tmp_path)
    said = gdb(binary, script(tmp_path, "ompd init", "break ompd_bp_parallel_end", "continue", "ompd threads"))
    states = dict(re.findall(r"^Thread (\d+) \(\d+\) is an OpenMP thread; state: (\w+)$", said, re.M))
    threads = set(re.findall(r"^Thread (\d+) \(\d+\) is ", said, re.M))
    assert "1" in states and len(states) > 1 and set(states) == threads, said
    assert states["1"] == "ompt_state_overhead", said


def test_backtrace(tmp_path):
    """`ompd bt on` shows the user's frames, and names the construct of each task."""
    binary = compiled(TESTS / "openmp_examples" / "ompd_bt.c", tmp_path)
    said = gdb(binary, script(tmp_path, "ompd init", "break subdomain", "continue", "ompd bt on", "backtrace", "ompd bt off", "echo OFF\\n",
                              "backtrace"))
    on, off = said.split("OFF")
    assert not re.search("Python Exception|Traceback", said), said
    frames = re.findall(r"^#\d+ .*$", on.split("Enabled filter")[1], re.M)
    assert any("subdomain" in frame for frame in frames) and any('sub._omp_fn.0 "#pragma omp parallel"' in frame for frame in frames), said
    assert not any(re.search("GOMP_parallel|pool_thread", frame) for frame in frames), said
    assert re.search("GOMP_parallel|pool_thread", off), said


def test_regions(tmp_path):
    """`ompd parallel`: every member of each enclosing region, whether or not it has run."""
    binary = compiled(TESTS / "openmp_examples" / "ompd_parallel.c", tmp_path)
    said = gdb(binary, script(tmp_path, "ompd init", "break ompd_parallel.c:17", "continue", "ompd parallel"))
    regions = re.findall(r"Nesting Level (\d): Team Size: (\d)", said)
    assert regions == [("2", "5"), ("1", "7")], said
    assert len(re.findall(r"^ +\d+ (?:\(master\)|        ) ompt_state_\w+ +\d+ +0x[0-9a-f]+ main\._omp_fn\.\d", said, re.M)) == 12, said
