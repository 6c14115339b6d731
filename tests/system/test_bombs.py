# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small files that are built to be expensive: their cost is bounded, the request reports it, and the worker survives.
"""
import gzip
import lzma
import shutil
import subprocess
import sys
import zlib

import pytest
from conftest import fails
from daemons import SANITIZED
from targets import SYSCALL, read_text, system_call, wait_until

PAUSE = "int pause(void); __attribute__((noinline)) static void f(void) { pause(); } int main(void) { f(); f(); }"


def peak_kb(pid):
    return next(int(row.split()[1]) for row in read_text(f"/proc/{pid}/status").splitlines() if row.startswith("VmHWM"))


def asleep(pid):
    return system_call(pid, pid) in SYSCALL["pause"]


@pytest.fixture
def run():
    started = []

    def start(*argv):
        started.append(subprocess.Popen(list(map(str, argv))))
        wait_until(lambda: asleep(started[-1].pid), "it sleeps")
        return started[-1].pid

    yield start
    for one in started:
        one.kill()
        one.wait()


def nested(tag, depth):
    """A program with debug information in which main has nested entries of a kind."""
    attributes = " .uleb128 0x11,1,0x12,7"
    return f"""
.text
.globl main
main:
.Lbegin: pushq %rbp
 movq %rsp,%rbp
.Lagain: call pause@PLT
 jmp .Lagain
.Lend:
.size main,.-main
.type main,@function
.section .debug_abbrev,"",@progbits
.Labbrev: .uleb128 1,0x11
 .byte 1
{attributes},3,8,0,0
 .uleb128 2,0x2e
 .byte 1
{attributes},3,8,0,0
 .uleb128 3,{tag}
 .byte 1
{attributes},0,0
 .byte 0
.section .debug_info,"",@progbits
 .long .Linfo_end-.Linfo
.Linfo: .value 4
 .long .Labbrev
 .byte 8
 .uleb128 1
 .quad .Lbegin,.Lend-.Lbegin
 .asciz "x.c"
 .uleb128 2
 .quad .Lbegin,.Lend-.Lbegin
 .asciz "main"
 .rept {depth}
 .uleb128 3
 .quad .Lbegin,.Lend-.Lbegin
 .endr
 .fill {depth + 2},1,0
.Linfo_end:
.section .note.GNU-stack,"",@progbits
"""


def caller_of_pause(frames):
    """From glibc 2.41 on, pause() calls other functions, which a stripped C library does not name."""
    functions = [frame["function"] for frame in frames]
    return functions[functions.index("pause") + 1]


@pytest.mark.parametrize("tag", [0x0b, 0x1d, 0x2e, 0x39], ids=["block", "inlined", "function", "namespace"])
def test_nested_debug_information(tag, run, client, daemon, tmp_path):
    subprocess.run(["gcc", "-x", "assembler", "-", "-o", tmp_path / "nested"], input=nested(tag, 60000), text=True, check=True)
    pid = run(tmp_path / "nested")
    target = client.target.attach(pid=pid)["target"]
    worker = daemon.worker()
    frames = client.stack.get(target=target, thread=pid)["frames"]
    assert caller_of_pause(frames) == "main"
    assert daemon.worker() == worker


def xz_bomb(size):
    """A stream of this many zeroes: one independent chunk of LZMA2, again and again, without an end marker."""
    chunk = 2 << 20
    one = lzma.compress(bytes(chunk), format=lzma.FORMAT_XZ, check=lzma.CHECK_NONE)
    at = 12 + (one[12] + 1) * 4
    end = at + 6 + (one[at + 3] << 8 | one[at + 4]) + 1
    return one[:at] + one[at:end] * (size // chunk)


def test_packed_symbols(run, client, daemon, tmp_path):
    """.gnu_debugdata that unpacks to 2 GiB: the function has no name, and nothing else happens."""
    plain, packed, program = tmp_path / "plain", tmp_path / "packed", tmp_path / "program"
    subprocess.run(["gcc", "-x", "c", "-", "-O1", "-o", plain, "-s"], input=PAUSE, text=True, check=True)
    packed.write_bytes(xz_bomb(64 << 20 if SANITIZED else 2 << 30))
    subprocess.run(["objcopy", "--add-section", f".gnu_debugdata={packed}", plain, program], check=True)
    pid = run(program)
    target = client.target.attach(pid=pid)["target"]
    worker = daemon.worker()
    frames = client.stack.get(target=target, thread=pid)["frames"]
    assert caller_of_pause(frames) == {"rc": "ompd_rc_unavailable"}
    assert daemon.worker() == worker
    assert SANITIZED or peak_kb(worker) < 400 << 10


@pytest.mark.skipif(SANITIZED, reason="sanitizers cannot live with a limit of address space")
def test_memory_of_the_worker_is_limited(daemons, run, tmp_path):
    daemon = daemons("--worker-memory", "300")
    subprocess.run(["gcc", "-x", "c", "-", "-o", tmp_path / "program"], input=PAUSE, text=True, check=True)
    pid = run(tmp_path / "program")
    with daemon.connect() as client:
        target = client.target.attach(pid=pid)["target"]
        assert client.stack.get(target=target, thread=pid)["frames"]
        limits = read_text(f"/proc/{daemon.worker()}/limits")
        assert f"Max address space         {300 << 20} " in limits
        # A launched program has its own limit.
        sleep = client.target.launch(argv=["sleep", "1000"])
        assert "Max address space         unlimited" in read_text(f"/proc/{sleep['pid']}/limits")
        client.target.kill(target=sleep["target"])


@pytest.mark.skipif(SANITIZED, reason="sanitizers cannot live with a limit of address space")
def test_memory_that_is_out_is_no_missing_line(daemons, run, tmp_path):
    """The first request unpacks a table of lines: 299 MB, with 300 MB for everything. With a larger limit it fits."""
    lines, program = tmp_path / "lines", tmp_path / "program"
    size = 299 << 20
    packer = zlib.compressobj(9)
    lines.write_bytes(b"ZLIB" + size.to_bytes(8, "big") + b"".join(packer.compress(bytes(1 << 20)) for _ in range(size >> 20)) +
                      packer.flush())
    subprocess.run(["gcc", "-x", "c", "-", "-g", "-O1", "-o", program], input=PAUSE, text=True, check=True)
    subprocess.run(["objcopy", "--remove-section", ".debug_line", "--add-section", f".zdebug_line={lines}", program], check=True)
    pid = run(program)
    daemon = daemons("--worker-memory", "300")
    with daemon.connect() as client:
        target = client.target.attach(pid=pid)["target"]
        worker = daemon.worker()
        for _ in range(2):
            with fails("limit_exceeded") as failure:
                client.stack.get(target=target, thread=pid)
            assert "stack.get" in str(failure.error) and "memory" in str(failure.error)
            assert failure.error.data["limit"] == "memory" and "--worker-memory" in failure.error.data["hint"]
            assert client.target.info(target=target)["pid"] == pid
        assert daemon.worker() == worker
    with daemons("--worker-memory", "1000").connect() as client:
        target = client.target.attach(pid=pid)["target"]
        assert caller_of_pause(client.stack.get(target=target, thread=pid)["frames"]) == "f"


def test_packed_core(daemons, tmp_path):
    core = tmp_path / "core.gz"
    piece = gzip.compress(b"x" * (1 << 20))
    core.write_bytes(piece * 64)
    with daemons("--core-space", "16", env={"TMPDIR": str(tmp_path)}).connect() as client:
        with fails("core_too_large") as failure:
            client.target.open_core(core=str(core))
        assert "16 MB" in str(failure.error) and "--core-space" in failure.error.data["hint"]
    # Holes cost nothing.
    core.write_bytes(gzip.compress(bytes(1 << 20)) * 64)
    with daemons("--core-space", "16").connect() as client:
        with fails("core_not_a_core"):
            client.target.open_core(core=str(core))


MANY = """
import ctypes, os, signal, sys
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
os.chdir(sys.argv[1])
for _ in range(15):
    os.mkdir("d" * 250)
    os.chdir("d" * 250)
fd = os.open("f", os.O_CREAT | os.O_RDWR)
os.ftruncate(fd, 4096)
for _ in range(18500):
    assert libc.mmap(None, 4096, 1, 1, fd, 0) not in (None, 2 ** 64 - 1)
print("ready", flush=True)
signal.pause()
"""


def test_more_mappings_than_are_read(client, tmp_path):
    deep = tmp_path / "deep"
    deep.mkdir()
    one = subprocess.Popen([sys.executable, "-c", MANY, deep], stdout=subprocess.PIPE)
    try:
        assert one.stdout.readline() == b"ready\n"
        result = client.target.attach(pid=one.pid, mode="observe")
        assert result["runtime"]["name"] == "limit_exceeded" and "maps is longer" in result["runtime"]["message"]
        with fails("limit_exceeded"):
            client.snapshot.get(target=result["target"])
    finally:
        one.kill()
        one.wait()
        one.stdout.close()
        shutil.rmtree(deep, ignore_errors=True)


# Each pair makes the unwinder copy a table with a million rules, within one call.
SLOW_UNWINDING = """
.globl main
main:
 .cfi_startproc
 .cfi_undefined 1000000
 .rept 20000
 .cfi_remember_state
 .cfi_restore_state
 .endr
 pushq %rbp
 .cfi_adjust_cfa_offset 8
.Lagain: call pause@PLT
 jmp .Lagain
 .cfi_endproc
.size main,.-main
.type main,@function
.section .note.GNU-stack,"",@progbits
"""


def test_a_library_call_that_takes_long(daemons, run, tmp_path):
    """The call cannot be interrupted, so the worker ends. The request gets the reason, and the target continues."""
    daemon = daemons("--worker-cpu", "1")
    subprocess.run(["gcc", "-x", "assembler", "-", "-o", tmp_path / "slow"], input=SLOW_UNWINDING, text=True, check=True)
    pid = run(tmp_path / "slow")
    with daemon.connect() as client:
        target = client.target.attach(pid=pid)["target"]
        with fails("limit_exceeded") as failure:
            client.stack.get(target=target, thread=pid)
        assert "stack.get" in str(failure.error) and "processor time" in str(failure.error)
        assert failure.error.data["limit"] == "cpu"
        assert asleep(pid)
        with fails("no_such_target"):
            client.target.info(target=target)
        # Another worker of the same target, with a smaller request.
        target = client.target.attach(pid=pid)["target"]
        assert client.target.info(target=target)["pid"] == pid
