# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs on LLVM's libomp that report their own omp_get_*() and OMPT view: ompdd, with LLVM's libompd, must agree."""
import contextlib

import ompdd
import pytest
import snapshots
from conftest import LLVM, PROGRAMS, fails
from cores import gcore
from snapshots import check_oracle, check_structure, has_rc
from targets import tasks, wait_until

CASES = [
    ["flat", 1], ["flat", 4], ["flat", 300],
    ["nested", 2, 3], ["nested", 2, 2, 2], ["nested", 1, 4], ["nested", 3, 1, 2],
    ["serialized", "if0"], ["serialized", "one"], ["serialized", "limit"], ["serialized", "between"],
    ["deep", 20],
    # (libomp starts deferred tasks where libgomp waits, so these report the same for both.)
    *[["tasks", mode] for mode in ("running", "nested", "queued", "undeferred", "final", "serial")],
    ["icvs"], ["idle", 4], ["idle", 4, 2], ["idle", 2, 5],
    ["pthreads"],
    ["dlopen", PROGRAMS / "dlopen_part.so"],
]
ENVIRONMENTS = [
    {"OMP_NUM_THREADS": "5,3,2", "OMP_SCHEDULE": "guided,7", "OMP_DYNAMIC": "false", "OMP_MAX_ACTIVE_LEVELS": "5"},
    {"OMP_THREAD_LIMIT": "9", "OMP_CANCELLATION": "true", "OMP_DEFAULT_DEVICE": "3", "OMP_MAX_TASK_PRIORITY": "4"},
    {"OMP_PROC_BIND": "spread,close", "OMP_PLACES": "threads"},
    {"OMP_WAIT_POLICY": "active", "OMP_SCHEDULE": "dynamic,3"},
]
QUIRKS = {"handle_compare", "serialized_nests", "nthreads_var", "ended_regions"}
OMPT = ["if0", "one", "mixed", "task_in_nest", "undeferred", "final", "chain", "taskwait", "critical", "lock", "ordered",
        "barrier"]


def name_of(case):
    return "-".join(str(getattr(part, "name", part)) for part in case)


def look(client, one, mode, warnings=()):
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    result = client.snapshot.get(target=target)
    assert result["runtime"]["kind"] == "libomp"
    assert QUIRKS <= set(result["plugin"]["quirks"])
    assert [warning["name"] for warning in result.get("warnings", [])] == list(warnings)
    return target, result


def look_twice(client, one, mode):
    """The same with handles that stay valid: in stop mode of a held target."""
    target, result = look(client, one, mode)
    if mode == "stop":
        client.target.stop(target=target)
        result = client.snapshot.get(target=target)
    return target, result


def agree(snapshot, one):
    for line in one.oracle().values():
        check_oracle(snapshot, line)
        if "chain" in line:
            assert snapshot.chain(snapshot.task_of(line["tid"])) == line["chain"], line
    for tid, line in one.lines.items():
        if line.get("openmp") is False:
            assert snapshot.threads[tid]["openmp"] is False
        if line.get("idle"):
            assert has_rc(snapshot.threads[tid]["parallel"]), "its region is over"


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_omp_get(mode, llvm, client, case):
    one = llvm(*case)
    snapshot = check_structure(look(client, one, mode)[1])
    assert set(snapshot.threads) == set(tasks(one.pid))
    agree(snapshot, one)


@pytest.mark.parametrize("env", ENVIRONMENTS, ids=lambda env: "+".join(env))
@pytest.mark.parametrize("case", [["flat", 2], ["nested", 2, 2]], ids=name_of)
def test_surroundings(mode, llvm, client, case, env):
    one = llvm(*case, env=env)
    agree(check_structure(look(client, one, mode)[1]), one)


def tool_data(client, target, scope, handle):
    """Return the number that the program's OMPT tool gave this object."""
    return int(client.call("ompd.get_tool_data", {"target": target, "handle": handle, "scope": scope})["value"])


def check_ompt(client, target, snapshot, line):
    tid = line["tid"]
    regions = [region["handle"] for region in snapshot.regions(tid)[::-1]]
    assert [tool_data(client, target, "ompd_scope_parallel", handle) for handle in regions] == line["regions"]
    chain, task = [], snapshot.task_of(tid)
    while True:
        chain.append(task["handle"])
        if has_rc(task["generating"]):
            break
        task = snapshot.tasks[task["generating"]]
    assert [tool_data(client, target, "ompd_scope_task", handle) for handle in chain] == line["tasks"]
    state = snapshot.threads[tid]["state"]
    assert state["source"] == "plugin" and state["name"] in line["states"], state


def check_functions(snapshot):
    """A function belongs to a region or a task, outlined by clang, or is missing. It is never the surrounding code."""
    for thing in [*snapshot.parallels.values(), *snapshot.tasks.values()]:
        if not has_rc(thing["function"]):
            assert thing["function"]["symbol"].startswith((".omp_outlined.", ".omp_task_entry.")), thing
    for task in snapshot.tasks.values():
        if task["kind"] == "implicit":
            assert task["function"] == snapshot.parallels[task["parallel"]]["function"]


@pytest.mark.parametrize("case", OMPT)
def test_ompt(mode, llvm, client, case):
    """The numbers of the program's own tool distinguish regions and tasks."""
    one = llvm("ompt", case)

    def waiting():
        """Threads that report "run" are about to wait in the runtime: repeat until they do."""
        target, result = look(client, one, mode)
        states = {thread["tid"]: thread["state"]["name"] for thread in result["threads"]}
        client.target.detach(target=target)
        return all(states[tid] in line["states"] for tid, line in one.lines.items())

    if case == "task_in_nest":
        for line in one.lines.values():  # No implicit task has started since the last one: the runtime left this value there.
            line["states"].append("ompt_state_work_serial")
    wait_until(waiting, "all threads where they belong")
    target, result = look_twice(client, one, mode)
    snapshot = check_structure(result)
    agree(snapshot, one)
    check_functions(snapshot)
    for line in one.lines.values():
        check_ompt(client, target, snapshot, line)


@pytest.mark.parametrize("case", ["mixed", "task_in_nest"])
def test_debians_build_of_the_library(mode, llvm, daemons, case):
    """Another build of the same library on the same runtime, named by the user."""
    one = llvm("ompt", case)
    with daemons("--libompd", LLVM / "debian" / "libompd.so").connect() as client:
        target, result = look_twice(client, one, mode)
        snapshot = check_structure(result)
        agree(snapshot, one)
        for line in one.lines.values():
            line["states"].append("ompt_state_work_serial") # see test_ompt
            check_ompt(client, target, snapshot, line)


@pytest.mark.parametrize("case", [["ompt", "mixed"], ["ompt", "task_in_nest"], ["idle", 4], ["flat", 30]], ids=name_of)
def test_core(llvm, client, case, tmp_path):
    """A core gives the same answers as the process."""
    one = llvm(*case, env={"OMP_STACKSIZE": "256K"})
    live = client.snapshot.get(target=client.target.attach(pid=one.pid)["target"])
    core = gcore(one, tmp_path)
    target = client.target.open_core(core=str(core))["target"]
    result = client.snapshot.get(target=target)
    snapshot = check_structure(result)
    agree(snapshot, one)
    assert result["consistency"] == "core" and not result.get("warnings")
    assert result["icvs"] == live["icvs"]
    for then, now in zip(live["threads"], result["threads"]):
        assert {key: then[key] for key in ("tid", "state", "wait_id", "thread_num")} == {
            key: now[key] for key in ("tid", "state", "wait_id", "thread_num")}
    if case[0] == "ompt":
        for line in one.lines.values():
            line["states"].append("ompt_state_work_serial") # see test_ompt
            check_ompt(client, target, snapshot, line)


def test_handles_of_threads_can_be_used(mode, llvm, client):
    """ompd_get_thread_in_parallel gives a handle without a context; compare is right although addresses differ by much.
    """
    one = llvm("nested", 2, 2)
    target, result = look_twice(client, one, mode)
    snapshot = check_structure(result)
    for region in result["parallels"]:
        for number, tid in enumerate(region["threads"]):
            handle = client.call("ompd.get_thread_in_parallel", {
                "target": target, "parallel_handle": region["handle"], "thread_num": number})["thread_handle"]
            current = client.call("ompd.get_curr_parallel_handle", {"target": target, "thread_handle": handle})
            same = client.call("ompd.parallel_handle_compare", {
                "target": target, "parallel_handle_1": current["parallel_handle"],
                "parallel_handle_2": snapshot.threads[tid]["parallel"]})
            assert same["cmp_value"] == 0


def test_without_state_tracking(mode, llvm, client):
    """OMP_DEBUG unset: values that the runtime does not store carry that reason; the rest is available."""
    one = llvm("flat", 3, debug=False)
    snapshot = check_structure(look(client, one, mode)[1])
    agree(snapshot, one)
    reason = {"rc": "ompd_rc_needs_state_tracking"}
    assert all(thread["wait_id"] == reason for thread in snapshot.threads.values())
    # That they work is seen from outside.
    assert all(thread["state"]["source"] == "inferred" for thread in snapshot.threads.values())
    assert all(task["function"] == reason for task in snapshot.tasks.values())
    assert snapshot.result["icvs"]["debug-var"]["int"] == 0


def test_nest_without_state_tracking_is_not_made_up(mode, llvm, client):
    """Nor are the records of serialized regions: three levels are one object, and the answer says that some are missing."""
    one = llvm("serialized", "if0", debug=False)
    _, result = look(client, one, mode, ["regions_missing"])
    for tid, line in one.oracle().items():
        assert snapshots.Snapshot(result).parallel_of(tid)["level"] == line["level"]


def test_two_targets_with_different_debug(mode, llvm, client):
    """LLVM's library stores OMP_DEBUG in a global: here each target has its own process."""
    with_it, without = llvm("flat", 2), llvm("flat", 2, debug=False)
    first, second = (client.target.attach(pid=one.pid, mode=mode)["target"] for one in (with_it, without))
    for _ in range(2):
        for target, one, has_states in ((first, with_it, True), (second, without, False)):
            snapshot = check_structure(client.snapshot.get(target=target))
            agree(snapshot, one)
            # Without them ompdd reports its own findings.
            assert all((thread["state"].get("source") == "plugin") == has_states for thread in snapshot.threads.values())


def test_attached_before_it_starts(mode, llvm, daemons):
    """The runtime's layout is zero until then; a library that read it earlier would keep the zeroes."""
    for options in ((), ("--libompd", LLVM / "libompd.so")):
        with daemons("--plugin-dir", LLVM, *options).connect() as client:
            one = llvm("late")
            target = client.target.attach(pid=one.pid, mode=mode)["target"]
            with fails("openmp_not_started"):
                client.snapshot.get(target=target)
            one.signal()
            one.wait_ready()
            agree(check_structure(client.snapshot.get(target=target)), one)


def test_runtime_that_is_loaded_later(mode, llvm, client):
    one = llvm("dlopen", PROGRAMS / "dlopen_part.so", "late")
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    with fails("no_openmp_runtime"):
        client.snapshot.get(target=target)
    one.signal()
    one.wait_ready()
    agree(check_structure(client.snapshot.get(target=target)), one)


def test_threads_that_come_and_go_beside(mode, llvm, client):
    """300 threads, many times: no handle and no block remains."""
    one = llvm("flat", 300)
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    seen = set()
    for _ in range(20):
        result = client.snapshot.get(target=target)
        seen.add((len(result["threads"]), len(result["parallels"]), len(result["tasks"])))
    assert seen == {(300, 2, 301)}
    with contextlib.suppress(ompdd.Error):
        client.target.detach(target=target)
