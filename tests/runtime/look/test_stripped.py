# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A stripped program on the stripped runtime gives the same answers as with all its symbols, except for names."""
import pytest
from cores import SMALL_STACKS, gcore
from snapshots import Snapshot, has_rc

CASES = [("waits", mode) for mode in ("critical", "lock", "ordered", "barrier", "loop", "end")] + \
        [("states", mode) for mode in ("detach", "taskloop", "depend_if0", "doacross", "cancellable", "nested_end", "old_nestlock", "target",
                                       "teams", "target_teams", "target_inside", "frames", "ended")] + \
        [("tasks", mode) for mode in ("running", "taskwait", "taskgroup", "depend", "nested", "queued", "waiting", "undeferred", "final",
                                      "chain", "barrier", "serial")] + \
        [("flat", 5), ("stacks", "")]
ENV = {"OMP_CANCELLATION": "true", "OMP_MAX_TASK_PRIORITY": "200"}


def base_of(pid):
    with open(f"/proc/{pid}/maps", encoding="utf-8") as maps:
        return int(next(maps).split("-")[0], 16)


class Same:
    """Return answers without the parts that differ from process to process."""

    def __init__(self, one, snapshot):
        self.base, self.snapshot = base_of(one.pid), snapshot

    def place(self, address):
        """The place within the program; elsewhere only that there is one."""
        offset = int(address, 16) - self.base
        return offset if 0 <= offset < 1 << 24 else "elsewhere"

    def function(self, item):
        return item["function"]["rc"] if has_rc(item["function"]) else self.place(item["function"]["address"])

    def region(self, handle, depth=0):
        if has_rc(handle):
            return handle["rc"]
        region = self.snapshot.parallels[handle]
        return [region["level"], region["team_size"], self.function(region), len(region["threads"]), region["queued"],
                {name: icv["value"] for name, icv in region["icvs"].items()}, self.region(region["enclosing"], depth + 1)]

    def task(self, handle):
        if has_rc(handle):
            return handle["rc"]
        task = self.snapshot.tasks[handle]
        return [task["kind"], self.function(task), task.get("queued"), has_rc(task["thread"]),
                {name: icv.get("value", icv.get("rc")) for name, icv in task["icvs"].items()}, self.region(task["parallel"]),
                has_rc(task["scheduling"]), self.task(task["generating"])]

    def thread(self, thread):
        wait = thread["wait_id"]
        return [thread["state"], wait["rc"] if has_rc(wait) else wait["source"], self.region(thread["parallel"]),
                self.task(thread["task"])]

    def all(self):
        result = self.snapshot.result
        # The distribution of tasks to threads differs each time.
        return [sorted(map(repr, (self.thread(thread) for thread in result["threads"]))),
                sorted(repr([thread["thread_num"], self.region(thread["parallel"])]) for thread in result["threads"]),
                sorted(map(repr, (self.region(handle) for handle in self.snapshot.parallels))),
                sorted(map(repr, (self.task(handle) for handle in self.snapshot.tasks))),
                {name: icv.get("value", icv.get("rc")) for name, icv in result["icvs"].items()}]

    def stack(self, answer):
        """The positions of its frames; names and inlined functions come from tables of the program."""
        frames = [(item["kind"], self.place(item["pc"]) if "pc" in item else item.get("level")) for item in answer["frames"]]
        frames = [frame for frame in frames if frame[1] != "elsewhere"]
        return [answer["complete"], [frame for i, frame in enumerate(frames) if not i or frames[i - 1] != frame or frame[0] != "user"]]


def answers(name, mode, program, client):
    one = program(name, mode, env=ENV)
    target = client.target.attach(pid=one.pid, mode="stop")["target"]
    same = Same(one, Snapshot(client.snapshot.get(target=target)))
    stacks = sorted(repr(same.stack(client.stack.get(target=target, thread=tid, logical=True))) for tid in one.lines)
    client.target.detach(target=target)
    one.close()
    return same.all(), stacks


@pytest.mark.parametrize("name,what", CASES)
def test_same(name, what, program, client):
    one, other = (answers(which, what, program, client) for which in (name, f"{name}_stripped"))
    assert one[0] == other[0]
    assert one[1] == other[1]


@pytest.mark.parametrize("name,what", [("tasks", "waiting"), ("states", "target_inside")])
def test_same_of_cores(name, what, program, client, tmp_path):
    found = []
    for which in (name, f"{name}_stripped"):
        one = program(which, what, env={**ENV, **SMALL_STACKS})
        target = client.target.open_core(core=str(gcore(one, tmp_path)))["target"]
        found.append(Same(one, Snapshot(client.snapshot.get(target=target))).all())
        client.target.detach(target=target)
    assert found[0] == found[1]


def test_there_are_no_symbols(program):
    """Neither the program nor the runtime has a symbol table except .dynsym."""
    one = program("flat_stripped", 1)
    with open(f"/proc/{one.pid}/maps", encoding="utf-8") as maps:
        paths = {line.split()[-1] for line in maps if "libgomp.so.1" in line or "flat_stripped" in line}
    assert len(paths) == 2
    for path in paths:
        with open(path, "rb") as file:
            assert b"\0.symtab\0" not in file.read()
