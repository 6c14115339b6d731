# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ompdd as a process under test: start it, find its workers, end it, and check what it leaves behind."""
import contextlib
import ctypes
import os
import pathlib
import re
import signal
import subprocess

import ompdd
import validator
from targets import BUILD, alive, children, read_text, wait_until
from wire import Wire

BIN = BUILD / "bin"
SANITIZED = b"libasan" in (BIN / "ompdd").read_bytes()
# A sanitizer's report, a line of level error, or a system call that the sandbox refused. Each fails the test, unless
# the test expects it.
TROUBLE = re.compile(r"^(?:.*: )?error: .*|.*(?:AddressSanitizer|LeakSanitizer|runtime error:|UndefinedBehavior|calls were refused).*", re.M)


LIBC = ctypes.CDLL(None)
# On a busy machine some defaults of the daemon are too short. Unless a test sets a limit, only a hang ends a request.
PATIENT_STOP_MS = 60000
PATIENCE = ("--request-timeout", 600000, "--plugin-timeout", 300000)
# Seconds of processor time of a request on a slow processor (tests/arm64).
if "OMPDD_WORKER_CPU" in os.environ:
    PATIENCE += ("--worker-cpu", os.environ["OMPDD_WORKER_CPU"])


def end_with_the_tests():
    """PR_SET_PDEATHSIG: no daemon outlives pytest."""
    LIBC.prctl(1, signal.SIGTERM)


def adopt_orphans():
    """PR_SET_CHILD_SUBREAPER: this process becomes the parent of the workers of killed daemons."""
    LIBC.prctl(36, 1)


def orphaned_workers():
    """Return the running workers of killed daemons with their children, and processes just forked that still have the
    daemon's name. Reap the others.
    """
    found = [child for child in children(os.getpid()) if read_text(f"/proc/{child}/comm").startswith(("ompdd", "omp-")) and child not in Daemon.pids]
    return [child for child in found if os.waitpid(child, os.WNOHANG) == (0, 0)]


def patient(start):
    """Call Client.start() without a limit on how fast threads stop on a busy machine."""
    def started(method, params=None, /, **more):
        if method in ("target.attach", "target.launch") and "max_stop_ms" not in {**(params or {}), **more}:
            more["max_stop_ms"] = PATIENT_STOP_MS
        return start(method, params, **more)
    return started


class Daemon:
    """A running ompdd with its own folder. `expect_log` are patterns of the error lines that the test provokes."""

    pids = set()

    def __init__(self, folder, *args, listen=None, env=None, programs=BIN):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(exist_ok=True)
        self.path = str(self.folder / "ompdd.sock")
        self.log = self.folder / "log"
        self.expect_log = []
        self.expect_end = False
        self.uris = []
        listeners = [f"unix:{self.path}"] if listen is None else listen
        argv = [str(programs / "ompdd")]
        for uri in listeners:
            argv += ["--listen", uri]
        self.workers_seen = set()
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(argv + [str(arg) for arg in (*PATIENCE, *args)], stdin=subprocess.DEVNULL,
                                            stdout=subprocess.PIPE, stderr=log, text=True, env={**os.environ, **(env or {})},
                                            preexec_fn=end_with_the_tests)
        self.pid = self.process.pid
        self.pids.add(self.pid)
        for _ in listeners:
            ready = self.process.stdout.readline()
            assert ready.startswith("listening on "), f"no ready line: {ready!r}; log: {self.read_log()}"
            self.uris.append(ready.removeprefix("listening on ").strip())

    def read_log(self):
        return self.log.read_text(errors="replace")

    def connect(self, uri=None, defaults=False, **options):
        """A client that validates every message. Its stops may last, unless the test wants the daemon's `defaults`."""
        client = ompdd.connect(uri or self.uris[0], validator=validator, **{"timeout": 600, **options})
        if not defaults:
            client.start = patient(client.start)
        return client

    def wire(self):
        return Wire(self.path)

    def workers(self):
        """Return the process ids of the running workers."""
        found = {child for child in children(self.pid) if "ompdd-worker" in read_text(f"/proc/{child}/cmdline")}
        self.workers_seen |= found
        return found

    def worker(self):
        """Wait until there is exactly one worker, and return it."""
        return wait_until(lambda: (lambda found: found if len(found) == 1 else None)(self.workers()), "one worker").pop()

    def kill(self):
        """Send SIGKILL, as the out-of-memory killer would."""
        self.expect_end = True
        self.workers()
        self.process.kill()
        self.process.wait()

    def terminate(self):
        self.expect_end = True
        self.workers()
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(600)

    def close(self):
        """End the daemon, and assert that it was healthy to the end."""
        try:
            if not self.expect_end:
                assert self.process.poll() is None, \
                    f"ompdd ended with {self.process.returncode}; log: {self.read_log()}"
                assert self.terminate() == 0, f"ompdd ended with {self.process.returncode}; log: {self.read_log()}"
                assert not os.path.exists(self.path), "the socket was left behind"
            wait_until(lambda: not any(alive(pid) for pid in self.workers_seen), f"workers {self.workers_seen} ended")
            trouble = [text for text in TROUBLE.findall(self.read_log())
                       if not any(re.search(pattern, text) for pattern in self.expect_log)]
            assert not trouble, "\n".join(trouble) + "\nthe whole log:\n" + self.read_log()[:20000]
        finally:
            with contextlib.suppress(ProcessLookupError):
                self.process.kill()
            self.process.wait()
            self.process.stdout.close()
