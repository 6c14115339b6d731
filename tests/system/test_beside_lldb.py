# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A process that lldb has attached to and stopped: observe mode looks at it all the same, and leaves lldb's work alone."""
import os
import shutil
import subprocess

import pytest
from conftest import fails
from snapshots import check_oracle, check_structure
from targets import read_text, stopped_threads, tracer, wait_until

pytestmark = pytest.mark.skipif(not shutil.which("lldb"), reason="lldb is not installed")


class Lldb:
    """An interactive lldb, told what to do through a pipe. It traces by a server of its own."""

    def __init__(self):
        self.process = subprocess.Popen(["lldb", "--no-lldbinit", "--no-use-colors"], stdin=subprocess.PIPE,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True,
                                        env={**os.environ, "DEBUGINFOD_URLS": ""})

    def say(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def attach(self, program):
        self.say(f"process attach --pid {program.pid}")
        wait_until(lambda: tracer(program.pid) and len(stopped_threads(program.pid)) == len(program.lines),
                   "lldb has stopped all threads", timeout=60)
        assert "lldb-server" in read_text(f"/proc/{tracer(program.pid)}/comm")

    def quit(self):
        self.say("process detach")
        self.say("quit")
        self.process.wait(60)

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()


@pytest.fixture
def lldb(program):  # which judges its programs when lldb is gone
    one = Lldb()
    yield one
    one.close()


def test_observe_beside_lldb(lldb, program, client):
    one = program("nested", 2, 3)
    lldb.attach(one)
    server = tracer(one.pid)
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    result = client.snapshot.get(target=target)
    assert result["consistency"] == "stopped", "lldb holds it, so what is read is consistent"
    snapshot = check_structure(result)
    for line in one.oracle().values():
        check_oracle(snapshot, line)
    assert client.icv.list(target=target)["consistency"] == "stopped"
    stack = client.stack.get(target=target, thread=one.pid)
    assert stack["consistency"] == "stopped" and stack["frames"]
    assert tracer(one.pid) == server and len(stopped_threads(one.pid)) == len(one.lines), "lldb's work is undisturbed"
    lldb.say("process continue")
    wait_until(lambda: not stopped_threads(one.pid), "lldb lets it run")
    result = client.snapshot.get(target=target)
    assert result["consistency"] == "racy" and len(result["threads"]) == len(one.lines)
    lldb.say("process interrupt")
    wait_until(lambda: len(stopped_threads(one.pid)) == len(one.lines), "lldb stops it again")
    assert client.snapshot.get(target=target)["consistency"] == "stopped"
    lldb.quit()


def test_stop_mode_names_lldb(lldb, program, client):
    one = program("flat", 3)
    lldb.attach(one)
    with fails("already_traced") as failure:
        client.target.attach(pid=one.pid, mode="stop")
    assert "lldb" in failure.error.data["tracer"] and int(failure.error.data["tracer_pid"]) == tracer(one.pid)
    assert "observe" in failure.error.hint
    lldb.quit()
    wait_until(lambda: not tracer(one.pid), "lldb has left")
    target = client.target.attach(pid=one.pid, mode="stop")["target"]
    assert len(client.snapshot.get(target=target)["threads"]) == 3


def test_lldb_comes_while_a_target_has_breakpoints(lldb, program, client):
    """There is one tracer: while ours is there lldb gets nothing, and the breakpoints stay."""
    one = program("rounds", 2)
    target = client.target.attach(pid=one.pid)["target"]
    made = client.breakpoint.set(target=target, function="main")
    ours = tracer(one.pid)
    lldb.say(f"process attach --pid {one.pid}")
    lldb.say("quit")
    lldb.process.wait(60)
    assert tracer(one.pid) == ours
    client.breakpoint.delete(target=target, breakpoint=made["breakpoint"])
    one.signal()
    assert one.read_line()["failed"] == 0
