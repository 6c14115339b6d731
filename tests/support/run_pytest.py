# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pytest for ctest: exits with 77, "Skipped" for ctest, when tests were skipped and none ran.

Prints the reason of each skip. Fails if a process that a test started is still there at the end, and kills it: it would
take CPUs from all tests that follow.
"""
import contextlib
import ctypes
import os
import pathlib
import signal
import sys
import time

import pytest

SKIPPED = 77
LEFT_BEHIND = 3
# A process that a test has killed may need as long as this to end on a busy machine.
SECONDS_TO_END = 60
PR_SET_CHILD_SUBREAPER = 36


class Outcomes:
    """Counts tests by their outcome."""

    def __init__(self):
        self.skipped = self.ran = 0

    def pytest_runtest_logreport(self, report):
        self.skipped += report.skipped
        self.ran += report.when == "call" and not report.skipped

    def pytest_collectreport(self, report):
        self.skipped += report.skipped


def run_tests():
    # As with `python -m pytest`.
    sys.path[0] = os.getcwd()
    outcomes = Outcomes()
    status = pytest.main(["-q", "-rs", "-p", "no:cacheprovider", "--tb=short", *sys.argv[1:]], plugins=[outcomes])
    only_skips = outcomes.skipped and not outcomes.ran and status in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    return SKIPPED if only_skips else int(status)


def descendants():
    """Return the processes below this one: pid and command."""
    parents, commands = {}, {}
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parents[int(path.name)] = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            commands[int(path.name)] = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except (FileNotFoundError, ProcessLookupError):
            continue
    found, last = {}, {os.getpid()}
    while last:
        last = {pid for pid, parent in parents.items() if parent in last}
        found.update({pid: commands.get(pid, "") for pid in last})
    return found


def has_children():
    """Reap the children that have ended. Return whether others run."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
        return True
    except ChildProcessError:
        return False


def end_what_is_left():
    """Return the commands of the processes that do not end by themselves."""
    deadline = time.monotonic() + SECONDS_TO_END
    left = {}
    while has_children():
        time.sleep(0.01)
        if time.monotonic() > deadline:
            running = descendants()
            # A process that is ending has no command any more.
            left = {**running, **left}
            for pid in running:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
    return left


def main():
    """pytest runs in a child. What it leaves behind becomes a child of this process, which the tests do not see."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    sys.stdout.flush()
    child = os.fork()
    if not child:
        return run_tests()
    while True:
        pid, how = os.waitpid(-1, 0)
        if pid == child:
            break
    left = end_what_is_left()
    for pid, command in left.items():
        print(f"left behind after {SECONDS_TO_END} s: {pid} {command}")
    return LEFT_BEHIND if left else os.waitstatus_to_exitcode(how)


if __name__ == "__main__":
    sys.exit(main())
