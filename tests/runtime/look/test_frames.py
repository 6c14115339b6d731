# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Frames, functions and generating tasks, as our runtime stores them."""
import pytest
from snapshots import has_rc
from test_oracle import agree
from test_waits import check_lines, look

CFA = 0x10  # ompt_frame_runtime | ompt_frame_cfa


def frame_of(client, target, task):
    answer = client.ompd.get_task_frame(target=target, task_handle=task)
    return [(int(answer[name]["frame_address"]["address"], 16), answer[name]["frame_flag"]) for name in ("exit_frame", "enter_frame")]


@pytest.mark.parametrize("name", ["states", "states_stripped"])
def test_frames_lie_between_those_of_the_user(name, program, client):
    one = program(name, "frames")
    target = client.target.attach(pid=one.pid, mode="stop")["target"]
    client.target.stop(target=target)
    running = {line["user"][0]["local"] for line in one.lines.values()}
    for tid, line in one.lines.items():
        thread = client.ompd.get_thread_handle(target=target, kind="OMPD_THREAD_ID_LWP", thread_id=tid)["thread_handle"]
        task = client.ompd.get_curr_task_handle(target=target, thread_handle=thread)["task_handle"]
        inner_cfa = None
        for user in line["user"]:
            (leave, leave_flags), (enter, enter_flags) = frame_of(client, target, task)
            cfa, local = int(user["cfa"], 16), int(user["local"], 16)
            if user["kind"] == "initial":
                assert leave == 0
            else:
                # The runtime's frame that called the task's code is just above that.
                assert cfa <= leave < cfa + 4096 and leave_flags == CFA, (tid, user)
            if user["local"] in running:
                assert enter == 0, "it executes code of its own"
            else:
                # The runtime's frame that its code called is just below it, and above the frames that this one called.
                assert enter <= local < enter + 4096 and enter_flags == CFA, (tid, user)
                if local - 65536 < inner_cfa < local:
                    assert inner_cfa < enter
            inner_cfa = cfa
            if user["kind"] != "initial":
                task = client.ompd.get_generating_task_handle(target=target, task_handle=task)["generating_task_handle"]


def test_logical_stacks_with_names_from_the_runtime(mode, program, client):
    one = program("states", "frames")
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    for tid, line in one.lines.items():
        result = client.stack.get(target=target, thread=tid, logical=True)
        items = [item for item in result["frames"] if item["kind"] in ("task", "parallel")]
        kinds = ["explicit" if item["kind"] == "task" else "implicit" for item in items]
        assert kinds == [user["kind"] for user in line["user"]][:-1] and result["complete"] is True
        for item in items:
            function = item.get("function", {"symbol": "frames._omp_fn."})
            assert function["symbol"].startswith("frames._omp_fn.") and "source" not in function, item


def test_functions_of_regions_and_tasks(mode, program, client):
    one = program("states", "frames")
    result = look(client, one, mode).result
    for parallel in result["parallels"]:
        assert has_rc(parallel["function"]) if parallel["level"] == 0 else "symbol" in parallel["function"]
    by_kind = {kind: {task["function"]["symbol"] for task in result["tasks"] if task["kind"] == kind} for kind in ("implicit", "explicit")}
    assert len(by_kind["implicit"]) == len(by_kind["explicit"]) == 2
    assert not by_kind["implicit"] & by_kind["explicit"]
    assert all("source" not in item["function"] for item in result["tasks"] + result["parallels"])


def test_generating_tasks_outlive_their_end(mode, program, client):
    one = program("states", "ended")
    snapshot = look(client, one, mode)
    agree(snapshot, one)
    check_lines(snapshot, one)
