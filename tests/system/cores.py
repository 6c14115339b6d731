# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Core files for the tests: written by gdb or the kernel, taken apart and put together again."""
import json
import os
import pathlib
import resource
import shutil
import signal
import struct
import subprocess

import pytest

EHDR, PHDR = "<16sHHIQQQIHHHHHH", "<IIQQQQQQ"
PT_LOAD, PT_NOTE = 1, 4
NT_PRSTATUS, NT_PRPSINFO, NT_AUXV, NT_FILE = 1, 3, 6, 0x46494c45
# gcore writes all of every stack: keep the stacks small.
SMALL_STACKS = {"OMP_STACKSIZE": "128K"}


def gcore(program, folder, pid=None):
    """Let gdb write a core of a running program, or of its process @pid. The program continues."""
    pid = pid or program.pid
    if not shutil.which("gcore"):
        pytest.skip("gcore (gdb) is not installed")
    stem = pathlib.Path(folder) / "core"
    done = subprocess.run(["gcore", "-o", str(stem), str(pid)], capture_output=True, text=True, timeout=600,
                          stdin=subprocess.DEVNULL)
    path = stem.with_name(f"core.{pid}")
    assert path.exists(), f"gcore made no core: {done.stdout} {done.stderr}"
    return path


def kernel_core(program, folder):
    """Let the kernel write a core: the program, started in `folder`, dies of SIGABRT."""
    if pathlib.Path("/proc/sys/kernel/core_pattern").read_text().strip() != "core":
        pytest.skip("core_pattern sends cores elsewhere")
    if resource.prlimit(program.pid, resource.RLIMIT_CORE)[1] != resource.RLIM_INFINITY and os.getuid() != 0:
        pytest.skip("ulimit -c does not allow cores")
    resource.prlimit(program.pid, resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    program.signal(signal.SIGABRT)
    assert program.process.wait(600) == -signal.SIGABRT
    program.process.stdin.close()
    for name in ("core", f"core.{program.pid}"):
        path = pathlib.Path(folder) / name
        if path.exists():
            return path
    pytest.skip("the kernel wrote no core")


def comparable(text):
    """Return the answers of ompdd's worker about a core, one per line, without paths of this machine."""
    def walk(value):
        if isinstance(value, dict):
            return {key: walk(one) for key, one in value.items() if key != "plugin" and not (key == "path" and "signal_tid" in value)}
        return [walk(one) for one in value] if isinstance(value, list) else value
    return [walk(json.loads(line)["result"]) for line in text.splitlines()]


class Core:
    """The parts of a core: header fields, segments as [flags, address, memory size, bytes], notes as [name, type,
    bytes].
    """

    def __init__(self, path):
        data = pathlib.Path(path).read_bytes()
        header = struct.unpack_from(EHDR, data)
        self.ident, self.machine = header[0], header[2]
        self.segments, self.notes = [], []
        for i in range(header[10]):
            kind, flags, offset, address, _, filesz, memsz, _ = struct.unpack_from(PHDR, data, header[5] + i * header[9])
            if kind == PT_LOAD:
                self.segments.append([flags, address, memsz, data[offset:offset + filesz]])
            elif kind == PT_NOTE:
                self._read_notes(data[offset:offset + filesz])

    def _read_notes(self, data):
        at = 0
        while at + 12 <= len(data):
            namesz, descsz, kind = struct.unpack_from("<III", data, at)
            at += 12
            name = data[at:at + namesz].rstrip(b"\0")
            at += (namesz + 3) & ~3
            self.notes.append([name, kind, data[at:at + descsz]])
            at += (descsz + 3) & ~3

    def note_bytes(self):
        out = []
        for name, kind, desc in self.notes:
            name += b"\0"
            out += [struct.pack("<III", len(name), len(desc), kind), name.ljust((len(name) + 3) & ~3, b"\0"),
                    desc.ljust((len(desc) + 3) & ~3, b"\0")]
        return b"".join(out)

    def write(self, path):
        """Write headers, notes, then memory in order of address, as the kernel does: a cut removes memory first."""
        notes = self.note_bytes()
        n = len(self.segments) + 1
        at = 64 + n * 56
        headers = [struct.pack(PHDR, PT_NOTE, 0, at, 0, 0, len(notes), 0, 4)]
        at = (at + len(notes) + 4095) & ~4095
        start = at
        for flags, address, memsz, data in self.segments:
            headers.append(struct.pack(PHDR, PT_LOAD, flags, at, address, 0, len(data), memsz, 4096))
            at += len(data)
        with open(path, "wb") as out:
            out.write(struct.pack(EHDR, self.ident, 4, self.machine, 1, 0, 64, 0, 0, 64, 56, n, 0, 0, 0))
            out.write(b"".join(headers))
            out.write(notes)
            out.seek(start)
            for segment in self.segments:
                out.write(segment[3])
        return pathlib.Path(path)

    def files(self):
        """NT_FILE as (start, end, path)."""
        desc = next(desc for _, kind, desc in self.notes if kind == NT_FILE)
        n, _ = struct.unpack_from("<QQ", desc)
        names = desc[16 + 24 * n:].split(b"\0")
        return [struct.unpack_from("<QQ", desc, 16 + 24 * i) + (names[i].decode(),) for i in range(n)]
