# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fixtures: programs, daemons and validated clients. What a test leaves behind is judged at its end."""
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

# How often each of the kill tests tries: 40 in the suite, 400 in the soak preset.
TRIALS = int(os.environ.get("OMPDD_TRIALS", "40"))


def needs(*prefix):
    """Skip where the kernel, or the container of the tests, does not let us."""
    try:
        done = subprocess.run([*prefix, "true"], capture_output=True, text=True, timeout=600)
    except FileNotFoundError as error:
        pytest.skip(str(error))
    if done.returncode:
        pytest.skip(f"{' '.join(prefix)}: {done.stderr.strip()}")


@pytest.fixture
def program():
    """Start test programs; at the end none of them may be stopped, traced or dead, unless the test closed it."""
    started = []

    def start(*args, **options):
        one = Program(*args, **options)
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
    """Start daemons (after which `program` ends: targets are judged when their debugger is gone)."""
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
    """Another target of another client, which must answer throughout."""
    one = program("flat", 2)
    with daemon.connect() as client:
        target = client.target.attach(pid=one.pid, mode="observe")["target"]

        def check():
            assert len(client.snapshot.get(target=target)["threads"]) == 2
        check()
        yield check
        check()


@pytest.fixture(params=["observe", "stop"])
def mode(request):
    return request.param


@pytest.fixture
def moments():
    """Random moments, reproducible: the seed is in the output of a failed test."""
    seed = int(os.environ.get("OMPDD_SEED", random.randrange(1 << 32)))
    print(f"OMPDD_SEED={seed}")
    return random.Random(seed)


@pytest.fixture(params=[PROGRAMS / "debuggee", PROGRAMS / "llvm" / "debuggee"], ids=["gcc", "clang"])
def debuggee(request):
    """What debuggers stop in, of each compiler."""
    if not request.param.exists():
        pytest.skip("clang and libomp are not installed")
    return request.param


@pytest.fixture
def adapter(program):
    """Start debug adapters; whatever the test came to, none stays, nor what it launched."""
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
    """What `fails` caught."""
    error = None


@contextlib.contextmanager
def fails(name, pointer=None):
    """The block must end with an error answer of that data.name (and data.pointer)."""
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
    """Run ompdctl to its end; what it attaches to or launches may be stopped for long, as no test asks how long."""
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
