# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The target cannot notice that it was watched: after snapshots, holds, breakpoints and steps its calls have returned,
its signals have arrived and its sums are right, as in an undisturbed run. OMPDD_WATCHES is the number of rounds.
"""
import os
import pathlib
import re

import pytest
from control import attach

WATCHES = int(os.environ.get("OMPDD_WATCHES", "20"))
# Calls that may return EINTR: SECURITY.md names them.
TIMED = {"timed epoll_wait", "timed recv", "timed accept", "timed semtimedop", "timed sigtimedwait"}
EXCEPTED = TIMED | ({"epoll_wait", "semop", "sigwaitinfo"} if os.uname().machine == "aarch64" else set())


def snapshots(client, program):
    target = client.target.attach(pid=program.pid, mode="stop")["target"]
    for _ in range(WATCHES):
        client.snapshot.get(target=target)
    client.target.detach(target=target)


def holds(client, program):
    target = client.target.attach(pid=program.pid, mode="stop")["target"]
    for _ in range(WATCHES):
        client.target.stop(target=target)
        client.thread.list(target=target)
        client.target.resume(target=target)
    client.target.detach(target=target)


def breakpoints(client, program):
    target, hits = attach(client, program)
    client.breakpoint.set(target=target, function="leaf")
    for _ in range(WATCHES):
        hits.next()
        client.target.resume(target=target)
    client.target.detach(target=target)


def steps(client, program):
    target, hits = attach(client, program)
    client.breakpoint.set(target=target, function="leaf")
    for _ in range(WATCHES):
        hit = hits.next()
        for _ in range(3):
            client.target.step(target=target, thread=hit["tid"], kind="instruction")
        client.target.resume(target=target)
    client.target.detach(target=target)


def nothing(_client, _program):
    pass


@pytest.mark.parametrize("watch", [nothing, snapshots, holds, breakpoints, steps])
def test_the_target_cannot_tell(watch, program, client):
    one = program("watched")
    watch(client, one)
    one.expect_end = True
    one.signal()
    report = one.read_line()
    assert one.process.wait() == 0
    assert not any(report["lost"].values()) and not any(report["wrong"].values()), report
    for name, counts in report["calls"].items():
        may_be_interrupted = watch is not nothing and name in EXCEPTED
        assert may_be_interrupted or not counts["eintr"], f"{name}: {counts}"
        assert not counts["other"] and not counts["early"], f"{name}: {counts}"


def test_exceptions_are_documented():
    text = (pathlib.Path(__file__).parents[2] / "SECURITY.md").read_text()
    for name in TIMED:
        assert re.search(rf"`{name.removeprefix('timed ')}`", text), f"SECURITY.md does not name {name}"
