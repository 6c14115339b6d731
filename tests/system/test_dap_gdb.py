# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ompdd-dap beside gdb's own adapter (gdb 14 and later), which numbers threads in its own way."""
import re
import shutil
import subprocess

import pytest
from dap import LABEL, SOURCE, Dap, line_of


def gdb_version():
    """Return the version of the installed gdb; 0 without one."""
    if not shutil.which("gdb"):
        return 0
    found = re.search(r"\b(\d+)\.\d+", subprocess.run(["gdb", "--version"], capture_output=True, text=True, check=True).stdout)
    return int(found[1]) if found else 0


pytestmark = pytest.mark.skipif(gdb_version() < 14, reason="gdb 14 or later is not installed: older ones have no debug adapter")


def start(adapter):
    """gdb's messages violate the protocol's schema in places: they are not checked."""
    dap = adapter(Dap.PROGRAM, "--native", "gdb", checked=False)
    dap.initialize()
    return dap


def test_threads_stacks_and_scopes_have_openmp(adapter, debuggee):
    dap = start(adapter)
    dap.launch(debuggee, 4, 2, lines=[line_of("joined")], source=SOURCE)
    assert not dap.caps.get("supportsStepInTargetsRequest")
    stop = dap.event("stopped")
    main = dap.event("process")["systemProcessId"]
    threads = {thread["id"]: thread["name"].split()[0] for thread in dap.threads()}
    told = [message["body"]["output"] for message in dap.log if message.get("event") == "output"]
    assert list(threads.values()) == ["1.0", "1.1", "1.2", "1.3"] and stop["threadId"] in threads, told
    for thread, name in threads.items():
        stack = dap.stack(thread)
        label = next(frame for frame in stack if frame.get("presentationHint") == "label")
        region, function, _, number, size, _, _ = LABEL.fullmatch(label["name"]).groups()
        assert (region, function, size) == ("1", "solve", "4") and name == f"1.{number}"
        names = [frame["name"] for frame in stack]
        assert names.index(label["name"]) < names.index("solve") < names.index("main")
        assert dap.variables(label["id"], "Thread")["thread_num"] == number
        if name == "1.0":
            dap.ask("ompdd/focus", threadId=main)
            assert dap.event("stopped", reason="goto")["threadId"] == thread
    assert "lldb's" in dap.fail("ompdd/step", kind="into", threadId=main)
    dap.ask("disconnect", terminateDebuggee=True)
    dap.close()


def test_breakpoints_at_addresses_are_the_clients_and_events(adapter, debuggee):
    """The native adapter has one list of both: each side keeps its own part when the other changes."""
    dap = start(adapter)
    dap.launch(debuggee, 2, 3, lines=[line_of("joined")], source=SOURCE, filters=["omp_parallel_begin"])
    assert dap.caps["supportsInstructionBreakpoints"]
    stop = dap.event("stopped")
    assert stop["description"] == "OpenMP: a parallel region begins"
    event_ids = set(stop["hitBreakpointIds"])
    dap.ask("continue", threadId=stop["threadId"])
    while (stop := dap.event("stopped")).get("description") == "OpenMP: a parallel region begins":
        dap.ask("continue", threadId=stop["threadId"])
    at = dap.stack(stop["threadId"])[0]["instructionPointerReference"]
    dap.ask("setBreakpoints", source={"path": str(SOURCE)}, breakpoints=[])
    mine, = dap.ask("setInstructionBreakpoints", breakpoints=[{"instructionReference": at}])["breakpoints"]
    assert mine["verified"] and mine["id"] not in event_ids
    # The list is sent again, with events or without.
    dap.ask("setExceptionBreakpoints", filters=[])
    dap.ask("setExceptionBreakpoints", filters=["omp_parallel_begin"])
    seen = set()
    while len(seen) < 2:
        dap.ask("continue", threadId=stop["threadId"])
        stop = dap.event("stopped")
        is_event = stop.get("description") == "OpenMP: a parallel region begins"
        assert is_event == (mine["id"] not in stop["hitBreakpointIds"])
        seen.add(is_event)
    assert dap.ask("setInstructionBreakpoints", breakpoints=[])["breakpoints"] == []
    dap.ask("continue", threadId=stop["threadId"])
    assert dap.event("stopped")["description"] == "OpenMP: a parallel region begins"
    dap.ask("disconnect", terminateDebuggee=True)
    dap.close()


def test_events_are_breakpoints_at_addresses(adapter, debuggee):
    dap = start(adapter)
    dap.launch(debuggee, 2, 3, filters=["omp_parallel_begin"])
    for _ in range(2):
        stop = dap.event("stopped")
        assert stop["description"] == "OpenMP: a parallel region begins"
        assert any("parallel" in frame["name"] or "fork" in frame["name"] for frame in dap.stack(stop["threadId"])[:3])
        dap.ask("continue", threadId=stop["threadId"])
    dap.ask("disconnect", terminateDebuggee=True)
    dap.close()
