# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ClusterShell with the worker that its configuration names."""
import json
import os
import pathlib
import shutil
import signal
import subprocess

import pytest

BUILD = pathlib.Path(os.environ["OMPDD_BUILD_DIR"])
OMPDCTL = BUILD / "bin" / "ompdctl"

pytestmark = pytest.mark.skipif(not shutil.which("clush"), reason="needs ClusterShell (install.sh)")


@pytest.fixture(name="run")
def run_fixture(tmp_path):
    """ompdctl where ClusterShell's worker is exec: all nodes are this machine."""
    (tmp_path / "defaults.conf").write_text("[task.default]\ndistant_workername: exec\n")

    def run(*argv):
        return subprocess.run([OMPDCTL, *argv], env={**os.environ, "CLUSTERSHELL_CFGDIR": str(tmp_path)}, capture_output=True,
                              text=True, timeout=300, check=False)
    return run


@pytest.fixture(name="flat")
def flat_fixture(tmp_path):
    """Under a name of its own: on this machine others may run the program, too."""
    shutil.copy(BUILD / "tests" / "programs" / "flat", tmp_path / "onlyhere")
    with subprocess.Popen([tmp_path / "onlyhere", "4"], stdout=subprocess.PIPE) as one:
        assert one.stdout.readline()
        yield one.pid
        one.send_signal(signal.SIGKILL)


def test_each_node_is_asked_once(run, flat):
    done = run("tree", "--nodes", "node[1-8]", "--name", "onlyhere", "--mode", "observe", "--json")
    summary = json.loads(done.stdout)
    assert summary["nodes"] == "node[1-8]" and summary["n_processes"] == 8, done.stdout + done.stderr
    assert {row["example"]["pid"] for row in summary["classes"]} == {flat}


def test_nodes_that_give_nothing(run, tmp_path):
    broken = tmp_path / "broken"
    for script, why in (("exit 3", "exit code 3"), ("echo $$: no such thing >&2; echo '  hint: try another' >&2; exit 4", "exit code 4, no such thing")):
        broken.write_text(f"#!/bin/sh\n{script}\n")
        broken.chmod(0o755)
        done = run("why", "--nodes", "node[1-8]", "--remote-ompdctl", str(broken))
        assert done.returncode == 1 and f"no answer from 8 nodes ({why}): node[1-8]" in done.stdout


def test_a_thousand_nodes(run, tmp_path):
    """With summaries as they would come: all are there, and merged on one screen."""
    one = tmp_path / "summary"
    one.write_text("""#!/bin/sh
echo '{"ompdd_summary":1,"kind":"stacks","nodes":"x","n_nodes":1,"n_processes":1,"n_threads":4,"stopped_us":{"max":9,"total":9},"failed":[],"classes":[{"key":["main()","work"],"n_threads":4,"members":[{"names":"x/0","threads":"0-3"}]}]}'
""")
    one.chmod(0o755)
    done = run("tree", "--nodes", "node[1-1000]", "--remote-ompdctl", str(one), "--width", "100")
    lines = done.stdout.split("\n")
    assert "1000 nodes, 1000 processes, 4000 OpenMP threads" in lines[0]
    assert "node[1-1000]/0 threads 0-3" in done.stdout and len(lines) <= 41
