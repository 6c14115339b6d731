# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MPI's launchers as those who run it on the nodes: here this machine, by two names."""
import json
import os
import pathlib
import shutil
import signal
import subprocess

import pytest

BUILD = pathlib.Path(os.environ["OMPDD_BUILD_DIR"])
OMPDCTL = BUILD / "bin" / "ompdctl"


@pytest.fixture(name="name")
def name_fixture(tmp_path):
    """A program under a name of its own: on this machine others may run it, too."""
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


@pytest.mark.skipif(not shutil.which("mpiexec.hydra"), reason="needs MPICH's launcher (install.sh)")
def test_mpich_asks_each_node_once(name):
    assert tree("mpich", "localhost", name) == ("localhost", 1, [])
    assert tree("mpich", "localhost,127.0.0.1", name) == ("localhost,127.0.0.1", 2, [])


@pytest.mark.skipif(not shutil.which("mpirun.openmpi"), reason="needs Open MPI's launcher: apt install openmpi-bin")
def test_openmpi_asks_each_node_once(name):
    assert tree("openmpi", "localhost", name) == ("localhost", 1, [])
