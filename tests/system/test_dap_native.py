# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The native adapter alone, and through ompdd-dap: the same but for what is added, and no worse an end for the debuggee."""
import json
import re
import time

import pytest
from conftest import TRIALS
from dap import NATIVE, SOURCE, line_of
from targets import PROGRAMS, alive, read_text, stopped_threads, tracer, wait_until

pytestmark = pytest.mark.skipif(not NATIVE, reason="no native debug adapter is installed (package lldb)")
ROUNDS = 10


def exchanges(dap, program):
    """A session of one thread, so that two runs of it say the same: (command, arguments, response) and the events."""
    told = []

    def ask(command, **arguments):
        message = dap.answer(dap.send(command, **arguments))
        told.append((command, arguments, message))
        return message.get("body", {})

    ask("initialize", adapterID="openmp", linesStartAt1=True, columnsStartAt1=True, pathFormat="path")
    launched = dap.send("launch", program=str(program), args=["1", str(ROUNDS)])
    dap.event("initialized")
    ask("setBreakpoints", source={"path": str(SOURCE)}, breakpoints=[{"line": line_of("region")}])
    ask("setFunctionBreakpoints", breakpoints=[{"name": "count"}])
    ask("setExceptionBreakpoints", filters=["cpp_throw"])
    ask("configurationDone")
    told.append(("launch", {}, dap.answer(launched)))
    for stop in range(2 * ROUNDS):
        thread = dap.event("stopped")["threadId"]
        ask("threads")
        frame = ask("stackTrace", threadId=thread, startFrame=0, levels=40)["stackFrames"][0]["id"]
        for scope in ask("scopes", frameId=frame)["scopes"][:2]:
            ask("variables", variablesReference=scope["variablesReference"])
        ask("evaluate", expression="sum", frameId=frame, context="watch")
        if stop % 4 == 0:
            ask("next", threadId=thread)
            assert dap.event("stopped")["reason"] == "step"
        if stop == 2:
            ask("modules")
            ask("evaluate", expression="no_such_name", frameId=frame, context="watch")
            ask("setBreakpoints", source={"path": "/nowhere.c"}, breakpoints=[{"line": 1, "condition": "1"}])
        ask("continue", threadId=thread)
    dap.event("exited")
    dap.event("terminated")
    ask("disconnect")
    dap.close()
    return told, [message for message in dap.log if message["type"] == "event"]


def without_what_differs(value, tids):
    """The same with thread ids replaced by their order: no two runs have them in common."""
    text = json.dumps(value, sort_keys=True)
    for i, tid in enumerate(tids):
        text = re.sub(rf"\b{tid}\b", str(i), text)
    return json.loads(text)


def without_ours(command, body):
    """A response's body without what ompdd-dap adds."""
    if command == "initialize":
        body = {**body, "exceptionBreakpointFilters": [one for one in body["exceptionBreakpointFilters"]
                                                       if not one["filter"].startswith("omp_")]}
    elif command == "threads":
        body = {"threads": sorted(({**one, "name": ""} for one in body["threads"]), key=lambda one: one["id"])}
    elif command == "stackTrace":
        frames = [one for one in body["stackFrames"] if one.get("presentationHint") != "label"]
        body = {**body, "stackFrames": frames, "totalFrames": len(frames)}
    elif command == "scopes":
        body = {"scopes": [one for one in body["scopes"] if one["name"] not in ("Thread", "Task ICVs", "Region")]}
    return body


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_transcripts_are_equal_but_for_what_is_added(adapter, compiler):
    program = PROGRAMS / ("" if compiler == "gcc" else "llvm") / "debuggee"
    if not program.exists():
        pytest.skip("clang and libomp are not installed")
    runs = []
    for dap in (adapter(NATIVE, checked=False), adapter()):
        told, events = exchanges(dap, program)
        runs.append((told, events, sorted({thread["id"] for command, _, answer in told if command == "threads"
                                           for thread in answer["body"]["threads"]})))
    (alone, alone_events, alone_tids), (through, through_events, through_tids) = runs
    assert len(alone) == len(through) >= 100
    labels = 0
    for (command, arguments, one), (_, _, other) in zip(alone, through):
        labels += sum(frame.get("presentationHint") == "label" for frame in other.get("body", {}).get("stackFrames", []))
        for key in ("command", "success", "message"):
            assert one.get(key) == other.get(key), (command, arguments)
        assert without_what_differs(without_ours(command, one.get("body", {})), alone_tids) \
            == without_what_differs(without_ours(command, other.get("body", {})), through_tids), (command, arguments)
    assert labels >= ROUNDS, "and much is added"
    kinds = [sorted(json.dumps(without_what_differs([one["event"], one.get("body", {})], tids)) for one in events)
             for events, tids in ((alone_events, alone_tids), (through_events, through_tids))]
    assert kinds[0] == kinds[1]


def fate(pid):
    """What has become of a debuggee whose debugger has gone."""
    if not alive(pid) or "zombie" in read_text(f"/proc/{pid}/status"):
        return "ended"
    return "stopped" if stopped_threads(pid) else "runs"


def end_at_a_moment(dap, one, moment, kill):
    """Attach to a program and go on until @moment, when the client's side breaks off; what becomes of the program."""
    deadline = time.monotonic() + moment

    def until(message):
        """Take messages until that one has come; whether it came in time."""
        while True:
            left = deadline - time.monotonic()
            try:
                got = dap.next_within(left)
            except TimeoutError:
                return False
            if message(got):
                return True

    dap.send("initialize", adapterID="openmp")
    dap.send("attach", pid=one.pid)
    going = until(lambda m: m["type"] == "event" and m["event"] == "initialized")
    if going:
        dap.send("setExceptionBreakpoints", filters=[])
        dap.send("configurationDone")
    while going:
        number = dap.send("threads")
        going = until(lambda m: m["type"] == "response" and m["request_seq"] == number)
        if going:
            thread = one.pid
            for command, arguments in (("stackTrace", {"threadId": thread}), ("continue", {"threadId": thread}),
                                       ("pause", {"threadId": thread})):
                dap.send(command, **arguments)
    if kill:
        dap.process.kill()
    dap.close()
    wait_until(lambda: not tracer(one.pid), "nobody traces it")
    return fate(one.pid)


def test_killed_at_any_moment_it_leaves_what_the_native_adapter_leaves(adapter, program, moments):
    """lldb-vscode-14 alone, when its client is gone, is the measure."""
    fates = {"alone": [], "through": []}
    for _ in range(max(3, TRIALS // 4)):
        moment = moments.uniform(0, 1.0)
        for way, argv in (("alone", (NATIVE,)), ("through", ())):
            one = program("flat", 2)
            one.expect_end = True
            fates[way].append(end_at_a_moment(adapter(*argv, checked=False), one, moment, way == "through"))
    print(fates)
    assert "stopped" not in fates["through"] or "stopped" in fates["alone"]
    assert fates["through"].count("ended") <= fates["alone"].count("ended") + len(fates["alone"]) // 4, fates
