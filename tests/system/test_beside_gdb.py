# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A process that gdb has stopped: observe mode can examine it, and stop mode names the tracer."""
import shutil

import pytest
from conftest import fails
from debuggers import Gdb, check_observing_beside
from targets import stopped_threads, tracer, wait_until

pytestmark = pytest.mark.skipif(not shutil.which("gdb"), reason="gdb is not installed")


@pytest.fixture
def gdb(program):  # It checks its programs after gdb has ended.
    one = Gdb()
    yield one
    one.close()


def test_observe_beside_gdb(gdb, program, client):
    one = program("nested", 2, 3)
    gdb.attach(one)
    check_observing_beside(gdb, one, client)


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


def test_gdb_tells_registers(gdb, program, client):
    """Stacks of a thread that gdb holds are trusted only as far as the kernel confirms them, and only while the thread
    is stopped.
    """
    one = program("flat", 2)
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    registers = ["0x0"] * 17
    assert not client.thread.registers(target=target, thread=one.pid, registers=registers)["taken"], "nobody holds it"
    gdb.attach(one)
    assert not client.thread.registers(target=target, thread=one.pid, registers=registers)["taken"], "it stands elsewhere"
    before = client.stack.get(target=target, thread=one.pid)["frames"]
    registers[7], registers[16] = before[0]["sp"], before[0]["pc"]
    assert client.thread.registers(target=target, thread=one.pid, registers=registers)["taken"]
    for wrong in (registers[:16], [*registers, "0x0"], ["0"] * 17, ["0x"] * 17, ["-0x1"] * 17, ["0x00000000000000001"] * 17, ["0xg"] * 17):
        with fails("invalid_params"):
            client.call("thread.registers", target=target, thread=one.pid, registers=wrong, validate=False)
    gdb.say(gdb.CONTINUE)
    wait_until(lambda: not stopped_threads(one.pid), "gdb lets it run")
    assert not client.thread.registers(target=target, thread=one.pid, registers=registers)["taken"]
    wait_until(lambda: client.stack.get(target=target, thread=one.pid)["frames"] == before, "it sleeps where it was, with its own registers")
    gdb.close()


def test_registers_are_told_in_observe_mode_only(program, client):
    one = program("flat", 2)
    target = client.target.attach(pid=one.pid, mode="stop")["target"]
    with fails("mode_unsupported"):
        client.thread.registers(target=target, thread=one.pid, registers=["0x0"] * 17)


def test_gdb_comes_while_a_target_is_attached(gdb, program, client):
    """Between its captures ompdd does not trace: gdb takes the process, ompdd reports that, and continues when gdb has
    detached.
    """
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
