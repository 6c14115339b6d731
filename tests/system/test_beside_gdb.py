# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A process that gdb has attached to and stopped: observe mode looks at it all the same; stop mode says who is there."""
import os
import shutil
import subprocess

import pytest
from conftest import fails
from snapshots import check_oracle, check_structure
from targets import stopped_threads, tracer, wait_until

pytestmark = pytest.mark.skipif(not shutil.which("gdb"), reason="gdb is not installed")


class Gdb:
    """An interactive gdb, told what to do through a pipe."""

    def __init__(self):
        self.process = subprocess.Popen(["gdb", "-nx", "-q", "-ex", "set confirm off", "-ex", "set pagination off"],
                                        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True,
                                        env={**os.environ, "DEBUGINFOD_URLS": ""})

    def say(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def attach(self, program):
        self.say(f"attach {program.pid}")
        wait_until(lambda: tracer(program.pid) == self.process.pid and len(stopped_threads(program.pid)) == len(program.lines),
                   "gdb has stopped all threads", timeout=60)

    def quit(self):
        self.say("detach")
        self.say("quit")
        self.process.wait(60)

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()


@pytest.fixture
def gdb(program):  # which judges its programs when gdb is gone
    one = Gdb()
    yield one
    one.close()


def test_observe_beside_gdb(gdb, program, client):
    one = program("nested", 2, 3)
    gdb.attach(one)
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    result = client.snapshot.get(target=target)
    assert result["consistency"] == "stopped", "gdb holds it, so what is read is consistent"
    snapshot = check_structure(result)
    for line in one.oracle().values():
        check_oracle(snapshot, line)
    assert tracer(one.pid) == gdb.process.pid and len(stopped_threads(one.pid)) == len(one.lines), "gdb's work is undisturbed"
    gdb.say("continue")
    wait_until(lambda: not stopped_threads(one.pid), "gdb lets it run")
    result = client.snapshot.get(target=target)
    assert result["consistency"] == "racy"
    assert len(result["threads"]) == len(one.lines)


def test_stop_mode_names_gdb(gdb, program, client):
    one = program("flat", 3)
    gdb.attach(one)
    with fails("already_traced") as failure:
        client.target.attach(pid=one.pid, mode="stop")
    assert failure.error.data["tracer"] == "gdb" and int(failure.error.data["tracer_pid"]) == gdb.process.pid
    assert "gdb" in str(failure.error) and "observe" in failure.error.hint
    gdb.quit()
    target = client.target.attach(pid=one.pid, mode="stop")["target"]
    assert len(client.snapshot.get(target=target)["threads"]) == 3


def test_gdb_comes_while_a_target_is_attached(gdb, program, client):
    """Between its captures ompdd is no tracer: gdb takes the process, ompdd says so, and goes on when gdb has left."""
    one = program("flat", 3)
    target = client.target.attach(pid=one.pid, mode="stop")["target"]
    assert len(client.snapshot.get(target=target)["threads"]) == 3
    gdb.attach(one)
    with fails("already_traced") as failure:
        client.snapshot.get(target=target)
    assert failure.error.data["tracer"] == "gdb"
    gdb.quit()
    wait_until(lambda: not tracer(one.pid), "gdb has left")
    assert len(client.snapshot.get(target=target)["threads"]) == 3
