# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ompdd's answers about a libgomp that build.sh built ($OMPDD_LIBGOMP_DIR): its release, and nothing that it cannot
read.
"""
import os
import pathlib
import re
import subprocess

import pytest
from conftest import fails
from snapshots import check_structure
from targets import LIBGOMP, PROGRAMS

pytestmark = pytest.mark.skipif(not LIBGOMP or not os.path.exists(f"{LIBGOMP}/libgomp.so.1"), reason="no OMPDD_LIBGOMP_DIR")
RELEASE, _, VARIANT = pathlib.Path(LIBGOMP or "").name.partition("-")


@pytest.mark.skipif(VARIANT == "Os", reason="cannot be read")
def test_release_is_named_by_the_runtime_not_by_its_compiler(mode, program, client):
    one = program("flat", 2)
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    result = client.snapshot.get(target=target)
    check_structure(result)
    assert result["runtime"]["version"] == RELEASE
    assert result["runtime"]["path"] == f"{LIBGOMP}/libgomp.so.1"


ENVIRONMENT = {"OMP_NUM_THREADS": "5,3", "OMP_SCHEDULE": "guided,7", "OMP_PROC_BIND": "spread,close", "OMP_STACKSIZE": "3M",
               "OMP_WAIT_POLICY": "active", "OMP_CANCELLATION": "true", "OMP_THREAD_LIMIT": "77", "OMP_MAX_TASK_PRIORITY": "5",
               "OMP_MAX_ACTIVE_LEVELS": "3", "OMP_DISPLAY_AFFINITY": "true", "OMP_AFFINITY_FORMAT": "<%n>"}
# At least these are found in every readable build.
ALWAYS = {"OMP_NUM_THREADS", "OMP_SCHEDULE", "OMP_PROC_BIND", "OMP_CANCELLATION", "OMP_THREAD_LIMIT", "OMP_MAX_TASK_PRIORITY",
          "OMP_MAX_ACTIVE_LEVELS", "OMP_AFFINITY_FORMAT"}


@pytest.mark.skipif(VARIANT == "Os", reason="cannot be read")
def test_control_variables_are_those_that_libgomp_displays(mode, program, client):
    said = subprocess.run([PROGRAMS / "flat", "2"], input=b"", capture_output=True,
                          env={**os.environ, **ENVIRONMENT, "OMP_DISPLAY_ENV": "verbose", "LD_LIBRARY_PATH": LIBGOMP}).stderr.decode()
    displayed = {name: value.lower() for name, value in re.findall(r"\b(G?OMP_\w+) = '(.*)'", said)}
    assert displayed["OMP_THREAD_LIMIT"] == "77"
    one = program("flat", 2, env=ENVIRONMENT)
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    answer = client.call("ompd.get_display_control_vars", {"target": target})["control_vars"]
    ours = {name: value.lower() for name, _, value in (line.partition("=") for line in answer)}
    assert ALWAYS <= set(ours)
    assert ours == {name: displayed.get(name) for name in ours}


@pytest.mark.skipif(VARIANT != "Os", reason="can be read")
def test_unreadable_build_is_refused_and_not_guessed(mode, program, client):
    one = program("flat", 2)
    with fails("unknown_layout"):
        target = client.target.attach(pid=one.pid, mode=mode)["target"]
        client.snapshot.get(target=target)
