# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The end of launched programs: target.kill; the program survives all other deaths; a failed launch leaves nothing."""
import contextlib
import os
import pathlib
import shutil
import signal
import time

import ompdd
import pytest
from conftest import TRIALS, fails
from control import Gone, Hits
from launched import compiled, ended, launch  # noqa: F401
from targets import LIBGOMP, Killer, alive, children, read_text, states, tracer, wait_until

SLEEP = shutil.which("sleep")


# target.kill

def test_kill(launch, client):
    one = launch(client, "nested", 2)
    one.expect_end = True
    one.wait_ready()
    assert client.target.kill(target=one.target) == {"target": one.target, "pid": one.pid, "state": "exited"}
    how = {"signal": 9, "signal_name": "SIGKILL", "core_dumped": False}
    assert ended(client, one.target)["exit"] == how
    event = wait_until(lambda: [event for event in client.event.poll()["events"] if event["type"] == "exited"], "the event")[0]
    assert event["exit"] == how
    with fails("target_exited"):
        client.target.kill(target=one.target)
    with fails("target_exited"):
        client.snapshot.get(target=one.target)
    wait_until(lambda: not os.path.exists(f"/proc/{one.pid}"), "no zombie is left")
    client.target.detach(target=one.target)


@pytest.mark.parametrize("stop_at", ["exec", "main", "parallel_begin"])
def test_kill_of_one_that_stands(launch, client, stop_at):
    one = launch(client, "rounds", 2, stop_at=stop_at)
    one.expect_end = True
    if stop_at == "parallel_begin":
        hits = Hits(client, one.target, since=0)
        hits.next()
    assert client.target.kill(target=one.target)["state"] == "exited"
    assert ended(client, one.target)["exit"]["signal"] == 9


def test_kill_is_for_launched_ones(program, launch, daemon, client):
    one = program("flat", 2)
    target = client.target.attach(pid=one.pid)["target"]
    with fails("not_launched") as failure:
        client.target.kill(target=target)
    assert "kill(1)" in failure.error.hint
    mine = launch(client, "rounds", 2, stop_at="main")
    with daemon.connect() as other:
        with fails("target_held"):
            other.target.kill(target=mine.target)
        with fails("target_held"):
            other.target.resume(target=mine.target)
    client.target.resume(target=mine.target)


# Whatever dies, the program continues.

def works(one):
    """It runs untraced and works."""
    one.runs_free()
    if not one.lines:
        one.wait_ready()
    one.signal()
    first = one.read_line()
    one.signal()
    assert one.read_line()["rounds"] >= first["rounds"] and first["failed"] == 0


def test_detach_leaves_it(launch, daemon, client):
    one = launch(client, "rounds", 2, stop_at="main")
    client.target.detach(target=one.target)
    works(one)
    wait_until(lambda: not daemon.workers(), "the worker has ended, and its tracer")
    # It can be attached to like any other program now, but is no longer a launched target.
    target = client.target.attach(pid=one.pid)["target"]
    with fails("not_launched"):
        client.target.kill(target=target)


@pytest.mark.parametrize("stop_at", ["exec", "main", "parallel_begin", "never"])
def test_its_client_vanishes(launch, daemon, stop_at):
    with daemon.connect() as client:
        one = launch(client, "rounds", 2, stop_at=stop_at)
    works(one)
    with daemon.connect() as client:
        assert client.target.info(target=one.target)["state"] == "running"


@pytest.mark.parametrize("victim", ["worker", "daemon"])
def test_kill_of(launch, daemons, moments, victim):
    """At any moment: during the launch the program may end; afterwards it stays."""
    kinds = ["exec", "main", "parallel_begin", "never"]
    for trial in range(TRIALS):
        daemon = daemons()
        daemon.expect_end = victim == "daemon"
        daemon.expect_log.append("worker")
        with contextlib.ExitStack() as stack:
            client = stack.enter_context(daemon.connect())
            one = launch(client, "rounds", 2, stop_at=kinds[trial % len(kinds)])
            killer = Killer(daemon.pid if victim == "daemon" else daemon.worker(), moments.uniform(0, 0.05))
            stack.callback(killer.wait)
            with contextlib.suppress(ompdd.Error, ompdd.Closed, ConnectionError, Gone):
                if one.result["state"] == "held":
                    client.target.resume(target=one.target)
                hits = Hits(client, one.target)
                client.breakpoint.set(target=one.target, event="parallel_begin")
                client.breakpoint.set(target=one.target, function="work")
                while True:
                    hits.next()
                    client.target.resume(target=one.target)
        daemon.workers()
        if victim == "daemon":
            daemon.kill()
        else:
            daemon.close()
        works(one)
        one.expect_end = True
        one.close_now()


def test_orphan_is_not_a_zombie(launch, daemon, client):
    """Its parent is the tracer, which reaps it."""
    one = launch(client, "nested", 2)
    one.expect_end = True
    parent = int(read_text(f"/proc/{one.pid}/stat").rpartition(")")[2].split()[1])
    assert "omp-tracer" in read_text(f"/proc/{parent}/comm") and parent in children(daemon.worker())
    os.kill(one.pid, signal.SIGTERM)
    assert ended(client, one.target)["exit"]["signal_name"] == "SIGTERM"
    wait_until(lambda: not alive(parent) or not os.path.exists(f"/proc/{one.pid}"), "it is reaped")


# A launch that fails, however late, leaves nothing.

def processes(*argv):
    """Return the processes with these arguments."""
    wanted = b"".join(arg.encode() + b"\0" for arg in argv)
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if pathlib.Path(f"/proc/{pid}/cmdline").read_bytes() == wanted and alive(int(pid)):
                found.append(int(pid))
    return found


@pytest.fixture
def slow(tmp_path):
    """Arguments and environment of a program whose launch lasts until its end.

    At the end of the test it must have ended.
    """
    library = compiled(tmp_path, "slow.so", "#include <unistd.h>\n__attribute__((constructor)) void f(void) { if (!fork()) pause(); pause(); }\n",
                       "-shared", "-fPIC")
    argv = [str(shutil.copy(SLEEP, tmp_path / "slow")), "1000"]
    yield {"argv": argv, "env": {"LD_PRELOAD": library}, "stop_at": "main"}
    try:
        wait_until(lambda: not processes(*argv), "nothing is left")
    finally:
        for pid in processes(*argv):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.skipif(bool(LIBGOMP), reason="the library that is given to programs does not matter here")
@pytest.mark.parametrize("how", ["cancel", "client", "worker", "daemon", "daemon killed"])
def test_launch_that_is_given_up(how, slow, daemons):
    daemon = daemons()
    daemon.expect_log.append("worker")
    with daemon.connect() as client:
        pending = client.start("target.launch", **slow)
        wait_until(lambda: len(processes(*slow["argv"])) == 2, "it is being launched")
        if how == "cancel":
            client.request.cancel(id=pending.id)
        elif how == "worker":
            os.kill(daemon.worker(), signal.SIGKILL)
        elif how == "daemon":
            daemon.terminate()
        elif how == "daemon killed":
            daemon.kill()
        if how != "client":
            with pytest.raises((ompdd.Error, ompdd.Closed, ConnectionError)):
                pending.result()


@pytest.mark.skipif(bool(LIBGOMP), reason="the library that is given to programs does not matter here")
@pytest.mark.parametrize("stop_at", ["exec", "main", "never"])
def test_launch_that_is_cancelled_at_any_moment(stop_at, daemon, client, moments, tmp_path):
    argv = [str(shutil.copy(SLEEP, tmp_path / "cancelled")), "1000"]
    n_cancelled = 0
    try:
        for _ in range(3 * TRIALS):
            pending = client.start("target.launch", argv=argv, stop_at=stop_at)
            time.sleep(moments.uniform(0, 0.02))  # This moment is the subject of the test.
            with contextlib.suppress(ompdd.Error):  # The answer came first.
                client.request.cancel(id=pending.id)
            try:
                target = pending.result()["target"]
            except ompdd.Error as error:
                assert error.name == "request_cancelled"
                n_cancelled += 1
            else:
                client.target.kill(target=target)
                client.target.detach(target=target)
        assert n_cancelled
        wait_until(lambda: not processes(*argv), "nothing is left")
    finally:
        for pid in processes(*argv):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.skipif(bool(LIBGOMP), reason="the library that is given to programs does not matter here")
@pytest.mark.parametrize("how", ["cancel", "cancel, worker killed", "daemon killed"])
def test_launch_whose_answer_is_not_told(how, daemons, tmp_path):
    """The worker has answered, and the daemon has not notified the client yet.

    A cancellation is too late now; if no client gets the answer, nothing remains.
    """
    ready = tmp_path / "ready"
    library = compiled(tmp_path, "waits.so", "#include <unistd.h>\n__attribute__((constructor)) void f(void)"
                       f'{{ while (access("{ready}", F_OK)) usleep(1000); }}\n', "-shared", "-fPIC")
    argv = [str(shutil.copy(SLEEP, tmp_path / "untold")), "1000"]
    daemon = daemons()
    stopped = []

    def stop(pid):
        stopped.append(pid)
        os.kill(pid, signal.SIGSTOP)
        wait_until(lambda: set(states(pid).values()) == {"T"}, "it is stopped")

    try:
        with daemon.connect() as client:
            pending = client.start("target.launch", argv=argv, env={"LD_PRELOAD": library}, stop_at="main")
            program = wait_until(lambda: processes(*argv), "it is being launched").pop()
            worker, held_by = daemon.worker(), tracer(program)
            stop(daemon.pid)
            if "cancel" in how:
                cancelled = client.start("request.cancel", id=pending.id)
            ready.touch()
            # It has answered and sleeps in poll(), with five descriptors.
            wait_until(lambda: read_text(f"/proc/{worker}/syscall").split()[2:3] == ["0x5"], "the worker has answered")
            if how == "cancel, worker killed":
                daemon.expect_log.append("worker")
                os.kill(worker, signal.SIGKILL)
            else:
                stop(worker)
            if how == "daemon killed":
                daemon.kill()
            else:
                os.kill(daemon.pid, signal.SIGCONT)
                # The client that gets the answer owns the program.
                assert pending.result()["pid"] == program
                with fails("no_such_request"):
                    cancelled.result()
                assert alive(program)
                os.kill(program, signal.SIGKILL)
            if how != "cancel, worker killed":
                os.kill(worker, signal.SIGCONT)
            if how == "cancel":
                client.target.detach(target=client.target.list()["targets"][0]["target"])
        wait_until(lambda: not alive(worker) and not alive(held_by), "worker and tracer have left")
        wait_until(lambda: not processes(*argv), "nothing is left")
    finally:
        for pid in [*stopped, *processes(*argv)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT if pid in stopped else signal.SIGKILL)
