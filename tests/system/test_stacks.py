# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stacks: the same frames as in gdb, logical stacks, groups, and what stacks show about regions and threads."""
import pathlib
import re
import shutil
import subprocess

import pytest
from conftest import fails
from cores import SMALL_STACKS, gcore
from snapshots import has_rc
from targets import IN_LIBC, OMPRT, stopped_threads, tracer, wait_until


def attach(client, program, mode="stop"):
    return client.target.attach(pid=program.pid, mode=mode)["target"]


def is_limit_of_observe(result, mode):
    """The frame of GOMP_task depends on a register that is unknown without a stop: the only accepted reason."""
    return mode == "observe" and result["complete"] is not True and \
        result["complete"]["hint"] == 'attach with mode "stop"'


def stack(client, target, tid, **params):
    result = client.stack.get(target=target, thread=tid, **params)
    assert result["thread"]["tid"] == tid
    return result


def outline(frames):
    """Return the functions of the program, with boundaries as <…>, without frames below main and above leaf()."""
    lines = []
    for item in frames:
        if item["kind"] in ("user", "runtime", "start"):
            if item["kind"] == "user":
                lines.append(item["function"])
        elif item["kind"] == "construct":
            lines.append(f"<in {item['entry']}>")
        else:
            lines.append(f"<{item['kind']}>")
    return lines


def below_leaf(lines):
    return lines[lines.index("leaf") + 1:] if "leaf" in lines else lines


def by_number(program):
    """Return the lines of the oracle by (level, thread number)."""
    return {(line["level"], line["thread_num"]): line["tid"] for line in program.oracle().values()}


def gdb_frames(pid):
    """Return the functions of gdb's `bt` per thread, innermost first."""
    text = subprocess.run(["gdb", "-nx", "-batch", "-p", str(pid), "-ex", "set print frame-arguments none",
                           "-ex", "set filename-display basename", "-ex", "thread apply all bt"],
                          capture_output=True, text=True, timeout=600).stdout
    threads, tid = {}, None
    for line in text.splitlines():
        found = re.match(r"Thread \d+ \(.*LWP (\d+)\)", line) or re.match(r"Thread \d+ \(process (\d+)\)", line)
        if found:
            tid = int(found[1])
            threads[tid] = []
        found = re.match(r"#\d+\s+(?:0x[0-9a-f]+ in )?(\S+) \(", line)
        if found and tid:
            threads[tid].append(found[1])
    return threads


@pytest.mark.skipif(not shutil.which("gdb"), reason="needs gdb")
@pytest.mark.parametrize("args", [("stacks", "regions"), ("stacks", "tasks"), ("stacks", "wait", "barrier"), ("nested", 2, 3)])
def test_frames_are_those_of_gdb(args, mode, program, client):
    one = program(*args)
    target = attach(client, one, mode)
    ours = {tid: stack(client, target, tid) for tid in one.lines}
    client.target.detach(target=target)
    theirs = gdb_frames(one.pid)
    for tid, result in ours.items():
        # gdb stops at main(), but shows frames below a thread's first function, which have no names without libc's
        # debug information.
        started = not theirs[tid][-1] == "main"
        frames = [frame for frame in result["frames"] if started or frame["kind"] != "start"]
        expected = theirs[tid]
        if result["complete"] is True:
            assert len(frames) == len(expected), (frames, expected)
        else:
            assert is_limit_of_observe(result, mode) and args[1] == "tasks" and len(frames) > 5, result["complete"]
        for frame, name in zip(frames, expected):
            if name == "??":
                assert has_rc(frame["function"]), frame
            elif "libc" not in frame["module"]:  # Such a function has many names.
                # gdb has the source's name of an outlined function, symbols have the linker's.
                assert frame["function"] == name or frame["function"].startswith(name + "."), (frame, name)


def test_frames_tell_where(mode, program, client):
    one = program("stacks", "regions")
    target = attach(client, one, mode)
    result = stack(client, target, one.pid)
    frames = {frame["function"]: frame for frame in result["frames"] if not has_rc(frame["function"])}
    assert frames["leaf"]["location"]["file"].endswith("stacks.c") and frames["leaf"]["location"]["line"] > 0
    assert frames["leaf"]["module"].endswith("/stacks") and frames["leaf"]["offset"] > 0
    assert frames["GOMP_parallel"]["kind"] == "runtime" and "libgomp" in frames["GOMP_parallel"]["module"]
    assert frames["main"]["kind"] == "user"
    assert result["frames"][-1]["kind"] == "start"
    pointers = [int(frame["sp"], 16) for frame in result["frames"] if not frame.get("inlined")]
    assert pointers == sorted(set(pointers))
    assert result["thread"]["openmp"] is True and result["thread"]["thread_num"] == 0
    result = stack(client, target, next(tid for tid in one.lines if tid != one.pid))
    assert [frame["kind"] for frame in result["frames"][-3:]] == ["runtime", "start", "start"], "the pool's thread"


@pytest.mark.parametrize("name", ["stacks", "stacks_static"])
def test_logical_stack_of_nested_regions(name, mode, program, programs, client):
    if not (programs / name).exists():
        pytest.skip("no static libgomp")
    one = program(name, "regions")
    target = attach(client, one, mode)
    for tid in one.oracle():
        result = stack(client, target, tid, logical=True)
        assert below_leaf(outline(result["frames"])) == [
            "inner_region._omp_fn.0", "<parallel>", "inner_region", "middle", "regions._omp_fn.0", "<parallel>", "regions", "main"]
        assert result["complete"] is True
        inner, outer = [item for item in result["frames"] if item["kind"] == "parallel"]
        assert (inner["level"], outer["level"]) == (2, 1) and inner["team_size"] == outer["team_size"] == 2
        assert inner["parallel"] == result["thread"]["parallel"] != outer["parallel"]
        line = one.lines[tid]
        assert inner["thread_num"] == line["thread_num"] == line["ancestors"][2]
        assert outer["thread_num"] == line["ancestors"][1]
        assert outer["thread"] == one.pid, "the initial thread met the outer region"
        assert one.lines[inner["thread"]]["ancestors"][:2] == line["ancestors"][:2], "its own team's first thread met the inner one"
        assert one.lines[inner["thread"]]["thread_num"] == 0


@pytest.mark.parametrize("what,entry,construct,function", [
    ("critical", "GOMP_critical_name_start", "critical", "at_critical"), ("lock", "omp_set_lock", "lock", "at_lock"),
    ("barrier", "GOMP_barrier", "barrier", "at_barrier"), ("single", "GOMP_barrier", "barrier", "at_single")])
def test_the_construct_that_is_waited_in(what, entry, construct, function, mode, program, client):
    """libgomp ends GOMP_barrier with a jump: it is on no stack, but known."""
    if IN_LIBC and mode == "observe":
        pytest.skip("from syscall() on, a stack begins with registers")
    one = program("stacks", "wait", what)
    target = attach(client, one, mode)
    snapshot = client.snapshot.get(target=target, stacks="all")
    threads = {thread["tid"]: thread for thread in snapshot["threads"]}
    waiting = [line["tid"] for line in one.lines.values() if line["by"] == "futex"]
    assert len(waiting) == 2
    for tid in waiting:
        result = stack(client, target, tid, logical=True)
        lines = outline(result["frames"])
        assert lines[:3] == [f"<in {entry}>", function, "wait_for._omp_fn.0"], lines
        assert lines[-1] == "main" and result["complete"] is True
        assert result["frames"][0]["construct"] == construct and result["frames"][0]["frames"] >= 1
        where = threads[tid]["construct"]
        assert where["entry"] == entry and where["construct"] == construct and where["source"] == "inferred"
        assert where["call_site"]["function"] == function
        assert where["call_site"]["location"]["file"].endswith("stacks.c")
    holder = next(line["tid"] for line in one.lines.values() if line["by"] == "pause")
    assert "construct" not in threads[holder]


def test_logical_stack_of_tasks(mode, program, client):
    """Through the generating task on another thread's stack."""
    one = program("stacks", "tasks")
    target = attach(client, one, mode)
    numbers = {line["thread_num"]: tid for tid, line in one.oracle().items()}
    first = ["first_task", "tasks._omp_fn.1", "<task>", "tasks._omp_fn.0", "<parallel>", "tasks", "main"]
    result = stack(client, target, numbers[0], logical=True)
    if is_limit_of_observe(result, mode):
        assert below_leaf(outline(result["frames"])) == ["first_task", "tasks._omp_fn.1", "<task>", "<parallel>"]
        return
    assert below_leaf(outline(result["frames"])) == first
    assert result["complete"] is True
    result = stack(client, target, numbers[1], logical=True)
    lines = outline(result["frames"])
    assert lines[lines.index("leaf") + 1:][:2] == ["second_task._omp_fn.0", "<task>"]
    assert lines[-len(first):] == first and result["complete"] is True
    boundaries = [item for item in result["frames"] if item["kind"] == "task"]
    assert boundaries[0]["task"] == result["thread"]["task"]
    assert boundaries[0]["thread"] == numbers[0], "the generating task is on the other stack"
    assert boundaries[0]["function"]["symbol"] == "second_task._omp_fn.0"
    assert boundaries[1]["function"]["symbol"] == "tasks._omp_fn.1"
    # Stock libgomp stores no function for an undeferred task.
    assert boundaries[1]["function"].get("source") == (None if OMPRT else "inferred")


@pytest.mark.parametrize("what", ["running", "taskwait", "taskgroup", "depend", "nested", "queued", "undeferred", "final", "barrier"])
def test_logical_stack_of_any_task_ends_at_main(what, mode, program, client):
    one = program("tasks", what)
    target = attach(client, one, mode)
    for tid, line in one.lines.items():
        if "chain" not in line:
            continue
        result = stack(client, target, tid, logical=True)
        lines = outline(result["frames"])
        assert is_limit_of_observe(result, mode) or (result["complete"] is True and lines[-1] == "main"), (lines, result["complete"])
        kinds = ["explicit" if item["kind"] == "task" else "implicit" for item in result["frames"] if item["kind"] in ("task", "parallel")]
        assert kinds + ["initial"] == line["chain"], lines


def test_at_the_end_of_a_region(mode, program, client):
    one = program("stacks", "end")
    target = attach(client, one, mode)
    result = stack(client, target, one.pid, logical=True)
    assert outline(result["frames"]) == ["<in GOMP_parallel>", "<parallel>", "at_end", "main"]
    assert result["complete"] is True


def test_regions_get_function_and_call_site(mode, program, client):
    one = program("stacks", "regions")
    target = attach(client, one, mode)
    plain = client.snapshot.get(target=target)
    assert not any("call_site" in parallel for parallel in plain["parallels"])
    for result in (client.parallel.list(target=target, stacks=True), client.snapshot.get(target=target, stacks="regions")):
        assert [parallel["level"] for parallel in result["parallels"]] == [0, 1, 2, 2]
        assert has_rc(result["parallels"][0]["function"])
        for parallel, function, caller in zip(result["parallels"][1:], ("regions._omp_fn.0", *["inner_region._omp_fn.0"] * 2),
                                              ("regions", *["inner_region"] * 2)):
            assert parallel["function"]["symbol"] == function and parallel["function"].get("source") == (None if OMPRT else "inferred")
            assert parallel["call_site"]["function"] == caller
            assert parallel["call_site"]["location"]["file"].endswith("stacks.c")
    implicit = [task for task in result["tasks"] if task["kind"] == "implicit"]
    assert {task["function"]["symbol"] for task in implicit} == {"regions._omp_fn.0", "inner_region._omp_fn.0"}
    assert not any("construct" in thread for thread in result["threads"] if thread["tid"] not in
                   {parallel["threads"][0] for parallel in result["parallels"]})


def test_stripped_program_has_regions_but_no_names(program, client):
    one = program("stacks_stripped", "regions")
    target = attach(client, one)
    result = stack(client, target, one.pid, logical=True)
    assert [item["kind"] for item in result["frames"]].count("parallel") == 2 and result["complete"] is True
    assert all(has_rc(item["function"]) for item in result["frames"] if item["kind"] == "user" and "stacks" in item["module"])


def test_groups_are_the_stacks(mode, program, client):
    one = program("stacks", "regions")
    target = attach(client, one, mode)
    for logical in (False, True):
        result = client.stack.groups(target=target, logical=logical)
        assert sorted(thread["tid"] for group in result["groups"] for thread in group["threads"]) == sorted(one.lines)
        assert result["groups"][0]["threads"][0]["tid"] == one.pid
        for group in result["groups"]:
            assert group["complete"] is True
            for thread in group["threads"]:
                single = stack(client, target, thread["tid"], logical=logical)
                assert outline(single["frames"]) == outline(group["frames"])
                assert [item.get("pc") for item in single["frames"]] == [item.get("pc") for item in group["frames"]]
        assert len(result["groups"]) == (1 if logical else 3)


def test_300_threads_are_two_stacks_and_one_logical_one(mode, program, client):
    one = program("flat", 300)
    target = attach(client, one, mode)
    physical = client.stack.groups(target=target)["groups"]
    assert [len(group["threads"]) for group in physical] == [1, 299]
    (group,) = client.stack.groups(target=target, logical=True)["groups"]
    assert {thread["thread_num"] for thread in group["threads"]} == set(range(300))
    assert [item for item in outline(group["frames"]) if not has_rc(item) and item.startswith("<")] == ["<parallel>"]
    assert group["frames"][-1]["function"] == "main"


def test_running_thread(program, client):
    one = program("stacks", "spin")
    running = next(line["tid"] for line in one.lines.values() if line["by"] == "run")
    target = attach(client, one)
    result = stack(client, target, running, logical=True)
    assert outline(result["frames"]) == ["spin._omp_fn.0", "<parallel>", "spin", "main"] and result["complete"] is True
    client.target.detach(target=target)
    target = attach(client, one, "observe")
    # Between two time slices the kernel shows its registers: repeat until it does not.
    result = wait_until(lambda: next((r for r in [stack(client, target, running)] if r["complete"] is not True), None), "it runs")
    assert result["complete"]["name"] in ("stack_unavailable", "stack_incomplete")
    assert result["consistency"] == "racy"


def test_deep_stack_says_what_is_missing(program, client):
    one = program("stacks", "deep")
    target = attach(client, one)
    for group in client.stack.groups(target=target, max_frames=4096)["groups"]:
        assert group["complete"]["name"] == "stack_incomplete" and len(group["frames"]) > 30
    result = stack(client, target, one.pid, max_frames=10)
    assert len(result["frames"]) == 10 and "max_frames" in result["complete"]["hint"]
    client.target.stop(target=target)
    result = stack(client, target, one.pid, max_frames=4096)
    assert result["complete"] is True and outline(result["frames"]).count("recurse") == 2001
    result = stack(client, target, one.pid, max_frames=4096, logical=True)
    assert result["complete"] is True and outline(result["frames"])[-3:] == ["<parallel>", "deep", "main"]
    client.target.resume(target=target)


def test_program_without_openmp(mode, program, client):
    one = program("plain")
    target = attach(client, one, mode)
    result = stack(client, target, one.pid)
    assert result["complete"] is True and "main" in outline(result["frames"])
    assert result["thread"]["openmp"]["name"] == "no_openmp_runtime"
    groups = client.stack.groups(target=target, logical=True)["groups"]
    assert any("main" in outline(group["frames"]) for group in groups)


@pytest.mark.parametrize("args", [("stacks", "regions"), ("stacks", "tasks"), ("stacks", "wait", "lock"), ("stacks", "deep")])
def test_stacks_of_a_core_are_those_of_the_process(args, program, client, tmp_path):
    one = program(*args, env=SMALL_STACKS if args[1] != "deep" else None)
    path = gcore(one, tmp_path)
    live = attach(client, one)
    client.target.stop(target=live)
    core = client.target.open_core(core=str(path))["target"]
    for logical in (False, True):
        theirs = client.stack.groups(target=live, logical=logical, max_frames=4096)["groups"]
        ours = client.stack.groups(target=core, logical=logical, max_frames=4096)["groups"]
        assert len(theirs) == len(ours)
        for a, b in zip(theirs, ours):
            assert [thread["tid"] for thread in a["threads"]] == [thread["tid"] for thread in b["threads"]]
            assert outline(a["frames"]) == outline(b["frames"])
            assert a["complete"] is b["complete"] is True
    fields = [{parallel["level"]: parallel.get("call_site") for parallel in client.parallel.list(target=target, stacks=True)["parallels"]}
              for target in (live, core)]
    assert fields[0] == fields[1] and fields[0][1]
    client.target.resume(target=live)


def test_idle_threads_are_in_the_runtime(mode, program, client):
    one = program("idle", 4)
    target = attach(client, one, mode)
    groups = client.stack.groups(target=target, logical=True)["groups"]
    idle = [line["tid"] for line in one.lines.values() if line.get("idle")]
    (group,) = [group for group in groups if {thread["tid"] for thread in group["threads"]} == set(idle)]
    assert [item["kind"] for item in group["frames"]] == ["construct"]


def test_bad_requests(program, client):
    one = program("flat", 2)
    target = attach(client, one)
    with fails("no_such_thread"):
        client.stack.get(target=target, thread=1)
    with fails("no_such_thread"):
        client.stack.get(target=target, thread=2**31 - 1)
    for params, pointer in (({"thread": 0}, "/params/thread"), ({"thread": 2**31}, "/params/thread"), ({}, "/params"),
                            ({"thread": one.pid, "max_frames": 0}, "/params/max_frames"),
                            ({"thread": one.pid, "max_frames": 4097}, "/params/max_frames"),
                            ({"thread": one.pid, "logical": 1}, "/params/logical")):
        with fails("invalid_params") as caught:
            client.call("stack.get", {"target": target, **params}, validate=False)
        assert caught.error.data["pointer"].startswith(pointer)
    with fails("invalid_params", pointer="/params/stacks"):
        client.call("snapshot.get", {"target": target, "stacks": "some"}, validate=False)
    with fails("no_such_target"):
        client.stack.groups(target="t99")


def test_target_is_left_alone(program, client):
    one = program("stacks", "spin")
    target = attach(client, one)
    for _ in range(20):
        result = client.stack.groups(target=target, logical=True)
        assert result["stopped_us"] > 0
    wait_until(lambda: not stopped_threads(one.pid) and not tracer(one.pid), "it runs on")


def test_bt(mode, program, ompdctl):
    one = program("stacks", "regions")
    text = ompdctl("-p", one.pid, "bt", "--mode", mode).stdout
    assert text.count("thread") >= 3 and re.search(r"#\d+ +GOMP_parallel\(\) from /\S*libgomp", text)
    assert re.search(r"#\d+ +main\(\) at \S+stacks\.c:\d+$", text, re.M) and "_start" not in text
    text = ompdctl("-p", one.pid, "bt", "--logical", "--mode", mode).stdout
    assert len(re.findall("^thread", text, re.M)) == 1 and len(re.findall("parallel region", text)) == 2
    assert "GOMP_parallel" not in text
    text = ompdctl("-p", one.pid, "bt", "-l", "--all", "--mode", mode).stdout
    assert len(re.findall("^thread", text, re.M)) == 4
    tid = max(one.lines)
    text = ompdctl("-p", one.pid, "bt", tid, "-l", "--mode", mode).stdout
    assert len(re.findall("^thread", text, re.M)) == 1 and f"({tid})" in text and "encountered by thread" in text


def test_bt_folds_300_threads(program, ompdctl):
    one = program("flat", 300)
    text = ompdctl("-p", one.pid, "bt").stdout
    assert re.search(r"^threads 1-299 \(", text, re.M) and len(text.splitlines()) < 30


def test_bt_of_no_thread(program, ompdctl):
    one = program("flat", 2)
    assert "no_such_thread" in ompdctl("-p", one.pid, "bt", 1, status=1).stderr
    ompdctl("-p", one.pid, "bt", "main", status=3)
    ompdctl("-p", one.pid, "tree", "--logical", status=3)


def test_tree_and_threads_show_functions_of_regions(program, ompdctl):
    one = program("stacks", "regions")
    for view in ("tree", "threads"):
        text = ompdctl("-p", one.pid, view).stdout
        assert "inner_region._omp_fn.0" in text
    assert "regions._omp_fn.0" in ompdctl("-p", one.pid, "tree").stdout


def test_bt_json_is_the_result(program, ompdctl):
    one = program("stacks", "regions")
    assert '"groups":' in ompdctl("-p", one.pid, "bt", "--json").stdout
    assert f'"tid":{one.pid}' in ompdctl("-p", one.pid, "bt", one.pid, "--json").stdout
    assert pathlib.Path(f"/proc/{one.pid}").exists()
