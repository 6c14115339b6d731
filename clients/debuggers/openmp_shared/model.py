# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A snapshot as the commands need it: regions with numbers, threads as REGION.THREAD, short names of states. Only reads."""


def missing(value):
    """It says why it cannot be had, in place of a value; or it is not there at all."""
    return value is None or isinstance(value, dict) and "rc" in value


def safe(text, utf8=True):
    """Text from the target for a terminal: nothing in it moves the cursor or turns the line."""
    out = []
    for char in str(text):
        if char.isprintable() and (utf8 or char.isascii()):
            out.append(char)
        else:
            out.append(f"\\x{ord(char):02x}" if ord(char) < 0x80 else f"\\u{{{ord(char):x}}}")
    return "".join(out)


def state_name(state):
    """"barrier~": the short name, ~ marks what was inferred."""
    if missing(state):
        return "-"
    name = state["name"]
    for prefix in ("ompt_state_", "omp_state_"):
        name = name.removeprefix(prefix)
    if name.startswith("wait_barrier"):
        name = "barrier"
    name = {"work_serial": "serial", "work_parallel": "work"}.get(name, name)
    for prefix in ("work_", "wait_", "target_"):
        name = name.removeprefix(prefix) or name
    return name + ("~" if state.get("source") == "inferred" else "")


def function_name(owner):
    """Of a region, a task: the function's name, "" when it is not known."""
    function = owner.get("function")
    if missing(function):
        return ""
    symbol = function.get("symbol")
    return function.get("address", "") if missing(symbol) else symbol


class Snapshot:
    """The result of snapshot.get. `regions` is in the order of their numbers: 0 is the first initial region, then come the others,
    each followed by those within it, as ompdd-dap counts them; further initial ones (of threads that the program made) are last.
    """

    def __init__(self, result):
        self.result = result
        self.regions = in_order(result["parallels"])
        self.number = {region["handle"]: i for i, region in enumerate(self.regions)}
        self.tasks = {task["handle"]: task for task in result["tasks"]}
        # Of a thread that several runtimes know, the row of the region that it is in.
        self.threads = {}
        for thread in result["threads"]:
            if thread["tid"] not in self.threads or not missing(thread.get("parallel")):
                self.threads[thread["tid"]] = thread

    def region_of(self, tid):
        """Number of the innermost region of a thread, or None."""
        return self.number.get(handle_of(self.threads.get(tid, {}), "parallel"))

    def members(self, region):
        """The threads of a region as (number, tid); the number is None where it is not known."""
        parallel = self.regions[region]
        tids = parallel["threads"]
        whole = parallel.get("team_size") == len(tids)
        found = []
        for i, tid in enumerate(tids):
            number = self.threads.get(tid, {}).get("thread_num") if self.region_of(tid) == region else None
            if missing(number):
                number = i if whole else None
            found.append((number, tid))
        return found

    def label(self, tid):
        """"2.1": the thread in its innermost region; "" outside of regions."""
        region = self.region_of(tid)
        if region is None:
            return ""
        number = next((number for number, member in self.members(region) if member == tid), None)
        if number is None:
            number = self.threads[tid].get("thread_num")
        return f"{region}.{'?' if missing(number) else number}"

    def find(self, region, number):
        """The tid of thread `number` of a region, None when there is no such."""
        if not 0 <= region < len(self.regions):
            return None
        return next((tid for n, tid in self.members(region) if n == number), None)

    def enclosing(self, region):
        """Number of the region around a region, or None."""
        return self.number.get(handle_of(self.regions[region], "enclosing"))

    def region_at(self, tid, level):
        """Number of the region of that level around a thread, or None."""
        region = self.region_of(tid)
        for _ in self.regions:
            if region is None or self.regions[region].get("level") == level:
                return region
            region = self.enclosing(region)
        return None

    def task_of(self, tid):
        """The task that a thread executes, or None."""
        return self.tasks.get(handle_of(self.threads.get(tid, {}), "task"))

    def waits_for(self, tid):
        """What a thread waits for, "" for nothing that is known."""
        wait = self.threads[tid].get("wait_id")
        if missing(wait):
            return ""
        region = self.number.get(wait.get("parallel"))
        if region is not None:
            return f"barrier of region {region}"
        if wait.get("name"):
            return wait["name"]
        return f"{wait['value']} ({wait['what']})" if wait.get("what") else wait["value"]


def in_order(parallels):
    """The regions by number, see Snapshot."""
    inner = {}
    for parallel in parallels:
        inner.setdefault(handle_of(parallel, "enclosing"), []).append(parallel)
    initial, others, seen = [], [], set()

    def add(first):
        left = [first]
        while left:
            parallel = left.pop()
            if parallel["handle"] in seen:
                continue
            seen.add(parallel["handle"])
            (initial if parallel.get("level") == 0 else others).append(parallel)
            left += reversed(inner.get(parallel["handle"], []))

    # Those in a circle, as a torn look may show them, are begun with in the second round.
    for parallel in [*inner.get(None, []), *parallels]:
        add(parallel)
    return initial[:1] + others + initial[1:] if initial else others


def handle_of(owner, name):
    """A member that is a handle, or None where it cannot be had."""
    handle = owner.get(name)
    return handle if isinstance(handle, str) else None


def parse_thread(text):
    """"2.1" as (2, 1); None when it is no such thing."""
    region, dot, number = text.partition(".")
    if not dot or not (region.isascii() and region.isdigit() and number.isascii() and number.isdigit()):
        return None
    return int(region), int(number)
