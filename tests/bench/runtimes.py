#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Overheads of OpenMP constructs (epcc.c) on our runtime, the system's libgomp and, where tests/llvm built one, LLVM's libomp;
how long programs take that are like real ones (apps.c), alone, on one CPU and beside one that keeps every CPU busy; what our runtime's
tracking costs, against builds without it; and how long programs take to start.

Medians of interleaved runs, in nanoseconds, and the medians of our time's ratios to each other's, run by run: ratios count, since
the machine may be shared and changes its speed. A ratio up to 1.05 is equal.
"""
import argparse
import contextlib
import math
import os
import pathlib
import statistics
import subprocess
import sys
import time

BUILD = pathlib.Path(os.environ.get("OMPDD_BUILD_DIR", "build")).resolve()
BENCH = BUILD / "tests" / "bench"
LLVM = pathlib.Path(os.environ.get("OMPDD_LLVM_DIR", pathlib.Path.home() / ".cache/ompdd-llvm")) / "19"
OURS = BUILD / "lib" / "ompdd"
BUILDS = {"ours": OURS, "untracked": BUILD / "runtime" / "untracked", "pointless": BUILD / "runtime" / "pointless"}
BOUND = {"OMP_PROC_BIND": "true", "OMP_PLACES": "cores"}
TEAMS = [("1 thread", 1, {}), ("2 threads, bound", 2, BOUND), ("4 threads on 2 CPUs", 4, {})]
POLICIES = ["default", "active", "passive"]
EQUAL = 1.05


def libomp_as_libgomp():
    """Return a folder in which LLVM's runtime has libgomp's name; None without such a runtime."""
    for source in (LLVM / "libomp.so", LLVM / "libomp.so.5"):
        if source.exists():
            link = BENCH / "libomp" / "libgomp.so.1"
            link.parent.mkdir(parents=True, exist_ok=True)
            link.unlink(missing_ok=True)
            link.symlink_to(source)
            return link.parent
    return None


def surroundings(folder, more):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GOMP_", "KMP_", "LD_"))}
    env.update(more)
    if folder:
        env["LD_LIBRARY_PATH"] = str(folder)
    return env


def on_cpus(count, *argv):
    """Bind @argv to the first @count CPUs."""
    return ["taskset", "-c", ",".join(map(str, sorted(os.sched_getaffinity(0))[:count])), *map(str, argv)]


def on_two_cpus(*argv):
    """CPUs beyond two would be idle: the figures are for two."""
    return on_cpus(2, *argv)


def measure(folder, threads, more, args):
    """Return {construct: median ns} of one run."""
    argv = on_two_cpus(BENCH / "epcc", "-t", threads, "-r", 7, "-m", args.ms)
    if args.only:
        argv += ["-k", args.only]
    try:
        text = subprocess.run(argv, env=surroundings(folder, more), capture_output=True, text=True, timeout=300,
                              check=False).stdout
    except subprocess.TimeoutExpired as late:
        text = (late.stdout or b"").decode()
    found = {}
    for line in text.splitlines():
        name, ns = (line.split("\t") + [""])[:2]
        try:
            found[name] = float(ns)
        except ValueError:
            continue  # "crash", "hang"
    return found


def unlike(folder):
    """Constructs with schedule(static, 1) whose iterations the runtime does not distribute in turn, as it must (OpenMP
    5.2, 11.5.3): it measures something else there.
    """
    text = subprocess.run(on_two_cpus(BENCH / "mapping"), env=surroundings(folder, {}), capture_output=True, text=True,
                          timeout=60, check=True).stdout
    return {line.split()[0] for line in text.splitlines() if line.split()[1] != "round-robin"}


def median_of(values):
    """The available ones."""
    return statistics.median([value for value in values if not math.isnan(value)] or [math.nan])


def table(title, peers, threads, more, args, unfair=None):
    """Compare ours with each other folder of @peers. @unfair: {peer: its constructs that do not count}."""
    times = {}  # construct: {peer: [ns of each run]}
    for run in range(args.runs):
        for name in list(peers)[::1 if run % 2 == 0 else -1]:
            for construct, ns in measure(peers[name], threads, more, args).items():
                times.setdefault(construct, {}).setdefault(name, [math.nan] * args.runs)[run] = ns
    others = [name for name in peers if name != "ours"]
    print(f"\n## {title}\n")
    print(f"{'construct':<22}" + "".join(f"{name + ' ns':>14}" for name in peers)
          + "".join(f"{'ours/' + name:>16}" for name in others))
    slower, ratios, to_each = 0, [], {name: [] for name in others}
    for construct, by_name in times.items():
        median = {name: median_of(by_name[name]) for name in peers if name in by_name}
        line = f"{construct:<22}" + "".join(f"{median[name]:>14.1f}" if name in median else f"{'-':>14}" for name in peers)
        fair = []
        for name in others:
            if not median.get(name) or "ours" not in median:
                line += f"{'-':>16}"
                continue
            ratio = median_of([ours / other if other else math.nan for ours, other in zip(by_name["ours"], by_name[name])])
            counts = construct not in (unfair or {}).get(name, ())
            line += f"{ratio:>16.2f}" if counts else f"{f'({ratio:.2f})':>16}"
            if counts:
                fair.append(ratio)
                to_each[name].append(ratio)
        if fair:
            ratios.append(max(fair))
            if ratios[-1] > EQUAL:
                slower += 1
                line += "  slower"
        print(line, flush=True)
    if ratios:
        print(f"{len(ratios)} constructs, {slower} slower; median ratio "
              + ", ".join(f"to {name} {statistics.median(to_each[name]):.2f}" for name in others if to_each[name])
              + f", to the faster {statistics.median(ratios):.2f}")


@contextlib.contextmanager
def busy_neighbours():
    """Run a busy program on each of the two CPUs."""
    spin = [sys.executable, "-c", "while True: pass"]
    busy = [subprocess.Popen(["taskset", "-c", str(cpu), *spin]) for cpu in sorted(os.sched_getaffinity(0))[:2]]
    try:
        yield
    finally:
        for one in busy:
            one.kill()
            one.wait()


def run_apps(folder, more, args, n_cpus, only):
    """Return {program: (milliseconds elapsed, of all CPUs, checksum)}."""
    argv = on_cpus(n_cpus, BENCH / "apps", "-s", args.apps_percent, *(["-k", only] if only else []))
    done = subprocess.run(argv, env=surroundings(folder, more), capture_output=True, text=True, timeout=600, check=True)
    found = {}
    for line in done.stdout.splitlines():
        name, *values = line.split("\t")
        if len(values) == 3:
            found[name] = (float(values[0]), float(values[1]), values[2])
    return found


def apps(title, peers, more, args, n_cpus=2, only=None):
    """Like table(), for whole programs: elapsed time counts, and the CPU time that they took from others.

    @only: instead of the option's value, programs with this in their name.
    """
    runs = {}  # program: {peer: [(elapsed, cpu)]}
    for run in range(args.runs):
        sums = {}
        for name in list(peers)[::1 if run % 2 == 0 else -1]:
            for program, (elapsed, cpu, checksum) in run_apps(peers[name], more, args, n_cpus, only or args.only).items():
                assert sums.setdefault(program, checksum) == checksum, f"{program} computes something else on {name}"
                runs.setdefault(program, {}).setdefault(name, []).append((elapsed, cpu))
    others = [name for name in peers if name != "ours"]
    print(f"\n## {title}: milliseconds elapsed (of CPU time), and the ratio of ours to others'\n")
    print(f"{'program':<14}" + "".join(f"{name:>18}" for name in peers) + "".join(f"{'ours/' + name:>18}" for name in others))
    for program, by_name in runs.items():
        line = f"{program:<14}"
        for name in peers:
            wall, cpu = (statistics.median(pair[i] for pair in by_name.get(name, []) or [(math.nan,) * 2]) for i in (0, 1))
            line += f"{f'{wall:.1f} ({cpu:.1f})':>18}"
        for name in others:
            pairs = list(zip(by_name.get("ours", []), by_name.get(name, [])))
            if pairs:
                wall, cpu = (statistics.median(a[i] / b[i] for a, b in pairs if b[i]) for i in (0, 1))
                line += f"{f'{wall:.2f} ({cpu:.2f})':>18}"
            else:
                line += f"{'-':>18}"
        print(line, flush=True)


def start_up(peers, args):
    print("\n## Start and end of a program, microseconds\n")
    print(f"{'program':<28}" + "".join(f"{name:>12}" for name in peers))
    for title, more in [("", {}), (", bound", BOUND), (", passive", {"OMP_WAIT_POLICY": "passive"})]:
        for program, argument in [("no region", "0"), ("one region", "1")]:
            took = {name: [] for name in peers}
            for _ in range(args.starts):
                for name, folder in peers.items():
                    env = surroundings(folder, more)
                    begin = time.perf_counter()
                    subprocess.run([BENCH / "starter", argument], env=env, check=True)
                    took[name].append((time.perf_counter() - begin) * 1e6)
            print(f"{program + title:<28}" + "".join(f"{statistics.median(took[name]):>12.0f}" for name in peers), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--starts", type=int, default=100)
    parser.add_argument("--ms", type=int, default=5, help="of one sample")
    parser.add_argument("--only", default="", help="constructs, or programs, with this in their name")
    parser.add_argument("--part", choices=["peers", "apps", "tracking", "start"], help="only this (default: all)")
    parser.add_argument("--apps-percent", type=int, default=30, help="of the programs' work")
    parser.add_argument("--quick", action="store_true", help="one run, default policy")
    args = parser.parse_args()
    if not (BENCH / "epcc").exists():
        sys.exit(f"runtimes.py: {BENCH}/epcc is missing: cmake --build {BUILD} --target bench_runtime builds and runs all")
    peers = {"ours": OURS, "libgomp": None}
    libomp = libomp_as_libgomp()
    if libomp:
        peers["libomp"] = libomp
    else:
        print("no libomp: the preset `llvm` builds one")
    if args.quick:
        args.runs, args.starts = 1, 20
    policies = {policy: {} if policy == "default" else {"OMP_WAIT_POLICY": policy}
                for policy in (POLICIES[:1] if args.quick else POLICIES)}
    unfair = {name: unlike(folder) for name, folder in peers.items()}
    for name, constructs in unfair.items():
        if constructs:
            print(f"{name} does not do {', '.join(sorted(constructs))} as the program says: in brackets, not counted")
    if args.part in (None, "peers"):
        for title, threads, more in TEAMS:
            for policy, variable in policies.items():
                table(f"{title}, {policy}", peers, threads, {**more, **variable}, args, unfair)
    if args.part in (None, "apps"):
        for policy, variable in policies.items():
            apps(f"Programs, {policy}", peers, variable, args)
        if args.only in "hydro":
            for policy, variable in policies.items():
                if policy != "active":
                    apps(f"Programs on one CPU, {policy}", peers, variable, args, n_cpus=1, only="hydro")
        with busy_neighbours():
            for policy, variable in policies.items():
                if policy != "active":
                    apps(f"Programs beside a busy neighbour, {policy}", peers, variable, args)
    if args.part in (None, "tracking"):
        for title, threads, more in TEAMS[:2]:
            table(f"What states and frames, and points that nobody wants, cost: {title}", BUILDS, threads, more, args)
    if args.part in (None, "start"):
        start_up(peers, args)


if __name__ == "__main__":
    main()
