# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The summary of this node's processes: all are examined at the same time, for a moment."""
from __future__ import annotations

import os
import re
import time

from ..client import Client
from ..errors import Error, OmpddException, Timeout
from ..daemon import spawn
from . import sets
from .summary import Summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional, Set, Tuple

    from .summary import Class

# Below a call of these, frames differ from moment to moment and do not describe the program.
_INNER = re.compile(r"(libc|libm|libpthread|ld-linux[^/]*|libmpi[^/]*|libopen-[^/]*|libuc[pts][^/]*|libfabric|libpsm[^/]*)"
                    r"[-.\d]*\.so[.\d]*\Z")
_MPI = re.compile(r"P?MPI_[A-Z]")
_NUMBERS = re.compile(r" ?\(\d+(?:,\d+)*\)|\b0x[0-9a-f]+")
_LIST = re.compile(r"\bthreads? (\d+(?:-\d+)?(?:(?:, | and )\d+(?:-\d+)?)*)")


def _name(frame: Dict[str, Any]) -> str:
    function = frame.get("function")
    module = os.path.basename(frame.get("module") or "")
    if not isinstance(function, str):
        return f"?? in {module}" if module else "??"
    return function if "(" in function else f"{function}()"


def _place(frame: Dict[str, Any]) -> str:
    location = frame.get("location")
    if not isinstance(location, dict) or "line" not in location:
        return ""
    return f" at {os.path.basename(location['file'])}:{location['line']}"


def class_of(frames: List[Dict[str, Any]]) -> Class:
    """Return the class of a logical stack, whose innermost frame is first: texts without addresses, the state last."""
    texts: List[str] = []
    state = "work"
    for frame in reversed(frames):
        kind = frame.get("kind")
        if kind == "construct":
            state = frame.get("construct") or "in the runtime"
        elif kind in ("parallel", "task"):
            texts.append("parallel region" if kind == "parallel" else "task")
            state = "work"
        else:
            module = os.path.basename(frame.get("module") or "")
            state = "work"
            if _INNER.match(module) or _MPI.match(str(frame.get("function"))):
                state = f"in {_name(frame)}"
                break
            texts.append(_name(frame) + _place(frame))
    return tuple(texts) + (state,)


def _identity(node: str, number: int, process: Dict[str, Any]) -> Tuple[str, Optional[int], str]:
    """Return the group that numbers it and its rank in that group, or else a name."""
    rank, slurm = process.get("rank"), process.get("slurm")
    group = f"{slurm['job']}.{slurm['step']}" if slurm and "step" in slurm else (rank or {}).get("namespace", "")
    # A process may choose any name.
    chosen = rank["number"] if rank and 0 <= rank["number"] < sets.MAX_NUMBER else None
    return group, chosen, f"{node}/{number}"


def _thread_numbers(groups: List[Dict[str, Any]]) -> Dict[int, int]:
    """Return a number for each thread: its own in its team, or the next free one for a duplicate."""
    numbers: Dict[int, int] = {}
    taken = set()
    late: List[int] = []
    for thread in sorted((thread for group in groups for thread in group["threads"]), key=lambda thread: int(thread["tid"])):
        number = thread.get("thread_num")
        if isinstance(number, int) and number not in taken:
            numbers[thread["tid"]] = number
            taken.add(number)
        else:
            late.append(thread["tid"])
    free = 0
    for tid in late:
        while free in taken:
            free += 1
        numbers[tid] = free
        taken.add(free)
    return numbers


class _Look:
    """A process, and its pending answer."""

    def __init__(self, identity: Tuple[str, Optional[int], str], pid: int) -> None:
        self.group, self.rank, self.name = identity
        self.pid = pid
        self.pending: Any = None
        self.target = ""

    def add(self, summary: Summary, key: Class, threads: int, node: str, tid: int, us: Optional[int] = None) -> None:
        members = summary.members(key)
        if self.rank is None:
            members.add_names(self.group, threads, [self.name])
        else:
            members.add_ranks(self.group, threads, 1 << self.rank)
        example = (self.group, -1 if self.rank is None else self.rank, node, self.pid, tid)
        if us is None:
            summary.add_example(key, example)
        else:
            summary.add_time(key, us, us, example)


def _add_stacks(summary: Summary, look: _Look, result: Dict[str, Any], node: str) -> None:
    groups = [{**group, "threads": [thread for thread in group["threads"]
                                    if thread["openmp"] is True or thread["tid"] == look.pid]}
              for group in result["groups"]]
    numbers = _thread_numbers(groups)
    classes: Dict[Class, List[int]] = {}
    for group in groups:
        for thread in group["threads"]:
            classes.setdefault(class_of(group["frames"]), []).append(thread["tid"])
    for key, tids in classes.items():
        bits = 0
        for tid in tids:
            bits |= 1 << numbers[tid]
        look.add(summary, key, bits, node, min(tids, key=numbers.__getitem__))
    summary.n_threads += len(numbers)


def _without_ids(title: str, tids: Set[int]) -> str:
    """Return a title without thread ids, which differ from process to process, unlike thread numbers."""
    def count(match: "re.Match[str]") -> str:
        ranges = [[int(n) for n in part.split("-")] for part in re.split(", | and ", match.group(1))]
        if not any(part[0] in tids for part in ranges):
            return match.group(0)
        n = sum(part[-1] - part[0] + 1 for part in ranges)
        return "a thread" if n == 1 else f"{n} threads"
    return _LIST.sub(count, _NUMBERS.sub("", title))


def _add_why(summary: Summary, look: _Look, result: Dict[str, Any], node: str) -> None:
    tids = {thread["tid"] for finding in result["findings"] for thread in finding["threads"]}
    look.add(summary, (result["verdict"], _without_ids(result["title"], tids)), 1, node, look.pid)
    summary.n_threads += result["threads"]["openmp"]


def _add_top(summary: Summary, look: _Look, result: Dict[str, Any], node: str) -> None:
    """Region and state of each time, if the place has a function and a line instead of an address."""
    for region in result["regions"]:
        place = region.get("place")
        where = _name(place) + _place(place) if isinstance(place, dict) and isinstance(place.get("function"), str) else "a region"
        for state, us in region["times"].items():
            if not isinstance(us, int) or us <= 0:
                continue
            key = ("outside of regions" if region["outside"] else where, state)
            look.add(summary, key, 1, node, look.pid, us)
    summary.n_threads += result["total"]["threads"]


def _begin(client: Client, kind: str, look: _Look, mode: str, timeout: float) -> None:
    target = look.target = client.call("target.attach", pid=look.pid, mode=mode, timeout=timeout)["target"]
    if kind == "top":
        client.profile.start(target=target, stacks=False, timeline=False, timeout=timeout)
        return
    look.pending = client.start("diagnose.get", target=target) if kind == "why" else \
        client.start("stack.groups", target=target, logical=True)


def _why_not(error: OmpddException) -> str:
    return "no answer in time" if isinstance(error, Timeout) else getattr(error, "name", "") or "failed"


def summarise(client: Client, kind: str, node: str, filters: Dict[str, str], mode: str = "stop",
              timeout: float = 30.0, seconds: float = 0.0) -> Summary:
    """Examine all processes that pass the filters of process.list; kind top for that many seconds.

    `timeout` is for all of them together: a process without an answer costs no other process its answer.
    """
    end = time.monotonic() + timeout

    def left() -> float:
        # Take the answers that have arrived, also after the time limit.
        return max(0.001, end - time.monotonic())
    summary = Summary(kind)
    summary.nodes.add(node)
    own = os.environ.get("SLURMD_NODENAME")
    processes = [process for process in client.process.list(regions=False, timeout=left(), **filters)["processes"]
                 # Several of Slurm's nodes may be one machine.
                 if not own or process.get("slurm", {}).get("node", own) == own]
    looks: List[_Look] = []
    for number, process in enumerate(processes):
        look = _Look(_identity(node, number, process), process["pid"])
        try:
            _begin(client, kind, look, mode, left())
        except (Error, Timeout) as error:
            summary.add_skipped([node], _why_not(error))
            continue
        looks.append(look)
    if kind == "top":
        time.sleep(seconds)
        for look in looks:
            look.pending = client.start("profile.get", target=look.target)
    for look in looks:
        try:
            result = look.pending.result(left())
        except (Error, Timeout) as error:
            summary.add_skipped([node], _why_not(error))
            continue
        summary.n_processes += 1
        stopped = result["profile"]["stopped_us"] if kind == "top" else result["stopped_us"]
        summary.stopped_us += stopped
        summary.stopped_max_us = max(summary.stopped_max_us, stopped)
        {"why": _add_why, "top": _add_top}.get(kind, _add_stacks)(summary, look, result, node)
    return summary


def summarise_here(ompdd: str, kind: str, node: Optional[str], filters: Dict[str, str], mode: str,
                   timeout: float, seconds: float = 0.0) -> Summary:
    """With an ompdd of its own, which ends with it."""
    node = node or os.environ.get("SLURMD_NODENAME") or os.uname().nodename.split(".")[0]
    try:
        with spawn(ompdd, timeout=timeout) as client:
            return summarise(client, kind, node, filters, mode, timeout, seconds)
    except OmpddException as error:
        summary = Summary(kind)
        summary.nodes.add(node)
        summary.add_failure(node, getattr(error, "name", None) or str(error)[:200])
        return summary


__all__ = ["class_of", "summarise", "summarise_here"]
