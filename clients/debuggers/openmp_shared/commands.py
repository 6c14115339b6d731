# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`openmp WORD ARGUMENTS` in any debugger: turns a command line into lines of text. Host is the debugger's side."""
import shlex

from . import show, stacks
from .model import Numbers, missing, parse_thread
from .service import Problem, Service

# Time between the two samples of `openmp why` on a running process.
INTERVAL_MS = 500

USAGE = [
    ("tree", "regions, each below its encountering thread, with threads and tasks"),
    ("threads", "all threads: state, region, task, what they wait for"),
    ("thread R.T", "select thread T of region R"),
    ("tasks", "tasks and their creators"),
    ("icvs", "control variables (ICVs) of the process and its tasks"),
    ("why", "why the program hangs, or evidence that it does not"),
    ("bt [R.T | all]", "the logical stack: the runtime folded, continued across threads"),
    ("break [EVENT]", "stop at an OpenMP event, such as parallel_begin; alone: list the events"),
    ("ompdd PATH", "use this ompdd instead of the one beside the script or in PATH"),
]


class Host:
    """The debugger's side of the commands. Threads are given by their kernel ids."""

    NAME = ""

    def subject(self):
        """Return the service.Live or service.Core that the debugger has selected. Raises Problem."""
        raise NotImplementedError

    def selected(self):
        """Return the selected thread's id, or None."""
        raise NotImplementedError

    def number_of(self, tid):
        """Return the debugger's own number of a thread, or None."""
        raise NotImplementedError

    def select(self, tid, frame):
        """Select a thread, and in it the frame (pc, sp) `frame`, if given and present.

        Return False without such a thread.
        """
        raise NotImplementedError

    def where(self):
        """Return the selected frame in the debugger's own format."""
        raise NotImplementedError

    def frames(self):
        """Return the selected thread's frames, innermost first, as stacks.Frame."""
        raise NotImplementedError

    def registers(self):
        """Return (tid, values) of each stopped thread: the general registers in the order of DWARF's numbers, with the
        program counter.
        """
        raise NotImplementedError

    def stop_id(self):
        """Return a number that changes each time the program runs."""
        raise NotImplementedError

    def plant(self, address):
        """Set a breakpoint there. Return the debugger's number of it."""
        raise NotImplementedError

    def utf8(self):
        """Return whether the terminal shows UTF-8."""
        raise NotImplementedError


class Commands:
    """run() executes one command. It returns lines of text, or raises Problem."""

    def __init__(self, host, service=None):
        self.host, self.service = host, service or Service()
        self._told = None

    def run(self, text):
        try:
            words = shlex.split(text)
        except ValueError as error:
            raise Problem(f"openmp: {error}") from None
        if not words or words[0] == "help":
            return self.usage()
        handler = getattr(self, f"do_{words[0]}", None) if words[0].isidentifier() else None
        if handler is None:
            raise Problem(f"There is no command openmp {words[0]}; openmp help shows them all")
        return handler(words[1:])

    def usage(self):
        """Return all commands."""
        width = max(len(name) for name, _ in USAGE)
        return [f"openmp {name.ljust(width)}  {summary}" for name, summary in USAGE]

    def words(self):
        """Return completions."""
        return [name.split()[0] for name, _ in USAGE]

    def ask(self, method, **params):
        return self.service.ask(self.host.subject(), method, prepare=self.tell, **params)

    def tell(self, subject):
        """Before a request for stacks, once per stop: pass registers, which the kernel shows only to the debugger that
        holds the process.
        """
        if subject.key()[0] != "live" or not subject.stopped:
            return
        stop = (subject.key(), self.host.stop_id(), self.service.generation)
        if stop != self._told:
            self.service.tell(subject, self.host.registers())
            self._told = stop

    def view(self, name, **params):
        return self.ask("view.get", view=name, **params)

    def numbers(self):
        return Numbers(self.view("tree", numbered=True, fold=False, stacks="none"))

    def style(self):
        return show.Style(self.host.utf8(), self.host.selected())

    def framed(self, view, lines, style):
        return [*show.head(view, style), *lines, *show.foot(view, style)]

    def do_tree(self, args):
        none(args, "tree")
        view, style = self.view("tree", numbered=True), self.style()
        return self.framed(view, show.tree(view, style), style)

    def do_threads(self, args):
        none(args, "threads")
        view, style = self.view("threads", numbered=True, fold=False), self.style()
        return self.framed(view, show.rows(view["columns"], view["rows"], style, self.host.number_of), style)

    def do_tasks(self, args):
        none(args, "tasks")
        view, style = self.view("tasks"), self.style()
        return self.framed(view, show.rows(view["columns"], view["rows"], style), style)

    def do_icvs(self, args):
        none(args, "icvs")
        view, style = self.view("icvs", stacks="none"), self.style()
        return self.framed(view, show.tables(view, style), style)

    def do_why(self, args):
        none(args, "why")
        # Two samples of a process that the debugger holds would look like a hang.
        view = self.view("why", interval_ms=0 if self.host.subject().stopped else INTERVAL_MS)
        style = self.style()
        return self.framed(view, show.why(view, style), style)

    def thread(self, numbers, args, usage):
        """Return the thread that R.T names."""
        place = parse_thread(args[0]) if len(args) == 1 else None
        if place is None:
            raise Problem(f"usage: openmp {usage}; R is the number of a region, T of a thread in its team: openmp tree shows them")
        tid = numbers.find(*place)
        if tid is not None:
            return tid
        if place[0] >= numbers.n_regions:
            raise Problem(f"There is no region {place[0]}; openmp tree shows regions 0 to {numbers.n_regions - 1}"
                          if numbers.n_regions else "No parallel region now")
        raise Problem(f"There is no thread {place[1]} in region {place[0]}; openmp tree shows its team")

    def do_thread(self, args):
        numbers, style = self.numbers(), self.style()
        tid = self.thread(numbers, args, "thread R.T")
        try:
            frame = stacks.first_user_frame(self.ask("stack.get", thread=tid, max_frames=stacks.MAX_FRAMES))
        except Problem:
            frame = None  # The thread is the answer; its frame is optional.
        if not self.host.select(tid, frame):
            raise Problem(f"{self.host.NAME} has no thread {tid}; it may have ended")
        now = numbers.name(tid)
        inner = f", now as {now} in a region that it encountered" if now and now != args[0] else ""
        node = numbers.nodes.get(tid, {})
        state, text = node.get("state", {}).get("text", "-"), node.get("text", "")
        return [f"thread {args[0]} ({tid}){inner}: {state}{f', {style.safe(text)}' if text else ''}", *self.host.where()]

    def do_bt(self, args):
        if args == ["all"]:
            return self.all_stacks()
        numbers, style = self.numbers(), self.style()
        tid = self.thread(numbers, args, "bt [R.T | all]") if args else style.selected
        if tid is None:
            raise Problem("No thread is selected; openmp bt all shows all stacks")
        result = self.ask("stack.get", thread=tid, logical=True, max_frames=stacks.MAX_FRAMES)
        name = numbers.name(tid)
        frames = self.host.frames() if tid == style.selected else []
        head = f"thread {name} ({tid})" if name else f"thread {tid}"
        return [head, *stacks.lines(result, numbers, style, tid, frames)]

    def all_stacks(self):
        numbers, style = self.numbers(), self.style()
        result = self.ask("stack.groups", logical=True, max_frames=stacks.MAX_FRAMES)
        lines = []
        for group in result["groups"]:
            tids = [thread["tid"] for thread in group["threads"]]
            lines += ["", stacks.group_label(group, numbers), *stacks.lines(group, numbers, style, tids[0], [])]
        return lines

    def do_break(self, args):
        if len(args) > 1:
            raise Problem("usage: openmp break EVENT; openmp break shows the events")
        if self.host.subject().key()[0] != "live":
            raise Problem("A core file does not run: nothing can stop there")
        events = self.ask("breakpoint.addresses")["events"]
        if not args:
            return self.event_lines(events)
        event = next((event for event in events if event["event"] == args[0]), None)
        if event is None:
            raise Problem(f"There is no event {args[0]}; openmp break shows them")
        if missing(event["places"]):
            raise Problem(event["places"].get("message", f"{args[0]} cannot be seen in this program"))
        # An event at a function that the runtime gets as an argument, or at a return: its caller's place comes before
        # it.
        places = [place for place in event["places"] if place["point"] == "call"]
        if not places:
            raise Problem(f"{args[0]} is seen at no address of its own in this runtime: {place_text(event['places'], self.style())}; "
                          f"ompdctl -p PID break {args[0]} sees it, without a debugger")
        numbers = [self.host.plant(int(place["address"], 16)) for place in places]
        name = f"Breakpoint {numbers[0]} stops" if len(numbers) == 1 else f"Breakpoints {', '.join(map(str, numbers))} stop"
        lines = [f"{name} at {args[0]}: {place_text(places, self.style())}"]
        if event.get("unseen"):
            lines.append(f"not seen: {self.style().safe(event['unseen'])}")
        return lines

    def event_lines(self, events):
        style, rows = self.style(), [("EVENT", "WHERE")]
        for event in events:
            places = event["places"]
            rows.append((event["event"], "-" if missing(places) else place_text(places, style)))
        return show.table(rows)

    def do_ompdd(self, args):
        if len(args) != 1:
            raise Problem("usage: openmp ompdd PATH")
        self.service.use(args[0])
        return [f"ompdd is {self.service.named}"]


def place_text(places, style):
    """Return "GOMP_parallel+4", or the relevant argument or return of a function."""
    said = {"return": "return of ", "argument_call": "what {} gets as argument {}", "argument_return": "return of what {} gets as argument {}"}
    out = []
    for place in places:
        name = style.safe(place["function"]) if place.get("function") else place["address"]
        if place.get("function") and place.get("offset"):
            name += f"+{place['offset']:#x}"
        how = said.get(place["point"], "")
        out.append(how.format(name, place.get("argument", "?")) if "{" in how else how + name)
    return ", ".join(out)


def none(args, word):
    if args:
        raise Problem(f"openmp {word} takes no arguments; openmp help lists the arguments")
