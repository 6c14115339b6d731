# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`why --slow` and diagnose.performance: programs that are slow, and twins that nearly are.

ctest runs nothing beside this file. Other programs, and the host of the test machine, may use its CPUs all the same. So
a test records until the result is as expected, and a finding that rests on waits may be a candidate. Where others use
the CPUs all the time, a test is skipped.
"""
import json
import os
import pathlib
import re
import subprocess
import time

import pytest
from conftest import fails, runtimes_and_modes
from daemons import BIN, SANITIZED
from hangs import RUNTIMES, SOURCES, start
from targets import wait_until

needs_two_cpus = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one CPU")
HERE = {line.split("HERE:")[1].split(" ")[0]: number
        for number, line in enumerate((SOURCES / "slow.c").read_text().splitlines(), 1) if "HERE:" in line and '"HERE' not in line}


PAIRS = runtimes_and_modes(RUNTIMES)
# The share of the CPUs that others may use while a test records.
QUIET = 0.1


def cpu_time_of(pid):
    """Return the CPU seconds of a process and of its ended children."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


class Neighbours:
    """The CPU time that the machine's host and all processes but some took since this object was made."""

    def __init__(self, pids):
        self.pids = pids
        self.begin, self.busy = time.monotonic(), self.read()

    def read(self):
        user, nice, system, _, _, irq, softirq, steal = map(int, pathlib.Path("/proc/stat").read_text().split()[1:9])
        return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK") - sum(map(cpu_time_of, self.pids))

    def share(self):
        return (self.read() - self.busy) / (time.monotonic() - self.begin) / os.cpu_count()


@pytest.fixture(scope="module")
def patience():
    """Seconds of attempts: a minute, until others have used the CPUs for so long."""
    return [60]


@pytest.fixture
def performance(daemon, client, patience):
    """Return a function that profiles a process until @matches accepts the result, and returns it."""
    if SANITIZED:
        pytest.skip("a sanitizer changes what takes time")

    def examine(one, mode, matches=lambda result: True, samplings=100):
        target = client.target.attach(pid=one.pid, mode=mode)["target"]
        last = {}

        def seen():
            client.profile.start(target=target, rate_hz=200)
            wait_until(lambda: client.profile.get(target=target)["profile"]["samplings"] >= samplings, "the samples")
            client.profile.stop(target=target)
            last.update(client.diagnose.performance(target=target))
            return matches(last)
        neighbours = Neighbours([one.pid, os.getpid(), daemon.pid, *daemon.workers()])
        try:
            wait_until(seen, "the finding", patience[0])
        except AssertionError as wrong:
            if neighbours.share() > QUIET:
                patience[0] = 5
                pytest.skip(f"this machine is too slow: others used {100 * neighbours.share():.0f} % of its CPUs")
            raise AssertionError(f"{wrong}\n{json.dumps(last, indent=1)}") from None
        return last
    return examine


def find(result, kind):
    return next((f for f in result["findings"] if f["kind"] == kind), None)


def line_of(finding):
    return finding["place"]["location"]["line"]


# The kind of finding, the program that has it, the line that it names (None: any), and the twin without it.
PROGRAMS = {
    "imbalance": ("imbalance", "imbalance", "balanced"),
    "region_end": ("imbalance", "region_end", "balanced"),
    "serial": ("serial", "serial", "hardly_serial"),
    "reads": ("system_call", "reads", "hardly_reads"),
    "contention": ("contention", "contention", "hardly_contention"),
}


@needs_two_cpus
@pytest.mark.parametrize("runtime, mode", PAIRS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_finding(name, runtime, mode, program, client, performance):
    kind, mark, _ = PROGRAMS[name]
    one = start(program, "slow", runtime, name)

    def find_here(result):
        """Beside other programs a thread may also come late to the end of the region."""
        return next((f for f in result["findings"] if f["kind"] == kind and "place" in f and abs(line_of(f) - HERE[mark]) <= 1 and
                     (kind == "imbalance" or f["certainty"] == "proven")), None)
    result = performance(one, mode, find_here)
    finding = find_here(result)
    assert finding["advice"] and finding["claims"] and finding["lost_permille"] >= 100
    assert result["findings"] == sorted(result["findings"], key=lambda f: (f["certainty"] == "candidate", -f["lost_us"]))
    assert result["title"] == result["findings"][0]["title"]
    advice = [line["text"] for line in client.view.get(target=result["target"], view="slow")["nodes"] if line["kind"] == "advice"]
    assert advice == [f["advice"] for f in result["findings"]]


@needs_two_cpus
@pytest.mark.parametrize("runtime, mode", PAIRS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_twin_that_is_not_accused(name, runtime, mode, program, performance):
    """Where another program slows one CPU, its thread is late indeed."""
    kind, _, twin = PROGRAMS[name]
    one = start(program, "slow", runtime, twin)

    def is_not_accused(result):
        finding = find(result, kind)
        return not finding or finding["certainty"] == "candidate" and find(result, "other_load")
    performance(one, mode, is_not_accused)


@pytest.mark.parametrize("runtime, mode", PAIRS)
@pytest.mark.parametrize("twin", (False, True))
def test_short_regions(twin, runtime, mode, program, performance):
    """They are proven only where the runtime counts regions."""
    one = start(program, "slow", runtime, "long_regions" if twin else "regions")
    if twin:
        performance(one, mode, lambda r: not find(r, "synchronization"))
        return
    finding = find(performance(one, mode, lambda r: find(r, "synchronization")), "synchronization")
    assert finding["title"].startswith("short regions: no thread works for ")
    counts = [claim for claim in finding["claims"] if claim["source"] == "plugin"]
    assert bool(counts) == (runtime == "omprt")
    assert counts and "times per second" in counts[0]["text"] or finding["certainty"] == "candidate"


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("twin", (False, True))
def test_memory_of_another_node(twin, runtime, program, performance):
    """One thread is bound to each CPU, and the kernel places a page on the node of the thread that writes it first."""
    nodes = [path.read_text() for path in pathlib.Path("/sys/devices/system/node").glob("node*/cpulist")]
    if len([cpus for cpus in nodes if cpus.strip()]) < 2:
        pytest.skip("this machine has one NUMA node")
    if pathlib.Path("/proc/sys/kernel/numa_balancing").read_text().strip() != "0":
        pytest.skip("this machine moves memory to the threads that use it")
    one = start(program, "slow", runtime, "memory_of_each" if twin else "memory_of_one", str(len(os.sched_getaffinity(0))),
                env={"OMP_PLACES": "threads", "OMP_PROC_BIND": "close"})
    if twin:
        performance(one, "observe", lambda r: not find(r, "numa"))
        return
    finding = find(performance(one, "observe", lambda r: find(r, "numa")), "numa")
    assert finding["certainty"] == "candidate" and "is on NUMA node" in finding["title"]
    assert "sampled pages are on node" in finding["claims"][0]["text"]


@pytest.mark.parametrize("runtime, mode", PAIRS)
@pytest.mark.parametrize("kind, args", (("oversubscribed", ["even"]), ("pools", ["pools"])))
def test_too_few_cpus(kind, args, runtime, mode, program, performance):
    """Threads that wait sleep soon: OMP_WAIT_POLICY=passive, and libomp yields."""
    n = 2 * len(os.sched_getaffinity(0))
    one = start(program, "slow", runtime, *args, str(n), env={"OMP_WAIT_POLICY": "passive", "KMP_BLOCKTIME": "0"})
    start_of_title = "pools: 4 teams at once, with " if kind == "pools" else "oversubscribed: "

    def is_here(result):
        finding = find(result, kind)
        return finding and finding["title"].startswith(start_of_title) and not find(result, "bound") and not find(result, "other_load")
    result = performance(one, mode, is_here)
    finding = find(result, kind)
    assert finding["certainty"] == "proven"
    n_cpus = len(os.sched_getaffinity(0))
    assert f" on {n_cpus} CPU" in finding["title"] and result["measured"]["cpus"] == n_cpus
    assert "OMP_NUM_THREADS=" in finding["advice"] and "OMP_WAIT_POLICY" not in finding["advice"]


@pytest.mark.parametrize("runtime, mode", PAIRS)
def test_a_thread_for_each_cpu(runtime, mode, program, performance):
    one = start(program, "slow", runtime, "even", str(len(os.sched_getaffinity(0))))
    performance(one, mode, lambda r: not any(find(r, kind) for kind in ("oversubscribed", "pools", "spinning", "bound", "quota")))


@needs_two_cpus
@pytest.mark.parametrize("runtime, mode", PAIRS)
@pytest.mark.parametrize("way", ("together", "apart"))
def test_threads_that_share_a_cpu_by_their_affinity(way, runtime, mode, program, performance):
    """The third thread is not bound: the process has another CPU."""
    one = start(program, "bound", runtime, way)
    result = performance(one, mode, lambda r: bool(find(r, "bound")) == (way == "together"))
    assert way == "apart" or find(result, "bound")["title"].startswith("bound: 2 busy threads share CPU ")


@pytest.mark.parametrize("policy, runtime", (("active", "libgomp"), ("passive", "libgomp"), ("passive", "omprt")))
def test_waiting_threads_that_spin(policy, runtime, mode, program, performance):
    """Thread 1 of two works, on one CPU. A thread of our runtime that spins there yields the CPU, whatever the policy."""
    one = start(program, "crowded", runtime, env={"OMP_WAIT_POLICY": policy, "GOMP_SPINCOUNT": "infinite" if policy == "active" else "0"})
    result = performance(one, mode, lambda r: bool(find(r, "spinning")) == (policy == "active"))
    finding = find(result, "spinning")
    if finding:
        assert finding["advice"] == "OMP_WAIT_POLICY=passive lets waiting threads sleep" and finding["certainty"] == "proven"


def test_a_quota(mode, program, performance, quota):
    one = start(program, "slow", RUNTIMES[0], "even")
    performance(one, mode, lambda r: not find(r, "quota"))
    group = quota(one.pid)
    finding = find(performance(one, mode, lambda r: find(r, "quota")), "quota")
    assert finding["certainty"] == "proven" and "the control group may use 0.2 CPUs" in finding["title"]
    assert any(group in claim["text"] for claim in finding["claims"])


def test_a_quota_that_suffices(mode, program, performance, quota):
    one = start(program, "barrier_miss", RUNTIMES[0])
    quota(one.pid)
    performance(one, mode, lambda r: not find(r, "quota"))


def test_without_a_profile(client, program):
    one = start(program, "slow", RUNTIMES[0], "even")
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    with fails("no_profile"):
        client.diagnose.performance(target=target)
    with fails("no_profile"):
        client.view.get(target=target, view="slow")


def test_a_program_that_has_ended(client, program):
    """Its profile remains; the kernel's counters are gone."""
    one = start(program, "slow", RUNTIMES[0], "even")
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    client.profile.start(target=target)
    wait_until(lambda: client.profile.get(target=target)["profile"]["samplings"] > 20, "the samples")
    one.expect_end = True
    os.kill(one.pid, 9)
    wait_until(lambda: not client.profile.get(target=target)["profile"]["recording"], "its end")
    result = client.diagnose.performance(target=target)
    assert "cpu_us" not in result["measured"] and "cpu" in [one["kind"] for one in result["not_considered"]]


def test_the_command(program, ompdctl):
    """As text and as JSON, and its mistakes."""
    one = start(program, "slow", RUNTIMES[0], "serial")
    text = ompdctl("why", "--slow", "-d", "1", one.pid).stdout
    lines = text.splitlines()
    assert lines[0].startswith(f"slow (pid {one.pid}), ") and " samples of 2 OpenMP threads; CPU time " in " ".join(lines[-2:])
    result = json.loads(ompdctl("why", "--slow", "-d", "0.5", "--json", one.pid).stdout)
    assert result["profile"]["elapsed_us"] >= 400000 and result["threads"]["openmp"] == 2
    for wrong in (["why", "--slow", "--core", "x"], ["why", "-d", "1", str(one.pid)], ["tree", "--slow", str(one.pid)]):
        done = subprocess.run([str(BIN / "ompdctl"), *wrong], capture_output=True, text=True)
        assert done.returncode == 3 and done.stderr, wrong


@pytest.mark.parametrize("runtime, mode", PAIRS)
def test_sleep_and_spinning_in_a_profile(runtime, mode, program, client):
    """A thread in read() does not work. Waiting threads that sleep are separate from those that use a CPU."""
    one = start(program, "slow", runtime, "reads", env={"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0", "KMP_BLOCKTIME": "0"})
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    client.profile.start(target=target)
    wait_until(lambda: client.profile.get(target=target)["total"]["times"].get("asleep", 0) > 200000, "sleep in read()")

    def is_right():
        profile = client.profile.get(target=target)
        main = next(row for row in profile["threads"] if row["tid"] == one.pid)
        times, awake = profile["total"]["times"], profile["total"]["awake_us"]
        waits = sum(us for state, us in times.items() if state.startswith("barrier") or state == "idle")
        assert 0 <= awake <= waits + sum(times.get(state, 0) for state in ("critical", "lock", "mutex"))
        return main["times"]["asleep"] > main["times"].get("work", 0) and (runtime == "libomp" or awake < waits / 2)
    wait_until(is_right, "sleep, beside less work and less spinning")
