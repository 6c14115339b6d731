#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The costs of ompdd beside references measured in the same run. Prints a table; exits with 1 when a goal is missed."""
import argparse
import contextlib
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "system"))
from bench_daemon import BIN, TOOLS, Daemon, Lines, numbers, run  # noqa: E402
from cluster import bench_fan_out, bench_merge  # noqa: E402
from stock import bench_stock  # noqa: E402
from targets import BUILD, Program, children, read_text  # noqa: E402

# Built by the llvm preset's tests (tests/llvm); without it, its row is left out.
LLVM = pathlib.Path(os.environ.get("OMPDD_LLVM_DIR", pathlib.Path.home() / ".cache" / "ompdd-llvm")) / "19"
LLVM_FLAT = BUILD / "tests" / "llvm" / "programs" / "flat"
# Our own runtime in place of the system's libgomp.
OURS = {"LD_LIBRARY_PATH": str(BUILD / "lib" / "ompdd")}
ROWS = []


def row(what, ours, reference, goal, value, limit, unit):
    """`ours` and `reference` are samples (or None). `value` is compared with `limit`."""
    ROWS.append((what, ours, reference, goal, value, value <= limit, unit))


def memory_mib(pid):
    rss = pss = 0
    for line in read_text(f"/proc/{pid}/smaps_rollup").splitlines():
        if line.startswith("Rss:"):
            rss = int(line.split()[1]) / 1024
        if line.startswith("Pss:"):
            pss = int(line.split()[1]) / 1024
    return rss, pss


def bench_ratio(daemon, program, what, rounds):
    """Length of a stop for a snapshot, beside the minimum cost of stopping: for the first view after the attach, and
    for later ones.
    """
    def attach():
        return daemon.call("target.attach", pid=program.pid, mode="stop", max_stop_ms=5000)["target"]

    target = attach()
    whole, inner, stopped, first = [], [], [], []
    daemon.ask("snapshot.get", {"target": target}, 3)
    for _ in range(rounds):
        text = run(TOOLS / "bare_stop", program.pid, 3)
        whole += numbers(text)
        inner += numbers(text, 1)
        stopped += [daemon.call("snapshot.get", target=target)["stopped_us"] for _ in range(3)]
        other = attach()
        first.append(daemon.call("snapshot.get", target=other)["stopped_us"])
        daemon.call("target.detach", target=other)
    daemon.call("target.detach", target=target)
    bare = statistics.median(whole)
    row(f"stop of a snapshot of {what} / bare SEIZE..DETACH", stopped, whole, "<= 1.3", statistics.median(stopped) / bare, 1.3, "us")
    row("  the first after attach", first, whole, "<= 1.4", statistics.median(first) / bare, 1.4, "us")
    row("  later / bare first INTERRUPT..last DETACH", stopped, inner, "(none)",
        statistics.median(stopped) / statistics.median(inner), float("inf"), "us")


def bench_runners(daemon, rounds):
    """Some threads of a program run: the stop for a snapshot, beside a bare stop of all threads.

    A bare stop and a snapshot take turns, so that both see the same load. `ompdctl -p PID snapshot` requests stacks of regions.
    """
    for n, running, limit in ((300, 0, 0), (300, 1, .2), (300, 2, .6), (3000, 1, .17), (8, 8, 1.2)):
        with Program("flat", n, running, env={"OMP_STACKSIZE": "128K"}) as program:
            target = daemon.call("target.attach", pid=program.pid, mode="stop", max_stop_ms=5000)["target"]
            daemon.ask("snapshot.get", {"target": target, "stacks": "regions"}, 3)
            bare, stopped, first, proven = [], [], [], 0
            for _ in range(rounds if n > 1000 else 3 * rounds):
                bare += numbers(run(TOOLS / "bare_stop", program.pid, 1))
                result = daemon.call("snapshot.get", target=target, stacks="regions")
                stopped.append(result["stopped_us"])
                proven += result["consistency"] == "proven"
                other = daemon.call("target.attach", pid=program.pid, mode="stop", max_stop_ms=5000)["target"]
                first.append(daemon.call("snapshot.get", target=other, stacks="regions")["stopped_us"])
                daemon.call("target.detach", target=other)
            daemon.call("target.detach", target=target)
        least = statistics.median(bare)
        what = f"{n} threads, {running} running"
        row(f"stop of a snapshot, {what} / bare stop of all", stopped, bare, f"<= {limit}", statistics.median(stopped) / least, limit, "us")
        row("  the first after attach", first, bare, f"<= {limit}", statistics.median(first) / least, limit, "us")
        if not running:
            row("  snapshots that were not proven", None, None, "0", len(stopped) - proven, 0, "")


def bench_lazy(daemon):
    """20 targets with pages that only they can provide: how far the longest stop exceeds its limit, by their own
    clocks.
    """
    limit_ms = 200
    with contextlib.ExitStack() as stack:
        try:
            programs = [stack.enter_context(Program("lazy")) for _ in range(20)]
        except AssertionError:
            print("no userfaultfd here: no row for pages that do not come", file=sys.stderr)
            return
        lines = stack.enter_context(contextlib.closing(Lines(daemon.socket)))
        targets = [lines.call("target.attach", pid=one.pid, mode="stop", max_stop_ms=limit_ms)["target"] for one in programs]
        for method in ("snapshot.get", "stack.groups"):
            for target in targets:
                lines.answer(method, target=target)
        gaps = []
        for one in programs:
            gaps.append(0)
            while one.has_line():
                gaps[-1] = max(gaps[-1], one.read_line()["gap_us"] / 1000)
        for target in targets:
            lines.call("target.detach", target=target)
    row("20 targets whose memory does not come, longest stop beyond max_stop_ms", gaps, None, "<= 20 ms",
        1000 * max(0, max(gaps) - limit_ms), 20000, "ms")


def bench_stop(daemon, rounds):
    """300 threads: (a) the length of the stop, and (b) the time to the answer."""
    for name, env in (("flat", {}), ("wakers", {}), ("flat", OURS), ("wakers", OURS)):
        if env and not os.path.exists(env["LD_LIBRARY_PATH"]):
            continue
        what = "300 threads" + (" that keep waking" if name == "wakers" else "") + (", our runtime" if env else "")
        with Program(name, 300, env=env) as program:
            bench_ratio(daemon, program, what, rounds)
    with Program("flat", 3000, env={"OMP_STACKSIZE": "64K"}) as program:
        bench_ratio(daemon, program, "3000 threads", max(2, rounds // 3))
    with Program("flat", 300) as program:
        stop = daemon.call("target.attach", pid=program.pid, mode="stop")["target"]
        for mode, target in (("stop", stop), ("observe", daemon.call("target.attach", pid=program.pid, mode="observe")["target"])):
            times = daemon.ask("snapshot.get", {"target": target}, 10 * rounds)
            row(f"snapshot.get of 300 threads, {mode}", times, None, "<= 10 ms", statistics.median(times), 10000, "us")
            daemon.call("target.detach", target=target)
            first = []
            for _ in range(rounds):
                target = daemon.call("target.attach", pid=program.pid, mode=mode)["target"]
                first += daemon.ask("snapshot.get", {"target": target}, 1)
                daemon.call("target.detach", target=target)
            row("  the first after attach", first, None, "(none)", statistics.median(first), float("inf"), "us")


def bench_many(daemon, rounds):
    """3000 threads: the time to the answer, and to the first answer after attach."""
    with Program("flat", 3000, env={"OMP_STACKSIZE": "128K"}) as program:
        answer, first = [], []
        for _ in range(max(2, rounds // 2)):
            target = daemon.call("target.attach", pid=program.pid, mode="stop", max_stop_ms=5000)["target"]
            params = {"target": target}
            first += daemon.ask("snapshot.get", params, 1)
            answer += daemon.ask("snapshot.get", params, 5)
            daemon.call("target.detach", target=target)
        row("snapshot.get of 3000 threads, stop", answer, None, "<= 60 ms", statistics.median(answer), 60000, "us")
        row("  the first after attach", first, None, "(none)", statistics.median(first), float("inf"), "us")


def bench_reads():
    """Number of memory requests of libompd per thread in a full walk; the same in each run."""
    for runtime, env in (("libgomp", {}), ("our runtime", {"LD_LIBRARY_PATH": str(BUILD / "lib" / "ompdd")})):
        done = subprocess.run([str(BIN / "unit_libompd_callbacks")], capture_output=True, text=True, env={**os.environ, **env})
        for how, reads, size in re.findall(r"^(.*): ([\d.]+) reads of (\d+) bytes", done.stdout, re.M):
            seen = how == "in a view"
            row(f"reads of libompd for each thread, {runtime}, {how} ({size} bytes)", None, None, "<= 30" if seen else "(none)",
                float(reads), 30 if seen else float("inf"), "")


def bench_stacks(daemon, rounds):
    """300 stacks, grouped: the first time, when debug information is read, and later; and the cost of regions alone."""
    with Program("flat", 300) as program:
        for mode in ("stop", "observe"):
            for logical in (False, True):
                first, later, stopped = [], [], []
                for _ in range(max(2, rounds // 3)):
                    target = daemon.call("target.attach", pid=program.pid, mode=mode)["target"]
                    params = {"target": target, "logical": logical}
                    first += daemon.ask("stack.groups", params, 1)
                    later += daemon.ask("stack.groups", params, 5)
                    stopped += [daemon.call("stack.groups", **params)["stopped_us"] for _ in range(3)]
                    daemon.call("target.detach", target=target)
                name = f"{'logical ' if logical else ''}stack.groups of 300 threads, {mode}"
                row(f"{name}, first", first, None, "<= 300 ms", statistics.median(first), 300000, "us")
                row(f"{name}, later", later, None, "<= 300 ms", statistics.median(later), 300000, "us")
                if mode == "stop":
                    row(f"{name}, stopped", stopped, None, "(none)", statistics.median(stopped), float("inf"), "us")
            target = daemon.call("target.attach", pid=program.pid, mode=mode)["target"]
            for stacks in ("regions", "all"):
                times = daemon.ask("snapshot.get", {"target": target, "stacks": stacks}, 3 * rounds)
                row(f"snapshot.get of 300 threads, stacks {stacks}, {mode}", times, None, "(none)",
                    statistics.median(times), float("inf"), "us")
            daemon.call("target.detach", target=target)


def start(*argv):
    """A server that reports when it listens."""
    process = subprocess.Popen([str(arg) for arg in argv], stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    return process


def bench_small_request(daemon, folder, rounds):
    """(c) target.info against a libuv echo of the same bytes, and against that echo behind a libuv proxy, as ompdd asks a worker.

    Waking a process on another processor costs more than the rest of such a request together (in a virtual machine several
    times more), and the scheduler puts each of these processes where it likes, anew for each client. So all of them are held
    to one processor; then the client to another than the servers. What the scheduler makes of it comes last, without a goal.
    """
    sockets = {"echo": pathlib.Path(folder) / "echo.sock", "proxy": pathlib.Path(folder) / "proxy.sock", "ours": daemon.socket}
    everywhere = os.sched_getaffinity(0)
    first, last = {min(everywhere)}, {max(everywhere)}
    with Program("flat", 2) as program:
        target = daemon.call("target.attach", pid=program.pid, mode="observe")["target"]
        request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "target.info", "params": {"target": target}})
        helpers = [start(TOOLS / "uv_echo", sockets["echo"]), start(TOOLS / "uv_proxy", sockets["proxy"], sockets["echo"])]
        servers = [daemon.process.pid, daemon.worker(), *(helper.pid for helper in helpers)]

        def measure(server_cpus, client_cpus):
            samples = {name: [] for name in sockets}
            for pid in servers:
                os.sched_setaffinity(pid, server_cpus)
            for _ in range(rounds):
                for name, path in sockets.items():
                    samples[name] += numbers(run(TOOLS / "ask", path, request, 300, cpus=client_cpus))
            return samples

        def compare(what, samples, reference, limit, ours="ours"):
            row(what, samples[ours], samples[reference], f"<= {limit}" if limit else "(none)",
                statistics.median(samples[ours]) / statistics.median(samples[reference]), limit or float("inf"), "us")

        try:
            together = measure(last, last)
            apart = measure(last, first) if first != last else None
            free = measure(everywhere, everywhere)
        finally:
            for helper in helpers:
                helper.kill()
                helper.wait()
        compare("target.info round trip / libuv echo, on one processor", together, "echo", 2.5)
        compare("  libuv echo behind a libuv proxy / libuv echo: what two processes cost that do nothing", together, "echo", None,
                ours="proxy")
        compare("  the same / libuv echo behind a libuv proxy", together, "proxy", None)
        if apart:
            compare("target.info / libuv echo, client on another processor", apart, "echo", 4)
            compare("  the same / libuv echo behind a libuv proxy", apart, "proxy", None)
        compare("target.info / libuv echo, wherever the scheduler puts each", free, "echo", None)
        daemon.call("target.detach", target=target)


def bench_hits(daemon, rounds):
    """(g) From the instruction at which a thread traps, by the program's clock, to the event at the client.

    Reference: the minimum cost of stopping the same threads, INTERRUPT and the waits.
    """
    for n, goal, limit in ((4, "<= 1 ms", 1000), (300, "<= 1 ms", 1000)):
        with Program("ticks", n) as program, contextlib.closing(Lines(daemon.socket)) as lines:
            bare = numbers(run(TOOLS / "bare_stop", program.pid, 2 * rounds), 2)
            target = lines.call("target.attach", pid=program.pid, mode="stop", max_stop_ms=5000)["target"]
            lines.call("event.subscribe", types=["breakpoint"])
            lines.call("breakpoint.set", target=target, function="marked")
            times = []
            for _ in range(20 * rounds):
                came_us = lines.event()
                # Its last report before the breakpoint existed; now it is stopped.
                while not times and program.has_line():
                    program.read_line()
                lines.call("target.resume", target=target)
                times.append(came_us - program.read_line()["us"])
            lines.call("target.detach", target=target)
        row(f"a hit, from the trap to the event, {n} threads", times, bare, goal, statistics.median(times), limit, "us")


def bench_refused(daemon, rounds):
    """(h) A call of a function with a breakpoint that does not count, beside gdb's ignore count and its condition."""
    if not shutil.which("gdb"):
        print("no gdb: refused hits are not measured", file=sys.stderr)
        return

    def calls(program):
        program.signal()
        return program.read_line()["ns"] / 1000

    def of_gdb(*commands):
        """With a program of its own, which does not survive the end of its gdb."""
        with Program("refused", 8, 500, path=TOOLS / "refused") as program:
            gdb = subprocess.Popen(["gdb", "-q", "-batch", "-ex", "set confirm off", "-ex", "handle SIGUSR1 nostop noprint pass",
                                    *(word for command in commands for word in ("-ex", command)), "-ex", "continue", "-p", str(program.pid)],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while calls(program) < 5:  # It has not started yet.
                time.sleep(0.2)
            times = [calls(program) for _ in range(rounds)]
            gdb.kill()
            gdb.wait()
        return times

    for what, params, commands, limit in (("count", {"after": 10 ** 9}, ("break spot", "ignore 1 1000000000"), 0.5),
                                          ("thread number", {"thread_num": 1}, ("break spot if $_gthread == 2",), 1)):
        with Program("refused", 8, 500, path=TOOLS / "refused") as program:
            bare = calls(program)
            reference = of_gdb(*commands)
            with contextlib.closing(Lines(daemon.socket)) as lines:
                target = lines.call("target.attach", pid=program.pid, mode="stop")["target"]
                lines.call("breakpoint.set", target=target, function="spot", **params)
                ours = [calls(program) for _ in range(rounds)]
                lines.call("target.detach", target=target)
        value = (statistics.median(ours) - bare) / (statistics.median(reference) - bare)
        row(f"a hit refused by its {what}, 8 threads, and gdb's", ours, reference, f"<= {limit}", value, limit, "us")


def bench_llvm(folder, rounds):
    """(f) LLVM's runtime, with OMP_DEBUG=enabled, through its own libompd."""
    if not LLVM_FLAT.exists() or not (LLVM / "libomp.so").exists():
        print("no row for LLVM: the tests of the llvm preset have not been made")
        return
    daemon = Daemon(tempfile.mkdtemp(dir=folder), "--plugin-dir", LLVM)
    env = {"LD_LIBRARY_PATH": str(LLVM), "OMP_DEBUG": "enabled"}
    with contextlib.closing(daemon), Program("flat", 300, path=LLVM_FLAT, env=env) as program:
        for mode in ("stop", "observe"):
            target = daemon.call("target.attach", pid=program.pid, mode=mode)["target"]
            daemon.ask("snapshot.get", {"target": target}, 3)
            times = daemon.ask("snapshot.get", {"target": target}, 10 * rounds)
            row(f"snapshot.get of 300 threads, LLVM's libomp, {mode}", times, None, "<= 30 ms", statistics.median(times), 30000, "us")
            daemon.call("target.detach", target=target)


def bench_cli(rounds):
    """(d) ompdctl from exec to exit, beside the start of an empty program."""
    def wall(*argv):
        quiet = [(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)]
        begin = time.monotonic()
        pid = os.posix_spawn(str(argv[0]), [str(arg) for arg in argv], os.environ, file_actions=quiet)
        status = os.waitpid(pid, 0)[1]
        if status:
            sys.exit(f"bench.py: {' '.join(map(str, argv))}: wait status {status}")
        return (time.monotonic() - begin) * 1e6

    with Program("flat", 4) as program:
        for mode in ("stop", "observe"):
            ours, reference = [], []
            for _ in range(5 * rounds):
                reference.append(wall("/bin/true"))
                ours.append(wall(BIN / "ompdctl", "-p", program.pid, "threads", "--mode", mode))
            row(f"ompdctl -p PID threads, {mode}, exec to exit", ours, reference, "<= 5 ms", statistics.median(ours), 5000, "us")


def bench_ps(rounds):
    """(i) `ompdctl ps`: the cost of each further OpenMP process, from the difference of 40."""
    def wall():
        begin = time.monotonic()
        run(BIN / "ompdctl", "ps")
        return (time.monotonic() - begin) * 1e6

    n = 40
    few = [wall() for _ in range(rounds)]
    with contextlib.ExitStack() as stack:
        for _ in range(n):
            stack.enter_context(Program("flat", 4))
        many = [wall() for _ in range(rounds)]
    row(f"ompdctl ps with {n} more processes, each", many, few, "<= 1 ms", (statistics.median(many) - statistics.median(few)) / n, 1000, "us")


def bench_core(daemon, folder, rounds):
    """A core of 300 threads, written by gdb: opened by a new worker, with its first answer, and the later answers."""
    if not shutil.which("gcore"):
        print("no gcore (gdb): cores are not measured", file=sys.stderr)
        return
    with Program("flat", 300, env={"OMP_STACKSIZE": "128K"}) as program:
        run("gcore", "-o", pathlib.Path(folder) / "core", program.pid)
        core = str(pathlib.Path(folder) / f"core.{program.pid}")
    first = []
    for _ in range(rounds):
        begin = time.monotonic()
        run(BIN / "ompdctl", "-s", f"unix:{daemon.socket}", "--core", core, "snapshot", "--json")
        first.append((time.monotonic() - begin) * 1e6)
    row("300-thread core: open_core, snapshot.get, detach, by ompdctl", first, None, "<= 150 ms", statistics.median(first), 150000, "us")
    target = daemon.call("target.open_core", core=core)["target"]
    times = daemon.ask("snapshot.get", {"target": target}, 10 * rounds)
    row("  snapshot.get of it again", times, None, "<= 10 ms", statistics.median(times), 10000, "us")
    daemon.call("target.detach", target=target)


def bench_memory(folder):
    """(e) Resident memory: an unused daemon, and a worker on a small program."""
    idle = tempfile.mkdtemp(dir=folder)
    daemon = Daemon(idle)
    with contextlib.closing(daemon), Program("flat", 4) as program:
        rss, pss = memory_mib(daemon.process.pid)
        row(f"idle ompdd, resident (Pss {pss:.1f} MiB)", [rss], None, "< 12 MiB", rss, 12, "MiB")
        target = daemon.call("target.attach", pid=program.pid, mode="stop")["target"]
        for _ in range(20):
            daemon.ask("snapshot.get", {"target": target}, 1)
        rss, pss = memory_mib(daemon.worker())
        row(f"worker on a small program, resident (Pss {pss:.1f} MiB)", [rss], None, "< 32 MiB", rss, 32, "MiB")
        rss, pss = memory_mib(daemon.process.pid)
        row(f"ompdd after 20 snapshots, resident (Pss {pss:.1f} MiB)", [rss], None, "(none)", rss, float("inf"), "MiB")


def spread(samples):
    if not samples:
        return ""
    if len(samples) < 4:
        return f"{statistics.median(samples):.1f}"
    low, middle, high = statistics.quantiles(samples, n=4)
    return f"{middle:.0f} [{low:.0f} {high:.0f}]"


def print_table():
    head = ("what", "ours: median [quartiles]", "reference", "unit", "ratio or value", "goal", "")
    table = [head]
    for what, ours, reference, goal, value, ok, unit in ROWS:
        shown = f"{value / 1000:.1f} ms" if goal.endswith(" ms") else f"{value:.2f}"
        table.append((what, spread(ours), spread(reference), unit, shown, goal,
                      "" if goal == "(none)" else "OK" if ok else "MISS"))
    widths = [max(len(line[i]) for line in table) for i in range(len(head))]
    for line in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=int(os.environ.get("OMPDD_BENCH_ROUNDS", "10")))
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        with contextlib.closing(Daemon(folder)) as daemon:
            bench_stop(daemon, args.rounds)
            bench_runners(daemon, args.rounds)
            bench_many(daemon, args.rounds)
            bench_lazy(daemon)
            bench_stacks(daemon, args.rounds)
            bench_small_request(daemon, folder, args.rounds)
            bench_core(daemon, folder, args.rounds)
            bench_hits(daemon, args.rounds)
            bench_refused(daemon, args.rounds)
            with contextlib.closing(Lines(daemon.socket)) as lines:
                bench_stock(lines, row, args.rounds)
        bench_reads()
        bench_llvm(folder, args.rounds)
        bench_cli(args.rounds)
        bench_ps(args.rounds)
        bench_memory(folder)
        bench_merge(BIN / "ompdctl", folder, row)
        # Under a name of its own: other users may run the program, too.
        node = shutil.copy(BUILD / "tests" / "programs" / "flat", pathlib.Path(folder) / f"node{os.getpid()}")
        with Program("flat", 16, path=node):
            bench_fan_out(BIN / "ompdctl", TOOLS / "answer", node.name, folder, row)
    print_table()
    sys.exit(0 if all(ok for *_, ok, _ in ROWS) else 1)


if __name__ == "__main__":
    main()
