# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code without a frame: functions that end with a jump into the next one, and inlined functions (programs/jumps.c)."""
import json
import pathlib
import shutil
import subprocess

import pytest
from control import Stops, attach
from cores import SMALL_STACKS, gcore
from snapshots import check_structure, has_rc
from targets import OMPRT, SYSCALL, read_text, wait_until

FUTEX = next(iter(SYSCALL["futex"]))
LEVELS = ("O0", "O2")
# Programs whose threads report the function that the runtime called.
ENTERED = ("region", "nested", "if0", "final", "taskloop", "barrier", "inlined")


def park_again(one):
    """Wait until the primary thread waits at the end of its region."""
    wait_until(lambda: read_text(f"/proc/{one.pid}/syscall").split()[0] == str(FUTEX), "it waits")


def look(client, target):
    return check_structure(client.snapshot.get(target=target, stacks="all"))


def functions(one, snapshot):
    """Return the current task of each thread: the thread's own report, and ompdd's."""
    for tid, line in one.lines.items():
        yield line["entered"], snapshot.tasks[snapshot.threads[tid]["task"]]["function"]


def check_functions(one, snapshot, mode="stop"):
    for entered, function in functions(one, snapshot):
        # Few registers of a thread that is not stopped are known: the answer is "not known".
        if mode == "observe" and has_rc(function):
            continue
        assert not has_rc(function), entered
        assert function["symbol"] == entered and function.get("source") == (None if OMPRT else "inferred")
    named = {parallel["function"]["symbol"] for parallel in snapshot.parallels.values() if not has_rc(parallel["function"])}
    assert all("._omp_fn." in name for name in named), named


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("what", ENTERED)
def test_function_is_what_the_runtime_called(what, level, mode, program, client):
    """Any function may have jumped there: the outermost function on the stack is no proof."""
    one = program(f"jumps_{level}", what)
    check_functions(one, look(client, client.target.attach(pid=one.pid, mode=mode)["target"]), mode)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("what, boundary", [("asleep", "parallel"), ("asleep_task", "task")])
def test_what_was_called_by_a_jump_is_the_programs(what, boundary, level, program, client):
    """Also in another library, without a frame of the program on top of the runtime's."""
    one = program(f"jumps_{level}", what)
    target, _ = attach(client, one)
    snapshot = look(client, target)
    for tid in one.lines:
        assert snapshot.threads[tid]["state"]["name"] == "ompt_state_work_parallel"
        frames = client.stack.get(target=target, thread=tid, logical=True)["frames"]
        ends = [i for i, frame in enumerate(frames) if frame["kind"] in ("parallel", "task")]
        assert frames[ends[0]]["kind"] == boundary, frames
        names = [frame["function"] for frame in frames[:ends[0]]]
        assert "pause" in names and (level == "O2" or names[-1].endswith(f"{what}._omp_fn.{len(ends) - 1}")), names


@pytest.mark.skipif(OMPRT, reason="its runtime is its own")
@pytest.mark.parametrize("what", ENTERED)
def test_function_in_a_static_program(what, mode, program, programs, client):
    if not (programs / "jumps_static").exists():
        pytest.skip("no static libgomp")
    one = program("jumps_static", what)
    check_functions(one, look(client, client.target.attach(pid=one.pid, mode=mode)["target"]), mode)


@pytest.mark.parametrize("what", ["nested", "if0"])
def test_function_in_a_core(what, program, client, tmp_path):
    one = program("jumps_O2", what, env=SMALL_STACKS)
    check_functions(one, look(client, client.target.open_core(core=str(gcore(one, tmp_path)))["target"]))


def test_function_without_a_name(program, client):
    """The called code has an address, even without a name."""
    one = program("jumps_stripped", "region")
    snapshot = look(client, client.target.attach(pid=one.pid)["target"])
    found = [function for _, function in functions(one, snapshot)]
    assert len({function["address"] for function in found}) == 1 and all(has_rc(function["symbol"]) for function in found)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("what,depth", [("end", 1), ("nested_end", 2), ("alone_end", 2)])
def test_out_of_a_region_at_its_end(what, depth, level, program, client):
    """The primary thread waits for its team. The entry point has jumped on, and is no longer on its stack."""
    one = program(f"jumps_{level}", what)
    target, _ = attach(client, one)
    stops = Stops(client, target)

    def level_of(tid):
        # The program creates and ends teams all the time.
        snapshot = check_structure(client.snapshot.get(target=target), parked=False)
        return snapshot.parallel_of(tid)["level"], snapshot
    for number in range(3):
        # On a busy machine it also sleeps in between, until its team has arrived.
        wait_until(lambda: level_of(one.pid)[0] == depth, "in the region again")
        client.target.stop(target=target)
        assert stops.next()["type"] == "stopped"
        level, snapshot = level_of(one.pid)
        assert level == depth
        members = snapshot.parallel_of(one.pid)["threads"]
        # The step ends when the primary thread leaves, whichever member it is for.
        asked = members[number % len(members)]
        assert client.target.step(target=target, kind="out_of_parallel", thread=asked)["thread"] == one.pid
        one.signal()
        stop = stops.next()
        assert stop["reason"] == "step" and stop["tid"] == one.pid
        assert level_of(one.pid)[0] == depth - 1
        client.target.resume(target=target)
        assert one.read_line()["rounds"] == number + 1
        park_again(one)


# Frames that gdb invents for functions that ended with a jump are not on the stack.
GDB = """
import gdb, json
for thread in gdb.selected_inferior().threads():
    thread.switch()
    frame, frames = gdb.newest_frame(), []
    while frame:
        if frame.type() != gdb.TAILCALL_FRAME and not gdb.solib_name(frame.pc()) and frame.name() != "_start":
            sal = frame.find_sal()
            frames.append([sal.line if sal.symtab else 0, frame.type() == gdb.INLINE_FRAME])
        frame = frame.older()
    print("frames", json.dumps([thread.ptid[1], frames]))
"""


def gdb_frames(pid, tmp_path):
    """The program's own frames of each thread, innermost first: the line, and whether it is inlined into the next
    function.
    """
    script = tmp_path / "frames.py"
    script.write_text(GDB)
    text = subprocess.run(["gdb", "-nx", "-batch", "-p", str(pid), "-x", str(script)], capture_output=True, text=True, timeout=600).stdout
    return dict(json.loads(line[len("frames "):]) for line in text.splitlines() if line.startswith("frames "))


@pytest.mark.skipif(not shutil.which("gdb"), reason="needs gdb")
@pytest.mark.parametrize("args", [*((f"jumps_{level}", what) for level in LEVELS for what in ENTERED), ("languages_cpp",), ("languages_f90",)],
                         ids=lambda args: "-".join(args))
def test_inlined_functions_are_those_of_gdb(args, program, programs, client, tmp_path):
    if not (programs / args[0]).exists():
        pytest.skip("no compiler for it")
    one = program(*args)
    target = client.target.attach(pid=one.pid)["target"]
    ours = {tid: client.stack.get(target=target, thread=tid)["frames"] for tid in one.lines}
    client.target.detach(target=target)
    theirs = gdb_frames(one.pid, tmp_path)
    for tid, frames in ours.items():
        frames = [frame for frame in frames if frame["kind"] == "user" and frame["module"].endswith("/" + args[0])]
        assert [[frame["location"]["line"], frame.get("inlined", False)] for frame in frames] == theirs[tid]
        assert frames or args == ("jumps_O2", "barrier")
    if args == ("jumps_O2", "inlined"):
        names = {tuple(frame["function"] for frame in frames if "_omp_fn" in str(frame["function"]) or frame.get("inlined"))
                 for frames in ours.values()}
        assert names == {("innermost", "middle", "inlined._omp_fn.0"), ("innermost", "inlined._omp_fn.0")}


def test_line_within_what_was_inlined_into_a_body(program, client):
    """Each of its places, in one function that gcc created for a construct's body."""
    lines = (pathlib.Path(__file__).parents[1] / "programs/jumps.c").read_text().splitlines()
    line = next(i for i, text in enumerate(lines, 1) if "innermost(const char" in text) + 2
    target, _ = attach(client, program("jumps_O2", "inlined"))
    made = client.breakpoint.set(target=target, file="jumps.c", line=line)
    assert [place["function"] for place in made["places"]] == ["inlined._omp_fn.0"] * 2
    assert len({place["address"] for place in made["places"]}) == 2
