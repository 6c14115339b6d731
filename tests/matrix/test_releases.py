# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs built and run inside other Debian releases (chroot.sh), examined from outside as in a container: another
glibc than ours, the distribution's own stripped libgomp, files below /proc/PID/root, and another PID namespace.
"""
import os
import pathlib
import shutil
import subprocess

import pytest
from targets import BUILD, SYSCALL, Program, read_text, system_call, tasks, wait_until
from test_oracle import agree, look

DIR = pathlib.Path(os.environ.get("OMPDD_MATRIX_DIR", pathlib.Path.home() / ".cache/ompdd-matrix"))
SOURCES = pathlib.Path(__file__).parents[1] / "programs"
VERSIONS = {"bullseye": "10", "trixie": "14", "sid": None}
CASES = [["flat", 4], ["flat", 300], ["nested", 2, 3], ["serialized", "between"], ["deep", 20], ["tasks", "chain"],
         ["tasks", "taskwait"], ["tasks", "final"], ["icvs"], ["procbind"], ["idle", 4], ["pthreads"], ["waits", "critical"]]


@pytest.fixture(scope="module", params=VERSIONS)
def release(request):
    """The root folder of a release, with the test programs compiled by its own gcc."""
    root = DIR / f"chroot-{request.param}"
    if os.geteuid() != 0 or not (root / ".ready").exists():
        pytest.skip(f"no {root} (tests/matrix/chroot.sh makes it, as root)")
    folder = root / "ompdd"
    folder.mkdir(exist_ok=True)
    for file in SOURCES.glob("*.[ch]"):
        shutil.copy(file, folder)
    for name in sorted({case[0] for case in CASES}):
        made = folder / name
        if made.exists() and made.stat().st_mtime > max(file.stat().st_mtime for file in SOURCES.glob("*.[ch]")):
            continue
        subprocess.run(["chroot", root, "gcc", "-w", "-O2", "-g", "-fopenmp", "-pthread", "-o", f"/ompdd/{name}", f"/ompdd/{name}.c",
                        "/ompdd/park.c", "/ompdd/oracle.c"], check=True)
    return root


# A container's /proc, in a mount namespace that ends with the program. The started process stays the same.
ENTER = ["--mount", "sh", "-c", 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"']


def name_of(case):
    return "-".join(map(str, case))


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_every_answer_agrees_in_another_release(release, case, mode, program, client):
    one = program(case[0], *ENTER, release, f"/ompdd/{case[0]}", *case[1:], path="/usr/bin/unshare")
    snapshot = look(client, one, mode)
    agree(snapshot, one)
    version = VERSIONS[release.name.removeprefix("chroot-")]
    assert version is None or snapshot.result["runtime"]["version"] == version
    assert int(snapshot.result["runtime"]["version"]) >= 10


class Contained(Program):
    """A program in its own PID namespace: its ids of itself and its threads differ from those in /proc here."""

    def __init__(self, root, *args):
        super().__init__("unshare", "--pid", "--fork", "--kill-child=KILL", *ENTER, root, *args, path="/usr/bin/unshare", wait=False)
        self.outer = self.pid

    def enter(self):
        first = self.read_line()
        self.pid = int(read_text(f"/proc/{self.outer}/task/{self.outer}/children").split()[0])
        lines = [self.read_line() for _ in range(first["lines"])]
        own = {}
        for tid in tasks(self.pid):
            status = read_text(f"/proc/{self.pid}/task/{tid}/status")
            own[int(next(line for line in status.splitlines() if line.startswith("NSpid:")).split()[-1])] = tid
        assert first["pid"] == 1 and own[1] == self.pid
        self.lines = {own[line["tid"]]: {**line, "tid": own[line["tid"]]} for line in lines}
        for tid, line in self.lines.items():
            if line["by"] in SYSCALL:
                wait_until(lambda tid=tid, line=line: system_call(self.pid, tid) in SYSCALL[line["by"]], f"{tid} in {line['by']}")
        return self


@pytest.mark.parametrize("case", [["flat", 4], ["nested", 2, 3], ["tasks", "chain"], ["waits", "critical"]], ids=name_of)
def test_every_answer_agrees_in_another_pid_namespace(release, case, mode, client):
    with Contained(release, f"/ompdd/{case[0]}", *case[1:]) as one:
        one.enter()
        agree(look(client, one, mode), one)
        assert one.alive()


@pytest.mark.parametrize("offload", ["default", "mandatory", "disabled"])
def test_our_runtime_answers_as_the_releases(release, offload):
    """Its compiler links with nodes that gcc 12 does not have (tests/runtime/newer.c)."""
    folder, inside = release / "ompdd", f"chroot {release} env OMP_TARGET_OFFLOAD={offload}".split()
    (folder / "ours").mkdir(exist_ok=True)
    shutil.copy(BUILD / "lib/ompdd/libgomp.so.1", folder / "ours")
    shutil.copy(SOURCES.parent / "runtime/newer.c", folder)
    version = int(subprocess.run([*inside, "gcc", "-dumpversion"], capture_output=True, text=True, check=True).stdout)
    if version < 13:
        pytest.skip("its gcc has none of it")
    subprocess.run([*inside, "gcc", "-w", "-O1", "-fopenmp", "-foffload=disable", "-o", "/ompdd/newer", "/ompdd/newer.c"], check=True)
    # With mandatory offloading target constructs have no device; and only gcc 16 knows -5.
    devices = [0, 1, -1, -2, -3, -4, -6] + ([-5] if version >= 16 and offload != "mandatory" else [])
    uses = [(str(device), str(case)) for device in devices for case in range(9)] + ([("alone",)] if offload != "mandatory" else [])
    for use in uses:
        results = []
        for path in ("/ompdd/ours", "/nowhere"):
            done = subprocess.run([*inside, f"LD_LIBRARY_PATH={path}", "/ompdd/newer", *use], capture_output=True, text=True,
                                  timeout=600, check=False)
            results.append((done.returncode, done.stdout, done.stderr))
        assert results[0] == results[1], use


def test_same_release_in_another_pid_namespace(mode, client):
    """Our own glibc, and so libthread_db, but the container's thread ids."""
    from targets import PROGRAMS
    if os.geteuid() != 0:
        pytest.skip("needs root")
    with Contained("/", str(PROGRAMS / "nested"), 2, 3) as one:
        one.enter()
        agree(look(client, one, mode), one)
