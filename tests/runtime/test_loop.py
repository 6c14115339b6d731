# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops in order: programs of loop/. Each checks itself and exits with 0."""
import os
import subprocess

import pytest

from support import OURS, environment

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "loop")


@pytest.mark.parametrize("policy", [{}, {"OMP_WAIT_POLICY": "passive"}, {"GOMP_SPINCOUNT": "0"}], ids=str)
def test_threads_far_ahead(compiled, policy):
    with open(os.path.join(HERE, "ahead.c"), encoding="utf-8") as f:
        program = compiled(f.read(), "ahead")
    done = subprocess.run([program, "5"], env=environment(OURS, **policy), timeout=600, capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stdout + done.stderr
