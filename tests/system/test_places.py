# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The place of a thread is one frame of the program's own code, in all answers, whatever is linked into the program."""
import os
import re
import shutil
import subprocess

import pytest
from cores import gcore
from hangs import HANG, HANGS, NO_HANG, OWN, RUNTIMES, SOURCES, diagnose_until, here, is_blocked, notes, pid_of, start
from ompdd import Error
from snapshots import diagnose
from targets import wait_until

SOURCE = SOURCES / "barrier_tail.c"
(BARRIER,) = [number for number, line in enumerate(SOURCE.read_text().splitlines(), 1) if "BARRIER" in line]
# The builds of the program: compiler and options.
BUILDS = {f"gcc-O{level}": ["gcc", f"-O{level}", "-g"] for level in range(4)}
BUILDS |= {f"clang-O{level}": ["clang", f"-O{level}", "-g"] for level in range(4)}
BUILDS |= {
    "gcc-no-lines": ["gcc", "-O2"], "clang-no-lines": ["clang", "-O2"],
    "gcc-static": ["gcc", "-O2", "-g", "-static"], "gcc-static-no-lines": ["gcc", "-O1", "-static"],
}
SANITIZERS = {f"{compiler}-{name}": [compiler, "-O1", "-g", f"-fsanitize={name}"]
              for compiler in ("gcc", "clang") for name in ("thread", "address", "undefined")}
BUILDS |= SANITIZERS


def build(command, path, source=SOURCE):
    if not shutil.which(command[0]):
        pytest.skip(f"{command[0]} is not installed")
    done = subprocess.run([*command, "-fopenmp", "-w", source, "-o", path], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"{' '.join(command)}: {done.stderr.strip()[-300:]}")


def is_of_barrier(result):
    return result["verdict"] == "blocked" and result["findings"][0]["n_waiting"] == 3


def check(result, has_lines):
    """Thread 2 sleeps in never(), and the others wait at the barrier in the region's code."""
    first = result["findings"][0]
    (thread,) = first["threads"]
    place = thread["place"]
    waiters = first["claims"][0]["text"]
    assert (first["thing"], thread["thread_num"], thread["calls"]) == ("a barrier", 2, "pause"), first
    if has_lines:
        assert (place["function"], place["location"]["line"]) == ("never", min(here("barrier_tail"))), place
    else:
        assert re.match(r"main\._omp_fn|\.omp_outlined|never", place["function"]) and "line" not in place["location"], place
    lines = re.findall(r"barrier_tail\.c:(\d+)", waiters)
    assert set(lines) <= {str(BARRIER)} and re.search(r", in (main\._omp_fn\.0|\.omp_outlined\.\S*|main)\(\)", waiters), waiters
    # Only gcc on libgomp stores nothing about a barrier that is reached by a jump.
    return lines


@pytest.mark.parametrize("name", BUILDS)
def test_place_of_each_thread(name, program, client, tmp_path):
    path = tmp_path / "barrier_tail"
    build(BUILDS[name], path)
    one = program("barrier_tail", path=path, wait=False)
    has_lines = "-g" in BUILDS[name]
    lines = check(diagnose_until(client, one.pid, is_of_barrier), has_lines)
    if has_lines and (name.startswith("clang") or name in ("gcc-O0", "gcc-O1")):
        assert lines == [str(BARRIER)], lines
    seen = client.thread.list(target=client.target.attach(pid=one.pid, mode="observe")["target"])
    for thread in seen["threads"]:
        place = thread.get("place") or {}
        if thread.get("thread_num") == 2 and "function" in place:
            assert place["function"] in ("never",) if has_lines else "omp" in place["function"], thread
    # Sanitizers reserve terabytes of address space.
    if name not in SANITIZERS:
        check(client.diagnose.get(target=client.target.open_core(core=str(gcore(one, tmp_path)))["target"]), has_lines)


CASES = [(name, runtime) for name in HANG for runtime in RUNTIMES if name not in NO_HANG.get(runtime, ())]
AT_BARRIER = re.compile(r"\bwaits? for (a barrier|the barrier at the end of the region)\b.*, in \S+ at (\S+):(\d+)")


@pytest.mark.parametrize("name, runtime", CASES)
def test_why_and_tree_name_the_same_barrier(name, runtime, program, client):
    one = start(program, name, runtime)
    target = client.target.attach(pid=pid_of(one, name))["target"]
    last = {}

    def agree():
        """Both at rest: LLVM's memory shows a primary thread at the barrier at the end of its region once it sleeps
        (after 200 ms).
        """
        result = diagnose(client, target, interval_ms=50)
        threads = [thread for thread in client.thread.list(target=target)["threads"]
                   if str(thread.get("state", {}).get("name", "")).startswith("ompt_state_wait_barrier")]
        said = [match.groups() for finding in result["findings"] for claim in finding["claims"] if (match := AT_BARRIER.search(claim["text"]))]
        places = {(thread["location"]["file"].split("/")[-1], thread["location"]["line"]) for thread in threads if "line" in thread.get("location", {})}
        last.update(said=said, threads=threads)
        ends = [thing for thing, *_ in said if thing != "a barrier" and runtime != "libgomp"]
        return (result["verdict"] in ("deadlock", "blocked", "waiting", "unknown") and result["findings"] and
                (not ends or any(thread["state"]["name"] == "ompt_state_wait_barrier_implicit_parallel" for thread in threads)) and
                (not places or all((file, int(line)) in places for _, file, line in said)))
    try:
        wait_until(agree, "the hang, with the same kind of barrier in both, at the same place", timeout=60)
    except AssertionError:
        raise AssertionError(last) from None


@pytest.mark.parametrize("runtime", [one for one in RUNTIMES if one != "omprt"])
@pytest.mark.parametrize("kind", ("pointer", "table", "virtual", "closure", "qsort", "bsearch"))
def test_a_holder_behind_an_indirect_call(kind, runtime, program, client):
    one = start(program, "held_calls", runtime, kind)
    result = diagnose_until(client, one.pid, is_blocked)
    (thread,) = result["findings"][0]["threads"]
    assert (thread["thread_num"], thread["calls"], thread["place"]["function"]) == (1, "pause", "asleep"), result
    assert any(claim["source"] == "code" for claim in result["findings"][0]["claims"]), result


@pytest.mark.parametrize("runtime", [one for one in RUNTIMES if one != "omprt"])
def test_who_released_it_before_a_jump_is_no_holder(runtime, program, client):
    """The pointer names another function than the one on the stack; thread 2 has the lock by now."""
    one = start(program, "held_calls", runtime, "released")
    result = diagnose_until(client, one.pid, lambda r: any(f["waits_for"] == "lock" for f in r["findings"] if "waits_for" in f))
    holders = {claim["thread"] for f in result["findings"] for claim in f["claims"] if claim["source"] == "code"}
    numbers = {thread["tid"]: thread["thread_num"] for thread in client.thread.list(target=result["target"])["threads"]}
    assert {numbers[tid] for tid in holders} <= {2}, result


@pytest.mark.parametrize("level", (0, 1, 2, 3))
@pytest.mark.parametrize("compiler", ("g++", "clang++"))
@pytest.mark.parametrize("kind", ("pointer", "qsort"))
def test_and_at_each_level_of_optimization(kind, compiler, level, program, client, tmp_path):
    path = tmp_path / "held_calls"
    build([compiler, "-g", f"-O{level}"], path, SOURCES / "held_calls.cpp")
    one = program("held_calls", kind, path=path, wait=False)
    result = diagnose_until(client, one.pid, is_blocked)
    (thread,) = result["findings"][0]["threads"]
    assert (thread["thread_num"], thread["place"]["function"]) == (1, "asleep"), result


@pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind is not installed")
@pytest.mark.parametrize("runtime", RUNTIMES)
def test_under_valgrind(runtime, mode, tmp_path, client):
    """The kernel shows valgrind's state.

    The answer uses the runtime's memory, and gives the reason for everything else.
    """
    program = HANGS / "barrier_tail" if runtime != "libomp" else HANGS / "llvm" / "barrier_tail"
    if not program.exists():
        pytest.skip(f"{program} was not built")
    env = {**os.environ, **({"LD_LIBRARY_PATH": str(OWN)} if runtime == "omprt" else {})}
    with subprocess.Popen(["valgrind", "--tool=none", "-q", program], env=env, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as one:
        try:
            assert f'"pid": {one.pid}' in one.stdout.readline()
            target = client.target.attach(pid=one.pid, mode=mode)["target"]

            def arrived():
                try:
                    return [p for p in client.parallel.list(target=target)["parallels"] if p.get("arrived", {}).get("threads") == 3]
                except Error as error:
                    assert error.name == "openmp_not_started", error
                    return None
            wait_until(arrived, "three are at the barrier")
            result = diagnose(client, target, interval_ms=50)
            assert "valgrind executes the program" in notes(result)["emulated"], result
            # If memory has all states, a missing thread is known. It sleeps if no thread ran meanwhile.
            assert result["verdict"] in (("unknown", "blocked") if runtime == "omprt" else ("unknown",)), result
            if runtime == "libgomp":
                assert (result["verdict"], result["findings"]) == ("unknown", []), result
                assert "3 of 4 threads of a team are at its barrier" in result["title"], result
            for thread in client.thread.list(target=target)["threads"]:
                assert thread["state"].get("source") != "inferred", thread
                assert "name" in thread["state"] or "valgrind executes the program" in str(thread["state"]), thread
            stacks = client.stack.get(target=target, thread=one.pid)
            assert "valgrind executes the program" in str(stacks), stacks
        finally:
            one.kill()
