# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Permissions: every method with every tier, as the schemas specify, and the sources of a tier."""
import grp
import json
import os
import pathlib
import pwd
import subprocess

import ompdd
import pytest
from daemons import BIN
from targets import tracer, wait_until

SCHEMA = pathlib.Path(__file__).parents[2] / "protocol" / "schema"
METHODS = [json.loads(path.read_text()) for path in sorted(SCHEMA.glob("*.json"))]
TIERS = ["observe", "inspect", "control", "admin"]
# A process that cannot exist: pids end before.
NO_PID = (1 << 22) + 1


def params_of(schema):
    """Return the parameters of the first example, made harmless."""
    params = dict(schema["examples"][0]["params"])
    if "pid" in params:
        params["pid"] = NO_PID
    if schema["title"] == "target.attach":
        params["mode"] = "observe"
    if schema["title"] == "target.launch":
        params = {"argv": ["/nonexistent/program"]}
    if schema["title"] == "event.poll":
        params = {"timeout_ms": 0}
    return params


@pytest.fixture
def tiered(daemons, tmp_path):
    """A daemon with a listener for each tier."""
    return daemons(listen=[f"unix:{tmp_path}/{tier},allow={tier}" for tier in TIERS])


@pytest.mark.parametrize("tier", TIERS)
def test_each_method(tier, tiered, tmp_path):
    """The request is refused with the name of the needed tier exactly if the schema requires more than the connection
    has.
    """
    with tiered.connect(f"unix:{tmp_path}/{tier}") as client:
        assert client.daemon.info()["tier"] == tier
        for schema in METHODS:
            method = schema["title"]
            needed = schema["x-tier"]
            name, error = None, None
            try:
                client.call(method, params_of(schema))
            except ompdd.Error as failure:
                name, error = failure.name, failure
            if TIERS.index(needed) <= TIERS.index(tier):
                assert name != "not_allowed", method
                continue
            assert name == "not_allowed", (method, name)
            assert error.data["tier"] == needed and error.data["has"] == tier, error.data
            assert error.data["setting"] == f"--listen unix:{tmp_path}/{tier},allow={tier}"
            assert needed in str(error) and tier in str(error) and error.data["setting"] in str(error)


def test_stops_are_not_for_observers(tiered, program, tmp_path):
    """Neither by an attach in mode stop, nor by a view of another client's target in mode stop.

    Requests that stop nothing are allowed.
    """
    one = program("flat", 2)
    with tiered.connect(f"unix:{tmp_path}/inspect") as inspector, tiered.connect(f"unix:{tmp_path}/observe") as observer:
        for params in ({"pid": one.pid}, {"pid": one.pid, "mode": "stop"}):
            with pytest.raises(ompdd.Error) as refused:
                observer.call("target.attach", params)
            assert refused.value.name == "not_allowed" and refused.value.data["tier"] == "inspect"
            assert "observe" in refused.value.hint
        target = inspector.target.attach(pid=one.pid)["target"]
        inspector.target.stop(target=target)
        with pytest.raises(ompdd.Error) as refused:
            inspector.breakpoint.set(target=target, function="main")
        assert refused.value.data["tier"] == "control"
        for method in ("snapshot.get", "thread.list", "stack.groups", "target.resume", "target.detach", "diagnose.get"):
            with pytest.raises(ompdd.Error) as refused:
                observer.call(method, {"target": target})
            assert refused.value.name == "not_allowed" and refused.value.data["tier"] == "inspect", method
        assert observer.target.info(target=target)["state"] == "held"
        inspector.target.resume(target=target)
        mine = observer.target.attach(pid=one.pid, mode="observe")["target"]
        assert len(observer.snapshot.get(target=mine)["threads"]) == 2
        observer.target.detach(target=mine)
    wait_until(lambda: not tracer(one.pid), "nobody traces it")


ME = pwd.getpwuid(os.geteuid()).pw_name
MY_GROUP = grp.getgrgid(os.getegid()).gr_name


@pytest.mark.parametrize("rules,tier,setting", [
    ((), "admin", "no --allow"),
    (("inspect",), "inspect", "--allow inspect"),
    (("observe", f"control:user={ME}"), "control", f"--allow control:user={ME}"),
    ((f"control:group={MY_GROUP}", f"observe:user={os.geteuid()}"), "observe", f"--allow observe:user={os.geteuid()}"),
    (("observe", f"inspect:group={os.getegid()}", f"control:group={MY_GROUP}"), "control", f"--allow control:group={MY_GROUP}"),
    (("observe", "admin:user=4000000000"), "observe", "--allow observe"),
])
def test_rules(rules, tier, setting, daemons):
    """A user's rule comes before rules of groups, and these before the general rule. The highest rule of several groups counts."""
    daemon = daemons(*(part for rule in rules for part in ("--allow", rule)))
    with daemon.connect() as client:
        assert client.daemon.info()["tier"] == tier
        if tier in ("admin", "control"):
            return
        with pytest.raises(ompdd.Error) as refused:
            client.target.launch(argv=["/nonexistent/program"])
        assert refused.value.name == "not_allowed" and refused.value.data["setting"] == setting


def test_listener_takes_away_only(daemons, tmp_path):
    daemon = daemons("--allow", "observe", listen=[f"unix:{tmp_path}/s,allow=control"])
    assert daemon.uris == [f"unix:{tmp_path}/s"]
    with daemon.connect() as client:
        assert client.daemon.info()["tier"] == "observe"


@pytest.mark.parametrize("args,part", [
    (("--allow", "all"), "no such tier"), (("--allow", "observe:user=nobody-has-this-name"), "no such user"),
    (("--allow", "observe:group=nobody-has-this-name"), "no such group"), (("--allow", "observe:root"), ":user=NAME"),
    (("--listen", "unix:/tmp/x,allow=root"), "is not a tier"),
])
def test_wrong_rules(args, part):
    done = subprocess.run([BIN / "ompdd", *args], capture_output=True, text=True, timeout=600)
    assert done.returncode == 1 and part in done.stderr and "tier" in done.stderr


def test_ompdctl_explains(tiered, program, tmp_path):
    one = program("flat", 2)
    done = subprocess.run([BIN / "ompdctl", "-s", f"unix:{tmp_path}/observe", "-p", str(one.pid), "threads"],
                          capture_output=True, text=True, timeout=600)
    assert done.returncode != 0
    assert "needs the tier inspect" in done.stderr and "allow=observe" in done.stderr and "-m observe" in done.stderr
