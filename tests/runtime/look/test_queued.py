# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All queued tasks of our runtime, with the tasks that they wait for."""
import collections
import json

from cores import SMALL_STACKS, gcore
from snapshots import check_structure, has_rc
from test_oracle import agree
from test_waits import look

ENV = {"OMP_MAX_TASK_PRIORITY": "200"}


def queued(snapshot):
    return [task for task in snapshot.result["tasks"] if "queued" in task]


def check_queued(snapshot, one):
    """Assertions that hold for all of them."""
    agree(snapshot, one)
    for task in queued(snapshot):
        assert task["kind"] == "explicit" and has_rc(task["thread"]) and has_rc(task["scheduling"])
        assert not has_rc(task["function"]) and not has_rc(task["generating"]) and not has_rc(task["icvs"])
    for region in snapshot.result["parallels"]:
        assert region["queued"] == sum(task["parallel"] == region["handle"] for task in queued(snapshot))


def check_twenty(snapshot, one):
    check_queued(snapshot, one)
    maker = next(line for line in one.lines.values() if "children" in line)
    tasks = queued(snapshot)
    assert len(tasks) == maker["children"] == 20
    assert {task["generating"] for task in tasks} == {snapshot.threads[maker["tid"]]["task"]}
    assert {task["function"]["symbol"] for task in tasks} == {"queued._omp_fn.1"}
    assert all(task["queued"] == {"predecessors": 0} for task in tasks)


def test_twenty(mode, program, client):
    one = program("tasks", "queued")
    check_twenty(look(client, one, mode), one)


def test_of_a_core(program, client, tmp_path):
    one = program("tasks", "queued", env=SMALL_STACKS)
    target = client.target.open_core(core=str(gcore(one, tmp_path)))["target"]
    check_twenty(check_structure(client.snapshot.get(target=target)), one)


def test_dependences_and_priorities(mode, program, client):
    one = program("tasks", "waiting", env=ENV)
    snapshot = look(client, one, mode)
    check_queued(snapshot, one)
    maker = next(line for line in one.lines.values() if "children" in line)
    current = snapshot.task_of(maker["tid"])
    children = [task for task in queued(snapshot) if task["generating"] == current["handle"]]
    assert len(children) == maker["children"] and all(task["queued"] == {"predecessors": 0} for task in children)
    siblings = [task for task in queued(snapshot) if task["generating"] == current["generating"]]
    assert len(siblings) == maker["siblings"] and len(queued(snapshot)) == len(children) + len(siblings)
    # The compiler numbers its functions from the last to the first, or the other way round, but never mixes them.
    siblings.sort(key=lambda task: int(task["function"]["symbol"].rpartition(".")[2]))
    assert [task["queued"]["predecessors"] for task in siblings] in (maker["predecessors"], maker["predecessors"][::-1])


def test_more_than_are_shown(program, client):
    """All are counted, and the answer says that some are missing."""
    one = program("tasks", "many")
    target = client.target.attach(pid=one.pid, mode="stop")["target"]
    result = client.snapshot.get(target=target)
    check_structure(result)
    assert max(region["queued"] for region in result["parallels"]) == 3000
    assert sum("queued" in task for task in result["tasks"]) == 2048
    assert [warning["name"] for warning in result["warnings"]] == ["truncated"]
    assert all(task["queued"] == {"predecessors": 1} for task in result["tasks"] if "queued" in task)


def test_tasks_of_a_taskloop(mode, program, client):
    """All queued tasks are counted, although they share a few handles."""
    one = program("tasks", "taskloop")
    snapshot = look(client, one, mode)
    agree(snapshot, one)
    assert sorted(region["queued"] for region in snapshot.result["parallels"]) == [0, 18]
    assert 0 < len(queued(snapshot)) <= 18 and not snapshot.result.get("warnings")


def test_ompdctl_counts_tasks_of_a_taskloop(program, ompdctl):
    one = program("tasks", "taskloop")
    tree = ompdctl("-p", one.pid, "tree").stdout
    assert "; 18 tasks queued" in tree, tree


def test_none(program, client):
    """Tasks that run, are suspended, undeferred, or waited for, are not queued."""
    for what in ("running", "nested", "chain", "undeferred", "taskwait", "barrier", "depend"):
        one = program("tasks", what)
        snapshot = look(client, one, "stop")
        assert not queued(snapshot) and all(region["queued"] == 0 for region in snapshot.result["parallels"]), what
        one.close()


def test_counted_without_tasks(program, client):
    one = program("tasks", "queued")
    target = client.target.attach(pid=one.pid)["target"]
    assert sorted(region["queued"] for region in client.parallel.list(target=target)["parallels"]) == [0, 20]
    assert sum("queued" in task for task in client.task.list(target=target)["tasks"]) == 20


def test_ompdctl(program, ompdctl):
    one = program("tasks", "queued")
    tree = ompdctl("-p", one.pid, "tree").stdout
    assert "20 explicit tasks queued._omp_fn.1 (queued), created by thread 0" in tree, tree
    table = ompdctl("-p", one.pid, "tasks").stdout
    assert [line.split()[0] for line in table.splitlines() if line.endswith("queued")] == ["20"], table
    one = program("tasks", "waiting", env=ENV)
    table = ompdctl("-p", one.pid, "tasks").stdout
    counts = collections.Counter()
    for line in table.splitlines():
        if "waits for" in line:
            counts[line[line.index("waits for"):].strip()] += int(line.split()[0])
    assert counts == {"waits for 1 task": 3, "waits for 2 tasks": 1}, table
    assert "waits for others" in ompdctl("-p", one.pid, "tree").stdout


def test_running_tasks_in_observe_mode(program, client):
    """Lists that change during the read: nothing is invented, and nothing fails."""
    one = program("rounds", 4)
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    for _ in range(200):
        for task in client.snapshot.get(target=target)["tasks"]:
            if "queued" in task:
                assert task["kind"] == "explicit" and has_rc(task["thread"]), json.dumps(task)
    one.signal()
    assert one.read_line()["failed"] == 0


def test_consistent_while_it_works(program, client):
    one = program("churn")
    target = client.target.attach(pid=one.pid, mode="stop")["target"]
    for _ in range(100):
        result = client.snapshot.get(target=target)
        for task in result["tasks"]:
            if "queued" in task:
                assert task["function"]["symbol"].startswith("main._omp_fn."), task
