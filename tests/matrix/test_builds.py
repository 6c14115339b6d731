# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ompdd says of a libgomp that build.sh made ($OMPDD_LIBGOMP_DIR): its release, and nothing that it cannot read."""
import os
import pathlib

import pytest
from conftest import fails
from snapshots import check_structure
from targets import LIBGOMP

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


@pytest.mark.skipif(VARIANT != "Os", reason="can be read")
def test_unreadable_build_is_refused_and_not_guessed(mode, program, client):
    one = program("flat", 2)
    with fails("unknown_layout"):
        target = client.target.attach(pid=one.pid, mode=mode)["target"]
        client.snapshot.get(target=target)
