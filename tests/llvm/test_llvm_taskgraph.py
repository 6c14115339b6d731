# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Task graphs, on a libomp that was built with LIBOMP_OMPX_TASKGRAPH."""
import os
import pathlib

import pytest
from snapshots import check_oracle, check_structure, has_rc

OURS = pathlib.Path(os.environ["OMPDD_BUILD_DIR"]) / "lib" / "libompd.so"


@pytest.mark.parametrize("what", ["record", "replay"])
def test_tasks_of_a_graph(what, mode, llvm, daemons):
    """The tasks that threads execute are right, and the ready one. No list has the task that waits in the graph."""
    one = llvm("taskgraph", what, build="taskgraph", debug=False)
    with daemons("--libompd", OURS).connect() as client:
        target = client.target.attach(pid=one.pid, mode=mode)["target"]
        result = client.snapshot.get(target=target)
    assert result["plugin"]["path"] == str(OURS.resolve())
    snapshot = check_structure(result)
    assert len(one.oracle()) == 2
    for tid, line in one.oracle().items():
        check_oracle(snapshot, line)
        assert snapshot.chain(snapshot.task_of(tid)) == line["chain"]
        assert not has_rc(snapshot.task_of(tid)["function"])
    (ready,) = [task for task in result["tasks"] if "queued" in task]
    assert ready["queued"] == {"predecessors": 0}
    assert [warning["name"] for warning in result["warnings"]] == ["tasks_not_listed"]
