#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Overheads of OpenMP constructs (epcc.c) on our runtime, the system's libgomp and, where tests/llvm built one, LLVM's libomp.

runtimes.py [--runs N] [--ms MS] [--only CONSTRUCT] [--quick]: medians of interleaved runs, in nanoseconds, and our time as a
ratio of each other's. Ratios count: the machine may be shared. A ratio up to 1.05 is equal.
"""
import argparse
import os
import pathlib
import statistics
import subprocess

BUILD = pathlib.Path(os.environ.get("OMPDD_BUILD_DIR", "build")).resolve()
PEERS = {"ours": BUILD / "lib" / "ompdd", "libgomp": None,
         "libomp": pathlib.Path(os.environ.get("OMPDD_LLVM_DIR", pathlib.Path.home() / ".cache/ompdd-llvm")) / "19" / "gomp"}
BOUND = {"OMP_PROC_BIND": "true", "OMP_PLACES": "cores"}
TEAMS = [("1 thread", 1, {}), ("2 threads, bound", 2, BOUND), ("4 threads on 2 CPUs", 4, {})]
POLICIES = ["default", "active", "passive"]


def libomp_as_libgomp(folder):
    """A folder in which LLVM's runtime has libgomp's name; None: there is no such runtime."""
    for source in (folder.parent / "libomp.so", folder.parent / "libomp.so.5"):
        if source.exists():
            link = BUILD / "tests" / "bench" / "libomp" / "libgomp.so.1"
            link.parent.mkdir(parents=True, exist_ok=True)
            link.unlink(missing_ok=True)
            link.symlink_to(source)
            return link.parent
    return None


def measure(folder, threads, policy, more, args):
    """{construct: median ns} of one run."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GOMP_", "KMP_", "LD_"))}
    env.update(more)
    if folder:
        env["LD_LIBRARY_PATH"] = str(folder)
    if policy != "default":
        env["OMP_WAIT_POLICY"] = policy
    # CPUs beyond two would be idle: the figures are of two.
    argv = ["taskset", "-c", ",".join(map(str, sorted(os.sched_getaffinity(0))[:2])),
            str(BUILD / "tests" / "bench" / "epcc"), "-t", str(threads), "-r", "7", "-m", str(args.ms)]
    if args.only:
        argv += ["-k", args.only]
    try:
        text = subprocess.run(argv, env=env, capture_output=True, text=True, timeout=300, check=False).stdout
    except subprocess.TimeoutExpired as late:
        text = (late.stdout or b"").decode()
    found = {}
    for line in text.splitlines():
        fields = line.split("\t")
        try:
            found[fields[0]] = float(fields[1])
        except (IndexError, ValueError):
            continue
    return found


def table(title, peers, threads, policy, more, args):
    times = {}
    for run in range(args.runs):
        for name in list(peers)[::1 if run % 2 == 0 else -1]:
            for construct, ns in measure(peers[name], threads, policy, more, args).items():
                times.setdefault(construct, {}).setdefault(name, []).append(ns)
    print(f"\n## {title}, {policy}\n")
    print(f"{'construct':<22}" + "".join(f"{name + ' ns':>12}" for name in peers)
          + "".join(f"{'ours/' + name:>14}" for name in peers if name != "ours"))
    slower, ratios = 0, []
    for construct, by_name in times.items():
        median = {name: statistics.median(by_name[name]) for name in peers if by_name.get(name)}
        line = f"{construct:<22}" + "".join(f"{median[name]:>12.1f}" if name in median else f"{'-':>12}" for name in peers)
        for name in peers:
            if name != "ours":
                ratio = median["ours"] / median[name] if name in median and "ours" in median and median[name] else None
                line += f"{ratio:>14.2f}" if ratio is not None else f"{'-':>14}"
        if "ours" in median and len(median) > 1:
            best = min(value for name, value in median.items() if name != "ours")
            if best > 0:
                ratios.append(median["ours"] / best)
                if ratios[-1] > 1.05:
                    slower += 1
                    line += "  slower"
        print(line, flush=True)
    if ratios:
        print(f"{len(ratios)} constructs: {slower} slower than the faster peer, median ratio to it {statistics.median(ratios):.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--ms", type=int, default=5, help="of one sample")
    parser.add_argument("--only", default="")
    parser.add_argument("--quick", action="store_true", help="one run, default policy")
    args = parser.parse_args()
    peers = {"ours": PEERS["ours"], "libgomp": None}
    libomp = libomp_as_libgomp(PEERS["libomp"])
    if libomp:
        peers["libomp"] = libomp
    else:
        print("no libomp: the preset `llvm` builds one")
    if args.quick:
        args.runs = 1
    for title, threads, more in TEAMS:
        for policy in POLICIES[:1] if args.quick else POLICIES:
            table(title, peers, threads, policy, more, args)


if __name__ == "__main__":
    main()
