#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many programs die when ompdd is killed while hits of a breakpoint pass: `kill_all.py BUILD_DIR [TRIALS [HOW [OTHER_BIN]]]`.

The program (tests/programs/ticks) comes to the breakpoint some 400 times a second, and each hit is counted out: the hardest case but one without a pause.
HOW: `tracer`: that one first, by its number, then worker and daemon; `name`: all that `pkill -9 ompdd` finds; `group`: all in the daemon's
control group (of version 2, as root; the program's is another).
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


def family(pid):
    """The process and all that come from it."""
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


def kill(how, pid, traced_by, switch):
    """Of the daemon @pid all that is meant, as quickly as can be."""
    if how == "group":
        switch.write_text("1")
        return
    ours = family(pid)
    if how == "name":
        ours = [each for each in ours if "ompdd" in name(each)]
    else:
        ours = [traced_by, *(each for each in reversed(ours[:2]))]
    for each in ours:
        with contextlib.suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)


def survives(programs, ticks, folder, moment, how):
    """One trial."""
    with subprocess.Popen([ticks, "4"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as program, \
            subprocess.Popen([programs / "ompdd", "--listen", f"unix:{folder}/s"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as daemon, \
            (control_group(daemon.pid) if how == "group" else contextlib.nullcontext()) as switch:
        daemon.stdout.readline()
        client = ompdd.connect(f"unix:{folder}/s")
        target = client.target.attach(pid=program.pid)["target"]
        client.breakpoint.set(target=target, function="marked", after=1 << 30)
        time.sleep(moment)
        kill(how, daemon.pid, tracer(program.pid), switch)
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
    how = sys.argv[3] if len(sys.argv) > 3 else "tracer"
    folders = [build / "bin", *map(pathlib.Path, sys.argv[4:5])]
    died = collections.Counter()
    moments = random.Random(1)
    begun = time.monotonic()
    for _ in range(trials):
        for folder in folders:
            with tempfile.TemporaryDirectory() as place:
                os.chmod(place, 0o700)
                died[folder] += not survives(folder, build / "tests" / "programs" / "ticks", place, moments.uniform(0.05, 0.15), how)
    for folder in folders:
        print(f"{folder}: {died[folder]} of {trials} died")
    print(f"{trials * len(folders) / (time.monotonic() - begun):.1f} trials a second")


if __name__ == "__main__":
    main()
