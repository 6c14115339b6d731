# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that create teams and tasks all the time: at any moment of a stop, the view is consistent."""
import time

import pytest
from conftest import TRIALS
from hangs import RUNTIMES, start
from snapshots import check_structure


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("kind", ("tasks", "depends", "ordered", "doacross", "singles", "nested", "detached", "roots"))
def test_any_moment(kind, runtime, program, client, moments):
    if (kind, runtime) == ("detached", "libomp"):
        pytest.skip("its current task may be one that another thread, which fulfilled it, has freed and used again")
    one = start(program, "healthy", runtime, kind)
    target = client.target.attach(pid=one.pid)["target"]
    for _ in range(TRIALS):
        check_structure(client.snapshot.get(target=target), parked=False)
        time.sleep(moments.uniform(0, 0.002))
