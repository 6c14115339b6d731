# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program whose main thread left by pthread_exit() while others work can be examined like any other."""
import json

import pytest
from snapshots import check_oracle, check_structure
from targets import RUNTIME, stopped_threads, task_state, tracer, wait_until


@pytest.fixture
def leaver(program):
    one = program("leaver")
    one.expect_end = True  # A program without its main thread looks like an ended one.
    wait_until(lambda: task_state(one.pid, one.pid) == "Z", "the main thread has left")
    yield one
    wait_until(lambda: not stopped_threads(one.pid) and not any(map(tracer, one.lines)), "it runs again and nobody traces it")
    assert one.process.poll() is None


def check(leaver, result):
    snapshot = check_structure(result)
    assert set(snapshot.threads) == set(leaver.lines), "those that live, and no others"
    for line in leaver.oracle().values():
        check_oracle(snapshot, line)


def test_snapshots(mode, leaver, client):
    attached = client.target.attach(pid=leaver.pid, mode=mode)
    target = attached["target"]
    # The kernel still counts the main thread.
    assert attached["n_threads"] == len(leaver.lines) + 1 and attached["exe"].endswith("/leaver")
    assert attached["runtime"]["kind"] == RUNTIME
    for _ in range(3):
        check(leaver, client.snapshot.get(target=target))
    assert {thread["tid"] for thread in client.thread.list(target=target)["threads"]} == set(leaver.lines)
    client.target.detach(target=target)


def test_held(leaver, client):
    target = client.target.attach(pid=leaver.pid, mode="stop")["target"]
    for _ in range(3):
        client.target.stop(target=target)
        assert set(stopped_threads(leaver.pid)) == set(leaver.lines)
        check(leaver, client.snapshot.get(target=target))
        client.target.resume(target=target)


def test_stacks(leaver, client):
    target = client.target.attach(pid=leaver.pid, mode="stop")["target"]
    for tid, line in leaver.lines.items():
        functions = [frame.get("function") for frame in client.stack.get(target=target, thread=tid)["frames"]]
        assert any(name in functions for name in (["ticker"] if line["by"] == "run" else ["initial._omp_fn.0", "initial"])), functions


def test_breakpoint(leaver, client):
    target = client.target.attach(pid=leaver.pid, mode="stop")["target"]
    client.event.subscribe(types=["breakpoint"])
    client.breakpoint.set(target=target, function="tick")
    events = client.events(600)
    for _ in range(3):
        event = next(events)
        assert leaver.lines[event["tid"]]["by"] == "run"
        client.target.resume(target=target)
    client.target.detach(target=target)


def test_ompdctl(mode, leaver, ompdctl):
    result = json.loads(ompdctl("-p", leaver.pid, "snapshot", "--json", "--mode", mode).stdout)
    check(leaver, result)
    assert "initial._omp_fn.0" in ompdctl("-p", leaver.pid, "tree", "--mode", mode).stdout
