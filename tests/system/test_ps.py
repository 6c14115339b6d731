# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""process.list and `ompdctl ps`: the OpenMP processes that the user may examine."""
import json
import os
import pathlib
import shutil
import subprocess
import uuid

import pytest
import validator
from conftest import fails
from daemons import BIN
from targets import OMPRT, PROGRAMS, RUNTIME, SYSCALL, alive, children, read_text, stopped_threads, system_call, tracer, wait_until

from test_users import NOBODY, folder, installed, nobody, nobodys_program, root_daemon  # noqa: F401

OURS = BIN.parent / "lib" / "ompdd"


@pytest.fixture
def job():
    """An environment variable that marks this test's own processes."""
    return f"job-{uuid.uuid4()}"


def slurm(job, rank, size=4, **more):
    return {"SLURM_JOB_ID": job, "SLURM_STEP_ID": "0", "SLURM_PROCID": str(rank), "SLURM_NTASKS": str(size),
            "SLURMD_NODENAME": "n17", "SLURM_NODEID": "2", **more}


def by_pid(result):
    return {process["pid"]: process for process in result["processes"]}


def test_what_is_told_of_a_process(program, client, job):
    one = program("flat", 3, env=slurm(job, 1, PMIX_NAMESPACE="pmix.7", PMIX_RANK="1"))
    result = client.process.list(job=job)
    assert not result["truncated"]
    [process] = result["processes"]
    [runtime] = process.pop("runtimes")
    assert runtime["kind"] == RUNTIME and os.path.samefile(runtime["path"], runtime_file(one.pid))
    assert process.pop("user") and process.pop("uid") == os.geteuid()
    assert process == {
        "pid": one.pid, "name": "flat", "program": str(PROGRAMS.resolve() / "flat"), "n_threads": 3, "in_region": True,
        "rank": {"number": 1, "namespace": "pmix.7", "from": "PMIX_RANK"},
        "slurm": {"job": job, "step": "0", "node": "n17", "node_number": 2}}


def runtime_file(pid):
    return next(line.split()[-1] for line in read_text(f"/proc/{pid}/maps").splitlines() if "libgomp" in line)


def switches(one):
    """Return how often each thread has given up or got a processor."""
    return [[line for line in read_text(f"/proc/{one.pid}/task/{tid}/status").splitlines() if "ctxt_switches" in line] for tid in one.lines]


def test_nothing_is_left_or_touched(program, daemon, client, job):
    one = program("flat", 3, env=slurm(job, 0))
    wait_until(lambda: all(system_call(one.pid, tid) in SYSCALL["pause"] for tid in one.lines), "all of it sleeps")
    before = switches(one)
    assert by_pid(client.process.list(job=job))[one.pid]["in_region"] is True
    assert client.target.list()["targets"] == [] and client.daemon.info()["targets"] == 0
    wait_until(lambda: not children(daemon.pid), "its worker has left")
    assert not stopped_threads(one.pid) and not tracer(one.pid)
    assert switches(one) == before, "no thread has been woken for it"
    assert client.target.attach(pid=one.pid, mode="observe")["target"] == "t1"


def test_in_no_region(program, client, job):
    env = slurm(job, 0)
    idle, never, serialized = program("idle", 3, env=env), program("never", env=env, wait=False), program("serialized", env=env)

    def told():
        return {pid: process["in_region"] for pid, process in by_pid(client.process.list(job=job)).items()}
    wait_until(lambda: told().get(never.pid) is False, "it has loaded its runtime")
    assert told() == {idle.pid: False, never.pid: False, serialized.pid: True}
    assert all("in_region" in process and process["in_region"]["name"] == "mode_unsupported"
               for process in client.process.list(job=job, regions=False)["processes"])


def test_a_program_without_openmp_is_none(program, client, job):
    one = program("plain", env=slurm(job, 0))
    assert one.alive() and client.process.list(job=job)["processes"] == []


def test_linked_into_the_program(program, client, job):
    one = program("flat_static", 2, env=slurm(job, 0))
    process = by_pid(client.process.list(job=job))[one.pid]
    assert process["runtimes"] == [{"kind": "libgomp", "path": str(PROGRAMS.resolve() / "flat_static")}]
    assert process["in_region"] is True


@pytest.mark.skipif(OMPRT, reason="it is our runtime already")
def test_our_runtime_under_the_others_name(program, client, job):
    one = program("flat", 2, env=slurm(job, 0, LD_LIBRARY_PATH=str(OURS)))
    other = program("flat", 2, env=slurm(job, 1))
    told = by_pid(client.process.list(job=job))
    assert told[one.pid]["runtimes"][0]["kind"] == "omprt" and told[one.pid]["in_region"] is True
    assert told[other.pid]["runtimes"][0]["kind"] == RUNTIME
    assert list(by_pid(client.process.list(job=job, runtime="omprt"))) == [one.pid]


def test_a_file_that_was_replaced_is_known_by_memory(program, client, job, tmp_path):
    """After an upgrade of the runtime, its processes still use the old one, which has no file any more."""
    shutil.copy(runtime_file(program("flat", 1).pid), tmp_path / "libgomp.so.1")
    one = program("flat", 2, env=slurm(job, 0, LD_LIBRARY_PATH=str(tmp_path)))
    (tmp_path / "libgomp.so.1").unlink()
    [process] = client.process.list(job=job)["processes"]
    assert process["pid"] == one.pid and process["runtimes"] == [{"kind": RUNTIME, "path": str(tmp_path / "libgomp.so.1")}]


def test_two_runtimes(program, client, job, tmp_path):
    """A copy under another name, also in its contents, as Python wheels ship it."""
    library = pathlib.Path(subprocess.check_output(["gcc", "-print-file-name=libgomp.so.1"], text=True).strip()).read_bytes()
    (tmp_path / "libgomp-0a1b.so.1").write_bytes(library.replace(b"\0libgomp.so.1\0", b"\0libgomq.so.1\0"))
    one = program("flat", 2, env=slurm(job, 0, LD_PRELOAD=str(tmp_path / "libgomp-0a1b.so.1")))
    [process] = client.process.list(job=job)["processes"]
    assert process["pid"] == one.pid and sorted(pathlib.Path(r["path"]).name[:8] for r in process["runtimes"]) == ["libgomp-", "libgomp."]


def test_filters(program, client, job):
    flat = [program("flat", 1, env=slurm(job, rank)) for rank in range(3)]
    nest = program("nested", 1, 1, env=slurm(job, 3))

    def pids(**filters):
        return sorted(by_pid(client.process.list(job=job, **filters)))
    every = sorted(one.pid for one in [*flat, nest])
    assert pids() == every
    assert pids(ranks="0,2-3") == sorted([flat[0].pid, flat[2].pid, nest.pid])
    assert pids(name="nested") == [nest.pid] and pids(name="nest") == []
    assert pids(user=str(os.geteuid())) == every and pids(user="65533") == []
    assert pids(runtime=RUNTIME) == every and pids(runtime="libomp") == []
    assert sorted(by_pid(client.process.list(job=f"{job}.0"))) == every
    assert client.process.list(job=f"{job}.1")["processes"] == []
    group = read_text(f"/proc/{nest.pid}/cgroup").split("\n")[0].split(":", 2)[2]
    assert pids(cgroup=group) == pids(cgroup="/") == every and pids(cgroup=f"{group.rstrip('/')}/none") == [] == pids(cgroup="no such group")
    with fails("invalid_params", "/ranks"):
        client.process.list(ranks="3-1")
    with fails("invalid_params", "/user"):
        client.process.list(user="nobody knows")


@pytest.mark.parametrize("name", [b"a\nb", b"\x1b[31mred", b"\xff\xfe", "é\u202e".encode(), b"a (b) R 1 2 (deleted)", b"x" * 200])
def test_hostile_names(name, ompdctl, program, job, tmp_path):
    path = os.fsencode(tmp_path) + b"/" + name
    shutil.copy(PROGRAMS / "flat", path)
    one = program("flat", 2, path=os.fsdecode(path), env=slurm(job, 0, SLURMD_NODENAME="\x1b]0;x\a\n"))
    done = ompdctl("ps", "--job", job)
    assert str(one.pid) in done.stdout and "\x1b" not in done.stdout and done.stdout.count("\n") == 2
    result = json.loads(ompdctl("ps", "--job", job, "--json").stdout)
    validator.check("process.list", "result", result)
    assert list(by_pid(result)) == [one.pid]


def test_huge_environment(program, client, job):
    env = {f"A{i}": "x" * 100000 for i in range(15)}
    one = program("flat", 2, env={**env, **slurm(job, 5)})
    assert by_pid(client.process.list(ranks="5", job=job))[one.pid]["rank"]["number"] == 5


def test_processes_that_come_and_go(program, client, job):
    one = program("flat", 2, env=slurm(job, 0))
    # It ends as soon as it sees the end of its input.
    churn = subprocess.Popen(["/bin/sh", "-c", f"while :; do : | {PROGRAMS}/flat 2 >/dev/null; done"], start_new_session=True,
                             env={**os.environ, **slurm(job, 1)}, stderr=subprocess.DEVNULL)
    try:
        for _ in range(60):
            assert one.pid in by_pid(client.process.list(job=job))
    finally:
        os.killpg(churn.pid, 9)
        churn.wait()


def test_a_main_thread_that_has_ended(program, client, job):
    one = program("leaver", env=slurm(job, 0), wait=False)
    one.expect_end = True
    wait_until(lambda: alive(one.pid) is False, "its main thread has ended")
    process = by_pid(client.process.list(job=job))[one.pid]
    assert process["n_threads"] > 1 and process["runtimes"][0]["kind"] == RUNTIME


@pytest.mark.skipif(os.getuid() != 0, reason="makes namespaces")
def test_in_a_container(program, client, job):
    """It has another pid there, and sees other files."""
    shell = subprocess.Popen(["unshare", "--pid", "--mount", "--fork", "--mount-proc", str(PROGRAMS / "flat"), "2"],
                             env={**os.environ, **slurm(job, 0)}, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        if not shell.stdout.readline():
            pytest.skip("no namespaces here")
        [process] = client.process.list(job=job, name="flat")["processes"]
        assert process["inner_pid"] == 1 and process["pid"] in children(shell.pid)
        assert process["program"] == str(PROGRAMS.resolve() / "flat")
    finally:
        for child in children(shell.pid):
            os.kill(child, 9)
        shell.stdin.close()
        shell.wait()
        shell.stdout.close()


# Visibility.

def test_users_see_their_own(nobody, nobodys_program, program, job):  # noqa: F811
    roots = program("flat", 2, env=slurm(job, 0))
    response = nobody("process.list")["result"]
    told = by_pid(response)
    assert nobodys_program.pid in told and roots.pid not in told and response["n_hidden"] > 0
    assert all(process["uid"] == 65534 for process in told.values())
    assert told[nobodys_program.pid]["in_region"] is True
    # A process with unknown properties may still match the filter.
    for filters in ({"name": "flat"}, {"job": job}):
        response = nobody("process.list", **filters)["result"]
        assert roots.pid not in by_pid(response) and response["n_hidden"] > 0, filters


def test_roots_daemon_tells_root_of_all(root_daemon, nobodys_program):  # noqa: F811
    with root_daemon.connect() as root:
        process = by_pid(root.process.list(user="65534"))[nobodys_program.pid]
        assert process["uid"] == 65534 and process["in_region"] is True


def test_without_a_daemon_as_another_user(installed, nobodys_program, program, job):  # noqa: F811
    roots = program("flat", 2, env=slurm(job, 0))
    shutil.copy(BIN / "ompdctl", installed)
    done = subprocess.run([installed / "ompdctl", "ps", "--json"], capture_output=True, text=True, cwd="/", timeout=600, **NOBODY)
    told = by_pid(json.loads(done.stdout))
    assert nobodys_program.pid in told and roots.pid not in told
    done = subprocess.run([installed / "ompdctl", "ps", "--job", job], capture_output=True, text=True, cwd="/", timeout=600, **NOBODY)
    assert done.returncode == 0 and done.stdout.startswith("no such OpenMP process")


# On a terminal.

def test_table(ompdctl, daemon, program, job):
    one = program("flat", 3, env=slurm(job, 1))
    lines = ompdctl("ps", "--job", job, "--rank", "0-1").stdout.splitlines()
    assert lines[0].split() == ["PID", "USER", "PROGRAM", "RUNTIME", "THREADS", "REGION", "RANK", "JOB", "NODE"]
    assert lines[1].split()[0] == str(one.pid) and lines[1].split()[2:] == ["flat", RUNTIME, "3", "yes", "1/4", f"{job}.0", "n17"]
    assert ompdctl("-s", daemon.uris[0], "ps", "--job", job).stdout.splitlines() == lines
    assert ompdctl("ps", "--job", job, "-o", "pid", "--no-headers").stdout == f"{one.pid}\n"
    assert "column 'nope'" in ompdctl("ps", "-o", "nope", status=3).stderr
    assert "[invalid_params]" in ompdctl("ps", "--rank", "x", status=1).stderr
    assert "--rank and --cgroup belong to ps" in ompdctl("-p", one.pid, "tree", "--rank", "1", status=3).stderr


def test_a_worker_that_dies_of_a_process_tells_the_rest(tmp_path, program, job):
    """It asks the daemon again, for the part that needs no access to memory."""
    one = program("flat", 2, env=slurm(job, 0))
    shutil.copy(BIN / "ompdctl", tmp_path)
    worker = tmp_path / "ompdd-worker"
    worker.write_text(f"#!/bin/sh\nread line\ncase $line in *regions*) echo \"$line\" | {BIN}/ompdd-worker;; *) exit 81;; esac\n")
    worker.chmod(0o755)
    done = subprocess.run([tmp_path / "ompdctl", "ps", "--job", job], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and f"{one.pid}" in done.stdout and " - " in done.stdout, done
    assert "REGION not known" in done.stdout


def test_python_client(client, program, job):
    one = program("flat", 2, env=slurm(job, 0))
    assert [process["pid"] for process in client.process.list(job=job)["processes"]] == [one.pid]
