# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tight limits of the environment suffice, or the answer names the missing part."""
import json
import resource

import pytest
from daemons import BIN
from targets import read_text


def files(n):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (n, n))


@pytest.mark.parametrize("mode", ["observe", "stop"])
def test_few_descriptors(mode, ompdctl, program):
    """ulimit -n 64"""
    one = program("nested", 2, 2)
    done = ompdctl("-p", one.pid, "--mode", mode, "snapshot", "--json", preexec_fn=files(64))
    assert {thread["tid"] for thread in json.loads(done.stdout)["threads"]} == set(one.lines)


def test_a_daemon_with_few_descriptors(mode, daemons, program, tmp_path):
    """ulimit -n 64 of the daemon: its workers start and examine targets."""
    few = tmp_path / "few"
    few.mkdir()
    (few / "ompdd").write_text(f'#!/bin/sh\nulimit -n 64\nexec {BIN}/ompdd "$@"\n')
    (few / "ompdd").chmod(0o755)
    one = program("nested", 2, 2)
    daemon = daemons(programs=few)
    with daemon.connect() as client:
        target = client.target.attach(pid=one.pid, mode=mode)["target"]
        assert "Max open files            64                   64 " in read_text(f"/proc/{daemon.worker()}/limits")
        assert {thread["tid"] for thread in client.snapshot.get(target=target)["threads"]} == set(one.lines)
