# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ompdctl examines a process with a worker alone, as long as that suffices. A daemon does the rest."""
import json
import os
import shutil
import subprocess

import pytest
from daemons import BIN
from targets import PROGRAMS


@pytest.fixture
def installed(tmp_path):
    """A folder with ompdctl, the library, and the other programs that a test adds."""
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


# A worker whose target replaces its program before the request, as many times as the file says.
EXECS = """
import json, pathlib, sys
left = pathlib.Path(__file__).with_name("left")
asked = pathlib.Path(__file__).with_name("asked")
for line in sys.stdin:
    request = json.loads(line)
    answer = {"jsonrpc": "2.0", "id": request["id"]}
    if request["method"] == "target.attach":
        answer["result"] = {"target": "t1", "pid": request["params"]["pid"]}
    else:
        n = int(left.read_text())
        left.write_text(str(n - 1))
        with asked.open("a") as file:
            file.write(json.dumps(request["params"].get("interval_ms")) + "\\n")
        if n > 0:
            answer["error"] = {"code": 1004, "message": "it has replaced its program", "data": {"name": "target_exec"}}
        elif n == 0 and (left.parent / "young").exists():
            answer["error"] = {"code": 1005, "message": "no thread has used the runtime yet", "data": {"name": "no_openmp_runtime"}}
        else:
            answer["result"] = {"target": "t1", "answered": True}
    print(json.dumps(answer), flush=True)
"""


@pytest.mark.parametrize("young", (False, True))
def test_a_process_that_execs_is_asked_again(young, installed):
    """The time between the samples decreases. The new program has only just started."""
    script(installed / "ompdd-worker", f'exec python3 "{installed}/worker.py"')
    (installed / "worker.py").write_text(EXECS)
    (installed / "left").write_text("5")
    if young:
        (installed / "young").touch()
    assert json.loads(run(installed, "-p", os.getpid(), "why", "--json").stdout)["answered"] is True
    asked = [json.loads(line) for line in (installed / "asked").read_text().splitlines()]
    assert asked == [None, 500, 100, 20, 0, 0] + [0] * young


def test_a_process_that_never_holds_still_is_named(installed):
    script(installed / "ompdd-worker", f'exec python3 "{installed}/worker.py"')
    (installed / "worker.py").write_text(EXECS)
    (installed / "left").write_text("1000")
    pid = os.getpid()
    said = run(installed, "-p", pid, "why", status=1).stderr
    assert f"process {pid} replaced its program (exec) in each of 12 attempts" in said
    assert f"kill -STOP {pid}; ompdctl -p {pid} why; kill -CONT {pid}" in said


def test_why_of_a_process_that_keeps_calling_exec():
    """It runs each program for less time than the two samples are apart."""
    with subprocess.Popen([PROGRAMS / "execs", "200"]) as one:
        try:
            said = run(BIN, "-p", one.pid, "why", "--max-stop-ms", 60000).stdout
            assert "3 threads" in said and "the process replaced its program (exec)" in said, said
        finally:
            one.kill()


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
