# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One reason and one hint for each cause of a missing OpenMP runtime, and for each file that is not a core."""
import bz2
import ctypes.util
import io
import lzma
import os
import pathlib
import shutil
import subprocess
import tarfile

import ompdd
import pytest
from conftest import fails
from cores import NT_AUXV, NT_FILE, SMALL_STACKS, Core, gcore
from targets import PROGRAMS, wait_until


def reason(client, opened):
    """Return the error of a snapshot; target.info gives the same reason."""
    with pytest.raises(ompdd.Error) as failure:
        client.snapshot.get(target=opened["target"])
    runtime = client.target.info(target=opened["target"])["runtime"]
    assert runtime.get("name", failure.value.name) == failure.value.name, runtime
    client.target.detach(target=opened["target"])
    return failure.value


def both(client, one, tmp_path, name, live_hint, core_hint):
    """The process and its core give the same reason, each with its own hint."""
    error = reason(client, client.target.attach(pid=one.pid))
    assert error.name == name and live_hint in error.data["hint"], error
    error = reason(client, client.target.open_core(core=str(gcore(one, tmp_path))))
    assert error.name == name and core_hint in error.data["hint"], error
    assert "again" not in error.data["hint"], "a core does not change"


def stripped(program, tmp_path):
    if not (PROGRAMS / program).exists():
        pytest.skip("no static libgomp on this system")
    path = tmp_path / "stripped"
    subprocess.run(["strip", "-o", path, PROGRAMS / program], check=True)
    return path


def test_program_without_openmp(program, client, tmp_path):
    both(client, program("plain"), tmp_path, "no_openmp_runtime", "dlopen", "was it compiled with -fopenmp?")


def test_stripped_program_that_starts_no_threads(program, client, tmp_path):
    """It does not import pthread_create(): it cannot contain a runtime."""
    path = stripped("plain", tmp_path)
    assert "pthread_create" not in subprocess.run(["nm", "-D", path], capture_output=True, text=True, check=True).stdout
    both(client, program("plain", path=path), tmp_path, "no_openmp_runtime", "dlopen", "was it compiled with -fopenmp?")


def test_stripped_static_program(program, client, tmp_path):
    path = stripped("flat_static", tmp_path)
    both(client, program("flat", 2, path=path, env=SMALL_STACKS), tmp_path, "program_stripped", "--debug-dir", "--exe")


def test_program_file_that_is_absent(program, client, ompdctl, tmp_path):
    """A runtime may be linked into it: its symbols are only in the file. With --exe everything is available."""
    path = tmp_path / "gone"
    if not (PROGRAMS / "flat_static").exists():
        pytest.skip("no static libgomp on this system")
    shutil.copy(PROGRAMS / "flat_static", path)
    one = program("flat", 2, path=path, env=SMALL_STACKS)
    core = gcore(one, tmp_path)
    path.unlink()
    error = reason(client, client.target.open_core(core=str(core)))
    assert error.name == "core_file_missing" and str(path) in str(error) and "--exe" in error.data["hint"], error
    assert "team of 2" in ompdctl("--core", core, "--exe", PROGRAMS / "flat_static", "tree").stdout


@pytest.mark.parametrize("without", [[NT_FILE], [NT_AUXV], [NT_FILE, NT_AUXV]])
def test_core_without_notes(without, program, client, tmp_path):
    """Nothing proves that the runtime is absent: it is found, or the missing note is named."""
    core = Core(gcore(program("flat", 2, env=SMALL_STACKS), tmp_path))
    core.notes = [note for note in core.notes if note[1] not in without]
    opened = client.target.open_core(core=str(core.write(tmp_path / "less")))
    if without == [NT_AUXV]:
        assert len(client.snapshot.get(target=opened["target"])["threads"]) == 2
        return
    error = reason(client, opened)
    assert error.name == "core_notes_missing" and "NT_FILE" in str(error), error


def emulated(command, program, tmp_path):
    if not shutil.which(command[0]):
        pytest.skip(f"{command[0]} is not installed")
    launcher = tmp_path / "launcher"
    launcher.write_text(f'#!/bin/sh\nexec {" ".join(command)} "$@"\n')
    launcher.chmod(0o755)
    return subprocess.Popen([launcher, program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


@pytest.mark.parametrize("command, name, guest", [
    (["qemu-x86_64"], "qemu", "flat"), (["qemu-x86_64"], "qemu", "plain"), (["valgrind", "--tool=none", "-q"], "valgrind", "plain"),
])
def test_emulators(command, name, guest, client, ompdctl, tmp_path):
    with emulated(command, PROGRAMS / guest, tmp_path) as process:
        try:
            wait_until(lambda: name in os.readlink(f"/proc/{process.pid}/exe"), "the emulator runs")
            assert process.stdout.readline()
            error = reason(client, client.target.attach(pid=process.pid, mode="observe"))
            assert error.name == "program_emulated" and error.data["emulator"] == name, error
            assert "without the emulator" in error.data["hint"]
            assert "[program_emulated]" in ompdctl("-p", process.pid, "tree", status=1).stderr
        finally:
            process.kill()


@pytest.mark.parametrize("name", ["libmine.so", "libgomp-a34b3233.so.1.0.0"])
def test_renamed_runtime(name, program, client, ompdctl, tmp_path):
    """It is recognised by its exports: in processes, cores and the list."""
    library = tmp_path / name
    found = ctypes.util.find_library("gomp")
    for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"):
        if (pathlib.Path(folder) / found).exists():
            shutil.copy(pathlib.Path(folder) / found, library)
            break
    one = program("flat", 3, env={"LD_PRELOAD": str(library), **SMALL_STACKS})
    for info in (client.target.attach(pid=one.pid), client.target.open_core(core=str(gcore(one, tmp_path)))):
        assert info["runtime"]["kind"] == "libgomp" and info["runtime"]["path"] == str(library), info["runtime"]
        assert len(client.snapshot.get(target=info["target"])["threads"]) == 3
    listed = {process["pid"]: process for process in client.process.list()["processes"]}
    assert [(runtime["kind"], runtime["path"]) for runtime in listed[one.pid]["runtimes"]] == [("libgomp", str(library))]


# Files that are not cores

def a_tar():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        tar.addfile(tarfile.TarInfo("core"), io.BytesIO())
    return out.getvalue()


FILES = {
    "xz": (lzma.compress(b"core"), "an xz file", "xz -dc {} > core"),
    "bzip2": (bz2.compress(b"core"), "a bzip2 file", "bzip2 -dc {} > core"),
    "lz4": (b"\x04\x22\x4d\x18" + bytes(60), "an lz4 file", "lz4 -dc {} > core"),
    "minidump": (b"MDMP\x93\xa7" + bytes(60), "a minidump", "gcore PID"),
    "tar": (a_tar(), "a tar archive", "tar -xf {}"),
    "zip": (b"PK\x03\x04" + bytes(60), "a zip archive", "unzip {}"),
    "apport": (b"ProblemType: Crash\nArchitecture: amd64\n", "an Apport report", "apport-unpack {} DIR"),
    "journal": (b"LPKSHHRH" + bytes(200), "a journal of systemd", "coredumpctl dump"),
    "mach": (b"\xcf\xfa\xed\xfe" + bytes(60), "a Mach-O file", "gcore PID"),
    "pe": (b"MZ" + bytes(70), "a PE file", "gcore PID"),
    "script": (b"#!/bin/sh\n" + b"#" * 70, "a script", ""),
    "text": (b"hello\n" * 20, "not an ELF file", ""),
}


@pytest.mark.parametrize("name", FILES)
def test_other_files(name, client, tmp_path):
    data, what, hint = FILES[name]
    path = tmp_path / name
    path.write_bytes(data)
    with fails("core_not_a_core") as failure:
        client.target.open_core(core=str(path))
    assert what in str(failure.error) and hint.format(path) in failure.error.data["hint"], failure.error


def test_no_file(client, tmp_path):
    empty = tmp_path / "empty"
    empty.touch()
    with fails("core_truncated") as failure:
        client.target.open_core(core=str(empty))
    assert "is empty" in str(failure.error) and "ulimit -c unlimited" in failure.error.data["hint"]
    with fails("core_unreadable") as failure:
        client.target.open_core(core=str(tmp_path))
    assert "is a directory" in str(failure.error)
    with fails("core_not_a_core") as failure:
        client.target.open_core(core=str(PROGRAMS / "flat"))
    assert "--exe" in failure.error.data["hint"]
