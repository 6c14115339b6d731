# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A process that lldb has stopped: observe mode can examine it without disturbing lldb."""
import shutil

import pytest
from conftest import fails
from debuggers import Lldb, check_observing_beside
from targets import stopped_threads, tracer, wait_until

pytestmark = pytest.mark.skipif(not shutil.which("lldb"), reason="lldb is not installed")


@pytest.fixture
def lldb(program):  # It checks its programs after lldb has ended.
    one = Lldb()
    yield one
    one.close()


def test_observe_beside_lldb(lldb, program, client):
    one = program("nested", 2, 3)
    lldb.attach(one)
    target = check_observing_beside(lldb, one, client)
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
    """A process has one tracer: while ours is attached, lldb is refused, and the breakpoints stay."""
    one = program("rounds", 2)
    target = client.target.attach(pid=one.pid)["target"]
    made = client.breakpoint.set(target=target, function="main")
    ours = tracer(one.pid)
    lldb.say(f"process attach --pid {one.pid}")
    lldb.leave()
    assert tracer(one.pid) == ours
    client.breakpoint.delete(target=target, breakpoint=made["breakpoint"])
    one.signal()
    assert one.read_line()["failed"] == 0
