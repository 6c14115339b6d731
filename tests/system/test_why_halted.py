# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Verdicts on a process that is halted: by a signal, a debugger, a control group, or ompdd."""
import json
import os
import pathlib
import signal
import threading
import time

import ompdd
import pytest
from hangs import RUNTIMES, diagnose_until, notes, start
from snapshots import diagnose
from targets import read_text, stopped_threads, tasks, tracer, wait_until


@pytest.mark.parametrize("name, args", (("healthy", ["barriers"]), ("nest_cycle", [])))
def test_a_process_that_is_stopped(name, args, mode, program, client):
    """Halted by job control or a debugger, the program neither works nor hangs.

    A wait that can never end is still a hang.
    """
    one = start(program, name, RUNTIMES[0], *args)
    if not args:
        diagnose_until(client, one.pid, lambda r: r["verdict"] == "deadlock")
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    os.kill(one.pid, signal.SIGSTOP)
    wait_until(lambda: sorted(stopped_threads(one.pid)) == sorted(tasks(one.pid)), "it is stopped")
    result = diagnose(client, target, interval_ms=50)
    os.kill(one.pid, signal.SIGCONT)
    stopped = "the whole process is stopped by a signal (^Z, SIGSTOP) or by a debugger"
    assert result["looks"] == {"n": 1} and notes(result)["halted"] == f"{stopped}; after a signal, kill -CONT {one.pid} continues it"
    if args:
        assert result["verdict"] == "waiting" and result["title"].startswith(f"waiting: {stopped}"), result
    else:
        assert result["verdict"] == "deadlock", result
    assert "halted" not in notes(wait_until(lambda: (r := diagnose(client, target, interval_ms=50))["looks"]["n"] > 1 and r, "it goes on"))


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_who_was_at_work_when_it_was_stopped(runtime, program, client):
    """Also in a system call, such as one that wakes others: no thread that others wait for is reported as asleep."""
    one = start(program, "healthy", runtime, "barriers")
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    for _ in range(20):
        os.kill(one.pid, signal.SIGSTOP)
        wait_until(lambda: sorted(stopped_threads(one.pid)) == sorted(tasks(one.pid)), "it is stopped")
        result = client.diagnose.get(target=target)
        os.kill(one.pid, signal.SIGCONT)
        assert result["verdict"] == "waiting" and not [f for f in result["findings"] if f["kind"] == "blocked"], json.dumps(result, indent=1)
        wait_until(lambda: not stopped_threads(one.pid), "it goes on")


@pytest.mark.parametrize("name, args, verdict", (("barrier_miss", [], "blocked"), ("healthy", ["barriers"], "waiting")))
def test_a_process_that_is_stopped_between_two_looks(name, args, verdict, mode, program, client, moments):
    """It does not work: everything was halted, whether it would have continued or not."""
    one = start(program, name, RUNTIMES[0], *args)
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    at = []
    for _ in range(2):
        if not args:
            diagnose_until(client, one.pid, lambda r: r["verdict"] == verdict, mode)
        diagnose(client, target, interval_ms=0)
        timer = threading.Timer(moments.uniform(0.1, 0.5), lambda: (os.kill(one.pid, signal.SIGSTOP), at.append(time.monotonic())))
        begin = time.monotonic()
        timer.start()
        result = client.diagnose.get(target=target, interval_ms=1500)
        timer.join()
        wait_until(lambda: sorted(stopped_threads(one.pid)) == sorted(tasks(one.pid)), "it is stopped")
        os.kill(one.pid, signal.SIGCONT)
        wait_until(lambda: not stopped_threads(one.pid), "it goes on")
        # On a busy machine the halt may come later: the verdict is the one before or after.
        assert at[-1] - begin > 1.5 or result["verdict"] == "waiting" and result["looks"] == {"n": 1} and "halted" in notes(result), json.dumps(result, indent=1)


@pytest.fixture(params=("2", "1"))
def freeze(request, program):
    """Puts a process into a control group of either version, which is then frozen, and thawed before the program is
    ended.
    """
    mounts = [line.split() for line in read_text("/proc/mounts").splitlines()]
    mounts = [line[1] for line in mounts if (line[2] == "cgroup2" if request.param == "2" else line[2] == "cgroup" and "freezer" in line[3].split(","))]
    folder = pathlib.Path(mounts[0] if mounts else "/none") / f"ompdd-test-{os.getpid()}"
    try:
        folder.mkdir()
    except OSError as error:
        pytest.skip(f"no control group of version {request.param} can be made here: {error}")
    file, frozen, thawed = ("cgroup.freeze", "1", "0") if request.param == "2" else ("freezer.state", "FROZEN", "THAWED")
    state, says = (folder / "cgroup.events", "frozen 1") if request.param == "2" else (folder / file, "FROZEN")

    def begin(pid):
        (folder / "cgroup.procs").write_text(str(pid))
        (folder / file).write_text(frozen)
        wait_until(lambda: says in state.read_text(), "it is frozen")
        return request.param, f"/{folder.name}"
    yield begin
    (folder / file).write_text(thawed)
    for pid in (folder / "cgroup.procs").read_text().split():
        (folder.parent / "cgroup.procs").write_text(pid)
    folder.rmdir()


@pytest.mark.parametrize("name, args", (("healthy", ["barriers"]), ("nest_cycle", [])))
def test_a_process_that_is_frozen(name, args, mode, program, client, freeze):
    one = start(program, name, RUNTIMES[0], *args)
    if not args:
        diagnose_until(client, one.pid, lambda r: r["verdict"] == "deadlock")
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    diagnose(client, target, interval_ms=0)
    version, group = freeze(one.pid)
    if version == "1" and mode == "stop":
        client.target.detach(target=target)
        target = client.target.attach(pid=one.pid, max_stop_ms=200)["target"]
        for _ in range(2):
            with pytest.raises(ompdd.Error) as why:
                client.target.stop(target=target)
            assert why.value.name == "stop_timeout" and f"frozen with its control group, {group}" in why.value.message
            assert not any(map(tracer, tasks(one.pid))), "no thread is left traced"
    # Frozen threads do not run: nothing needs to be stopped.
    result = client.diagnose.get(target=target, interval_ms=50)
    assert result["looks"] == {"n": 1} and notes(result)["halted"].startswith("the whole process is frozen with its control group ("), result
    assert notes(result)["halted"].endswith(f"; it continues when {group} is thawed")
    assert result["verdict"] == ("waiting" if args else "deadlock"), result


def test_while_it_is_held(program, client):
    """Nothing moves then: there is one sample, and it takes no time."""
    one = start(program, "healthy", RUNTIMES[0], "barriers")
    target = client.target.attach(pid=one.pid)["target"]
    diagnose(client, target, interval_ms=0)
    client.target.stop(target=target)
    result = client.diagnose.get(target=target, interval_ms=10000)
    assert result["looks"] == {"n": 1} and result["verdict"] != "deadlock"
    client.target.resume(target=target)
