# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cores of another processor: the same answers as on a machine with it, or a clear error.

kept/ has two cores of programs that ran on aarch64, on libgomp and on libomp (tests/arm64/keep.py): the core, the
necessary parts of its files, the program's own report, and ompdd's report there. On a machine with that processor they
are ordinary cores. The folder OMPDD_OTHER_CORES may have more, from tests/arm64/cores.py.
"""
import json
import os
import pathlib
import platform
import shutil
import struct
import subprocess
import tarfile
import types

import ompdd
import pytest
from conftest import fails
from cores import comparable
from daemons import BIN
from snapshots import check_structure
from test_cores import names
from test_oracle import agree

HERE = pathlib.Path(__file__).parent
ANSWERS = HERE.parent / "arm64" / "answers.sh"


MORE = pathlib.Path(os.environ["OMPDD_OTHER_CORES"]) if "OMPDD_OTHER_CORES" in os.environ else None
KEPT = ["aarch64", "aarch64-libomp"]


@pytest.fixture(scope="module", params=sorted(one.name for one in MORE.iterdir()) if MORE else KEPT)
def kept(request, tmp_path_factory):
    if MORE:
        return MORE / request.param
    folder = tmp_path_factory.mktemp("kept")
    with tarfile.open(HERE / "kept" / f"{request.param}.tar.xz") as tar:
        tar.extractall(folder)
    return folder


def said(kept):
    first, *lines = map(json.loads, (kept / "lines.json").read_text().splitlines())
    lines = {line["tid"]: line for line in lines}
    oracle = {tid: line for tid, line in lines.items() if "level" in line}
    return types.SimpleNamespace(pid=first["pid"], lines=lines, oracle=lambda: oracle, twin="")


def test_what_the_program_said_of_itself(kept, client):
    info = client.target.open_core(core=str(kept / "core"), sysroot=str(kept / "root"))
    assert info["core"]["processor"] == "aarch64" and info["core"]["signal_name"] == "SIGABRT" and not names(info)
    result = client.snapshot.get(target=info["target"])
    assert result["pid"] == said(kept).pid and not names(result)
    agree(check_structure(result), said(kept))


def test_every_answer_is_that_of_the_machine_itself(kept):
    """Threads, regions, tasks, control variables, stacks with their lines, and why it waits."""
    done = subprocess.run([ANSWERS, BIN / "ompdd-worker", kept / "core", kept / "root"], capture_output=True, text=True, check=True)
    here, there = comparable(done.stdout), comparable((kept / "answers.json").read_text())
    assert len(here) == 5
    for ours, theirs in zip(here, there, strict=True):
        assert ours == theirs


def test_each_stack_is_whole(kept, client):
    """From the innermost frame to the start of the thread, each frame once, also through code without unwind
    information.
    """
    info = client.target.open_core(core=str(kept / "core"), sysroot=str(kept / "root"))
    for tid in said(kept).lines:
        result = client.stack.get(target=info["target"], thread=tid)
        assert result["complete"] is True, result
        frames = [one for one in result["frames"] if "pc" in one and not one.get("inlined")]
        assert frames[-1]["kind"] == "start", result
        assert len({(one["pc"], one["sp"]) for one in frames}) == len(frames), result


def test_without_its_files(kept, client):
    """Files at the same paths here are for this machine's processor, or missing: they count as missing."""
    if platform.machine() == "aarch64":
        pytest.skip("this machine may have these files")
    info = client.target.open_core(core=str(kept / "core"))
    assert info["core"]["processor"] == "aarch64"
    assert {"core_file_missing", "core_file_mismatch"} & set(names(info)), info
    with pytest.raises(ompdd.Error) as refused:
        client.snapshot.get(target=info["target"])
    assert refused.value.name in names(info)


def test_files_of_another_processor(kept, client, tmp_path):
    """A program for this machine's processor with the core's name is not the core's program."""
    if platform.machine() == "aarch64":
        pytest.skip("this machine is of that processor")
    root = tmp_path / "root"
    shutil.copytree(kept / "root", root, symlinks=True)
    libc = next(root.rglob("libc.so.6"))
    libc.unlink()
    shutil.copy(os.path.realpath("/proc/self/exe"), libc)
    info = client.target.open_core(core=str(kept / "core"), sysroot=str(root))
    assert "core_file_mismatch" in names(info)
    with fails("core_file_mismatch"):
        client.snapshot.get(target=info["target"])


def test_the_daemon_names_its_processor(client):
    assert client.daemon.info()["processor"] == platform.machine()


def small_program(path):
    """A hand-made program for i386: it calls pause() forever."""
    code, base = b"\xb8\x1d\0\0\0\xcd\x80\xeb\xf7", 0x08048000  # mov $29, %eax; int $0x80; jmp
    size = 52 + 32 + len(code)
    header = b"\x7fELF\x01\x01\x01" + bytes(9) + struct.pack("<HHIIIIIHHHHHH", 2, 3, 1, base + 84, 52, 0, 0, 52, 32, 1, 0, 0, 0)
    path.write_bytes(header + struct.pack("<IIIIIIII", 1, 0, base, base, size, size, 5, 4096) + code)
    path.chmod(0o755)
    return path


def test_32_bit_program_that_runs(tmp_path, client):
    """It is refused with the reason, and the program continues."""
    try:
        process = subprocess.Popen([small_program(tmp_path / "program")])
    except OSError as error:
        pytest.skip(f"this kernel runs no programs for i386: {error}")
    with process:
        for mode in ("observe", "stop"):
            with fails("unsupported_architecture") as failure:
                client.target.attach(pid=process.pid, mode=mode)
            assert "a 32-bit program for i386" in str(failure.error) and "no structures of 32-bit programs" in str(failure.error)
        assert process.poll() is None
        process.kill()
