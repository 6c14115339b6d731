# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The log has one line for each action on a process and each refusal, at the default level."""
import os
import pathlib
import re

import ompdd
import pytest
from targets import wait_until
from wire import line, request

LINE = re.compile(r"^audit: n=(\d+) uid=(\d+)(?: pid=(\d+))?(?: program=\"([^\"]*)\")? method=(\S+)(?: target=(\S+))?"
                  r"(?: target_pid=(\d+))? outcome=(\S+)(?: left_out=(\d+))?$", re.M)
SUMMARY = re.compile(r"^audit: n=(\d+) left_out=(\d+) of=(ok|refused)$", re.M)
# These methods see the reader's own program, whose name depends on the machine.
PROGRAM = pathlib.Path(os.readlink("/proc/self/exe")).name


def lines(daemon):
    return LINE.findall(daemon.read_log())


def test_actions(program, daemon):
    """The line has user, method, target and result. A method that only reads leaves no line."""
    one = program("flat", 2)
    with daemon.connect() as client:
        target = client.target.attach(pid=one.pid)["target"]
        client.target.stop(target=target)
        made = client.breakpoint.set(target=target, function="main")
        client.snapshot.get(target=target)
        client.target.info(target=target)
        client.breakpoint.delete(target=target, breakpoint=made["breakpoint"])
        client.target.resume(target=target)
        with pytest.raises(ompdd.Error):
            client.target.kill(target=target)
        client.target.detach(target=target)
        launched = client.target.launch(argv=["/bin/sleep", "1000"])
        client.target.kill(target=launched["target"])
        with pytest.raises(ompdd.Error):
            client.target.stop(target="t999")
        found = lines(daemon)
    expected = [("target.attach", target, one.pid, "ok"), ("target.stop", target, one.pid, "ok"),
                ("breakpoint.set", target, one.pid, "ok"), ("breakpoint.delete", target, one.pid, "ok"),
                ("target.resume", target, one.pid, "ok"), ("target.kill", target, one.pid, "not_launched"),
                ("target.detach", target, one.pid, "ok"), ("target.launch", launched["target"], launched["pid"], "ok"),
                ("target.kill", launched["target"], launched["pid"], "ok"), ("target.stop", "t999", None, "no_such_target")]
    assert [(method, where, int(pid) if pid else None, outcome) for _, _, _, _, method, where, pid, outcome, _ in found] == expected
    for i, (n, uid, pid, name, *_) in enumerate(found):
        assert (int(n), int(uid), int(pid), name) == (i + 1, os.geteuid(), os.getpid(), PROGRAM)


def test_who_leaves_before_the_answer(program, daemon):
    """The daemon executes a request that was sent, so the log has it."""
    one = program("flat", 2)
    client = daemon.connect()
    target = client.target.attach(pid=one.pid)["target"]
    with daemon.wire() as leaver:
        leaver.send(line(request("target.stop", {"target": target})))
    wait_until(lambda: any(found[4] == "target.stop" and found[7] in ("ok", "client_gone") for found in lines(daemon)), "the line is there")
    client.close()


def test_refused_authentication(daemons, tmp_path):
    token = tmp_path / "token"
    daemon = daemons("--token-file", token, listen=["tcp:0", "http:0"])
    for uri in daemon.uris:
        with pytest.raises(ompdd.OmpddException):
            with daemon.connect(uri, token="wrong") as client:
                client.daemon.info()
    wait_until(lambda: len(lines(daemon)) >= 2, "both are in the log")
    assert {(method, outcome) for _, _, _, _, method, _, _, outcome, _ in lines(daemon)} == {
        ("rpc.authenticate", "unauthorized"), ("http", "unauthorized")}


def test_one_line_each(daemons):
    """A client's text can create neither a second line nor another field."""
    daemon = daemons("--allow", "observe")
    with daemon.connect() as client:
        for evil in ('t1\naudit: n=1 uid=0 method=target.kill outcome=ok', 't1" outcome=ok', "t1 outcome=ok", "\u202e\x1b[2J", "t" * 5000):
            with pytest.raises(ompdd.Error):
                client.call("target.kill", {"target": evil}, validate=False)
    text = [one for one in daemon.read_log().splitlines() if "audit:" in one]
    assert len(text) == 5
    for one in text:
        assert one.isascii() and len(one) < 600 and one.endswith(" outcome=not_allowed"), one
        assert one.count(" outcome=") == 1 and " method=target.kill " in one


def test_flood_loses_no_count(daemons):
    """Refusals have a limit of their own. Actions of others are still logged, and everything is counted."""
    daemon = daemons("--allow", "observe")
    floods = 600
    with daemon.connect() as client:
        for _ in range(floods):
            with pytest.raises(ompdd.Error):
                client.call("target.kill", {"target": "t1"})
        written = daemon.read_log().count("outcome=not_allowed")
        assert 0 < written < floods
    assert daemon.terminate() == 0
    log = daemon.read_log()
    found = LINE.findall(log)
    left_out = sum(int(one[8] or 0) for one in found) + sum(int(n) for _, n, _ in SUMMARY.findall(log))
    assert len(found) + left_out == floods
