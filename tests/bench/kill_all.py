#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many programs die when tracer, worker and daemon are killed while hits of a breakpoint pass: `kill_all.py BUILD_DIR [TRIALS [OTHER_BIN]]`.

The program (tests/programs/ticks) comes to the breakpoint some 400 times a second, and each hit is counted out: the hardest case but one without a pause.
OTHER_BIN: a folder with executables to be compared, in turns.
"""
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


def survives(programs, ticks, folder, moment):
    """One trial."""
    with subprocess.Popen([ticks, "4"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as program, \
            subprocess.Popen([programs / "ompdd", "--listen", f"unix:{folder}/s"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as daemon:
        daemon.stdout.readline()
        client = ompdd.connect(f"unix:{folder}/s")
        target = client.target.attach(pid=program.pid)["target"]
        client.breakpoint.set(target=target, function="marked", after=1 << 30)
        time.sleep(moment)
        worker = int(pathlib.Path(f"/proc/{daemon.pid}/task/{daemon.pid}/children").read_text().split()[0])
        for pid in (tracer(program.pid), worker, daemon.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.2)
        lives = program.poll() is None
        program.kill()
        daemon.kill()
        with contextlib.suppress(ompdd.Closed, OSError):
            client.close()
    return lives


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    trials = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    folders = [build / "bin", *map(pathlib.Path, sys.argv[3:4])]
    died = collections.Counter()
    moments = random.Random(1)
    for _ in range(trials):
        for folder in folders:
            with tempfile.TemporaryDirectory() as place:
                os.chmod(place, 0o700)
                died[folder] += not survives(folder, build / "tests" / "programs" / "ticks", place, moments.uniform(0.05, 0.15))
    for folder in folders:
        print(f"{folder}: {died[folder]} of {trials} died")


if __name__ == "__main__":
    main()
