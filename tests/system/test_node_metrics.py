# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ompdctl node-metrics, the daemon that shows its output, and the rules and panels that use it."""
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest
from daemons import BIN, Daemon
from targets import PROGRAMS, tasks, wait_until
from test_metrics import fetch, parse

MONITORING = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "monitoring"
PROMTOOL = os.environ.get("PROMTOOL") or shutil.which("promtool")


@pytest.fixture(name="stuck")
def stuck_fixture(tmp_path):
    """A team with a missing thread at its barrier, under a name of its own. All its threads sleep."""
    program = shutil.copy(PROGRAMS / "hangs" / "barrier_miss", tmp_path / f"stuck{os.getpid()}")
    with subprocess.Popen([program], stdout=subprocess.PIPE, env={**os.environ, "OMP_WAIT_POLICY": "passive"}) as one:
        assert one.stdout.readline()
        yield one.pid, program.name if isinstance(program, pathlib.Path) else os.path.basename(program)
        one.kill()


def look(name, *argv):
    done = subprocess.run([BIN / "ompdctl", "node-metrics", "--name", name, "--timeout", "300", *argv], capture_output=True, text=True,
                          timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def names_in(text):
    return set(re.findall(r"\bompdd_[a-z_]+", text))


def test_a_stuck_team(stuck, tmp_path):
    """The previous call gives the time at the barrier."""
    pid, name = stuck
    out = tmp_path / "node.prom"
    label = f'pid="{pid}"'

    def samples():
        assert look(name, "--output", out) == ""
        return parse(out.read_text())
    wait_until(lambda: samples()["ompdd_process_barrier_seconds", label] > 0, "all of it sleeps, in two looks")
    first, second = samples(), samples()
    passed = second["ompdd_node_seen_timestamp_seconds", ""] - first["ompdd_node_seen_timestamp_seconds", ""]
    grown = second["ompdd_process_barrier_seconds", label] - first["ompdd_process_barrier_seconds", label]
    assert grown == pytest.approx(passed, abs=0.01) and passed > 0
    team = second["ompdd_process_team_threads", label]
    assert 0 < second["ompdd_process_barrier_threads", label] < team == len(tasks(pid))
    assert second["ompdd_process_busy_threads", label] == 0
    assert second["ompdd_process_allowed_cpus", label] == len(os.sched_getaffinity(pid))
    [info] = [labels for family, labels in second if family == "ompdd_process_info"]
    assert label in info and f'program="{name}"' in info and 'runtime="libgomp"' in info
    # A file of another user, or about an earlier process with this id, counts for nothing.
    state = json.loads((tmp_path / "node.prom.state").read_text())
    for bad in ("[1]", "{", json.dumps({str(pid): {**state[str(pid)], "start": "1"}}), json.dumps({str(pid): {"start": 1, "slept": [1]}})):
        (tmp_path / "node.prom.state").write_text(bad)
        assert samples()["ompdd_process_barrier_seconds", label] == 0


def test_the_daemon_shows_it_to_its_own_user(tmp_path):
    path = tmp_path / "node.prom"
    one = Daemon(tmp_path / "run", "--metrics-file", path)
    assert not names_in(fetch(one)) & {"ompdd_node_cpus"}, "it need not be there"
    path.write_text("ompdd_node_cpus 7\n")
    assert parse(fetch(one))["ompdd_node_cpus", ""] == 7
    path.chmod(0o666)
    assert "ompdd_node_cpus" not in fetch(one), "anybody could have written it"
    path.chmod(0o644)
    path.rename(tmp_path / "other")
    path.symlink_to(tmp_path / "other")
    assert "ompdd_node_cpus" not in fetch(one)
    one.close()


def test_what_rules_and_panels_stand_on_is_there(stuck, daemon):
    """Each metric that they name exists."""
    made = names_in(look(stuck[1])) | names_in(fetch(daemon))
    rules, panels = ((MONITORING / name).read_text(encoding="ascii") for name in ("ompdd-alerts.yml", "ompdd-grafana.json"))
    asked = set()
    for text in re.findall(r"expr: (.*)", rules) + [target["expr"] for panel in json.loads(panels)["panels"] for target in panel["targets"]]:
        asked |= names_in(text)
    assert len(re.findall("- alert:", rules)) == 3
    assert asked and asked <= made, asked - made


@pytest.mark.skipif(not PROMTOOL, reason="promtool is not here: apt install prometheus")
def test_promtool_has_no_complaint(stuck):
    def promtool(*argv, **more):
        done = subprocess.run([PROMTOOL, *argv], capture_output=True, text=True, timeout=600, check=False, cwd=MONITORING, **more)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr
    assert "3 rules found" in promtool("check", "rules", "ompdd-alerts.yml")
    assert "SUCCESS" in promtool("test", "rules", "ompdd-alerts-test.yml")
    assert promtool("check", "metrics", input=look(stuck[1])) == ""
