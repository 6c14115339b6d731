# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Test programs as running processes, and what /proc says about them. Used by the fixtures and tests."""
import contextlib
import functools
import json
import os
import pathlib
import select
import signal
import struct
import subprocess
import time

BUILD = pathlib.Path(os.environ.get("OMPDD_BUILD_DIR", "build")).resolve()
PROGRAMS = BUILD / "tests" / "programs"
# Folder of another libgomp.so.1 than the system's for all programs (tests/matrix).
LIBGOMP = os.environ.get("OMPDD_LIBGOMP_DIR")
# Folder of another libomp.so.5 for programs of clang (tests/matrix).
LIBOMP = os.environ.get("OMPDD_LIBOMP_DIR")
# Whether the libgomp.so.1 is our own runtime.
OMPRT = bool(LIBGOMP) and pathlib.Path(LIBGOMP).name == "ompdd"
# Name of the programs' runtime in target.info.
RUNTIME = "omprt" if OMPRT else "libgomp"
# Programs run all of main() in a target region (tests/programs/twins.cmake): "host" in place of a device, "device" for a
# device of the stand-in plugin (gcc) or of LLVM's host plugin (clang). Empty: there is no such region.
TWIN = os.environ.get("OMPDD_TWIN", "")
# Numbers of the system calls in which programs park and sleep. aarch64 has neither pause() nor poll().
SYSCALL = ({"pause": {73}, "futex": {98}, "sigwait": {137}, "sleep": {101, 115}, "poll": {73}, "read": {63}} if os.uname().machine == "aarch64" else
           {"pause": {34}, "futex": {202}, "sigwait": {128}, "sleep": {35, 230}, "poll": {7}, "read": {0}})
PAUSE = "ppoll" if os.uname().machine == "aarch64" else "pause"
# Except on x86, libgomp sleeps in the C library's syscall(). Only registers show the caller, so it is unknown without a
# stop.
IN_LIBC = os.uname().machine == "aarch64" and not OMPRT


def wait_until(condition, what, timeout=600.0):
    """Wait for a condition with frequent checks. The system tests let time pass only here."""
    deadline = time.monotonic() + timeout
    pause = 0.0005
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {timeout} s")
        time.sleep(pause)
        pause = min(pause * 1.5, 0.02)


def read_text(path):
    """Return a file of /proc, or "" if its process or thread has ended."""
    try:
        return pathlib.Path(path).read_text(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def tasks(pid):
    try:
        return sorted(int(name) for name in os.listdir(f"/proc/{pid}/task"))
    except (FileNotFoundError, ProcessLookupError):
        return []


def task_state(pid, tid):
    """Return the state letter of a thread, "" if it has ended."""
    text = read_text(f"/proc/{pid}/task/{tid}/stat")
    return text.rpartition(")")[2].split()[0] if text else ""


def states(pid):
    return {tid: task_state(pid, tid) for tid in tasks(pid)}


def stopped_threads(pid):
    return [tid for tid, state in states(pid).items() if state in "tT" and state]


def tracer(pid):
    """Return the tracer of a process or thread; 0: none."""
    for line in read_text(f"/proc/{pid}/status").splitlines():
        if line.startswith("TracerPid:"):
            return int(line.split()[1])
    return 0


def system_call(pid, tid):
    """Return the number of the system call in which a thread sleeps; None while it runs."""
    first = read_text(f"/proc/{pid}/task/{tid}/syscall").split(" ", 1)[0].strip()
    return int(first) if first.lstrip("-").isdigit() else None


def children(pid):
    found = []
    for tid in tasks(pid):
        found += [int(child) for child in read_text(f"/proc/{pid}/task/{tid}/children").split()]
    return found


def runtime_symbol(pid, name):
    """Return the address in a process of a symbol that its libgomp.so.1 exports; 0 without the library or the symbol.
    """
    for line in read_text(f"/proc/{pid}/maps").splitlines():
        if "libgomp.so.1" in line:
            value = dynamic_symbols(line.split()[-1]).get(name.encode())
            return int(line.split("-")[0], 16) + value if value else 0
    return 0


@functools.lru_cache
def dynamic_symbols(path):
    """Return the values of an ELF file's .dynsym by name."""
    elf, found = pathlib.Path(path).read_bytes(), {}
    sections = struct.unpack_from("<Q", elf, 0x28)[0]
    size, n = struct.unpack_from("<HH", elf, 0x3a)
    for i in range(n):
        _, kind, _, _, offset, length, link = struct.unpack_from("<IIQQQQI", elf, sections + i * size)
        if kind != 11:  # SHT_DYNSYM
            continue
        strings = struct.unpack_from("<Q", elf, sections + link * size + 0x18)[0]
        for at in range(offset, offset + length, 24):
            name, _, _, _, value = struct.unpack_from("<IBBHQ", elf, at)
            found[elf[strings + name:elf.index(b"\0", strings + name)]] = value
    return found


def read_memory(pid, address, size):
    with open(f"/proc/{pid}/mem", "rb") as memory:
        memory.seek(address)
        return memory.read(size)


def event_switch(pid):
    """Return the word of our runtime that shows who requested calls of its ompd_bp_*(); 0 also on another runtime."""
    address = OMPRT and runtime_symbol(pid, "ompd_breakpoints")
    return struct.unpack("<I", read_memory(pid, address, 4))[0] if address else 0


def alive(pid):
    """Running and no zombie."""
    return task_state(pid, pid) not in ("", "Z", "X")


def stand_in_environment():
    """Return the environment for the stand-in plugin on this libgomp, whose interface has a version."""
    stand_in = PROGRAMS / "stand_in"
    if not LIBGOMP or OMPRT:
        return {"LD_LIBRARY_PATH": f"{LIBGOMP}:{stand_in}" if LIBGOMP else str(stand_in)}
    release = int(pathlib.Path(LIBGOMP).name.partition("-")[0])
    return {"LD_LIBRARY_PATH": f"{LIBGOMP}:{stand_in}", "STAND_IN_VERSION": "1" if release < 13 else "2" if release == 13 else "3"}


def twin_environment(twin, path):
    """Return the variables with which the target region of the twin at `path` runs where `twin` says."""
    if twin == "host":
        return {"OMP_TARGET_OFFLOAD": "disabled"}
    on_gcc = {} if "llvm" in path.parts else {**stand_in_environment(), "STAND_IN_DEVICES": "4"}  # as many as LLVM's plugin
    return {**on_gcc, "OMP_TARGET_OFFLOAD": "mandatory"}


class Program:
    """A started test program. `lines` are its oracle lines by tid, `pid` its process id.

    With `twin` it is the program whose main() is in a target region.
    """

    def __init__(self, *args, env=None, path=None, wait=True, twin=TWIN, **options):
        path = pathlib.Path(path or PROGRAMS / args[0])
        if twin:
            path = path.parent / "target" / path.name
            env = {**twin_environment(twin, path), **(env or {})}
        self.twin = twin
        argv = [str(path), *map(str, args[1:])]
        self.name = " ".join(map(str, args))
        # The tests' own surroundings must not decide what the oracle says.
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GOMP_", "OMPDD_"))}
        if LIBGOMP:
            clean["LD_LIBRARY_PATH"] = LIBGOMP
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env={**clean, **(env or {})}, **options)
        self.pid = self.process.pid
        self.lines = {}
        self._buffer = b""
        if wait:
            try:
                self.wait_ready()
            except BaseException:
                self.close()
                raise

    def has_line(self):
        """Return whether unread output is available."""
        return b"\n" in self._buffer or bool(select.select([self.process.stdout], [], [], 0)[0])

    def read_line(self, timeout=600.0):
        """Return the program's next line, as JSON."""
        deadline = time.monotonic() + timeout
        while b"\n" not in self._buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise AssertionError(f"{self.name}: said nothing for {timeout} s")
            data = os.read(self.process.stdout.fileno(), 65536)
            if not data:
                raise AssertionError(f"{self.name}: ended with {self.process.wait()}")
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        return json.loads(line)

    def wait_ready(self):
        """Read the announced lines, then wait until each thread is at the place that its line names."""
        first = self.read_line()
        assert first["pid"] == self.pid
        self.lines = {}
        for _ in range(first["lines"]):
            line = self.read_line()
            assert line["tid"] not in self.lines, f"{self.name}: thread {line['tid']} spoke twice"
            self.lines[line["tid"]] = line
        self.wait_settled()
        return self

    def wait_settled(self):
        """Each thread is at the place that its line names.

        Wait again after an attach: its stop interrupts system calls, which then restart.
        """
        for line in self.lines.values():
            self.wait_parked(line)

    def wait_parked(self, line):
        wanted = SYSCALL.get(line["by"])
        if wanted:
            wait_until(lambda: system_call(self.pid, line["tid"]) in wanted,
                       f"{self.name}: thread {line['tid']} in {line['by']}")

    def oracle(self):
        """Return the lines with a thread's own omp_get_*() answers."""
        return {tid: line for tid, line in self.lines.items() if "level" in line}

    def signal(self, number=signal.SIGUSR1):
        os.kill(self.pid, number)

    def alive(self):
        return self.process.poll() is None and alive(self.pid)

    def close(self):
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Killer:
    """Kills a process at a given moment, from a process of its own: the requesting side needs no clock."""

    def __init__(self, pid, delay, number=signal.SIGKILL):
        self.child = os.fork()
        if self.child == 0:
            time.sleep(delay)  # The moment is random: no condition to wait for.
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
            os._exit(0)

    def wait(self):
        os.waitpid(self.child, 0)
