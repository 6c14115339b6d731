#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The time that ompdd-dap adds to the native adapter's answers: `threads` and `stackTrace` of a program of 300 threads.

`dap_added.py [STOPS REPEATS]`. Requests alternate between the native adapter alone and ompdd-dap. Prints medians and maxima in
ms. Like VS Code, the client supports `invalidated`; `again` requests threads a second time. Messages are not validated here:
with 300 threads that takes ten times as long as the answers.
"""
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "system"))

from dap import NATIVE, SOURCE, Dap, line_of  # noqa: E402
from targets import PROGRAMS  # noqa: E402

THREADS = 300


def timed(into, dap, *args, **arguments):
    began = time.perf_counter()
    answer = dap.ask(*args, **arguments)
    into.append(1e3 * (time.perf_counter() - began))
    return answer


def session(argv, stops, times):
    dap = Dap(*argv, checked=False)
    dap.initialize(supportsInvalidatedEvent=True)
    dap.launch(PROGRAMS / "debuggee", THREADS, stops, lines=[line_of("joined")], source=SOURCE)
    for stop in range(stops):
        # The process stays stopped at the end: lldb-vscode-14 sends broken messages when it disconnects from a running
        # one.
        if stop:
            dap.pending.clear()
            dap.ask("continue", threadId=thread)
        thread = dap.event("stopped")["threadId"]
        threads = timed(times.setdefault("threads", []), dap, "threads")["threads"]
        others = [threads[37 * (stop + 1) * i % len(threads)]["id"] for i in (1, 2)]
        for one in [thread, *others]:
            timed(times.setdefault("stackTrace", []), dap, "stackTrace", threadId=one, startFrame=0, levels=20)
        timed(times.setdefault("again", []), dap, "threads")
    dap.ask("disconnect", terminateDebuggee=True)
    dap.close()


def main():
    stops, repeats = (int(word) for word in sys.argv[1:3]) if len(sys.argv) == 3 else (10, 3)
    ways = {"alone": {}, "through": {}}
    for _ in range(repeats):
        session((NATIVE,), stops, ways["alone"])
        session((), stops, ways["through"])
    print(f"{NATIVE}, {THREADS} threads, {stops * repeats} stops, ms")
    print(f"{'':12}{'alone':>10}{'through':>10}{'added':>8}{'largest':>10}{'through':>10}{'added':>8}")
    for what, alone in ways["alone"].items():
        through = ways["through"][what]
        row = [statistics.median(alone), statistics.median(through), None, max(alone), max(through), None]
        row[2], row[5] = row[1] - row[0], row[4] - row[3]
        print(f"{what:12}" + "".join(f"{value:{width}.2f}" for value, width in zip(row, (10, 10, 8, 10, 10, 8))))


if __name__ == "__main__":
    main()
