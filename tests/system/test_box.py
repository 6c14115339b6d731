# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sandbox: a hostile OMPD library can read and create threads, nothing else, and its attempts harm nothing."""
import os
import pathlib
import re
import shutil
import subprocess

import ompdd
import pytest
from cores import gcore
from daemons import BIN, SANITIZED
from targets import PROGRAMS, children, tasks, tracer, wait_until

GRASPING = PROGRAMS / "libompd_grasping.so"
TRACE = pathlib.Path("/tmp/ompdd-grasping-plugin")


@pytest.fixture(autouse=True)
def no_trace():
    """Also no folder of an earlier, failed run."""
    subprocess.run(["rm", "-rf", TRACE], check=True)
    yield
    subprocess.run(["rm", "-rf", TRACE], check=True)


def box_of(client):
    return client.daemon.info()["box"]


def reached(log):
    return dict(re.findall(r"REACH (\S+) (\S+)", log))


def attach(client, how, one, tmp_path):
    if how == "core":
        return client.target.open_core(core=str(gcore(one, tmp_path)), exe=os.readlink(f"/proc/{one.pid}/exe"))
    return client.target.attach(pid=one.pid, mode=how)


@pytest.mark.parametrize("how", ["observe", "stop", "core"])
def test_hostile_plugin_reaches_nothing(how, program, daemons, tmp_path):
    daemon = daemons("--libompd", GRASPING)
    daemon.expect_log.append("calls were refused")
    one = program("flat", 2)
    with daemon.connect() as client:
        box = box_of(client)
        if not box["seccomp"]:
            pytest.skip("; ".join(box_of(client)["gaps"]))
        assert box["refused_calls"] == 0
        target = attach(client, how, one, tmp_path)["target"]
        assert len(client.snapshot.get(target=target)["threads"]) == 2, "the library goes on as if nothing were"
        wait_until(lambda: "REACH end" in daemon.read_log(), "the library has tried everything")
        found = reached(daemon.read_log())
        allowed = {name for name in found if name.startswith("allowed-")}
        assert len(allowed) == 3 and all(found[name] == "ok" for name in allowed), found
        refused = {name: result for name, result in found.items() if name not in allowed and name != "end"}
        assert len(refused) == 61, sorted(refused)
        let_through = {name for name, result in refused.items() if result == "ok"}
        assert not let_through, let_through
        for name in refused:
            assert refused[name] == "EPERM" or (how == "core" and refused[name] == "EACCES"), (name, refused[name])
        after = client.daemon.info()["box"]
        assert after["refused_calls"] >= 30
        assert bool(after["gaps"]) == (not after["landlock"])
        assert re.search(r"sandbox: \d+ system calls were refused during target\.(attach|open_core), the last one: \w+", daemon.read_log())
    assert not os.path.lexists(TRACE)
    assert one.process.poll() is None


@pytest.fixture
def foreign(tmp_path):
    """Our own library under another path: it has no fault, but the worker does not know it."""
    return shutil.copy(BIN.parent / "lib" / "libompd.so", tmp_path)


@pytest.mark.parametrize("whose", ["own", "foreign"])
def test_stops_and_breakpoints_from_inside(whose, foreign, program, daemons):
    """The broker does everything that needs another process or the right to trace: nothing is refused."""
    daemon = daemons(*(["--libompd", foreign] if whose == "foreign" else []))
    one = program("points", 2)
    with daemon.connect() as client:
        target = client.target.attach(pid=one.pid)["target"]
        for _ in range(3):
            seen = client.snapshot.get(target=target)
            assert seen["consistency"] in ("stopped", "proven")
            assert not tracer(one.pid)
        client.target.stop(target=target)
        assert client.target.info(target=target)["state"] == "held"
        client.target.resume(target=target)
        made = client.breakpoint.set(target=target, function="main")
        client.breakpoint.delete(target=target, breakpoint=made["breakpoint"])
        client.target.detach(target=target)
        assert not tracer(one.pid)
        assert client.daemon.info()["box"]["refused_calls"] == 0


def status_of(pid):
    return dict(line.split(":\t", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if ":\t" in line)


def threads_of(pid):
    """Return the status of each thread by its name."""
    return {status["Name"]: status for status in (status_of(f"{pid}/task/{tid}") for tid in tasks(pid))}


@pytest.mark.parametrize("whose", ["own", "foreign"])
def test_worker_is_in_the_sandbox(whose, foreign, program, daemons):
    """For each thread, /proc shows a filter, no_new_privs, and limits that cannot be raised."""
    daemon = daemons(*(["--libompd", foreign] if whose == "foreign" else []))
    one = program("flat", 2)
    with daemon.connect() as client:
        if not box_of(client)["seccomp"]:
            pytest.skip("; ".join(box_of(client)["gaps"]))
        client.target.attach(pid=one.pid)
        worker, = daemon.workers()
        threads = threads_of(worker)
        assert ("ompdd-stopper" in threads) == (whose == "own"), "no thread traces beside foreign code"
        for name, status in threads.items():
            assert status["Seccomp"] == "2" and status["NoNewPrivs"] == "1", name
            # CAP_DAC_READ_SEARCH, CAP_IPC_LOCK, CAP_SYS_PTRACE, CAP_SYS_NICE, CAP_CHECKPOINT_RESTORE
            assert int(status["CapPrm"], 16) & ~(1 << 2 | 1 << 14 | 1 << 19 | 1 << 23 | 1 << 40) == 0, name
        limits = pathlib.Path(f"/proc/{worker}/limits").read_text()
        assert re.search(r"^Max core file size +0 +0 ", limits, re.M), "a core of it would be of other processes' memory"
        assert re.search(r"^Max address space +(\d+) +\1 ", limits, re.M), limits
        broker, = children(worker)
        assert status_of(broker)["Name"] == "ompdd-broker" and status_of(broker)["Seccomp"] == "2"
    daemon.terminate()
    wait_until(lambda: not pathlib.Path(f"/proc/{broker}").exists(), "the broker ends with its worker")


# Starts the program argv[2] with a simulated kernel without seccomp filters (argv[1] is seccomp), or without landlock.
WITHOUT = """
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	unsigned int nr = strcmp(argv[1], "seccomp") ? 444 /* landlock_create_ruleset */ : SYS_seccomp;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {4, code};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 77;
	execv(argv[2], argv + 2);
	return 1;
}
"""


@pytest.fixture
def without(tmp_path):
    """without("seccomp"): the folder of an ompdd that starts in that way."""
    if SANITIZED:
        pytest.skip("with a sanitizer there is no sandbox")

    def make(what):
        folder = tmp_path / "bin"
        folder.mkdir()
        subprocess.run(["cc", "-x", "c", "-", "-o", folder / "less"], input=WITHOUT, text=True, check=True)
        (folder / "ompdd").write_text(f'#!/bin/sh\nexec {folder}/less {what} {BIN}/ompdd "$@"\n')
        (folder / "ompdd").chmod(0o755)
        return folder
    return make


@pytest.mark.parametrize("missing", ["seccomp", "landlock"])
def test_a_kernel_that_has_less(missing, without, program, daemons, tmp_path):
    """daemon.info names the missing part. Processes and cores can still be examined."""
    with daemons().connect() as client:
        whole = box_of(client)
    with daemons(programs=without(missing)).connect() as client:
        box = box_of(client)
        assert box["seccomp"] == (whole["seccomp"] and missing != "seccomp")
        assert box["landlock"] == (0 if missing == "landlock" else whole["landlock"])
        said = {"seccomp": "a worker may ask anything of the kernel", "landlock": "cores are read without it"}[missing]
        assert any(f"no {missing}" in gap and said in gap for gap in box["gaps"]), box
        assert len(box["gaps"]) == (not box["seccomp"]) + (not box["landlock"])
        for how in ("observe", "stop", "core"):
            target = attach(client, how, program("flat", 2), tmp_path)["target"]
            assert len(client.snapshot.get(target=target)["threads"]) == 2


def test_landlock_holds_without_the_filter(without, program, daemons, tmp_path):
    """For cores, it changes no files and examines no other processes."""
    daemon = daemons("--libompd", GRASPING, programs=without("seccomp"))
    with daemon.connect() as client:
        if not box_of(client)["landlock"]:
            pytest.skip("; ".join(box_of(client)["gaps"]))
        target = attach(client, "core", program("flat", 2), tmp_path)["target"]
        assert len(client.snapshot.get(target=target)["threads"]) == 2
        wait_until(lambda: "REACH end" in daemon.read_log(), "the library has tried everything")
        found = reached(daemon.read_log())
    for name in ("create", "create-dir", "create-nameless", "write", "openat2", "link", "symlink"):
        assert found[name] == "EACCES", (name, found)
    for name in ("ptrace", "pidfd_getfd"):
        assert found[name] == "EPERM", (name, found)
    assert {found[name] for name in found if name.startswith("allowed-")} == {"ok"}
    assert found["fork"] == "ok", "there is no filter"
    assert not os.path.lexists(TRACE)
