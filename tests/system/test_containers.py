# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs in namespaces, in other roots, without their files, of other users: each gets a right answer, or a hint that
can be typed. The requests come from ompdd-worker by hand, so that it can run in any surroundings, too. A case whose
surroundings cannot be created here is skipped.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import pytest
import validator
from conftest import needs
from daemons import BIN, PATIENT_STOP_MS, SANITIZED
from snapshots import check_oracle, check_structure
from targets import LIBGOMP, PROGRAMS, RUNTIME, Program, children, read_text, stopped_threads, tasks, tracer, wait_until

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="needs root to make namespaces and users")
NOBODY = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups")
# A hint must name one of these: a command, an option, or a user to run it as.
TO_TYPE = ("run ompdd", "run \"", "--", "-fopenmp", "stack.get")


def mounted(script):
    """Return a prefix that executes a command in its own mount namespace, after a script."""
    return "unshare", "--mount", "sh", "-ec", f'{script}\nexec "$@"', "sh"


class Contained(Program):
    """A program that other commands start. Its ids are those of this namespace, not its own."""

    def __init__(self, *argv, **options):
        self.outer = None
        super().__init__(*argv, path=argv[0], **options)

    def wait_ready(self):
        own = self.read_line()
        family = [self.process.pid, *children(self.process.pid)]
        self.outer = next(pid for pid in family if self.own_id(pid, pid) == own["pid"] and tasks(pid))
        self.pid = self.outer
        said = [self.read_line() for _ in range(own["lines"])]
        here = {self.own_id(self.pid, tid): tid for tid in tasks(self.pid)}
        self.lines = {here[line["tid"]]: {**line, "tid": here[line["tid"]]} for line in said}
        assert len(self.lines) == len(said)
        for line in self.lines.values():
            self.wait_parked(line)
        return self

    @staticmethod
    def own_id(pid, tid):
        ids = [line for line in read_text(f"/proc/{pid}/task/{tid}/status").splitlines() if line.startswith("NSpid:")]
        return int(ids[0].split()[-1]) if ids else 0


class Place:
    """A folder that all users may enter, with the programs of ompdd, a test program and its libraries."""

    def __init__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(dir="/tmp"))
        self.path.chmod(0o755)
        self.inside = self.path / "inside"
        self.library = self.path / "inside" / "libraries" / "libgomp.so.1"
        self.program = self.path / "inside" / "nested"
        self.library.parent.mkdir(parents=True)
        shutil.copy(PROGRAMS / "nested", self.program)
        env = {**os.environ, **({"LD_LIBRARY_PATH": LIBGOMP} if LIBGOMP else {})}
        for line in subprocess.run(["ldd", self.program], check=True, capture_output=True, text=True, env=env).stdout.splitlines():
            words = line.split()
            if "=>" in words:
                shutil.copy(words[2], self.library.parent / words[0])
            elif words[0].startswith("/"):
                self.loader = words[0]
        for name in ("bin/ompdd-worker", "bin/ompdd-tracer", "lib/libompd.so"):
            file = self.path / "installed" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(BIN.parent / name, file)
        self.worker = self.path / "installed" / "bin" / "ompdd-worker"

    def make_root(self):
        """Files that a chroot needs beside the program."""
        loader = self.inside / self.loader[1:]
        loader.parent.mkdir(parents=True)
        shutil.copy(self.loader, loader)
        return self.inside


@pytest.fixture
def place():
    one = Place()
    yield one
    shutil.rmtree(one.path)


@pytest.fixture
def start(place):
    """start(*prefix, path=, libraries=): start the program with a prefix. Afterwards it must run untraced."""
    started = []

    def go(*prefix, path=None, libraries=None, args=(2, 2), env=None):
        one = Contained(*prefix, path or place.program, *args,
                        env={"LD_LIBRARY_PATH": str(libraries or place.library.parent), **(env or {})})
        started.append(one)
        return one
    yield go
    try:
        for one in started:
            assert one.alive()
            wait_until(lambda one=one: not stopped_threads(one.pid) and not tracer(one.pid), f"{one.name} runs, and nobody traces it")
    finally:
        for one in started:
            one.close()


def ask(place, pid, mode, *prefix):
    """Return the response to snapshot.get of a worker that a prefix starts, or the error before it."""
    # LeakSanitizer traces, which some of these surroundings forbid.
    asan = ":".join(filter(None, (os.environ.get("ASAN_OPTIONS"), "detect_leaks=0")))
    with subprocess.Popen([*prefix, place.worker], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/",
                          env={**os.environ, "ASAN_OPTIONS": asan}) as worker:
        def call(method, **params):
            worker.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\n")
            worker.stdin.flush()
            while True:
                line = worker.stdout.readline()
                assert line, f"the worker ended: {worker.wait()}"
                answer = json.loads(line)
                if "id" in answer:
                    validator.check_response(answer, method)
                    return answer
        answer = call("target.attach", pid=pid, mode=mode, max_stop_ms=PATIENT_STOP_MS)
        if "result" in answer:
            answer = call("snapshot.get", target=answer["result"]["target"])
        worker.stdin.close()
        assert worker.wait(600) == 0
    return answer


def agrees(place, one, mode, *prefix, ids=None):
    """Each thread of the program is shown as it reports itself.

    `ids` maps our thread ids to those of the requesting side.
    """
    answer = ask(place, ids[one.pid] if ids else one.pid, mode, *prefix)
    assert "result" in answer, answer
    assert not answer["result"].get("warnings"), answer["result"]["warnings"]
    snapshot = check_structure(answer["result"])
    for tid, line in one.oracle().items():
        check_oracle(snapshot, {**line, "tid": ids[tid] if ids else tid})
    assert len(snapshot.threads) == len(tasks(one.pid))
    return answer["result"]


def refused(answer, name, *words):
    """The error has this name and these words, and its hint can be typed."""
    assert "error" in answer, answer
    data = answer["error"]["data"]
    text = f"{answer['error']['message']}; {data.get('hint')}"
    assert data["name"] == name, text
    assert any(word in data.get("hint", "") for word in TO_TYPE), text
    for word in words:
        assert word in text, text


# The program's location.

NAMESPACES = [["--mount"], ["--pid"], ["--user"], ["--net"], ["--user", "--map-root-user", "--mount", "--pid", "--net", "--ipc", "--uts"]]


@pytest.mark.parametrize("kinds", NAMESPACES, ids="".join)
def test_namespaces(kinds, mode, place, start):
    prefix = ["unshare", "--fork", "--kill-child", *kinds] if "--pid" in kinds else ["unshare", *kinds]
    needs(*prefix)
    agrees(place, start(*prefix), mode)


@pytest.mark.parametrize("outside", ["nothing", "others"])
def test_files_that_only_the_program_sees(outside, mode, place, start):
    """At the same paths, this side has no files, or other files."""
    empty = place.path / "seen"
    empty.mkdir()
    if outside == "others":
        (empty / "libraries").mkdir()
        shutil.copy(PROGRAMS / "tasks", empty / "nested")
        shutil.copy(place.library.parent / "libc.so.6", empty / "libraries" / "libgomp.so.1")
    prefix = mounted(f"mount --bind {place.inside} {empty}")
    needs(*prefix)
    result = agrees(place, start(*prefix, path=empty / "nested", libraries=empty / "libraries"), mode)
    assert result["runtime"]["path"] == str(empty / "libraries" / "libgomp.so.1")


def test_chroot_with_a_libgomp_of_its_own(mode, place, start):
    root = place.make_root()
    result = agrees(place, start("chroot", root, path="/nested", libraries="/libraries"), mode)
    assert result["runtime"]["path"] == "/libraries/libgomp.so.1"


OVERLAY = "mount -t overlay overlay -o lowerdir={0}/inside,upperdir={0}/fs/upper,workdir={0}/fs/work {0}/fs/root"


@pytest.mark.parametrize("then", ["there", "removed", "copied_up"])
def test_overlay(then, mode, place, start):
    """Its file numbers differ from those in maps."""
    place.make_root()
    (place.path / "fs").mkdir()
    prefix = mounted(f"mount -t tmpfs none {place.path}/fs; cd {place.path}/fs; mkdir upper work root\n" + OVERLAY.format(place.path))
    needs(*prefix)
    one = start(*prefix, "chroot", f"{place.path}/fs/root", path="/nested", libraries="/libraries")
    files = [pathlib.Path(f"/proc/{one.pid}/root/{name}") for name in ("nested", "libraries/libgomp.so.1")]
    for file in files:
        if then == "removed":
            file.unlink()
        elif then == "copied_up":
            file.touch()
    agrees(place, one, mode)


def test_a_list_knows_the_runtime_on_an_overlay(client, place, start):
    """Without access to memory, where a build-id would be."""
    place.make_root()
    (place.path / "fs").mkdir()
    prefix = mounted(f"mount -t tmpfs none {place.path}/fs; cd {place.path}/fs; mkdir upper work root\n" + OVERLAY.format(place.path))
    needs(*prefix)
    one = start(*prefix, "chroot", f"{place.path}/fs/root", path="/nested", libraries="/libraries")
    found = client.process.list(regions=False, runtime=RUNTIME)["processes"]
    assert one.pid in {process["pid"] for process in found}


# Changes of its files.

@pytest.mark.parametrize("then", ["removed", "replaced"])
@pytest.mark.parametrize("what", ["program", "library", "both"])
def test_files_that_are_gone(what, then, mode, place, start):
    """As after a build or a package upgrade: the kernel keeps the mapped files."""
    one = start()
    for file, other in ((place.program, PROGRAMS / "tasks"), (place.library, place.library.parent / "libc.so.6")):
        if what in ("both", "program" if file == place.program else "library"):
            file.unlink()
            if then == "replaced":
                shutil.copy(other, file)
    agrees(place, one, mode)


def test_files_that_are_gone_for_who_is_not_root(mode, place, start):
    """The kernel shows them to root only. Memory suffices for a libgomp, or the hint names the missing part."""
    one = start(*NOBODY)
    place.library.unlink()
    agrees(place, one, mode, *NOBODY)


def test_static_program_in_a_root_without_anything(mode, place, start):
    if not (PROGRAMS / "flat_static").exists():
        pytest.skip("no static libgomp on this system")
    shutil.copy(PROGRAMS / "flat_static", place.inside / "nested")
    one = start("chroot", place.inside, path="/nested", args=(4,))
    place.program.unlink()
    agrees(place, one, mode)


def test_static_program_of_musl(mode, place):
    """No dynamic linker, another thread library, no OpenMP: the error names this reason."""
    compiler = shutil.which("musl-gcc")
    if not compiler:
        pytest.skip("no musl-gcc (Debian's musl-tools)")
    path = place.path / "musl"
    subprocess.run([compiler, "-static", "-O1", "-x", "c", "-", "-o", path], check=True, text=True,
                   input="#include <unistd.h>\nint main(void) { write(1, \"x\", 1); for (;;) pause(); }\n")
    with subprocess.Popen([path], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout.read(1) == b"x"
            refused(ask(place, process.pid, mode), "no_openmp_runtime")
            assert process.poll() is None and not tracer(process.pid)
        finally:
            process.kill()


# Functions of glibc that gcc's libgomp.a needs, for musl.
MUSL_LACKS = """#include <stdlib.h>
#include <unistd.h>
long __sysconf(int name) { return sysconf(name); }
int pthread_attr_setaffinity_np(void *attr, unsigned long size, const void *set) { return 0; }
long __isoc23_strtol(const char *text, char **end, int base) { return strtol(text, end, base); }
unsigned long __isoc23_strtoul(const char *text, char **end, int base) { return strtoul(text, end, base); }
unsigned long long __isoc23_strtoull(const char *text, char **end, int base) { return strtoull(text, end, base); }
"""


@pytest.mark.parametrize("linked", ["static", "dynamic"])
def test_openmp_program_of_musl(linked, mode, place):
    """Its threads are in none of glibc's lists. The error says that, and not that no thread has used OpenMP."""
    compiler = shutil.which("musl-gcc")
    libgomp = subprocess.run(["gcc", "-print-file-name=libgomp.a"], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
    if not compiler or not os.path.isabs(libgomp):
        pytest.skip("no musl-gcc (Debian's musl-tools) or no static libgomp")
    (place.path / "lacks.c").write_text(MUSL_LACKS)
    (place.path / "team.c").write_text("#include <unistd.h>\nint main(void) {\n#pragma omp parallel num_threads(2)\n"
                                       "{ write(1, \"x\", 1); for (;;) pause(); } }\n")
    subprocess.run([compiler, *(["-static"] if linked == "static" else []), "-w", "-fopenmp", "-c", "lacks.c", "team.c"],
                   check=True, cwd=place.path)
    subprocess.run([compiler, *(["-static"] if linked == "static" else []), "lacks.o", "team.o", libgomp, "-o", "musl"],
                   check=True, cwd=place.path)
    with subprocess.Popen([place.path / "musl"], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout.read(2) == b"xx"
            refused(ask(place, process.pid, mode), "threads_unknown", "not glibc")
            assert process.poll() is None and not tracer(process.pid)
        finally:
            process.kill()


# The program's owner and capabilities.

USERS = {
    "user": NOBODY,
    "no_new_privs": (*NOBODY, "--no-new-privs"),
    "no_capabilities": ("setpriv", "--bounding-set", "-all", "--inh-caps", "-all"),
    "group": ("setpriv", "--regid", "65534", "--clear-groups"),
}


@pytest.mark.parametrize("user", USERS)
def test_programs_of_other_users(user, mode, place, start):
    needs(*USERS[user])
    agrees(place, start(*USERS[user]), mode)


@pytest.mark.parametrize("user", ["user", "no_new_privs"])
def test_own_programs_of_who_is_not_root(user, mode, place, start):
    agrees(place, start(*USERS[user]), mode, *USERS["no_new_privs"])


def test_program_of_root(mode, place, start):
    refused(ask(place, start().pid, mode, *NOBODY), "permission_denied", "run ompdd as root")


def test_program_with_another_group(mode, place, start):
    one = start("setpriv", "--reuid", "65534", "--regid", "65533", "--clear-groups")
    refused(ask(place, one.pid, mode, *NOBODY), "permission_denied", "with gid 65533, or as root")


def test_program_that_has_set_its_user_id(mode, place, start):
    """Real user id of `nobody`, effective user id of root, as in a set-user-id program."""
    one = start("setpriv", "--ruid", "65534")
    refused(ask(place, one.pid, mode, *NOBODY), "permission_denied", "set-user-id", "run ompdd as root")


def test_program_that_is_not_dumpable(mode, place, start):
    """Its own user may not examine it, root may."""
    library = place.path / "undumpable.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-x", "c", "-", "-o", library], check=True, text=True,
                   input="#include <sys/prctl.h>\n__attribute__((constructor)) static void f(void) { prctl(PR_SET_DUMPABLE, 0); }\n")
    one = start(*NOBODY, env={"LD_PRELOAD": str(library)})
    refused(ask(place, one.pid, mode, *NOBODY), "permission_denied", "not dumpable", "run ompdd as root")
    agrees(place, one, mode)


def test_program_with_capabilities(mode, place, start):
    """A requester with fewer capabilities than the program may not examine it, whatever the users are."""
    more = (*NOBODY, "--inh-caps", "+net_raw", "--ambient-caps", "+net_raw")
    needs(*more)
    one = start(*more)
    refused(ask(place, one.pid, mode, *NOBODY), "permission_denied", "capabilities", "run ompdd as root")
    agrees(place, one, mode)


def test_root_without_the_right_to_trace(mode, place, start):
    """Root in a container that was started without the capability."""
    without = ("setpriv", "--bounding-set", "-sys_ptrace")
    needs(*without)
    refused(ask(place, start().pid, mode, *without), "permission_denied", "--cap-add=SYS_PTRACE")


# Executes a command with a filter that refuses ptrace() and process_vm_readv() with EPERM, as a container's seccomp
# filter does.
FILTER = """
import ctypes, os, struct, sys
code = [(0x20, 0, 0, 0), (0x15, 2, 0, 101), (0x15, 1, 0, 310), (0x06, 0, 0, 0x7fff0000), (0x06, 0, 0, 0x00050001)]
program = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *one) for one in code))
fprog = ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", len(code), ctypes.addressof(program)))
libc = ctypes.CDLL(None)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, fprog):
    sys.exit("no seccomp filter")
os.execvp(sys.argv[1], sys.argv[1:])
"""
FILTERED = (sys.executable, "-B", "-c", FILTER)


def test_filter_of_a_container(place, start):
    needs(*FILTERED)
    one = start()
    refused(ask(place, one.pid, "stop", *FILTERED), "permission_denied", "--cap-add=SYS_PTRACE", "seccomp")
    agrees(place, one, "observe", *FILTERED)


SCOPES = [(1, NOBODY, 'run "sysctl kernel.yama.ptrace_scope=0" as root', "PR_SET_PTRACER_ANY"),
          (2, NOBODY, 'run "sysctl kernel.yama.ptrace_scope=0" as root', "run ompdd as root"),
          (3, NOBODY, "reboot", "--core FILE"), (3, (), "reboot", "--core FILE"),
          (2, (), "--cap-add=SYS_PTRACE", "policy")]


@pytest.mark.parametrize("case", SCOPES, ids=lambda case: f"{case[0]}-{'nobody' if case[1] else 'root'}")
def test_ptrace_scope(case, place, start):
    """A file in its place provides Yama's setting. Here the kernel's refusal has another cause."""
    scope, user, *words = case
    fake = mounted(f"mount -t tmpfs none /proc/sys/kernel; mkdir /proc/sys/kernel/yama; echo {scope} >/proc/sys/kernel/yama/ptrace_scope")
    needs(*fake, *FILTERED)
    answer = ask(place, start(*user).pid, "stop", *fake, *user, *FILTERED)
    refused(answer, "permission_denied", *words)
    assert (f"ptrace_scope is {scope}" in answer["error"]["message"]) == ("policy" not in words)


# The requester's location.

NO_SANITIZER = pytest.mark.skipif(SANITIZED, reason="a sanitizer wants /proc as it knows it")
CONTAINER = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]


def test_from_inside_of_the_container(mode, place, start):
    """In there, the ids are those that the program sees."""
    needs(*CONTAINER)
    one = start(*CONTAINER)
    ids = {tid: one.own_id(one.pid, tid) for tid in tasks(one.pid)}
    agrees(place, one, mode, "nsenter", "-t", str(one.pid), "--mount", "--pid", ids=ids)
    answer = ask(place, 4000000, mode, "nsenter", "-t", str(one.pid), "--mount", "--pid")
    refused(answer, "no_such_process", 'run "ompdctl ps"', "pids of its own")


@pytest.mark.parametrize("user", [(), NOBODY], ids=["root", "nobody"])
def test_out_of_another_user_namespace(user, mode, place, start):
    """Root of a container is user `nobody` outside of it."""
    prefix = (*user, "unshare", "--user", "--map-root-user")
    needs(*prefix)
    refused(ask(place, start(*user).pid, mode, *prefix), "permission_denied", "user namespace", "run ompdd as root")


def test_into_another_user_namespace(mode, place, start):
    """A container of root, examined by another user."""
    needs("unshare", "--user")
    refused(ask(place, start("unshare", "--user").pid, mode, *NOBODY), "permission_denied", "user namespace", "run ompdd as root")


def test_into_an_own_user_namespace(mode, place, start):
    """A container without root belongs to its user."""
    prefix = (*NOBODY, "unshare", "--user", "--map-root-user")
    needs(*prefix)
    agrees(place, start(*prefix), mode, *NOBODY)


@NO_SANITIZER
@pytest.mark.parametrize("proc", ["another", "no"])
def test_without_the_right_proc(proc, mode, place, start):
    """Numbers in a /proc of another pid namespace are other processes: ompdd never examines them."""
    prefix = ["unshare", "--pid", "--fork"] if proc == "another" else mounted("mount -t tmpfs none /proc")
    needs(*prefix)
    refused(ask(place, start().pid, mode, *prefix), "no_such_process", "mount -t proc")
    refused(ask(place, 1, mode, *prefix), "no_such_process", "mount -t proc")


def test_hidden_processes(mode, place, start):
    """A /proc with hidepid shows users only their own processes."""
    prefix = mounted("mount -t proc -o hidepid=2 proc /proc")
    needs(*prefix)
    one, own = start(), start(*NOBODY)
    refused(ask(place, one.pid, mode, *prefix, *NOBODY), "permission_denied", "hidepid", "as the user of that process or as root")
    agrees(place, own, mode, *prefix, *NOBODY)
