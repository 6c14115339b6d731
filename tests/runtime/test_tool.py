# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tools of the program's own (OMPT): tool/program.c under tool/checker.c, which aborts at an impossible event."""
import json
import os
import subprocess

import pytest

from support import OURS, SYSTEM, environment

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tool")
INCLUDE = "-I" + os.path.join(os.path.dirname(HERE), "..", "..", "runtime", "include")
CHECKER = os.path.join(HERE, "checker.c")
# The actions of program.c, with cancellation enabled.
BEFORE_STOP = {"regions": 9, "implicit": 21, "leagues": 0, "initial": 1, "initial_tasks": 1, "workers": 7, "tasks": 103,
               "undeferred": 2, "final": 2, "dependent": 0, "targets": 0, "detached": 0, "early": 0, "late": 0,
               "max_requested": 7}
ALL = {"regions": 23, "implicit": 53, "leagues": 2, "initial": 2, "initial_tasks": 9, "workers": 8, "tasks": 129,
       "undeferred": 3, "final": 2, "dependent": 3, "dependences": 5, "taskwaits": 1, "targets": 5, "detached": 1, "early": 1,
       "late": 1, "max_requested": 7, "acquired": 4012, "released": 4012, "nested": 2, "nested_ended": 2,
       "copies": 4, "works": 27, "works_ended": 27, "iterations": 208, "sections": 3, "locks": 3, "locks_destroyed": 3, "errors": 2}
# The error directives.
ERRORS = "\nlibgomp: error directive encountered: no error\n\nlibgomp: error directive encountered\n"
POLICIES = [{}, {"OMP_WAIT_POLICY": "active"}, {"OMP_WAIT_POLICY": "passive"}, {"OMP_DEBUG": "enabled"},
            {"OMP_PLACES": "threads", "OMP_PROC_BIND": "close"}]


def source(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        return f.read()


@pytest.fixture
def program(compiled):
    return compiled(source("program.c"), "program")


@pytest.fixture
def checker(compiled):
    return compiled(source("checker.c"), "libchecker.so", "-shared", "-fPIC", INCLUDE, "-I" + HERE)


@pytest.fixture
def decliner(compiled):
    return compiled(source("decliner.c"), "libdecliner.so", "-shared", "-fPIC", INCLUDE)


@pytest.fixture
def linked(compiled):
    """The same program with the tool in it."""
    return compiled(source("program.c"), "linked", CHECKER, INCLUDE, "-rdynamic")


@pytest.fixture
def run(tmp_path):
    """run(program, mode, variables…): return the program's output and the tool's events; None without a tool."""
    def run_once(path, *args, code=0, runtime=OURS, **variables):
        out = tmp_path / "seen"
        done = subprocess.run([path, *args], timeout=600, capture_output=True, text=True, check=False,
                              env=environment(runtime, OMP_CANCELLATION="true", CHECKER_OUT=str(out), **variables))
        assert done.returncode == code, done.stdout + done.stderr
        return done, json.loads(out.read_text()) if out.exists() else None
    return run_once


def check(seen, expected):
    assert {name: seen[name] for name in expected} == expected
    assert seen["initial"] + seen["workers"] == seen["threads"]
    for what in ("regions", "implicit", "initial_tasks", "targets"):
        assert seen[what] == seen[f"{what}_ended"], what
    assert seen["tasks"] == seen["scheduled"] == seen["completed"]


@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_library(program, checker, run, policy):
    plain, seen = run(program, runtime=SYSTEM)
    assert not seen
    done, seen = run(program, OMP_TOOL_LIBRARIES=checker, **policy)
    assert done.stdout == plain.stdout, "a tool changes nothing"
    check(seen, ALL)
    assert seen["ended"] == seen["threads"]
    assert 1 <= seen["cancelled"] == seen["discarded"] <= 9 and seen["activated"] == 10 - seen["cancelled"]
    assert seen["barriers"] > 30
    assert seen["chunks"] == 41 and seen["pairs"] <= 3


def test_in_the_program(linked, run):
    check(run(linked)[1], ALL)


def test_in_a_program_that_was_linked_with_this_runtime(compiled, run):
    """The linker sees that the runtime needs the symbol: no manual export is necessary."""
    path = compiled(source("program.c"), "linked_with_ours", CHECKER, INCLUDE, "-L" + OURS)
    check(run(path)[1], ALL)


def test_preloaded(program, checker, run):
    check(run(program, LD_PRELOAD=checker)[1], ALL)


def test_stopped_by_itself(linked, run):
    _, seen = run(linked, "stop")
    check(seen, BEFORE_STOP)
    assert seen["ended"] == seen["threads"] == 8


def test_exit_within_a_region(linked, run):
    _, seen = run(linked, "exit", code=3)
    assert seen["regions"] == BEFORE_STOP["regions"] + 1 == seen["regions_ended"] + 1


def test_fork(linked, run):
    check(run(linked, "fork")[1], ALL)


def test_first_thread_leaves(linked, run):
    _, seen = run(linked, "pthread_exit")
    check(seen, ALL)
    assert seen["ended"] == seen["threads"]


@pytest.mark.parametrize("value", ["disabled", " Disabled "])
def test_switched_off(linked, checker, run, value):
    assert not run(linked, OMP_TOOL=value, OMP_TOOL_LIBRARIES=checker)[1]


def test_bad_switch(linked, run):
    done, seen = run(linked, OMP_TOOL="perhaps")
    assert "libgomp: Invalid value for environment variable OMP_TOOL" in done.stderr
    check(seen, ALL)


def test_initializer_fails(linked, run):
    done, seen = run(linked, CHECKER_REFUSES="1", OMP_TOOL_VERBOSE_INIT="stderr")
    assert not seen and "162" in done.stdout
    assert done.stderr.removesuffix(ERRORS).splitlines()[-2:] == ["its initializer failed: the tool is not used", "no tool is active"]


def test_list_of_libraries(program, checker, decliner, run, tmp_path):
    libraries = ":".join(["/nowhere/libtool.so", "", decliner, "libm.so.6", checker, "/nowhere/libother.so"])
    log = tmp_path / "log"
    done, seen = run(program, OMP_TOOL_LIBRARIES=libraries, OMP_TOOL_VERBOSE_INIT=str(log))
    check(seen, ALL)
    assert done.stderr == ERRORS
    lines = log.read_text().splitlines()
    assert lines[1] == "in the program and its libraries: no ompt_start_tool()"
    assert lines[2].startswith("OMP_TOOL_LIBRARIES: /nowhere/libtool.so: /nowhere/libtool.so: cannot open shared object file")
    assert lines[3:] == [f"OMP_TOOL_LIBRARIES: {decliner}: found, but it declined",
                         "OMP_TOOL_LIBRARIES: libm.so.6: has no ompt_start_tool()",
                         f"OMP_TOOL_LIBRARIES: {checker}: found", "the tool is active"]


def test_program_that_declines(linked, checker, run):
    done, seen = run(linked, CHECKER_DECLINES="1", OMP_TOOL_LIBRARIES=checker, OMP_TOOL_VERBOSE_INIT="stdout")
    assert not seen
    assert done.stdout.splitlines()[1] == "in the program and its libraries: found, but it declined"
    assert done.stdout.splitlines()[3] == "no tool is active"


@pytest.mark.parametrize("value", [None, "disabled", "Disabled"])
def test_nothing_is_said(program, checker, run, value):
    variables = {"OMP_TOOL_VERBOSE_INIT": value} if value else {}
    done, _ = run(program, OMP_TOOL_LIBRARIES="/nowhere/libtool.so", **variables)
    assert done.stdout == "162\n" and done.stderr == ERRORS
