# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Other debuggers under control of a test through a pipe, also on a process that ompdd examines."""
import os
import subprocess

from snapshots import check_oracle, check_structure
from targets import read_text, stopped_threads, tracer, wait_until


class Debugger:
    """The common part of gdb and lldb. A subclass names the command and its texts."""

    COMMAND = ()
    ATTACH = DETACH = CONTINUE = ""

    def __init__(self):
        self.name = self.COMMAND[0]
        self.process = subprocess.Popen(self.COMMAND, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, text=True, env={**os.environ, "DEBUGINFOD_URLS": ""})

    def say(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def attach(self, program):
        self.say(f"{self.ATTACH} {program.pid}")
        wait_until(lambda: self.traces(program.pid) and len(stopped_threads(program.pid)) == len(program.lines),
                   f"{self.name} has stopped all threads", timeout=600)

    def traces(self, pid):
        """Return whether its process, or its server process, is the tracer."""
        raise NotImplementedError

    def leave(self):
        self.say("quit")
        self.process.wait(600)

    def quit(self):
        self.say(self.DETACH)
        self.leave()

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()


class Gdb(Debugger):
    COMMAND = ("gdb", "-nx", "-q", "-ex", "set confirm off", "-ex", "set pagination off")
    ATTACH, DETACH, CONTINUE = "attach", "detach", "continue"

    def traces(self, pid):
        return tracer(pid) == self.process.pid


class Lldb(Debugger):
    """lldb traces through a server process."""

    COMMAND = ("lldb", "--no-lldbinit", "--no-use-colors")
    ATTACH, DETACH, CONTINUE = "process attach --pid", "process detach", "process continue"

    def traces(self, pid):
        return tracer(pid) and "lldb-server" in read_text(f"/proc/{tracer(pid)}/comm")


def check_observing_beside(debugger, one, client):
    """Check a view of @one, which @debugger holds: reads are consistent, and the debugger is not disturbed.

    Return the target.
    """
    server = tracer(one.pid)
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    result = client.snapshot.get(target=target)
    assert result["consistency"] == "stopped", f"{debugger.name} holds it, so what is read is consistent"
    snapshot = check_structure(result)
    for line in one.oracle().values():
        check_oracle(snapshot, line)
    assert client.icv.list(target=target)["consistency"] == "stopped"
    stack = client.stack.get(target=target, thread=one.pid)
    assert stack["consistency"] == "stopped" and stack["frames"]
    assert tracer(one.pid) == server and len(stopped_threads(one.pid)) == len(one.lines), "its work is undisturbed"
    debugger.say(debugger.CONTINUE)
    wait_until(lambda: not stopped_threads(one.pid), f"{debugger.name} lets it run")
    result = client.snapshot.get(target=target)
    assert result["consistency"] in ("proven", "racy") and len(result["threads"]) == len(one.lines)
    return target
