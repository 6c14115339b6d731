# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ompdd-dap beside gdb's own adapter (gdb 14 and later), which numbers threads in its own way."""
import re
import shutil
import subprocess

import pytest
from dap import LABEL, SOURCE, Dap, line_of


def gdb_version():
    """Of the installed gdb; 0: there is none."""
    if not shutil.which("gdb"):
        return 0
    found = re.search(r"\b(\d+)\.\d+", subprocess.run(["gdb", "--version"], capture_output=True, text=True, check=True).stdout)
    return int(found[1]) if found else 0


pytestmark = pytest.mark.skipif(gdb_version() < 14, reason="gdb 14 or later is not installed: older ones have no debug adapter")


def start(adapter):
    """What gdb says does not hold to the protocol's schema in all: it is not checked."""
    dap = adapter(Dap.PROGRAM, "--native", "gdb", checked=False)
    dap.caps = dap.initialize()
    return dap


def test_threads_stacks_and_scopes_have_openmp(adapter, debuggee):
    dap = start(adapter)
    assert not dap.caps.get("supportsStepInTargetsRequest")
    dap.launch(debuggee, 4, 2, lines=[line_of("joined")], source=SOURCE)
    stop = dap.event("stopped")
    main = dap.event("process")["systemProcessId"]
    threads = {thread["id"]: thread["name"].split()[0] for thread in dap.threads()}
    assert list(threads.values()) == ["1.0", "1.1", "1.2", "1.3"] and stop["threadId"] in threads
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
