# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The runtime's frames around the code of tasks, in programs that report the canonical frame addresses of their own functions."""
import pytest
from cores import SMALL_STACKS, gcore
from snapshots import check_structure
from targets import LIBGOMP, LIBOMP, OMPRT, PROGRAMS, TWIN

CFA = 0x10  # ompt_frame_runtime, ompt_frame_cfa
CLANG = PROGRAMS / "llvm" / "frames"


@pytest.fixture(params=["gcc", "clang"])
def frames(request, program):
    """(program, source of its frames)"""
    if LIBOMP and request.param == "gcc":
        pytest.skip("of no other libomp")
    if request.param == "gcc":
        return program("frames", env=SMALL_STACKS), "plugin" if OMPRT else "inferred"
    if not CLANG.exists():
        pytest.skip("no clang with libomp here")
    if LIBGOMP:
        pytest.skip("of no other libgomp")
    on_libomp = {"LD_LIBRARY_PATH": LIBOMP} if LIBOMP else {}
    return program("frames", path=CLANG, env={**SMALL_STACKS, **on_libomp}), "inferred"


def addresses(task, source):
    """Return the addresses of the frames exit and enter."""
    assert task["frames"]["source"] == source, task
    found = [task["frames"][name] for name in ("exit_frame", "enter_frame")]
    assert all(frame["frame_flag"] == CFA and frame["frame_address"]["segment"] == "0x0" for frame in found)
    return [int(frame["frame_address"]["address"], 16) for frame in found]


def check(result, one, source):
    """The frames lie between those of the program's functions, which report themselves."""
    check_structure(result)
    # clang calls the code of a target region on the host directly.
    calls_main = TWIN == "device" or (TWIN and "llvm" not in one.process.args[0])
    for tid, line in one.lines.items():
        cfa = [int(text, 16) for text in line["cfa"]]
        kinds = {}
        for task in result["tasks"]:  # innermost first: a target region on the host has an initial task of its own
            if task["thread"] == tid:
                kinds.setdefault(task["kind"], addresses(task, source))
        assert set(kinds) == {"explicit", "implicit", "initial"} if len(cfa) == 3 else set(kinds) == {"explicit", "implicit"}
        assert kinds["explicit"][1] == 0, "it executes code of its own"
        assert cfa[0] <= kinds["explicit"][0] <= kinds["implicit"][1] < cfa[1] <= kinds["implicit"][0]
        if len(cfa) == 3:
            assert kinds["implicit"][0] <= kinds["initial"][1] < cfa[2]
            assert (kinds["initial"][0] == 0) == (not calls_main), "whether the runtime called main()"


def test_live(frames, mode, client):
    one, source = frames
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    result = client.snapshot.get(target=target, stacks="all")
    check(result, one, source)
    assert not any("frames" in task for task in client.snapshot.get(target=target)["tasks"]), "stacks were not requested"


def test_core(frames, client, tmp_path):
    one, source = frames
    target = client.target.open_core(core=str(gcore(one, tmp_path)))["target"]
    check(client.snapshot.get(target=target, stacks="all"), one, source)
