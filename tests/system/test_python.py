# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of Python on stacks, and Python's GIL in the graph of waits, against what Python says about itself."""
import glob
import json
import os
import pathlib
import re
import subprocess

import pytest
from cores import gcore
from targets import PROGRAMS, wait_until

SCRIPTS = pathlib.Path(__file__).parents[1] / "programs" / "python"
GIL_PART = PROGRAMS / "python" / "gil_part.so"
# Debian's Python, and those that OMPDD_PYTHONS or pyenv offer. A process in a chroot has no path of this machine.
PYTHONS = [path for path in os.environ.get("OMPDD_PYTHONS", "").split(":") if path] or sorted(
    {"/usr/bin/python3", *(path for path in glob.glob(os.path.expanduser("~/.pyenv/versions/3.*/bin/python3"))
                           if int(re.search(r"/3\.(\d+)", path)[1]) >= 9)})


@pytest.fixture(params=PYTHONS)
def python(request):
    if not pathlib.Path(request.param).exists():
        pytest.skip(f"no {request.param}")
    return request.param


@pytest.fixture
def stacks(program, python):
    """Start the script; return the process and the stacks that Python shows, by thread."""
    def start(*names):
        one = program("stacks", SCRIPTS / "stacks.py", *names, path=python, env={"PYTHONIOENCODING": "utf-8"})
        return one, {int(tid): frames for tid, frames in one.read_line().items()}
    return start


def functions(frames):
    """Return the Python functions of a stack, as the script shows them."""
    return [[frame["function"], frame["location"]["file"], frame["location"]["line"]]
            for frame in frames if frame["kind"] == "python"]


def check_places(frames):
    """Each run of Python functions is followed by the frame of the interpreter that executes it."""
    own = [frame for frame in frames if not frame.get("inlined")]
    for frame, inner in zip(own[1:], own):
        if inner["kind"] == "python" and frame["kind"] != "python":
            assert frame["function"].startswith("_PyEval_EvalFrameDefault"), frame


def test_stacks_are_those_that_python_shows(stacks, mode, client):
    one, expected = stacks("nested", "generator", "größe", "lines")
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    for tid, shown in expected.items():
        result = client.stack.get(target=target, thread=tid)
        assert functions(result["frames"]) == shown
        assert result["complete"] is True and "warnings" not in result
        check_places(result["frames"])
    groups = client.stack.groups(target=target)["groups"]
    grouped = {thread["tid"]: functions(group["frames"]) for group in groups for thread in group["threads"]}
    assert {tid: grouped[tid] for tid in expected} == expected


def test_a_core_shows_the_same(stacks, tmp_path, client):
    one, expected = stacks("nested", "generator", "größe")
    target = client.target.open_core(core=str(gcore(one, tmp_path)))["target"]
    for tid, shown in expected.items():
        result = client.stack.get(target=target, thread=tid)
        assert functions(result["frames"]) == shown
        check_places(result["frames"])


def test_a_running_thread(stacks, mode, client):
    """Its functions are known, also without a stop: they were the same in two reads."""
    one, expected = stacks("spin")
    (tid, shown), = expected.items()
    target = client.target.attach(pid=one.pid, mode=mode)["target"]

    def seen():
        found = functions(client.stack.get(target=target, thread=tid)["frames"])
        return found and [name for name, *_ in found] == [name for name, *_ in shown]
    wait_until(seen, "the stack of the running thread")


def test_text(stacks, ompdctl):
    one, expected = stacks("nested")
    text = ompdctl("-p", one.pid, "bt").stdout
    for name, file, line in next(iter(expected.values())):
        assert f"{name}() at {file}:{line}\n" in text


def test_max_frames(stacks, client):
    """The functions of the frames that remain are shown, and no others."""
    one, expected = stacks("nested")
    (tid, shown), = expected.items()
    target = client.target.attach(pid=one.pid, mode="stop")["target"]
    result = client.stack.get(target=target, thread=tid, max_frames=12)
    assert functions(result["frames"]) == shown[:len(functions(result["frames"]))] and result["complete"] is not True


@pytest.fixture
def gil(program, python):
    def start(kind):
        return program(f"gil {kind}", SCRIPTS / "gil.py", GIL_PART, kind, path=python)
    return start


def diagnose(client, one, mode):
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    return target, lambda: client.diagnose.get(target=target, graph=True)


def test_gil_deadlock(gil, mode, client):
    one = gil("held")
    _, get = diagnose(client, one, mode)
    title = (r"deadlock: thread 0 \(\d+\) holds Python's GIL and waits for the barrier at the end of the region; "
             r"threads 1-3 wait for the GIL")

    def seen():
        """The deadlock. On a busy machine, a thread may be awake at each look."""
        result = get()
        return re.fullmatch(title, result["title"]) and result
    result = wait_until(seen, "the deadlock")
    finding = result["findings"][0]
    assert (finding["kind"], finding["certainty"]) == ("cycle", "proven")
    (node,) = [node for node in result["nodes"] if node["kind"] == "python_gil"]
    edges = [edge for edge in result["edges"] if node["id"] in (edge["from"], edge["to"])]
    assert sorted(edge["kind"] for edge in edges) == ["held_by", "waits_for", "waits_for", "waits_for"]
    assert all(edge["source"] == "memory" and edge["certainty"] == "proven" and edge["evidence"] for edge in edges)


def test_gil_deadlock_in_a_core(gil, tmp_path, client):
    one = gil("held")
    _, get = diagnose(client, one, "stop")
    wait_until(lambda: get()["verdict"] == "deadlock", "the deadlock")
    target = client.target.open_core(core=str(gcore(one, tmp_path)))["target"]
    result = client.diagnose.get(target=target)
    assert result["verdict"] == "deadlock" and "holds Python's GIL" in result["title"]


def test_a_released_gil_is_no_deadlock(gil, mode, client):
    one = gil("released")
    _, get = diagnose(client, one, mode)
    for _ in range(int(os.environ.get("OMPDD_LOOKS", "5"))):
        assert get()["verdict"] not in ("deadlock", "blocked")


def test_a_thread_that_sleeps_with_the_gil(gil, mode, client):
    one = gil("sleeping")
    _, get = diagnose(client, one, mode)

    def seen():
        result = get()
        return result["verdict"] in ("blocked", "waiting") and "for Python's GIL" in result["title"] and result
    assert re.search(r"for Python's GIL: thread \d+ holds it and sleeps in sleep\(\)", wait_until(seen, "the sleeping holder")["title"])


def test_record(program, ompdctl, tmp_path):
    """A profile has the functions of Python around the region that numpy's BLAS starts."""
    script = tmp_path / "multiply.py"
    script.write_text("""
import json, os, numpy

def multiply(one):
    return one @ one

def loop():
    one = numpy.ones((500, 500))
    one @ one
    print(json.dumps({"pid": os.getpid(), "lines": 0}), flush=True)
    while True:
        multiply(one)

loop()
""")
    if subprocess.run(["/usr/bin/python3", "-c", "import numpy"], capture_output=True, check=False).returncode:
        pytest.skip("no numpy (Debian: python3-numpy, libopenblas0-openmp)")
    one = program("multiply", script, path="/usr/bin/python3", env={"OMP_NUM_THREADS": "2"})
    text = ompdctl("record", one.pid, "-d", "2", "--format", "folded", "-o", "-").stdout
    assert re.search(r";<module>;loop;multiply;", text), text
