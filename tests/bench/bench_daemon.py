# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A daemon to measure, and what asks it: a program for many equal requests, and a connection with arrival times."""
import json
import os
import pathlib
import socket
import subprocess
import sys
import time

from targets import BUILD, children

BIN = BUILD / "bin"
TOOLS = BUILD / "tests" / "bench"


def run(*argv, cpus=None):
    """Return a program's output; it runs on `cpus` only, if given."""
    pin = (lambda: os.sched_setaffinity(0, cpus)) if cpus else None
    done = subprocess.run([str(arg) for arg in argv], capture_output=True, text=True, preexec_fn=pin)
    if done.returncode:
        sys.exit(f"bench.py: {' '.join(map(str, argv))}: {done.stderr.strip() or done.returncode}")
    return done.stdout


def numbers(text, column=0):
    return [float(line.split()[column]) for line in text.splitlines()]


class Daemon:
    def __init__(self, folder, *args):
        self.socket = pathlib.Path(folder) / "bench.sock"
        # Audit lines are not part of the table.
        log = pathlib.Path(folder) / "ompdd.log"
        with log.open("w") as stderr:
            self.process = subprocess.Popen([str(BIN / "ompdd"), "--listen", f"unix:{self.socket}", *map(str, args)],
                                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr, text=True)
        ready = self.process.stdout.readline()
        if not ready.startswith("listening on unix:"):
            raise SystemExit(f"ompdd does not listen: {ready!r} {log.read_text()}")

    def ask(self, method, params, rounds):
        request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        return numbers(run(TOOLS / "ask", self.socket, request, rounds))

    def call(self, method, **params):
        """Return the result of one call."""
        text = run(BIN / "ompdctl", "-s", f"unix:{self.socket}", "call", method, json.dumps(params))
        return json.loads(text)

    def worker(self):
        return children(self.process.pid)[-1]

    def close(self):
        self.process.terminate()
        self.process.wait(10)


class Lines:
    """A connection that records the arrival time of its lines."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.connect(str(path))
        self.buffer = b""

    def read(self):
        """(us of CLOCK_MONOTONIC, message)"""
        while b"\n" not in self.buffer:
            self.buffer += self.socket.recv(1 << 16)
            self.came_us = time.clock_gettime_ns(time.CLOCK_MONOTONIC) / 1000
        line, _, self.buffer = self.buffer.partition(b"\n")
        return self.came_us, json.loads(line)

    def answer(self, method, **params):
        self.socket.sendall(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode() + b"\n")
        while True:
            _, message = self.read()
            if message.get("id") == 1:
                return message

    def call(self, method, **params):
        return self.answer(method, **params)["result"]

    def event(self):
        while True:
            came_us, message = self.read()
            if message.get("method") == "event":
                return came_us

    def close(self):
        self.socket.close()
