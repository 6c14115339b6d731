#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long a program with very many threads stands still: `stops.py [THREADS...]`, by default 1000 to 32000.

The program (tests/programs/crowd) reads the clock in its main thread and in 33 others, from the first to the last. For each number of
threads and each kind of stop the table says how it ended, the longest gap of the main thread and of the others, and how far the
longer one exceeds max_stop_ms. Ends with 1 when a gap exceeds it by more than 50 ms.
"""
import argparse
import os
import pathlib
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "system"), str(HERE.parents[1] / "clients" / "python")]
import ompdd  # noqa: E402
from daemons import Daemon  # noqa: E402
from targets import Program  # noqa: E402

LIMIT_MS = 200
GOAL_MS = 50
THREADS = (1000, 2000, 4000, 8000, 16000, 32000)


def gaps_ms(program):
    """Return the longest gaps since the last call: of the main thread, and of the other readers."""
    program.signal()
    line = program.read_line()
    return line["main_us"] / 1000, line["worst_us"] / 1000


def attempt(call):
    """Return the name of the error, or the time of the call."""
    begun = time.monotonic()
    try:
        call()
    except ompdd.Error as error:
        return error.name
    return f"{1000 * (time.monotonic() - begun):.0f} ms"


def hold(client, target):
    client.target.stop(target=target)
    client.target.resume(target=target)


def each_stop(client, pid):
    """Requests that stop the program in different ways, by name, in this order."""
    target = client.target.attach(pid=pid, mode="stop", max_stop_ms=LIMIT_MS)["target"]
    yield "attach", lambda: None
    yield "snapshot", lambda: client.snapshot.get(target=target)
    yield "hold", lambda: hold(client, target)
    yield "hold again", lambda: hold(client, target)
    yield "breakpoint", lambda: client.breakpoint.set(target=target, function="main")
    yield "snapshot after it", lambda: client.snapshot.get(target=target)
    yield "hold after it", lambda: hold(client, target)
    yield "detach", lambda: client.target.detach(target=target)


def measure(client, n, rounds):
    missed = False
    with Program("crowd", n) as program:
        time.sleep(0.2)
        idle = max(gaps_ms(program))
        for _ in range(rounds):
            for name, call in each_stop(client, program.pid):
                ended = attempt(call)
                # A release continues after its answer.
                time.sleep(0.3)
                main, worst = gaps_ms(program)
                beyond = max(main, worst) - LIMIT_MS
                missed |= beyond > GOAL_MS
                print(f"{n:7} {name:18} {ended:>16} {main:9.1f} {worst:9.1f} {beyond:9.1f} {'MISS' if beyond > GOAL_MS else 'OK'}", flush=True)
        print(f"{n:7} {'(before)':18} {'':16} {idle:9.1f}", flush=True)
    return missed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("threads", type=int, nargs="*", default=THREADS)
    parser.add_argument("--rounds", type=int, default=1)
    args = parser.parse_args()
    print(f"{'threads':>7} {'stop':18} {'ended':>16} {'main ms':>9} {'others':>9} {'beyond':>9}")
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o700)
        daemon = Daemon(pathlib.Path(folder) / "d")
        try:
            for n in args.threads:
                with daemon.connect() as client:
                    missed |= measure(client, n, args.rounds)
        finally:
            daemon.process.kill()
    return missed


if __name__ == "__main__":
    sys.exit(main())
