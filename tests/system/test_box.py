# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an OMPD library that turns hostile is let: to read, and to make threads; and nothing is lost by its attempts."""
import os
import pathlib
import re

import ompdd
import pytest
from cores import gcore
from targets import PROGRAMS, wait_until

GRASPING = PROGRAMS / "libompd_grasping.so"
TRACE = pathlib.Path("/tmp/ompdd-grasping-plugin")


def box_of(client):
    return client.daemon.info()["box"]


def reached(log):
    return dict(re.findall(r"REACH (\S+) (\S+)", log))


def attach(client, how, one, tmp_path):
    if how == "core":
        return client.target.open_core(core=str(gcore(one, tmp_path)), exe=os.readlink(f"/proc/{one.pid}/exe"))
    return client.target.attach(pid=one.pid, mode=how)


@pytest.mark.parametrize("how", ["observe", "stop", "core"])
def test_hostile_plugin_reaches_nothing(how, program, daemons, tmp_path):
    daemon = daemons("--libompd", GRASPING)
    daemon.expect_log.append("calls were refused")
    one = program("flat", 2)
    with daemon.connect() as client:
        box = box_of(client)
        if not box["seccomp"]:
            pytest.skip("; ".join(box_of(client)["gaps"]))
        assert box["refused_calls"] == 0
        target = attach(client, how, one, tmp_path)["target"]
        assert len(client.snapshot.get(target=target)["threads"]) == 2, "the library goes on as if nothing were"
        wait_until(lambda: "REACH end" in daemon.read_log(), "the library has tried everything")
        found = reached(daemon.read_log())
        allowed = {name for name in found if name.startswith("allowed-")}
        assert len(allowed) == 4 and all(found[name] == "ok" for name in allowed), found
        refused = {name: result for name, result in found.items() if name not in allowed and name != "end"}
        assert len(refused) == 39, sorted(refused)
        let_through = {name for name, result in refused.items() if result == "ok"}
        assert not let_through, let_through
        for name in refused:
            assert refused[name] == "EPERM" or (how == "core" and refused[name] == "EACCES"), (name, refused[name])
        after = client.daemon.info()["box"]
        assert after["refused_calls"] >= 30
        assert bool(after["gaps"]) == (not after["landlock"])
        assert re.search(r"box: \d+ system calls were refused during target\.(attach|open_core), the last one: \w+", daemon.read_log())
    assert not os.path.lexists(TRACE)
    assert one.process.poll() is None


def test_stops_and_breakpoints_from_inside(program, daemon):
    """All that needs another process or the right to trace is asked for outside of the box: nothing is refused."""
    one = program("points", 2)
    with daemon.connect() as client:
        target = client.target.attach(pid=one.pid)["target"]
        client.target.stop(target=target)
        assert client.target.info(target=target)["state"] == "held"
        client.target.resume(target=target)
        made = client.breakpoint.set(target=target, function="main")
        client.breakpoint.delete(target=target, breakpoint=made["breakpoint"])
        client.target.detach(target=target)
        assert client.daemon.info()["box"]["refused_calls"] == 0


def status_of(pid):
    return dict(line.split(":\t", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if ":\t" in line)


def test_worker_is_in_the_box(program, daemon):
    """As /proc tells it: the thread that looks is filtered and can gain no rights."""
    one = program("flat", 2)
    with daemon.connect() as client:
        if not box_of(client)["seccomp"]:
            pytest.skip("; ".join(box_of(client)["gaps"]))
        client.target.attach(pid=one.pid, mode="observe")
        worker, = daemon.workers()
        status = status_of(worker)
        assert status["Seccomp"] == "2" and status["NoNewPrivs"] == "1"
