# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A client of the Debug Adapter Protocol that trusts nothing: it checks every message against the protocol and its
order.
"""
import contextlib
import json
import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import tempfile
import threading

import dap_schema
from daemons import BIN
from targets import children, read_text, tasks

NATIVE = next((path for name in ("lldb-vscode-14", "lldb-vscode", "lldb-dap", *(f"lldb-dap-{version}" for version in range(30, 15, -1))) if (path := shutil.which(name))), None)
# Maximum time between two expected messages, in seconds. A session takes one or two on a quiet machine.
PATIENCE = 50
# Time that ompdd-dap gives such a client for OpenMP's names. A busy machine may reach its own limit.
NAMES_PATIENCE = 40
# Time that a native adapter has to end by itself.
NATIVE_PATIENCE = 3
SOURCE = pathlib.Path(__file__).parents[1] / "programs" / "debuggee.c"
# A label frame: number, function and level of a region, number of the thread, size of the team, encountering thread.
LABEL = re.compile(r"parallel region (\d+), (\w+) \(level (\d+)\): thread (\d+) of (\d+)(, encountered by thread (\d+))?")


def line_of(mark):
    """Return the line of the program with this mark."""
    lines = SOURCE.read_text().splitlines()
    return 1 + next(i for i, line in enumerate(lines) if f"HERE {mark} " in line)


class Dap:
    """An adapter on pipes. @checked: an adapter of ours; native ones number their messages freely."""

    PROGRAM = BIN / "ompdd-dap"

    def __init__(self, *argv, checked=True, patience=PATIENCE, **options):
        argv = [str(word) for word in argv or (self.PROGRAM,)]
        if argv[0] == str(self.PROGRAM):
            argv += ["--patience", str(NAMES_PATIENCE)]
        self.words = tempfile.TemporaryFile()
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.words, **options)
        self.checked = checked
        self.patience = patience
        self.seq = self.last_seq = 0
        self.asked = {}
        self.pending = []
        self.log = []
        # The capabilities that the adapter has reported so far.
        self.caps = {}
        self._queue = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        stream = self.process.stdout
        try:
            while True:
                length = None
                while line := stream.readline().strip():
                    name, _, value = line.partition(b":")
                    assert name == b"Content-Length", line
                    length = int(value)
                if length is None:
                    break
                self._queue.put(json.loads(stream.read(length)))
        except (ValueError, AssertionError) as error:
            self._queue.put({"broken": str(error)})
        self._queue.put(None)

    def write(self, message):
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self.process.stdin.flush()

    def send(self, command, **arguments):
        """Send a request without waiting. Return its number."""
        self.seq += 1
        self.asked[self.seq] = command
        self.write({"seq": self.seq, "type": "request", "command": command, "arguments": arguments})
        return self.seq

    def _next(self):
        try:
            message = self._queue.get(timeout=self.patience)
        except queue.Empty:
            raise TimeoutError(self.situation()) from None
        if message is None:
            raise EOFError(f"the adapter has ended: {self.process.wait(PATIENCE)}")
        assert "broken" not in message, message
        self.log.append(message)
        if message.get("command") == "initialize" and message.get("success"):
            self.caps = dict(message.get("body", {}))
        elif message.get("event") == "capabilities":
            self.caps.update(message["body"]["capabilities"])
        if self.checked:
            dap_schema.check(message)
            assert message["seq"] == self.last_seq + 1, f"numbers go up by one: {message}"
            self.last_seq += 1
            if message["type"] == "response":
                assert self.asked.pop(message["request_seq"]) == message["command"], f"nobody asked: {message}"
        return message

    def situation(self):
        """Return the last messages and the state of all processes of the session, for people."""
        lines = [json.dumps(message)[:400] for message in self.log[-8:]] + [f"not answered: {self.asked}"]
        for pid in self._processes():
            for tid in tasks(pid):
                state = re.search(r"^State:\s*(.*)", read_text(f"/proc/{pid}/task/{tid}/status"), re.M)
                lines.append(f"{pid} {tid} {read_text(f'/proc/{pid}/task/{tid}/comm').strip()}: {state and state[1]}, "
                             f"in {read_text(f'/proc/{pid}/task/{tid}/wchan')}")
        self.words.seek(0)
        return "\n".join([f"nothing came for {self.patience} s; last:", *lines, self.words.read(4096).decode(errors="replace")])

    def natives(self):
        """Return the native adapters: the process itself, or its children."""
        return [one for one in self._processes() if read_text(f"/proc/{one}/comm").startswith(("lldb-vscode", "lldb-dap"))]

    def _processes(self):
        pids = [self.process.pid]
        for pid in pids:
            pids += children(pid)
        return pids

    def wait(self, fits, ends=lambda message: False):
        """Return the next message that @fits. A message that @ends the session before it fails at once."""
        for i, message in enumerate(self.pending):
            if fits(message):
                return self.pending.pop(i)
            assert not ends(message), message
        while not fits(message := self._next()):
            self.pending.append(message)
            assert not ends(message), message
        return message

    def answer(self, number):
        return self.wait(lambda m: m["type"] == "response" and m["request_seq"] == number)

    def ask(self, command, **arguments):
        """Return the body of the response, which must be a success."""
        message = self.answer(self.send(command, **arguments))
        assert message["success"], message
        return message.get("body", {})

    def fail(self, command, **arguments):
        """Return the text of the response, which must be an error."""
        message = self.answer(self.send(command, **arguments))
        assert not message["success"], message
        return message["message"]

    def event(self, name, **members):
        def ends(message):
            if message["type"] == "event":
                return message["event"] == "terminated"
            return message.get("command") in ("launch", "attach") and not message.get("success")

        return self.wait(lambda m: m["type"] == "event" and m["event"] == name
                         and all(m["body"].get(key) == value for key, value in members.items()), ends).get("body", {})

    def initialize(self, **more):
        return self.ask("initialize", adapterID="openmp", linesStartAt1=True, columnsStartAt1=True, pathFormat="path", **more)

    def launch(self, program, *args, lines=(), source=None, filters=(), functions=(), **more):
        """Start the session until the program runs, with breakpoints at @lines of @source, @filters and @functions."""
        number = self.send("launch", program=str(program), args=[str(arg) for arg in args], **more)
        self.event("initialized")
        answers = {}
        if source:
            answers["lines"] = self.ask("setBreakpoints", source={"path": str(source)}, breakpoints=[{"line": n} for n in lines])
        if functions:
            answers["functions"] = self.ask("setFunctionBreakpoints", breakpoints=[{"name": name} for name in functions])
        self.ask("setExceptionBreakpoints", filters=list(filters))
        self.ask("configurationDone")
        assert self.answer(number)["success"]
        return answers

    def threads(self):
        return self.ask("threads")["threads"]

    def stack(self, thread, **more):
        return self.ask("stackTrace", threadId=thread, **more)["stackFrames"]

    def variables(self, frame, scope):
        """Return {name: value} of a scope of a frame."""
        scopes = {one["name"]: one["variablesReference"] for one in self.ask("scopes", frameId=frame)["scopes"]}
        return {one["name"]: one["value"] for one in self.ask("variables", variablesReference=scopes[scope])["variables"]}

    def end(self, **more):
        """Disconnect, and wait until the adapter has ended."""
        self.ask("disconnect", **more)
        self.close()
        assert self.process.returncode == 0, self.process.returncode

    def close(self):
        natives = self.natives()
        if not self.process.stdin.closed:
            try:
                self.process.stdin.close()
            except BrokenPipeError:
                pass
        try:
            self.process.wait(PATIENCE if self.checked else NATIVE_PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        # lldb-vscode-14 may hang if its client disappears while it holds a process.
        for pid in natives:
            with contextlib.suppress(ProcessLookupError):
                if read_text(f"/proc/{pid}/comm").startswith("lldb"):
                    os.kill(pid, signal.SIGKILL)
        self._reader.join(PATIENCE)
        self.process.stdout.close()
        self.words.close()
