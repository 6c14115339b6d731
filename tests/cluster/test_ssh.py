# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sixty nodes that ClusterShell reaches by ssh, each with its own network, processes and name."""
import json
import os
import pathlib
import shutil
import subprocess
import time

import pytest
import sshnodes

BUILD = pathlib.Path(os.environ["OMPDD_BUILD_DIR"])
OMPDCTL = BUILD / "bin" / "ompdctl"
PROGRAMS = BUILD / "tests" / "programs"
N = 60
ODD = 7

pytestmark = pytest.mark.skipif(sshnodes.missing() or not shutil.which("clush"),
                                reason="needs root, ssh, sshd, iproute2 and ClusterShell (tests/cluster/CMakeLists.txt)")


@pytest.fixture(scope="module", name="nodes")
def nodes_fixture(tmp_path_factory):
    """The same program on all nodes; on one it has more threads elsewhere."""
    one = sshnodes.Nodes(tmp_path_factory.mktemp("ssh"), [[PROGRAMS / ("idle" if i == ODD else "flat"), "2"] for i in range(1, N + 1)])
    yield one
    one.close()


def look(nodes, *argv, timeout=600):
    """Return ompdctl's view of the nodes, and its time. Without a stop: sixty on one machine may exceed the limit."""
    (nodes.folder / "defaults.conf").write_text("[task.default]\ndistant_workername: ssh\n[task.info]\nconnect_timeout: 1000\n")
    begun = time.monotonic()
    done = subprocess.run(nodes.inside(OMPDCTL, *argv, "--nodes", f"n[1-{N}]", "-m", "observe", "--timeout", str(timeout)), capture_output=True, text=True, timeout=1700, check=False,
                          env={**os.environ, "CLUSTERSHELL_CFGDIR": str(nodes.folder), "PATH": f"{nodes.folder}/bin:{os.environ['PATH']}"})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout, time.monotonic() - begun


def test_all_are_seen_and_the_odd_one_first(nodes):
    lines = look(nodes, "tree", "--width", "120")[0].split("\n")
    text = "\n".join(lines)
    assert f"{N} nodes, {N} processes, {2 * N} OpenMP threads" in lines[0], text
    assert f"n{ODD}/0" in lines[1] and len(lines) <= 41, text
    assert f"n[1-{ODD - 1},{ODD + 1}-{N}]/0" in text


def test_verdicts(nodes):
    summary = json.loads(look(nodes, "why", "--json")[0])
    assert summary["nodes"] == f"n[1-{N}]" and summary["n_processes"] == N and not summary["failed"], summary


def test_two_dead_and_one_slow(nodes):
    """At the deadline they are named, with the known reason; the others are shown."""
    slow = nodes.folder / "slow"
    slow.write_text(f'#!/bin/sh\n[ "$(uname -n)" != n45 ] || exec sleep 10000\nexec {OMPDCTL} "$@"\n')
    slow.chmod(0o755)
    usual = look(nodes, "tree", "--json")[1]
    nodes.kill(17)
    nodes.freeze(33)
    summary = json.loads(look(nodes, "tree", "--json", "--remote-ompdctl", str(slow), timeout=60 + 3 * usual)[0])
    assert summary["nodes"] == "n[1-16,18-32,34-44,46-60]" and summary["n_processes"] == N - 3, summary["failed"]
    failed = {row["nodes"]: row["why"] for row in summary["failed"]}
    assert failed == {"n17": "exit code 255, No route to host", "n[33,45]": "no answer in time"}
