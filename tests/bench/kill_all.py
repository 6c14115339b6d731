#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many programs die when ompdd is killed while hits of a breakpoint pass: `kill_all.py BUILD_DIR [TRIALS [HOW]] [--programs N] [--other BIN]`.

A trial is a program that one kill of ompdd meets. N programs are traced by one daemon when it is killed (1 unless asked), and who lives through
it is traced by the next daemon. The program (tests/programs/ticks), alone, comes to the breakpoint some 400 times a second, and each hit is
counted out: the hardest case but one without a pause.
HOW: `tracer`: the tracers first, by their numbers, then workers and daemon; `name`: all that `pkill -9 ompdd` finds; `group`: all in the
daemon's control group (of version 2, as root; the programs' is another).
BIN: a folder with executables to be compared, in turns.
"""
import argparse
import collections
import contextlib
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCE / "clients" / "python")]
import ompdd  # noqa: E402  # pylint: disable=wrong-import-position


def tracer(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("TracerPid:"):
            return int(line.split()[1])
    return 0


def family(pid):
    """Return the process and its descendants."""
    found = [pid]
    with contextlib.suppress(OSError):
        for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            found += family(int(child))
    return found


@contextlib.contextmanager
def control_group(pid):
    mount = next(line.split()[1] for line in pathlib.Path("/proc/mounts").read_text().splitlines() if line.split()[2] == "cgroup2")
    folder = pathlib.Path(mount) / f"kill-all-{pid}"
    folder.mkdir()
    (folder / "cgroup.procs").write_text(str(pid))
    yield folder / "cgroup.kill"
    while (folder / "cgroup.procs").read_text():
        time.sleep(0.01)
    folder.rmdir()


def name(pid):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/comm").read_text()
    return ""


def kill(how, pid, tracers, switch):
    """Kill the intended processes of the daemon @pid as quickly as possible."""
    if how == "group":
        switch.write_text("1")
        return
    ours = family(pid)
    if how == "name":
        ours = [each for each in ours if "ompdd" in name(each)]
    else:
        ours = [*tracers, *(each for each in reversed(ours) if each not in tracers and "ompdd" in name(each))]
    for each in ours:
        with contextlib.suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)


class Programs:
    """Return N running programs. Ended ones are replaced."""

    def __init__(self, path, n):
        self.path, self.running = path, []
        self.fill(n)

    def fill(self, n):
        while len(self.running) < n:
            self.running.append(subprocess.Popen([self.path, "4"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL))

    def died(self):
        """Return the number of deaths since the last call."""
        n = len(self.running)
        ended = [one for one in self.running if one.poll() is not None]
        self.running = [one for one in self.running if one not in ended]
        for one in ended:
            one.stdin.close()
        self.fill(n)
        return len(ended)

    def close(self):
        for one in self.running:
            one.kill()
            one.wait()
            one.stdin.close()


def all_of(client, method, each):
    """Return the answers to the same request with each of these parameters, sent at once."""
    return [pending.result() for pending in [client.start(method, params) for params in each]]


def one_kill(folder, programs, place, moment, how):
    """Return the passes of a breakpoint in all programs, and the number of dead programs, for a daemon that is killed.
    """
    with subprocess.Popen([folder / "ompdd", "--listen", f"unix:{place}/s"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as daemon, \
            (control_group(daemon.pid) if how == "group" else contextlib.nullcontext()) as switch:
        daemon.stdout.readline()
        client = ompdd.connect(f"unix:{place}/s", timeout=600)
        # A busy machine may take long to stop a program.
        targets = [{"target": each["target"]} for each in all_of(client, "target.attach", [{"pid": one.pid, "max_stop_ms": 60000} for one in programs.running])]
        all_of(client, "breakpoint.set", [{**target, "function": "marked", "after": 1 << 30} for target in targets])
        time.sleep(moment)
        hits = sum(each["breakpoints"][0]["passed"] for each in all_of(client, "breakpoint.list", targets))
        tracers = [tracer(one.pid) for one in programs.running]
        assert all(tracers)
        time.sleep(moment)
        kill(how, daemon.pid, tracers, switch)
        time.sleep(0.2)
        daemon.kill()
        with contextlib.suppress(ompdd.Closed, OSError):
            client.close()
    # A detached program has no tracer, and may be traced again.
    deadline = time.monotonic() + 60
    while any(one.poll() is None and tracer(one.pid) for one in programs.running):
        assert time.monotonic() < deadline, "a program is traced still"
        time.sleep(0.01)
    return hits, programs.died()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("trials", type=int, nargs="?", default=40)
    parser.add_argument("how", choices=("tracer", "name", "group"), nargs="?", default="tracer")
    parser.add_argument("--programs", type=int, default=1)
    parser.add_argument("--other", type=pathlib.Path)
    args = parser.parse_args()
    folders = [args.build.resolve() / "bin", *([args.other.resolve()] if args.other else [])]
    died, hits = collections.Counter(), collections.Counter()
    moments = random.Random()
    begun = time.monotonic()
    kills = -(-args.trials // args.programs)
    with contextlib.closing(Programs(args.build.resolve() / "tests" / "programs" / "ticks", args.programs)) as programs:
        for _ in range(kills):
            for folder in folders:
                with tempfile.TemporaryDirectory() as place:
                    os.chmod(place, 0o700)
                    seen, ended = one_kill(folder, programs, place, moments.uniform(0.05, 0.15), args.how)
                    died[folder] += ended
                    hits[folder] += seen
    trials = kills * args.programs
    for folder in folders:
        print(f"{folder}, {args.how}: {died[folder]} of {trials} died; {hits[folder] / trials:.0f} hits of each before it")
    print(f"{trials * len(folders) / (time.monotonic() - begun):.1f} trials a second")


if __name__ == "__main__":
    main()
