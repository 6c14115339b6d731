# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Targets with breakpoints, stops and steps: follow their events, and check that the program keeps no trace of them."""
import os
import time

from targets import SYSCALL, event_switch, read_memory, read_text, stopped_threads, tracer, wait_until

# Breakpoint instructions: int3, brk #0.
TRAP = bytes.fromhex("000020d4") if os.uname().machine == "aarch64" else b"\xcc"


def is_planted(pid, address):
    """Return whether the program's text has a breakpoint."""
    return read_memory(pid, address, len(TRAP)) == TRAP


def address_of(place):
    return int(place["address"], 16)


def rounds(program):
    """Return the program's own report, which it prints only while it runs."""
    program.signal()
    return program.read_line()


def runs_free(program, places=()):
    """Assert that the program works, is neither stopped nor traced, has its own text, and that its runtime calls no
    OMPD routine.
    """
    assert program.alive(), f"{program.name} died: {program.process.poll()}"
    wait_until(lambda: not stopped_threads(program.pid) and not tracer(program.pid), f"{program.name} runs")
    before = rounds(program)
    wait_until(lambda: rounds(program)["rounds"] > before["rounds"], "it works")
    # A worker of a killed daemon may plant once more after that.
    wait_until(lambda: not any(is_planted(program.pid, address) for address in places), "its text is its own")
    wait_until(lambda: not event_switch(program.pid), "nobody wants events")
    assert before["failed"] == 0, "all its children came to their end"


def has_settled(pid):
    """A tracer without work for a stop sleeps in poll(2) without a time limit. Before, it has a limit."""
    fields = read_text(f"/proc/{pid}/syscall").split()
    if len(fields) < 4 or not fields[0].isdigit() or int(fields[0]) not in SYSCALL["poll"]:
        return False
    # ppoll() has a pointer there, poll() an int.
    limit = int(fields[3], 16)
    return limit == 0 if os.uname().machine == "aarch64" else limit & 0xffffffff == 0xffffffff


class Gone(Exception):
    """The target's worker has failed, or the target has ended."""


class Events:
    """Events of one target, each once, from now on or after the event number `since`."""

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
        """Return all events up to and including the next one of this type."""
        seen = []
        for event in self.each(timeout):
            seen.append(event)
            if event["type"] == last:
                return seen
        raise AssertionError(f"no {last} among {seen}")


class Stops(Events):
    """Return the events that report a stop."""

    TYPES = ("stopped", "breakpoint")

    def next(self, timeout=600.0):
        for event in self.each(timeout):
            if event["type"] in self.TYPES:
                return event
            if event["type"] in ("worker_failed", "exited"):
                raise Gone(event)
        raise AssertionError(f"none of {self.TYPES}")

    def step(self, kind, thread=None):
        """Return the final `stop` of target.info."""
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
    """Return the events of breakpoints."""

    TYPES = ("breakpoint",)


def attach(client, program):
    target = client.target.attach(pid=program.pid, mode="stop")["target"]
    return target, Hits(client, target)


def frames(client, target, tid):
    return client.stack.get(target=target, thread=tid)["frames"]


def stand_at_function(client, target, stop):
    """Assert that exactly the members are at the first instruction of the region's function. Return them."""
    snapshot = client.snapshot.get(target=target)
    team = {thread["tid"] for thread in snapshot["threads"] if thread.get("parallel") == stop["parallel"]}
    for tid in team:
        assert frames(client, target, tid)[0]["pc"] == stop["address"], f"thread {tid}"
    assert stop["offset"] == 0 and stop["tid"] in team and set(stop["threads"]) == team
    assert sorted(stop["threads"]) == sorted(set(stop["threads"]))
    return team
