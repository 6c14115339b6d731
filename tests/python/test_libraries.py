# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that use PyTorch, scikit-learn and joblib as their documents do."""
import json
import os
import pathlib
import subprocess

import pytest
from targets import wait_until

HERE = pathlib.Path(__file__).parent
PYTHON = "/usr/bin/python3"
ENVIRONMENT = {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"}
LOOKS = int(os.environ.get("OMPDD_LOOKS", "30"))


@pytest.fixture
def start(program):
    def start(name, library, *args):
        if subprocess.run([PYTHON, "-c", f"import {library}"], capture_output=True).returncode:
            pytest.skip(f"{library} is not installed (tests/python/CMakeLists.txt)")
        one = program(name, HERE / f"{name}.py", *args, path=PYTHON, env=ENVIRONMENT, wait=False)
        assert one.read_line()["pid"] == one.pid
        return one
    return start


def line_of(name):
    (number,) = [i for i, line in enumerate((HERE / f"{name}.py").read_text().splitlines(), 1) if "# HERE" in line]
    return f"{name}.py:{number}"


def diagnose(client, pid, mode):
    target = client.target.attach(pid=pid, mode=mode)["target"]
    return lambda: client.diagnose.get(target=target)


def test_the_worker_of_a_data_loader(start, client, mode):
    one = start("loader", "torch")
    worker = one.read_line()["worker"]
    get = diagnose(client, worker, mode)

    def is_found():
        result = get()
        return result["verdict"] == "deadlock" and result
    result = wait_until(is_found, "the deadlock of the worker")
    first = result["findings"][0]
    assert (first["kind"], first["certainty"]) == ("team_lost", "proven"), result
    assert "threads that this process does not have: a fork copies only the thread that calls it" in result["title"], result
    assert any(f"Sums.__getitem__() at {line_of('loader')}" in claim["text"] for claim in first["claims"]), result
    # Its parent waits for it. It has all its threads.
    result = diagnose(client, one.pid, mode)()
    assert result["verdict"] in ("waiting", "unknown", "idle") and not any(f["kind"] == "team_lost" for f in result["findings"]), result


def test_k_means(start, client, mode, ompdctl):
    one = start("kmeans", "sklearn")
    get = diagnose(client, one.pid, mode)
    seen = set()
    for _ in range(LOOKS):
        result = get()
        seen.add(result["verdict"])
        assert result["verdict"] not in ("deadlock", "blocked"), json.dumps(result, indent=1)
    assert "busy" in seen, seen

    def is_shown():
        text = ompdctl("bt", "--mode", "stop", one.pid).stdout
        return f"cluster() at {HERE}/{line_of('kmeans')}" in text and "_k_means_lloyd" in text
    wait_until(is_shown, "the caller of k-means, and its region")


@pytest.mark.parametrize("backend", ("threading", "loky"))
def test_joblib(backend, start, client, mode):
    one = start("pools", "joblib", backend)
    workers = {one.read_line()["worker"] for _ in range(2)}
    assert (workers == {one.pid}) == (backend == "threading")
    for pid in workers:
        get = diagnose(client, pid, mode)
        for _ in range(LOOKS):
            result = get()
            assert result["verdict"] not in ("deadlock", "blocked"), json.dumps(result, indent=1)
