# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ompdd-dap as a companion: lldb's adapter debugs, and threads, stacks and scopes show OpenMP's names."""
import contextlib
import signal

import pytest
from dap import LABEL, NATIVE, SOURCE, Dap, line_of
from targets import alive, wait_until

pytestmark = pytest.mark.skipif(not NATIVE, reason="no native debug adapter is installed (package lldb)")


def stopped_in(adapter, debuggee, mark, *args, **more):
    """An initialized adapter whose program has arrived at the marked line."""
    dap = adapter()
    dap.initialize(**more)
    dap.launch(debuggee, *args, lines=[line_of(mark)], source=SOURCE)
    dap.stop = dap.event("stopped")
    dap.pid = dap.event("process")["systemProcessId"]
    return dap


def test_threads_have_the_names_that_openmp_gives(adapter, debuggee):
    dap = stopped_in(adapter, debuggee, "joined", 4)
    threads = dap.threads()
    names = [thread["name"] for thread in threads]
    assert [name.split()[0] for name in names] == ["1.0", "1.1", "1.2", "1.3"], "a team of four, in its order"
    assert all(name.endswith(" solve") for name in names)
    assert dict((thread["id"], thread["name"]) for thread in threads)[dap.pid].startswith("1.0")
    dap.end(terminateDebuggee=True)


def test_a_stack_goes_on_where_the_region_was_met(adapter, debuggee):
    dap = stopped_in(adapter, debuggee, "joined", 3)
    for thread in dap.threads():
        stack = dap.stack(thread["id"], startFrame=0, levels=60)
        names = [frame["name"] for frame in stack]
        labels = [frame for frame in stack if frame.get("presentationHint") == "label"]
        assert len(labels) == 1
        region, function, level, number, size, other, met = LABEL.fullmatch(labels[0]["name"]).groups()
        assert (region, function, level, size) == ("1", "solve", "1", "3")
        assert thread["name"].startswith(f"1.{number} ")
        assert other is None if thread["id"] == dap.pid else int(met) == dap.pid
        below = names[names.index(labels[0]["name"]) + 1:]
        assert below.index("solve") < below.index("main"), "up to main, on whichever thread's stack that is"
        assert "solve" not in names[:names.index(labels[0]["name"])], "the label stands between them"
    dap.end(terminateDebuggee=True)


def test_pages_of_a_stack_are_the_whole(adapter, debuggee):
    dap = stopped_in(adapter, debuggee, "add", 2)
    thread = dap.stop["threadId"]
    whole = [frame["name"] for frame in dap.stack(thread)]
    first = dap.ask("stackTrace", threadId=thread, startFrame=0, levels=1)
    assert [frame["name"] for frame in first["stackFrames"]] == whole[:1] and first["totalFrames"] > 1
    rest = dap.ask("stackTrace", threadId=thread, startFrame=1, levels=19)
    assert [frame["name"] for frame in rest["stackFrames"]] == whole[1:20] and rest["totalFrames"] == len(whole)
    pages = [frame["name"] for start in range(0, len(whole), 3) for frame in dap.stack(thread, startFrame=start, levels=3)]
    assert pages == whole
    dap.end(terminateDebuggee=True)


def test_scopes_of_frames_and_labels(adapter, debuggee):
    dap = stopped_in(adapter, debuggee, "region", 3)
    thread = dap.stop["threadId"]
    stack = dap.stack(thread)
    label = next(frame for frame in stack if frame.get("presentationHint") == "label")
    number, size = LABEL.fullmatch(label["name"]).group(4, 5)
    native = dap.variables(stack[0]["id"], "Locals")
    assert native["me"] == number, "what the program says of itself"
    for frame in (stack[0], label):
        of_thread = dap.variables(frame["id"], "Thread")
        assert of_thread["tid"] == str(thread) and of_thread["thread_num"] == number
        region = dap.variables(frame["id"], "Region")
        assert region["level"] == "1" and region["team_size"] == size == "3" and region["construct in"] == "solve"
        assert dap.variables(frame["id"], "Task ICVs")["max-active-levels-var"] == "2"
    outer = next(frame for frame in stack[stack.index(label):] if frame["name"] == "main")
    assert dap.variables(outer["id"], "Region")["level"] == "0", "main() is outside of the region"
    assert "variables" in dap.fail("evaluate", expression="1", frameId=label["id"])
    old = dap.ask("scopes", frameId=label["id"])["scopes"][0]["variablesReference"]
    dap.ask("continue", threadId=thread)
    assert "earlier stop" in dap.fail("variables", variablesReference=old)
    dap.end(terminateDebuggee=True)


def test_control_variables_are_those_of_the_stop(adapter, debuggee):
    """The values are those of the request's moment, not of a later one."""
    dap = stopped_in(adapter, debuggee, "region", 2)
    thread = dap.stop["threadId"]
    frame = dap.stack(thread)[0]["id"]
    reference = next(one for one in dap.ask("scopes", frameId=frame)["scopes"] if one["name"] == "Task ICVs")["variablesReference"]
    first = dap.ask("variables", variablesReference=reference)["variables"]
    assert dap.ask("variables", variablesReference=reference)["variables"] == first
    assert {one["name"]: one["value"] for one in first}["max-active-levels-var"] == "2"
    other = next(one for one in dap.ask("scopes", frameId=frame)["scopes"] if one["name"] == "Task ICVs")["variablesReference"]
    dap.ask("continue", threadId=thread)
    assert "earlier stop" in dap.fail("variables", variablesReference=other)
    dap.end(terminateDebuggee=True)


def test_nested_regions_have_two_labels(adapter, debuggee):
    dap = stopped_in(adapter, debuggee, "nested", 2)
    threads = {thread["id"]: thread["name"] for thread in dap.threads()}
    thread = dap.stop["threadId"]
    labels = [frame["name"] for frame in dap.stack(thread) if frame.get("presentationHint") == "label"]
    inner, outer = (LABEL.fullmatch(label) for label in labels)
    assert inner[2] == "inner" and inner[3] == "2" and outer[2] == "solve" and outer[3] == "1"
    assert threads[thread].startswith(f"{inner[1]}.{inner[4]} ")
    dap.end(terminateDebuggee=True)


def test_a_task_is_labelled(adapter, debuggee):
    dap = stopped_in(adapter, debuggee, "task", 2)
    labels = [frame["name"] for frame in dap.stack(dap.stop["threadId"]) if frame.get("presentationHint") == "label"]
    assert labels[0].startswith("explicit task") and LABEL.fullmatch(labels[-1])
    dap.end(terminateDebuggee=True)


def test_the_program_runs_to_its_end(adapter, debuggee):
    dap = adapter()
    dap.initialize()
    dap.launch(debuggee, 3, 2)
    assert dap.event("exited")["exitCode"] == 0
    dap.event("terminated")
    dap.end()


def test_attach_and_leave(adapter, program):
    one = program("flat", 3)
    dap = adapter()
    dap.initialize()
    number = dap.send("attach", pid=one.pid)
    dap.event("initialized")
    dap.ask("configurationDone")
    assert dap.answer(number)["success"]
    names = [thread["name"].split()[0] for thread in dap.threads()]
    assert names == ["1.0", "1.1", "1.2"]
    dap.end()
    wait_until(lambda: alive(one.pid), "it runs on")


def test_what_the_native_adapter_does_not_offer_is_not_forwarded(adapter, debuggee):
    dap = stopped_in(adapter, debuggee, "joined", 2)
    if not dap.caps.get("supportsReadMemoryRequest"):
        assert "does not offer" in dap.fail("readMemory", memoryReference="0x1000", count=1)
    assert "does not offer" in dap.fail("restartFrame", frameId=1)
    dap.end(terminateDebuggee=True)


def test_before_launch_or_attach_there_is_no_native_adapter(adapter):
    """The adapter is chosen at launch.

    Earlier statements to the client hold for every adapter, or an event withdraws them.
    """
    dap = adapter()
    dap.initialize()
    assert not dap.natives() and not dap.caps.get("supportsReadMemoryRequest")
    for command in ("threads", "readMemory", "restartFrame"):
        assert "launch or attach comes first" in dap.fail(command)
    assert "no process" in dap.fail("ompdd/tree")
    dap.end()


def test_requests_that_come_while_the_native_adapter_starts_keep_their_order(adapter, program, tmp_path):
    script, asked = tmp_path / "lldb-recorded", tmp_path / "asked"
    script.write_text(f"#!/bin/sh\ntee -a {asked} | {NATIVE}\n")
    script.chmod(0o755)
    one = program("flat", 2)
    dap = adapter(Dap.PROGRAM, "--native", script)
    numbers = [dap.send("initialize", adapterID="openmp"), dap.send("attach", pid=one.pid), dap.send("configurationDone")]
    assert all(dap.answer(number)["success"] for number in numbers)
    told = asked.read_text()
    places = [told.find(f'"command":"{name}"') for name in ("initialize", "attach", "configurationDone")]
    assert 0 <= places[0] < places[1] < places[2]
    dap.end()
    wait_until(lambda: alive(one.pid), "it runs on")


def test_trees_and_verdicts(adapter, debuggee):
    dap = stopped_in(adapter, debuggee, "joined", 3)
    tree = dap.ask("ompdd/tree")
    assert [len(region["threads"]) for region in tree["regions"] if region["level"] == 1] == [3]
    assert {thread["id"] for thread in tree["threads"]} == {thread["id"] for thread in dap.threads()}
    assert "parallel region level 1, team of 3" in tree["text"] and tree["consistency"] == "stopped"
    assert "parallel region 1" in {node["label"] for node in tree["nodes"]}
    assert {tid for node in tree["nodes"] for tid in node["threads"]} == {thread["id"] for thread in tree["threads"]}
    verdict = dap.ask("ompdd/why")
    assert verdict["verdict"] and "nodes" not in verdict and verdict["looks"]["n"] == 1, "who is held cannot be told from who hangs"
    assert verdict["view"]["nodes"][0]["text"] == verdict["title"]
    why = dap.ask("ompdd/why", graph=True)
    assert why["nodes"] and why["view"]["graph"]["nodes"] == []
    other = tree["threads"][-1]["id"]
    dap.ask("ompdd/focus", threadId=other)
    # The native adapter may report the same stop once per thread.
    stopped = dap.event("stopped", reason="goto")
    assert stopped["threadId"] == other and stopped["allThreadsStopped"]
    for wrong in ({}, {"threadId": 1}, {"threadId": -1}, {"threadId": "x"}):
        assert "no OpenMP thread" in dap.fail("ompdd/focus", **wrong)
    assert {thread["id"] for thread in dap.threads()} == {thread["id"] for thread in tree["threads"]}
    dap.end(terminateDebuggee=True)


@contextlib.contextmanager
def before_ompdd_attaches(adapter, debuggee, daemon):
    """A stopped program whose stop has not reached the stopped ompdd yet."""
    daemon.process.send_signal(signal.SIGSTOP)
    try:
        dap = adapter(Dap.PROGRAM, "--connect", daemon.uris[0])
        dap.initialize()
        dap.launch(debuggee, 3, 2, lines=[line_of("joined")], source=SOURCE)
        dap.event("stopped")
        yield dap
    finally:
        daemon.process.send_signal(signal.SIGCONT)


def test_who_asks_while_the_process_is_attached_to_waits(adapter, debuggee, daemon):
    with before_ompdd_attaches(adapter, debuggee, daemon) as dap:
        waiting = [dap.send("ompdd/tree"), dap.send("ompdd/why"), dap.send("ompdd/focus", threadId=1)]
        assert "does not offer" in dap.fail("restartFrame", frameId=1), "nothing else waits for that"
    tree, verdict, focus = map(dap.answer, waiting)
    assert tree["success"] and len(tree["body"]["threads"]) == 3
    assert verdict["success"] and verdict["body"]["looks"]["n"] == 1, "the stop was looked at before: nothing moves"
    assert "no OpenMP thread" in focus["message"]
    dap.end(terminateDebuggee=True)


def test_who_asks_while_nothing_can_be_attached_to_is_told(adapter, debuggee, daemon):
    with before_ompdd_attaches(adapter, debuggee, daemon) as dap:
        waiting = [dap.send("ompdd/tree"), dap.send("ompdd/why")]
        assert "does not offer" in dap.fail("restartFrame", frameId=1)
        daemon.kill()
        refused = [dap.answer(number) for number in waiting]
    assert all(not one["success"] and "has closed the connection" in one["message"] for one in refused), refused
    dap.end(terminateDebuggee=True)


def test_who_asks_for_trees_and_verdicts_is_told_of_others(adapter, debuggee):
    dap = stopped_in(adapter, debuggee, "joined", 3, supportsInvalidatedEvent=True)
    dap.ask("ompdd/tree")
    dap.ask("ompdd/why")
    assert not [message for message in dap.log if message.get("event", "").startswith("ompdd/")], "who has not asked is not told"
    dap.ask("continue", threadId=dap.stop["threadId"])
    assert dap.event("ompdd/why") == {"isCurrent": False}
    dap.event("stopped")
    told = dap.event("ompdd/tree")
    tree = dap.ask("ompdd/tree")
    assert told["consistency"] == "stopped" and (told["regions"], told["threads"]) == (len(tree["regions"]), len(tree["threads"]))
    # Functions of regions are known after the native adapter has returned a stack; an event reports that, too.
    dap.threads()
    while told["named"] < 1:
        told = dap.event("ompdd/tree")
    assert any(region.get("function") == "solve" for region in dap.ask("ompdd/tree")["regions"])
    dap.end(terminateDebuggee=True)


@pytest.mark.parametrize("setting", ["nativeAdapter", "--native"])
def test_an_adapter_that_is_not_there_is_named(adapter, setting):
    dap = adapter() if setting == "nativeAdapter" else adapter(*map(str, [Dap.PROGRAM, "--native", "/nowhere/lldb-dap"]))
    dap.initialize()
    more = {"nativeAdapter": "/nowhere/lldb-dap"} if setting == "nativeAdapter" else {}
    assert "/nowhere/lldb-dap" in dap.fail("launch", program="/bin/true", **more)
    dap.end()


def test_a_dying_native_adapter_ends_the_session_with_its_words(adapter, tmp_path):
    script = tmp_path / "lldb-dying"
    script.write_text("#!/bin/sh\nread line\necho 'assertion failed: it was late' >&2\nkill -ABRT $$\n")
    script.chmod(0o755)
    dap = adapter(Dap.PROGRAM, "--native", script)
    dap.initialize()
    assert "it was late" in dap.fail("launch", program="/bin/true")
    assert "signal 6" in dap.event("output")["output"]
    dap.event("terminated")
    assert "it was late" in dap.fail("threads")
    dap.end()


def test_garbage_ends_the_session_and_nothing_else(adapter):
    dap = adapter()
    dap.initialize()
    dap.write(b"this is no JSON")
    dap.close()
    assert dap.process.returncode == 0


@pytest.mark.parametrize("by", ["filter", "function"])
def test_events_are_breakpoints_of_the_native_adapter(adapter, debuggee, by):
    dap = adapter()
    assert "omp_parallel_begin" in [one["filter"] for one in dap.initialize()["exceptionBreakpointFilters"]]
    filters, functions = (["omp_parallel_begin"], []) if by == "filter" else ([], ["add", "omp:parallel_begin", "omp:no_such"])
    told = dap.launch(debuggee, 2, 3, filters=filters, functions=functions)
    if by == "function":
        ours = told["functions"]["breakpoints"][1]
        assert [one["verified"] for one in told["functions"]["breakpoints"]] == [True, False, False]
        dap.event("breakpoint", reason="changed", breakpoint={"id": ours["id"], "verified": True})
        dap.ask("setFunctionBreakpoints", breakpoints=[{"name": "omp:parallel_begin"}])
    for _ in range(2):
        stop = dap.event("stopped")
        assert stop["description"] == "OpenMP: a parallel region begins" and "parallel_begin" in stop["text"]
        # LLVM's names end with the operation: __kmpc_fork_call.
        assert any("parallel" in frame["name"] or "fork" in frame["name"] for frame in dap.stack(stop["threadId"])[:3])
        dap.ask("continue", threadId=stop["threadId"])
    dap.event("stopped")
    dap.ask("setExceptionBreakpoints", filters=[])
    dap.ask("setFunctionBreakpoints", breakpoints=[])
    dap.ask("continue", threadId=stop["threadId"])
    assert dap.event("exited")["exitCode"] == 0
    dap.end()


def test_the_client_keeps_its_own_stop_in_main(adapter, debuggee):
    dap = adapter()
    dap.initialize()
    dap.launch(debuggee, 2, 2, functions=["main", "omp:parallel_begin"])
    stop = dap.event("stopped")
    assert dap.stack(stop["threadId"])[0]["name"] == "main"
    dap.ask("continue", threadId=stop["threadId"])
    assert dap.event("stopped")["description"] == "OpenMP: a parallel region begins"
    dap.end(terminateDebuggee=True)


def test_a_client_that_is_told_does_not_wait(adapter, debuggee):
    """An event announces names that arrive late."""
    dap = stopped_in(adapter, debuggee, "joined", 4, supportsInvalidatedEvent=True)
    while not all(thread["name"].startswith("1.") and thread["name"].endswith(" solve") for thread in dap.threads()):
        assert "threads" in dap.event("invalidated")["areas"]
    dap.end(terminateDebuggee=True)


def test_names_do_not_come_before_what_the_client_asks(adapter, debuggee, tmp_path):
    """The function of a region needs another stack, which may take long.

    A client with that event gets its answer before.
    """
    script, asked = tmp_path / "lldb-recorded", tmp_path / "asked"
    script.write_text(f"#!/bin/sh\ntee -a {asked} | {NATIVE}\n")
    script.chmod(0o755)
    dap = adapter(Dap.PROGRAM, "--native", script)
    dap.initialize(supportsInvalidatedEvent=True)
    dap.launch(debuggee, 4, 1, lines=[line_of("joined")], source=SOURCE)
    dap.event("stopped")
    assert dap.ask("ompdd/tree")["threads"], "it has been looked at"
    while not all(thread["name"].endswith(" solve") for thread in dap.threads()):
        dap.event("invalidated")
    told = asked.read_text()
    done, threads, stack = (told.find(f'"command":"{name}"') for name in ("configurationDone", "threads", "stackTrace"))
    # clang 21 records the function of a region.
    assert 0 <= done < threads and (threads < stack or stack < 0 and debuggee.parent.name == "llvm")
    dap.end(terminateDebuggee=True)


# A native adapter whose first list has only one thread.
FORGETS = """
import json, os, subprocess, sys
native = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)
forgets = True
while head := native.stdout.readline():
    native.stdout.readline()
    body = native.stdout.read(int(head.split()[1]))
    message = json.loads(body)
    if forgets and message.get("command") == "threads":
        forgets = False
        del message["body"]["threads"][1:]
        body = json.dumps(message).encode()
    os.write(1, b"Content-Length: %d\\r\\n\\r\\n%s" % (len(body), body))
"""


def test_a_list_without_threads_that_are_there_is_asked_for_again(adapter, debuggee, tmp_path):
    """lldb-dap 21 answers like this to its first request."""
    script = tmp_path / "lldb-forgets"
    (tmp_path / "forgets.py").write_text(FORGETS)
    script.write_text(f"#!/bin/sh\nexec python3 {tmp_path}/forgets.py {NATIVE}\n")
    script.chmod(0o755)
    dap = adapter(Dap.PROGRAM, "--native", script)
    dap.initialize()
    dap.launch(debuggee, 4, lines=[line_of("joined")], source=SOURCE)
    dap.event("stopped")
    assert [thread["name"].split()[0] for thread in dap.threads()] == ["1.0", "1.1", "1.2", "1.3"]
    dap.end(terminateDebuggee=True)


def test_a_stop_behind_the_unseen_one_is_looked_at(adapter, debuggee):
    dap = adapter()
    dap.initialize()
    dap.launch(debuggee, 3, 2, filters=["omp_parallel_begin"], lines=[line_of("joined")], source=SOURCE)
    stop = dap.event("stopped")
    while not stop["description"].startswith("breakpoint"):
        dap.ask("continue", threadId=stop["threadId"])
        stop = dap.event("stopped")
    assert {"1.0", "1.1", "1.2"} <= {thread["name"].split()[0] for thread in dap.threads()}
    dap.end(terminateDebuggee=True)
