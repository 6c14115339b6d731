# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fixtures: programs, daemons and validated clients. Each fixture checks at its end what the test leaves behind."""
import contextlib
import os
import pathlib
import random
import subprocess
import sys

import pytest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "clients" / "python"))

import ompdd  # noqa: E402
from daemons import BIN, PATIENT_STOP_MS, Daemon  # noqa: E402
from targets import PROGRAMS, Program, stopped_threads, tracer, wait_until  # noqa: E402

# Trials of each kill test: 40 in the suite, 400 in the soak preset.
TRIALS = int(os.environ.get("OMPDD_TRIALS", "40"))
# A stop proves more: threads that spin have no stack in observe mode.
MODES = ("stop", "observe")


def variants(names, runtimes):
    """Return triples of a name, a runtime and a mode, for parametrize: all of them in the soak preset.

    In the suite, each name occurs with each runtime in the first mode. The runtimes take turns in the other mode.
    """
    return [(name, runtime, mode) for turn, name in enumerate(names) for runtime in runtimes for mode in MODES
            if TRIALS > 40 or mode == MODES[0] or runtime == runtimes[turn % len(runtimes)]]


def runtimes_and_modes(runtimes):
    """Return the pairs of variants() for one name: in the suite, only the first runtime occurs in each mode."""
    return [(runtime, mode) for _, runtime, mode in variants([None], runtimes)]


def needs(*prefix):
    """Skip if the kernel, or the container of the tests, does not allow it."""
    try:
        done = subprocess.run([*prefix, "true"], capture_output=True, text=True, timeout=600)
    except FileNotFoundError as error:
        pytest.skip(str(error))
    if done.returncode:
        pytest.skip(f"{' '.join(prefix)}: {done.stderr.strip()}")


@pytest.fixture
def program():
    """Start test programs. At the end none of them may be stopped, traced or dead, unless the test closed it."""
    started = []

    def start(*args, **options):
        try:
            one = Program(*args, **options)
        except FileNotFoundError as error:
            if "/target/" not in str(error.filename):
                raise
            pytest.skip(f"no twin of this program: {error.filename}")
        started.append(one)
        return one

    yield start
    try:
        for one in started:
            if one.process.stdin.closed or getattr(one, "expect_end", False):
                continue
            assert one.alive(), f"{one.name} died: {one.process.poll()}"
            wait_until(lambda one=one: not stopped_threads(one.pid) and not tracer(one.pid),
                       f"{one.name} runs again and nobody traces it")
    finally:
        for one in started:
            one.close()


@pytest.fixture
def daemons(tmp_path, program):
    """Start daemons. `program` ends after them: it checks its targets when their debugger has ended."""
    started = []

    def start(*args, **options):
        one = Daemon(tmp_path / f"d{len(started)}", *args, **options)
        started.append(one)
        return one

    yield start
    for one in started:
        one.close()


@pytest.fixture
def daemon(daemons):
    return daemons()


@pytest.fixture
def client(daemon):
    with daemon.connect() as one:
        yield one


@pytest.fixture
def bystander(program, daemon):
    """A second target of a second client, which must answer throughout."""
    one = program("flat", 2)
    with daemon.connect() as client:
        target = client.target.attach(pid=one.pid, mode="observe")["target"]

        def check():
            assert len(client.snapshot.get(target=target)["threads"]) == 2
        check()
        yield check
        check()


@pytest.fixture(params=MODES)
def mode(request):
    return request.param


@pytest.fixture
def moments():
    """Random moments. They are reproducible: a failed test prints its seed."""
    seed = int(os.environ.get("OMPDD_SEED", random.randrange(1 << 32)))
    print(f"OMPDD_SEED={seed}")
    return random.Random(seed)


@pytest.fixture(params=[PROGRAMS / "debuggee", PROGRAMS / "llvm" / "debuggee"], ids=["gcc", "clang"])
def debuggee(request):
    """The program that debuggers stop in, for each compiler."""
    if not request.param.exists():
        pytest.skip("clang and libomp are not installed")
    return request.param


@pytest.fixture
def adapter(program):
    """Start debug adapters. At the end, the adapters and the programs that they launched are ended."""
    started = []

    def start(*argv, **options):
        from dap import Dap
        one = Dap(*argv, **options)
        started.append(one)
        return one

    yield start
    for one in started:
        if one.process.poll() is None:
            one.close()


class Failure:
    """The error that `fails` caught."""
    error = None


@contextlib.contextmanager
def fails(name, pointer=None):
    """The block must end with an error answer with this data.name (and data.pointer)."""
    caught = Failure()
    try:
        yield caught
    except ompdd.Error as error:
        caught.error = error
    assert caught.error is not None, f"no error, expected {name}"
    assert caught.error.name == name, f"expected {name}, got {caught.error.name}: {caught.error}"
    if pointer is not None:
        assert caught.error.data.get("pointer") == pointer, caught.error.data


@pytest.fixture
def ompdctl():
    """Run ompdctl to its end. Its targets may stop for long: no test measures that."""
    def run(*args, status=0, **options):
        if {"-p", "--"}.intersection(args) and status != 3:
            args = ("--max-stop-ms", PATIENT_STOP_MS, *args)
        done = subprocess.run([str(BIN / "ompdctl"), *map(str, args)], capture_output=True, text=True, timeout=600,
                              stdin=subprocess.DEVNULL, **options)
        assert done.returncode == status, f"ompdctl {args}: status {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done
    return run


@pytest.fixture(scope="session")
def programs():
    return PROGRAMS


@pytest.fixture
def quota():
    """Moves a process into a control group that may use a fifth of a CPU."""
    mounts = [line.split() for line in pathlib.Path("/proc/mounts").read_text().splitlines()]
    first = [line[1] for line in mounts if line[2] == "cgroup" and "cpu" in line[3].split(",")]
    second = [line[1] for line in mounts if line[2] == "cgroup2" and "cpu" in (pathlib.Path(line[1]) / "cgroup.controllers").read_text().split()]
    folder = pathlib.Path((first + second + ["/none"])[0]) / f"ompdd-test-{os.getpid()}"
    try:
        folder.mkdir()
        if first:
            (folder / "cpu.cfs_quota_us").write_text("20000")
        else:
            (folder / "cpu.max").write_text("20000 100000")
    except OSError as error:
        pytest.skip(f"no control group with a quota can be made here: {error}")
    yield lambda pid: ((folder / "cgroup.procs").write_text(str(pid)), f"/{folder.name}")[1]
    for pid in (folder / "cgroup.procs").read_text().split():
        (folder.parent / "cgroup.procs").write_text(pid)
    folder.rmdir()
