# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Requests with unknown methods, parameters and targets: an error names what is wrong."""
import pytest
from conftest import fails


def test_unknown_method(daemon):
    with daemon.wire() as wire:
        for method in ("snapshot.gett", "nothing", "rpc.", "ompd.get_state_", "SNAPSHOT.GET", "x" * 1000, "\u2028", "../snapshot.get"):
            error = wire.ask(method)["error"]
            assert error["data"]["name"] == "method_not_found", error


@pytest.mark.parametrize("method,params,pointer", [
    ("target.attach", {}, "/params/pid"),
    ("target.attach", {"pid": "4711"}, "/params/pid"),
    ("target.attach", {"pid": 4711.5}, "/params/pid"),
    ("target.attach", {"pid": True}, "/params/pid"),
    ("target.attach", {"pid": None}, "/params/pid"),
    ("target.attach", {"pid": 0}, "/params/pid"),
    ("target.attach", {"pid": -1}, "/params/pid"),
    ("target.attach", {"pid": 2**31}, "/params/pid"),
    ("target.attach", {"pid": 2**63}, "/params/pid"),
    ("target.attach", {"pid": [1]}, "/params/pid"),
    ("target.attach", {"pid": 1, "mode": "freeze"}, "/params/mode"),
    ("target.attach", {"pid": 1, "mode": ""}, "/params/mode"),
    ("target.attach", {"pid": 1, "max_stop_ms": 0}, "/params/max_stop_ms"),
    ("target.attach", {"pid": 1, "max_stop_ms": 10**6}, "/params/max_stop_ms"),
    ("target.attach", {"pid": 1, "surplus": 1}, "/params/surplus"),
    ("target.attach", {"pid": 1, "a/b~c": 1}, "/params/a~1b~0c"),
    ("snapshot.get", {}, "/params/target"),
    ("snapshot.get", {"target": 1}, "/params/target"),
    ("daemon.info", {"verbose": True}, "/params/verbose"),
    ("handle.release", {"target": "t1", "handles": []}, "/params/handles"),
    ("handle.release", {"target": "t1", "handles": "t1:e1:par:1"}, "/params/handles"),
    ("handle.release", {"target": "t1", "handles": ["t1:e1:par:1", 7]}, "/params/handles/1"),
    ("ompd.get_state", {"target": "t1"}, "/params/thread_handle"),
    ("ompd.get_state", {"target": "t1", "thread_handle": "t1:e1:par:1"}, "/params/thread_handle"),
    ("ompd.get_thread_handle", {"target": "t1", "kind": "OMPD_THREAD_ID_NONSENSE", "thread_id": 1}, "/params/kind"),
    ("ompd.get_thread_handle", {"target": "t1", "kind": "OMPD_THREAD_ID_LWP", "thread_id": "0xzz"}, "/params/thread_id"),
    ("ompd.get_icv_from_scope", {"target": "t1", "scope": 4, "icv_id": 1}, "/params/scope"),
    ("request.cancel", {"id": None}, "/params/id"),
])
def test_parameter_is_named_by_its_pointer(method, params, pointer, program, daemon):
    one = program("flat", 2)
    with daemon.wire() as wire:
        assert wire.ask("target.attach", {"pid": one.pid, "mode": "observe"})["result"]["target"] == "t1"
        error = wire.ask(method, params)["error"]
        assert error["data"]["name"] == "invalid_params", error
        assert error["data"]["pointer"] == pointer, error
        assert error["message"].startswith(pointer), error


@pytest.mark.parametrize("method", ["target.info", "target.stop", "target.resume", "target.detach", "snapshot.get", "thread.list",
                                    "parallel.list", "task.list", "icv.list", "device.list", "target_region.list", "ompd.get_api_version"])
def test_no_such_target(method, client):
    with fails("no_such_target") as failure:
        client.call(method, {"target": "t77"})
    assert "t77" in str(failure.error)


@pytest.mark.parametrize("target", ["", "t0", "../t1", "T1", "t1 ", "t" + "9" * 30, "x" * 5000])
def test_nonsense_instead_of_a_target(target, program, daemon):
    one = program("flat", 2)
    with daemon.wire() as wire:
        wire.ask("target.attach", {"pid": one.pid, "mode": "observe"})
        assert wire.ask("snapshot.get", {"target": target})["error"]["data"]["name"] in ("no_such_target", "invalid_params")


def test_cancel_of_nothing(client):
    with fails("no_such_request"):
        client.request.cancel(id="nobody")


def test_target_after_detach_is_unknown(mode, program, client):
    target = client.target.attach(pid=program("flat", 2).pid, mode=mode)["target"]
    client.target.detach(target=target)
    with fails("no_such_target"):
        client.snapshot.get(target=target)
    assert client.target.list()["targets"] == []


def test_many_targets(program, client):
    """64 targets are allowed; the 65th gets an error."""
    one = program("flat", 2)
    targets = [client.target.attach(pid=one.pid, mode="observe")["target"] for _ in range(64)]
    assert len(set(targets)) == 64
    with fails("limit_exceeded"):
        client.target.attach(pid=one.pid, mode="observe")
    assert len(client.snapshot.get(target=targets[-1])["threads"]) == 2
    client.target.detach(target=targets[0])
    client.target.attach(pid=one.pid, mode="observe")
