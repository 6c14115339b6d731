# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rules of ompdd.conf: one `ompdctl watch` of the daemon, its audit lines and its metrics."""
import os
import re
import signal
import subprocess
import urllib.request

import pytest
from daemons import BIN
from hangs import start
from targets import alive, children, read_text, wait_until
from test_audit import lines


@pytest.fixture(name="conf")
def conf_fixture(tmp_path):
    return tmp_path / "ompdd.conf"


def watchers(daemon):
    return [pid for pid in children(daemon.pid) if read_text(f"/proc/{pid}/cmdline").startswith("ompdctl\0watch\0")]


def metrics(daemon):
    token = (daemon.folder / "token").read_text().strip()
    request = urllib.request.Request(daemon.uris[1].replace("http:", "http://", 1) + "/metrics", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=600) as answer:
        text = answer.read().decode()
    return dict(re.findall(r"^(ompdd_rule\S+) (\d+)$", text, re.M))


def test_rules_act(program, daemons, tmp_path):
    """Each action is audited and counted. The watch ends with its daemon."""
    one = start(program, "lock_cycle", "libgomp")
    path = tmp_path / "d0"
    daemon = daemons("--rule", f"when metric:busy_threads<0 then keep={tmp_path / 'never'}", "--rule", f"when deadlock then keep={tmp_path / 'kept'} core run=/bin/false",
                     "--token-file", path / "token", listen=[f"unix:{path / 'ompdd.sock'}", "http:0"])
    # Other tests may run programs that hang at the same time.
    wait_until(lambda: any(str(one.pid) in name for name in os.listdir(tmp_path / "kept")) if (tmp_path / "kept").exists() else False, "the report is kept")
    wait_until(lambda: [line for line in lines(daemon) if line[4] == "rule" and line[6] == str(one.pid)], "the line is there")
    (entry,) = [line for line in lines(daemon) if line[4] == "rule" and line[6] == str(one.pid)]
    assert any(f"-{one.pid}-lock_cycle.core" in name for name in os.listdir(tmp_path / "kept"))
    (watcher,) = watchers(daemon)
    assert (int(entry[1]), int(entry[2]), entry[3], entry[7]) == (os.geteuid(), watcher, "ompdctl", "failed")
    found = metrics(daemon)
    assert found["ompdd_rules_watched"] == "1"
    assert int(found['ompdd_rule_actions_total{rule="2"}']) >= 1 and int(found['ompdd_rule_failures_total{rule="2"}']) >= 1
    assert found['ompdd_rule_actions_total{rule="1"}'] == found['ompdd_rule_failures_total{rule="1"}'] == "0"
    assert f"rule 2: lock_cycle (pid {one.pid}): deadlock" in daemon.read_log()
    daemon.close()
    wait_until(lambda: not alive(watcher), "the watch has ended")


def test_a_watch_that_is_killed(daemons, tmp_path):
    """It is started again. If the daemon is killed, the watch ends."""
    daemon = daemons("--rule", f"when deadlock then keep={tmp_path / 'kept'}")
    (first,) = wait_until(lambda: watchers(daemon), "it runs")
    os.kill(first, signal.SIGKILL)
    (second,) = wait_until(lambda: [pid for pid in watchers(daemon) if pid != first], "it runs again")
    assert "started again" in daemon.read_log()
    daemon.expect_end = True
    os.kill(daemon.pid, signal.SIGKILL)
    daemon.process.wait(600)
    wait_until(lambda: not alive(second), "the watch has ended")


def test_wrong_rules(conf, tmp_path):
    """--check-config and the start name file and line. A check creates no folder."""
    for text, why in (("when lunch then keep=/x", "unknown condition 'lunch'"), ("when deadlock", "the rule has no action"), ("deadlock", "expected 'when'"),
                      ("when deadlock then run=/no/such", "cannot run /no/such")):
        conf.write_text(f"# comment\nrule = {text}\n")
        for more in (["--check-config"], ["--listen", f"unix:{tmp_path / 'sock'}"]):
            done = subprocess.run([BIN / "ompdd", "--config", conf, *more], capture_output=True, text=True, timeout=600, check=False)
            assert done.returncode == 1 and f"{conf}:2: rule: " in done.stderr and why in done.stderr, done.stderr
            assert "hint: " in done.stderr
    conf.write_text(f"rule = when deadlock then keep={tmp_path / 'kept'}\nrule = when barrier>1m then keep={tmp_path / 'kept'} # only\n")
    done = subprocess.run([BIN / "ompdd", "--config", conf, "--check-config"], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "kept").exists()


def test_no_rules_no_watch(daemon):
    assert not watchers(daemon)
