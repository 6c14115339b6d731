# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps by parallel regions in ompdd-dap beside lldb's adapter: the debugger holds the program, ompdd knows the team.
"""
import contextlib
import re

import pytest
from dap import NATIVE, SOURCE, line_of
from targets import stopped_threads, wait_until

pytestmark = pytest.mark.skipif(not NATIVE, reason="no native debug adapter is installed (package lldb)")


def command(dap, text):
    """Return lldb's output of a command."""
    return dap.ask("evaluate", expression=f"`{text}", context="repl")["result"]


def standing(dap):
    """Return {tid: pc} of all threads, from lldb."""
    return {int(tid): int(pc, 16) for tid, pc in re.findall(r"tid = (\d+), (0x[0-9a-f]+)", command(dap, "thread list"))}


def planted(dap):
    """The breakpoints of the native debugger with places, by number."""
    return set(re.findall(r"^(\d+): ", command(dap, "breakpoint list"), re.M))


def stopped(adapter, debuggee, *args, lines=(), functions=(), filters=()):
    """Return the place where the program stopped."""
    dap = adapter()
    assert dap.initialize()["supportsStepInTargetsRequest"]
    dap.launch(debuggee, *args, lines=[line_of(mark) for mark in lines], source=SOURCE, functions=functions, filters=filters)
    dap.stop = dap.event("stopped")
    dap.thread = dap.event("process")["systemProcessId"]
    dap.ask("threads")
    return dap


def clear(dap):
    """Without breakpoints of the client: the remaining ones are ompdd-dap's."""
    dap.ask("setBreakpoints", source={"path": str(SOURCE)}, breakpoints=[])
    dap.ask("setFunctionBreakpoints", breakpoints=[])
    dap.ask("setExceptionBreakpoints", filters=[])
    assert not planted(dap)


def step(dap, kind, thread=None):
    """Return the event that ends the step."""
    dap.ask("ompdd/step", kind=kind, threadId=thread or dap.thread)
    return behind_continued(dap)


def behind_continued(dap):
    """Return the next stop: lldb's adapter reports it once per thread with a reason to stop."""
    while (message := dap.wait(lambda m: m.get("event") in ("continued", "stopped")))["event"] != "continued":
        pass
    return dap.event("stopped")


def all_at_the_first_line(dap, n):
    """Assert that all members of a team are at the first instruction of their region's function."""
    pcs = list(standing(dap).values())
    at = max(set(pcs), key=pcs.count)
    assert pcs.count(at) == n
    assert re.search(rf"Address: \w+`?.*|0x0*{at:x}", command(dap, f"image lookup -a {at:#x}"))
    names = {dap.stack(tid)[0]["name"] for tid, pc in standing(dap).items() if pc == at}
    assert len(names) == 1 and re.search("omp_fn|omp_outlined", names.pop())


@pytest.mark.parametrize("by", ["ompdd/step", "stepIn"])
def test_into_a_region_all_members_come_to_its_first_line(adapter, debuggee, by):
    dap = stopped(adapter, debuggee, 4, 2, functions=["main"])
    clear(dap)
    if by == "stepIn":
        frame = dap.stack(dap.thread)[0]["id"]
        target = next(one for one in dap.ask("stepInTargets", frameId=frame)["targets"] if "parallel region" in one["label"])
        dap.ask("stepIn", threadId=dap.thread, targetId=target["id"])
        stop = dap.event("stopped")
    else:
        stop = step(dap, "into")
    assert stop["reason"] == "step" and stop["threadId"] == dap.thread and stop["allThreadsStopped"]
    assert sorted(thread["name"].split()[0] for thread in dap.threads()) == ["1.0", "1.1", "1.2", "1.3"]
    all_at_the_first_line(dap, 4)
    assert not planted(dap)
    # No thread is held any more: the program runs to its end.
    dap.ask("continue", threadId=dap.thread)
    assert dap.event("exited")["exitCode"] == 0
    dap.end()


def test_out_of_a_region_over_the_next_one_and_into_the_one_within(adapter, debuggee):
    dap = stopped(adapter, debuggee, 3, 3, lines=["joined"])
    clear(dap)
    worker = next(tid for tid in standing(dap) if tid != dap.thread)
    stop = step(dap, "out", worker)
    assert stop["reason"] == "step" and stop["threadId"] == dap.thread, "who met the region comes out of it"
    assert dap.stack(dap.thread)[0]["name"] == "solve" and not planted(dap)
    assert dap.variables(dap.stack(dap.thread)[0]["id"], "Locals")["round"] == "0"
    stop = step(dap, "over")
    top = dap.stack(dap.thread)[0]
    assert stop["reason"] == "step" and top["name"] == "solve" and dap.variables(top["id"], "Locals")["round"] == "1"
    assert step(dap, "into")["reason"] == "step"
    all_at_the_first_line(dap, 3)
    assert not planted(dap)
    dap.ask("continue", threadId=dap.thread)
    assert dap.event("exited")["exitCode"] == 0
    dap.end()


def test_into_one_of_several_teams_that_meet_the_same_region(adapter, debuggee):
    """Each member of a team of three encounters a region of two threads.

    The step enters one of them, although other threads arrive at its function.
    """
    dap = stopped(adapter, debuggee, 3, 2, functions=["inner"])
    clear(dap)
    tid = dap.stop["threadId"]
    stop = step(dap, "into", tid)
    assert stop["threadId"] == tid and stop["reason"] == "step"
    threads = {thread["id"]: thread["name"] for thread in dap.threads()}
    region = threads[tid].split(".")[0]
    members = [one for one, name in threads.items() if name.startswith(f"{region}.")]
    assert len(members) == 2
    pcs = standing(dap)
    assert len({pcs[one] for one in members}) == 1, "both stand where the region begins"
    dap.ask("continue", threadId=tid)
    assert dap.event("exited")["exitCode"] == 0
    dap.end()


def test_a_breakpoint_on_the_way_ends_the_step_and_nothing_stays(adapter, debuggee):
    dap = stopped(adapter, debuggee, 3, 2, functions=["main"])
    dap.ask("setFunctionBreakpoints", breakpoints=[{"name": "solve"}])
    before = planted(dap)
    stop = step(dap, "into")
    assert stop["reason"] != "step" and dap.stack(stop["threadId"])[0]["name"] == "solve"
    assert planted(dap) == before
    # The members that have arrived are held when another thread hits a breakpoint.
    dap.ask("setFunctionBreakpoints", breakpoints=[])
    dap.ask("setExceptionBreakpoints", filters=["omp_parallel_begin"])
    assert step(dap, "into")["description"].startswith("OpenMP: a parallel region begins")
    assert step(dap, "into")["reason"] == "step", "it stands at the entry already"
    all_at_the_first_line(dap, 3)
    clear(dap)
    dap.ask("continue", threadId=dap.thread)
    assert dap.event("exited")["exitCode"] == 0
    dap.end()


def test_who_is_held_when_a_breakpoint_ends_the_step_is_let_go(adapter, debuggee):
    """Teams of two enter the same region at the same time.

    Members of the step's team are held when a thread of another team arrives at the line.
    """
    dap = stopped(adapter, debuggee, 3, 2, functions=["inner"])
    clear(dap)
    dap.ask("setBreakpoints", source={"path": str(SOURCE)}, breakpoints=[{"line": line_of("nested")}])
    before = planted(dap)
    for _ in range(2):
        assert step(dap, "into", dap.stop["threadId"])["reason"] in ("step", "breakpoint")
        assert planted(dap) == before
    clear(dap)
    dap.ask("continue", threadId=dap.thread)
    assert dap.event("exited")["exitCode"] == 0
    dap.end()


def pause(dap, pid):
    """Return its event.

    lldb's adapter loses requests shortly before and after it resumes the program: repeat the request.
    """
    wait_until(lambda: not stopped_threads(pid), "it runs")
    for _ in range(10):
        dap.ask("pause", threadId=pid)
        with contextlib.suppress(AssertionError):
            wait_until(lambda: stopped_threads(pid), "it stands", timeout=5)
            break
    return dap.event("stopped")


def test_a_step_that_does_not_end_is_paused(adapter, program):
    """The main thread of this program encounters no further region."""
    one = program("flat", 3)
    dap = adapter()
    dap.initialize()
    number = dap.send("attach", pid=one.pid)
    dap.event("initialized")
    dap.ask("configurationDone")
    assert dap.answer(number)["success"]
    assert "runs" in dap.fail("ompdd/step", kind="into", threadId=one.pid)
    pause(dap, one.pid)
    before = planted(dap)
    dap.ask("ompdd/step", kind="into", threadId=one.pid)
    dap.event("continued")
    assert "under way" in dap.fail("ompdd/step", kind="out", threadId=one.pid)
    stop = pause(dap, one.pid)
    assert stop["reason"] != "step" and planted(dap) == before
    dap.ask("continue", threadId=one.pid)
    dap.end()
    wait_until(one.alive, "it runs on")


def test_what_cannot_be_stepped_says_so(adapter, debuggee):
    dap = adapter()
    dap.initialize()
    assert "no process" in dap.fail("ompdd/step", kind="into", threadId=1)
    assert "kind" in dap.fail("ompdd/step", kind="sideways", threadId=1)
    dap.launch(debuggee, 2, 2, functions=["main"])
    dap.event("stopped")
    thread = dap.event("process")["systemProcessId"]
    # LLVM's runtime has no threads before the first region.
    assert re.search("no parallel region|not an OpenMP thread", dap.fail("ompdd/step", kind="out", threadId=thread))
    assert len(planted(dap)) == 1, "the client's own"
    dap.end(terminateDebuggee=True)
