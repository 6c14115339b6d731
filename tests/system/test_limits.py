# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What little the surroundings allow is enough, or it is said what is missing."""
import json
import resource

import pytest


def files(n):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (n, n))


@pytest.mark.parametrize("mode", ["observe", "stop"])
def test_few_descriptors(mode, ompdctl, program):
    """ulimit -n 64"""
    one = program("nested", 2, 2)
    done = ompdctl("-p", one.pid, "--mode", mode, "snapshot", "--json", preexec_fn=files(64))
    assert {thread["tid"] for thread in json.loads(done.stdout)["threads"]} == set(one.lines)
