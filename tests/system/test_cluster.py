# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Summaries of real processes, and how they are merged and shown. Real clusters: tests/cluster."""
import ctypes
import itertools
import json
import os
import random
import shutil
import subprocess

import pytest
from daemons import BIN
from ompdd.cluster import parts
from ompdd.cluster.summary import parse_line
from targets import PROGRAMS, read_text, wait_until


def summary_of(*argv):
    done = subprocess.run([BIN / "ompdctl", "node-summary", *argv], capture_output=True, text=True, timeout=600, check=True)
    return done.stdout


def merge(lines, *argv, status=0):
    done = subprocess.run([BIN / "ompdctl", "merge", *argv], input=lines, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == status, done.stderr
    return done


# A name of our own: other tests examine programs, too.
NAME = f"flat{os.getpid()}"


@pytest.fixture(name="two")
def two_fixture(tmp_path):
    program = shutil.copy(PROGRAMS / "flat", tmp_path / NAME)
    with subprocess.Popen([program, "3"], stdout=subprocess.PIPE) as one, subprocess.Popen([program, "5"], stdout=subprocess.PIPE) as two:
        for process in (one, two):
            assert process.stdout.readline()
        for process, n in ((one, 3), (two, 5)):
            wait_until(lambda process=process: all_pause(process.pid), f"{n} threads in pause()")
        yield {one.pid, two.pid}
        one.kill()
        two.kill()


def all_pause(pid):
    return {read_text(f"/proc/{pid}/task/{tid}/syscall").split()[0] for tid in os.listdir(f"/proc/{pid}/task")} == {"34"}


def test_each_thread_is_in_one_class(two):
    # Without a stop: on a busy machine it may exceed its limit.
    line = summary_of("--name", NAME, "--node-name", "here", "-m", "observe")
    summary = json.loads(line)
    assert line.count("\n") == 1 and summary["kind"] == "stacks" and summary["nodes"] == "here"
    assert summary["n_processes"] == 2 and summary["n_threads"] == 8, line
    assert sum(row["n_threads"] for row in summary["classes"]) == summary["n_threads"]
    for row in summary["classes"]:
        assert not any("0x" in part for part in row["key"])
    in_region = [row for row in summary["classes"] if "parallel region" in row["key"]]
    assert sum(row["n_threads"] for row in in_region) == 8
    assert all(row["key"][-1] == "in pause()" and "main() at flat.c" in row["key"][0] for row in in_region)


def test_who_is_stopped_is_said(two, tmp_path):
    """Only threads that run are stopped, and only in mode stop."""
    assert json.loads(summary_of("--name", NAME))["stopped_us"] == {"max": 0, "total": 0}
    runner = shutil.copy(PROGRAMS / "rounds", tmp_path / f"runs{os.getpid()}")
    with subprocess.Popen([runner, "2"], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline()
        name = runner.name
        wait_until(lambda: json.loads(summary_of("--name", name))["stopped_us"]["max"] > 0, "a stop of a thread that runs")
        assert json.loads(summary_of("--name", name, "-m", "observe"))["stopped_us"] == {"max": 0, "total": 0}
        process.kill()


PTRACE_DETACH, PTRACE_SEIZE, PTRACE_INTERRUPT, WALL = 17, 0x4206, 0x4207, 0x40000000


def test_a_process_that_cannot_be_stopped_is_no_dead_node(two):
    """The process with another debugger is missing, and the other is present."""
    libc = ctypes.CDLL(None, use_errno=True)
    traced = min(two)
    assert not libc.ptrace(PTRACE_SEIZE, traced, None, None), os.strerror(ctypes.get_errno())
    try:
        def line_with_the_other():
            """Repeat if a busy machine was too slow for its stop."""
            line = summary_of("--name", NAME, "--node-name", "n1")
            return json.loads(line)["n_processes"] and line
        line = wait_until(line_with_the_other, "the other is looked at")
    finally:
        libc.ptrace(PTRACE_INTERRUPT, traced, None, None)
        os.waitpid(traced, WALL)
        libc.ptrace(PTRACE_DETACH, traced, None, None)
    summary = json.loads(line)
    assert summary["nodes"] == "n1" and summary["failed"] == [], line
    assert summary["skipped"] == [{"why": "already_traced", "n_processes": 1, "nodes": "n1", "n_nodes": 1}], line
    text = merge(line, "--width", "200").stdout
    assert "1 process not examined (another debugger traces them; -m observe works beside it): n1" in text and "no answer" not in text


def test_what_is_merged_is_shown(two):
    lines = summary_of("--name", NAME, "--node-name", "n1") + summary_of("--name", NAME, "--node-name", "n2")
    done = merge(lines, "--width", "200")
    assert done.stdout.startswith("2 nodes, ") and "main() at flat.c" in done.stdout and "n[1-2]/0" in done.stdout
    merged = json.loads(merge(lines, "--json").stdout)
    assert merged["nodes"] == "n[1-2]" and merged["n_threads"] == 2 * json.loads(lines.splitlines()[0])["n_threads"]
    assert "in pause()" in merge(lines, "--view", "threads").stdout


def test_verdicts(two):
    line = summary_of("--name", NAME, "--kind", "why", "--node-name", "n1")
    assert {row["key"][0] for row in json.loads(line)["classes"]} <= {"waiting", "blocked", "busy"}
    assert "details on n1: ompdctl -p" in merge(line).stdout


def test_nothing_to_look_at():
    line = summary_of("--name", "no such program")
    assert json.loads(line)["n_processes"] == 0
    assert "0 processes" in merge(line, status=1).stdout


@pytest.mark.parametrize("argv, lines, says", [
    (["merge"], "nonsense\n", "not a summary"),
    (["merge"], '{"ompdd_summary":1,"kind":"stacks"}\n', "not a summary"),
    (["merge"], "[" * 100000, "not a summary"),
    (["merge", "/nowhere"], "", "cannot read /nowhere"),
    (["tree", "--nodes", "node[1-"], "", "not a set of names"),
    (["why", "--nodes", "a", "--frobnicate"], "", "--frobnicate"),
    (["top", "--nodes", "a", "-d", "50"], "", "50 seconds of top do not fit in 60"),
    (["top", "--nodes", "a", "-d", "50"], "", "50 seconds of top do not fit in 60"),
    (["node-summary", "--kind", "x"], "", "--kind"),
    (["tree", "--name", "x", "-p", "1"], "", "--name"),
])
def test_wrong_input(argv, lines, says):
    done = subprocess.run([BIN / "ompdctl", *argv], input=lines, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode in (1, 3) and says in done.stderr and "hint: " in done.stderr and "Traceback" not in done.stderr


def test_parts_are_put_together_again():
    """Several lines, mixed: srun and MPI's launchers split long lines of several nodes like this."""
    rng = random.Random(7)
    lines = [json.dumps({"n": n, "x": [rng.random() for _ in range(size)]}) for n, size in enumerate((1, 3, 500, 4000))]
    mixed = [part for line in lines for part in parts.split(line)]
    assert len(mixed) > len(lines) and max(map(len, mixed)) < 1000
    rng.shuffle(mixed)
    joiner = parts.Joiner()
    whole = [line for line in map(joiner.take, mixed) if line]
    assert sorted(whole) == sorted(lines)
    assert joiner.take("srun: error: x") == "srun: error: x", "what is no part stays"
    for bad in ("ompdd-part a 1 1 x", "ompdd-part a x 1 x", "ompdd-part a 0 99999999 x", "ompdd-part a 0 1 ===", "ompdd-part a 0 1 AAAA"):
        assert joiner.take(bad) is None


def test_where_time_goes(two):
    """The amount depends on the machine; the owner does not."""
    summary = json.loads(summary_of("--name", NAME, "-m", "observe", "--kind", "top", "-d", "1"))
    assert summary["kind"] == "top" and summary["n_processes"] == 2 and not summary["failed"], summary
    for row in summary["classes"]:
        assert 0 < row["us"]["most"] <= row["us"]["total"] and row["example"]["pid"] in two


def top_line(node, *rows):
    """Return a summary of one process of each rank: (rank, state, microseconds)."""
    return json.dumps({"ompdd_summary": 1, "kind": "top", "nodes": node, "n_nodes": 1, "n_processes": len(rows), "n_threads": len(rows),
                       "stopped_us": {"max": 0, "total": 0}, "failed": [], "classes": [
                           {"key": ["solve() at a.c:7", state], "n_threads": 1, "members": [{"group": "1.0", "ranks": str(rank), "threads": "0"}],
                            "example": {"group": "1.0", "rank": rank, "node": node, "pid": 100 + rank, "tid": 100 + rank},
                            "us": {"total": us, "most": us}} for rank, state, us in rows]}) + "\n"


def test_time_is_added_and_who_has_most_is_named():
    lines = [top_line("n1", (0, "work", 1000000)), top_line("n2", (1, "work", 5000000)), top_line("n3", (2, "barrier", 2000000)),
             top_line("n4", (3, "work", 5000000))]

    def together(order):
        summary = None
        for line in order:
            summary = parse_line(line, summary)
        return summary.to_line()
    merged = {together(order) for order in itertools.permutations(lines)}
    merged |= {together([together([lines[i], lines[k]]), together([line for n, line in enumerate(lines) if n not in (i, k)])])
               for i, k in itertools.permutations(range(4), 2)}
    assert len(merged) == 1, "in any order and grouping"
    rows = {row["key"][1]: row for row in json.loads(merged.pop())["classes"]}
    assert rows["work"]["us"] == {"total": 11000000, "most": 5000000} and rows["work"]["example"]["rank"] == 1
    text = merge("".join(lines), "--width", "120").stdout.split("\n")
    assert text[1].split() == ["TIME", "SHARE", "STATE", "REGION", "MOST", "WHO"]
    assert text[2].split() == "11.0 s 85 % work solve() at a.c:7 1.4x rank 1 ranks 0-1,3".split()
    assert text[3].split() == "2.0 s 15 % barrier solve() at a.c:7 - rank 2".split()
