# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""OpenMP events beside lldb's adapter when ompdd is slow or does not know their places: a stop is planted in time, or
the client gets the reason.
"""
import json
import re
import shutil
import sys

import pytest
from dap import NATIVE, Dap, line_of, SOURCE
from targets import wait_until

pytestmark = pytest.mark.skipif(not NATIVE, reason="no native debug adapter is installed (package lldb)")

# A program between ompdd-dap and its worker. The file `plan` beside it decides on each request for addresses, in order.
# "hold": keep the answer until the process has stopped once more, which a snapshot request shows; {…}: answer with this
# error; "pass".
BETWEEN = """
import json, os, socket, subprocess, sys, threading
here = os.path.dirname(os.path.abspath(sys.argv[0]))
plan = json.load(open(os.path.join(here, "plan")))
ours, theirs = socket.socketpair()
worker = subprocess.Popen([os.path.join(here, "real-worker"), *sys.argv[1:]], stdin=theirs, stdout=theirs, stderr=2)
theirs.close()
client = open(0, "rb", buffering=0, closefd=False)
lock, held, kept = threading.Lock(), set(), []

def say(line):
    data = line
    while data:
        data = data[os.write(1, data):]

def answers():
    for line in ours.makefile("rb"):
        with lock:
            if json.loads(line).get("id") in held:
                kept.append(line)
                open(os.path.join(here, "kept"), "a").write("x")
            else:
                say(line)

threading.Thread(target=answers, daemon=True).start()
for line in open(0, "rb"):
    message = json.loads(line)
    with open(os.path.join(here, "asked"), "a") as asked:
        asked.write(message["method"] + "\\n")
    with lock:
        fate = plan.pop(0) if message["method"] == "breakpoint.addresses" and plan else "pass"
        if isinstance(fate, dict):
            say(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": fate}).encode() + b"\\n")
            continue
        if fate == "hold":
            held.add(message["id"])
        ours.sendall(line)
        if message["method"] == "view.get":
            held.clear()
            while kept:
                say(kept.pop(0))
ours.close()
"""


@pytest.fixture
def planned(adapter, tmp_path):
    """Start ompdd-dap with a worker behind BETWEEN, with a plan."""
    def start(*plan):
        shutil.copy(Dap.PROGRAM, tmp_path / "ompdd-dap")
        (tmp_path / "real-worker").symlink_to(Dap.PROGRAM.parent / "ompdd-worker")
        (tmp_path / "ompdd-worker").write_text(f"#!{sys.executable}\n{BETWEEN}")
        (tmp_path / "ompdd-worker").chmod(0o755)
        (tmp_path / "plan").write_text(json.dumps(plan))
        (tmp_path / "asked").touch()
        dap = adapter(tmp_path / "ompdd-dap")
        dap.folder = tmp_path
        dap.initialize()
        return dap

    return start


def launched(dap, program, wish):
    """A program that has not run yet, and how to start it."""
    dap.began = dap.send("launch", program=str(program), args=["2", "2"])
    dap.event("initialized")
    said = re.search(r"version (\d+)", dap.caps.get("$__lldb_version", ""))
    if said and int(said[1]) > 20:
        pytest.skip("lldb-dap 21 says which process it debugs when it runs already: what it is told before is not looked at")
    dap.event("process")
    command, arguments = wish
    return dap.ask(command, **arguments)


def run(dap):
    dap.ask("configurationDone")
    assert dap.answer(dap.began)["success"]


def of_id(dap, number):
    """Return the state of a breakpoint."""
    while (changed := dap.event("breakpoint", reason="changed")["breakpoint"]).get("id") != number:
        pass
    return changed


def refusal(name, text="it did not work"):
    return {"code": -32000, "message": text, "data": {"name": name}}


WISHES = {"filter": ("setExceptionBreakpoints", {"filters": ["omp_parallel_begin"]}),
          "function": ("setFunctionBreakpoints", {"breakpoints": [{"name": "omp:parallel_begin"}]})}


@pytest.fixture(params=WISHES)
def wish(request):
    return WISHES[request.param]


def test_an_answer_of_before_the_stop_in_main_is_not_the_last_word(planned, debuggee, wish):
    """Requested before the program had loaded its runtime, answered when it stopped in main() for events."""
    dap = planned("hold")
    launched(dap, debuggee, wish)
    wait_until(lambda: (dap.folder / "kept").exists(), "the addresses were asked for before the program ran")
    run(dap)
    assert dap.event("stopped")["description"] == "OpenMP: a parallel region begins"
    dap.end(terminateDebuggee=True)


@pytest.mark.parametrize("name", ["target_exec", "target_exited"])
def test_a_process_that_has_become_another_is_asked_anew(planned, debuggee, wish, name):
    dap = planned("pass", refusal(name))
    launched(dap, debuggee, wish)
    wait_until(lambda: "breakpoint.addresses" in (dap.folder / "asked").read_text(), "the addresses were asked for before the program ran")
    run(dap)
    assert dap.event("stopped")["description"] == "OpenMP: a parallel region begins"
    dap.end(terminateDebuggee=True)


@pytest.mark.parametrize("by", WISHES)
def test_what_could_not_be_planted_is_told(planned, debuggee, by):
    dap = planned(*[refusal("timeout", "ompdd was too late")] * 9)
    told = launched(dap, debuggee, WISHES[by])["breakpoints"]
    assert len(told) == 1 and not told[0]["verified"] and told[0]["message"]
    run(dap)
    changed = of_id(dap, told[0]["id"])
    assert not changed["verified"] and "ompdd was too late" in changed["message"]
    dap.event("exited")
    dap.end()


def test_each_filter_has_its_answer(planned, debuggee):
    """Our breakpoints are among the native adapter's own, in the order of the request."""
    dap = planned()
    told = launched(dap, debuggee, ("setExceptionBreakpoints", {"filters": ["cpp_throw", "omp_parallel_begin", "cpp_catch", "omp_task_end"]}))
    verified = [one["verified"] for one in told["breakpoints"]]
    assert verified == [True, False, True, False]
    ids = [one["id"] for one in told["breakpoints"] if "id" in one]
    assert len(set(ids)) == len(ids)
    run(dap)
    assert of_id(dap, told["breakpoints"][1]["id"])["verified"]
    dap.event("stopped")
    dap.end(terminateDebuggee=True)


def test_function_breakpoints_that_come_late_leave_the_way_to_main(planned, debuggee):
    """The client's list replaces the previous one. The stop in main() that events need is not in it."""
    dap = planned()
    launched(dap, debuggee, WISHES["filter"])
    dap.ask("setBreakpoints", source={"path": str(SOURCE)}, breakpoints=[{"line": line_of("joined")}])
    run(dap)
    # Whether or not the program has arrived at main().
    dap.ask("setFunctionBreakpoints", breakpoints=[{"name": "no_such_function"}])
    assert dap.event("stopped")["description"] == "OpenMP: a parallel region begins"
    dap.end(terminateDebuggee=True)


def test_a_breakpoint_at_an_address_is_the_native_adapters(adapter, debuggee):
    """Where the adapter accepts conditions; else it refuses them."""
    dap = adapter()
    dap.initialize()
    dap.launch(debuggee, 2, 2, functions=["solve"], filters=["omp_parallel_begin"])
    stop = dap.event("stopped")
    at = dap.stack(stop["threadId"])[0].get("instructionPointerReference")
    if not dap.caps.get("supportsInstructionBreakpoints"):
        assert "does not offer" in dap.fail("setInstructionBreakpoints", breakpoints=[])
    else:
        assert len(dap.ask("setInstructionBreakpoints", breakpoints=[{"instructionReference": at}])["breakpoints"]) == 1
    dap.end(terminateDebuggee=True)
