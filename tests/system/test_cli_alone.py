# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ompdctl looks at a process through a worker alone, as long as that is enough; a daemon does the rest."""
import json
import os
import shutil
import subprocess

import pytest
from daemons import BIN


@pytest.fixture
def installed(tmp_path):
    """A folder with ompdctl, the library, and of the other programs those that a test puts there."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "lib").mkdir()
    shutil.copy(BIN / "ompdctl", tmp_path / "bin")
    os.symlink(BIN.parent / "lib" / "libompd.so", tmp_path / "lib" / "libompd.so")
    return tmp_path / "bin"


def run(folder, *args, status=0, **env):
    done = subprocess.run([str(folder / "ompdctl"), *map(str, args)], capture_output=True, text=True, timeout=600,
                          stdin=subprocess.DEVNULL, env={**os.environ, "PATH": "/usr/bin:/bin", **env})
    assert done.returncode == status, done.stderr
    return done


def script(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.mark.parametrize("view", ("threads", "tree", "info", "bt"))
def test_a_worker_alone_is_enough(view, mode, program, installed):
    shutil.copy(BIN / "ompdd-worker", installed)
    one = program("flat", 4)
    assert str(one.pid) in run(installed, "-p", one.pid, view, "--mode", mode, "--max-stop-ms", 60000).stdout


@pytest.mark.parametrize("args", (("why",), ("top", "--once", "-d", "0.2"), ("record", "-d", "0.2", "-o", "-", "--format", "folded")))
def test_why_and_profiles_need_no_daemon(args, mode, program, installed):
    shutil.copy(BIN / "ompdd-worker", installed)
    one = program("waits", "barrier")
    said = run(installed, "-p", one.pid, *args, "--mode", mode, "--max-stop-ms", 60000).stdout
    assert ("barrier" if args == ("why",) else "._omp_fn.") in said, said


def test_answers_are_those_of_a_daemon(program, installed):
    shutil.copy(BIN / "ompdd-worker", installed)
    one = program("nested", 2, 3)
    args = ("-p", one.pid, "threads", "--json", "--mode", "observe")
    alone = json.loads(run(installed, *args).stdout)
    assert alone == json.loads(run(BIN, *args, "--ompdd", BIN / "ompdd").stdout)


def test_an_error_is_told_as_by_a_daemon(installed):
    shutil.copy(BIN / "ompdd-worker", installed)
    args = ("-p", os.getpid(), "threads", "--json", "--mode", "observe")
    alone = run(installed, *args, status=1).stderr
    assert alone and alone == run(BIN, *args, "--ompdd", BIN / "ompdd", status=1).stderr


def test_nothing_of_the_environment_reaches_the_worker(installed):
    script(installed / "ompdd-worker", f"/usr/bin/env > {installed}/seen")
    run(installed, "-p", os.getpid(), "threads", status=2, LD_LIBRARY_PATH="/evil", OMP_TOOL_LIBRARIES="/evil/tool.so", TZ="UTC")
    seen = dict(line.split("=", 1) for line in (installed / "seen").read_text().splitlines())
    assert seen["TZ"] == "UTC" and seen["LC_ALL"] == "C.UTF-8" and "/evil" not in str(seen) and "HOME" not in seen


@pytest.mark.parametrize("worker", (None, "exit 82", "kill -SEGV $$"))
def test_a_daemon_takes_over_from_a_worker_that_is_not_there_or_dies(worker, program, installed):
    if worker:
        script(installed / "ompdd-worker", worker)
    script(installed / "ompdd", f'exec {BIN}/ompdd "$@"')
    one = program("flat", 4)
    assert str(one.pid) in run(installed, "-p", one.pid, "threads", "--max-stop-ms", 60000).stdout


def test_with_neither_it_says_so(installed):
    assert "cannot start ompdd" in run(installed, "-p", os.getpid(), "threads", status=2).stderr


@pytest.mark.parametrize("args", (("--verbose", "threads"), ("--plugin-dir", "/usr/lib", "threads"), ("call", "daemon.info")))
def test_what_is_for_a_daemon_goes_to_one(args, installed):
    script(installed / "ompdd-worker", f"touch {installed}/started")
    script(installed / "ompdd", "exit 9")
    run(installed, "-p", os.getpid(), *args, status=2)
    assert not (installed / "started").exists()
