# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Core files: the same answers as for the live program, and exact errors where something is missing."""
import gzip
import os
import pathlib
import shutil
import struct
import subprocess

import pytest
from conftest import fails
from cores import NT_AUXV, NT_FILE, NT_PRPSINFO, NT_PRSTATUS, SMALL_STACKS, Core, gcore, kernel_core
from snapshots import check_oracle, check_structure, has_rc
from targets import PROGRAMS
from test_oracle import agree, name_of
from test_states import check_state

LIBGOMP = "libgomp.so.1"
CASES = [
    ["flat", 1], ["flat", 4], ["flat_stripped", 4], ["nested", 2, 3], ["serialized", "if0"], ["deep", 20],
    *[["tasks", mode] for mode in ("running", "taskwait", "nested", "chain", "queued", "final")], ["tasks_stripped", "chain"],
    ["icvs"], ["idle", 4], ["idle", 2, 5], ["pthreads"], ["unjoined"], ["dlopen", PROGRAMS / "dlopen_part.so"],
    ["waits", "critical"], ["waits", "barrier"],
]


def open_core(client, path, **options):
    info = client.target.open_core(core=str(path), **options)
    assert info["mode"] == info["state"] == "core"
    assert info["core"]["path"] == str(path)
    return info


def names(result):
    return [warning["name"] for warning in result.get("warnings", [])]


def look(client, path, expect=(), **options):
    info = open_core(client, path, **options)
    result = client.snapshot.get(target=info["target"])
    assert names(info) == names(result) == list(expect), result.get("warnings")
    assert result["consistency"] == "core" and result["stopped_us"] == 0
    snapshot = check_structure(result)
    assert info["n_threads"] == len(snapshot.threads)
    return snapshot


def check_same(snapshot, program):
    agree(snapshot, program)
    assert set(program.lines) <= set(snapshot.threads)
    assert snapshot.result["pid"] == program.pid


def our_libgomp():
    """Where the system's libgomp is."""
    text = subprocess.run(["ldd", str(PROGRAMS / "flat")], capture_output=True, text=True, check=True).stdout
    return pathlib.Path(next(line.split("=>")[1].split()[0] for line in text.splitlines() if LIBGOMP in line)).resolve()


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_every_answer_agrees(case, program, client, tmp_path):
    one = program(*case, env=SMALL_STACKS)
    core = gcore(one, tmp_path)
    check_same(look(client, core), one)


def test_300_threads_agree(program, client, tmp_path):
    one = program("flat", 300, env=SMALL_STACKS)
    snapshot = look(client, gcore(one, tmp_path))
    check_same(snapshot, one)
    assert len(snapshot.threads) == 300


def test_core_of_the_kernel(daemons, program, tmp_path, monkeypatch):
    """It lacks most pages of libraries. It has the thread that got the signal."""
    monkeypatch.chdir(tmp_path)
    one = program("tasks", "chain", env=SMALL_STACKS)
    core = kernel_core(one, tmp_path)
    with daemons().connect() as client:
        info = open_core(client, core)
        assert info["core"]["signal"] == 6 and info["core"]["signal_name"] == "SIGABRT"
        assert info["core"]["signal_tid"] == one.pid
        snapshot = look(client, core)
        check_same(snapshot, one)
        assert snapshot.threads[one.pid]["comm"] == "tasks"
        assert all(has_rc(thread["comm"]) for tid, thread in snapshot.threads.items() if tid != one.pid)


@pytest.mark.parametrize("what", ["critical", "named", "lock", "barrier", "ordered"])
def test_waits_are_known_from_registers(what, program, client, tmp_path):
    one = program("waits", what, env=SMALL_STACKS)
    snapshot = look(client, gcore(one, tmp_path))
    for line in one.lines.values():
        if line["by"] != "futex":
            continue
        thread = snapshot.threads[line["tid"]]
        check_state(thread, line["states"])
        assert not has_rc(thread["wait_id"])
        if "wait_address" in line:
            assert int(thread["wait_id"]["value"], 16) == int(line["wait_address"], 16)


def test_a_core_is_one_view_for_good(program, client, tmp_path):
    """Nothing changes: the handles are the same, and stay valid."""
    one = program("nested", 2, 3, env=SMALL_STACKS)
    target = open_core(client, gcore(one, tmp_path))["target"]
    first = client.snapshot.get(target=target)
    second = client.snapshot.get(target=target)
    assert first == second and first["epoch"] == 1
    handle = first["parallels"][0]["handle"]
    assert client.call("ompd.get_enclosing_parallel_handle", {"target": target, "parallel_handle":
                       first["parallels"][-1]["handle"]})
    assert client.call("handle.release", {"target": target, "handles": [handle]}) is not None


def test_cores_do_not_run(program, client, tmp_path):
    one = program("flat", 2, env=SMALL_STACKS)
    core = gcore(one, tmp_path)
    target = open_core(client, core)["target"]
    for method in ("target.stop", "target.resume"):
        with fails("mode_unsupported") as failure:
            client.call(method, {"target": target})
        assert "core" in str(failure.error)
    listed = client.target.list()["targets"]
    assert listed == [{"target": target, "core": str(core), "mode": "core", "state": "attached"}]
    client.target.detach(target=target)
    assert client.target.list()["targets"] == []


@pytest.mark.parametrize("how", ["gz", "zst"])
def test_compressed_cores(how, program, client, tmp_path):
    one = program("nested", 2, 2, env=SMALL_STACKS)
    core = gcore(one, tmp_path)
    packed = core.with_name(f"{core.name}.{how}")
    if how == "gz":
        packed.write_bytes(gzip.compress(core.read_bytes(), 1))
    else:
        if not shutil.which("zstd"):
            pytest.skip("no zstd")
        subprocess.run(["zstd", "-q", "-1", str(core), "-o", str(packed)], check=True)
    core.unlink()
    check_same(look(client, packed), one)


def test_compressed_core_that_was_cut(program, client, tmp_path):
    one = program("nested", 2, 2, env=SMALL_STACKS)
    packed = tmp_path / "core.gz"
    data = gzip.compress(Core(gcore(one, tmp_path)).write(tmp_path / "again").read_bytes(), 1)
    packed.write_bytes(data[:len(data) * 9 // 10])
    info = open_core(client, packed)
    assert set(names(info)) >= {"core_truncated"}
    assert info["n_threads"] == len(one.lines)


def test_compressed_garbage(client, tmp_path):
    packed = tmp_path / "core.gz"
    packed.write_bytes(b"\x1f\x8b\x08\x00" + bytes(range(256)) * 10)
    with fails("core_damaged"):
        client.target.open_core(core=str(packed))
    packed.write_bytes(b"\x28\xb5\x2f\xfd" + b"\xff" * 1000)
    with fails("core_damaged"):
        client.target.open_core(core=str(packed))
    # Damage after intact data.
    body = bytearray(gzip.compress(os.urandom(300000)))
    body[200000] ^= 0xff
    packed.write_bytes(body)
    with fails("core_damaged"):
        client.target.open_core(core=str(packed))
    packed.write_bytes(gzip.compress(b"hello" * 100))
    with fails("core_not_a_core"):
        client.target.open_core(core=str(packed))


# Files that are or are not on this machine


@pytest.fixture
def moved(program, tmp_path):
    """A program and its libgomp in folders of their own, so that both can be changed, and its core."""
    folder = tmp_path / "then"
    folder.mkdir()
    exe, library = folder / "flat", folder / LIBGOMP
    shutil.copy(PROGRAMS / "flat", exe)
    shutil.copy(our_libgomp(), library)
    one = program("flat", 3, path=exe, env={"LD_LIBRARY_PATH": str(folder), **SMALL_STACKS})
    core = gcore(one, tmp_path)
    one.close()
    return one, core, exe, library


def test_program_that_was_rebuilt_since(moved, client):
    """OpenMP's state does not need the program's file: the answer has a warning that names both builds."""
    one, core, exe, _ = moved
    exe.unlink()
    shutil.copy(PROGRAMS / "nested", exe)
    info = open_core(client, core)
    warning = info["warnings"][0]
    assert warning["name"] == "core_file_mismatch" and str(exe) in warning["message"]
    check_same(look(client, core, expect=["core_file_mismatch"]), one)
    # With the path of the right file, nothing is missing.
    check_same(look(client, core, exe=str(PROGRAMS / "flat")), one)


def test_program_that_is_gone(moved, client):
    one, core, exe, _ = moved
    exe.unlink()
    check_same(look(client, core, expect=["core_file_missing"]), one)
    # A pipe in its place does not block, either.
    os.mkfifo(exe)
    check_same(look(client, core, expect=["core_file_missing"]), one)


def test_wrong_program_is_refused(moved, client):
    _, core, _, _ = moved
    with fails("core_file_mismatch") as failure:
        client.target.open_core(core=str(core), exe=str(PROGRAMS / "nested"))
    data = failure.error.data
    assert data["path"] == str(PROGRAMS / "nested")
    assert len(data["wanted_build_id"]) == len(data["found_build_id"]) == 40
    assert data["wanted_build_id"] != data["found_build_id"]
    with fails("core_file_missing"):
        client.target.open_core(core=str(core), exe="/nonexistent/flat")
    assert client.target.list()["targets"] == []


def test_library_that_is_gone(moved, client, tmp_path):
    """Only the file has the accessors' code: the answer names it and its build-id, and --sysroot finds it."""
    one, core, _, library = moved
    there = tmp_path / "root" / str(library).lstrip("/")
    there.parent.mkdir(parents=True)
    library.rename(there)
    info = open_core(client, core)
    assert "core_file_missing" in names(info)
    with fails("core_file_missing") as failure:
        client.snapshot.get(target=info["target"])
    assert failure.error.data["path"] == str(library)
    assert failure.error.data["wanted_build_id"] == info["runtime"]["build_id"]
    assert "sysroot" in failure.error.data["hint"]
    check_same(look(client, core, sysroot=str(tmp_path / "root")), one)


def test_library_of_another_build(moved, client):
    one, core, _, library = moved
    library.unlink()
    shutil.copy(PROGRAMS / "dlopen_part.so", library)
    info = open_core(client, core)
    assert "core_file_mismatch" in names(info)
    with fails("core_file_mismatch") as failure:
        client.snapshot.get(target=info["target"])
    assert failure.error.data["path"] == str(library)


def test_sysroot_by_the_names_of_the_dynamic_linker(moved, client, tmp_path):
    """A sysroot with all files, reached through symbolic links that stay inside."""
    one, core, exe, library = moved
    root = tmp_path / "sysroot"
    for _, _, path in Core(core).files():
        there = root / path.lstrip("/")
        there.parent.mkdir(parents=True, exist_ok=True)
        if os.path.isfile(path) and not there.exists():
            shutil.copy(path, there)
    link = root / str(library).lstrip("/")
    link.rename(root / "gomp")
    link.symlink_to("/gomp")
    exe.unlink()
    library.unlink()
    check_same(look(client, core, sysroot=str(root)), one)


def test_sysroot_that_is_none(moved, client):
    _, core, _, _ = moved
    with fails("core_file_missing"):
        client.target.open_core(core=str(core), sysroot="/nonexistent")


# Broken cores


@pytest.fixture
def parts(program, tmp_path):
    one = program("nested", 2, 2, env=SMALL_STACKS)
    core = Core(gcore(one, tmp_path))
    return one, core, tmp_path / "changed"


def test_core_put_together_again(parts, client):
    one, core, path = parts
    check_same(look(client, core.write(path)), one)


def test_truncated_core(parts, client):
    """The last part of memory is missing: a warning, and no invented memory."""
    one, core, path = parts
    core.write(path)
    size = path.stat().st_size
    for keep in (size - 1, size - 200000, size // 2):
        os.truncate(path, keep)
        info = open_core(client, path)
        assert names(info)[0] == "core_truncated", info["warnings"]
        assert info["n_threads"] == len(one.lines)
        client.target.detach(target=info["target"])
    for keep in (4000, 500, 64):
        os.truncate(path, keep)
        with fails("core_truncated"):
            client.target.open_core(core=str(path))
    for keep in (63, 0):
        os.truncate(path, keep)
        with fails("core_truncated"):
            client.target.open_core(core=str(path))


def test_truncated_core_of_gdb_has_lost_its_notes(program, client, tmp_path):
    core = gcore(program("flat", 2, env=SMALL_STACKS), tmp_path)
    os.truncate(core, core.stat().st_size // 2)
    with fails("core_truncated"):
        client.target.open_core(core=str(core))


def test_modified_data_that_was_cut_off_is_not_taken_from_the_file(parts, client):
    """A library's file has its initial data."""
    one, core, path = parts
    data = [segment for segment in core.segments if segment[0] & 2]
    core.segments = [segment for segment in core.segments if not segment[0] & 2] + data
    core.write(path)
    os.truncate(path, path.stat().st_size - sum(len(segment[3]) for segment in data))
    info = open_core(client, path)
    assert "core_truncated" in names(info)
    with fails("core_truncated"):
        client.snapshot.get(target=info["target"])


@pytest.mark.parametrize("machine, size", [(3, 1), (21, 2), (62, 1), (183, 1), (243, 2)])
def test_other_architectures(machine, size, parts, client):
    _, core, path = parts
    core.write(path)
    with open(path, "r+b") as file:
        file.seek(4)
        file.write(bytes([size]))
        file.seek(18)
        file.write(struct.pack("<H", machine))
    with fails("core_wrong_architecture") as failure:
        client.target.open_core(core=str(path))
    assert failure.error.data["machine"] == str(machine)


def test_big_endian(parts, client):
    _, core, path = parts
    path.write_bytes(core.ident[:4] + b"\x02\x02\x01" + bytes(9) + struct.pack(">HHIQQQIHHHHHH", 4, 21, 1, 0, 0, 0, 0, 64, 56, 0, 0, 0, 0))
    with fails("core_wrong_architecture"):
        client.target.open_core(core=str(path))


def test_overlapping_segments_and_bad_notes(parts, client):
    one, core, path = parts
    first = core.segments[0]
    core.segments += [[first[0], first[1], first[2], b"\xff" * len(first[3])], [4, 2**64 - 4096, 8192, b""]]
    core.notes += [[b"CORE", NT_PRSTATUS, b"\1" * 20], [b"CORE", NT_PRSTATUS, bytes(336)], [b"CORE", NT_FILE, b"\xff" * 64],
                   [b"CORE", NT_AUXV + 1000, b""], [b"LINUX", NT_PRSTATUS, b""]]
    check_same(look(client, core.write(path), expect=["core_damaged", "core_damaged"]), one)


def test_core_without_threads(parts, client):
    _, core, path = parts
    core.notes = [note for note in core.notes if note[1] != NT_PRSTATUS]
    with fails("core_damaged") as failure:
        client.target.open_core(core=str(core.write(path)))
    assert "threads" in str(failure.error)


def test_core_with_too_many_threads(parts, client):
    _, core, path = parts
    status = next(desc for _, kind, desc in core.notes if kind == NT_PRSTATUS)
    for tid in range(100000, 100000 + 66000):
        core.notes.append([b"CORE", NT_PRSTATUS, status[:32] + struct.pack("<i", tid) + status[36:]])
    with fails("limit_exceeded"):
        client.target.open_core(core=str(core.write(path)))


@pytest.mark.parametrize("without", [NT_FILE, NT_AUXV, NT_PRPSINFO])
def test_core_without_a_note(without, parts, client):
    """The other threads' data is still complete, or the answer names the missing part."""
    one, core, path = parts
    core.notes = [note for note in core.notes if note[1] != without]
    if without == NT_PRPSINFO:
        check_same(look(client, core.write(path)), one)
        return
    info = open_core(client, core.write(path))
    assert names(info)[0] == "core_file_missing", info
    assert info["n_threads"] == len(one.lines)


def test_files_that_are_no_cores(client, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, tmp_path, "/dev/zero", tmp_path / "missing"):
        with fails("core_unreadable") as failure:
            client.target.open_core(core=str(path))
        assert failure.error.data["path"] == str(path)
    with fails("core_not_a_core"):
        client.target.open_core(core="/etc/passwd")
    with fails("core_not_a_core") as failure:
        client.target.open_core(core=str(PROGRAMS / "flat"))
    assert "exe" in failure.error.data["hint"]
    assert client.target.list()["targets"] == []


@pytest.mark.parametrize("params, pointer", [
    ({}, "/params/core"), ({"core": 7}, "/params/core"), ({"core": ""}, "/params/core"), ({"core": "core"}, "/params/core"),
    ({"core": "/c", "sysroot": False}, "/params/sysroot"), ({"core": "/c", "exe": "a.out"}, "/params/exe"),
    ({"core": "/c", "debug_dirs": "/d"}, "/params/debug_dirs"), ({"core": "/c", "debug_dirs": ["/d", "d"]}, "/params/debug_dirs/1"),
    ({"core": "/c", "debug_dirs": ["/d"] * 17}, "/params/debug_dirs"), ({"core": "/c", "pid": 1}, "/params/pid"),
])
def test_bad_parameters(params, pointer, client):
    with fails("invalid_params", pointer):
        client.call("target.open_core", params, validate=False)


def test_ompdctl(program, ompdctl, tmp_path):
    one = program("flat", 4, env=SMALL_STACKS)
    core = gcore(one, tmp_path)
    for command in ("threads", "tree", "tasks", "icvs", "snapshot", "info"):
        assert ompdctl("--core", core, command).stdout
    done = ompdctl("--core", core.name, "tree", cwd=tmp_path)
    assert "core file" in done.stdout and "team of 4" in done.stdout
    done = ompdctl("--core", core, "call", "thread.list", "--json")
    assert str(one.pid) in done.stdout
    assert "core_not_a_core" in ompdctl("--core", "/etc/passwd", "tree", status=1).stderr
    assert "core_file_mismatch" in ompdctl("--core", core, "--exe", "/bin/true", "tree", status=1).stderr
    assert "--core" in ompdctl("--exe", "/bin/true", "-p", one.pid, "tree", status=3).stderr
    assert ompdctl("--core", core, "-p", one.pid, "tree", status=3).stderr


def test_debug_dirs(program, client, tmp_path):
    """Names of tasks' functions of a stripped program, from a separate debug file in a folder of the user."""
    if not shutil.which("objcopy"):
        pytest.skip("no objcopy")
    exe = tmp_path / "tasks"
    debug = tmp_path / "debug"
    shutil.copy(PROGRAMS / "tasks", exe)
    build_id = subprocess.run(["readelf", "-n", str(exe)], capture_output=True, text=True).stdout.split("Build ID:")[1].split()[0]
    (debug / ".build-id" / build_id[:2]).mkdir(parents=True)
    subprocess.run(["objcopy", "--only-keep-debug", str(exe), str(debug / ".build-id" / build_id[:2] / f"{build_id[2:]}.debug")],
                   check=True)
    subprocess.run(["strip", str(exe)], check=True)
    one = program("tasks", "chain", path=exe, env=SMALL_STACKS)
    core = gcore(one, tmp_path)

    def symbols(snapshot):
        return [task["function"]["symbol"] for task in snapshot.tasks.values() if task["kind"] == "explicit"]
    assert all(has_rc(symbol) for symbol in symbols(look(client, core)))
    assert all(symbol.startswith("deferred_chain._omp_fn.") for symbol in symbols(look(client, core, debug_dirs=[str(debug)])))


def test_stacks_are_those_of_the_live_program(program, client, tmp_path):
    """The unwinder reads the code's tables from files that the core leaves out."""
    one = program("nested", 2, 2, env=SMALL_STACKS)

    def functions(target):
        groups = client.call("stack.groups", {"target": target})["groups"]
        return sorted((sorted(thread["tid"] for thread in group["threads"]),
                       [(frame["kind"], frame["function"]) for frame in group["frames"]]) for group in groups)
    live = functions(client.target.attach(pid=one.pid)["target"])
    core = functions(open_core(client, gcore(one, tmp_path))["target"])
    assert core == live
    assert any("GOMP_parallel" in str(frames) and "main" in str(frames) for _, frames in core)


def test_oracle_lines_are_read_from_every_thread(program, client, tmp_path):
    """The check detects a wrong line."""
    one = program("flat", 2, env=SMALL_STACKS)
    snapshot = look(client, gcore(one, tmp_path))
    line = dict(next(iter(one.oracle().values())), max_threads=77)
    with pytest.raises(AssertionError):
        check_oracle(snapshot, line)
