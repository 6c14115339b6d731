# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constructs for devices: a stand-in for libgomp's plugin and its driver, whose operations end or never end."""
import os
import pathlib
import re
import subprocess

import ompdd
import pytest
from conftest import MODES
from control import attach
from cores import gcore
from snapshots import Snapshot, diagnose, has_rc
from targets import LIBGOMP, PROGRAMS, wait_until

pytestmark = pytest.mark.skipif(bool(LIBGOMP), reason="the plugin is built for the system's libgomp")
SOURCE = pathlib.Path(__file__).parents[1] / "programs" / "offload.c"
# Regions with nowait have no thread of the host that waits for the device.
ASYNC = {"LD_LIBRARY_PATH": str(PROGRAMS / "stand_in_async")}
STAND_IN = {"LD_LIBRARY_PATH": str(PROGRAMS / "stand_in")}
# By mode: what never ends, its name in the title, and whether thread 1 waits behind it.
HANGS = {
    "kernel": ("KERNEL", "the target region", True),
    "nowait": ("KERNEL", "the target region", True),
    "depend": ("KERNEL", "the target region", True),
    "task": ("KERNEL", "the target region", True),
    "cross": ("KERNEL", "the target region", False),
    "memory": ("KERNEL", "the target region", True),
    "data": ("COPY", "the start of the target data region", True),
    "update": ("COPY", "the target update", True),
    "memcpy": ("COPY", "the copy", True),
    "load": ("LOAD", "the target region", True),
}
# Construct, activity and function of target_region.list, if they are not these.
REGION = ("target", "device", "run_target._omp_fn")
REGIONS = {
    "nowait": ("target", "device", "run_tasks._omp_fn"),
    "depend": ("target", "device", "run_chain._omp_fn"),
    "memory": ("target", "device", "run_unknown._omp_fn"),
    "data": ("target_data", "data", None),
    "update": ("target_update", "data", None),
    "memcpy": ("copy", "data", None),
    "load": ("target", "initialisation", "run_target._omp_fn"),
}


# Healthy programs have the shapes of those that hang. The preset `matrix` runs all of them, the suite the first ones.
N_HEALTHY = None if "OMPDD_MATRIX_DIR" in os.environ else 2


def line_of(mode):
    mark = {"task": "kernel", "cross": "kernel", "load": "kernel"}.get(mode, mode)
    return next(n for n, text in enumerate(SOURCE.read_text().splitlines(), 1) if f"/* {mark} */" in text)


def start(program, mode, how="sleep", **env):
    env = {**STAND_IN, f"STAND_IN_{HANGS[mode][0]}": how, **env}
    one = program("offload", "kernel" if mode == "load" else mode, env=env)
    wait_until(lambda: sleeps(one.pid) or how == "spin", "it waits for the device")
    return one


def sleeps(pid, n=2):
    """Whether all @n threads sleep."""
    tasks = list(pathlib.Path(f"/proc/{pid}/task").iterdir())
    return len(tasks) == n and all((task / "stat").read_text().rpartition(")")[2].split()[0] == "S" for task in tasks)


def thread_of(client, target, tid):
    return next(thread for thread in client.thread.list(target=target)["threads"] if thread["tid"] == tid)


def state_of(client, target, tid):
    return thread_of(client, target, tid)["state"]


def assert_blocked(result, mode, device=0):
    """Nothing proves a device's number that the program read from memory."""
    what, has_other = HANGS[mode][1:]
    device = None if mode == "memory" else device
    first = result["findings"][0]
    assert (result["verdict"], first["kind"], first["certainty"], first["waits_for"]) == ("blocked", "device", "proven", "device"), result
    name = "a device" if device is None else f"device {device}"
    assert first.get("device") == device and first["thing"] == name, result
    assert f": {name} has not finished {what} at offload.c:{line_of(mode)}; thread " in result["title"], result
    assert first["n_waiting"] == has_other, result


def assert_regions(client, target, hang):
    """target_region.list has the construct that waits, and no other."""
    regions = client.target_region.list(target=target)["target_regions"]
    assert len(regions) == (2 if hang == "cross" else 1), regions
    for region in regions:
        construct, activity, function = REGIONS.get(hang, REGION)
        assert (region["construct"], region["activity"]) == (construct, activity), region
        assert region["function"].startswith(function) if function else has_rc(region["function"]), region
        assert region["call_site"]["location"]["line"] == line_of(hang) and not region["helper"], region
        assert not region["awaited_by"] or hang == "task", region
        # The flags of the construct are lost, unless the plugin's function shows them. This plugin cannot run a region asynchronously.
        assert has_rc(region["nowait"]) if hang in ("update", "load") else region["nowait"] is False, region
        if hang == "memory":
            assert has_rc(region["device"]) and "device_kind" not in region, region
        else:
            number = region["thread_num"] if hang == "cross" else 0
            assert (region["device"], region["device_kind"], region["device_name"]) == (number, "nvptx", "nvptx"), region
    return [region["thread"] for region in regions]


@pytest.mark.parametrize("hang", sorted(HANGS))
def test_a_device_that_never_finishes(hang, mode, program, client):
    one = start(program, hang)
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    result = diagnose(client, target, interval_ms=100)
    assert_blocked(result, hang)
    thread = re.search(r"; thread (\d+) \((\d+)\) waits", result["title"])
    assert thread[1] == "0" or hang == "task", result
    one = thread_of(client, target, int(thread[2]))
    assert (one["state"]["name"], one["state"]["source"]) == ("ompt_state_wait_target", "inferred"), one
    assert one.get("device") == (None if hang == "memory" else 0), one
    assert int(thread[2]) in assert_regions(client, target, hang)


@pytest.mark.parametrize("hang", ("data", "nowait"))
def test_the_default_device_has_its_number(hang, mode, program, client):
    one = start(program, hang, OMP_DEFAULT_DEVICE="1")
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    assert_blocked(diagnose(client, target, interval_ms=100), hang, device=1)
    rows = client.view.get(target=target, view="threads")["rows"]
    assert [row["cells"]["waits_for"]["text"] for row in rows].count("device 1") == 1, rows


def test_each_thread_waits_for_its_device(mode, program, client):
    one = start(program, "cross")
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    findings = diagnose(client, target, interval_ms=100)["findings"]
    assert {(finding["device"], finding["threads"][0]["thread_num"]) for finding in findings} == {(0, 0), (1, 1)}, findings
    threads = client.thread.list(target=target)["threads"]
    assert {(thread["device"], thread["thread_num"]) for thread in threads} == {(0, 0), (1, 1)}, threads


@pytest.mark.parametrize("hang", sorted(HANGS))
def test_a_core_of_a_wait_for_a_device(hang, program, client, tmp_path):
    one = start(program, hang)
    target = client.target.open_core(core=str(gcore(one, tmp_path)))["target"]
    assert_blocked(client.diagnose.get(target=target), hang)
    states = [thread["state"]["name"] for thread in client.thread.list(target=target)["threads"]]
    assert states.count("ompt_state_wait_target") == (2 if hang == "cross" else 1), states
    assert assert_regions(client, target, hang)


def diagnose_both(client, one, mode, tmp_path):
    """Return the diagnoses of a process whose threads wait, and of its core, each with the target regions."""
    wait_until(lambda: sleeps(one.pid), "both threads wait")
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    core = client.target.open_core(core=str(gcore(one, tmp_path)))["target"]
    results = diagnose(client, target, interval_ms=100), client.diagnose.get(target=core)
    return [(result, client.target_region.list(target=each)["target_regions"]) for result, each in zip(results, (target, core))]


@pytest.mark.parametrize("way", ("nowait", "depend"))
def test_a_task_that_no_thread_executes(way, mode, program, client, tmp_path):
    """From taskwait to the target task, whose region a device executes. Nothing on a stack shows the construct."""
    one = program("offload", way, env={**ASYNC, "STAND_IN_KERNEL": "sleep"})
    for result, regions in diagnose_both(client, one, mode, tmp_path):
        first = result["findings"][0]
        assert (result["verdict"], first["kind"], first["waits_for"], first["certainty"]) == ("blocked", "device", "taskwait", "proven"), result
        assert re.search(r": a device has not finished a target task; thread 0 \(\d+\) waits for it; 1 more is blocked behind it$", result["title"]), result
        assert "device" not in first and first["n_waiting"] == 2, result
        region, *queued = regions
        assert (region["construct"], region["activity"], region["nowait"]) == ("target", "device", True), region
        # The second target task depends on the first one. The third task is for the host.
        assert [(each["activity"], each["nowait"], len(each["awaited_by"])) for each in queued] == [("queued", True, 1)] * (way == "depend"), queued
        assert all(has_rc(region[key]) for key in ("thread", "call_site", "function", "device")), region
        waiter, = region["awaited_by"]
        assert (waiter["thread_num"], waiter["construct"]) == (0, "taskwait") and waiter["task"] != region["task"], waiter


def test_a_target_region_before_any_parallel_region(mode, program, client):
    """libgomp has not written to the thread's record. The program is one as any other all the same."""
    one = program("offload", "serial", env={**STAND_IN, "STAND_IN_KERNEL": "sleep"})
    wait_until(lambda: sleeps(one.pid, 1), "it waits for the device")
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    region, = client.target_region.list(target=target)["target_regions"]
    assert (region["thread"], region["construct"], region["activity"], region["nowait"]) == (one.pid, "target", "device", False), region
    assert (region["thread_num"], region["device"], region["device_kind"]) == (0, 0, "nvptx"), region
    assert region["call_site"]["location"]["line"] == line_of("kernel") and region["function"].startswith("run_target._omp_fn"), region
    snapshot = Snapshot(client.snapshot.get(target=target))
    thread = snapshot.threads[one.pid]
    assert (thread["state"]["name"], thread["device"], thread["thread_num"]) == ("ompt_state_wait_target", 0, 0), thread
    assert snapshot.task_of(one.pid)["kind"] == "initial" and snapshot.parallel_of(one.pid)["level"] == 0, snapshot
    result = diagnose(client, target, interval_ms=100)
    assert (result["verdict"], result["findings"][0]["kind"], result["findings"][0]["certainty"]) == ("blocked", "device", "proven"), result
    client.profile.start(target=target, rate_hz=500)
    wait_until(lambda: client.profile.get(target=target)["profile"]["samplings"] >= 5, "some samples")
    client.profile.stop(target=target)
    row, = client.profile.get(target=target)["threads"]
    assert row["tid"] == one.pid and set(row["times"]) == {"target"}, row


def test_unmapping_while_another_thread_maps(mode, program, client):
    """Thread 0 holds the lock of the device's table. Nothing shows that, so thread 1 is not accused, nor thread 0 of it."""
    one = program("offload", "freed", env={**STAND_IN, "STAND_IN_COPY": "sleep"})
    wait_until(lambda: sleeps(one.pid), "both threads wait")
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    result = diagnose(client, target, interval_ms=100)
    assert result["verdict"] == "blocked" and result["findings"][0]["device"] == 0, result
    assert all(finding["certainty"] == "candidate" for finding in result["findings"][1:]), result


def test_a_driver_that_spins_is_a_wait_and_proves_nothing(program, client):
    one = start(program, "kernel", "spin")
    target = client.target.attach(pid=one.pid, mode="stop")["target"]
    assert wait_until(lambda: state_of(client, target, one.pid).get("name") == "ompt_state_wait_target", "it waits")
    result = diagnose(client, target, interval_ms=20)
    assert (result["verdict"], result["findings"][0]["kind"]) == ("unknown", "device"), result
    assert "; no progress of OpenMP was seen in " in result["title"], result


def test_a_wait_in_observe_mode_is_never_called_work(program, client):
    one = start(program, "kernel", "spin")
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    state = state_of(client, target, one.pid)
    assert has_rc(state) or state["name"] == "ompt_state_wait_target", state


def test_top_counts_waits_for_a_device(program, ompdctl):
    """Thread 0 waits for the device, thread 1 for thread 0: neither works."""
    one = start(program, "kernel")
    lines = [line.split() for line in ompdctl("-p", one.pid, "top", "--once", "-d", "1").stdout.splitlines()]
    head = next(line for line in lines if line[:1] == ["REGION"])
    rows = [dict(zip(head, line)) for line in lines[lines.index(head) + 1:] if len(line) == len(head)]
    assert rows and all(row["WORK%"] in ("-", "0") for row in rows), lines
    assert any(row["TARGET%"] != "-" and float(row["TARGET%"]) > 30 for row in rows), lines


def test_frames_of_the_plugin_are_the_runtimes(program, ompdctl):
    one = start(program, "kernel")
    for part in ompdctl("-p", one.pid, "bt", "--all", "--logical").stdout.split("\n\n")[1:]:
        assert "main() at" in part and "cuCtxSynchronize" not in part, part


def test_ompdctl_shows_the_target_region(program, ompdctl):
    one = start(program, "kernel")
    lines = [line.lstrip("│├└─ ") for line in ompdctl("-p", one.pid, "devices").stdout.splitlines()]
    shown = lines[lines.index("target regions 1") + 1:]
    assert shown == [f"target region at offload.c:{line_of('kernel')} in run_target, device 0 (nvptx) executes it",
                     f"thread 0 ({one.pid}) waiting for it"], lines


def assert_not_accused(client, target, looks=4):
    """A busy machine may give the device's thread no CPU for 20 ms. Then a longer look must see that it goes on."""
    for _ in range(looks):
        result = diagnose(client, target, interval_ms=20)
        if result["verdict"] == "blocked":
            result = diagnose(client, target, interval_ms=1000)
        assert result["verdict"] not in ("blocked", "deadlock"), result


@pytest.mark.parametrize("way", ("nowait", "depend"))
def test_tasks_that_end_are_not_accused(way, mode, program, client):
    one = program("offload", way, "again", env={**ASYNC, "STAND_IN_KERNEL": "2000"})
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    assert_not_accused(client, target)


@pytest.mark.parametrize("way, kernel_us", (("loop", ""), ("steps", "5000"), ("nowait", "2000"), ("update", ""), ("cross", "300")))
def test_a_healthy_program_is_not_accused(way, kernel_us, mode, program, client):
    env = {**STAND_IN, **({"STAND_IN_KERNEL": kernel_us} if kernel_us else {})}
    one = program("offload", way, "again", env=env)
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    assert_not_accused(client, target)


@pytest.mark.parametrize("way", ("fallback", "freed", "data", "depend", "task", "memcpy", "memory")[:N_HEALTHY])
def test_the_same_shape_that_proceeds_is_not_accused(way, mode, program, client):
    one = program("offload", way, "again", env={} if way == "fallback" else STAND_IN)
    assert_not_accused(client, client.target.attach(pid=one.pid, mode=mode)["target"], looks=1)


@pytest.mark.parametrize("way", ["nowait", "update", *sorted({*HANGS, "fallback", "freed"} - {"load", "nowait", "update"})][:N_HEALTHY and 1])
def test_a_construct_that_is_over_is_not_accused(way, program, client, tmp_path):
    """Thread 0 works, thread 1 waits for it. Nothing waits for a device, or for a lock that no thread releases."""
    one = program("offload", way, "done", env={**({} if way == "fallback" else STAND_IN), "STAND_IN_LOAD": "100", "OMP_STACKSIZE": "128K"})
    assert one.read_line() == {"done": True}
    results = [diagnose(client, client.target.attach(pid=one.pid, mode=mode)["target"], interval_ms=20) for mode in MODES]
    core = client.target.open_core(core=str(gcore(one, tmp_path)))["target"]
    for result in (*results, client.diagnose.get(target=core)):
        assert result["verdict"] != "deadlock", result
        assert not any(finding["kind"] == "device" or finding.get("waits_for") in ("device", "lock") for finding in result["findings"]), result


def test_a_deadlock_in_a_region_that_the_host_executes(mode, program, client, tmp_path):
    """Nothing shows the holder of the lock, but no thread can release it."""
    one = program("offload", "fallback")
    for result, regions in diagnose_both(client, one, mode, tmp_path):
        first = result["findings"][0]
        assert (result["verdict"], first["kind"], first["waits_for"], first["certainty"]) == ("deadlock", "all_wait", "lock", "proven"), result
        assert result["title"].endswith(": no thread can release it"), result
        region, = regions
        assert (region["construct"], region["activity"], region["thread_num"]) == ("target", "host", 0), region
        # Without registers, nothing proves the copy of the record that libgomp cleared.
        assert region["nowait"] is False or (result["consistency"] == "proven" and has_rc(region["nowait"]) and has_rc(region["task"])), region
        assert region["call_site"]["location"]["line"] == line_of("fallback") - 2 and "device" not in region, region
        assert region["function"].startswith("run_fallback._omp_fn"), region


def count_events(client, target, hits, n, **params):
    """Set a breakpoint, and return the functions of its next @n hits. A stripped program has no names."""
    made = client.breakpoint.set(target=target, **params)
    functions = []
    while len(functions) < n:
        assert hits.next()["event"] == params["event"]
        functions.append(client.target.info(target=target)["stop"].get("function"))
        if len(functions) == n:
            client.breakpoint.delete(target=target, breakpoint=made["breakpoint"])
        client.target.resume(target=target)
    return functions


def never_hits(client, target, hits, other, **params):
    """Assert that a breakpoint has no hit while @other, another one, has hits."""
    made = client.breakpoint.set(target=target, **params)
    count_events(client, target, hits, 3, **other)
    found = next(b for b in client.breakpoint.list(target=target)["breakpoints"] if b["breakpoint"] == made["breakpoint"])
    client.breakpoint.delete(target=target, breakpoint=made["breakpoint"])
    assert found["hits"] == 0 and found["device"] == params["device"], found
    return found.get("undecided", 0)


def test_events_of_a_device(program, client):
    one = program("offload", "loop", env=STAND_IN)
    target, hits = attach(client, one)
    wait_until(lambda: "libgomp-plugin-" in pathlib.Path(f"/proc/{one.pid}/maps").read_text(), "the plugin is loaded")
    assert count_events(client, target, hits, 2, event="target_begin", device=0) == ["GOMP_target_ext"] * 2
    assert count_events(client, target, hits, 2, event="target_submit") == ["GOMP_OFFLOAD_run"] * 2
    assert never_hits(client, target, hits, {"event": "target_begin"}, event="target_begin", device=1) == 0
    with pytest.raises(ompdd.Error, match="cannot be determined here") as caught:
        client.breakpoint.set(target=target, event="target_submit", device=0)
    assert caught.value.name == "condition_unavailable"


def test_events_of_the_default_device_without_debug_information(program, client, tmp_path):
    """The end of target data names no device: it is undecided, and stops nothing."""
    binary = tmp_path / "offload"
    subprocess.run(["strip", "-o", binary, PROGRAMS / "offload"], check=True)
    one = program("offload", "data", "again", path=binary, env={**STAND_IN, "OMP_DEFAULT_DEVICE": "1"})
    target, hits = attach(client, one)
    diagnose(client, target, interval_ms=0)
    assert count_events(client, target, hits, 3, event="target_data", device=1) == ["GOMP_target_data_ext"] * 3
    assert never_hits(client, target, hits, {"event": "target_data"}, event="target_data", device=0) > 0
    assert len(count_events(client, target, hits, 3, event="target_data_end", device=1)) == 3


def test_a_plugin_that_is_not_loaded_has_no_events(program, client):
    target = client.target.attach(pid=program("flat", 2).pid, mode="stop")["target"]
    with pytest.raises(ompdd.Error, match="loads plugins at the first target construct") as caught:
        client.breakpoint.set(target=target, event="target_submit")
    assert caught.value.name == "event_unavailable"
