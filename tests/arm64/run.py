#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Boots Debian's arm64 kernel with what was built for aarch64, and runs tests there: run.py BUILD [TEST...].

The packages that the virtual machine needs and that nobody installs beside a cross compiler (kernel, busybox, Python) are fetched once."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
LIBRARIES = pathlib.Path("/usr/lib/aarch64-linux-gnu")
CROSS = pathlib.Path("/usr/aarch64-linux-gnu/lib")
PYTHON = pathlib.Path("/usr/lib/python3/dist-packages")
PACKAGES = ["busybox-static:arm64", "libexpat1:arm64", "libpython3.11-minimal:arm64", "libpython3.11-stdlib:arm64", "python3.11-minimal:arm64"]
# In Python alone; some have a faster part for the machine itself, which is left out.
MODULES = ["pytest", "_pytest", "iniconfig", "packaging", "jsonschema", "attr", "attrs", "pluggy", "pyrsistent", "pkg_resources", "py.py",
           "_pyrsistent_version.py"]
SKIPPED = 77
TESTS = ["system/test_oracle.py", "system/test_states.py", "system/test_stacks.py", "system/test_breakpoints.py", "system/test_steps.py",
         "system/test_cores.py", "system/test_libomp.py"]

INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm; mount -t devpts pts /dev/pts; mount -t tmpfs tmp /tmp; mount -t tmpfs shm /dev/shm
ifconfig lo 127.0.0.1 up; echo core > /proc/sys/kernel/core_pattern; ulimit -c unlimited
export PATH=/bin HOME=/root LD_LIBRARY_PATH= PYTHONPATH=/src/clients/python PYTHONDONTWRITEBYTECODE=1
export OMPDD_BUILD_DIR=/src/build OMPDD_TRIALS=2 CK_DEFAULT_TIMEOUT=60 CK_TIMEOUT_MULTIPLIER=10
cd /src/tests
@COMMANDS@
echo ARM64-END
poweroff -f
"""


def packages(cache):
    """Fetch what is missing; the kernel's name changes with each of its versions."""
    cache.mkdir(parents=True, exist_ok=True)
    found = subprocess.run(["apt-cache", "search", "--names-only", r"^linux-image-.*-cloud-arm64-unsigned$"], capture_output=True, text=True)
    kernels = sorted(line.split()[0] for line in found.stdout.splitlines())
    if not kernels:
        return None
    for name in [kernels[-1], *PACKAGES]:
        if not list(cache.glob(name.split(":")[0] + "_*.deb")):
            subprocess.run(["apt-get", "download", name], cwd=cache, check=False, capture_output=True)
    files = [next(iter(cache.glob(name.split(":")[0] + "_*.deb")), None) for name in [kernels[-1], *PACKAGES]]
    return None if None in files else files


def unpack(deb, to):
    tar = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", deb], stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x", "--keep-directory-symlink", "--exclude=./usr/share", "-C", to], stdin=tar.stdout, check=True)
    if tar.wait():
        sys.exit(f"dpkg-deb cannot unpack {deb}")


def fill(root, debs, build):
    """The virtual machine's files."""
    for folder in ("proc", "sys", "dev", "tmp", "run", "etc", "root", "usr/bin", "usr/lib/aarch64-linux-gnu", "src/tests"):
        (root / folder).mkdir(parents=True)
    for name in ("lib", "bin"):
        (root / name).symlink_to(f"usr/{name}")
    for deb in debs:
        unpack(deb, root)
    (root / "usr/bin/python3").symlink_to("python3.11")
    (root / "etc/passwd").write_text("root:x:0:0::/root:/bin/sh\n")
    for name in MODULES:
        copy = shutil.copytree if (PYTHON / name).is_dir() else shutil.copy
        copy(PYTHON / name, root / "usr/lib/python3.11" / name)
    for info in [*PYTHON.glob("*.dist-info"), *PYTHON.glob("*.egg-info")]:
        if info.is_dir():
            shutil.copytree(info, root / "usr/lib/python3.11" / info.name)
    for file in [*LIBRARIES.glob("*.so*"), *(CROSS / name for name in ("libgomp.so.1", "libgcc_s.so.1"))]:
        if re.search(r"\.so(\.[\d.]+)?$", file.name) and not re.match(r"lib(asan|tsan|lsan|ubsan|LLVM|clang)", file.name) and file.exists():
            with open(file, "rb") as start:
                if start.read(4) == b"\x7fELF":
                    shutil.copy(file, root / "usr/lib/aarch64-linux-gnu" / file.name)
    shutil.copy(LIBRARIES / "ld-linux-aarch64.so.1", root / "usr/lib")
    shutil.copytree(SOURCE / "clients/python", root / "src/clients/python", ignore=shutil.ignore_patterns("tests"))
    shutil.copytree(SOURCE / "protocol", root / "src/protocol")
    for part in ("system", "support", "programs", "runtime"):
        shutil.copytree(SOURCE / "tests" / part, root / "src/tests" / part)
    to = root / "src/build"
    for pattern in ("bin/*", "lib/*", "lib/ompdd/*", "tests/programs/*", "tests/programs/*/*", "tests/support/*"):
        for file in build.glob(pattern):
            if file.is_file() and b"\x7fELF" == file.open("rb").read(4) and not file.name.endswith((".o", ".a")):
                target = to / file.relative_to(build)
                target.parent.mkdir(parents=True, exist_ok=True)
                subprocess.run(["aarch64-linux-gnu-strip", "-g", "-o", target, file] if file.name.startswith(("unit_", "fuzz_"))
                               else ["cp", file, target], check=True)


def archive(root, to):
    """All below @root as the kernel unpacks it (cpio, newc), owned by root."""
    for number, path in enumerate([*sorted(root.rglob("*")), None], 1):
        name = str(path.relative_to(root)).encode() if path else b"TRAILER!!!"
        data = os.readlink(path).encode() if path and path.is_symlink() else path.read_bytes() if path and path.is_file() else b""
        mode = path.lstat().st_mode if path else 0
        fields = [number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
        head = b"070701" + b"".join(b"%08X" % field for field in fields) + name + b"\0"
        to.write(head + bytes(-len(head) % 4) + data + bytes(-len(data) % 4))


def boot(kernel, image, seconds):
    command = ["timeout", str(seconds), "qemu-system-aarch64", "-M", "virt", "-cpu", "cortex-a72", "-smp", "2", "-m", "2048", "-nographic",
               "-no-reboot", "-kernel", kernel, "-initrd", image, "-append", "console=ttyAMA0 quiet panic=-1"]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, errors="replace")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("tests", nargs="*", default=TESTS)
    parser.add_argument("--seconds", type=int, default=3000)
    parser.add_argument("--command", action="append", default=[], help="run this in place of tests")
    args = parser.parse_args()
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "ompdd-arm64"
    if not shutil.which("qemu-system-aarch64"):
        print("skipped: qemu-system-aarch64 is missing (apt install qemu-system-arm)")
        return SKIPPED
    debs = packages(cache)
    if not debs:
        print("skipped: packages for arm64 cannot be fetched (dpkg --add-architecture arm64; apt update)")
        return SKIPPED
    work = args.build / "arm64"
    shutil.rmtree(work, ignore_errors=True)
    root = work / "root"
    root.mkdir(parents=True)
    subprocess.run(["dpkg", "-x", debs[0], work / "kernel"], check=True)
    fill(root, debs[1:], args.build)
    run = "python3 -B -m pytest -q -p no:cacheprovider --tb=short"
    commands = args.command or [f"{run} {test}; echo ARM64-RESULT {test} $?" for test in args.tests]
    (root / "init").write_text(INIT.replace("@COMMANDS@", "\n".join(commands)))
    (root / "init").chmod(0o755)
    image = work / "image.cpio"
    with open(image, "wb") as to:
        archive(root, to)
    shutil.rmtree(root)
    results, ended = {}, False
    machine = boot(next((work / "kernel/boot").glob("vmlinuz-*")), image, args.seconds)
    for line in machine.stdout:
        print(line, end="", flush=True)
        result = re.search(r"ARM64-RESULT (\S+) (\d+)", line)
        if result:
            results[result[1]] = int(result[2])
        ended |= line.startswith("ARM64-END")
    machine.wait()
    failed = [test for test, code in results.items() if code] + [test for test in args.tests if not args.command and test not in results]
    print("failed or not run:", *failed) if failed or not ended else print(len(results), "tests passed")
    return 1 if failed or not ended else 0


if __name__ == "__main__":
    sys.exit(main())
