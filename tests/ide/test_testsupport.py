# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Microsoft's own client of the debug adapter protocol, the test client of VS Code's adapters, drives both modes."""
import subprocess

import pytest
from conftest import BUILD, HERE

COMPILED = ["gcc", "clang"]


@pytest.fixture(params=COMPILED)
def solve(request, tmp_path):
    """The session's program, by both compilers."""
    source = tmp_path / "solve.c"
    source.write_text((HERE / "solve.c").read_text())
    done = subprocess.run([request.param, "-g", "-O0", "-fopenmp", "-o", "solve", "solve.c"], cwd=tmp_path, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"{request.param} makes no OpenMP program here")
    return tmp_path / "solve"


@pytest.mark.parametrize("mode", ["companion", "stop"])
def test_session(modules, node, solve, mode):
    done = subprocess.run([node, HERE / "testsupport.js", modules, BUILD / "bin" / "ompdd-dap", solve, mode], capture_output=True, text=True,
                          timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.split("\n")[-2] == "1..5", done.stdout
