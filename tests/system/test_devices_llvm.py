# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constructs for devices on LLVM's host plugin: hidden helper threads, the chain to the device, events."""
import os
import pathlib
import re
import shutil
import subprocess

import ompdd
import pytest
from control import Hits
from snapshots import diagnose, has_rc
from targets import LIBGOMP, LIBOMP, wait_until
from test_devices import SOURCE, assert_not_accused, count_events, never_hits

pytestmark = pytest.mark.skipif(bool(LIBGOMP), reason="once, with the system's libgomp, is enough")

@pytest.fixture(name="llvm_binary", scope="module")
def fixture_llvm_binary(tmp_path_factory):
    """Compile offload_llvm for LLVM's host plugin."""
    binary, clang = tmp_path_factory.mktemp("llvm") / "offload_llvm", shutil.which("clang")
    command = [clang, "-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu", "-g", "-O1", SOURCE.with_name("offload_llvm.c"), "-o", binary]
    if not clang or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("clang cannot compile for its host plugin: apt install clang libomp-dev")
    return binary


@pytest.fixture(name="on_llvm")
def fixture_on_llvm(llvm_binary):
    """Start offload_llvm. Returns its process id, and the line of its construct."""
    source = SOURCE.with_name("offload_llvm.c")
    line = next(n for n, text in enumerate(source.read_text().splitlines(), 1) if "/* nowait */" in text)
    started = []

    def begin(*args, **env):
        one = subprocess.Popen([llvm_binary, *args], stdout=subprocess.PIPE, text=True,
                               env={**os.environ, **({"LD_LIBRARY_PATH": LIBOMP} if LIBOMP else {}), **env})
        started.append(one)
        one.stdout.readline()
        return one.pid, line
    yield begin
    for one in started:
        with one:
            one.kill()


def wait_for_device(client, target, certainty, **params):
    def answer():
        result = diagnose(client, target, interval_ms=20, **params)
        first = result["findings"][0] if result["findings"] else {}
        return result if (first.get("kind"), first.get("certainty")) == ("device", certainty) else None
    return wait_until(answer, "the target task runs")


def test_the_host_plugin_of_llvm(on_llvm, client):
    """A hidden helper thread executes the target task. Its idle companions are not accused."""
    pid, line = on_llvm()
    target = client.target.attach(pid=pid, mode="stop")["target"]
    result = wait_for_device(client, target, "candidate")
    first = result["findings"][0]
    assert result["verdict"] == "unknown", result
    assert f"the target region at offload_llvm.c:{line}; helper thread " in first["title"], first
    states = [thread["state"].get("name") for thread in client.thread.list(target=target)["threads"]]
    assert states.count("ompt_state_wait_target") == 1 and "ompt_state_idle" in states, states


def test_the_chain_from_taskwait_to_the_device(on_llvm, client):
    """Thread 0 waits for the task that a helper executes, thread 1 for thread 0."""
    pid, line = on_llvm("sleep")
    target = client.target.attach(pid=pid, mode="stop")["target"]
    result = wait_for_device(client, target, "proven", graph=True)
    first = result["findings"][0]
    assert (result["verdict"], first["device"], first["n_waiting"]) == ("blocked", 0, 2), result
    assert re.fullmatch(rf"device 0 has not finished the target region at offload_llvm.c:{line}; helper thread \d+ \(\d+\) waits for it; "
                        rf"thread [01] \(\d+\) waits for its task; 1 more is blocked behind them", first["title"]), first
    links = {(edge["from"].partition(":")[0], edge["to"].partition(":")[0], edge["certainty"]) for edge in result["edges"]}
    assert {("thing", "task", "proven"), ("task", "thread", "proven")} <= links, result["edges"]
    frames = client.stack.get(target=target, thread=first["threads"][0]["tid"])["frames"]
    names = [frame["function"] for frame in frames]
    inside = next(n for n, name in enumerate(names) if isinstance(name, str) and name.startswith("__tgt_rtl_run_target_"))
    assert any(name.startswith("__omp_offloading_") for name in names[:inside] if isinstance(name, str)), names
    for frame in frames:
        is_on_device = frames.index(frame) < inside and "libffi" not in frame["module"]
        assert frame.get("device") == (0 if is_on_device else None), frame
    region, = client.target_region.list(target=target)["target_regions"]
    assert (region["construct"], region["activity"], region["nowait"], region["helper"]) == ("target", "device", True, True), region
    assert (region["device"], region["device_kind"]) == (0, "x86_64") and has_rc(region["device_name"]), region
    assert region["call_site"]["location"]["line"] == line and region["location"]["line"] == line, region
    assert region["function"].startswith("__omp_offloading_") and region["function"].endswith(f"_main_l{line}"), region
    waiter, = region["awaited_by"]
    assert waiter["thread_num"] in (0, 1) and waiter["construct"] == "taskwait", waiter


def libomp_release():
    """Return the release of LLVM whose libomp the programs use."""
    if LIBOMP:
        return int(pathlib.Path(LIBOMP).name.partition("-")[2])
    return int(subprocess.run(["clang", "-dumpversion"], capture_output=True, text=True, check=True).stdout.partition(".")[0])


@pytest.mark.parametrize("n_workers", (1, 7))
def test_helpers_that_wait_for_the_same_device(n_workers, on_llvm, client):
    """With one helper that executes tasks, the tasks behind the first one have no helper left.

    Helper 0 executes no tasks, and counts before LLVM 15. These end with SIGFPE if it is the only one.
    """
    pid, line = on_llvm("many", LIBOMP_NUM_HIDDEN_HELPER_THREADS=str(n_workers + (libomp_release() < 15)))
    target = client.target.attach(pid=pid, mode="stop")["target"]
    wanted = min(4, n_workers)

    def answer():
        first = wait_for_device(client, target, "proven")["findings"][0]
        return first if first["n_threads"] == wanted else None
    first = wait_until(answer, "the target tasks sleep")
    who = r"helper thread 1 \(\d+\) waits for it; thread [01] \(\d+\) waits for its task" if wanted == 1 else \
        r"helper threads [\d, -]+ wait for it; thread [01] \(\d+\) waits for their tasks"
    assert re.fullmatch(rf"device 0 has not finished the target region at offload_llvm.c:{line}; {who}; 1 more is blocked behind them", first["title"]), first
    regions = client.target_region.list(target=target)["target_regions"]
    running = [region for region in regions if region["activity"] == "device"]
    queued = [region for region in regions if region["activity"] == "queued"]
    # The fifth task could end. It may have, before or after a helper took the others.
    assert len(running) == wanted and len(queued) - (4 - wanted) in (0, 1) and len(regions) == len(running) + len(queued), regions
    for region in queued:
        assert has_rc(region["thread"]) and has_rc(region["construct"]) and region["nowait"] and region["location"]["line"] >= line, region


def test_helpers_whose_tasks_end_are_not_accused(mode, on_llvm, client):
    """One helper executes all tasks."""
    pid, _ = on_llvm("again", LIBOMP_NUM_HIDDEN_HELPER_THREADS=str(1 + (libomp_release() < 15)))
    target = client.target.attach(pid=pid, mode=mode)["target"]
    diagnose(client, target, interval_ms=0)
    assert_not_accused(client, target, looks=1)


def test_without_helpers_the_thread_itself_waits(on_llvm, client):
    """Either thread of the team executes the task."""
    pid, line = on_llvm("sleep", LIBOMP_NUM_HIDDEN_HELPER_THREADS="0")
    target = client.target.attach(pid=pid, mode="stop")["target"]
    first = wait_for_device(client, target, "proven")["findings"][0]
    assert first["n_waiting"] == 1, first
    other = r"1 more is blocked behind it|thread [01] \(\d+\) waits for its task"
    assert re.search(rf" at offload_llvm.c:{line}; thread [01] \(\d+\) waits for it; ({other})$", first["title"]), first


def test_a_region_that_clang_calls_itself(on_llvm, client):
    """Without a device, the program calls the code for the host. Only the function's name shows the region."""
    pid, line = on_llvm("sleep", OMP_TARGET_OFFLOAD="disabled")
    target = client.target.attach(pid=pid, mode="stop")["target"]

    def answer():
        try:
            return [each for each in client.target_region.list(target=target)["target_regions"] if not has_rc(each["thread"])]
        except ompdd.Error as error:
            assert error.name == "openmp_not_started", error
            return None
    region, = wait_until(answer, "a thread executes the region")
    assert (region["construct"], region["activity"]) == ("target", "host") and has_rc(region["entry"]) and "device" not in region, region
    assert region["function"].startswith("__omp_offloading_") and region["call_site"]["location"]["line"] == line, region


def test_the_chain_without_a_stop(on_llvm, client):
    """Without registers, the stack may end at the plugin. The helper thread is then named with its call."""
    pid, _ = on_llvm("sleep")
    target = client.target.attach(pid=pid, mode="observe")["target"]

    def answer():
        result = diagnose(client, target, interval_ms=20)
        return result if result["verdict"] == "blocked" else None
    first = wait_until(answer, "the target task sleeps")["findings"][0]
    assert first["kind"] in ("blocked", "device") and "helper thread " in first["title"] and first["n_waiting"] == 2, first


def test_events_of_a_device_on_llvm(on_llvm, client):
    pid, _ = on_llvm("loop")
    target = client.target.attach(pid=pid, mode="stop")["target"]
    hits = Hits(client, target)
    diagnose(client, target, interval_ms=0)
    data = count_events(client, target, hits, 4, event="target_data", device=1)
    assert all(name.startswith("__tgt_target_data_") for name in data), data
    region = count_events(client, target, hits, 2, event="target_begin", device=1)
    assert all(name.startswith("__tgt_target_") for name in region), region
    never_hits(client, target, hits, {"event": "target_data"}, event="target_data", device=0)
