# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`openmp …` in lldb 14 or later: `command script import …/openmp_lldb.py` in ~/.lldbinit."""
import locale
import os
import sys

import lldb

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from openmp_shared.commands import Commands, Host  # noqa: E402
from openmp_shared.service import Core, Live, Problem, mapped_core_files  # noqa: E402
from openmp_shared.stacks import X86_64, Frame  # noqa: E402

MAX_FRAMES = 512


class LldbHost(Host):
    NAME = "lldb"

    def __init__(self):
        self.debugger = None

    def target(self):
        return self.debugger.GetSelectedTarget()

    def process(self):
        process = self.target().GetProcess()
        if not process.IsValid() or process.GetState() in (lldb.eStateInvalid, lldb.eStateUnloaded, lldb.eStateExited, lldb.eStateDetached):
            raise Problem("No program: use run, process attach or target create --core first")
        return process

    def subject(self):
        process = self.process()
        if process.GetPluginName() == "elf-core":
            return Core(core_path(process), path_of(self.target().GetExecutable()))
        if self.target().GetPlatform().GetName() != "host":
            raise Problem(f"The program is on lldb's platform {self.target().GetPlatform().GetName()}: "
                          "openmp sees processes of this machine and core files")
        return Live(process.GetProcessID(), process.GetState() != lldb.eStateRunning)

    def selected(self):
        thread = self.process().GetSelectedThread()
        return thread.GetThreadID() if thread.IsValid() else None

    def number_of(self, tid):
        thread = self.process().GetThreadByID(tid)
        return thread.GetIndexID() if thread.IsValid() else None

    def select(self, tid, frame):
        process = self.process()
        if not process.SetSelectedThreadByID(tid):
            return False
        number = next((one.number for one in self.frames() if one.key == frame), None) if frame is not None else None
        if number is not None:
            process.GetSelectedThread().SetSelectedFrame(number)
        return True

    def where(self):
        text = lldb.SBCommandReturnObject()
        self.debugger.GetCommandInterpreter().HandleCommand("frame info", text)
        return (text.GetOutput() or "").rstrip("\n").split("\n")

    def frames(self):
        thread = self.process().GetSelectedThread()
        return [shown(thread.GetFrameAtIndex(i)) for i in range(min(thread.GetNumFrames(), MAX_FRAMES))]

    def registers(self):
        target = self.target()
        names = X86_64 if target.GetTriple().startswith("x86_64") else ()
        for thread in self.process() if names else ():
            frame = thread.GetFrameAtIndex(0)
            values = [frame.FindRegister(name) for name in names]
            if all(value.IsValid() for value in values):
                yield thread.GetThreadID(), [value.GetValueAsUnsigned() for value in values]

    def stop_id(self):
        return self.process().GetStopID()

    def plant(self, address):
        return self.target().BreakpointCreateByAddress(address).GetID()

    def utf8(self):
        return locale.nl_langinfo(locale.CODESET).upper().replace("-", "") == "UTF8"


def shown(frame):
    entry, module = frame.GetLineEntry(), path_of(frame.GetModule().GetFileSpec())
    text = f"{frame.GetFunctionName() or '??'}()"
    if entry.IsValid() and entry.GetLine():
        text += f" at {path_of(entry.GetFileSpec())}:{entry.GetLine()}"
    elif module:
        text += f" from {module}"
    return Frame((frame.GetPC(), frame.GetSP()), frame.GetFrameID(), text, module)


def path_of(file):
    return os.path.join(file.GetDirectory() or "", file.GetFilename()) if file.IsValid() and file.GetFilename() else None


def core_path(process):
    """lldb provides it from version 18 on; before, it is the core file that lldb has open."""
    if hasattr(process, "GetCoreFile"):
        return path_of(process.GetCoreFile())
    found = mapped_core_files()
    if len(found) != 1:
        raise Problem("lldb does not report its core file" + (f", and has several open: {', '.join(found)}" if found else ""))
    return found[0]


COMMANDS = Commands(LldbHost())


def openmp(debugger, command, result, _internal):
    """OpenMP's view of the program: regions, teams, threads, tasks. openmp help shows the commands."""
    COMMANDS.host.debugger = debugger
    try:
        for line in COMMANDS.run(command):
            result.AppendMessage(line)
        result.SetStatus(lldb.eReturnStatusSuccessFinishResult)
    except Problem as problem:
        result.SetError(str(problem))


def __lldb_init_module(debugger, _internal):
    debugger.HandleCommand(f"command script add -f {__name__}.openmp openmp")
