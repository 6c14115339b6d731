# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Notes of `why` on too few CPUs: each needs the fact that it rests on."""
import os
import pathlib
import re

import pytest
from hangs import RUNTIMES, diagnose_until, notes, start
from snapshots import diagnose
from targets import wait_until

needs_two_cpus = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one CPU")


@needs_two_cpus
@pytest.mark.parametrize("runtime", RUNTIMES)
def test_threads_with_a_cpu_each(runtime, mode, program, client):
    """Each thread has its own affinity: that of the first one says nothing about the others."""
    one = start(program, "bound", runtime, "apart")
    diagnose_until(client, one.pid, lambda r: r["threads"]["running"] == 2, mode)
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    for _ in range(3):
        assert "oversubscribed" not in notes(diagnose(client, target, interval_ms=50))


@needs_two_cpus
@pytest.mark.parametrize("runtime", RUNTIMES)
def test_threads_that_share_a_cpu(runtime, mode, program, client):
    one = start(program, "bound", runtime, "together")
    result = diagnose_until(client, one.pid, lambda r: "oversubscribed" in notes(r), mode)
    assert notes(result)["oversubscribed"] == "2 threads are ready to run, but the process may use only 1 CPU"


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("policy", ("active", "passive"))
def test_advice_of_a_wait_policy(policy, runtime, program, client):
    """Only if another one is set, and the runtime obeys it."""
    one = start(program, "crowded", runtime, env={"OMP_WAIT_POLICY": policy, "GOMP_SPINCOUNT": "infinite", "KMP_BLOCKTIME": "infinite"})
    result = diagnose_until(client, one.pid, lambda r: r["threads"]["waiting"] == 1)
    target = client.target.attach(pid=one.pid)["target"]
    said = " ".join(notes(r).get("oversubscribed", "") for r in [result] + [diagnose(client, target, interval_ms=50) for _ in range(3)])
    if policy == "passive" or runtime == "libomp":
        assert "OMP_WAIT_POLICY" not in said
    else:
        wait_until(lambda: "1 of them wait actively: OMP_WAIT_POLICY=passive lets them sleep" in
                   notes(diagnose(client, target, interval_ms=50)).get("oversubscribed", ""), "the advice")


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("limit, said", (("2", True), ("8", False), (None, False)))
def test_a_team_that_the_limit_keeps_small(limit, said, runtime, program, client):
    """A barrier of the program's own may count threads that the team does not have."""
    one = start(program, "polls", runtime, "sleep", env={"OMP_THREAD_LIMIT": limit} if limit else {})
    result = diagnose_until(client, one.pid, lambda r: r["verdict"] == "blocked")
    text = "a team has 2 threads, as many as thread-limit-var allows (OMP_THREAD_LIMIT): the program may have requested more"
    assert notes(result).get("thread_limit") == (text if said else None), result["notes"]


@pytest.mark.parametrize("runtime", [one for one in RUNTIMES if one != "libgomp"])
@pytest.mark.parametrize("args", ([], ["own"]))
def test_tasks_that_no_waiting_thread_may_execute(args, runtime, program, client):
    one = start(program, "queued_apart", runtime, *args)
    result = diagnose_until(client, one.pid, lambda r: r["verdict"] == "blocked" and any(f.get("waits_for") == "taskwait" for f in r["findings"]) and
                            (args or "queued" in notes(r)))
    if args:
        assert "queued" not in notes(result), result["notes"]
    else:
        assert notes(result)["queued"].startswith("1 task is ready and has not started: a thread that waits in taskwait")


def test_a_quota_that_is_used_up(mode, program, client, quota):
    one = start(program, "healthy", RUNTIMES[0], "computes")
    target = client.target.attach(pid=one.pid, mode=mode, max_stop_ms=5000)["target"]
    assert "throttled" not in notes(diagnose(client, target, interval_ms=300))
    group = quota(one.pid)
    text = wait_until(lambda: notes(diagnose(client, target, interval_ms=300)).get("throttled"), "its quota is used up")
    n, of = map(int, re.fullmatch(re.escape(f"the control group {group} may use 0.2 CPUs: the kernel stopped its threads in ") + r"(\d+) of (\d+) periods", text).groups())
    assert 0 < n <= of


def test_a_quota_that_suffices(mode, program, client, quota):
    one = start(program, "barrier_miss", RUNTIMES[0])
    quota(one.pid)
    diagnose_until(client, one.pid, lambda r: r["verdict"] == "blocked", mode)
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    assert "throttled" not in notes(diagnose(client, target, interval_ms=300))
