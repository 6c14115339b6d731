# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ompdctl dump: a core of a running program, which goes on."""
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys

import hangs
import pytest
from conftest import fails
from cores import NT_PRSTATUS, SMALL_STACKS, Core, gcore
from daemons import BIN, PATIENT_STOP_MS
from targets import PROGRAMS, stopped_threads, tracer, wait_until

LARGE_MB = 600
# A process that has used much memory, and goes on.
LARGE = f"""
import time
memory = bytearray(b"x") * ({LARGE_MB} << 20)
print(len(memory), flush=True)
while True:
    time.sleep(0.01)
    print("on", flush=True)
"""


@pytest.fixture
def large():
    with subprocess.Popen([sys.executable, "-c", LARGE], stdout=subprocess.PIPE, text=True) as one:
        assert int(one.stdout.readline()) == LARGE_MB << 20
        yield one
        assert one.poll() is None
        # Each new line is one of a process that runs.
        for _ in range(3):
            assert one.stdout.readline() == "on\n"
        assert not stopped_threads(one.pid) and not tracer(one.pid)
        one.kill()


def why(ompdctl, core):
    return json.loads(ompdctl("--core", core, "why", "--json").stdout)


def concluded(result):
    """Return what a verdict says, without times and texts about the observation."""
    return result["verdict"], [(finding["kind"], finding["certainty"], finding.get("waits_for"), finding.get("threads"), finding.get("n_waiting"))
                               for finding in result["findings"]]


@pytest.mark.parametrize("runtime", hangs.RUNTIMES)
@pytest.mark.parametrize("name", ("barrier_miss", "critical_cycle", "lock_cycle", "taskwait_pause"))
def test_verdicts_equal_those_of_gcore(name, runtime, program, client, ompdctl, tmp_path):
    one = hangs.start(program, name, runtime, env=SMALL_STACKS)
    live = hangs.diagnose_until(client, one.pid, lambda result: result["verdict"] == hangs.HANG[name][0])
    said = ompdctl("-p", one.pid, "dump", "-o", tmp_path / "own").stdout
    assert f"{name} (pid {one.pid})" in said and "their" not in said
    own, other = why(ompdctl, tmp_path / "own"), why(ompdctl, gcore(one, tmp_path))
    assert own["consistency"] == "core" and "warnings" not in own
    assert concluded(own) == concluded(other)
    assert concluded(own)[0] == live["verdict"] and own["findings"][0]["kind"] == live["findings"][0]["kind"]


def test_memory_and_registers_are_those_of_gcore(program, ompdctl, tmp_path):
    one = program("flat", 4, env=SMALL_STACKS)
    ompdctl("-p", one.pid, "dump", "-o", tmp_path / "own")
    own, other = Core(tmp_path / "own"), Core(gcore(one, tmp_path))
    theirs = {address: data for _, address, _, data in other.segments}
    # gdb leaves out the first page of some files, and ompdd the unchanged rest of them.
    compared = {address: data for flags, address, _, data in own.segments if data and (flags & 2 or b"linux-vdso.so.1" in data)}
    assert any(b"linux-vdso.so.1" in data for data in compared.values()) and len(compared) > 8
    for address, data in compared.items():
        assert len(data) == len(theirs[address])
        # When a thread wakes, the kernel writes the number of its CPU into its struct rseq.
        assert sum(a != b for a, b in zip(data, theirs[address])) <= 16, hex(address)

    def registers(core):
        return {desc[32:36]: desc[112:-8] for _, kind, desc in core.notes if kind == NT_PRSTATUS and len(desc) > 100}
    assert registers(own) == registers(other)
    assert own.files() == other.files() or len(own.files()) >= len(other.files())
    assert (tmp_path / "own").stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(not shutil.which("gdb"), reason="gdb is not installed")
def test_gdb_opens_it(program, ompdctl, tmp_path):
    one = hangs.start(program, "barrier_miss", hangs.RUNTIMES[0])
    wait_until(lambda: "in never()" in ompdctl("-p", one.pid, "why").stdout, "the hang")
    ompdctl("-p", one.pid, "dump", "-o", tmp_path / "own")
    done = subprocess.run(["gdb", "-batch", "-nx", "-ex", "info threads", "-ex", "thread apply all bt", one.process.args[0], tmp_path / "own"],
                          capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL)
    assert done.returncode == 0 and "never ()" in done.stdout, done.stdout + done.stderr
    assert "BFD" not in done.stderr and "orrupt" not in done.stderr
    # Stacks outside of the runtime, which has no symbols, reach their start.
    assert "main (" in done.stdout
    assert f"LWP {one.pid}" in done.stdout


@pytest.mark.skipif(not shutil.which("readelf"), reason="binutils are not installed")
def test_readelf_accepts_it(program, ompdctl, tmp_path):
    one = program("flat", 4)
    ompdctl("-p", one.pid, "dump", "-o", tmp_path / "own")
    for option in ("-l", "-n"):
        done = subprocess.run(["readelf", "-W", option, tmp_path / "own"], capture_output=True, text=True, timeout=600)
        assert done.returncode == 0 and not done.stderr, done.stderr
    assert done.stdout.count("prstatus structure") == 4
    # Memory that was never used takes no room on the disk.
    assert (tmp_path / "own").stat().st_blocks * 512 < 4 << 20 < (tmp_path / "own").stat().st_size


def test_program_goes_on(program, ompdctl, tmp_path):
    one = program("ticks", 3)
    for _ in range(3):
        before = one.read_line()["us"]
        ompdctl("-p", one.pid, "dump", "-o", tmp_path / "own")
        wait_until(lambda: one.read_line()["us"] > before + 100000, "it goes on")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["own"]


def test_names_and_default_file(program, tmp_path):
    shutil.copy(PROGRAMS / "flat", tmp_path / "flat_named_uniquely")
    (tmp_path / "work").mkdir()
    one = program("flat", 2, path=tmp_path / "flat_named_uniquely")

    def dump(status=0):
        done = subprocess.run([BIN / "ompdctl", "dump", "flat_named_uniquely", "--max-stop-ms", str(PATIENT_STOP_MS)], cwd=tmp_path / "work",
                              capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL)
        assert done.returncode == status, done.stderr
        return done
    assert dump().stdout.startswith(f"core.{one.pid}: ")
    core = tmp_path / "work" / f"core.{one.pid}"
    before = core.stat()
    assert f"cannot write core.{one.pid}: it exists" in dump(4).stderr
    assert core.stat().st_ino == before.st_ino


def test_result_has_a_form_for_programs(program, ompdctl, tmp_path):
    one = program("flat", 4)
    result = json.loads(ompdctl("-p", one.pid, "dump", "--json", "-o", tmp_path / "own").stdout)
    assert result["pid"] == one.pid and result["n_threads"] == 4 and result["file"] == str(tmp_path / "own")
    assert result["consistency"] == "stopped" and result["stopped_us"] > 0 and not result["late_bytes"]
    assert result["file_bytes"] == (tmp_path / "own").stat().st_size and result["copied_bytes"] > 50000


def test_a_short_stop_is_not_called_one_moment(large, ompdctl, tmp_path):
    """The limit is too short for the memory: the answer and the core itself say so."""
    limit, done = 10, None
    while done is None:
        run = subprocess.run([BIN / "ompdctl", "dump", str(large.pid), "--json", "--max-stop-ms", str(limit), "-o", tmp_path / "own"],
                             capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL)
        done = json.loads(run.stdout) if run.returncode == 0 else None
        assert done or json.loads(run.stderr)["name"] == "stop_timeout", run.stderr
        assert done or not list(tmp_path.iterdir())
        limit *= 2
    assert done["consistency"] == "racy" and 0 < done["late_bytes"] < done["copied_bytes"]
    info = json.loads(ompdctl("--core", tmp_path / "own", "info", "--json").stdout)
    assert any(warning["name"] == "core_not_one_moment" and str(done["late_bytes"]) in warning["message"] for warning in info["warnings"])
    done = ompdctl("--core", tmp_path / "own", "bt")
    assert "core file, copied while its threads ran" in done.stdout


def test_a_core_of_different_moments_is_racy(program, ompdctl, client, tmp_path):
    """Its verdicts are no better than those of a view of a running program."""
    one = program("waits", "barrier", env=SMALL_STACKS)
    ompdctl("-p", one.pid, "dump", "-o", tmp_path / "own")
    core = Core(tmp_path / "own")
    (note,) = [note for note in core.notes if note[0] == b"OMPDD"]
    note[2] = (4096).to_bytes(8, "little") + note[2][8:]
    target = client.target.open_core(core=str(core.write(tmp_path / "torn")))
    assert [warning["name"] for warning in target["warnings"]] == ["core_not_one_moment"]
    assert client.snapshot.get(target=target["target"])["consistency"] == "racy"


def begin(large, folder, **options):
    """Start a dump, and wait until it has written a part."""
    one = subprocess.Popen([BIN / "ompdctl", "dump", str(large.pid), "-o", folder / "own", "--max-stop-ms", "60000"], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL, **options)
    wait_until(lambda: any(path.stat().st_blocks > 100 for path in folder.iterdir()) or one.poll() is not None, "a part is written")
    return one


@pytest.mark.parametrize("number", (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
def test_a_signal_leaves_no_file(number, large, tmp_path):
    with begin(large, tmp_path) as one:
        one.send_signal(number)
        assert one.wait(600) in (-number, 0)
        assert one.returncode == 0 or not list(tmp_path.iterdir())
    wait_until(lambda: not stopped_threads(large.pid), "it goes on")


def children(pid):
    return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_death_of_the_worker(large, tmp_path):
    with begin(large, tmp_path) as one:
        for child in children(one.pid):
            os.kill(child, signal.SIGKILL)
        assert one.wait(600) in (0, 2)
        assert one.returncode == 0 or not list(tmp_path.iterdir())


def test_death_of_ompdctl(large, tmp_path):
    """The worker notices it and gives up, without a message."""
    with begin(large, tmp_path) as one:
        workers = children(one.pid)
        one.kill()
        one.wait(600)
        for worker in workers:
            wait_until(lambda worker=worker: not pathlib.Path(f"/proc/{worker}").exists(), "the worker ends")
    wait_until(lambda: not stopped_threads(large.pid), "it goes on")


def test_a_full_disk_leaves_no_file(large, tmp_path):
    """A limit of the file's size stands for it: the write fails after a part was written."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (20 << 20, 20 << 20))
    (tmp_path / "own").write_text("older")
    done = subprocess.run([BIN / "ompdctl", "dump", str(large.pid), "-o", tmp_path / "own"], capture_output=True, text=True, timeout=600,
                          stdin=subprocess.DEVNULL, preexec_fn=limit)
    assert done.returncode == 1 and "cannot write the core: File too large [dump_failed]" in done.stderr
    assert [path.read_text() for path in tmp_path.iterdir()] == ["older"]


def test_wrong_inputs(program, ompdctl, tmp_path):
    one = program("flat", 2)
    os.mkfifo(tmp_path / "fifo")
    reader = os.open(tmp_path / "fifo", os.O_RDONLY | os.O_NONBLOCK)
    before = sorted(tmp_path.iterdir())
    for file, why_not in ((tmp_path / "fifo", "it is a pipe, a terminal or a device"), ("-", "it is a pipe, a terminal or a device"),
                          (tmp_path, "it is a directory"), ("/proc/self/own", "the folder must be writable"), (tmp_path / "no" / "own", "No such file")):
        said = ompdctl("-p", one.pid, "dump", "-o", file, status=4).stderr
        assert f"cannot write {file}: " in said and why_not in said, said
    os.close(reader)
    assert "no_such_process" in ompdctl("dump", 2**22 - 7, "-o", tmp_path / "own", status=1).stderr
    assert "only a stop shows the registers" in ompdctl("dump", one.pid, "-m", "observe", status=3).stderr
    assert "dump accepts one process" in ompdctl("dump", f"{one.pid},{one.pid}", status=3).stderr
    assert sorted(tmp_path.iterdir()) == before


def test_a_traced_process_is_refused(program, ompdctl, client, tmp_path):
    one = program("flat", 2)
    target = client.target.attach(pid=one.pid)["target"]
    client.target.stop(target=target)
    (tmp_path / "work").mkdir()
    assert "already_traced" in ompdctl("dump", one.pid, "-o", tmp_path / "work" / "own", status=1).stderr
    assert not list((tmp_path / "work").iterdir())
    client.target.resume(target=target)


def test_a_daemon_writes_no_core(program, client):
    one = program("flat", 2)
    target = client.target.attach(pid=one.pid)["target"]
    with fails("dump_failed") as failure:
        client.target.dump(target=target)
    assert "ompdctl dump PID" in failure.error.data["hint"]


def test_a_worker_by_hand(program, tmp_path):
    """Each mistake is named, and a worker writes to nothing but its regular file."""
    one = program("flat", 2)

    def ask(mode, fd, *methods):
        lines = [("target.attach", {"pid": one.pid, "mode": mode, "max_stop_ms": PATIENT_STOP_MS})] + [(method, {"target": "t1"}) for method in methods]
        text = "".join(json.dumps({"jsonrpc": "2.0", "id": i, "method": method, "params": params}) + "\n" for i, (method, params) in enumerate(lines))
        done = subprocess.run([BIN / "ompdd-worker", "--dump-fd", str(fd)], input=text, pass_fds=[fd], capture_output=True, text=True, timeout=600)
        return [json.loads(line) for line in done.stdout.splitlines() if '"id"' in line][1:]
    with open(tmp_path / "own", "wb") as file:
        (answer,) = ask("stop", file.fileno(), "target.dump")
        assert answer["result"]["n_threads"] == 2 and Core(tmp_path / "own").segments
        (answer,) = ask("observe", file.fileno(), "target.dump")
        assert answer["error"]["data"]["name"] == "mode_unsupported"
        assert ask("stop", file.fileno(), "target.stop", "target.dump")[1]["error"]["data"]["name"] == "target_held"
    with open(tmp_path / "own", "rb") as file:
        (answer,) = ask("stop", file.fileno(), "target.dump")
        assert answer["error"]["data"]["name"] == "dump_failed"
    read, write = os.pipe()
    (answer,) = ask("stop", write, "target.dump")
    assert answer["error"]["data"]["name"] == "dump_failed"
    os.close(read)
    os.close(write)
