# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Merging the summaries of simulated nodes: 4 ranks with 16 threads each, noise, one node in twenty dead."""
import json
import os
import pathlib
import random
import subprocess

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
    """Seconds of CPU, MiB at most, lines on the screen."""
    with subprocess.Popen([ompdctl, "merge", path], stdout=subprocess.PIPE, text=True) as process:
        lines = process.stdout.read().splitlines()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
    if status:
        raise SystemExit(f"ompdctl merge: wait status {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, len(lines)


def bench_merge(ompdctl, folder, row) -> None:
    """The rows of the table."""
    costs = {}
    for n_nodes in (1000, 10000):
        path = pathlib.Path(folder) / f"nodes-{n_nodes}"
        simulate(path, n_nodes)
        costs[n_nodes] = merge(ompdctl, path)
        path.unlink()
    seconds, mib, lines = costs[10000]
    row("ompdctl merge, 10 000 nodes: CPU", [seconds * 1e6], [costs[1000][0] * 1e6], "<= 2000 ms", seconds * 1e6, 2e6, "us")
    row("the same, memory at most", [mib], None, "<= 256", mib, 256, "MiB")
    row("the same, lines on the screen", [lines], None, "<= 40", lines, 40, "lines")
