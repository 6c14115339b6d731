#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a kept core of tests/system/kept: keep.py WORKER SYSROOT FOLDER OUT.tar.xz

FOLDER is what dump.sh left; SYSROOT has the files that its core had mapped, as cores.py leaves them in FOLDER/root. Of the files that the core had mapped, what no answer rests on is made zeroes: the instructions of the C library
and of the dynamic linker but where threads stand, their relocations, and what is known of the frames of other functions. That this changes nothing is tried out with WORKER, ompdd's."""
import pathlib
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "system"))
from cores import NT_FILE, Core, comparable  # noqa: E402

PAGE = 4096
# Sections of the C library and of the dynamic linker.
LESS = {b".text", b".rodata", b".rela.dyn", b".gnu.version", b".data.rel.ro", b"__libc_freeres_fn", b".gcc_except_table"}


def answers(worker, core, sysroot):
    done = subprocess.run([HERE / "answers.sh", worker, core, sysroot], capture_output=True, text=True, check=True)
    return done.stdout


def places(value):
    """(module, pc) of all frames."""
    if isinstance(value, dict):
        if "pc" in value and isinstance(value.get("module"), str):
            yield value["module"], int(value["pc"], 16)
        for one in value.values():
            yield from places(one)
    elif isinstance(value, list):
        for one in value:
            yield from places(one)


def mapped(core):
    """(start, end, offset, path) of each part of a file."""
    desc = next(desc for _, kind, desc in Core(core).notes if kind == NT_FILE)
    n, page = struct.unpack_from("<QQ", desc)
    names = desc[16 + 24 * n:].split(b"\0")
    for i in range(n):
        start, end, pages = struct.unpack_from("<QQQ", desc, 16 + 24 * i)
        yield start, end, pages * page, names[i].decode()


def frames_of(data, table, keep):
    """Return (start, end) in the file of the .eh_frame entries for the code at the offsets @keep, by the sorted @table
    of .eh_frame_hdr.
    """
    n, = struct.unpack_from("<I", data, table + 8)
    rows = [struct.unpack_from("<ii", data, table + 12 + 8 * i) for i in range(n)]
    for offset in keep:
        # Code and frame information are mapped as they are in the file: count both from the table.
        description = max(row for row in rows if table + row[0] <= offset)[1] + table
        length, back = struct.unpack_from("<Ii", data, description)
        yield description, description + 4 + length
        common = description + 4 - back
        yield common, common + 4 + struct.unpack_from("<I", data, common)[0]


def thin(path, keep):
    """Write zeroes in LESS, except on the pages of the offsets @keep, and in .eh_frame except for their entries."""
    data = bytearray(path.read_bytes())
    table, = struct.unpack_from("<Q", data, 40)
    size, n, names = struct.unpack_from("<HHH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + i * size) for i in range(n)]
    strings = sections[names][4]
    pages = {offset // PAGE for offset in keep}
    # A debugger looks up the C library's data among its constants.
    for _, kind, _, _, offset, length, link, *_ in sections:
        for at in range(offset, offset + length, 24) if kind == 11 else ():
            name, _, _, _, value, _ = struct.unpack_from("<IBBHQQ", data, at)
            text = sections[link][4] + name
            if data[text:text + 11] == b"_thread_db_":
                pages.add(value // PAGE)
    named = {bytes(data[strings + one[0]:data.index(0, strings + one[0])]): one for one in sections}
    _, _, _, _, offset, length, *_ = named[b".eh_frame"]
    kept = {i for start, end in frames_of(data, named[b".eh_frame_hdr"][4], keep) for i in range(start, end)}
    for at in range(offset, offset + length):
        if at not in kept:
            data[at] = 0
    for word, (_, kind, _, _, offset, length, *_) in named.items():
        if word in LESS and kind != 8:
            for at in range(offset, offset + length):
                if at // PAGE not in pages:
                    data[at] = 0
    path.write_bytes(data)


def anonymous(info):
    info.uid = info.gid = info.mtime = 0
    info.uname = info.gname = ""
    info.mode |= 0o444
    return info


def main():
    worker, sysroot, folder, out = (pathlib.Path(one).resolve() for one in sys.argv[1:])
    core = folder / "core"
    there = comparable((folder / "answers.json").read_text())
    here = comparable(answers(worker, core, sysroot))
    if there != here:
        sys.exit("this machine's answers are not those of the machine that wrote the core")
    frames = list(places(here))
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch, "root")
        for path in {one[3] for one in mapped(core)}:
            to = root / path[1:]
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy((sysroot / path[1:]).resolve(), to)
            if to.name.startswith(("libc.so", "ld-linux")):
                rows = [one for one in mapped(core) if one[3] == path]
                thin(to, [pc - start + offset for start, stop, offset, _ in rows for _, pc in frames if start <= pc < stop])
        if comparable(answers(worker, core, root)) != here:
            sys.exit("an answer rests on what was left out")
        with tarfile.open(out, "w:xz", preset=9) as tar:
            for path, name in ((core, "core"), (folder / "lines.json", "lines.json"), (folder / "answers.json", "answers.json"), (root, "root")):
                tar.add(path, name, filter=anonymous)


if __name__ == "__main__":
    main()
