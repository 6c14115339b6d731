# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Emacs in batch mode: its dap-mode launches a program through ompdd-dap, stops at an OpenMP event and at a line, and
shows OpenMP's names.
"""
import json
import os
import shutil
import subprocess

import pytest
from conftest import BUILD, HERE

SOURCE = HERE.parent / "programs" / "debuggee.c"


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_session(compiler, tmp_path):
    if not shutil.which("emacs"):
        pytest.skip("emacs is not here: apt install emacs-nox elpa-dap-mode")
    program = BUILD / "tests" / "programs" / ("" if compiler == "gcc" else "llvm") / "debuggee"
    if not program.exists():
        pytest.skip("clang and libomp are not installed")
    environment = {**os.environ, "HOME": str(tmp_path), "ADAPTER": str(BUILD / "bin" / "ompdd-dap"), "PROGRAM": str(program),
                   "SOURCE": str(SOURCE), "MARK": "HERE joined "}
    done = subprocess.run(["emacs", "--batch", "-l", HERE / "session.el"], cwd=tmp_path, env=environment, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=600)
    if "dap-mode" in done.stderr and "No such file" in done.stderr:
        pytest.skip("dap-mode is not here: apt install elpa-dap-mode")
    assert done.returncode == 0, done.stdout + done.stderr
    begin, threads, stack, scopes, region = (json.loads(line)["body"] for line in done.stdout.splitlines())
    assert any("parallel" in frame["name"] or "fork" in frame["name"] for frame in begin["stackFrames"][:3]), "it began at the event"
    assert sorted(thread["name"].split()[0] for thread in threads["threads"]) == ["1.0", "1.1", "1.2"]
    names = [frame["name"] for frame in stack["stackFrames"]]
    assert any(name.startswith("parallel region 1, solve") for name in names) and "main" in names
    assert {"Thread", "Task ICVs", "Region"} <= {scope["name"] for scope in scopes["scopes"]}
    assert {"team_size": "3", "level": "1"}.items() <= {one["name"]: one["value"] for one in region["variables"]}.items()
