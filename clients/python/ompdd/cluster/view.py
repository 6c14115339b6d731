# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A summary on one screen: first the small classes, then a tree of all stacks with sets on its branches."""
from __future__ import annotations

from . import sets
from .summary import Members, Summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Iterator, List, Optional, Set, Tuple

    from .summary import Class

MAX_LINES = 40
# Maximum number of classes before the tree.
MAX_FIRST = 6
MAX_FAILURES = 3
# Hints about processes that were not examined; other reasons are only named.
SKIPPED = {"stop_timeout": "their stops would exceed the limit; -m observe stops none",
           "already_traced": "another debugger traces them; -m observe works beside it"}
# Maximum number of sets in the text of a class.
MAX_PARTS = 12


def safe(text: str) -> str:
    """Escape names of programs: they must not move the cursor."""
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[:max(1, width - 2)] + ".."


def _threads(bits: int) -> str:
    return f"thread{'s' if bits & (bits - 1) else ''} {sets.numbers_fold(bits)}"


def who(members: Members, with_threads: bool = True) -> str:
    """Return "rank 5 threads 0-1,3; ranks 0-4,6-7 threads 0-3": by sets of threads, smallest first."""
    groups = {group for group, _ in members.ranks} | {group for group, _ in members.names}
    parts: List[Tuple[int, str, int, int, Optional[Set[str]]]]
    parts = [(sets.numbers_count(ranks), group, threads, ranks, None) for (group, threads), ranks in members.ranks.items()]
    parts += [(len(names), group, threads, 0, names) for (group, threads), names in members.names.items()]
    parts.sort(key=lambda part: (part[0], part[1], part[2], part[3], sorted(part[4] or ())))
    texts = []
    for _, group, threads, ranks, names in parts[:MAX_PARTS]:
        text = f"rank{'s' if ranks & (ranks - 1) else ''} {sets.numbers_fold(ranks)}" if names is None else sets.names_fold(names)
        texts.append(_one(group if len(groups) > 1 else "", text, threads, with_threads))
    return "; ".join(texts + [".."] * (len(parts) > MAX_PARTS))


def _one(group: str, text: str, threads: int, with_threads: bool) -> str:
    return (f"{group}: " if group else "") + text + (f" {_threads(threads)}" if with_threads else "")


def _plural(n: int, noun: str) -> str:
    return f"{n} {noun}" + ("" if n == 1 else "es" if noun.endswith("s") else "s")


class _Node:
    """A branch of the tree: all stacks with this prefix."""

    def __init__(self) -> None:
        self.members = Members()
        self.children: Dict[str, "_Node"] = {}
        self.n = 0


def _tree(summary: Summary) -> _Node:
    root = _Node()
    for key, members in summary.classes.items():
        node, n = root, members.n_threads()
        root.n += n
        for part in key:
            node = node.children.setdefault(part, _Node())
            node.members.merge(members)
            node.n += n
    return root


def _lines(node: _Node, depth: int) -> Iterator[Tuple[int, str, _Node]]:
    """Yield depth, text and node. Branches with one child are one line; smallest first."""
    for part, child in sorted(node.children.items(), key=lambda item: (item[1].n, item[0])):
        texts = [part]
        while len(child.children) == 1:
            (text, child), = child.children.items()
            texts.append(text)
        yield depth, " > ".join(texts), child
        yield from _lines(child, depth + 1)


def _describe(key: Class) -> str:
    state, stack = key[-1], key[:-1]
    at = next((text for text in reversed(stack) if text not in ("parallel region", "task")), "")
    in_region = "parallel region" in stack
    return f"{state}" + (f", {at}" if at else "") + ("" if in_region else ", in no region" if stack else "")


def _head(summary: Summary, title: str, width: int) -> List[str]:
    what = "processes" if summary.n_processes != 1 else "process"
    lines = [_cut(safe(f"{title}{_plural(len(summary.nodes), 'node')}, {summary.n_processes} {what}, "
                       f"{_plural(summary.n_threads, 'OpenMP thread')}; "
                       + (f"each process was stopped for at most {summary.stopped_max_us / 1000:.1f} ms"
                          if summary.stopped_max_us else "nothing was stopped")), width)]
    failures = sorted(summary.failed.items(), key=lambda item: (-len(item[1]), item[0]))
    for why, nodes in failures[:MAX_FAILURES]:
        lines.append(_cut(safe(f"no answer from {_plural(len(nodes), 'node')} ({why}): {sets.names_fold(nodes)}"), width))
    if len(failures) > MAX_FAILURES:
        lines.append(f"and from others, for {len(failures) - MAX_FAILURES} more reasons (--json)")
    skipped = sorted(summary.skipped.items(), key=lambda item: (-item[1][0], item[0]))
    for why, (n, nodes) in skipped[:MAX_FAILURES]:
        lines.append(_cut(safe(f"{_plural(n, 'process')} not examined ({SKIPPED.get(why, why)}): {sets.names_fold(nodes)}"), width))
    if len(skipped) > MAX_FAILURES:
        lines.append(f"and others, for {len(skipped) - MAX_FAILURES} more reasons (--json)")
    return lines


def _fewest(summary: Summary) -> List[Tuple[Class, Members]]:
    """Return the small classes, unless all are small."""
    classes = sorted(summary.classes.items(), key=lambda item: (item[1].n_threads(), item[0]))
    total = sum(members.n_threads() for _, members in classes)
    return [(key, members) for key, members in classes if members.n_threads() * 10 <= total][:MAX_FIRST]


def _closer(summary: Summary, key: Class) -> str:
    example = summary.examples.get(key)
    return f"details on {example[2]}: ompdctl -p {example[3]} bt" if example else ""


def _fill(lines: List[str], more: List[str], limit: int, what: str, width: int) -> List[str]:
    left = limit - len(lines)
    if len(more) > left:
        cut = len(more) - (left - 1)
        more = more[:max(0, left - 1)] + [f"... {_plural(cut, what)} more (--all)"]
    return [_cut(line, width) for line in lines + more]


def _branch(text: str, sets_of: str, room: int) -> str:
    """ "main() > solve() [ranks 0-3]": of what does not fit, the innermost functions and the first sets stay."""
    sets_of = _cut(sets_of, max(room - len(text) - 3, room // 2))
    parts = text.split(" > ")
    while len(parts) > 1 and len(text) > room - len(sets_of) - 3:
        parts = parts[1:]
        text = ".. > " + " > ".join(parts)
    return f"{_cut(text, max(room - len(sets_of) - 3, 8))} [{sets_of}]"


def stacks(summary: Summary, title: str, width: int, limit: int) -> List[str]:
    """For tree and bt."""
    lines = _head(summary, title, width)
    few = _fewest(summary)
    for key, members in few:
        lines.append(_cut(safe(f"{_plural(members.n_threads(), 'thread')} apart: {who(members)}"), width))
        lines.append(_cut(safe(f"    {_describe(key)}; {_closer(summary, key)}"), width))
    if summary.classes:
        lines.append("")
    more = []
    for depth, text, node in _lines(_tree(summary), 0):
        count = f"{node.n:>7}  " + "  " * depth
        more.append(_cut(count + _branch(safe(text), safe(who(node.members)), width - len(count)), width))
    return _fill(lines, more, limit, "branch", width)


def threads(summary: Summary, title: str, width: int, limit: int) -> List[str]:
    """One line for each state and place, the fewest first."""
    lines = _head(summary, title, width)
    rows: Dict[Tuple[str, str], Members] = {}
    for key, members in summary.classes.items():
        at = next((text for text in reversed(key[:-1]) if text not in ("parallel region", "task")), "-")
        rows.setdefault((key[-1], at), Members()).merge(members)
    table = [("COUNT", "STATE", "AT", "WHO")] + \
        [(str(members.n_threads()), safe(state), safe(at), safe(who(members)))
         for (state, at), members in sorted(rows.items(), key=lambda item: (item[1].n_threads(), item[0]))]
    widths = [min(max(len(row[i]) for row in table), 34) for i in range(3)]
    more = [_cut(f"{row[0]:>{widths[0]}}  {_cut(row[1], widths[1]):<{widths[1]}}  {_cut(row[2], widths[2]):<{widths[2]}}"
                 f"  {row[3]}", width) for row in table]
    return _fill(lines, more, limit, "line", width)


def why(summary: Summary, title: str, width: int, limit: int) -> List[str]:
    """Each verdict once, that of the fewest processes first."""
    lines = _head(summary, title, width)
    more: List[str] = []
    for key, members in sorted(summary.classes.items(), key=lambda item: (item[1].n_threads(), item[0])):
        more.append(_cut(safe(f"{who(members, with_threads=False)}: {key[0]}"), width))
        text = "    " + safe(key[-1])
        while text.strip():
            end = len(text) if len(text) <= width else max(text.rfind(" ", 5, width), 0) or width
            more.append(text[:end])
            text = ("    " + text[end:].strip()) if text[end:].strip() else ""
        more.append(_cut(safe(f"    {_closer(summary, key).replace(' bt', ' why')}"), width))
    return _fill(lines, more, limit, "line", width)


def _most(summary: Summary, key: Class) -> str:
    """The process with most time of a class, and how much more that is than they have on average."""
    total, most = summary.times[key]
    _, rank, node, pid, _ = summary.examples[key]
    n = summary.classes[key].n_threads()
    of = f"rank {rank}" if rank >= 0 else f"{node} pid {pid}"
    return f"{most * n / total:.1f}x {of}" if n > 1 and total else "-"


def top(summary: Summary, title: str, width: int, limit: int) -> List[str]:
    """Where the threads' time goes, most first; who has most of it shows the imbalance between processes."""
    lines = _head(summary, title, width)
    whole = sum(total for total, _ in summary.times.values())
    table = [("TIME", "SHARE", "STATE", "REGION", "MOST", "WHO")] + \
        [(f"{total / 1e6:.1f} s", f"{100 * total / whole:.0f} %", safe(key[-1]), safe(key[0]), safe(_most(summary, key)),
          safe(who(summary.classes[key], with_threads=False)))
         for key, (total, _) in sorted(summary.times.items(), key=lambda item: (-item[1][0], item[0]))]
    widths = [min(max(len(row[i]) for row in table), 34) for i in range(5)]
    more = [f"{row[0]:>{widths[0]}}  {row[1]:>{widths[1]}}  " + "  ".join(f"{_cut(row[i], widths[i]):<{widths[i]}}" for i in (2, 3, 4))
            + f"  {row[5]}" for row in table]
    return _fill(lines, more, limit, "line", width)


VIEWS = {"top": top, "tree": stacks, "bt": stacks, "threads": threads, "why": why}
