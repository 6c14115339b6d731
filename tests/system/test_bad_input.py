# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes that cannot be examined, and targets that change: each gets one clear error with a stable name and a hint."""
import ctypes
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

import ompdd
import pytest
import validator
from conftest import fails
from snapshots import check_structure
from targets import BUILD, PROGRAMS, SYSCALL, alive, stopped_threads, system_call, task_state, tracer, wait_until


# Processes that cannot be examined.

def free_pid():
    """A pid without a process."""
    limit = int(pathlib.Path("/proc/sys/kernel/pid_max").read_text())
    return next(pid for pid in range(limit - 1, 1, -1) if not os.path.exists(f"/proc/{pid}"))


def test_no_such_pid(mode, client, bystander):
    pid = free_pid()
    with fails("no_such_process") as failure:
        client.target.attach(pid=pid, mode=mode)
    assert str(pid) in str(failure.error)
    assert client.target.list()["targets"] == [] or len(client.target.list()["targets"]) == 1


def test_pid_of_a_thread_is_no_process(mode, program, client):
    one = program("flat", 2)
    tid = next(tid for tid in one.lines if tid != one.pid)
    with fails("no_such_process"):
        client.target.attach(pid=tid, mode=mode)


def test_zombie(mode, program, client):
    one = program("plain")
    one.expect_end = True
    one.signal(signal.SIGKILL)
    wait_until(lambda: not alive(one.pid), "a zombie")
    with fails("target_exiting"):
        client.target.attach(pid=one.pid, mode=mode)


# The main thread ends alone, by the system call itself. Another thread prints its pid and continues.
WITHOUT_MAIN_THREAD = """
import ctypes, os, sys, threading
def work():
    print(os.getpid(), flush=True)
    sys.stdin.read()
    os._exit(0)
threading.Thread(target=work).start()
ctypes.CDLL(None).syscall(60, 0)
"""


def test_main_thread_has_ended(mode, client, bystander):
    with subprocess.Popen([sys.executable, "-c", WITHOUT_MAIN_THREAD], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        wait_until(lambda: task_state(process.pid, process.pid) == "Z", "the main thread has ended")
        target = client.target.attach(pid=process.pid, mode=mode)["target"]
        with fails("no_openmp_runtime"):
            client.snapshot.get(target=target)
        assert process.poll() is None
        process.stdin.close()


def test_list_of_threads_in_a_circle(mode, program, daemon, client):
    """ompdd follows the circle once and finds all threads."""
    used = {}
    for name in ("flat", "circle"):
        target = client.target.attach(pid=program(name).pid, mode=mode)["target"]
        threads = client.snapshot.get(target=target)["threads"]
        assert all(thread["thread_num"] in range(len(threads)) for thread in threads) and len(threads) > 1, threads
        # Nanoseconds of processor time. Following it up to a limit takes thirty times as many.
        used[name] = int(pathlib.Path(f"/proc/{daemon.worker()}/schedstat").read_text().split()[0])
        client.target.detach(target=target)
        wait_until(lambda: not daemon.workers(), "its worker has ended")
    assert used["circle"] < 3 * used["flat"] + 1e8, used


def elf32(code, machine):
    """The smallest program of 32 bits that the kernel accepts: one segment with the whole file."""
    base, head = 0x08048000, 52 + 32
    size = head + len(code)
    return struct.pack("<4sBBBB8xHHIIIIIHHHHHH", b"\x7fELF", 1, 1, 1, 0, 2, machine, 1, base + head, 52, 0, 0, 52, 32, 1, 0, 0, 0) + \
        struct.pack("<8I", 1, 0, base, base, size, size, 5, 4096) + code


def test_program_of_32_bits(mode, client, bystander, tmp_path):
    path = tmp_path / "small"
    # mov $29 (pause), %eax; int $0x80; jmp back
    path.write_bytes(elf32(bytes.fromhex("b81d000000cd80ebf7"), machine=3))
    path.chmod(0o755)
    try:
        process = subprocess.Popen([path], stdin=subprocess.DEVNULL)
    except OSError as error:
        pytest.skip(f"this kernel runs no program of 32 bits: {error}")
    try:
        with fails("unsupported_architecture") as failure:
            client.target.attach(pid=process.pid, mode=mode)
        assert "32-bit" in str(failure.error) and failure.error.data["machine"] == "3", failure.error.data
        assert failure.error.hint
        assert process.poll() is None and not stopped_threads(process.pid)
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def nobodys_ompdd():
    """A private ompdd that runs as user `nobody` (if we are root), or as ourselves, where init belongs to another user.
    """
    folder = pathlib.Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o755)
    (folder / "bin").mkdir()
    for name in ("ompdd", "ompdd-worker"):  # The user `nobody` may not be able to read the build.
        shutil.copy(BUILD / "bin" / name, folder / "bin" / name)
    options = {"user": 65534, "group": 65534, "extra_groups": []} if os.getuid() == 0 else {}
    client = ompdd.spawn(folder / "bin" / "ompdd", validator=validator, cwd="/", **options)
    yield client
    client.close()
    shutil.rmtree(folder)


def test_process_of_another_user(mode, program, nobodys_ompdd):
    pid = program("flat", 2).pid if os.getuid() == 0 else 1
    with fails("permission_denied") as failure:
        nobodys_ompdd.target.attach(pid=pid, mode=mode)
    assert "as root" in failure.error.hint and "uid" in str(failure.error), failure.error.data
    assert not stopped_threads(pid)
    assert nobodys_ompdd.daemon.info()["targets"] == 0


def test_daemon_and_workers_are_no_targets(mode, program, daemon, client):
    with fails("self_attach"):
        client.target.attach(pid=daemon.pid, mode=mode)
    one = program("flat", 2)
    client.target.attach(pid=one.pid, mode="observe")
    with fails("self_attach"):
        client.target.attach(pid=daemon.worker(), mode=mode)


@pytest.fixture
def traced(program):
    """A program that this process traces."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.restype = ctypes.c_long
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    one = program("flat", 3)
    for tid in one.lines:
        assert libc.ptrace(0x4206, tid, None, None) == 0, ctypes.get_errno()  # PTRACE_SEIZE
    yield one
    for tid in one.lines:
        libc.ptrace(0x4207, tid, None, None)  # PTRACE_INTERRUPT
        os.waitpid(tid, 0x40000000)  # __WALL
        assert libc.ptrace(17, tid, None, None) == 0  # PTRACE_DETACH


def test_already_traced_process(traced, client, bystander):
    with fails("already_traced") as failure:
        client.target.attach(pid=traced.pid, mode="stop")
    assert int(failure.error.data["tracer_pid"]) == os.getpid()
    assert "python" in failure.error.data["tracer"] or "pytest" in failure.error.data["tracer"]
    assert "observe" in failure.error.data["hint"]
    target = client.target.attach(pid=traced.pid, mode="observe")["target"]
    assert len(check_structure(client.snapshot.get(target=target)).threads) == 3


# Targets that change during a request.

def attached(client, program, mode, *args):
    one = program(*args)
    return one, client.target.attach(pid=one.pid, mode=mode)["target"]


def test_target_exits(mode, program, client, bystander):
    one, target = attached(client, program, mode, "events", "exit")
    client.snapshot.get(target=target)
    one.expect_end = True
    one.signal()
    wait_until(lambda: not alive(one.pid), "the exit")
    for method in ("snapshot.get", "thread.list"):
        with fails("target_exited"):
            client.call(method, {"target": target})
    # The memory disappears before the last thread.
    wait_until(lambda: client.target.info(target=target)["state"] == "exited", "the end of its last thread")
    client.target.detach(target=target)


def test_target_crashes_while_it_is_watched(mode, program, client, bystander):
    one, target = attached(client, program, mode, "events", "crash")
    client.snapshot.get(target=target)
    one.expect_end = True
    one.signal()
    # The main thread may end before the others. ompdd examines them as long as they exist.
    wait_until(lambda: client.target.info(target=target)["state"] == "exited", "the end of its last thread")
    with fails("target_exited"):
        client.snapshot.get(target=target)
    assert one.process.wait() == -signal.SIGABRT, "the signal is the program's own"


def test_target_execs(mode, program, client, bystander):
    one, target = attached(client, program, mode, "events", "exec")
    client.snapshot.get(target=target)
    one.signal()
    one.wait_ready()  # The new program has printed its lines.
    with fails("target_exec"):
        client.snapshot.get(target=target)
    client.target.detach(target=target)
    again = client.target.attach(pid=one.pid, mode=mode)["target"]
    assert len(check_structure(client.snapshot.get(target=again)).threads) == 4


def test_target_forks(mode, program, client):
    """The child is another process: it is not stopped or traced, and the parent still answers."""
    one, target = attached(client, program, mode, "events", "fork")
    client.snapshot.get(target=target)
    one.signal()
    child = one.read_line()["child"]
    try:
        assert len(client.snapshot.get(target=target)["threads"]) == 4
        wait_until(lambda: not stopped_threads(child) and not tracer(child), "the child runs untraced")
        assert alive(child)
    finally:
        os.kill(child, signal.SIGKILL)


def test_target_forks_while_it_is_held(program, client):
    """A held target creates no threads: nothing runs in it. The request takes effect after the release."""
    one, target = attached(client, program, "stop", "events", "fork")
    client.target.stop(target=target)
    one.signal()
    assert len(client.snapshot.get(target=target)["threads"]) == 4
    client.target.resume(target=target)
    child = one.read_line()["child"]
    wait_until(lambda: not stopped_threads(child) and not tracer(child), "the child runs untraced")
    os.kill(child, signal.SIGKILL)


def test_new_threads_of_a_target_are_seen(mode, program, client):
    one, target = attached(client, program, mode, "events", "grow")
    assert len(client.snapshot.get(target=target)["threads"]) == 4
    one.signal()
    assert one.read_line() == {"threads": 10}
    result = client.snapshot.get(target=target)
    assert [thread["openmp"] for thread in result["threads"]].count(False) == 10


def test_signal_that_comes_during_a_stop_is_delivered(program, client):
    one, target = attached(client, program, "stop", "events", "grow")
    client.target.stop(target=target)
    one.signal()
    client.target.resume(target=target)
    assert one.read_line() == {"threads": 10}


# Programs without a usable OpenMP runtime.

def test_no_openmp_runtime(mode, program, client, bystander):
    one, target = attached(client, program, mode, "plain")
    for method in ("snapshot.get", "thread.list", "parallel.list", "task.list", "icv.list", "device.list", "target_region.list"):
        with fails("no_openmp_runtime"):
            client.call(method, {"target": target})


def test_runtime_that_never_entered_a_region(mode, program, client, bystander):
    one, target = attached(client, program, mode, "never")
    with fails("openmp_not_started"):
        client.snapshot.get(target=target)


def test_runtime_that_is_being_relocated(mode, program, client):
    """Too early, the runtime is not ready. It is readable right afterwards."""
    one = program("unready", 4, wait=False)
    wait_until(lambda: system_call(one.pid, one.pid) in SYSCALL["read"], "the dynamic linker asks its library")
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    with fails("openmp_not_started"):
        client.snapshot.get(target=target)
    one.process.stdin.write(b"\n")
    one.process.stdin.flush()
    one.wait_ready()
    view = check_structure(client.snapshot.get(target=target))
    assert {tid: thread["thread_num"] for tid, thread in view.threads.items()} == \
        {tid: line["thread_num"] for tid, line in one.lines.items()}


def test_runtime_that_comes_later(mode, program, client):
    one = program("dlopen", PROGRAMS / "dlopen_part.so", "late")
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    with fails("no_openmp_runtime"):
        client.snapshot.get(target=target)
    one.signal()
    one.wait_ready()
    assert len(check_structure(client.snapshot.get(target=target)).threads) == 5


def test_unknown_layout(mode, program, client, bystander):
    one, target = attached(client, program, mode, "strange_user")
    with fails("unknown_layout") as failure:
        client.snapshot.get(target=target)
    assert failure.error.data["path"].endswith("strange/libgomp.so.1"), failure.error.data
    assert "build_id" in failure.error.data
