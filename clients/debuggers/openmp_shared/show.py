# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Snapshots and verdicts as text."""
from .model import function_name, handle_of, missing, safe, state_name

# A tree that is deeper is cut there, and says so.
MAX_DEPTH = 64


class Style:
    """What the terminal takes, and the debugger's selected thread, which is marked."""

    def __init__(self, utf8=True, selected=None):
        self.utf8, self.selected = utf8, selected

    def safe(self, text):
        return safe(text, self.utf8)


def head(result, debugger):
    """What is looked at, and how."""
    runtime = result.get("runtime") or {}
    version = runtime.get("version")
    name = f"{runtime.get('kind', 'OpenMP')}{'' if missing(version) else ' ' + version}"
    how = {"core": "core file", "stopped": f"stopped by {debugger}"}.get(result.get("consistency"), "running, so it may be torn")
    return f"pid {result['pid']}, {name}, {how}"


def foot(result, style):
    """What is incomplete, in the service's words."""
    return [f"warning: {style.safe(warning['message'])}" for warning in result.get("warnings", [])]


def table(rows):
    """Columns under their heads; the last one is not filled up."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]


def mark(style, tid):
    return "*" if tid == style.selected else " "


def threads(snapshot, style, number_of):
    """A line for each thread; `number_of` gives the debugger's number of one."""
    rows = [("", "ID", "NUM", "TID", "STATE", "LEVEL", "TEAM", "REGION", "TASK", "WAITS FOR")]
    for tid, thread in snapshot.threads.items():
        region = snapshot.region_of(tid)
        parallel = {} if region is None else snapshot.regions[region]
        task = snapshot.task_of(tid)
        rows.append((mark(style, tid), snapshot.label(tid) or "-", str(number_of(tid) or "-"), str(tid),
                     state_name(thread.get("state")) if thread.get("openmp") is True else "no OpenMP",
                     number(parallel.get("level")), number(parallel.get("team_size")),
                     style.safe(function_name(parallel)) or "-",
                     style.safe(function_name(task)) if task and task.get("kind") == "explicit" else "-",
                     style.safe(snapshot.waits_for(tid)) or "-"))
    return table(rows)


def number(value):
    return "-" if missing(value) else str(value)


def tasks(snapshot, style):
    """A line for each task."""
    rows = [("", "KIND", "THREAD", "REGION", "FUNCTION", "CREATED BY", "STATUS")]
    for task in snapshot.tasks.values():
        tid = task.get("thread")
        rows.append((mark(style, tid) if is_current(snapshot, task) else " ", style.safe(task_kind(task)),
                     "-" if missing(tid) else str(tid), number(snapshot.number.get(handle_of(task, "parallel"))),
                     style.safe(function_name(task)) or "-", creator(snapshot, task, style), task_status(snapshot, task)))
    return table(rows)


def task_kind(task):
    return "?" if missing(task.get("kind")) else task["kind"]


def is_current(snapshot, task):
    tid = task.get("thread")
    return not missing(tid) and snapshot.task_of(tid) is task


def creator(snapshot, task, style):
    generating = snapshot.tasks.get(handle_of(task, "generating"))
    if generating is None:
        return "-"
    name = task_kind(generating)
    if name == "explicit" and function_name(generating):
        name = style.safe(function_name(generating))
    tid = generating.get("thread")
    return name if missing(tid) else f"{name} of {tid}"


def task_status(snapshot, task):
    queued = task.get("queued")
    if queued:
        return "waits for others" if isinstance(queued.get("predecessors"), int) and queued["predecessors"] else "queued"
    if is_current(snapshot, task):
        return "current"
    return "not current" if missing(task.get("thread")) else "suspended"


def icvs(snapshot, style, tid):
    """Those of the process, then those that hold for a thread's task."""
    lines = ["The process", *icv_rows(snapshot.result.get("icvs"), style)]
    thread = snapshot.threads.get(tid)
    if not thread or thread.get("openmp") is not True:
        return lines
    region, task = snapshot.region_of(tid), snapshot.task_of(tid)
    merged = {}
    for part in (snapshot.regions[region].get("icvs") if region is not None else None, thread.get("icvs"), task and task.get("icvs")):
        if not missing(part):
            merged.update(part)
    name = snapshot.label(tid)
    return [*lines, "", f"The task of thread {name} ({tid})" if name else f"The task of thread {tid}", *icv_rows(merged, style)]


def icv_rows(values, style):
    rows, unknown = [("VARIABLE", "VALUE")], []
    for name, icv in (values or {}).items():
        if missing(icv) or "value" not in icv:
            unknown.append(style.safe(name))
        else:
            rows.append((style.safe(name), style.safe(icv["value"])))
    return table(rows) + ([f"unavailable: {', '.join(unknown)}"] if unknown else [])


def why(result, style):
    """The verdict, and what it rests on with where that is from."""
    lines = [style.safe(result["title"])]
    for i, finding in enumerate(result["findings"]):
        if i:
            lines.append(("maybe: " if finding["certainty"] == "candidate" else "also: ") + style.safe(finding["title"]))
        lines += [f"  - {style.safe(claim['text'])} [{claim['source']}]" for claim in finding["claims"]]
    lines += [f"note: {style.safe(note['text'])}" for note in result["notes"]]
    looks = result["looks"]
    if str(looks["n"]) == "1":
        lines.append("looked once: what moves, and what does not, cannot be told")
    else:
        when = f"{looks['interval_us'] / 1000:.1f} ms"
        when = f"twice, {when} apart" if looks["n"] == 2 else f"{looks['n']} times, within {when}"
        lines.append(f"looked {when}: {looks['n_ran'] or 'no'} "
                     f"thread{'' if looks['n_ran'] in (0, 1) else 's'} ran")
    return lines


class Node:
    """A line of the tree; those with the same `alike` that follow each other are folded."""

    def __init__(self, text, alike=None, ident=""):
        self.text, self.alike, self.ident = text, alike, ident
        self.children = []
        self.is_outer = False

    def meets(self, text):
        """A thread that met a region, and is no more than that: one line for both."""
        joined, self.is_outer = self.is_outer, False
        if joined:
            self.text += f" → {text}"
        return joined


def tree(snapshot, style):
    """Regions, each below the thread that met it, with their threads and tasks."""
    builder = _TreeBuilder(snapshot, style)
    root = Node("")
    for region in range(len(snapshot.regions)):
        if snapshot.enclosing(region) is None:
            builder.add_region(root, region, 0)
    for region in range(len(snapshot.regions)):
        if region not in builder.regions_done:  # a circle that a broken process has
            builder.add_region(root, region, 0)
    for tid, thread in snapshot.threads.items():
        if snapshot.region_of(tid) is None:
            is_openmp = thread.get("openmp") is True
            text = f"{'thread' if is_openmp else 'other thread'} ({tid})"
            root.children.append(Node(f"{mark(style, tid)}{text}  {state_name(thread.get('state')) if is_openmp else ''}".rstrip()))
    lines = []
    draw(root, "", style, lines)
    if any("~" in line for line in lines):
        lines.append("~ inferred from what the thread does in the kernel or where it runs")
    return lines


class _TreeBuilder:
    def __init__(self, snapshot, style):
        self.snapshot, self.style = snapshot, style
        self.regions_done = set()

    def add_region(self, parent, region, depth):
        if region in self.regions_done or depth > MAX_DEPTH:
            return
        self.regions_done.add(region)
        snapshot, parallel = self.snapshot, self.snapshot.regions[region]
        level, size = parallel.get("level"), parallel.get("team_size")
        text = f"{'initial' if level == 0 else 'parallel'} region {region}: level {number(level)}, team of {number(size)}"
        if function_name(parallel):
            text += f", {self.style.safe(function_name(parallel))}"
        if parallel.get("queued"):
            text += f"; {parallel['queued']} task{'' if parallel['queued'] == 1 else 's'} queued"
        node = parent if parent.meets(text) else Node(f" {text}")
        if node is not parent:
            parent.children.append(node)
        inner = [i for i in range(len(snapshot.regions)) if snapshot.enclosing(i) == region]
        for num, tid in snapshot.members(region):
            child = self.member(region, num, tid)
            node.children.append(child)
            for i in inner:
                if snapshot.regions[i]["threads"][:1] == [tid]:
                    self.add_region(child, i, depth + 1)
        for i in inner:
            self.add_region(node, i, depth + 1)
        for task in snapshot.tasks.values():
            if missing(task.get("thread")) and task_kind(task) == "explicit" and task.get("parallel") == parallel["handle"]:
                name = self.style.safe(function_name(task))
                node.children.append(Node(f" explicit task {name} ({task_status(snapshot, task)})", (name, "queued")))

    def member(self, region, num, tid):
        snapshot, style = self.snapshot, self.style
        ident = f"{region}.{'?' if num is None else num}"
        if snapshot.region_of(tid) != region:
            node = Node(f" thread {ident} ({tid})")
            node.is_outer = True
            return node
        state = state_name(snapshot.threads[tid].get("state"))
        wait = snapshot.waits_for(tid)
        # The barrier's team is what the tree shows.
        rest = f"  {state}" + (f"  waits for {style.safe(wait)}" if wait and not wait.startswith("barrier of") else "")
        node = Node(f"{mark(style, tid)}thread {ident} ({tid}){rest}",
                    None if tid == style.selected or not num else ("thread", rest), ident)
        for task in snapshot.tasks.values():
            if task.get("thread") == tid and task_kind(task) == "explicit" and task.get("parallel") == snapshot.regions[region]["handle"]:
                created = creator(snapshot, task, style)
                note = "" if is_current(snapshot, task) else " (suspended)"
                node.children.append(Node(f" explicit task {style.safe(function_name(task))}{note}, created by {created}"))
        return node


def draw(node, lead, style, lines):
    """The children of a node; equal threads that follow each other share a line."""
    corner, tee, bar = ("└─", "├─", "│ ") if style.utf8 else ("`-", "|-", "| ")
    folded = []
    for child in node.children:
        if folded and child.alike and child.alike == folded[-1][0].alike and not child.children and not folded[-1][0].children:
            folded[-1].append(child)
        else:
            folded.append([child])
    for i, same in enumerate(folded):
        last = i == len(folded) - 1
        text = same[0].text
        if len(same) > 1:
            text = f" {len(same)} threads {same[0].ident} to {same[-1].ident}{same[0].alike[1]}" if same[0].ident else f"{text}: {len(same)}"
        lines.append(f"{lead}{corner if last else tee}{text}" if style.utf8 else f"{lead}{corner if last else tee}{text}".replace("→", "->"))
        draw(same[0], lead + ("  " if last else bar) + " ", style, lines)
