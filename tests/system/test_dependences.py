# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""task.list with dependences: the tasks that a queued task waits for."""
import pytest
from daemons import SANITIZED
from task_graph import RUNTIMES, attach

OURS = RUNTIMES["ours"][1]
ours = pytest.mark.skipif(SANITIZED, reason="this build's runtime has a sanitizer that its programs do not start with")


@ours
def test_who_waits_for_whom(mode, client, program):
    """A task runs. A chain of three waits for it, one waits for two of these, and ten wait for no task."""
    one = program("tasks", "waiting", env=OURS)
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    assert not any("waits_for" in task.get("queued", {}) for task in client.task.list(target=target)["tasks"])
    tasks = {task["handle"]: task for task in client.task.list(target=target, dependences=True)["tasks"]}
    queued = {handle: task["queued"] for handle, task in tasks.items() if "queued" in task}
    waits = {handle: entry["waits_for"] for handle, entry in queued.items() if "waits_for" in entry}
    assert all((handle in waits) == (entry["predecessors"] > 0) for handle, entry in queued.items())
    assert all(entry["complete"] and len(entry["tasks"]) == queued[handle]["predecessors"] for handle, entry in waits.items())
    behind = {}
    for handle, entry in waits.items():
        for before in entry["tasks"]:
            behind.setdefault(before, set()).add(handle)
    running = [handle for handle in behind if handle not in queued]
    assert len(running) == 1 and tasks[running[0]]["kind"] == "explicit" and isinstance(tasks[running[0]]["thread"], int)
    (first,) = behind[running[0]]
    (second,) = behind[first]
    third, last = sorted(behind[second], key=lambda handle: len(waits[handle]["tasks"]))
    assert behind[third] == {last} and last not in behind
    assert set(waits[last]["tasks"]) == {second, third}


@ours
def test_three_thousand_that_wait_for_one(client, program):
    one = program("tasks", "many", env=OURS)
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    tasks = client.task.list(target=target, dependences=True)["tasks"]
    waits = [task["queued"]["waits_for"] for task in tasks if "waits_for" in task.get("queued", {})]
    assert len(waits) == 128
    assert len({handle for entry in waits for handle in entry.get("tasks", [])}) <= 1


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_behind_a_thread_in_taskwait(runtime, mode, client, program):
    """Also on runtimes that list no tasks, or no waiting tasks: a thread leads to them."""
    target = attach(runtime, program, client, mode)
    answer = client.task.list(target=target, dependences=True)
    tasks = {task["handle"]: task for task in answer["tasks"]}
    waits = {handle: task["queued"]["waits_for"] for handle, task in tasks.items() if task.get("queued", {}).get("predecessors")}
    assert all(entry["complete"] for entry in waits.values())
    last = next(handle for handle, entry in waits.items() if len(entry["tasks"]) == 2)
    middle = waits[last]["tasks"]
    (first,) = {before for handle in middle for before in waits[handle]["tasks"]}
    assert set(waits) == {last, *middle} and first not in waits
    assert tasks[first]["kind"] == "explicit" and isinstance(tasks[first]["thread"], int)
    assert [warning["name"] for warning in answer.get("warnings", [])] == ([] if runtime == "ours" else ["tasks_not_listed"])


def test_who_asks_for_no_dependences_is_not_told_what_is_missing(client, program):
    target = attach("libgomp", program, client, "observe")
    answer = client.task.list(target=target)
    assert "warnings" not in answer and not any("queued" in task for task in answer["tasks"])
