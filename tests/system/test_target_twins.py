# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that report their own view in a target region: on the host, on the stand-in plugin and on LLVM's host plugin.

The preset `matrix` runs all tests of such programs that way (OMPDD_TWIN).
"""
import pytest
from snapshots import has_rc
from targets import LIBGOMP, OMPRT, PROGRAMS
from test_oracle import agree, look

pytestmark = pytest.mark.skipif(bool(LIBGOMP) and not OMPRT, reason="once, with the system's libgomp, is enough")
WORK = "ompt_state_work_parallel"


# Our runtime has no devices.
@pytest.fixture(params=["gcc-host"] if OMPRT else ["gcc-host", "gcc-device", "clang-host", "clang-device"])
def twin(request, program):
    """Start a twin of a compiler, whose target region runs on the host or on a device."""
    compiler, _, place = request.param.partition("-")

    def start(*args):
        one = program(*args, path=PROGRAMS / ("llvm" if compiler == "clang" else "") / args[0], twin=place)
        # clang calls the region's code on the host directly: nothing of the runtime is around it.
        one.twin = "" if request.param == "clang-host" else place
        return one
    return start


@pytest.mark.parametrize("case", [["nested", 2, 2], ["tasks", "nested"], ["icvs"]], ids=str)
def test_every_answer_agrees(case, twin, client):
    one = twin(*case)
    snapshot = look(client, one, "stop")
    agree(snapshot, one)
    # A thread in a region inside the target region does not wait for the device.
    assert {snapshot.threads[tid]["state"]["name"] for tid in one.oracle()} == {WORK}, snapshot.threads


def test_a_region_without_code_has_no_name(twin, client):
    """Its code left by a jump: the code further out is the target region's."""
    one = twin("tasks", "running")
    snapshot = look(client, one, "stop")
    region = next(region for region in snapshot.parallels.values() if region["level"])
    assert has_rc(region["function"]) or "main" not in region["function"]["symbol"], region
    assert not any("frames" in task for task in snapshot.tasks.values()), "stacks were not requested"
