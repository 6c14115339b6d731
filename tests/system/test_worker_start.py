# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Workers that start slowly, fail to start, or send incomplete messages: the daemon serves others meanwhile."""
import fcntl
import os
import shutil
import signal

import ompdd
import pytest
from conftest import fails
from daemons import BIN
from targets import wait_until

F_SETLEASE = 1024
# Answers its first request, then starts a message that it never ends.
HALF = """#!/usr/bin/python3
import json, sys, time
request = json.loads(sys.stdin.readline())
print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": {}}, separators=(",", ":")), flush=True)
sys.stdout.write('{"jsonrpc":"2.0","id":' + "7" * 100000); sys.stdout.flush()
sys.stdin.read()
time.sleep(1000)
"""


def test_a_slow_start_blocks_nobody(program, daemons, tmp_path):
    """The worker's program cannot be executed for a while, like a file of a slow file system."""
    for name in ("ompdd-worker", "ompdd-tracer"):
        shutil.copy(BIN / name, tmp_path / name)
    one = program("flat", 2)
    daemon = daemons("--worker", tmp_path / "ompdd-worker", "--libompd", BIN.parent / "lib" / "libompd.so")
    signal.signal(signal.SIGIO, signal.SIG_IGN)
    file = os.open(tmp_path / "ompdd-worker", os.O_WRONLY)
    fcntl.fcntl(file, F_SETLEASE, fcntl.F_WRLCK)
    with daemon.connect() as client, daemon.connect(timeout=40) as other:
        pending = client.start("target.attach", {"pid": one.pid, "mode": "observe"})
        # The kernel revokes a lease after 45 s.
        assert other.daemon.info()["targets"] == 1
        os.close(file)
        assert len(client.snapshot.get(target=pending.result()["target"])["threads"]) == 2


def test_what_does_not_start_says_why(program, daemons, tmp_path):
    daemon = daemons("--worker", tmp_path / "none")
    daemon.expect_log.append("cannot start")
    with daemon.connect() as client:
        with pytest.raises(ompdd.Error) as caught:
            client.target.attach(pid=program("flat", 1).pid, mode="observe")
        assert caught.value.name == "worker_failed"
        assert "No such file" in str(caught.value) and "--worker" in caught.value.data["hint"]
        assert client.target.list()["targets"] == []


def test_what_it_writes_cannot_control_a_terminal(program, daemons, tmp_path):
    """Also in eight-bit codes, and in characters that reverse the direction of text."""
    worker = tmp_path / "worker"
    worker.write_text("#!/bin/sh\nprintf 'evil\\033[2J\\233m\\342\\200\\256\\377\\n' >&2\n")
    worker.chmod(0o755)
    daemon = daemons("--worker", worker)
    daemon.expect_log.append("worker")
    with daemon.connect() as client:
        with fails("worker_failed"):
            client.target.attach(pid=program("flat", 1).pid, mode="observe")
        wait_until(lambda: "evil" in daemon.read_log(), "it is in the log")
    log = daemon.log.read_bytes()
    assert all(byte == 0x0a or 0x20 <= byte < 0x7f for byte in log), log
    assert rb"evil\x1b[2J\x9bm\xe2\x80\xae\xff" in log


def test_half_a_message_is_not_waited_for(program, daemons, tmp_path):
    worker = tmp_path / "worker"
    worker.write_text(HALF)
    worker.chmod(0o755)
    daemon = daemons("--worker", worker, "--request-timeout", 10000)
    daemon.expect_log.append("was incomplete|worker of")
    with daemon.wire() as wire:
        wire.send(b'{"jsonrpc":"2.0","id":1,"method":"target.attach","params":{"pid":%d}}\n' % program("flat", 1).pid)
        assert wire.read_line()["result"] == {}
        assert wire.ask("target.list")["result"]["targets"] != []
        wait_until(lambda: wire.ask("target.list")["result"]["targets"] == [], "the worker's end")
    assert "was incomplete" in daemon.read_log()
