# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The settings of a runtime: as set in the environment, as the runtime and the kernel have them, each with its source."""
import os
import re
import resource

import pytest
from cores import gcore
from targets import LIBGOMP, LIBOMP, PROGRAMS, TWIN, tasks, wait_until

CLANG = PROGRAMS / "llvm"
SET = {"OMP_NUM_THREADS": "2", "OMP_STACKSIZE": "5M", "OMP_PLACES": "threads", "OMP_PROC_BIND": "close", "OMP_WAIT_POLICY": "passive",
       "OMP_CANCELLATION": "true", "OMP_MAX_TASK_PRIORITY": "7", "OMP_TARGET_OFFLOAD": "disabled"}
GOMP = {**SET, "GOMP_SPINCOUNT": "1234", "OMP_DISPLAY_ENV": "verbose"}
KMP = {**SET, "KMP_BLOCKTIME": "17", "KMP_SETTINGS": "1"}
# Settings that the runtime shows in its own form.
KMP_OTHER_FORM = {"OMP_STACKSIZE": "5242880"}


def by_source(result, source):
    found = [one for one in result["settings"] if one["source"] == source]
    assert source == "kernel" or len({one["name"] for one in found}) == len(found)
    return {one["name"]: one["value"] for one in found}


def check_environment(result, env):
    """Exactly the variables of OpenMP runtimes that the program was started with."""
    assert by_source(result, "environment") == env


def check_kernel(result, pid):
    assert by_source(result, "kernel")["RLIMIT_STACK"] == str(resource.prlimit(pid, resource.RLIMIT_STACK)[0]).replace("-1", "unlimited")
    seen = {}
    for one in result["settings"]:
        for tid in one.get("threads", ()):
            assert one["name"] == "sched_getaffinity" and tid not in seen
            seen[tid] = set()
            for part in one["value"].split(","):
                first, _, last = part.partition("-")
                seen[tid] |= set(range(int(first), int(last or first) + 1))
    assert seen == {tid: os.sched_getaffinity(tid) for tid in tasks(pid)}


def displayed(path, end):
    """Return the settings that the runtime has printed."""
    wait_until(lambda: end in path.read_text(), "the runtime prints its settings")
    found = re.findall(r"^ *(?:\[\w+\] )?((?:OMP|GOMP|KMP)_\w+) ?= ?'?(.*?)'?$", path.read_text(), re.MULTILINE)
    return {name: value.lower() for name, value in found}


@pytest.fixture
def gomp(program, tmp_path):
    """Start a program, and return it with the settings that libgomp or our runtime has displayed."""
    with open(tmp_path / "shown", "wb") as shown:
        one = program("flat", 2, env=GOMP, stderr=shown)
    return one, displayed(tmp_path / "shown", "OPENMP DISPLAY ENVIRONMENT END")


@pytest.fixture
def libomp(program, tmp_path):
    if not (CLANG / "flat").exists():
        pytest.skip("no clang with libomp here")
    if LIBGOMP:
        pytest.skip("of no other libgomp")
    with open(tmp_path / "shown", "wb") as shown:
        one = program("flat", 2, env={**KMP, **({"LD_LIBRARY_PATH": LIBOMP} if LIBOMP else {})}, path=CLANG / "flat", stderr=shown)
    return one, displayed(tmp_path / "shown", "KMP_AFFINITY=")


def check_gomp(memory, shown):
    """Each value agrees with what the runtime displays."""
    wanted = {"OMP_NUM_THREADS", "OMP_PLACES", "OMP_PROC_BIND", "OMP_CANCELLATION", "OMP_MAX_TASK_PRIORITY", "OMP_SCHEDULE"}
    assert wanted <= set(memory)
    for name in memory.keys() - {"OMP_DYNAMIC", "OMP_SCHEDULE", "OMP_THREAD_LIMIT"}:
        assert memory[name].lower() == shown[name], name


def check_libomp(memory, shown):
    assert {"KMP_LIBRARY", "OMP_STACKSIZE", "OMP_WAIT_POLICY", "OMP_TARGET_OFFLOAD", "OMP_AFFINITY_FORMAT", "OMP_CANCELLATION",
            "OMP_MAX_TASK_PRIORITY"} <= set(memory)
    for name, value in memory.items():
        assert value.lower() == KMP_OTHER_FORM.get(name, shown[name]), name


def check_process(client, one, mode, environment):
    """Check the environment and the kernel's values of a process. Return the settings from memory."""
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    result = client.call("icv.settings", {"target": target})
    check_environment(result, environment)
    check_kernel(result, one.pid)
    assert "unavailable" not in result
    return by_source(result, "memory")


def test_libgomp(gomp, mode, client):
    one, shown = gomp
    check_gomp(check_process(client, one, mode, GOMP), shown)


def test_libomp(libomp, mode, client):
    one, shown = libomp
    check_libomp(check_process(client, one, mode, KMP), shown)


@pytest.mark.parametrize("runtime", ["gomp", "libomp"])
def test_core(runtime, request, client, tmp_path):
    """A core has the environment and the memory. It has nothing of the kernel."""
    one, _ = request.getfixturevalue(runtime)
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    live = client.call("icv.settings", {"target": target})
    core = client.target.open_core(core=str(gcore(one, tmp_path)))["target"]
    result = client.call("icv.settings", {"target": core})
    assert result["settings"] == [setting for setting in live["settings"] if setting["source"] != "kernel"]
    assert set(result["unavailable"]) == {"kernel"}
    assert "core" in result["unavailable"]["kernel"]["message"]


def test_view(gomp, client):
    """The view of control variables ends with the same settings."""
    one, _ = gomp
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    settings = client.call("icv.settings", {"target": target})["settings"]
    table = client.view.get(target=target, view="icvs")["tables"][-1]
    assert table["kind"] == "settings" and [column["title"] for column in table["columns"]] == ["SETTING", "VALUE", "SOURCE"]
    rows = [[row["cells"][key]["text"] for key in ("variable", "value", "source")] for row in table["rows"]]
    assert [row[:2] for row in rows] == [[one["name"], one["value"] or '""'] for one in settings]
    assert all(row[2].startswith(one["source"]) for row, one in zip(rows, settings))


def test_only_variables_of_runtimes_are_shown(program, client):
    one = program("flat", 1, env={"OMP_NUM_THREADS": "1", "HOMPE": "1", "XOMP_X": "2", "OMP_UNKNOWN": "a\x1b[1m"})
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    found = by_source(client.call("icv.settings", {"target": target}), "environment")
    assert found.pop("OMP_TARGET_OFFLOAD", "") == {"host": "disabled", "device": "mandatory"}.get(TWIN, "")
    assert found == {"OMP_NUM_THREADS": "1", "OMP_UNKNOWN": "a\x1b[1m"}


def test_an_environment_has_a_limit(program, client):
    one = program("flat", 1, env={f"KMP_{i}": str(i) for i in range(3000)})
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    result = client.call("icv.settings", {"target": target})
    assert len(by_source(result, "environment")) == 1024
    assert result["unavailable"]["environment"]["name"] == "limit_exceeded"
    assert by_source(result, "memory")["OMP_CANCELLATION"] == "false"
