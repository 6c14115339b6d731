# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ompd_get_tool_data(): a tool in the program (llvm/ompt.c) gives its threads, regions and tasks a number each."""
import pytest
from conftest import fails
from cores import SMALL_STACKS, gcore
from snapshots import Snapshot, check_structure, has_rc
from targets import wait_until
from test_oracle import agree

WAITS = ["taskwait", "critical", "lock", "ordered", "barrier"]
CASES = ["flat", "if0", "one", "mixed", "task_in_nest", "undeferred", "final", "chain", "teams", *WAITS]
# States that the program reports on LLVM's runtime. gcc emits the same call for a barrier and for the end of some
# constructs.
STATES = {"ompt_state_wait_barrier_explicit": "ompt_state_wait_barrier"}


def hold(client, one):
    target = client.target.attach(pid=one.pid, mode="stop")["target"]
    client.target.stop(target=target)
    return target


def data(client, target, scope, handle=None):
    answer = client.ompd.get_tool_data(target=target, handle=handle, scope=f"ompd_scope_{scope}")
    assert int(answer["ptr"]["address"], 16) == int(answer["value"]), "the word is either"
    return int(answer["value"])


def thread_handle(client, target, tid):
    return client.ompd.get_thread_handle(target=target, kind="OMPD_THREAD_ID_LWP", thread_id=tid)["thread_handle"]


def around(first, items, link):
    """Return @first and its enclosing objects, innermost first."""
    chain = [first]
    while not has_rc(chain[-1][link]):
        chain.append(items[chain[-1][link]])
    return chain


def check_line(client, target, snapshot, line):
    thread = snapshot.threads[line["tid"]]
    regions = around(snapshot.parallel_of(line["tid"]), snapshot.parallels, "enclosing")
    tasks = around(snapshot.task_of(line["tid"]), snapshot.tasks, "generating")
    assert data(client, target, "thread", thread_handle(client, target, line["tid"])) == line["ompt"]["thread"]
    assert [data(client, target, "parallel", region["handle"]) for region in regions] == line["regions"]
    assert [data(client, target, "task", task["handle"]) for task in tasks] == line["tasks"]
    numbers = [*line["regions"], *line["tasks"], line["ompt"]["thread"]]
    assert len(set(numbers)) == len(regions) + len(tasks) + 1, "each has its own"
    implicit = [task for task in tasks if task["kind"] != "explicit"]
    assert [data(client, target, "implicit_task", task["handle"]) for task in implicit] == \
        [number for number, task in zip(line["tasks"], tasks) if task["kind"] != "explicit"]
    states = [STATES.get(state, state) for state in line["states"]]
    assert thread["state"]["name"] in states


def settled(client, one):
    """Threads that report "run" are about to wait in the runtime: repeat until they do."""
    target = client.target.attach(pid=one.pid, mode="stop")["target"]
    states = {thread["tid"]: thread["state"]["name"] for thread in client.snapshot.get(target=target)["threads"]}
    client.target.detach(target=target)
    return all("wait" in states[tid] for tid, line in one.lines.items() if line["by"] == "run")


def check(client, one, target):
    result = client.snapshot.get(target=target)
    snapshot = check_structure(result)
    agree(snapshot, one)
    for line in one.lines.values():
        check_line(client, target, snapshot, line)
    assert data(client, target, "address_space") == 0, "it stores nothing for itself"


@pytest.mark.parametrize("case", CASES)
def test_live(case, program, client):
    one = program("ompt", case)
    wait_until(lambda: settled(client, one), "all threads where they belong")
    check(client, one, hold(client, one))


@pytest.mark.parametrize("case", ["mixed", "chain"])
def test_core(case, program, client, tmp_path):
    one = program("ompt", case, env=SMALL_STACKS)
    core = gcore(one, tmp_path)
    check(client, one, client.target.open_core(core=str(core))["target"])


@pytest.mark.parametrize("env", [{"OMP_TOOL": "disabled"}, {}])
def test_no_tool(env, program, client):
    one = program("ompt" if env else "flat", *(["flat"] if env else [2]), env=env)
    target = hold(client, one)
    snapshot = Snapshot(client.snapshot.get(target=target))
    for scope, handle in (("address_space", None), ("thread", thread_handle(client, target, one.pid)),
                          ("parallel", next(iter(snapshot.parallels))), ("task", next(iter(snapshot.tasks)))):
        with fails("ompd_rc_unavailable"):
            data(client, target, scope, handle)
