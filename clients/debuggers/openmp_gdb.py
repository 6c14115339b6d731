# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`openmp …` in gdb 12 or later, and `bt` with the runtime folded: `source …/openmp_gdb.py` in ~/.gdbinit."""
import itertools
import locale
import os
import re
import sys

import gdb
from gdb.FrameDecorator import FrameDecorator

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from openmp_shared import show, stacks  # noqa: E402
from openmp_shared.commands import Commands, Host  # noqa: E402
from openmp_shared.service import Core, Live, Problem  # noqa: E402

# Deeper frames are shown unchanged: an endless recursion is not worth the wait.
MAX_FILTERED = 512
MASK = 0xffffffffffffffff
RUNTIMES = re.compile(r"lib(gomp|i?omp\d*)[-.\w]*\.so")


class GdbHost(Host):
    NAME = "gdb"

    def __init__(self):
        # Counts events that may have changed registers.
        self.stops = 0
        for event in (gdb.events.cont, gdb.events.stop, gdb.events.register_changed):
            event.connect(self.moved)

    def moved(self, _event):
        self.stops += 1

    def subject(self):
        inferior = gdb.selected_inferior()
        connection = getattr(inferior, "connection", None)
        kind = connection.type if connection is not None else None
        if kind == "core":
            return Core(core_path(), inferior.progspace.filename)
        if not inferior.pid or kind is None:
            raise Problem("No program: use run, attach or core first")
        if kind != "native":
            raise Problem(f"gdb reaches the program by its target {kind}: openmp sees processes of this machine and core files")
        thread = gdb.selected_thread()
        return Live(inferior.pid, thread is None or not thread.is_running())

    def selected(self):
        thread = gdb.selected_thread()
        return thread_tid(thread) if thread is not None else None

    def number_of(self, tid):
        thread = find_thread(tid)
        return thread.num if thread is not None else None

    def select(self, tid, frame):
        thread = find_thread(tid)
        if thread is None:
            return False
        thread.switch()
        number = next((one.number for one in self.frames() if one.key == frame), None) if frame is not None else None
        if number is not None:
            gdb.execute(f"frame {number}", to_string=True)
        return True

    def where(self):
        return gdb.execute("frame", to_string=True).rstrip("\n").split("\n")

    def frames(self):
        found, frame = [], newest_frame()
        while frame is not None and len(found) < MAX_FILTERED:
            found.append(stacks.Frame(frame_key(frame), frame.level(), frame_text(frame), module_of(frame)))
            frame = frame.older()
        return found

    def registers(self):
        before, frame = gdb.selected_thread(), selected_frame()
        try:
            for thread in gdb.selected_inferior().threads():
                if thread.is_running():
                    continue
                thread.switch()
                newest = newest_frame()
                names = stacks.X86_64 if newest is not None and newest.architecture().name() == "i386:x86-64" else ()
                if names:
                    yield thread_tid(thread), [int(newest.read_register(name)) & MASK for name in names]
        finally:
            if before is not None and before.is_valid():
                before.switch()
                if frame is not None and frame.is_valid():
                    frame.select()

    def stop_id(self):
        return self.stops

    def plant(self, address):
        gdb.execute(f"break *{address:#x}", to_string=True)
        return int(gdb.convenience_variable("bpnum"))

    def utf8(self):
        return locale.nl_langinfo(locale.CODESET).upper().replace("-", "") == "UTF8"


def core_path():
    """gdb's Python provides it from version 16 on; `info files` always does."""
    named = getattr(gdb.selected_inferior(), "corefile", None)
    if named is not None:
        return named.filename
    found = re.search(r"core dump file:\s+[`'‘](.+)['’], file type", gdb.execute("info files", to_string=True))
    if not found:
        raise Problem("gdb does not report its core file")
    return found[1]


def thread_tid(thread):
    return thread.ptid[1] or thread.ptid[2]


def find_thread(tid):
    return next((thread for thread in gdb.selected_inferior().threads() if thread_tid(thread) == tid), None)


def newest_frame():
    try:
        return gdb.newest_frame()
    except gdb.error:
        return None


def selected_frame():
    try:
        return gdb.selected_frame()
    except gdb.error:
        return None


def frame_key(frame):
    try:
        return (frame.pc(), int(frame.read_register("sp")) & MASK)
    except (gdb.error, ValueError):
        return (frame.pc(), None)


def module_of(frame):
    return gdb.solib_name(frame.pc()) or gdb.current_progspace().filename


def frame_text(frame):
    place, name = frame.find_sal(), f"{frame.name() or '??'}()"
    if place.symtab is not None and place.line:
        return f"{name} at {place.symtab.filename}:{place.line}"
    module = gdb.solib_name(frame.pc())
    return f"{name} from {module}" if module else name


COMMANDS = Commands(GdbHost())


class OpenmpCommand(gdb.Command):
    """OpenMP's view of the program: regions, teams, threads, tasks.
openmp help shows the commands."""

    def __init__(self):
        super().__init__("openmp", gdb.COMMAND_DATA)

    def invoke(self, argument, _from_tty):
        self.dont_repeat()
        try:
            for line in COMMANDS.run(argument):
                gdb.write(line + "\n")
        except Problem as problem:
            raise gdb.GdbError(str(problem)) from None

    def complete(self, text, word):
        before = text[:len(text) - len(word or "")].split()
        return [name for name in COMMANDS.words() if name.startswith(word or "")] if not before else gdb.COMPLETE_NONE


class Label(FrameDecorator):
    """A line that is not a frame of this thread: of a region, a task, the runtime, or a frame on another thread's
    stack. gdb needs a frame below it, `base`, and shows no number for it.
    """

    def __init__(self, base, text, frame=None):
        super().__init__(base)
        self._text, self._frame = text, frame or {}

    def function(self):
        return self._text

    def address(self):
        return None

    def filename(self):
        location = self._frame.get("location") or {}
        return location.get("file")

    def line(self):
        return (self._frame.get("location") or {}).get("line")

    def frame_args(self):
        return None

    def frame_locals(self):
        return None


class OpenmpFilter:
    """`bt`: the runtime's frames as one line; below a region's function, the stack continues at the region's construct.
    """

    def __init__(self):
        self.name, self.priority, self.enabled = "openmp", 100, True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        if not has_runtime():
            return frames
        try:
            host = COMMANDS.host
            tid = host.selected()
            physical = COMMANDS.ask("stack.get", thread=tid, max_frames=stacks.MAX_FRAMES)
            if physical["thread"].get("openmp") is not True:
                return frames
            logical = COMMANDS.ask("stack.get", thread=tid, max_frames=stacks.MAX_FRAMES, logical=True)
            numbers = COMMANDS.numbers()
        except Problem:
            return frames
        first = list(itertools.islice(frames, MAX_FILTERED))
        if logical["complete"] is not True:
            return itertools.chain(fold(first, stacks.runtime_paths(numbers)), frames)
        return itertools.chain(merge(first, physical["frames"], logical["frames"], numbers, tid, host.utf8()), frames)


def has_runtime():
    """Return whether the program may use OpenMP, without starting ompdd."""
    return any(RUNTIMES.search(os.path.basename(objfile.filename or "")) for objfile in gdb.objfiles())


def fold(frames, paths):
    """gdb's frames, with the runtime's frames as one line, if nothing more is known."""
    out, run = [], None
    for decorated in frames:
        frame = decorated.inferior_frame()
        if stacks.is_runtime(module_of(frame), paths):
            run = frame
            continue
        if run is not None:
            out.append(Label(run, f"[in {run.name() or 'the OpenMP runtime'}]"))
            run = None
        out.append(decorated)
    return out if run is None else [*out, Label(run, f"[in {run.name() or 'the OpenMP runtime'}]")]


def merge(frames, physical, logical, numbers, tid, utf8):
    """gdb's frames without known frames of the runtime, with the additions of the logical stack in their places.

    Frames unknown to ompdd stay unchanged.
    """
    style = show.Style(utf8, tid)
    hidden = {stacks.key_of(frame) for frame in physical if frame["kind"] not in ("user", "python")}
    left = [(decorated, frame_key(decorated.inferior_frame())) for decorated in frames]
    out, base = [], None

    def until(stop):
        """Yield the frames before `stop`, or all frames without it."""
        while left and (stop is None or left[0][1] != stop):
            decorated, key = left.pop(0)
            if key not in hidden:
                out.append(decorated)

    for item, owner, above in stacks.walk(logical, tid):
        if left:
            base = left[0][0].inferior_frame()
        if base is None:
            break
        if item["kind"] == "python":
            out.append(Label(base, style.safe(item["function"]), item))
        elif "pc" not in item:
            out.append(Label(base, f"[{stacks.boundary_text(item, numbers, style, above)}]"))
            if owner != tid:
                label = out.pop()
                until(None)
                out.append(label)
        elif owner == tid:
            key = stacks.key_of(item)
            if any(key == its for _, its in left):
                until(key)
                out.append(left.pop(0)[0])
        else:
            function = item.get("function")
            name = function if isinstance(function, str) else "??"
            out.append(Label(base, style.safe(name), item))
    until(None)
    return out


OpenmpCommand()
OpenmpFilter()
gdb.events.gdb_exiting.connect(lambda _event: COMMANDS.service.close()) if hasattr(gdb.events, "gdb_exiting") else None
