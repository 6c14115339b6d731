# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Targets with breakpoints, stopped and stepped: following what happens to them, and that nothing of it is left in the program."""
import os
import time

from targets import SYSCALL, event_switch, read_memory, read_text, stopped_threads, tracer, wait_until

# What a breakpoint is in a program's text: int3, brk #0.
TRAP = bytes.fromhex("000020d4") if os.uname().machine == "aarch64" else b"\xcc"


def is_planted(pid, address):
    """Whether there is a breakpoint in the text of a program."""
    return read_memory(pid, address, len(TRAP)) == TRAP


def address_of(place):
    return int(place["address"], 16)


def rounds(program):
    """What the program says of itself; it only does while it runs."""
    program.signal()
    return program.read_line()


def runs_free(program, places=()):
    """Neither dead, stopped nor traced, it works, its text is its own, and its runtime calls nothing for us."""
    assert program.alive(), f"{program.name} died: {program.process.poll()}"
    wait_until(lambda: not stopped_threads(program.pid) and not tracer(program.pid), f"{program.name} runs")
    before = rounds(program)
    wait_until(lambda: rounds(program)["rounds"] > before["rounds"], "it works")
    # A worker whose daemon was killed may have planted for the last time after that.
    wait_until(lambda: not any(is_planted(program.pid, address) for address in places), "its text is its own")
    wait_until(lambda: not event_switch(program.pid), "nobody wants events")
    assert before["failed"] == 0, "all its children came to their end"


def has_settled(pid):
    """A tracer that has nothing more to do for a stop sleeps in poll(2) without a time limit; before, it has one."""
    fields = read_text(f"/proc/{pid}/syscall").split()
    if len(fields) < 4 or not fields[0].isdigit() or int(fields[0]) not in SYSCALL["poll"]:
        return False
    # Of ppoll() it is a pointer, of poll() an int.
    limit = int(fields[3], 16)
    return limit == 0 if os.uname().machine == "aarch64" else limit & 0xffffffff == 0xffffffff


class Gone(Exception):
    """The target's worker has failed, or the target has ended."""


class Events:
    """What happens to one target, from now on or from behind the event number `since`; each event once."""

    def __init__(self, client, target, since=None):
        self.client, self.target = client, target
        self.cursor = client.event.poll()["cursor"] if since is None else since

    def each(self, timeout):
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            result = self.client.event.poll(since=self.cursor, timeout_ms=1000, max=1)
            self.cursor = result["cursor"]
            yield from (event for event in result["events"] if event.get("target") == self.target)

    def until(self, last, timeout=600.0):
        """All up to the next one of that type, and that one."""
        seen = []
        for event in self.each(timeout):
            seen.append(event)
            if event["type"] == last:
                return seen
        raise AssertionError(f"no {last} among {seen}")


class Stops(Events):
    """Those that say that it was stopped."""

    TYPES = ("stopped", "breakpoint")

    def next(self, timeout=600.0):
        for event in self.each(timeout):
            if event["type"] in self.TYPES:
                return event
            if event["type"] in ("worker_failed", "exited"):
                raise Gone(event)
        raise AssertionError(f"none of {self.TYPES}")

    def step(self, kind, thread=None):
        """The `stop` of target.info at its end."""
        answer = self.client.target.step(target=self.target, kind=kind, thread=thread)
        assert answer["kind"] == kind and answer["state"] == ("held" if kind == "instruction" else "running")
        event = self.next()
        info = self.client.target.info(target=self.target)
        stop = info["stop"]
        assert event["type"] == "stopped" and event["reason"] == stop["reason"] == "step"
        assert info["state"] == "held" and "step" not in info
        assert stop["own"] and stop["step"] == kind and stop["tid"] == event["tid"] == answer["thread"]
        assert stop["address"] == event["address"] and info["epoch"] == event["epoch"]
        return stop


class Hits(Stops):
    """Those of breakpoints."""

    TYPES = ("breakpoint",)


def attach(client, program):
    target = client.target.attach(pid=program.pid, mode="stop")["target"]
    return target, Hits(client, target)


def frames(client, target, tid):
    return client.stack.get(target=target, thread=tid)["frames"]


def stand_at_function(client, target, stop):
    """Every member is at the first instruction of the region's function, and so is nobody else. The members."""
    snapshot = client.snapshot.get(target=target)
    team = {thread["tid"] for thread in snapshot["threads"] if thread.get("parallel") == stop["parallel"]}
    for tid in team:
        assert frames(client, target, tid)[0]["pc"] == stop["address"], f"thread {tid}"
    assert stop["offset"] == 0 and stop["tid"] in team and set(stop["threads"]) == team
    assert sorted(stop["threads"]) == sorted(set(stop["threads"]))
    return team
