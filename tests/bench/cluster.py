# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views of a job: merging the summaries of simulated nodes (4 ranks with 16 threads each, noise, one node in twenty dead), and what
is added to ClusterShell's own time for running something on so many nodes."""
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import time

RANKS, THREADS = 4, 16


def simulate(path: pathlib.Path, n_nodes: int) -> None:
    rng = random.Random(n_nodes)
    region = ["main() at solver.c:120", "parallel region", "main._omp_fn.0() at solver.c:131"]
    with open(path, "w", encoding="ascii") as out:
        for number in range(n_nodes):
            node = f"node{number}"
            row = {"ompdd_summary": 1, "kind": "stacks", "nodes": node, "n_nodes": 1, "n_processes": RANKS,
                   "n_threads": RANKS * THREADS, "stopped_us": {"max": 900, "total": 3000}, "failed": [], "classes": []}
            if rng.random() < 0.05:
                row.update(n_processes=0, n_threads=0, failed=[{"why": "no answer in time", "nodes": node, "n_nodes": 1}])
            else:
                first = number * RANKS
                noise = rng.randrange(200)
                classes = [(region + ["barrier"], f"{first}-{first + 3}", "1-15"),
                           (region + [f"kernel{noise}() at kernels.c:{noise}", "work"], f"{first}-{first + 2}", "0"),
                           (region + ["exchange() at halo.c:17", "in MPI_Waitall()"], f"{first + 3}", "0")]
                row["classes"] = [{"key": key, "n_threads": 4, "members": [{"group": "1.0", "ranks": ranks, "threads": threads}],
                                   "example": {"group": "1.0", "rank": first, "node": node, "pid": 1000 + number, "tid": 1000}}
                                  for key, ranks, threads in classes]
            out.write(json.dumps(row, separators=(",", ":")) + "\n")


def merge(ompdctl: pathlib.Path, path: pathlib.Path):
    """Seconds of CPU, MiB at most, lines on the screen. Without any node, it says so."""
    with subprocess.Popen([ompdctl, "merge", path], stdout=subprocess.PIPE, text=True) as process:
        lines = process.stdout.read().splitlines()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
    if status and path.stat().st_size:
        raise SystemExit(f"ompdctl merge: wait status {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, len(lines)


def bench_merge(ompdctl, folder, row) -> None:
    """Return the rows of the table."""
    costs = {}
    for n_nodes in (0, 1000, 10000):
        path = pathlib.Path(folder) / f"nodes-{n_nodes}"
        simulate(path, n_nodes)
        costs[n_nodes] = merge(ompdctl, path)
        path.unlink()
    seconds, mib, lines = costs[10000]
    row("ompdctl merge, 10 000 nodes: CPU", [seconds * 1e6], [costs[1000][0] * 1e6], "<= 2000 ms", seconds * 1e6, 2e6, "us")
    each = [(costs[n][0] - costs[0][0]) / n * 1e6 for n in (10000, 1000)]
    row("  of it for each node / for each of 1000", each[:1], each[1:], "<= 1.3", each[0] / each[1], 1.3, "us")
    row("the same, memory at most", [mib], None, "<= 256", mib, 256, "MiB")
    row("the same, lines on the screen", [lines], None, "<= 40", lines, 40, "lines")


# The engine by itself: its exec worker starts the command here for each node, and gathers nothing.
ENGINE = """
import sys
from ClusterShell.Task import task_self
task = task_self()
task.set_default("stderr", False)
task.set_default("stdout_msgtree", False)
task.shell("/bin/true", nodes=sys.argv[1], stdin=False)
task.run()
"""
# Number of nodes, and of repetitions.
FAN_OUTS = ((4, 15), (32, 11), (256, 5), (1000, 3))
REAL_NODES = 32


def took(argv, env):
    """Return elapsed and CPU microseconds, including its children."""
    begun = time.monotonic()
    with subprocess.Popen([str(arg) for arg in argv], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env) as process:
        said = b"".join(stream.read() for stream in (process.stdout, process.stderr))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
    if status:
        raise SystemExit(f"{argv[0]}: wait status {status}: {said[-500:]!r}")
    return (time.monotonic() - begun) * 1e6, (usage.ru_utime + usage.ru_stime) * 1e6, said


def engine_python(env):
    """Return a Python with ClusterShell; None without one."""
    for python in ("/usr/bin/python3", shutil.which("python3")):
        if python and not subprocess.run([python, "-c", "import ClusterShell"], env=env, capture_output=True, check=False).returncode:
            return python
    return None


def paired(n_rounds, ours, reference, env):
    """Return samples of both, in turns: elapsed and CPU."""
    rows = [[], [], [], []]
    for i in range(n_rounds + 1):
        one, other = took(ours, env), took(reference, env)
        # The first run finds no file in memory yet.
        if i:
            for samples, value in zip(rows, (*one[:2], *other[:2])):
                samples.append(value)
    return rows


def bench_fan_out(ompdctl, answer, pid_name, folder, row) -> None:
    """The rows of the table. `answer` is a program that is as quick as `true` and writes a summary: what is measured is what gathers and
    merges; what a node does for a summary is a row of its own, because nodes do it at the same time."""
    folder = pathlib.Path(folder)
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env["CLUSTERSHELL_CFGDIR"] = str(folder)
    (folder / "defaults.conf").write_text("[task.default]\ndistant_workername: exec\n")
    summary = [ompdctl, "node-summary", "--name", pid_name, "-m", "observe"]
    looks = paired(9, summary, ["true"], env)
    row("ompdctl node-summary of a process, on each node: CPU", looks[1], looks[3], "(none)", statistics.median(looks[1]), float("inf"), "us")
    python = engine_python(env)
    if not python:
        print("no ClusterShell here: no rows for fan-out", flush=True)
        return
    shutil.copy(answer, folder / "answer")
    (folder / "answer.json").write_bytes(took(summary, env)[2])
    for n_nodes, n_rounds in FAN_OUTS:
        nodes = f"node[1-{n_nodes}]"
        times = paired(n_rounds, [ompdctl, "tree", "--nodes", nodes, "--remote-ompdctl", folder / "answer"], [python, "-c", ENGINE, nodes], env)
        row(f"fan-out to {n_nodes} nodes / the engine's own time for /bin/true", times[0], times[2], "<= 1.2",
            statistics.median(times[0]) / statistics.median(times[2]), 1.2, "us")
        row("  the same, CPU", times[1], times[3], "(none)", statistics.median(times[1]) / statistics.median(times[3]), float("inf"), "us")
    nodes = f"node[1-{REAL_NODES}]"
    times = paired(3, [ompdctl, "tree", "--nodes", nodes, "--name", pid_name, "-m", "observe"], [python, "-c", ENGINE, nodes], env)
    row(f"  with node-summary itself, all {REAL_NODES} nodes being this machine", times[0], times[2], "(none)",
        statistics.median(times[0]) / statistics.median(times[2]), float("inf"), "us")
