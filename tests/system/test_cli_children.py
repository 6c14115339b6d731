# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ompdctl --children: commands for a process and what it starts."""
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys

import pytest
from daemons import BIN
from targets import PROGRAMS, children, tasks, wait_until

# A process without OpenMP that starts a program for each line of its input. At its end, each program's input ends.
STARTER = """
import subprocess, sys
started = []
for line in sys.stdin:
    started.append(subprocess.Popen(line.split(), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL))
for one in started:
    one.stdin.close()
for one in started:
    one.wait()
"""


class Starter:
    def __init__(self):
        self.process = subprocess.Popen([sys.executable, "-c", STARTER], stdin=subprocess.PIPE, text=True)
        self.pid = self.process.pid
        self.programs = []

    def start(self, *args):
        """Start a test program, and return its id when its team exists."""
        self.process.stdin.write(f"{PROGRAMS / args[0]} {' '.join(map(str, args[1:]))}\n")
        self.process.stdin.flush()
        started, = wait_until(lambda: set(children(self.pid)) - set(self.programs), "the program has started")
        self.programs.append(started)
        wait_until(lambda: len(tasks(started)) > 1, "it has a team")
        return started

    def close(self):
        self.process.stdin.close()
        self.process.wait(600)


@pytest.fixture
def starter():
    one = Starter()
    yield one
    one.close()


@pytest.fixture
def two(starter):
    """Two programs that spend their time in regions."""
    return starter.pid, [starter.start("turns"), starter.start("turns")]


def run(*args, code=0):
    done = subprocess.run([BIN / "ompdctl", *map(str, args)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == code, done
    return done.stderr if code else done.stdout


@contextlib.contextmanager
def record(*args):
    """Record on a terminal; the second value waits until that many processes are recorded."""
    terminal, errors = os.openpty()
    with subprocess.Popen([BIN / "ompdctl", "record", "-d", "600", *map(str, args)], stdout=subprocess.PIPE, stderr=errors, text=True) as one:
        os.close(errors)
        shown = b""

        def wait(n):
            nonlocal shown
            while f"of {n} process".encode() not in shown:
                shown += os.read(terminal, 1000)
        yield one, wait
    os.close(terminal)


def test_why_examines_each(starter):
    pids = [starter.start("flat", 4), starter.start("flat", 3)]
    assert sorted(json.loads(line)["pid"] for line in run("why", "--children", starter.pid, "--json").splitlines()) == sorted(pids)
    said = run("why", "--children", starter.pid)
    assert "4 threads" in said and "3 threads" in said, said


def test_a_root_that_uses_openmp_counts(starter):
    pid = starter.start("flat", 4)
    assert json.loads(run("why", "--children", pid, "--json"))["pid"] == pid


def test_top_has_a_part_for_each(two):
    root, pids = two
    said = run("top", "--children", root, "--once", "-d", 1)
    assert all(f"turns (pid {pid})" in said for pid in pids), said
    assert sorted(json.loads(line)["pid"] for line in run("top", "--children", root, "--once", "-d", 0.2, "--json").splitlines()) == sorted(pids)


def test_record_merges_the_stacks(two, tmp_path):
    root, pids = two
    path = tmp_path / "out.folded"
    said = run("record", "--children", root, "-d", 1, "-o", path)
    assert "of 2 processes" in said and all(f"turns (pid {pid}), " in said for pid in pids), said
    roots = {line.split(";")[0] for line in path.read_text().splitlines()}
    assert roots == {f"turns (pid {pid})" for pid in pids}
    assert "parallel region" in path.read_text()
    lines = [json.loads(line) for line in run("record", "--children", root, "-d", 0.2, "-o", path, "--json").splitlines()]
    assert sorted(line["pid"] for line in lines) == sorted(pids) and all(line["profile"]["samples"] for line in lines)


@pytest.mark.parametrize("ending", ["svg", "html", "json", "pprof"])
def test_each_format_of_several_processes(two, tmp_path, ending):
    path = tmp_path / f"out.{ending}"
    run("record", "--children", two[0], "-d", 0.5, "-o", path)
    if ending != "pprof":
        assert all(f"turns (pid {pid})" in path.read_text() for pid in two[1])


needs_otf2 = pytest.mark.skipif(not (BIN / "ompdctl-otf2").exists() or not shutil.which("otf2-print"), reason="no libotf2, or not its tools")


def otf2_print(*args):
    return subprocess.run(["otf2-print", *args], capture_output=True, text=True, check=True).stdout


@needs_otf2
def test_otf2_archive_of_several_processes(two, tmp_path):
    root, pids = two
    path = tmp_path / "x.otf2"
    said = run("record", "--children", root, "-d", 0.5, "-o", path)
    assert "of 2 processes" in said and all(f"turns (pid {pid}), " in said for pid in pids), said
    definitions = otf2_print("-G", path)
    assert sorted(map(int, re.findall(r"^LOCATION_GROUP +\d+ +Name: \"turns \(pid (\d+)\)\"", definitions, re.M))) == sorted(pids), definitions
    otf2_print(path)


@needs_otf2
def test_otf2_has_one_clock_and_each_region_once(tmp_path):
    """Two processes of one program: the second one was recorded 500 us later, and its states have other numbers."""
    place = {"function": "solve", "location": {"file": "solve.c", "line": 7}}

    def process(name, begun_us, states, codes):
        thread = {"tid": 11, "t_us": [10, 30], "state": codes, "region": [5, 5]}
        return {"name": name, "profile": {"begun_us": begun_us}, "regions": [{"index": 5, "place": place}],
                "pieces": [{"end_us": 20, "states": states, "threads": []}, {"end_us": 40, "states": states, "threads": [thread]}]}
    given = {"processes": [process("a", 1000, ["work", "barrier"], [0, 1]), process("b", 1500, ["barrier", "work"], [1, 0])]}
    subprocess.run([BIN / "ompdctl-otf2", tmp_path / "x.otf2"], input=json.dumps(given), text=True, check=True)
    definitions = otf2_print("-G", tmp_path / "x.otf2")
    assert re.findall(r"^REGION +\d+ +Name: \"(\w+)\"", definitions, re.M) == ["work", "barrier", "solve"], definitions
    assert re.findall(r"^LOCATION_GROUP +(\d+) +Name: \"(\w+)\"", definitions, re.M) == [("0", "a"), ("1", "b")]
    assert re.findall(r"^LOCATION +(\d+) +Name: \"thread (\d+)\".*Group: \"(\w+)\"", definitions, re.M) == [("0", "11", "a"), ("1", "11", "b")]
    events = re.findall(r"^(ENTER|LEAVE) +(\d+) +(\d+) +Region: \"(\w+)\"", otf2_print(tmp_path / "x.otf2"), re.M)
    of_first = [("ENTER", 10, "solve"), ("ENTER", 10, "work"), ("LEAVE", 30, "work"), ("ENTER", 30, "barrier"), ("LEAVE", 40, "barrier"), ("LEAVE", 40, "solve")]
    assert [(what, int(time), name) for what, location, time, name in events if location == "0"] == of_first
    assert [(what, int(time), name) for what, location, time, name in events if location == "1"] == [(what, time + 500, name) for what, time, name in of_first]


def test_record_includes_what_starts_meanwhile(starter, tmp_path):
    path = tmp_path / "out.folded"
    first = starter.start("turns")
    with record("--children", starter.pid, "-o", path) as (recording, wait):
        wait(1)
        second = starter.start("turns")
        wait(2)
        recording.send_signal(signal.SIGINT)
        said = recording.communicate(timeout=600)[0]
        assert recording.returncode == 0
    assert f"(pid {first}), " in said and f"(pid {second}), " in said, said
    assert f"turns (pid {first});" in path.read_text()


def test_the_recording_ends_with_the_processes(two, starter, tmp_path):
    with record("--children", two[0], "-o", tmp_path / "out.svg") as (recording, wait):
        wait(2)
        starter.close()
        said = recording.communicate(timeout=600)[0]
        assert recording.returncode == 0 and "of 2 processes" in said, said


@contextlib.contextmanager
def following(*args):
    """Run `ompdctl break`; the second value waits for a line, and returns it."""
    with subprocess.Popen([BIN / "ompdctl", "break", *map(str, args)], stdout=subprocess.PIPE, text=True) as one:
        yield one, lambda text: next(line for line in one.stdout if text in line)
        one.terminate()


def test_break_names_the_process_of_each_hit(starter):
    pids = [starter.start("rounds", 2), starter.start("rounds", 3)]
    with following("chore", "--children", "-n", 100000, starter.pid) as (_, wait):
        for pid in pids:
            wait(f"process {pid}, breakpoint 1, chore: 1 place")
        for pid in pids + pids[:1]:
            assert re.search(rf"^process {pid}, breakpoint 1, thread \d+ in chore$", wait(f"process {pid}, breakpoint 1, "))
    with following("chore", "--children", "-n", 100000, starter.pid, "--json") as (_, wait):
        for pid in pids:
            hit = json.loads(wait(f'"pid":{pid},'))
            assert hit["event"]["type"] == "breakpoint" and hit["stack"]["frames"][0]["function"] == "chore"


def test_break_follows_start_exec_and_end(starter):
    first = starter.start("flat", 2)
    with following("parallel_begin", "--children", starter.pid) as (one, wait):
        wait(f"process {first}, breakpoint 1, parallel_begin: ")
        second = starter.start("events", "exec")
        wait(f"process {second}, breakpoint 1, ")
        os.kill(second, signal.SIGUSR1)
        wait(f"process {second}, t2 ")
        # The new program has its breakpoints, too.
        wait(f"process {second}, breakpoint 1, ")
        starter.close()
        said = one.communicate(timeout=600)[0]
        assert one.returncode == 0 and f"process {first}, t1 " in said and "exited" in said, said


def test_break_in_processes_with_and_without_the_function(starter):
    """The process without the function is reported once, and the others are followed."""
    pids = [starter.start("flat", 2), starter.start("rounds", 2)]
    done = subprocess.run([BIN / "ompdctl", "break", "chore", "--children", str(starter.pid)], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and f"process {pids[1]}, breakpoint 1, thread" in done.stdout, done
    assert f"process {pids[0]} is left out: the process has no symbol chore" in done.stderr, done


@pytest.mark.parametrize("command", [["why"], ["record"], ["top", "--once"], ["break", "parallel_begin"]])
def test_no_process_uses_openmp(starter, command):
    assert f"neither process {starter.pid} nor a process that it started uses OpenMP" in run(*command, "--children", starter.pid, code=1)


@pytest.mark.parametrize("args, message", [
    (["record", "--children", "-t", "t1"], "--children needs a process"),
    (["record", "--children", "1", "--format", "otf2"], "record --format otf2 needs -o FILE"),
    (["tree", "--children", "1"], "--children belongs to why, top, record and break"),
    (["break", "--children", "parallel_begin", "-t", "t1"], "--children needs a process"),
])
def test_wrong_input(args, message):
    assert message in run(*args, code=3)
