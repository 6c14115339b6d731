# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A private ompdd of the debugger: finds it, starts it, and selects its target. It only observes, and never stops."""
import itertools
import os
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# The folder above that of the front ends: share/ompdd of an installation, clients of the source.
ABOVE = HERE.parents[1]
# Seconds; a machine may be busy, and a core large.
TIMEOUT = 120
PATIENCE = ("--request-timeout", TIMEOUT * 1000, "--plugin-timeout", TIMEOUT * 500)
# Errors of an outdated target: the request is repeated once.
STALE = ("no_such_target", "target_exited", "target_exec", "worker_failed")
LOG_SHOWN = 400
# Requests that are sent together.
BATCH = 64


class Problem(Exception):
    """A problem as a sentence for the user, with the next command to type."""


def import_client():
    """Import our Python client: from this Python's path, or beside us."""
    try:
        import ompdd
        return ompdd
    except ImportError:
        pass
    folders = [ABOVE / "python", *sorted(ABOVE.parents[1].glob("lib*/python3*/*-packages"))]
    for folder in folders:
        if (folder / "ompdd" / "__init__.py").is_file():
            sys.path.append(str(folder))
            import ompdd
            return ompdd
    raise Problem("The Python package ompdd was not found; install it (python3-ompdd), or set PYTHONPATH to its folder, clients/python.")


def find_ompdd(named):
    """Return the program: the named one, beside us, or in PATH."""
    if named:
        path = shutil.which(named)
        if not path:
            raise Problem(f"There is no program {named}; set the path of ompdd: openmp ompdd PATH")
        return path
    for path in (ABOVE.parents[1] / "bin" / "ompdd", ABOVE.parent / "build" / "bin" / "ompdd"):
        if os.access(path, os.X_OK):
            return str(path)
    path = shutil.which("ompdd")
    if not path:
        raise Problem("ompdd was not found beside this script or in PATH; install it, or set its path: openmp ompdd PATH")
    return path


class Service:
    """Starts ompdd at the first request. ask() is about the debugger's process or core."""

    def __init__(self):
        self.named = os.environ.get("OMPDD")
        self._client = None
        self._log = None
        self._targets = {}
        # Changes when earlier answers become invalid.
        self.generation = 0

    def use(self, path):
        """Use that program from now on."""
        self.named = find_ompdd(path)
        self.close()

    def close(self):
        """End it, if it runs."""
        client, self._client = self._client, None
        self._targets = {}
        if client is not None:
            client.close()

    def ask(self, subject, method, prepare=None, **params):
        """Return the result of a method.

        `subject` is a Live or a Core; its `prepare` is called before. Raises Problem.
        """
        ompdd = import_client()
        try:
            for last in (False, True):
                try:
                    client, target = self._started(ompdd), self._target(subject)
                    if prepare is not None:
                        prepare(subject)
                    return client.call(method, target=target, **params)
                except ompdd.Error as error:
                    self._targets.pop(subject.key(), None)
                    if last or error.name not in STALE:
                        raise
        except ompdd.Error as error:
            raise Problem(f"{error.message}; {error.hint}" if error.hint else error.message) from None
        except ompdd.OmpddException as error:
            self.close()
            raise Problem(f"{error}{self._last_words()}") from None
        except BaseException:
            # After Ctrl-C in the middle of an answer, its rest would look like another answer.
            self.close()
            raise
        raise AssertionError("not reached")

    def tell(self, subject, threads):
        """Pass the registers of threads that the debugger holds: [(tid, [values by DWARF number])]."""
        waiting = iter(threads)
        while True:
            batch = list(itertools.islice(waiting, BATCH))
            if not batch:
                return
            try:
                sender = self._client.batch()
                for tid, registers in batch:
                    sender.call("thread.registers", target=self._target(subject), thread=tid, registers=[hex(value) for value in registers])
                sender.send()
            except BaseException:
                self.close()
                raise

    def _started(self, ompdd):
        if self._client is None:
            self._log = tempfile.TemporaryFile()
            self._client = ompdd.spawn(find_ompdd(self.named), args=PATIENCE, timeout=TIMEOUT, stderr=self._log)
        return self._client

    def _target(self, subject):
        key = subject.key()
        if key not in self._targets:
            self._targets[key] = subject.open(self._client)["target"]
            self.generation += 1
        return self._targets[key]

    def _last_words(self):
        if self._log is None:
            return ""
        self._log.seek(0)
        text = self._log.read().decode(errors="replace").strip()
        return f"; it said: {text[-LOG_SHOWN:]}" if text else ""


class Live:
    """A process of this machine in the debugger; `stopped`: it holds all threads."""

    def __init__(self, pid, stopped):
        self.pid, self.stopped = pid, stopped

    def key(self):
        return ("live", self.pid)

    def open(self, client):
        return client.target.attach(pid=self.pid, mode="observe")


class Core:
    """A core file; `exe` is the program that the debugger uses for it, or None."""

    stopped = True

    def __init__(self, path, exe=None):
        self.path, self.exe = os.path.abspath(path), exe

    def key(self):
        status = os.stat(self.path)
        return ("core", self.path, status.st_ino, status.st_size, status.st_mtime_ns)

    def open(self, client):
        if self.exe and os.path.isfile(self.exe):
            return client.target.open_core(core=self.path, exe=os.path.abspath(self.exe))
        return client.target.open_core(core=self.path)


def is_core_file(path):
    """Return whether it is an ELF file of type core."""
    try:
        with open(path, "rb") as file:
            head = file.read(18)
    except OSError:
        return False
    return head[:4] == b"\x7fELF" and len(head) == 18 and int.from_bytes(head[16:18], "little") == 4


def mapped_core_files():
    """Return the core files that this process, a debugger, has open or mapped."""
    found = set()
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        for line in maps:
            parts = line.rstrip("\n").split(None, 5)
            if len(parts) == 6 and parts[5].startswith("/"):
                found.add(parts[5])
    for entry in pathlib.Path("/proc/self/fd").iterdir():
        try:
            found.add(os.readlink(entry))
        except OSError:
            continue
    return sorted(path for path in found if path.startswith("/") and is_core_file(path))
