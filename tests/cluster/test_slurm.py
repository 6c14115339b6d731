# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A hybrid job on Slurm with one hung thread of one rank: the first lines name it."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import pytest
from slurm import Slurm, wait_for

BUILD = pathlib.Path(os.environ["OMPDD_BUILD_DIR"])
OMPDCTL = BUILD / "bin" / "ompdctl"
HERE = pathlib.Path(__file__).parent
STUCK = 5

pytestmark = pytest.mark.skipif(os.geteuid() != 0 or not all(map(shutil.which, ("slurmctld", "slurmd", "munged", "mpicc.mpich"))),
                                reason="needs root and Slurm, munge and MPICH (tests/cluster/CMakeLists.txt)")


@pytest.fixture(scope="module", name="slurm")
def slurm_fixture():
    """Not below pytest's own folder, which each new pytest closes to other users. munged runs as another user."""
    with tempfile.TemporaryDirectory(prefix="slurm", dir="/tmp", ignore_cleanup_errors=True) as folder:
        one = Slurm(pathlib.Path(folder))
        yield one
        one.close()


@pytest.fixture(scope="module", name="hybrid")
def hybrid_fixture(tmp_path_factory):
    program = tmp_path_factory.mktemp("hybrid") / "hybrid"
    subprocess.run(["mpicc.mpich", "-g", "-O1", "-fopenmp", "-o", program, HERE / "hybrid.c"], check=True)
    return program


@pytest.fixture(scope="module", name="job")
def job_fixture(slurm, hybrid):
    job = slurm.submit(str(hybrid), str(STUCK))

    def all_wait():
        done = slurm.run(OMPDCTL, "threads", "--job", job, "--json", "--timeout", "60")
        if done.returncode:
            return False
        summary = json.loads(done.stdout)
        states = {row["key"][-1]: row["n_threads"] for row in summary["classes"]}
        return summary["n_processes"] == 8 and sum(n for state, n in states.items() if state.startswith("in MPI_Barrier")
                                                   or state.startswith("in PMPI_Barrier")) == 7
    wait_for(all_wait, "the job's ranks at MPI_Barrier")
    return job


def look(slurm, *argv):
    done = slurm.run(OMPDCTL, *argv)
    assert not done.returncode, done.stderr
    return done.stdout.split("\n")


def test_the_hung_thread_is_in_the_first_lines(slurm, job):
    lines = look(slurm, "--job", job, "tree", "--width", "120")
    assert "4 nodes, 8 processes" in lines[0], "\n".join(lines)
    assert any(f"rank {STUCK} thread 2" in line for line in lines[:3]), "\n".join(lines)
    assert any("in pause(), solve() at hybrid.c" in line for line in lines[:4]), "\n".join(lines)
    assert len(lines) <= 41


def test_as_documented(slurm, job):
    """The commands of docs/cluster.md, for our job."""
    text = (HERE.parents[1] / "docs" / "cluster.md").read_text()
    commands = re.findall(r"^ompdctl --job 1234 (.*?)(?: +#.*)?$", text, re.M)
    assert [command.split()[0] for command in commands] == ["tree", "why", "threads", "top"], commands
    for command in commands:
        assert "4 nodes, 8 processes" in look(slurm, "--job", job, *command.split())[0], command


def test_which_ranks_wait_for_whom(slurm, job):
    lines = look(slurm, "why", "--job", job, "--width", "120")
    text = "\n".join(lines)
    assert f"rank {STUCK}: blocked" in text
    assert lines.index(f"rank {STUCK}: blocked") < 3, text
    assert "thread 2 has not arrived and sleeps in pause()" in text
    assert "ranks 0-4,6-7" in text


def test_classes_have_all_threads_once(slurm, job):
    summary = json.loads("".join(look(slurm, "bt", "--job", job, "--json")))
    assert summary["nodes"] == "node[1-4]" and summary["n_threads"] == 32, summary
    assert sum(row["n_threads"] for row in summary["classes"]) == 32
    assert not any("0x" in part for row in summary["classes"] for part in row["key"])
    [hung] = [row for row in summary["classes"] if row["key"][-1] == "in pause()"]
    # The number of the step depends on the order of requests.
    [members] = hung["members"]
    assert members.pop("group").partition(".")[0] == job and members == {"ranks": str(STUCK), "threads": "2"}
    assert hung["example"]["rank"] == STUCK


def test_where_time_goes(slurm, job):
    summary = json.loads("".join(look(slurm, "top", "--job", job, "--json")))
    assert summary["nodes"] == "node[1-4]" and summary["n_processes"] == 8, summary
    assert all(0 < row["us"]["most"] <= row["us"]["total"] for row in summary["classes"])


def test_some_ranks(slurm, job):
    summary = json.loads("".join(look(slurm, "threads", "--job", job, "--rank", "4-5", "--json")))
    assert summary["n_processes"] == 2


def test_a_node_that_is_dead_is_named(slurm, job):
    """A node on which ompdctl hangs, as with a dead file system."""
    slow = slurm.folder / "slow"
    slow.write_text(f'#!/bin/sh\n[ "$SLURMD_NODENAME" != node3 ] || exec sleep 1000\nexec {OMPDCTL} "$@"\n')
    slow.chmod(0o755)
    lines = look(slurm, "tree", "--job", job, "--remote-ompdctl", str(slow), "--timeout", "20", "--width", "120")
    assert "3 nodes, 6 processes" in lines[0]
    assert "no answer from 1 node" in lines[1] and lines[1].endswith(": node3"), lines[:4]


def test_jobs_that_are_not_there(slurm, job):
    done = slurm.run(OMPDCTL, "why", "--job", "999999")
    assert done.returncode and "job 999999" in done.stderr or "Invalid job id" in done.stderr, done.stderr
