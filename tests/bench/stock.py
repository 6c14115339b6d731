# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stock runtimes beside each other: libomp beside libgomp, and two in one process beside each alone.

Views take turns, so that other load affects each in the same way.
"""
import contextlib
import statistics
import time

from targets import BUILD, PROGRAMS, Program

CLANG = PROGRAMS / "llvm"
THREADS = 300
# An ordinary program, and one on a large machine, which measures only the time of an attach.
FEWER = (4, 64)
ROUNDS_EACH = 4


def now_us():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC) / 1000


class Looked:
    """A program with views now and then: the time to answers, and to the first after attach. It sleeps: nothing is stopped."""

    def __init__(self, lines, program):
        self.lines = lines
        self.program = program
        self.target = self.attach()
        self.answers, self.first = [], []
        self.lines.call("snapshot.get", target=self.target)

    def attach(self):
        return self.lines.call("target.attach", pid=self.program.pid, mode="stop", max_stop_ms=5000)["target"]

    def look(self):
        """Until the answer reaches the client: its parsing in Python is not part of ompdd."""
        begin = now_us()
        other = self.attach()
        self.lines.call("snapshot.get", target=other)
        self.first.append(self.lines.came_us - begin)
        self.lines.call("target.detach", target=other)
        for _ in range(ROUNDS_EACH):
            begin = now_us()
            self.lines.call("snapshot.get", target=self.target)
            self.answers.append(self.lines.came_us - begin)


def ratio_row(row, what, ours, references, limit):
    """Ratio of medians: `ours` to the sum of `references`."""
    reference = [sum(values) for values in zip(*references)]
    total = sum(statistics.median(values) for values in references)
    row(what, ours, reference, f"<= {limit}", statistics.median(ours) / total, limit, "us")


def first_row(row, what, looked):
    row(f"attach to first answer, {what}", looked.first, None, "<= 20 ms", statistics.median(looked.first), 20000, "us")


def bench_stock(lines, row, rounds):
    """`lines` is a connection with call()."""
    if not (CLANG / "flat").exists():
        print("no row for libomp: no clang with it")
        return
    own = {"LD_LIBRARY_PATH": str(BUILD / "lib" / "ompdd")}
    many = {"libgomp": ("flat", THREADS), "libomp": ("flat", THREADS, CLANG / "flat"), "ours": ("flat", THREADS)}
    few = {"libgomp": ("flat", 3), "libomp": ("flat", 5, CLANG / "flat"), "both": ("several", CLANG / "dlopen_part.so")}
    sizes = [{f"{n} threads of {name}": (program, n, *path) for name, (program, _, *path) in many.items()} for n in FEWER]
    for programs in (many, few, *sizes):
        with contextlib.ExitStack() as stack:
            looked = {}
            for name, (program, argument, *path) in programs.items():
                one = Program(program, argument, path=path[0] if path else None, env=own if name.endswith("ours") else None)
                looked[name] = Looked(lines, stack.enter_context(one))
            for _ in range(rounds):
                for one in looked.values():
                    one.look()
        if programs is many:
            ratio_row(row, f"{THREADS} threads of libomp / of libgomp, answer", looked["libomp"].answers, [looked["libgomp"].answers], 1.2)
            for name in many:
                first_row(row, f"{THREADS} threads of {name}", looked[name])
        elif programs is not few:
            for name in programs:
                first_row(row, name, looked[name])
        else:
            for what, text in (("answers", "answer"), ("first", "the first after attach")):
                ratio_row(row, f"libgomp and libomp in one process / each alone, added, {text}", getattr(looked["both"], what),
                          [getattr(looked[name], what) for name in ("libgomp", "libomp")], 1.2)
            for name in few:
                first_row(row, name if name != "both" else "both in one process", looked[name])
