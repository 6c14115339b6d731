# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A process that gdb has attached to and stopped: observe mode looks at it all the same; stop mode says who is there."""
import shutil

import pytest
from conftest import fails
from debuggers import Gdb, check_observing_beside
from targets import tracer, wait_until

pytestmark = pytest.mark.skipif(not shutil.which("gdb"), reason="gdb is not installed")


@pytest.fixture
def gdb(program):  # which judges its programs when gdb is gone
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
