#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cost of a profile for its target and the machine, and the accuracy of its shares. Exits with 1 when a goal is missed.

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
# After this many samples, a profile has seen most stacks of a small program.
WARM_LOOKS = 300
# Names in tests/programs/shares.c, and their names in a profile.
ORDER = ["work", "serial", "critical", "barrier", "taskwait", "idle", "overhead"]
STATES = {"work": {"work"}, "serial": {"serial"}, "critical": {"critical"}, "taskwait": {"taskwait"}, "idle": {"idle"}, "overhead": {"overhead"},
          "barrier": {"barrier", "barrier_implicit", "barrier_explicit"}}


def row(what, value, goal, unit):
    """Without a goal: a reference for others."""
    ROWS.append((what, value, goal, unit))


class Worker:
    """An ompdd-worker started by hand, with one target."""

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

    def looks(self):
        return self.ask("profile.get")["profile"]["samplings"]

    def cpu_s(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def cpu_ns(pid):
    """Processor time of all threads of a process."""
    return sum(int((task / "schedstat").read_text().split()[0]) for task in pathlib.Path(f"/proc/{pid}/task").iterdir())


class Bare:
    """The smallest program that samples a process: see bare_sampler.c."""

    def __init__(self, *args):
        self.process = subprocess.Popen([BUILD / "tests" / "bench" / "bare_sampler", *map(str, args)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.process.stdout.readline()

    def looks(self):
        """Return the approximate number of its samples."""
        return int(time.monotonic() * 100)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Job:
    """The same work for each line, by 8 threads on our runtime."""

    def __init__(self):
        self.process = subprocess.Popen([BUILD / "tests" / "bench" / "job", "8", "10000"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env={**os.environ, **OURS})
        self.once()

    def once(self, observer=None):
        """Return the elapsed time, the job's processor time, and the observer's time per sample, in seconds."""
        looks = observer.looks() if observer else 0
        before = [cpu_ns(p.pid) for p in (self.process, observer and observer.process) if p]
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()
        took = float(self.process.stdout.readline())
        own, *others = (cpu_ns(p.pid) - x for p, x in zip((self.process, observer and observer.process), before))
        return took, own / 1e9, *(x / 1e9 / (observer.looks() - looks) for x in others)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def bench_slowdown(rounds, undisturbed):
    """The same job alone, and observed: ratios within each round.

    The profile has started some seconds before: one-time costs (symbols, debug information, the first occurrence of
    each stack) are not included.
    """
    with contextlib.closing(Job()) as job:
        if undisturbed:
            give_priority(job.process.pid, 1)

        def profiled():
            worker = Worker(job.process.pid)
            worker.ask("profile.start")
            return worker

        observers = {"a process that wakes as often": Bare, "a bare sampler of the kernel's": lambda: Bare(job.process.pid), "profile": profiled}
        rows = {name: [] for name in observers}
        for i in range(rounds):
            order = [None, *observers]
            times = {}
            for name in order[i % 4:] + order[:i % 4]:
                if not name:
                    job.once()
                    times[name] = job.once()
                    continue
                with contextlib.closing(observers[name]()) as observer:
                    if undisturbed:
                        give_priority(observer.process.pid, 2)
                    begun = observer.looks()
                    while observer.looks() - begun < WARM_LOOKS:
                        job.once()
                    times[name] = job.once(observer)
            alone = times[None]
            for name, values in rows.items():
                took, own, others = times[name]
                values.append((took / alone[0], own / alone[1], 1e6 * others))
    for name, values in rows.items():
        wall, own, others = (statistics.median(column) for column in zip(*values))
        row(f"8 threads at 100 Hz, {name}: time of the same job, with / without; median of {rounds} rounds (the job's own processor time "
            f"{own:.3f}, who observes: {others:.0f} us a look)", wall, 1.01 if name == "profile" else None, "")


def bench_many(seconds):
    """Processor time of the worker, and its sampling rate, for 300 threads on our runtime."""
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
            # The cost of 100 samples a second, extrapolated if there were fewer.
            row(f"300 threads {what}: processor at 100 Hz ({looks / passed:.0f} Hz reached)", 100 * spent / looks * 100, 10, "%")
        one.close()


def spent(path, n):
    words = struct.unpack(f"<{len(ORDER) * n}Q", path.read_bytes())
    return {name: sum(words[i::len(ORDER)]) for i, name in enumerate(ORDER)}


def give_priority(pid, priority):
    """Real-time priority for all its present and future threads."""
    for tid in os.listdir(f"/proc/{pid}/task"):
        os.sched_setscheduler(int(tid), os.SCHED_RR, os.sched_param(priority))


def bench_shares(folder, seconds, runtime, env, undisturbed):
    """Programs that know their shares: the largest difference of any state."""
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
        bench_slowdown(args.rounds, args.undisturbed)
    if args.only in (None, "many"):
        bench_many(args.seconds)
    if args.only in (None, "shares"):
        with tempfile.TemporaryDirectory() as folder:
            bench_shares(folder, args.seconds, "our runtime", OURS, args.undisturbed)
            bench_shares(folder, args.seconds, "libgomp", {}, args.undisturbed)
    for what, value, goal, unit in ROWS:
        said = f"(goal {goal:g}) {'ok  ' if value <= goal else 'MISS'}" if goal else "(reference)   "
        print(f"{value:9.3f} {unit:7} {said} {what}")
    sys.exit(0 if all(value <= goal for _, value, goal, _ in ROWS if goal) else 1)


if __name__ == "__main__":
    main()
