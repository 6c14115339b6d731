# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers of regions and threads, as in ompdd-dap: REGION.THREAD."""


def missing(value):
    """Return whether a value is missing, or replaced by the reason for that."""
    return value is None or isinstance(value, dict) and "rc" in value


def safe(text, utf8=True):
    """Return text of the target for a terminal: it cannot move the cursor or reorder the line."""
    out = []
    for char in str(text):
        if char.isprintable() and (utf8 or char.isascii()):
            out.append(char)
        else:
            out.append(f"\\x{ord(char):02x}" if ord(char) < 0x80 else f"\\u{{{ord(char):x}}}")
    return "".join(out)


class Numbers:
    """Threads by number. `view` is the tree of view.get, numbered and not folded."""

    def __init__(self, view):
        self.runtimes = view.get("runtimes", [])
        self.n_regions = 0
        self.nodes = {}  # tid: its node in its innermost region
        self.names = {}  # tid: "2.1", there
        self.regions = {}  # tid: numbers of the regions around it by level
        self._tids = {}  # (region, number): tid
        path = []
        for node in view["nodes"]:
            del path[len([depth for depth, _ in path if depth < node["depth"]]):]
            if node["kind"] == "region":
                path.append((node["depth"], int(node["numbers"])))
                self.n_regions = max(self.n_regions, int(node["numbers"]) + 1)
            elif node["kind"] == "thread":
                self._add_thread(node, [region for _, region in path])

    def _add_thread(self, node, regions):
        tid, = node["threads"]
        is_named = regions and "numbers" in node
        if is_named:
            self._tids.setdefault((regions[-1], int(node["numbers"])), tid)
        if "state" not in node:  # It has encountered a nested region.
            return
        self.nodes[tid] = node
        self.regions[tid] = regions
        if is_named:
            self.names[tid] = f"{regions[-1]}.{node['numbers']}"

    def find(self, region, number):
        """Return the tid of thread `number` of a region, or None."""
        return self._tids.get((region, number))

    def name(self, tid):
        """Return "2.1" for a thread in its innermost region; "" outside of regions."""
        return self.names.get(tid, "")

    def region_at(self, tid, level):
        """Return the number of the region of that level around a thread, or None."""
        regions = self.regions.get(tid, [])
        return regions[level] if 0 <= level < len(regions) else None


def parse_thread(text):
    """Return "2.1" as (2, 1); None for any other text."""
    region, dot, number = text.partition(".")
    if not dot or not (region.isascii() and region.isdigit() and number.isascii() and number.isdigit()):
        return None
    return int(region), int(number)
