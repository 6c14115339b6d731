# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Teams, pools and barriers: programs of team/. Each checks itself and exits with 0."""
import os
import subprocess

import pytest

from support import OURS, environment

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "team")
POLICIES = [{}, {"OMP_WAIT_POLICY": "active"}, {"OMP_WAIT_POLICY": "passive"}, {"OMP_PROC_BIND": "true"}]


def source(name):
    with open(os.path.join(HERE, name + ".c"), encoding="utf-8") as f:
        return f.read()


def run(program, *args, code=0, **variables):
    done = subprocess.run([program, *args], env=environment(OURS, **variables), timeout=600, capture_output=True, text=True,
                          check=False)
    assert done.returncode == code, done.stdout + done.stderr


@pytest.mark.parametrize("policy", POLICIES, ids=str)
@pytest.mark.parametrize("name", ["regions", "foreign", "forks", "wakes", "serialized"])
def test_program(compiled, name, policy):
    run(compiled(source(name), name), **policy)


def test_two_threads_that_sleep(compiled):
    run(compiled(source("wakes"), "wakes"), "100", "2", GOMP_SPINCOUNT="0")


@pytest.mark.parametrize("how", ["another member", "another thread", "the primary thread"])
def test_exit_while_threads_run(compiled, how):
    run(compiled(source("exits"), "exits"), str(["another member", "another thread", "the primary thread"].index(how)), code=7)


def test_who_has_nothing_to_do_sleeps(compiled):
    run(compiled(source("idle"), "idle"))


def test_thread_limit(compiled):
    run(compiled(source("limits"), "limits"), OMP_THREAD_LIMIT="5")


def test_cancelled_regions(compiled):
    run(compiled(source("cancels"), "cancels"), OMP_CANCELLATION="true")


def test_library_that_comes_and_goes(compiled, tmp_path):
    library = compiled(source("plugin"), "libplugin.so", "-shared", "-fPIC")
    program = tmp_path / "dlopens"
    # Without -fopenmp: the program itself does not load the runtime.
    subprocess.run(["gcc", "-o", str(program), os.path.join(HERE, "dlopens.c"), "-ldl"], check=True, timeout=600)
    run(str(program), library)


def test_no_thread_to_be_had(compiled):
    done = subprocess.run([compiled(source("foreign"), "foreign"), "1"], env=environment(OURS, OMP_STACKSIZE="1000000G"),
                          timeout=600, capture_output=True, text=True, check=False)
    assert "libgomp: Thread creation failed: " in done.stderr
    assert done.returncode == 1
