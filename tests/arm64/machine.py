# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A virtual machine of Debian for arm64 with what was built for it: a disk that is made once, and a boot for each part of the tests.

The source and build folders are in it under the names that they have here, so that paths in programs and in debug information lead
somewhere. Each boot forgets what it wrote, but for what it puts into /out: that comes back on a second disk, as a tar file."""
import os
import pathlib
import re
import shutil
import subprocess
import tarfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
MODULES = ("virtio", "virtio_ring", "virtio_pci_legacy_dev", "virtio_pci_modern_dev", "virtio_pci", "virtio_blk",
           "inet_diag", "tcp_diag")  # It shows the owner of a connection.
# Parts of the system that nothing in the machine uses.
LEFT_OUT = re.compile(r"usr/(include|share|lib/(llvm-\d+/(bin|include|share)|valgrind|.*/(gconv|pkgconfig|cmake)))$|.*\.a$|.*/libLLVM.*|.*/libclang.*")
OUT_BYTES = 256 << 20
# Each of the two processors is a NUMA node with half of the memory.
NODES = [word for node in "01" for word in ("-object", f"memory-backend-ram,id=node{node},size=1024M", "-numa", f"node,cpus={node},memdev=node{node}")]
PARTS = ("tests/arm64", "clients/python", "protocol", "runtime/include", "tests/support", "tests/unit/view/golden", "tests/system", "tests/programs", "tests/runtime", "tests/llvm")
BUILT = ("bin/*", "lib/*", "lib/ompdd/*", "tests/**/*")

INITRD = """#!/bin/busybox sh
/bin/busybox mkdir -p /proc /sys /dev /new
/bin/busybox mount -t devtmpfs dev /dev
for module in @MODULES@; do /bin/busybox insmod /$module.ko; done
/bin/busybox mount -t ext4 -o noatime /dev/vda /new || /bin/busybox poweroff -f
/bin/busybox cp /part /new/part
exec /bin/busybox switch_root /new /bin/busybox sh /part
"""
PART = """export PATH=/usr/bin:/usr/sbin HOME=/root LC_ALL=C PYTHONUTF8=1
/usr/bin/busybox --install -s /usr/bin 2>/dev/null
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm /out; mount -t devpts pts /dev/pts
for at in /tmp /var/tmp /run /dev/shm /out; do mount -t tmpfs tmp $at; chmod 1777 $at; done
chmod 755 /run
ip link set lo up 2>/dev/null || ifconfig lo 127.0.0.1 up
echo core > /proc/sys/kernel/core_pattern; ulimit -c unlimited
echo 0 > /proc/sys/kernel/numa_balancing
@COMMANDS@
cd /
tar cf /dev/vdb out
sync
echo ARM64-END
poweroff -f
"""


class Broken(Exception):
    """The machine cannot be created, or did not finish."""


def is_elf(path):
    with open(path, "rb") as start:
        return start.read(4) == b"\x7fELF"


def link(path, to):
    """Create a hard link to the file, or a copy on another file system."""
    to.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(path, to, follow_symlinks=False)
    except OSError:
        shutil.copy2(path, to, follow_symlinks=False)


def add_system(system, root):
    for folder, folders, files in os.walk(system):
        inside = pathlib.Path(folder).relative_to(system)
        folders[:] = [name for name in folders if not LEFT_OUT.fullmatch(str(inside / name))]
        (root / inside).mkdir(parents=True, exist_ok=True)
        for name in [*files, *(one for one in folders if os.path.islink(os.path.join(folder, one)))]:
            if not LEFT_OUT.fullmatch(str(inside / name)) and not (root / inside / name).is_symlink():
                link(pathlib.Path(folder, name), root / inside / name)
    for name in ("proc", "sys", "dev", "new", "tmp", "run", "out", "root", "var/tmp", "etc"):
        (root / name).mkdir(parents=True, exist_ok=True)
    # The shell of busybox starts its own sleep instead of the system's, and the process would not execute another
    # program.
    if not (root / "usr/bin/sh").exists():
        (root / "usr/bin/sh").symlink_to("bash")
    (root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n")
    (root / "etc/group").write_text("root:x:0:\nnogroup:x:65534:\n")


def add_build(debian, build, root):
    """Copy source and build. Unit tests lose their debug information, most of their size, unless they examine it."""
    for part in PARTS:
        shutil.copytree(SOURCE / part, root / str(SOURCE / part)[1:], symlinks=True)
    seen = {path for pattern in BUILT for path in build.glob(pattern)}
    for path in sorted(seen):
        to = root / str(path)[1:]
        if path.is_symlink():
            to.parent.mkdir(parents=True, exist_ok=True)
            to.symlink_to(os.readlink(path).removeprefix(str(debian / "root")))
        elif path.is_file() and path.suffix not in (".o", ".a") and (is_elf(path) or "suite" in path.parts):
            to.parent.mkdir(parents=True, exist_ok=True)
            if path.name.startswith(("unit_", "fuzz_")) and not path.name.startswith("unit_target_"):
                subprocess.run(["aarch64-linux-gnu-strip", "-g", "-o", to, path], check=True)
            else:
                link(path, to)


def compile_python(root):
    """Compiled Python modules are the same on all processors, and compiling them there takes minutes."""
    library = next((root / "usr/lib").glob("python3.*"))
    python = shutil.which(library.name)
    if python:
        subprocess.run([python, "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", "-s", root, "-p", "/", library, root / "usr/lib/python3",
                        root / str(SOURCE)[1:]], stdout=subprocess.DEVNULL, check=False)


def make_disk(debian, build, disk):
    """Create an ext4 file system with everything in the file @disk, without root."""
    root = disk.with_name("root")
    shutil.rmtree(root, ignore_errors=True)
    add_system(debian / "root", root)
    add_build(debian, build, root)
    compile_python(root)
    size = sum(path.lstat().st_size // 4096 + 1 for path in root.rglob("*")) * 4096
    disk.unlink(missing_ok=True)
    with open(disk, "wb") as file:
        file.truncate(size * 5 // 4 + (64 << 20))
    done = subprocess.run(["/usr/sbin/mke2fs", "-q", "-t", "ext4", "-O", "^has_journal", "-E", "root_owner=0:0", "-d", root, disk],
                          capture_output=True, text=True)
    shutil.rmtree(root)
    if done.returncode:
        raise Broken(f"mke2fs: {done.stderr}")


def archive(files, to):
    """Return {name: (mode, bytes)} as the kernel unpacks it (cpio, newc), owned by root."""
    for number, (name, (mode, data)) in enumerate([*files.items(), ("TRAILER!!!", (0, b""))], 1):
        name = name.encode()
        fields = [number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
        head = b"070701" + b"".join(b"%08X" % field for field in fields) + name + b"\0"
        to.write(head + bytes(-len(head) % 4) + data + bytes(-len(data) % 4))


def make_initrd(debian, commands, to):
    kernel = {path.stem: path for path in (debian / "kernel").rglob("*.ko")}
    files = {"bin": (0o40755, b""), "bin/busybox": (0o100755, (debian / "root/usr/bin/busybox").read_bytes()),
             "init": (0o100755, INITRD.replace("@MODULES@", " ".join(MODULES)).encode()),
             "part": (0o100755, PART.replace("@COMMANDS@", commands).encode())}
    files.update({f"{name}.ko": (0o100644, kernel[name].read_bytes()) for name in MODULES})
    with open(to, "wb") as file:
        archive(files, file)


def boot(debian, disk, commands, work, seconds):
    """Run @commands (sh) there, and yield their output lines. Files left in /out are below @work at the end."""
    initrd, out = work / "initrd", work / "out.tar"
    make_initrd(debian, commands, initrd)
    with open(out, "wb") as file:
        file.truncate(OUT_BYTES)
    kernel = next((debian / "kernel/boot").glob("vmlinuz-*"))
    command = ["timeout", str(seconds), "qemu-system-aarch64", "-M", "virt", "-cpu", "cortex-a72", "-smp", "2", "-m", "2048", *NODES, "-nographic", "-no-reboot",
               "-nic", "none", "-kernel", kernel, "-initrd", initrd, "-append", "console=ttyAMA0 quiet panic=-1",
               "-drive", f"file={disk},format=raw,if=virtio,snapshot=on", "-drive", f"file={out},format=raw,if=virtio"]
    machine = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, errors="replace")
    ended = False
    try:
        for line in machine.stdout:
            line = line.rstrip("\r\n")
            ended |= line == "ARM64-END"
            if line != "ARM64-END":
                yield line
    finally:
        machine.terminate()  # timeout forwards it.
        machine.wait()
    if not ended:
        raise Broken(f"the machine did not come to its end within {seconds} seconds, or stopped before")
    with tarfile.open(out) as tar:
        tar.extractall(work)
    out.unlink()
