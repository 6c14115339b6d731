# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whichever part of OpenMP a program uses first (tool/first.c), its tool has been started then, and knows the thread.
"""
import os
import subprocess

import pytest

from support import OURS, environment

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tool")
INCLUDE = "-I" + os.path.join(os.path.dirname(HERE), "..", "..", "runtime", "include")


@pytest.fixture(scope="module")
def program(compiled):
    with open(os.path.join(HERE, "first.c"), encoding="utf-8") as f:
        return compiled(f.read(), "first", INCLUDE, "-rdynamic", "-pthread", "-L" + OURS)


def first(program, *args, **variables):
    done = subprocess.run([program, *map(str, args)], capture_output=True, text=True, timeout=600, check=False,
                          env=environment(OURS, OMP_PLACES="threads", **variables))
    assert done.returncode == 0, (args, done.returncode, done.stdout, done.stderr)
    return done.stdout.splitlines()


@pytest.mark.parametrize("variables", [{}, {"TOOL_USES_OPENMP": "1"}, {"OMP_DEBUG": "enabled"}], ids=str)
def test_first_use(program, variables):
    n = int(first(program)[0])
    assert n > 70
    for i in range(n):
        name, *rest = first(program, i, **variables)
        what, _, started = name.rpartition(": ")
        assert started == "1 1", name
        if rest[0].startswith("mutex"):
            assert rest.pop(0) == "mutex 1 1", name
        # Tools may count the thread of `parallel` before the program's own thread.
        assert rest[0].startswith(f"{what}: 1 10"), rest
        # Both threads of the program, and the threads of constructs that start some.
        assert rest[1] == ("initial 4" if what in ("teams()", "target()") else "initial 2"), rest
