# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`openmp-step {…}` in lldb, for ompdd-dap: temporary breakpoints of a step by regions, and the places of threads.

ompdd-dap knows the regions, but cannot hold a thread that another debugger traces. This command plants breakpoints, and
holds and releases threads. Its answer is one line: "OMPDD " and JSON. It records its breakpoints and held threads, so that
{"end": true} removes them all.
"""
import json
import os
import sys

ARGUMENTS = {"x86_64": ("rdi", "rsi", "rdx", "rcx", "r8", "r9"), "aarch64": ("x0", "x1", "x2", "x3", "x4", "x5")}


def import_lldb():
    """This lldb's own module: the search of some distributions ends at an empty folder with that name."""
    if not hasattr(sys.modules.get("lldb"), "SBDebugger"):
        sys.modules.pop("lldb", None)
        prefix = os.path.dirname(os.path.dirname(os.path.realpath("/proc/self/exe")))
        sys.path.insert(0, "%s/lib/python%d.%d/dist-packages" % (prefix, *sys.version_info[:2]))
        # The only dependency of Debian 12's module.
        sys.path.append("/usr/lib/python3/dist-packages")
    import lldb
    return lldb


lldb = import_lldb()


class Steps:
    """The breakpoints and held threads of this session's program."""

    def __init__(self):
        self.planted = set()
        self.own = set()
        self.held = set()

    def serve(self, process, wish):
        target = process.target
        for number in wish.get("lift", []):
            self.lift(target, number)
        self.release(process, wish.get("free", []))
        if wish.get("end"):
            for number in list(self.planted):
                self.lift(target, number)
            self.release(process, list(self.held))
        answer = {"ids": [self.plant(target, address, thread) for address, thread in wish.get("plant", [])]}
        answer["stands"] = process.GetState() == lldb.eStateStopped
        if answer["stands"]:
            self.look(process, wish, answer)
        return answer

    def plant(self, target, address, thread):
        breakpoint = target.BreakpointCreateByAddress(address)
        if thread:
            breakpoint.SetThreadID(thread)
        number = breakpoint.GetID()
        self.planted.add(number)
        self.own.add(number)
        return number

    def lift(self, target, number):
        target.BreakpointDelete(number)
        self.planted.discard(number)

    def release(self, process, threads):
        for tid in threads:
            thread = process.GetThreadByID(tid)
            if tid in self.held and thread.IsValid():
                thread.Resume()
            self.held.discard(tid)

    def look(self, process, wish, answer):
        """Report the place of each thread; at "hold", hold it.

        `others`: breakpoints of other owners have stopped it, too.
        """
        threads = list(process)
        answer["others"] = any(self.is_other(process, thread) for thread in threads if thread.id not in self.held)
        at = [thread for thread in threads if wish.get("hold") and thread.GetFrameAtIndex(0).GetPC() == wish["hold"]]
        for thread in at:
            if thread.id not in self.held and thread.Suspend():
                self.held.add(thread.id)
        answer["at"] = [thread.id for thread in at]
        answer["runs"] = len(threads) - len(self.held)
        thread = process.GetThreadByID(wish.get("thread", 0))
        if thread.IsValid():
            self.describe(process.target, thread, wish.get("frame", 0), answer)

    def is_other(self, process, thread):
        reason = thread.GetStopReason()
        if reason == lldb.eStopReasonBreakpoint:
            return any(thread.GetStopReasonDataAtIndex(i) not in self.own for i in range(0, thread.GetStopReasonDataCount(), 2))
        if reason == lldb.eStopReasonSignal:
            return process.GetUnixSignals().GetShouldStop(thread.GetStopReasonDataAtIndex(0))
        return reason not in (lldb.eStopReasonInvalid, lldb.eStopReasonNone, lldb.eStopReasonTrace, lldb.eStopReasonPlanComplete)

    def describe(self, target, thread, index, answer):
        frame, caller = thread.GetFrameAtIndex(index), thread.GetFrameAtIndex(index + 1)
        answer.update(pc=frame.GetPC(), cfa=frame.GetCFA())
        if caller.IsValid():
            module = frame.GetModule().GetFileSpec()
            answer.update({"return": caller.GetPC(), "return_cfa": caller.GetCFA()})
            answer["inner"] = caller.GetModule().GetFileSpec() == module and module != target.GetExecutable()
        names = ARGUMENTS.get(target.GetTriple().split("-")[0], ())
        answer["arguments"] = [hex(frame.FindRegister(name).GetValueAsUnsigned()) for name in names]


STEPS = Steps()


def run(debugger, command, result, _session):
    process = debugger.GetSelectedTarget().GetProcess()
    try:
        text = json.dumps(STEPS.serve(process, json.loads(command)))
    except Exception as error:  # Any failure must reach the requester.
        text = json.dumps({"error": f"{type(error).__name__}: {error}"})
    result.AppendMessage(f"OMPDD {text}")
    result.SetStatus(lldb.eReturnStatusSuccessFinishResult)


def __lldb_init_module(debugger, _session):
    debugger.HandleCommand("command script add -f openmp_steps.run openmp-step")
