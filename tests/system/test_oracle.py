# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that report their own omp_get_*() view and park: ompdd must agree in every answer, in both modes."""
import subprocess

import pytest
from conftest import fails
from snapshots import check_oracle, check_structure, has_rc
from targets import OMPRT, PROGRAMS, tasks

CASES = [
    ["flat", 1], ["flat", 4], ["flat", 300], ["flat_stripped", 4],
    ["nested", 2, 3], ["nested", 2, 2, 2], ["nested", 1, 4], ["nested", 3, 1, 2],
    ["serialized", "if0"], ["serialized", "one"], ["serialized", "limit"], ["serialized", "between"],
    ["deep", 20],
    *[["tasks", mode] for mode in ("running", "taskwait", "taskgroup", "depend", "nested", "chain", "queued", "undeferred",
                                   "final", "barrier", "serial")],
    ["tasks_stripped", "chain"],
    ["icvs"], ["procbind"],
    ["idle", 4], ["idle", 4, 2], ["idle", 2, 5],
    ["pthreads"], ["unjoined"],
    ["dlopen", PROGRAMS / "dlopen_part.so"],
    *[["waits", mode] for mode in ("critical", "named", "lock", "nestlock", "atomic", "ordered", "barrier", "single",
                                   "sections", "loop", "end", "copyprivate", "spin")],
    ["languages_cpp"], ["languages_f90"],
]
# Environments that a user may have: each one changes the ICVs.
ENVIRONMENTS = [
    {"OMP_NUM_THREADS": "5,3,2", "OMP_SCHEDULE": "guided,7", "OMP_DYNAMIC": "false", "OMP_MAX_ACTIVE_LEVELS": "5"},
    {"OMP_PROC_BIND": "spread,close", "OMP_PLACES": "threads", "OMP_THREAD_LIMIT": "9"},
    {"OMP_CANCELLATION": "true", "OMP_DEFAULT_DEVICE": "3", "OMP_MAX_TASK_PRIORITY": "4"},
    {"OMP_SCHEDULE": "monotonic:dynamic,3", "OMP_NESTED": "true"},
    {"OMP_WAIT_POLICY": "active"}, {"OMP_WAIT_POLICY": "passive", "OMP_SCHEDULE": "auto"},
]


def name_of(case):
    return "-".join(str(getattr(part, "name", part)) for part in case) if isinstance(case, list) else "+".join(case)


def look(client, program, mode):
    """A snapshot of a parked program that has passed the checks for any snapshot."""
    target = client.target.attach(pid=program.pid, mode=mode)["target"]
    result = client.snapshot.get(target=target)
    assert result["pid"] == program.pid
    assert result["consistency"] in (("stopped", "proven") if mode == "stop" else ("proven", "racy"))
    assert (result["stopped_us"] > 0) == (result["consistency"] == "stopped")
    assert not result.get("warnings"), result["warnings"]
    snapshot = check_structure(result)
    assert set(snapshot.threads) == set(tasks(program.pid))
    return snapshot


def agree(snapshot, program, mode="stop"):
    # Around a target region on the host is the program's own initial task. Only registers show where libgomp saved it.
    around = [["initial"] if program.twin == "host" else []]
    if mode == "observe":
        around.append([])
    for line in program.oracle().values():
        check_oracle(snapshot, line)
        if "chain" in line:
            assert snapshot.chain(snapshot.task_of(line["tid"])) in [line["chain"] + kinds for kinds in around], line
    for tid, line in program.lines.items():
        if line.get("openmp") is False:
            assert snapshot.threads[tid]["openmp"] is False


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_every_answer_agrees(case, mode, program, client):
    one = program(*case)
    snapshot = look(client, one, mode)
    agree(snapshot, one, mode)
    # Each thread of the process either reported, or is not an OpenMP thread. Our runtime keeps idle threads.
    for tid, thread in snapshot.threads.items():
        idle = OMPRT and thread["openmp"] and thread["state"]["name"] == "ompt_state_idle"
        assert tid in one.lines or thread["openmp"] is False or idle, thread


@pytest.mark.parametrize("env", ENVIRONMENTS, ids=name_of)
@pytest.mark.parametrize("case", [["nested", 2, 2], ["procbind"], ["icvs"]], ids=name_of)
def test_every_answer_agrees_whatever_the_environment(case, env, mode, program, client):
    one = program(*case, env=env)
    agree(look(client, one, mode), one)


def test_dynamic_adjustment_of_team_sizes(mode, program, client):
    """With OMP_DYNAMIC=true, any larger team may lose threads. The remaining ones report that."""
    one = program("flat", 1, env={"OMP_DYNAMIC": "true"})
    assert one.oracle()[one.pid]["dynamic"] == 1
    agree(look(client, one, mode), one)


def test_second_snapshot_is_a_new_epoch_with_the_same_answers(mode, program, client):
    one = program("nested", 2, 3)
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    first = client.snapshot.get(target=target)
    second = client.snapshot.get(target=target)
    assert second["epoch"] > first["epoch"]
    for result in (first, second):
        agree(check_structure(result), one)


def test_lists_are_the_parts_of_the_snapshot(mode, program, client):
    one = program("tasks", "chain")
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    snapshot = client.snapshot.get(target=target)

    def plain(value):
        """Without handles, whose epoch differs in each call."""
        if isinstance(value, list):
            return [plain(item) for item in value]
        if isinstance(value, dict):
            return {key: plain(item) for key, item in value.items()}
        if isinstance(value, str) and value.startswith(f"{target}:e"):
            return value.split(":")[2]
        return value
    for method, key in (("thread.list", "threads"), ("parallel.list", "parallels"), ("task.list", "tasks"), ("icv.list", "icvs")):
        assert plain(client.call(method, {"target": target})[key]) == plain(snapshot[key]), method


def test_functions_of_explicit_tasks_are_named(mode, program, client):
    one = program("tasks", "chain")
    snapshot = look(client, one, mode)
    explicit = [task for task in snapshot.tasks.values() if task["kind"] == "explicit"]
    assert len(explicit) == 2
    symbols = {task["function"]["symbol"] for task in explicit}
    assert len(symbols) == 2 and all(symbol.startswith("deferred_chain._omp_fn.") for symbol in symbols), symbols


def test_functions_of_a_stripped_program_have_addresses_but_no_made_up_names(mode, program, client):
    one = program("tasks_stripped", "chain")
    snapshot = look(client, one, mode)
    explicit = [task for task in snapshot.tasks.values() if task["kind"] == "explicit"]
    assert len(explicit) == 2
    maps = [line.split()[0].split("-") for line in open(f"/proc/{one.pid}/maps") if "r-xp" in line and "tasks_stripped" in line]
    for task in explicit:
        address = int(task["function"]["address"], 16)
        assert any(int(low, 16) <= address < int(high, 16) for low, high in maps)
        assert has_rc(task["function"]["symbol"])


def test_suspended_tasks_are_known_by_their_children(mode, program, client):
    """A thread in a child task of a task: the parent is still in the answer although no thread executes it."""
    one = program("tasks", "nested")
    snapshot = look(client, one, mode)
    assert sum(task["kind"] == "explicit" for task in snapshot.tasks.values()) == 5


def test_initial_threads_of_their_own_are_not_one_team(mode, program, client):
    one = program("pthreads")
    snapshot = look(client, one, mode)
    roots = {snapshot.regions(tid)[0]["handle"] for tid in one.oracle()}
    assert len(roots) == 3
    assert sorted(parallel["team_size"] for parallel in snapshot.parallels.values() if parallel["level"] == 1) == [2, 2, 3]


def test_runtime_and_plugin_are_named(mode, program, client):
    one = program("flat", 2)
    snapshot = look(client, one, mode).result
    runtime = snapshot["runtime"]
    assert runtime["kind"] == ("omprt" if OMPRT else "libgomp") and "libgomp.so.1" in runtime["path"]
    # gdb's view of the same file: the build id in its notes.
    assert not has_rc(runtime["build_id"]) and len(runtime["build_id"]) == 40
    assert snapshot["plugin"]["api_version"] == 202111
    assert snapshot["plugin"]["path"].endswith("libompd.so")


def test_static_program_is_right_or_refused(mode, program, client):
    """libgomp is linked into the program and has no module of its own.

    Either all is right, or the answer names the missing part.
    """
    if not (PROGRAMS / "flat_static").exists():
        pytest.skip("no static libgomp on this system")
    one = program("flat_static", 4)
    import ompdd
    try:
        snapshot = look(client, one, mode)
    except ompdd.Error as error:
        assert error.name in ("program_stripped", "unknown_layout"), error
        assert "static" in error.data["hint"] or "static" in str(error), error
        return
    agree(snapshot, one)
    for tid in one.oracle():
        assert snapshot.threads[tid]["state"]["name"] == "ompt_state_work_parallel", "it sleeps, but not in the runtime"


# It contains the parts of libgomp that it calls, and none of the functions that read control variables.
BARE = """#include <omp.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	printf("{\\"pid\\": %d, \\"lines\\": 3}\\n", getpid());
#pragma omp parallel num_threads(3)
	{
		printf("{\\"tid\\": %ld, \\"by\\": \\"pause\\", \\"number\\": %d}\\n", syscall(SYS_gettid), omp_get_thread_num());
		fflush(stdout);
		for (;;)
			pause();
	}
}
"""


def test_static_program_that_asks_for_nothing(mode, program, client, tmp_path):
    if not (PROGRAMS / "flat_static").exists():
        pytest.skip("no static libgomp on this system")
    path = tmp_path / "bare"
    subprocess.run(["gcc", "-fopenmp", "-static", "-x", "c", "-", "-o", path], input=BARE, text=True, check=True)
    one = program(path)
    snapshot = look(client, one, mode)
    assert {snapshot.threads[tid]["thread_num"]: tid for tid in one.lines} == {line["number"]: tid for tid, line in one.lines.items()}
    for tid in one.lines:
        assert [(region["level"], region["team_size"]) for region in snapshot.regions(tid)] == [(0, 1), (1, 3)]
        assert snapshot.threads[tid]["state"]["name"] == "ompt_state_work_parallel"
