# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MPI's launchers as engines: here they run on this machine under two names, with programs of both MPIs."""
import json
import os
import pathlib
import shutil
import signal
import subprocess

import pytest
from slurm import wait_for

BUILD = pathlib.Path(os.environ["OMPDD_BUILD_DIR"])
OMPDCTL = BUILD / "bin" / "ompdctl"


@pytest.fixture(name="name")
def name_fixture(tmp_path):
    """A program under a name of its own: other users of this machine may run it, too."""
    name = f"mpi{os.getpid()}"
    shutil.copy(BUILD / "tests" / "programs" / "flat", tmp_path / name)
    with subprocess.Popen([tmp_path / name, "4"], stdout=subprocess.PIPE) as one:
        assert one.stdout.readline()
        yield name
        one.send_signal(signal.SIGKILL)


def tree(engine, nodes, name):
    done = subprocess.run([OMPDCTL, "tree", "--engine", engine, "--nodes", nodes, "--name", name, "--mode", "observe", "--json"],
                          capture_output=True, text=True, timeout=600, check=False)
    summary = json.loads(done.stdout)
    return summary["nodes"], summary["n_processes"], summary["failed"]


@pytest.mark.skipif(not shutil.which("mpiexec.hydra"), reason="needs MPICH's launcher (tests/cluster/CMakeLists.txt)")
def test_mpich_asks_each_node_once(name):
    assert tree("mpich", "localhost", name) == ("localhost", 1, [])
    assert tree("mpich", "localhost,127.0.0.1", name) == ("localhost,127.0.0.1", 2, [])


@pytest.mark.skipif(not shutil.which("mpirun.openmpi"), reason="needs Open MPI's launcher: apt install openmpi-bin")
def test_openmpi_asks_each_node_once(name):
    assert tree("openmpi", "localhost", name) == ("localhost", 1, [])


STUCK = 1
LAUNCH = {"openmpi": ("mpicc.openmpi", ["mpirun.openmpi", "--oversubscribe", *(["--allow-run-as-root"] if os.geteuid() == 0 else []), "-n", "3"]),
          "mpich": ("mpicc.mpich", ["mpiexec.hydra", "-n", "3"])}


@pytest.fixture(name="job", params=LAUNCH)
def job_fixture(request, tmp_path):
    """Three ranks with four threads each; one thread never arrives.

    Under a name of its own. Yields the engine and the name.
    """
    compiler, launch = LAUNCH[request.param]
    if not shutil.which(compiler) or not shutil.which(launch[0]):
        pytest.skip(f"needs {compiler} and {launch[0]} (tests/cluster/CMakeLists.txt)")
    name = f"hy{request.param[0]}{os.getpid()}"
    subprocess.run([compiler, "-g", "-O1", "-fopenmp", "-o", tmp_path / name, pathlib.Path(__file__).parent / "hybrid.c"], check=True)
    with subprocess.Popen([*launch, tmp_path / name, str(STUCK)], stdin=subprocess.DEVNULL, start_new_session=True) as launcher:
        yield request.param, name
        # It ends its ranks.
        launcher.send_signal(signal.SIGTERM)


def look(engine, name, *more):
    done = subprocess.run([OMPDCTL, "tree", "--engine", engine, "--nodes", "localhost", "--name", name, "--mode", "observe", *more], capture_output=True,
                          text=True, timeout=600, check=False)
    return done.stdout


def stuck(engine, name, *more):
    """A thread there never continues."""
    return [row for row in json.loads(look(engine, name, "--json", *more))["classes"] if row["key"][-1] == "in pause()" and "solve()" in row["key"][-2]]


def test_a_hung_rank_is_named(job):
    engine, name = job
    wait_for(lambda: stuck(engine, name), "a thread that never comes", 600)
    [row] = stuck(engine, name)
    [members] = row["members"]
    assert (members["ranks"], members["threads"]) == (str(STUCK), "2") and row["example"]["rank"] == STUCK
    assert f"rank {STUCK} thread 2" in look(engine, name, "--width", "120")
    processes = json.loads(subprocess.run([OMPDCTL, "ps", "--json"], capture_output=True, text=True, timeout=600, check=True).stdout)["processes"]
    ranks = [one["rank"] for one in processes if one["name"] == name]
    assert sorted(rank["number"] for rank in ranks) == [0, 1, 2] and {rank["size"] for rank in ranks} == {3}
    assert not stuck(engine, name, "--rank", "0,2")
    if engine == "openmpi":
        # PMIx's name of the job works like a batch system's.
        [space] = {rank["namespace"] for rank in ranks}
        assert members["group"] == space and stuck(engine, name, "--job", space) == [row]
        assert not stuck(engine, name, "--job", "another")
