# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Test programs that ompdd starts: a Program whose process is not our child.

Used by test_launch.py and test_launch_ends.py.
"""
import contextlib
import json
import os
import signal
import subprocess

import pytest

from targets import LIBGOMP, PROGRAMS, alive, read_text, stopped_threads, system_call, tracer, wait_until, SYSCALL


def start_time(pid):
    text = read_text(f"/proc/{pid}/stat")
    return text.rpartition(")")[2].split()[19] if text else None


class Launched:
    """Holds `result` of target.launch.

    A file receives the program's output. The program ends with us: its standard input is a FIFO of ours.
    """

    def __init__(self, client, folder, *args, path=None, **params):
        folder.mkdir()
        self.name = " ".join(map(str, args))
        self.expect_end = False
        self.output = folder / "output"
        fifo = folder / "input"
        os.mkfifo(fifo)
        self.fifo = os.open(fifo, os.O_RDWR | os.O_CLOEXEC)
        self.offset = 0
        self.lines = {}
        clean = {name: None for name in os.environ if name.startswith(("OMP_", "GOMP_", "OMPDD_"))}
        if LIBGOMP:
            clean["LD_LIBRARY_PATH"] = LIBGOMP
        env = {**clean, **params.pop("env", {})}
        params = {"stdin": str(fifo), "stdout": str(self.output), "stderr": str(self.output), **params}
        try:
            self.result = client.target.launch(argv=[str(path or PROGRAMS / args[0]), *map(str, args[1:])], env=env, **params)
        except BaseException:
            os.close(self.fifo)
            raise
        self.target, self.pid = self.result["target"], self.result["pid"]
        self.started = start_time(self.pid)

    def text(self):
        return self.output.read_text()

    def read_line(self, timeout=600.0):
        def next_line():
            data = self.output.read_bytes()[self.offset:]
            return data.partition(b"\n")[0] if b"\n" in data else None
        line = wait_until(next_line, f"{self.name} says something", timeout)
        self.offset += len(line) + 1
        return json.loads(line)

    def wait_ready(self):
        first = self.read_line()
        assert first["pid"] == self.pid
        for _ in range(first["lines"]):
            line = self.read_line()
            self.lines[line["tid"]] = line
        for line in self.lines.values():
            wanted = SYSCALL.get(line["by"])
            if wanted:
                wait_until(lambda line=line: system_call(self.pid, line["tid"]) in wanted, "it is parked")
        return self

    def oracle(self):
        return {tid: line for tid, line in self.lines.items() if "level" in line}

    def alive(self):
        return alive(self.pid) and start_time(self.pid) == self.started

    def signal(self, number=signal.SIGUSR1):
        assert self.alive()
        os.kill(self.pid, number)

    def runs_free(self):
        assert self.alive(), f"{self.name} died"
        wait_until(lambda: not stopped_threads(self.pid) and not tracer(self.pid), f"{self.name} runs")

    def close_now(self):
        """End the program in any state. May be called again."""
        with contextlib.suppress(ProcessLookupError):
            if self.alive():
                os.kill(self.pid, signal.SIGKILL)
        if self.fifo >= 0:
            os.close(self.fifo)
        self.fifo = -1

    close = close_now


@pytest.fixture
def launch(tmp_path):
    """Launch test programs.

    Request this fixture before daemons: after they end, each program must run untraced, unless it may end.
    """
    started = []

    def start(client, *args, **params):
        one = Launched(client, tmp_path / f"l{len(started)}", *args, **params)
        started.append(one)
        return one

    yield start
    try:
        for one in started:
            if not one.expect_end:
                one.runs_free()
    finally:
        for one in started:
            one.close()


def ended(client, target, timeout=600.0):
    """Wait for the end of a target. Return its target.info."""
    return wait_until(lambda: (lambda info: info if info["state"] == "exited" else None)(client.target.info(target=target)),
                      "it ends", timeout)


def compiled(tmp_path, name, source, *flags):
    path = tmp_path / name
    subprocess.run(["gcc", "-O1", "-x", "c", "-", "-o", str(path), *flags], input=source, text=True, check=True)
    return str(path)
