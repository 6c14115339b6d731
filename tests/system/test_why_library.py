# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Waits for objects of the C library: named, and followed to their holders where memory names these."""
import os
import threading

import pytest
from conftest import TRIALS, runtimes_and_modes
from cores import gcore
from hangs import RUNTIMES, diagnose_until, here, is_blocked, start
from snapshots import diagnose

PAIRS = runtimes_and_modes(RUNTIMES)


def first_claims(result):
    return [claim["text"] for claim in result["findings"][0]["claims"]]


@pytest.mark.parametrize("runtime, mode", PAIRS)
def test_a_lock_that_is_written(runtime, mode, program, client, tmp_path):
    one = start(program, "rwlock", runtime, "written", env={"OMP_STACKSIZE": "128K"})
    result = diagnose_until(client, one.pid, lambda r: is_blocked(r) and r["findings"][0].get("waits_for") == "rwlock", mode)
    results = [result]
    if mode == "stop":
        results.append(client.diagnose.get(target=client.target.open_core(core=str(gcore(one, tmp_path)))["target"]))
    for result in results:
        first = result["findings"][0]
        assert (first["kind"], first["thing"], first["certainty"]) == ("blocked", "rwlock table", "proven"), result
        assert [thread["thread_num"] for thread in first["threads"]] == [1]
        assert any(text.endswith(") holds it: the lock names it as its writer") for text in first_claims(result)), first


@pytest.mark.parametrize("runtime, mode", PAIRS)
def test_a_lock_that_is_read(runtime, mode, program, client):
    """The C library counts readers and does not store them: none is accused."""
    one = start(program, "rwlock", runtime, "read")
    readers = "sleeps in pthread_rwlock_wrlock() for rwlock table, which 1 thread holds for reading"
    result = diagnose_until(client, one.pid, lambda r: r["verdict"] == "blocked" and any(readers in f["title"] for f in r["findings"]), mode)
    assert all(f["waits_for"] == "barrier" for f in result["findings"]), result


@pytest.mark.parametrize("runtime, mode", PAIRS)
def test_a_reader_behind_a_writer(runtime, mode, program, client):
    """It is one lock: the waiting writer goes first, and waits for a reader."""
    one = start(program, "rwlock", runtime)
    result = diagnose_until(client, one.pid, lambda r: is_blocked(r) and r["findings"][0].get("waits_for") == "rwlock", mode)
    assert "thread 2 (" in result["title"] and ") is the next to write and sleeps in pthread_rwlock_wrlock() for rwlock table, which 1 thread holds for reading; " in result["title"]
    assert any(text.endswith(") holds it: it waits to write, and the lock lets it go first") for text in first_claims(result))


@pytest.mark.parametrize("runtime, mode", PAIRS)
@pytest.mark.parametrize("name, thing", (("condition", "condition variable filled"), ("semaphore", "semaphore ready")))
def test_objects_without_a_holder(name, thing, runtime, mode, program, client):
    one = start(program, name, runtime)
    result = diagnose_until(client, one.pid, lambda r: r["verdict"] == "blocked" and r["title"].endswith(f"_wait() for {thing}"), mode)
    assert any(f"{name}.c:{line}" in text and f"for {thing}" in text for text in first_claims(result) for line in here(name)), result


@pytest.mark.parametrize("runtime, mode", PAIRS)
def test_the_end_of_a_thread(runtime, mode, program, client):
    if runtime == "libomp" and mode == "observe":
        pytest.skip("there threads spin at locks: one moment is needed")
    one = start(program, "join_lock", runtime)
    result = diagnose_until(client, one.pid, lambda r: r["verdict"] == "deadlock", mode)
    assert "wait for each other: the end of thread " in result["title"] and "nestable lock" in result["title"], result


@pytest.mark.parametrize("runtime, mode", PAIRS)
def test_an_allocation_in_a_signal_handler(runtime, mode, program, client, tmp_path):
    """The code below the handler holds the arena. Nothing in memory names the holder, only the stacks of one moment do."""
    # Threads that spin at the barrier run: in observe mode their stacks are of no moment.
    one = start(program, "malloc_signal", runtime, env={"OMP_WAIT_POLICY": "passive", "KMP_BLOCKTIME": "0"})
    result = diagnose_until(client, one.pid, lambda r: r["verdict"] == "deadlock", mode)
    results = [result]
    if mode == "stop":
        results.append(client.diagnose.get(target=client.target.open_core(core=str(gcore(one, tmp_path)))["target"]))
    for result in results:
        first = result["findings"][0]
        assert (first["kind"], first["waits_for"], first["certainty"]) == ("cycle", "malloc_arena", "proven"), result
        assert "waits for the lock of an arena of malloc, which it holds itself" in first["title"]
        claims = first_claims(result)
        assert any(f"in on_signal() at malloc_signal.c:{line}" in text for text in claims for line in here("malloc_signal")), claims
        assert any("its signal handler interrupted malloc, and no other thread executes malloc" in text for text in claims), claims
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    names = [frame["function"] for frame in client.stack.get(target=target, thread=one.pid)["frames"]]
    handler = names.index("on_signal")
    assert names[handler + 1] == "<signal handler called>" and names.index("allocate") > handler, names


@pytest.mark.parametrize("runtime, mode", PAIRS)
def test_threads_that_share_an_arena(runtime, mode, program, client):
    one = start(program, "malloc_signal", runtime, "crowd")
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    for _ in range(max(5, TRIALS // 4)):
        result = diagnose(client, target)
        assert result["verdict"] not in ("deadlock", "blocked"), result


@pytest.fixture
def pipe(tmp_path):
    """Return a named pipe that this process has open for reading."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    yield path, reader
    os.close(reader)


@pytest.mark.parametrize("runtime, mode", PAIRS)
def test_a_unit_of_fortran(runtime, mode, pipe, program, client, tmp_path):
    path, reader = pipe
    one = start(program, "unit_f", runtime, str(path), env={"OMP_STACKSIZE": "256K"})
    result = diagnose_until(client, one.pid, lambda r: is_blocked(r) and r["findings"][0].get("waits_for") == "pthread_mutex", mode)
    results = [result]
    if mode == "stop":
        results.append(client.diagnose.get(target=client.target.open_core(core=str(gcore(one, tmp_path)))["target"]))
    for result in results:
        first = result["findings"][0]
        assert (first["thing"], first["certainty"], first["n_waiting"]) == ("the lock of Fortran unit 10", "proven", 2), result
        assert first["threads"][0]["place"]["location"]["line"] in here("unit_f"), first
        assert any(text.endswith(") holds it: the mutex names it as its holder") for text in first_claims(result)), first

    # With a reader each thread gets the lock in turn: none blocks the others.
    ended = threading.Event()

    def drain():
        while not ended.is_set():
            try:
                os.read(reader, 1 << 20)
            except BlockingIOError:
                ended.wait(0.0001)
    thread = threading.Thread(target=drain)
    thread.start()
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    try:
        for _ in range(5):
            result = diagnose(client, target)
            assert result["verdict"] != "deadlock" and not is_blocked(result), result
    finally:
        ended.set()
        thread.join()
