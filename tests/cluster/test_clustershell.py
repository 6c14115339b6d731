# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ClusterShell with the worker that its configuration names."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess

import pytest

BUILD = pathlib.Path(os.environ["OMPDD_BUILD_DIR"])
OMPDCTL = BUILD / "bin" / "ompdctl"
DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "cluster.md"

# Return the output of a node.
ONE = json.dumps({"ompdd_summary": 1, "kind": "stacks", "nodes": "x", "n_nodes": 1, "n_processes": 1, "n_threads": 4, "stopped_us": {"max": 9, "total": 9},
                  "failed": [], "classes": [{"key": ["main()", "work"], "n_threads": 4, "members": [{"names": "x/0", "threads": "0-3"}]}]})

pytestmark = pytest.mark.skipif(not shutil.which("clush"), reason="needs ClusterShell (tests/cluster/CMakeLists.txt)")


@pytest.fixture(name="run")
def run_fixture(tmp_path):
    """ompdctl with ClusterShell's worker exec: all nodes are this machine."""
    (tmp_path / "defaults.conf").write_text("[task.default]\ndistant_workername: exec\n")

    def run(*argv):
        return subprocess.run([OMPDCTL, *argv], env={**os.environ, "CLUSTERSHELL_CFGDIR": str(tmp_path)}, capture_output=True,
                              text=True, timeout=900, check=False)
    return run


@pytest.fixture(name="flat")
def flat_fixture(tmp_path):
    """Under a name of its own: other users of this machine may run the program, too."""
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


def test_as_documented(flat, tmp_path):
    """The commands of docs/cluster.md that need no batch system, with the exec worker.

    Without a stop: all nodes are one machine, and only one at a time may stop it.
    """
    (tmp_path / "defaults.conf").write_text("[task.default]\ndistant_workername: exec\n")
    commands = [line.split("  #")[0].strip() for block in re.findall(r"^```sh\n(.*?)^```$", DOCUMENT.read_text(), re.M | re.S) for line in block.splitlines()]
    commands = [line for line in commands if "--name solver" in line]
    assert len(commands) == 2 and any("clush" in line for line in commands), commands
    for command in commands:
        command = re.sub(r"node\[1-\d+\]", "node[1-3]", command).replace("--name solver", "--name onlyhere -m observe")
        done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, timeout=600, check=False,
                              env={**os.environ, "CLUSTERSHELL_CFGDIR": str(tmp_path), "PATH": f"{OMPDCTL.parent}:{os.environ['PATH']}"})
        # All nodes of clush are this machine, under its own name.
        assert done.returncode == 0 and re.match(r"(3 nodes|1 node), 3 processes, 12 OpenMP threads", done.stdout), (command, done)


def test_progress_is_shown_on_a_terminal(tmp_path):
    """Progress is shown only while nodes are missing: one is delayed until the others have been reported."""
    (tmp_path / "defaults.conf").write_text("[task.default]\ndistant_workername: exec\n")
    gate, one = tmp_path / "gate", tmp_path / "summary"
    os.mkfifo(gate)
    one.write_text(f"""#!/bin/sh
[ ! -e {tmp_path}/first ] || exec cat {gate}
mkdir {tmp_path}/first 2> /dev/null || exec cat {gate}
# It is shown ten times a second at most, and 0 of 2 was.
sleep 0.2
echo '{ONE}'
""")
    one.chmod(0o755)
    ours, theirs = os.openpty()
    with subprocess.Popen([OMPDCTL, "tree", "--nodes", "node[1-2]", "--remote-ompdctl", one], stdout=subprocess.PIPE, stderr=theirs, text=True,
                          env={**os.environ, "CLUSTERSHELL_CFGDIR": str(tmp_path)}) as process:
        os.close(theirs)
        said = b""
        while b"1 of 2 nodes" not in said:
            said += os.read(ours, 4096)
        assert b"0 of 2 nodes" in said
        gate.write_text(ONE + "\n")
        while b"\x1b[K" not in said:
            said += os.read(ours, 4096)
        text = process.stdout.read()
    os.close(ours)
    assert process.returncode == 0 and said.endswith(b"\r\x1b[K") and text.startswith("2 nodes") and " of 2 nodes" not in text


def test_nodes_that_give_nothing(run, tmp_path):
    broken = tmp_path / "broken"
    for script, why in (("exit 3", "exit code 3"), ("echo $$: no such thing >&2; echo '  hint: try another' >&2; exit 4", "exit code 4, no such thing")):
        broken.write_text(f"#!/bin/sh\n{script}\n")
        broken.chmod(0o755)
        done = run("why", "--nodes", "node[1-8]", "--remote-ompdctl", str(broken))
        assert done.returncode == 1 and f"no answer from 8 nodes ({why}): node[1-8]" in done.stdout


def test_a_thousand_nodes(run, tmp_path):
    """With realistic summaries: all are merged on one screen."""
    one = tmp_path / "summary"
    one.write_text(f"#!/bin/sh\necho '{ONE}'\n")
    one.chmod(0o755)
    done = run("tree", "--nodes", "node[1-1000]", "--remote-ompdctl", str(one), "--width", "100", "--timeout", "600")
    lines = done.stdout.split("\n")
    assert "1000 nodes, 1000 processes, 4000 OpenMP threads" in lines[0]
    assert "node[1-1000]/0 threads 0-3" in done.stdout and len(lines) <= 41
