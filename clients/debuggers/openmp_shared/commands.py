# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`openmp WORD ARGUMENTS` of any debugger: what is typed becomes lines of text. Host is what a debugger must be able to do."""
import shlex

from . import show, stacks
from .model import Snapshot, missing, parse_thread
from .service import Problem, Service

# Between the two looks of `openmp why` at a process that runs.
INTERVAL_MS = 500

USAGE = [
    ("tree", "regions, each below the thread that met it, with threads and tasks"),
    ("threads", "all threads: state, region, task, what they wait for"),
    ("thread R.T", "go to thread T of region R"),
    ("tasks", "the tasks and where they come from"),
    ("icvs [R.T]", "the control variables, of the process and of a thread's task"),
    ("why", "why it hangs, or that it does not: who waits for whom"),
    ("bt [R.T | all]", "the logical stack: the runtime folded, on across threads"),
    ("break [EVENT]", "stop at an OpenMP event, parallel_begin for example; alone: which"),
    ("ompdd PATH", "use that ompdd, not the one beside this or in PATH"),
]


class Host:
    """What the commands need of a debugger. A thread is given by its kernel's id."""

    NAME = ""

    def subject(self):
        """The service.Live or service.Core that the debugger has selected. Raises Problem."""
        raise NotImplementedError

    def selected(self):
        """The selected thread's id, or None."""
        raise NotImplementedError

    def number_of(self, tid):
        """The debugger's own number of a thread, or None."""
        raise NotImplementedError

    def select(self, tid, frame):
        """Go to a thread, and there to the frame of (pc, sp) `frame`, if it is not None and there is such a one. False: there is no such thread."""
        raise NotImplementedError

    def where(self):
        """The selected frame, in the debugger's own words."""
        raise NotImplementedError

    def frames(self):
        """The selected thread's frames, innermost first, as stacks.Frame."""
        raise NotImplementedError

    def registers(self):
        """Of each thread that stands, (tid, values): the general registers in the order of DWARF's numbers, with the program counter."""
        raise NotImplementedError

    def stop_id(self):
        """Another one after each time that the program ran."""
        raise NotImplementedError

    def plant(self, address):
        """Make a breakpoint there; the debugger's number of it."""
        raise NotImplementedError

    def utf8(self):
        """Whether the terminal shows UTF-8."""
        raise NotImplementedError


class Commands:
    """run() is one command; it gives lines of text, or raises Problem."""

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
        """All commands."""
        width = max(len(name) for name, _ in USAGE)
        return [f"openmp {name.ljust(width)}  {summary}" for name, summary in USAGE]

    def words(self):
        """For completion."""
        return [name.split()[0] for name, _ in USAGE]

    def ask(self, method, **params):
        return self.service.ask(self.host.subject(), method, prepare=self.tell, **params)

    def tell(self, subject):
        """Before stacks are asked for: what the kernel tells only the debugger that holds the process. Once for each stop."""
        if subject.key()[0] != "live" or not subject.stopped:
            return
        stop = (subject.key(), self.host.stop_id(), self.service.generation)
        if stop != self._told:
            self.service.tell(subject, self.host.registers())
            self._told = stop

    def snapshot(self, of="none"):
        return Snapshot(self.ask("snapshot.get", stacks=of))

    def style(self):
        return show.Style(self.host.utf8(), self.host.selected())

    def framed(self, result, lines, style):
        return [show.head(result, self.host.NAME), *lines, *show.foot(result, style)]

    def do_tree(self, args):
        none(args, "tree")
        snapshot, style = self.snapshot("regions"), self.style()
        return self.framed(snapshot.result, show.tree(snapshot, style), style)

    def do_threads(self, args):
        none(args, "threads")
        snapshot, style = self.snapshot("regions"), self.style()
        return self.framed(snapshot.result, show.threads(snapshot, style, self.host.number_of), style)

    def do_tasks(self, args):
        none(args, "tasks")
        snapshot, style = self.snapshot("regions"), self.style()
        return self.framed(snapshot.result, show.tasks(snapshot, style), style)

    def do_icvs(self, args):
        snapshot, style = self.snapshot(), self.style()
        tid = self.thread(snapshot, args, "icvs [R.T]") if args else style.selected
        return self.framed(snapshot.result, show.icvs(snapshot, style, tid), style)

    def do_why(self, args):
        none(args, "why")
        # Two looks at what the debugger holds would take it for hung.
        result = self.ask("diagnose.get", interval_ms=0 if self.host.subject().stopped else INTERVAL_MS)
        style = self.style()
        return self.framed(result, show.why(result, style), style)

    def thread(self, snapshot, args, usage):
        """The thread that R.T names, or the debugger's selected one has when it is asked for by its tid."""
        place = parse_thread(args[0]) if len(args) == 1 else None
        if place is None:
            raise Problem(f"usage: openmp {usage}; R is the number of a region, T of a thread in its team: openmp tree shows them")
        region, number = place
        tid = snapshot.find(region, number)
        if tid is not None:
            return tid
        if region >= len(snapshot.regions):
            raise Problem(f"There is no region {region}; openmp tree shows regions 0 to {len(snapshot.regions) - 1}"
                          if snapshot.regions else "There is no region now")
        size = snapshot.regions[region].get("team_size")
        raise Problem(f"There is no thread {number} in region {region}, "
                      f"whose team is {'not known' if missing(size) else f'of {size}'}; openmp tree shows it")

    def do_thread(self, args):
        snapshot, style = self.snapshot(), self.style()
        tid = self.thread(snapshot, args, "thread R.T")
        try:
            frame = stacks.first_user_frame(self.ask("stack.get", thread=tid, max_frames=stacks.MAX_FRAMES))
        except Problem:
            frame = None  # the thread is the answer, the frame a courtesy
        if not self.host.select(tid, frame):
            raise Problem(f"{self.host.NAME} has no thread {tid}; it may have ended")
        now = snapshot.label(tid)
        inner = f", now as {now} in a region that it met" if now and now != args[0] else ""
        state = show.state_name(snapshot.threads.get(tid, {}).get("state"))
        wait = snapshot.waits_for(tid) if tid in snapshot.threads else ""
        return [f"thread {args[0]} ({tid}){inner}: {state}{f', waits for {style.safe(wait)}' if wait else ''}", *self.host.where()]

    def do_bt(self, args):
        if args == ["all"]:
            return self.all_stacks()
        snapshot, style = self.snapshot(), self.style()
        tid = self.thread(snapshot, args, "bt [R.T | all]") if args else style.selected
        if tid is None:
            raise Problem("No thread is selected; openmp bt all shows all stacks")
        result = self.ask("stack.get", thread=tid, logical=True, max_frames=stacks.MAX_FRAMES)
        name = snapshot.label(tid)
        frames = self.host.frames() if tid == style.selected else []
        head = f"thread {name} ({tid})" if name else f"thread {tid}"
        return self.framed({**snapshot.result, **result}, [head, *stacks.lines(result, snapshot, style, tid, frames)], style)

    def all_stacks(self):
        snapshot, style = self.snapshot(), self.style()
        result = self.ask("stack.groups", logical=True, max_frames=stacks.MAX_FRAMES)
        lines = []
        for group in result["groups"]:
            tids = [thread["tid"] for thread in group["threads"]]
            lines += ["", stacks.group_label(group, snapshot), *stacks.lines(group, snapshot, style, tids[0], [])]
        return self.framed({**snapshot.result, **result}, lines, style)

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
        # An event at a function that the runtime gets as an argument, or at a return: its caller's place comes before it.
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
    """"GOMP_parallel+4", or what of a function it is that counts."""
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
        raise Problem(f"openmp {word} takes no arguments; openmp help shows what does")
