# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each kind of bad input gets one clear error with a stable name and a hint, and nothing else suffers."""
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

PLUGIN_DIR = PROGRAMS
# Short, so that a library that hangs does not hold up the suite.
SHORT = ["--plugin-timeout", "1000"]


# Processes that cannot be looked at.

def free_pid():
    """A pid that nobody has."""
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


# The main thread ends alone, by the system call itself; another thread says its pid and goes on.
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
    """It is followed once around, and all its threads are found."""
    used = {}
    for name in ("flat", "circle"):
        target = client.target.attach(pid=program(name).pid, mode=mode)["target"]
        threads = client.snapshot.get(target=target)["threads"]
        assert all(thread["thread_num"] in range(len(threads)) for thread in threads) and len(threads) > 1, threads
        # Nanoseconds of processor time; followed until a limit ends it, it takes thirty times as many.
        used[name] = int(pathlib.Path(f"/proc/{daemon.worker()}/schedstat").read_text().split()[0])
        client.target.detach(target=target)
        wait_until(lambda: not daemon.workers(), "its worker has ended")
    assert used["circle"] < 3 * used["flat"] + 1e8, used


def elf32(code, machine):
    """The least that the kernel takes for a program of 32 bits: one segment, which holds all of the file."""
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
    """A private ompdd that runs as nobody (we being root), or as ourselves, for whom init is somebody else's."""
    folder = pathlib.Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o755)
    (folder / "bin").mkdir()
    for name in ("ompdd", "ompdd-worker"):  # the build may lie where nobody can read
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
    """A program that this very process traces."""
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


# Targets that change under the hand.

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
    # The memory goes before the last thread does.
    wait_until(lambda: client.target.info(target=target)["state"] == "exited", "the end of its last thread")
    client.target.detach(target=target)


def test_target_crashes_while_it_is_watched(mode, program, client, bystander):
    one, target = attached(client, program, mode, "events", "crash")
    client.snapshot.get(target=target)
    one.expect_end = True
    one.signal()
    # The main thread may go before the others do, and these are looked at as long as they are there.
    wait_until(lambda: client.target.info(target=target)["state"] == "exited", "the end of its last thread")
    with fails("target_exited"):
        client.snapshot.get(target=target)
    assert one.process.wait() == -signal.SIGABRT, "the signal is the program's own"


def test_target_execs(mode, program, client, bystander):
    one, target = attached(client, program, mode, "events", "exec")
    client.snapshot.get(target=target)
    one.signal()
    one.wait_ready()  # the new program has said its lines
    with fails("target_exec"):
        client.snapshot.get(target=target)
    client.target.detach(target=target)
    again = client.target.attach(pid=one.pid, mode=mode)["target"]
    assert len(check_structure(client.snapshot.get(target=again)).threads) == 4


def test_target_forks(mode, program, client):
    """The child is another process: nobody stops or traces it, and the parent answers on."""
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
    """Threads that come after the stop began do not exist: nothing runs in a held target. It acts once it is let go."""
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


# Programs with no, or an unusable, OpenMP runtime.

def test_no_openmp_runtime(mode, program, client, bystander):
    one, target = attached(client, program, mode, "plain")
    for method in ("snapshot.get", "thread.list", "parallel.list", "task.list", "icv.list"):
        with fails("no_openmp_runtime"):
            client.call(method, {"target": target})


def test_runtime_that_never_entered_a_region(mode, program, client, bystander):
    one, target = attached(client, program, mode, "never")
    with fails("openmp_not_started"):
        client.snapshot.get(target=target)


def test_runtime_that_is_being_relocated(mode, program, client):
    """Looked at too early, it is not ready, and read right afterwards."""
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


# Plugins.

EVIL = {
    "constructor_exit": {"plugin_crashed"},
    "old_version": {"plugin_incompatible"},
    "crash_initialize": {"plugin_crashed"},
    "crash": {"plugin_crashed"}, "abort": {"plugin_crashed"}, "exit": {"plugin_crashed"}, "stack": {"plugin_crashed"},
    "hang": {"plugin_hung"}, "sleep": {"plugin_hung"},
    "null_handle": {"plugin_misbehaved"}, "wild_rc": {"plugin_misbehaved"},
    "endless_icvs": {"plugin_misbehaved", None}, "endless_states": {"plugin_misbehaved", None},
    "circle": {"plugin_misbehaved", None}, "bad_strings": {"plugin_misbehaved", None}, "wild_values": {"plugin_misbehaved", None},
    # SIGKILL could be anybody's: nobody is blamed.
    "kill": {"worker_failed"},
    "greedy": {None}, "noisy": {None}, "double_free": {"plugin_misbehaved", "plugin_crashed", None},
}


@pytest.mark.parametrize("evil", EVIL)
def test_evil_plugin(evil, mode, program, daemons):
    """Whatever the library does: an error that names it, or (None) a valid answer. The daemon and the target live."""
    daemon = daemons("--libompd", PLUGIN_DIR / f"libompd_{evil}.so", *(SHORT if "plugin_hung" in EVIL[evil] else ()))
    daemon.expect_log.append("plugin|worker")
    one = program("nested", 2, 2)
    name = None
    with daemon.connect() as client:
        try:
            target = client.target.attach(pid=one.pid, mode=mode)["target"]
            result = client.snapshot.get(target=target)
            assert len(result["threads"]) == len(one.lines)
        except ompdd.Error as error:
            name = error.name
            assert name == "worker_failed" or "libompd" in str(error) + error.hint or "path" in error.data, error.data
        assert name in EVIL[evil], name
        wait_until(lambda: not stopped_threads(one.pid) and not tracer(one.pid), "the target runs on")
        assert client.daemon.info()["pid"] == daemon.pid
        if name in ("plugin_crashed", "plugin_hung", "worker_failed"):
            # The target is gone for us, and attaching again is as good (or bad) as the first time.
            assert client.target.list()["targets"] == []
            try:
                client.target.attach(pid=one.pid, mode=mode)
            except ompdd.Error as error:
                assert error.name == name


def test_hanging_plugin_does_not_keep_the_target_stopped(program, daemons):
    """Where the library is asked within a stop, as for logical stacks, that is bounded by max_stop_ms, not by the patience with the plugin."""
    daemon = daemons("--libompd", PLUGIN_DIR / "libompd_hang.so", "--plugin-timeout", "60000")
    daemon.expect_log.append("plugin|worker")
    one = program("flat", 4)
    with daemon.wire() as wire:
        target = wire.ask("target.attach", {"pid": one.pid, "mode": "stop", "max_stop_ms": 3000})["result"]["target"]
        from wire import line, request
        wire.send(line(request("stack.groups", {"target": target, "logical": True}, ident="hangs")))
        wait_until(lambda: stopped_threads(one.pid), "the stop")
        wait_until(lambda: not stopped_threads(one.pid), "the end of the stop")
        os.kill(daemon.worker(), signal.SIGKILL)  # It is still in the library, and would be for a minute.
        assert wire.answer("stack.groups")["error"]["data"]["name"] == "worker_failed"
        wait_until(lambda: not tracer(one.pid), "ompdd-tracer has left")
        assert not stopped_threads(one.pid)


def test_hanging_plugin_does_not_even_stop_the_target(program, daemons):
    """What a snapshot reads is known before the stop: a library that hangs, hangs while the target runs."""
    daemon = daemons("--libompd", PLUGIN_DIR / "libompd_hang.so", "--plugin-timeout", "5000")
    daemon.expect_log.append("plugin|worker")
    one = program("flat", 4)
    with daemon.wire() as wire:
        from wire import line, request
        target = wire.ask("target.attach", {"pid": one.pid, "mode": "stop", "max_stop_ms": 60000})["result"]["target"]
        wire.send(line(request("snapshot.get", {"target": target}, ident="hangs")))
        seen = set()
        wait_until(lambda: seen.update(stopped_threads(one.pid)) or not daemon.workers(), "the end of the library's time")
        assert wire.answer("snapshot.get")["error"]["data"]["name"] == "plugin_hung"
        assert not seen


def test_plugin_that_is_not_there(program, daemons):
    daemon = daemons("--libompd", "/nowhere/libompd.so")
    one = program("flat", 2)
    with daemon.connect() as client:
        with fails("plugin_load_failed") as failure:
            target = client.target.attach(pid=one.pid)["target"]
            client.snapshot.get(target=target)
    assert "/nowhere/libompd.so" in str(failure.error)


def test_plugin_that_is_no_library(program, daemons, tmp_path):
    (tmp_path / "libompd.so").write_text("no ELF\n")
    daemon = daemons("--libompd", tmp_path / "libompd.so")
    one = program("flat", 2)
    with daemon.connect() as client:
        with fails("plugin_load_failed"):
            target = client.target.attach(pid=one.pid)["target"]
            client.snapshot.get(target=target)


def test_plugin_without_the_routines(program, daemons):
    daemon = daemons("--libompd", PROGRAMS / "strange" / "libgomp.so.1")
    one = program("flat", 2)
    with daemon.connect() as client:
        with fails("plugin_load_failed") as failure:
            target = client.target.attach(pid=one.pid)["target"]
            client.snapshot.get(target=target)
    assert "routines" in str(failure.error), "says what is missing"


# Methods and parameters.

def test_unknown_method(daemon):
    with daemon.wire() as wire:
        for method in ("snapshot.gett", "nothing", "rpc.", "ompd.get_state_", "SNAPSHOT.GET", "x" * 1000, "\u2028", "../snapshot.get"):
            error = wire.ask(method)["error"]
            assert error["data"]["name"] == "method_not_found", error


@pytest.mark.parametrize("method,params,pointer", [
    ("target.attach", {}, "/params/pid"),
    ("target.attach", {"pid": "4711"}, "/params/pid"),
    ("target.attach", {"pid": 4711.5}, "/params/pid"),
    ("target.attach", {"pid": True}, "/params/pid"),
    ("target.attach", {"pid": None}, "/params/pid"),
    ("target.attach", {"pid": 0}, "/params/pid"),
    ("target.attach", {"pid": -1}, "/params/pid"),
    ("target.attach", {"pid": 2**31}, "/params/pid"),
    ("target.attach", {"pid": 2**63}, "/params/pid"),
    ("target.attach", {"pid": [1]}, "/params/pid"),
    ("target.attach", {"pid": 1, "mode": "freeze"}, "/params/mode"),
    ("target.attach", {"pid": 1, "mode": ""}, "/params/mode"),
    ("target.attach", {"pid": 1, "max_stop_ms": 0}, "/params/max_stop_ms"),
    ("target.attach", {"pid": 1, "max_stop_ms": 10**6}, "/params/max_stop_ms"),
    ("target.attach", {"pid": 1, "surplus": 1}, "/params/surplus"),
    ("target.attach", {"pid": 1, "a/b~c": 1}, "/params/a~1b~0c"),
    ("snapshot.get", {}, "/params/target"),
    ("snapshot.get", {"target": 1}, "/params/target"),
    ("daemon.info", {"verbose": True}, "/params/verbose"),
    ("handle.release", {"target": "t1", "handles": []}, "/params/handles"),
    ("handle.release", {"target": "t1", "handles": "t1:e1:par:1"}, "/params/handles"),
    ("handle.release", {"target": "t1", "handles": ["t1:e1:par:1", 7]}, "/params/handles/1"),
    ("ompd.get_state", {"target": "t1"}, "/params/thread_handle"),
    ("ompd.get_state", {"target": "t1", "thread_handle": "t1:e1:par:1"}, "/params/thread_handle"),
    ("ompd.get_thread_handle", {"target": "t1", "kind": "OMPD_THREAD_ID_NONSENSE", "thread_id": 1}, "/params/kind"),
    ("ompd.get_thread_handle", {"target": "t1", "kind": "OMPD_THREAD_ID_LWP", "thread_id": "0xzz"}, "/params/thread_id"),
    ("ompd.get_icv_from_scope", {"target": "t1", "scope": 4, "icv_id": 1}, "/params/scope"),
    ("request.cancel", {"id": None}, "/params/id"),
])
def test_parameter_is_named_by_its_pointer(method, params, pointer, program, daemon):
    one = program("flat", 2)
    with daemon.wire() as wire:
        assert wire.ask("target.attach", {"pid": one.pid, "mode": "observe"})["result"]["target"] == "t1"
        error = wire.ask(method, params)["error"]
        assert error["data"]["name"] == "invalid_params", error
        assert error["data"]["pointer"] == pointer, error
        assert error["message"].startswith(pointer), error


@pytest.mark.parametrize("method", ["target.info", "target.stop", "target.resume", "target.detach", "snapshot.get", "thread.list",
                                    "parallel.list", "task.list", "icv.list", "ompd.get_api_version"])
def test_no_such_target(method, client):
    with fails("no_such_target") as failure:
        client.call(method, {"target": "t77"})
    assert "t77" in str(failure.error)


@pytest.mark.parametrize("target", ["", "t0", "../t1", "T1", "t1 ", "t" + "9" * 30, "x" * 5000])
def test_nonsense_instead_of_a_target(target, program, daemon):
    one = program("flat", 2)
    with daemon.wire() as wire:
        wire.ask("target.attach", {"pid": one.pid, "mode": "observe"})
        assert wire.ask("snapshot.get", {"target": target})["error"]["data"]["name"] in ("no_such_target", "invalid_params")


def test_cancel_of_nothing(client):
    with fails("no_such_request"):
        client.request.cancel(id="nobody")


def test_target_after_detach_is_unknown(mode, program, client):
    one, target = attached(client, program, mode, "flat", 2)
    client.target.detach(target=target)
    with fails("no_such_target"):
        client.snapshot.get(target=target)
    assert client.target.list()["targets"] == []


def test_many_targets(program, client):
    """64 targets, and the 65th is told so."""
    one = program("flat", 2)
    targets = [client.target.attach(pid=one.pid, mode="observe")["target"] for _ in range(64)]
    assert len(set(targets)) == 64
    with fails("limit_exceeded"):
        client.target.attach(pid=one.pid, mode="observe")
    assert len(client.snapshot.get(target=targets[-1])["threads"]) == 2
    client.target.detach(target=targets[0])
    client.target.attach(pid=one.pid, mode="observe")
