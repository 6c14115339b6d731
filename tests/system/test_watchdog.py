# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Daemon, worker and tracer are killed together while a breakpoint is planted: the watchdog removes it."""
import contextlib
import os
import pathlib
import signal

import pytest
from control import address_of, attach, is_planted, rounds, runs_free
from targets import alive, children, read_text, task_state, tracer, wait_until


def find_watchdog(pid):
    """Return the watchdog of the process's tracer; None without one."""
    return next((child for child in children(tracer(pid)) if read_text(f"/proc/{child}/comm").strip() == "omp-watchdog"), None)


@pytest.fixture
def planted(program, daemons):
    """A working program, a daemon of its own, and the address of a breakpoint that no thread reaches."""
    one = program("rounds", 2)
    daemon = daemons()
    daemon.expect_log += ["worker", "tracer"]  # The last process to die may log the deaths of the others.
    client = daemon.connect()
    target, _ = attach(client, one)
    address = address_of(client.breakpoint.set(target=target, function="main")["places"][0])
    assert is_planted(one.pid, address)
    yield one, daemon, address, client, target
    client.close()


def kill_all(one, daemon):
    """No process has time to do anything before it is killed."""
    traced_by, worker = tracer(one.pid), daemon.worker()
    os.kill(worker, signal.SIGSTOP)
    wait_until(lambda: task_state(worker, worker) == "T", "the worker does nothing")
    os.kill(traced_by, signal.SIGKILL)
    os.kill(worker, signal.SIGKILL)
    daemon.kill()


def test_all_are_killed_together(planted):
    one, daemon, address, _, _ = planted
    kill_all(one, daemon)
    runs_free(one, [address])


def test_a_watchdog_that_is_killed_is_followed_by_another(planted):
    one, daemon, address, _, _ = planted
    first = find_watchdog(one.pid)
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: tracer(tracer(one.pid)) not in (0, first), "another")
    kill_all(one, daemon)
    runs_free(one, [address])


def test_it_ends_with_the_tracing(planted):
    one, _, address, client, target = planted
    pid = find_watchdog(one.pid)
    assert tracer(tracer(one.pid)) == pid
    client.target.detach(target=target)
    wait_until(lambda: not alive(pid), "the watchdog has left")
    runs_free(one, [address])


def is_reaped(one):
    """The killed program, our child, can be reaped: no tracer prevents it."""
    return one.process.poll() == -signal.SIGKILL


def test_a_tracer_cannot_be_stopped(planted):
    """After SIGSTOP, threads of the program would wait for it."""
    one, daemon, address, client, target = planted
    traced_by, watchdog = tracer(one.pid), find_watchdog(one.pid)
    os.kill(traced_by, signal.SIGSTOP)
    client.target.stop(target=target)
    client.target.resume(target=target)
    assert task_state(traced_by, traced_by) not in ("T", "t")
    os.kill(traced_by, signal.SIGSTOP)
    kill_all(one, daemon)
    wait_until(lambda: not alive(traced_by) and not alive(watchdog), "both have ended")
    runs_free(one, [address])


@pytest.mark.parametrize("stopped", ["tracer", "watchdog"])
def test_no_tracer_outlives_a_dead_program(stopped, planted):
    """Any of them may be stopped, by any process, when the program, the worker and the daemon die."""
    one, daemon, _, _, _ = planted
    traced_by, watchdog = tracer(one.pid), find_watchdog(one.pid)
    os.kill(traced_by if stopped == "tracer" else watchdog, signal.SIGSTOP)
    one.expect_end = True
    one.process.kill()
    os.kill(daemon.worker(), signal.SIGKILL)
    daemon.kill()
    wait_until(lambda: is_reaped(one), "it is reaped", 60)
    wait_until(lambda: not alive(traced_by) and not alive(watchdog), "both have ended", 60)


def test_a_tracer_that_is_stopped_ends_with_the_worker(program, daemons):
    """Without a breakpoint there is no watchdog."""
    one = program("rounds", 2)
    daemon = daemons()
    daemon.expect_log += ["worker", "tracer"]
    with daemon.connect() as client:
        target, _ = attach(client, one)
        client.target.stop(target=target)
        traced_by = tracer(one.pid)
        assert find_watchdog(one.pid) is None
        os.kill(traced_by, signal.SIGSTOP)
        wait_until(lambda: task_state(traced_by, traced_by) == "T", "it is stopped")
        one.expect_end = True
        one.process.kill()
        os.kill(daemon.worker(), signal.SIGKILL)
        wait_until(lambda: is_reaped(one), "it is reaped", 60)
        wait_until(lambda: not alive(traced_by), "it has ended", 60)


@pytest.fixture
def group():
    """Create a control group."""
    mounts = [line.split()[1] for line in read_text("/proc/mounts").splitlines() if line.split()[2] == "cgroup2"]
    folder = pathlib.Path(mounts[0] if mounts else "/sys/fs/cgroup") / f"ompdd-test-{os.getpid()}"
    try:
        folder.mkdir()
    except OSError as error:
        pytest.skip(f"no control group can be made here: {error}")
    yield folder
    wait_until(lambda: not (folder / "cgroup.procs").read_text(), "all have left")
    folder.rmdir()


@pytest.fixture
def in_group(program, daemons, group):
    """A daemon in that group. Its program is in another group, and hits its breakpoint again and again."""
    if not (group / "cgroup.kill").exists():
        pytest.skip("this kernel does not kill control groups")
    one = program("rounds", 2)
    daemon = daemons()
    daemon.expect_log += ["worker", "tracer"]  # The last process to die may log the deaths of the others.
    (group / "cgroup.procs").write_text(str(daemon.pid))
    with daemon.connect() as client:
        target, _ = attach(client, one)
        number = client.breakpoint.set(target=target, function="work", after=1 << 30)
        wait_until(lambda: not {str(find_watchdog(one.pid)), str(tracer(one.pid))} & members(group), "tracer and watchdog go where the program is")
        yield one, daemon, client, target, number


def members(group):
    return set((group / "cgroup.procs").read_text().split())


def test_a_control_group_is_killed(group, in_group):
    one, daemon, _, _, number = in_group
    assert str(daemon.worker()) in members(group)
    rounds(one)
    daemon.expect_end = True
    (group / "cgroup.kill").write_text("1")
    runs_free(one, [address_of(number["places"][0])])


def test_the_tracer_leaves_the_programs_group(group, in_group):
    """Without planted breakpoints, none of our processes delays the end of the group."""
    one, _, client, target, number = in_group
    traced_by = tracer(one.pid)
    client.breakpoint.delete(target=target, breakpoint=number["breakpoint"])
    wait_until(lambda: not alive(traced_by) or str(traced_by) in members(group), "it is back")
    client.target.detach(target=target)
    runs_free(one)


def test_all_that_are_called_ompdd_are_killed(planted):
    """As by pkill -9 -f ompdd: all at once, in any order."""
    one, daemon, address, _, _ = planted
    ours = [daemon.pid, *daemon.workers(), tracer(one.pid), find_watchdog(one.pid)]
    named = [pid for pid in ours if "ompdd" in read_text(f"/proc/{pid}/comm") or "ompdd" in read_text(f"/proc/{pid}/cmdline")]
    assert set(named) == {daemon.pid, *daemon.workers()}
    daemon.expect_end = True
    for pid in named:
        # A worker ends by itself when its daemon has ended.
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    runs_free(one, [address])
