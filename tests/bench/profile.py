#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a profile costs its target and the machine, and how right its shares are. Prints a table; ends with 1 when a goal is missed.

The shares are right only where there is a free moment for each look: run it on a machine that does nothing else, or as root with
--undisturbed, which gives the program and its worker the processors before all others (and those nothing meanwhile)."""
import argparse
import contextlib
import json
import os
import pathlib
import statistics
import struct
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "system"))
from targets import BUILD, PROGRAMS, Program  # noqa: E402

OURS = {"LD_LIBRARY_PATH": str(BUILD / "lib" / "ompdd")}
ROWS = []
# As tests/programs/shares.c counts them; what a profile has for them.
ORDER = ["work", "serial", "critical", "barrier", "taskwait", "idle", "overhead"]
STATES = {"work": {"work"}, "serial": {"serial"}, "critical": {"critical"}, "taskwait": {"taskwait"}, "idle": {"idle"}, "overhead": {"overhead"},
          "barrier": {"barrier", "barrier_implicit", "barrier_explicit"}}


def row(what, value, goal, unit):
    ROWS.append((what, value, goal, unit))


class Worker:
    """An ompdd-worker by hand, with one target."""

    def __init__(self, pid, mode="observe"):
        self.process = subprocess.Popen([BUILD / "bin" / "ompdd-worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.id = 0
        self.ask("target.attach", pid=pid, mode=mode)

    def ask(self, method, **params):
        self.id += 1
        if method != "target.attach":
            params["target"] = "t1"
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}).encode() + b"\n")
        self.process.stdin.flush()
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.id:
                return answer["result"]

    def cpu_s(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def bench_slowdown(rounds):
    """The same job by turns without and with a profile at 100 Hz that has begun: ratio of each pair."""
    job = subprocess.Popen([BUILD / "tests" / "bench" / "job", "8", "2000"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                           env={**os.environ, **OURS})

    def once():
        job.stdin.write(b"\n")
        job.stdin.flush()
        return float(job.stdout.readline())

    once()
    with contextlib.closing(Worker(job.pid)) as worker:
        ratios = []
        for i in range(rounds):
            pair = {}
            for profiled in ((False, True) if i % 2 else (True, False)):
                if profiled:
                    worker.ask("profile.start")
                    once()
                pair[profiled] = once()
                if profiled:
                    worker.ask("profile.stop")
            ratios.append(pair[True] / pair[False])
    job.stdin.close()
    job.wait()
    row(f"8 threads at 100 Hz: time of the same job, with / without; median of {rounds} pairs", statistics.median(ratios), 1.01, "")


def bench_many(seconds):
    """Processor time of the worker, and what it reached, for 300 threads on our runtime."""
    for what, args in (("that wait at a barrier", ("ticks", 300)), ("that are parked at work", ("flat", 300))):
        one = Program(*args, env=OURS)
        with contextlib.closing(Worker(one.pid)) as worker:
            worker.ask("profile.start")
            time.sleep(2)
            before, cpu, begun = worker.ask("profile.get")["profile"], worker.cpu_s(), time.monotonic()
            time.sleep(seconds)
            after, spent = worker.ask("profile.get")["profile"], worker.cpu_s() - cpu
            passed = time.monotonic() - begun
            looks = after["samplings"] - before["samplings"]
            # What 100 looks a second would take, if fewer were made.
            row(f"300 threads {what}: processor at 100 Hz ({looks / passed:.0f} Hz reached)", 100 * spent / looks * 100, 10, "%")
        one.close()


def spent(path, n):
    words = struct.unpack(f"<{len(ORDER) * n}Q", path.read_bytes())
    return {name: sum(words[i::len(ORDER)]) for i, name in enumerate(ORDER)}


def give_priority(pid, priority):
    """Real-time, for all its threads that are and will be."""
    for tid in os.listdir(f"/proc/{pid}/task"):
        os.sched_setscheduler(int(tid), os.SCHED_RR, os.sched_param(priority))


def bench_shares(folder, seconds, runtime, env, undisturbed):
    """Programs that know their shares: the worst difference of any state."""
    for mode in "critical", "imbalance", "idle", "taskwait":
        path = pathlib.Path(folder) / "shares"
        path.write_bytes(bytes(8 * len(ORDER) * 2))
        one = subprocess.Popen([PROGRAMS / "shares", mode, path, "2"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                               env={**os.environ, **env})
        if undisturbed:
            give_priority(one.pid, 1)
        time.sleep(0.5)
        with contextlib.closing(Worker(one.pid)) as worker:
            if undisturbed:
                give_priority(worker.process.pid, 2)
            before = spent(path, 2)
            worker.ask("profile.start")
            time.sleep(seconds)
            worker.ask("profile.stop")
            after = spent(path, 2)
            profile = worker.ask("profile.get")
        one.kill()
        one.wait()
        one.stdin.close()
        counted = {name: after[name] - before[name] for name in ORDER}
        seen, total, all_seen = profile["total"]["times"], sum(counted.values()), sum(profile["total"]["times"].values())
        worst = max(abs(sum(seen.get(state, 0) for state in states) / all_seen - counted[name] / total)
                    for name, states in STATES.items())
        row(f"{runtime}, {mode}: largest error of a state's share ({profile['profile']['samplings']} looks)", worst * 100, 2, "points")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--only", choices=("slowdown", "many", "shares"))
    parser.add_argument("--undisturbed", action="store_true")
    args = parser.parse_args()
    if args.only in (None, "slowdown"):
        bench_slowdown(args.rounds)
    if args.only in (None, "many"):
        bench_many(args.seconds)
    if args.only in (None, "shares"):
        with tempfile.TemporaryDirectory() as folder:
            bench_shares(folder, args.seconds, "our runtime", OURS, args.undisturbed)
            bench_shares(folder, args.seconds, "libgomp", {}, args.undisturbed)
    for what, value, goal, unit in ROWS:
        print(f"{value:9.3f} {unit:7} (goal {goal:g}) {'ok  ' if value <= goal else 'MISS'} {what}")
    sys.exit(0 if all(value <= goal for _, value, goal, _ in ROWS) else 1)


if __name__ == "__main__":
    main()
