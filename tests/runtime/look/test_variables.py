# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All control variables of OpenMP 5.2 and 6.0 on our runtime, and its reported path of libompd."""
import re
import subprocess

import pytest
from snapshots import has_rc
from targets import PROGRAMS
from test_oracle import agree
from test_waits import look


def test_library_says_where_libompd_is(program, client):
    """ompd_dll_locations: beside the runtime's own folder, and the bare name."""
    one = program("flat", 1)
    target = client.target.attach(pid=one.pid)["target"]
    plugin = client.snapshot.get(target=target)["plugin"]
    assert plugin["path"] == str((PROGRAMS.parents[1] / "lib" / "libompd.so").resolve())


ENVIRONMENT = {
    "OMP_NUM_THREADS": "5,3", "OMP_SCHEDULE": "monotonic:dynamic,7", "OMP_PROC_BIND": "spread,close", "OMP_STACKSIZE": "3M",
    "OMP_WAIT_POLICY": "passive", "OMP_CANCELLATION": "true", "OMP_THREAD_LIMIT": "77", "OMP_MAX_TASK_PRIORITY": "5",
    "OMP_MAX_ACTIVE_LEVELS": "3", "OMP_DISPLAY_AFFINITY": "false", "OMP_AFFINITY_FORMAT": "<%n>", "OMP_DYNAMIC": "false",
    "OMP_DEFAULT_DEVICE": "2", "OMP_NUM_TEAMS": "4", "OMP_TEAMS_THREAD_LIMIT": "6", "OMP_TARGET_OFFLOAD": "disabled",
    "OMP_ALLOCATOR": "omp_large_cap_mem_alloc", "OMP_TOOL": "disabled", "OMP_TOOL_LIBRARIES": "/tmp/libtool.so",
    "OMP_TOOL_VERBOSE_INIT": "stderr", "OMP_DEBUG": "enabled", "OMP_PLACES": "threads",
}
# OpenMP 5.2, 2.1: all 29 that OMPD names, as the primary thread of two has them there; None: depends on the machine.
ICVS = {
    "active-levels-var": 1, "affinity-format-var": "<%n>", "bind-var": "close", "cancel-var": 1, "debug-var": "enabled",
    "def-allocator-var": "omp_large_cap_mem_alloc", "default-device-var": 2, "display-affinity-var": 0, "dyn-var": 0,
    "explicit-task-var": 0, "final-task-var": 0, "levels-var": 1, "max-active-levels-var": 3, "max-task-priority-var": 5,
    "nteams-var": 4, "nthreads-var": 3, "num-procs-var": None, "place-partition-var": None,
    "run-sched-var": "monotonic:dynamic,7", "stacksize-var": 3 << 20, "target-offload-var": "disabled", "team-size-var": 2,
    "teams-thread-limit-var": 6, "thread-limit-var": 77, "thread-num-var": 0, "tool-libraries-var": "/tmp/libtool.so",
    "tool-var": "disabled", "tool-verbose-init-var": "stderr", "wait-policy-var": "passive",
}
assert len(ICVS) == 29
# Those that OpenMP 6.0 added. Our runtime has no devices, and no threads outside of teams that execute tasks.
ICVS_6 = {
    "league-size-var": 1, "team-num-var": 0, "team-generator-var": "parallel", "num-devices-var": 0, "device-num-var": 0,
    "available-devices-var": "", "free-agent-var": "false",
}


@pytest.mark.parametrize("name", ["flat", "flat_stripped"])
def test_all_control_variables(name, mode, program, client):
    """Through OMPD's own routines, as number or as text."""
    one = program(name, 2, env=ENVIRONMENT)
    agree(look(client, one, mode), one)
    target = client.target.attach(pid=one.pid, mode="stop")["target"]
    client.target.stop(target=target)
    thread = client.ompd.get_thread_handle(target=target, kind="OMPD_THREAD_ID_LWP", thread_id=one.pid)["thread_handle"]
    task = client.ompd.get_curr_task_handle(target=target, thread_handle=thread)["task_handle"]
    handles = {"ompd_scope_thread": thread, "ompd_scope_task": task, "ompd_scope_implicit_task": task,
               "ompd_scope_parallel": client.ompd.get_curr_parallel_handle(target=target, thread_handle=thread)["parallel_handle"]}
    wanted, more, current = {**ICVS, **ICVS_6}, True, 0
    while more:
        icv = client.ompd.enumerate_icvs(target=target, current=current)
        more, current = icv["more"], icv["next_id"]
        if icv["next_icv_name"] not in wanted:
            continue
        expected = wanted.pop(icv["next_icv_name"])
        where = {"target": target, "scope": icv["next_scope"], "icv_id": icv["next_id"]}
        if icv["next_scope"] in handles:
            where["handle"] = handles[icv["next_scope"]]
        if isinstance(expected, int):
            assert client.ompd.get_icv_from_scope(**where)["icv_value"] == expected, icv
        else:
            text = client.ompd.get_icv_string_from_scope(**where)["icv_string"].lower()
            assert text if expected is None else text == expected, icv
    assert not wanted


def test_display_control_variables(mode, program, client):
    said = subprocess.run([PROGRAMS / "flat", "1"], input=b"", capture_output=True, check=False, env={
        **ENVIRONMENT, "OMP_DISPLAY_ENV": "true", "LD_LIBRARY_PATH": str(PROGRAMS.parents[1] / "lib" / "ompdd")}).stderr.decode()
    displayed = dict(re.findall(r"(OMP_\w+) = '(.*)'", said))
    assert displayed["OMP_THREAD_LIMIT"] == "77"
    one = program("flat", 1, env=ENVIRONMENT)
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    ours = dict(line.split("=", 1) for line in client.call("ompd.get_display_control_vars", {"target": target})["control_vars"])
    assert {"OMP_NUM_THREADS", "OMP_SCHEDULE", "OMP_PROC_BIND", "OMP_THREAD_LIMIT", "OMP_DEBUG", "OMP_TOOL"} <= set(ours)
    for name in set(ours) & set(displayed) - {"OMP_DYNAMIC", "OMP_PLACES"}:
        assert displayed[name].lower() == ours[name].lower(), name
