# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`openmp …` in gdb and lldb themselves, in batch mode: programs of gcc and clang, live and as cores, compared with
their own output.
"""
import os
import pathlib
import re
import shutil
import subprocess

import pytest
from cores import SMALL_STACKS, gcore
from daemons import BIN
from snapshots import INT_MAX, diagnose
from targets import LIBGOMP, PROGRAMS, wait_until

SCRIPTS = pathlib.Path(__file__).parents[2] / "clients" / "debuggers"
# The start of each command's output.
MARK = "@@@@ "
CLANG = PROGRAMS / "llvm"
pytestmark = pytest.mark.skipif(bool(LIBGOMP), reason="of no other libgomp")


class Gdb:
    NAME = "gdb"

    def __init__(self):
        if not shutil.which("gdb"):
            pytest.skip("gdb is not installed")
        self.script = f"source {SCRIPTS / 'openmp_gdb.py'}"

    def argv(self, commands, pid=None, core=None, exe=None):
        argv = ["gdb", "-nx", "-q", "-batch", "-ex", "set width 0", "-ex", "set confirm off"]
        argv += ["-p", str(pid)] if pid else [str(exe), *([str(core)] if core else [])]
        for command in (self.script, *commands):
            argv += ["-ex", f"echo {MARK}\\n", "-ex", command]
        return argv

    def environment(self):
        return {}


class Lldb:
    NAME = "lldb"

    def __init__(self):
        path = shutil.which("lldb")
        if not path:
            pytest.skip("lldb is not installed")
        # Debian 12's lldb does not find its modules by itself.
        folders = sorted(pathlib.Path(path).resolve().parents[1].glob("lib/python3*/dist-packages/lldb"))
        self.folder = str(folders[-1].parent) if folders else ""
        text = subprocess.run([path, "--no-lldbinit", "-b", "-o", "script print(6 * 7, lldb.__name__)"], capture_output=True, text=True,
                              env={**os.environ, **self.environment()}, timeout=600).stdout
        if "42 lldb" not in text:
            pytest.skip("this lldb has no Python")
        self.script = f"command script import {SCRIPTS / 'openmp_lldb.py'}"

    def argv(self, commands, pid=None, core=None, exe=None):
        argv = ["lldb", "--no-lldbinit", "--no-use-colors", "-b"]
        argv += ["-p", str(pid)] if pid else [str(exe), *(["-c", str(core)] if core else [])]
        for command in (self.script, *commands):
            # An error would end the session.
            argv += ["-o", f"script print({MARK!r})", "-o", f"script lldb.debugger.HandleCommand({command!r})"]
        return argv + (["-o", "detach"] if pid else [])

    def environment(self):
        old = os.environ.get("PYTHONPATH", "")
        return {"PYTHONPATH": f"{self.folder}:{old}" if self.folder else old}


@pytest.fixture(scope="module", params=[Gdb, Lldb], ids=["gdb", "lldb"])
def debugger(request):
    return request.param()


def run(debugger, commands, ompdd=BIN / "ompdd", **what):
    """Return the output of each command."""
    env = {**os.environ, "DEBUGINFOD_URLS": "", "LC_ALL": "C.UTF-8", "OMPDD": str(ompdd), **debugger.environment()}
    done = subprocess.run(debugger.argv(commands, **what), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=600, env=env)
    parts = re.split(rf"^{MARK.strip()} *\n", done.stdout, flags=re.M)[2:]
    assert len(parts) == len(commands), done.stdout
    # lldb echoes its commands.
    return ["\n".join(line for line in part.split("\n") if not line.startswith("(lldb) script ")) for part in parts]


def rows(text):
    """Return the table of `openmp threads` by tid: (region, number, level, team)."""
    found = {}
    for line in text.split("\n"):
        match = re.match(r"^[ *]  [-\d]+ +(\d+)\.(\d+) +\d+ +(\d+) +\S+ +(\d+) +(\d+) ", line)
        if match:
            region, number, tid, level, team = map(int, match.groups())
            found[tid] = (region, number, level, team)
    return found


def path_of(name, compiler):
    path = CLANG / name if compiler == "clang" else PROGRAMS / name
    if not path.exists():
        pytest.skip(f"no {name} of {compiler} here")
    return path


def check_agrees(debugger, oracle, **what):
    """Compare all commands about threads with the program's own omp_get_*()."""
    threads, tree = run(debugger, ["openmp threads", "openmp tree"], **what)
    seen = rows(threads)
    assert seen.keys() == oracle.keys(), threads
    for tid, line in oracle.items():
        _region, number, level, team = seen[tid]
        assert (number, level, team) == (line["thread_num"], line["level"], line["num_threads"]), (line, threads)
    # Threads that report the same for all levels, except for their own number, are in one team.
    for tid, line in oracle.items():
        for other, its in oracle.items():
            same = line["ancestors"][:-1] == its["ancestors"][:-1] and line["level"] == its["level"]
            assert same == (seen[tid][0] == seen[other][0]), (line, its, threads)
    deepest = max(region for region, *_ in seen.values())
    assert re.search(rf"parallel regions? [\d,-]*\b{deepest} level", tree), tree
    tid = max(seen)
    region, number = seen[tid][:2]
    name = f"{region}.{number}"
    to, where, icvs, stack, all_stacks, tasks, why = run(
        debugger, [f"openmp thread {name}", "openmp tree", "openmp icvs", "openmp bt", "openmp bt all", "openmp tasks", "openmp why"], **what)
    assert f"thread {name} ({tid})" in to
    if len(seen) > 1:
        assert re.search(r"\*threads? [\d,-]*\b" + str(number), where), where
    limit = oracle[tid]["thread_limit"]
    assert re.search(rf"^ +nthreads-var .*\b{oracle[tid]['max_threads']}\b", icvs, re.M), icvs
    assert limit >= INT_MAX or re.search(rf"^ +thread-limit-var +{limit}$", icvs, re.M), icvs
    # The runtime is folded, and the stack continues to main(), on any thread's stack.
    lines = stack.strip().split("\n")
    assert re.match(r"\s+#0 ", lines[1]) and re.match(r"\s+(#\d+ )?main\(\)", lines[-1]), stack
    assert "libgomp" not in "".join(lines[1:]) and "libomp" not in "".join(lines[1:]), stack
    assert stack.count(f"parallel region {region}, ") == 1, stack
    assert stack.count("parallel region") == oracle[tid]["level"], stack
    assert "main()" in all_stacks and all(str(tid) in all_stacks for tid in seen), all_stacks
    assert "implicit" in tasks
    assert "sleep in pause()" in why, why
    return tid


CASES = [["flat", 3], ["nested", 2, 2]]


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("args", CASES, ids=lambda args: "-".join(map(str, args)))
def test_agrees_with_a_live_program(debugger, compiler, args, program):
    one = program(*args, path=path_of(args[0], compiler))
    check_agrees(debugger, one.oracle(), pid=one.pid)


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_agrees_with_a_core(debugger, compiler, program, tmp_path):
    one = program("nested", 2, 2, path=path_of("nested", compiler), env=SMALL_STACKS)
    core = gcore(one, tmp_path)
    check_agrees(debugger, one.oracle(), core=core, exe=path_of("nested", compiler))
    assert "does not run" in run(debugger, ["openmp break parallel_begin"], core=core, exe=path_of("nested", compiler))[0]


def test_explicit_tasks_are_seen(debugger, program):
    one = program("tasks", "running")
    tree, tasks = run(debugger, ["openmp tree", "openmp tasks"], pid=one.pid)
    n = sum(line.get("chain", [""])[0] == "explicit" for line in one.oracle().values())
    assert n and sum("explicit" in line and "current" in line for line in tasks.split("\n")) == n, tasks
    assert tree.count("explicit task") == n, tree


def test_why_names_the_deadlock(debugger, program, client):
    one = program("lock_cycle", path=PROGRAMS / "hangs" / "lock_cycle", wait=False)
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    wait_until(lambda: diagnose(client, target, interval_ms=50)["verdict"] == "deadlock", "it hangs")
    why = run(debugger, ["openmp why"], pid=one.pid)[0]
    assert "deadlock: " in why and "1 sample: " in why, why
    assert "lock red" in why and "lock blue" in why, why


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_events_are_breakpoints(debugger, compiler):
    """They stop where the program encounters its region, and nowhere else."""
    exe = path_of("flat", compiler)
    break_main = "break main" if debugger.NAME == "gdb" else "breakpoint set --name main"
    out = run(debugger, [break_main, "run", "openmp break", "openmp break parallel_begin", "continue", "openmp bt", "bt", "kill"], exe=exe)
    assert re.search(r"^parallel_begin +.*(GOMP_parallel|__kmpc_fork_call)", out[2], re.M), out[2]
    assert re.search(r"Breakpoints? [\d, ]+ stops? at parallel_begin: ", out[3]), out[3]
    assert re.search(r"GOMP_parallel|__kmpc_fork_call", out[4]), out[4]
    assert "main" in out[6], out[6]


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_stack_of_a_thread_that_ran(debugger, compiler):
    """The kernel shows two of its registers; the debugger provides the others."""
    exe = path_of("flat", compiler)
    at = "break oracle_park" if debugger.NAME == "gdb" else "breakpoint set --name oracle_park"
    out = run(debugger, [at, "run", "openmp bt", "openmp threads", "openmp bt all", "kill"], exe=exe)
    for text in (out[2], out[4]):
        assert re.search(r"^ +(#0 )? *oracle_park\(\)", text, re.M) and "parallel region 1, level 1, " in text, text
        assert re.search(r"main\(\) at .*flat.c:2[12]$", text, re.M), text
    # (Other threads may be starting.)
    assert "missing" not in out[2] and "not known" not in out[2], out[2]
    assert {row[:3] for row in rows(out[3]).values()} >= {(1, 0, 1)}, out[3]


def test_backtrace_of_gdb_has_no_runtime(program):
    debugger = Gdb()
    one = program("nested", 2, 2)
    tid, region, number = next((tid, *row[:2]) for tid, row in rows(run(debugger, ["openmp threads"], pid=one.pid)[0]).items() if row[1] == 1)
    _, filtered, plain, off, unfiltered = run(
        debugger, [f"openmp thread {region}.{number}", "bt", "bt -no-filters", "disable frame-filter global openmp", "bt"], pid=one.pid)
    assert "libgomp" in plain and unfiltered.startswith(plain)
    assert "libgomp" not in filtered and f"[parallel region {region}, level 2, thread 1 of " in filtered, filtered
    assert "main ()" in filtered.strip().split("\n")[-1] and "main ()" not in plain, filtered


def test_wrong_thread(debugger, program):
    one = program("flat", 2)
    out = run(debugger, ["openmp thread 9.0", "openmp thread 1.7", "openmp thread", "openmp thread 1", "openmp thread -1.0", "openmp bt 1.x",
                         "openmp nonsense", "openmp tree now", "openmp break nothing", "openmp thread '", "openmp thread 1.1"], pid=one.pid)
    assert "There is no region 9; openmp tree shows regions 0 to 1" in out[0]
    assert "There is no thread 7 in region 1; openmp tree shows its team" in out[1]
    assert all("usage: openmp thread R.T" in text for text in out[2:5])
    assert "usage: openmp bt" in out[5]
    assert "There is no command openmp nonsense" in out[6] and "takes no arguments" in out[7]
    assert "There is no event nothing" in out[8] and "No closing quotation" in out[9]
    assert "thread 1.1 (" in out[10], "and it goes on"


def test_no_program(debugger):
    out = run(debugger, ["openmp tree", "openmp", "openmp help"], exe=PROGRAMS / "flat")
    assert "No program: use run" in out[0]
    assert out[1] == out[2] and "openmp thread R.T" in out[1]


def test_not_openmp(debugger, program):
    one = program("plain")
    tree, stack = run(debugger, ["openmp tree", "bt"], pid=one.pid)
    assert re.search(r"no OpenMP|OpenMP runtime", tree), tree
    assert "main" in stack


def test_ompdd_not_found(debugger, program, tmp_path):
    one = program("flat", 2)
    out = run(debugger, ["openmp tree", "bt", f"openmp ompdd {tmp_path}/none", f"openmp ompdd {BIN / 'ompdd'}", "openmp tree"],
              pid=one.pid, ompdd=tmp_path / "missing")
    assert "There is no program" in out[0] and "openmp ompdd PATH" in out[0]
    assert "main" in out[1] or "oracle_park" in out[1], "bt is what it was"
    assert "There is no program" in out[2]
    assert "parallel region 1" in out[4]
