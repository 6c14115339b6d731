# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The activity of many processes as classes, without addresses and ids, with the members of each class.

Summaries merge in any order and grouping, so whatever carries them may merge on the way. A class is a tuple of texts,
its stack with the outermost frame first and its state last. Who: sets of ranks, as the bits of an integer, by the set
of threads of each rank, by the group that numbers them (a job's step); processes without a rank have names.
"""
from __future__ import annotations

import json

from . import sets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Iterable, List, Optional, Set, Tuple

    # Identity of a class; group and threads of its members.
    Class = Tuple[str, ...]
    Who = Tuple[str, int]
    # The members that _EXAMPLE names.
    Example = Tuple[str, int, str, int, int]

FORMAT = 1
MAX_LINE = 64 << 20
MAX_DEPTH = 512
MAX_COUNT = 1 << 53


class Members:
    """The members of a class: threads of ranks and of named processes."""

    __slots__ = ("ranks", "names")

    def __init__(self) -> None:
        self.ranks: Dict[Who, int] = {}
        self.names: Dict[Who, Set[str]] = {}

    def add_ranks(self, group: str, threads: int, ranks: int) -> None:
        key = (group, threads)
        self.ranks[key] = self.ranks.get(key, 0) | ranks

    def add_names(self, group: str, threads: int, names: Iterable[str]) -> None:
        self.names.setdefault((group, threads), set()).update(names)

    def merge(self, other: "Members") -> None:
        for (group, threads), ranks in other.ranks.items():
            self.add_ranks(group, threads, ranks)
        for (group, threads), names in other.names.items():
            self.add_names(group, threads, names)

    def n_threads(self) -> int:
        return sum(sets.numbers_count(threads) * sets.numbers_count(ranks)
                   for (_, threads), ranks in self.ranks.items()) + \
            sum(sets.numbers_count(threads) * len(names) for (_, threads), names in self.names.items())

    def to_json(self) -> List[Dict[str, str]]:
        rows = [({"group": group} if group else {}) |
                {"ranks": sets.numbers_fold(ranks), "threads": sets.numbers_fold(threads)}
                for (group, threads), ranks in self.ranks.items()]
        rows += [({"group": group} if group else {}) |
                 {"names": sets.names_fold(names), "threads": sets.numbers_fold(threads)}
                 for (group, threads), names in self.names.items()]
        return sorted(rows, key=lambda row: sorted(row.items()))

    def add_json(self, rows: List[Dict[str, str]]) -> int:
        """Return the approximate number of bits of the sets in `rows`."""
        n = 0
        for row in rows:
            group, threads = _text(row.get("group", "")), sets.numbers_parse(_text(row["threads"]))
            n += threads.bit_length()
            if "ranks" in row:
                ranks = sets.numbers_parse(_text(row["ranks"]))
                n += ranks.bit_length()
                self.add_ranks(group, threads, ranks)
            else:
                names = sets.names_parse(_text(row["names"]))
                n += 8 * sum(map(len, names))
                self.add_names(group, threads, names)
            if n > sets.MAX_BITS:
                raise ValueError("the sets are too large")
        return n


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("a text was expected")
    return value


def _count(value: Any, least: int = 0) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= MAX_COUNT:
        raise ValueError("a number was expected")
    return value


# An example of a class, for a closer view. The smallest one is kept, so that the order of merges does not matter.
_EXAMPLE = ("group", "rank", "node", "pid", "tid")


class Summary:
    """The summary of any number of processes, also of none."""

    def __init__(self, kind: str = "stacks") -> None:
        self.kind = kind
        self.nodes: Set[str] = set()
        self.n_processes = self.n_threads = 0
        self.stopped_us = self.stopped_max_us = 0
        # Nodes without an answer, by the known reason.
        self.failed: Dict[str, Set[str]] = {}
        # Processes that were not examined, on nodes that answered: number and nodes, by reason.
        self.skipped: Dict[str, Tuple[int, Set[str]]] = {}
        self.classes: Dict[Class, Members] = {}
        self.examples: Dict[Class, Example] = {}
        # For kind top: microseconds of all threads, and of the process with the most, which is the example.
        self.times: Dict[Class, Tuple[int, int]] = {}

    def members(self, key: Class) -> Members:
        found = self.classes.get(key)
        if found is None:
            found = self.classes[key] = Members()
        return found

    def add_example(self, key: Class, example: Example) -> None:
        known = self.examples.get(key)
        if known is None or example < known:
            self.examples[key] = example

    def add_time(self, key: Class, total: int, most: int, example: Example) -> None:
        """Add times. Of two equal processes, the first example counts."""
        known = self.times.get(key)
        if known is None or (-most, example) < (-known[1], self.examples[key]):
            self.examples[key] = example
        self.times[key] = (total, most) if known is None else (known[0] + total, max(known[1], most))

    def add_failure(self, node: str, why: str) -> None:
        self.failed.setdefault(why, set()).add(node)

    def add_skipped(self, nodes: Iterable[str], why: str, n: int = 1) -> None:
        known, where = self.skipped.get(why, (0, set()))
        self.skipped[why] = (known + n, where.union(nodes))

    def merge(self, other: "Summary") -> None:
        """Add all of `other`. ValueError if it is of another kind."""
        if other.kind != self.kind:
            raise ValueError(f"a summary of {other.kind} does not merge with one of {self.kind}")
        self.nodes |= other.nodes
        self.n_processes += other.n_processes
        self.n_threads += other.n_threads
        self.stopped_us += other.stopped_us
        self.stopped_max_us = max(self.stopped_max_us, other.stopped_max_us)
        for why, nodes in other.failed.items():
            self.failed.setdefault(why, set()).update(nodes)
        for why, (n, nodes) in other.skipped.items():
            self.add_skipped(nodes, why, n)
        for key, members in other.classes.items():
            self.members(key).merge(members)
        for key, example in other.examples.items():
            if key in other.times:
                self.add_time(key, *other.times[key], example)
            else:
                self.add_example(key, example)

    def to_json(self) -> Dict[str, Any]:
        return {
            "ompdd_summary": FORMAT,
            "kind": self.kind,
            "nodes": sets.names_fold(self.nodes),
            "n_nodes": len(self.nodes),
            "n_processes": self.n_processes,
            "n_threads": self.n_threads,
            "stopped_us": {"max": self.stopped_max_us, "total": self.stopped_us},
            "failed": [{"why": why, "nodes": sets.names_fold(nodes), "n_nodes": len(nodes)}
                       for why, nodes in sorted(self.failed.items())],
            "skipped": [{"why": why, "n_processes": n, "nodes": sets.names_fold(nodes), "n_nodes": len(nodes)}
                        for why, (n, nodes) in sorted(self.skipped.items())],
            "classes": [{
                "key": list(key),
                "n_threads": members.n_threads(),
                "members": members.to_json(),
            } | ({"example": dict(zip(_EXAMPLE, self.examples[key]))} if key in self.examples else {})
                | ({"us": dict(zip(("total", "most"), self.times[key]))} if key in self.times else {})
                for key, members in sorted(self.classes.items())],
        }

    def to_line(self) -> str:
        return json.dumps(self.to_json(), separators=(",", ":"))

    def add_json(self, value: Any) -> None:
        """Add the output of to_json(). ValueError for anything else; the summary is then invalid."""
        if not isinstance(value, dict) or value.get("ompdd_summary") != FORMAT:
            raise ValueError("not a summary of ompdctl")
        if value.get("kind") != self.kind:
            raise ValueError(f"a summary of {str(value.get('kind'))[:40]} does not merge with one of {self.kind}")
        try:
            self.nodes.update(sets.names_parse(_text(value["nodes"])))
            self.n_processes += _count(value["n_processes"])
            self.n_threads += _count(value["n_threads"])
            self.stopped_us += _count(value["stopped_us"]["total"])
            self.stopped_max_us = max(self.stopped_max_us, _count(value["stopped_us"]["max"]))
            for failure in value["failed"]:
                self.failed.setdefault(_text(failure["why"]), set()).update(sets.names_parse(_text(failure["nodes"])))
            for row in value.get("skipped", ()):
                self.add_skipped(sets.names_parse(_text(row["nodes"])), _text(row["why"]), _count(row["n_processes"]))
            n_bits = 0
            for row in value["classes"]:
                if len(row["key"]) > MAX_DEPTH:
                    raise ValueError("the stack is too deep")
                key = tuple(_text(part) for part in row["key"])
                n_bits += self.members(key).add_json(row["members"])
                if n_bits > sets.MAX_BITS:
                    raise ValueError("the sets are too large")
                if "example" in row:
                    example = row["example"]
                    one = (_text(example["group"]), _count(example["rank"], -1), _text(example["node"]), _count(example["pid"]),
                           _count(example["tid"]))
                    if "us" in row:
                        self.add_time(key, _count(row["us"]["total"]), _count(row["us"]["most"]), one)
                    else:
                        self.add_example(key, one)
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"not a summary of ompdctl: {error}") from None


def parse_line(line: str, into: Optional[Summary] = None) -> Summary:
    """Return the summary in a line, or `into` with it. ValueError for anything else."""
    if len(line) > MAX_LINE:
        raise ValueError("the line is too long")
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not a summary of ompdctl: {error}") from None
    if into is None:
        kind = value.get("kind") if isinstance(value, dict) else None
        into = Summary(kind if isinstance(kind, str) else "stacks")
    into.add_json(value)
    return into
