# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A thread of stock libgomp that has left its nested team and has not ended yet: it still points to the team, and is in
no region.
"""
import pytest
from cores import SMALL_STACKS, gcore
from snapshots import check_oracle, check_structure
from targets import RUNTIME

pytestmark = pytest.mark.skipif(RUNTIME != "libgomp", reason="other runtimes keep the threads of nested teams")


def check(one, result):
    snapshot = check_structure(result)
    levels = sorted(region["level"] for region in result["parallels"])
    for tid, line in one.lines.items():
        thread = snapshot.threads[tid]
        if line.get("lingers"):
            assert thread["state"]["name"] == "ompt_state_idle" and "rc" in thread["parallel"], thread
        else:
            check_oracle(snapshot, line)
            assert levels == list(range(line["level"] + 1)), "no other region"


@pytest.mark.parametrize("where", ("over", "outer", "alone"))
def test_it_is_in_no_region(where, mode, program, client):
    one = program("lingers", where)
    check(one, client.snapshot.get(target=client.target.attach(pid=one.pid, mode=mode)["target"]))


def test_nor_in_a_core(program, client, tmp_path):
    one = program("lingers", "outer", env=SMALL_STACKS)
    check(one, client.snapshot.get(target=client.target.open_core(core=str(gcore(one, tmp_path)))["target"]))
