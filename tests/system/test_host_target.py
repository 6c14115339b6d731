# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Target regions that the host executes: stock libgomp clears the thread's record meanwhile."""
import pytest
from cores import gcore
from snapshots import Snapshot, check_structure, diagnose, has_rc
from targets import IN_LIBC, OMPRT

MODES = ("serial", "after", "primary", "member", "task", "team", "inner")
# Number of threads in the team that waits, without those in the target region.
TEAM = {"primary": 3, "member": 3, "task": 2, "team": 2}


def check_in_target(snapshot: Snapshot, line, around):
    """The thread is in an initial task, which the task of level `around` generated."""
    thread = snapshot.threads[line["tid"]]
    assert thread["openmp"], thread
    assert thread["thread_num"] == line["number"], thread
    task = snapshot.task_of(line["tid"])
    while task["kind"] != "initial":
        task = snapshot.tasks[task["generating"]]
    region = snapshot.parallels[task["parallel"]]
    assert region["level"] == 0 and region["team_size"] == 1, region
    outer = snapshot.tasks[task["generating"]]
    assert snapshot.parallels[outer["parallel"]]["level"] == around, outer
    return outer


def check(snapshot: Snapshot, one, mode, has_tasks=True):
    for line in one.lines.values():
        thread = snapshot.threads[line["tid"]]
        assert thread["openmp"], thread
        if line["in_target"] and has_tasks:
            outer = check_in_target(snapshot, line, line["outer"])
            assert outer["kind"] == ("explicit" if mode == "task" else "implicit" if line["outer"] else "initial")
        elif line["in_target"]:
            assert snapshot.parallel_of(line["tid"])["level"] == 0
        else:
            region = snapshot.parallel_of(line["tid"])
            assert region["level"] == line["outer"] and thread["thread_num"] == line["number"], thread
            assert has_rc(thread["state"]) or thread["state"]["name"].startswith("ompt_state_wait_barrier"), thread
            if mode in TEAM:
                assert region["team_size"] == TEAM[mode], region
                assert len(region["threads"]) == TEAM[mode], region


def check_regions(result, one, has_tasks=True):
    """target_region.list has the region, with the thread that encountered it."""
    region, = result["target_regions"]
    inside = [line for line in one.lines.values() if line["in_target"]]
    assert (region["construct"], region["activity"]) == ("target", "host"), region
    assert region["nowait"] is False or (not has_tasks and has_rc(region["nowait"]) and has_rc(region["task"])), region
    assert "._omp_fn." in region["function"], region
    assert region["thread"] in [line["tid"] for line in inside] and not region["helper"] and region["awaited_by"] == [], region
    assert region["call_site"]["location"]["file"].endswith("host_target.c") and "device" not in region, region


@pytest.mark.parametrize("what", MODES)
def test_thread_in_a_target_region_is_known(what, program, client):
    one = program("host_target", what)
    target = client.target.attach(pid=one.pid, mode="stop")["target"]
    check(check_structure(client.snapshot.get(target=target)), one, what)
    check_regions(client.target_region.list(target=target), one)


@pytest.mark.parametrize("what", MODES)
def test_core(what, program, client, tmp_path):
    one = program("host_target", what)
    target = client.target.open_core(core=str(gcore(one, tmp_path)))["target"]
    check(check_structure(client.snapshot.get(target=target)), one, what)
    check_regions(client.target_region.list(target=target), one)


@pytest.mark.skipif(IN_LIBC, reason="there the stack of a sleeping thread needs other registers")
@pytest.mark.parametrize("what", ("primary", "member"))
def test_observe_mode_shows_the_team(what, program, client):
    """Registers of a sleeping thread are not known: its task may be unavailable, its team is not."""
    one = program("host_target", what)
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    check(Snapshot(client.snapshot.get(target=target)), one, what, has_tasks=OMPRT)
    check_regions(client.target_region.list(target=target), one, has_tasks=OMPRT)


@pytest.mark.parametrize("what", ("primary", "member", "task"))
def test_why_names_the_thread_in_the_target_region(what, program, client):
    one = program("host_target", what)
    target = client.target.attach(pid=one.pid, mode="stop")["target"]
    result = diagnose(client, target)
    assert result["verdict"] in ("blocked", "waiting"), result
    inside = next(line["tid"] for line in one.lines.values() if line["in_target"])
    finding = result["findings"][0]
    assert finding["n_waiting"] == TEAM[what] - 1, finding
    assert inside in [thread["tid"] for claim in finding["claims"] for thread in claim.get("threads", [])] or \
        str(inside) in " ".join(claim["text"] for claim in finding["claims"]), finding


@pytest.mark.parametrize("what", ("primary", "team"))
def test_logical_stack_reaches_main(what, program, ompdctl):
    one = program("host_target", what)
    text = ompdctl("-p", one.pid, "bt", "--all", "--logical").stdout
    for part in text.split("\n\n")[1:]:
        assert "main() at" in part, text


def test_members_are_not_called_idle(program, client):
    """While the region's root runs in the target region, its registers are unknown in observe mode."""
    one = program("host_target", "primary")
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    for thread in client.thread.list(target=target)["threads"]:
        assert has_rc(thread["state"]) or thread["state"]["name"] != "ompt_state_idle", thread
