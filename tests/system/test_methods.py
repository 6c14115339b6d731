# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Methods as a tool uses them: the daemon's own methods, targets, holds, requests and handles."""
import json
import re
import subprocess

import ompdd
import pytest
import validator
from conftest import fails
from daemons import BIN
from targets import BUILD, RUNTIME, stopped_threads, task_state, tracer, wait_until


@pytest.fixture
def nest(program):
    return program("nested", 2, 3)


@pytest.fixture
def held(nest, client):
    """A held target: (client, program, id)."""
    target = client.target.attach(pid=nest.pid, mode="stop")["target"]
    client.target.stop(target=target)
    return client, nest, target


# The daemon's own methods.

def test_discover_is_the_installed_document(client):
    installed = json.loads((BUILD / "gen" / "openrpc.json").read_text())
    document = client.rpc.discover()
    assert document == installed
    assert sorted(method["name"] for method in document["methods"]) == validator.methods()


def test_a_worker_without_a_target_says_so():
    """Each method about a target, before any target exists. The daemon does not forward these."""
    examples = {method: example["params"] for method in validator.methods() for example in validator.load(method)["examples"]
                if validator.load(method)["x-where"] == "worker" and "target" in example["params"]}
    asked = "".join(json.dumps({"jsonrpc": "2.0", "id": method, "method": method, "params": params}) + "\n" for method, params in examples.items())
    done = subprocess.run([BIN / "ompdd-worker"], input=asked, capture_output=True, text=True, timeout=600)
    answers = {message["id"]: message for message in map(json.loads, done.stdout.splitlines())}
    assert set(answers) == set(examples), (done.returncode, done.stderr)
    for method, answer in answers.items():
        assert answer["error"]["data"]["name"] == "no_such_target", answer


def test_references_in_the_document_lead_somewhere():
    """Generators of clients resolve all of them."""
    document = json.loads((BUILD / "gen" / "openrpc.json").read_text())

    def references(node):
        for part in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
            yield from references(part)
        if isinstance(node, dict) and isinstance(node.get("$ref"), str):
            yield node["$ref"]
    found = set(references(document))
    assert found
    for reference in found:
        here = document
        for part in reference.removeprefix("#/").split("/"):
            assert part in here, reference
            here = here[part]


def test_every_example_of_a_schema_is_valid():
    for method in validator.methods():
        schema = validator.load(method)
        assert schema["examples"], method
        for example in schema["examples"]:
            validator.check(method, "params", example["params"])
            validator.check(method, "result", example["result"])


def test_all_37_routines_have_a_method():
    assert len([name for name in validator.methods() if name.startswith("ompd.")]) == 37


def test_daemon_info(daemon, client):
    info = client.daemon.info()
    assert info["pid"] == daemon.pid and info["listeners"] == daemon.uris
    assert info["connections"] == 1 and info["targets"] == 0
    with daemon.connect() as other:
        assert other.daemon.info()["connections"] == 2


# Targets.

def test_life_of_a_target(mode, nest, client):
    attached = client.target.attach(pid=nest.pid, mode=mode, max_stop_ms=54321)
    target = attached["target"]
    assert attached["pid"] == nest.pid and attached["mode"] == mode and attached["max_stop_ms"] == 54321
    assert attached["exe"].endswith("/nested") and attached["state"] == "running" and attached["epoch"] == 0
    assert attached["n_threads"] == len(nest.lines)
    assert attached["runtime"]["kind"] == RUNTIME
    assert client.target.info(target=target) == attached
    assert client.target.list()["targets"] == [
        {"target": target, "pid": nest.pid, "mode": mode, "max_stop_ms": 54321, "state": "attached"}]
    epoch = client.snapshot.get(target=target)["epoch"]
    assert client.target.info(target=target)["epoch"] == epoch
    assert client.target.detach(target=target) == {"target": target, "pid": nest.pid}
    assert client.target.list()["targets"] == []


def test_defaults_of_attach(nest, daemon):
    with daemon.connect(defaults=True) as client:
        attached = client.target.attach(pid=nest.pid)
    assert attached["mode"] == "stop" and attached["max_stop_ms"] == 200


def test_ids_are_never_used_again(nest, client):
    seen = set()
    for _ in range(5):
        target = client.target.attach(pid=nest.pid, mode="observe")["target"]
        assert target not in seen
        seen.add(target)
        client.target.detach(target=target)


def test_worker_ends_with_its_target(nest, daemon, client):
    target = client.target.attach(pid=nest.pid, mode="stop")["target"]
    worker = daemon.worker()
    client.target.detach(target=target)
    wait_until(lambda: not daemon.workers(), f"worker {worker} ended")


def test_two_targets_two_workers(program, daemon, client):
    programs = [program("flat", 2), program("flat", 3)]
    targets = [client.target.attach(pid=one.pid, mode="stop")["target"] for one in programs]
    assert len(daemon.workers()) == 2
    for one, target in zip(programs, targets):
        assert {thread["tid"] for thread in client.thread.list(target=target)["threads"]} == set(one.lines)


def test_one_process_as_two_targets(nest, daemon, client):
    """observe needs no ptrace, so it works beside a target in stop mode.

    Two targets in stop mode work, too, one capture at a time.
    """
    stop = client.target.attach(pid=nest.pid, mode="stop")["target"]
    observe = client.target.attach(pid=nest.pid, mode="observe")["target"]
    for target in (stop, observe, stop, observe):
        assert len(client.snapshot.get(target=target)["threads"]) == len(nest.lines)


def test_a_snapshot_without_control_variables(nest, client):
    """Everything else is the same, and the answer is shorter."""
    target = client.target.attach(pid=nest.pid, mode="observe")["target"]

    def bare(snapshot):
        """Without variables and without the members of one view only."""
        for one in (snapshot, *snapshot["threads"], *snapshot["parallels"], *snapshot["tasks"]):
            one.pop("icvs", None)
        return re.sub(r":e\d+:", ":", json.dumps({**snapshot, "epoch": 0}))
    whole, without = (client.snapshot.get(target=target, stacks="regions", icvs=icvs) for icvs in (True, False))
    assert whole["icvs"] and any(task["icvs"] for task in whole["tasks"])
    assert without["icvs"] == {} and all(task["icvs"] == {} for task in without["tasks"])
    assert not any(one.get("icvs") for one in (*without["threads"], *without["parallels"]))
    assert bare(without) == bare(whole)


@pytest.mark.parametrize("mode", ["stop", "observe"])
def test_views_show_the_threads_once(mode, nest, client):
    """view.get: every thread is in one row, and in one node with a state; the tree is that of the snapshot."""
    target = client.target.attach(pid=nest.pid, mode=mode)["target"]
    views = {view: client.view.get(target=target, view=view, raw=True, interval_ms=0)
             for view in ("tree", "threads", "tasks", "icvs", "snapshot", "stacks", "why")}
    assert all(view["view"] == name and view["heading"].startswith(f"(pid {nest.pid})") for name, view in views.items())
    tids = sorted(thread["tid"] for thread in views["tree"]["raw"]["threads"])
    assert sorted(tid for row in views["threads"]["rows"] for tid in row["threads"]) == tids
    assert sorted(tid for node in views["tree"]["nodes"] if "state" in node for tid in node["threads"]) == tids
    assert sorted(tid for node in views["stacks"]["nodes"] for tid in node["threads"]) == tids
    regions = [node for node in views["tree"]["nodes"] if node["kind"] == "region"]
    assert sum(node["count"] for node in regions) == len(views["tree"]["raw"]["parallels"])
    assert views["why"]["nodes"][0]["text"] == views["why"]["raw"]["title"]
    assert [table["kind"] for table in views["icvs"]["tables"]][:2] == ["process", "common"]
    unfolded = client.view.get(target=target, view="threads", fold=False, columns=["tid", "state"])
    assert [row["count"] for row in unfolded["rows"]] == [1] * len(tids)
    assert all(set(row["cells"]) == {"tid", "state"} for row in unfolded["rows"])
    with fails("invalid_params") as failure:
        client.view.get(target=target, view="threads", columns=["nope"])
    assert "no column 'nope'" in str(failure.error)


# Holds.

def test_held_target_stands_still(held):
    client, nest, target = held
    assert client.target.info(target=target)["state"] == "held"
    assert all(task_state(nest.pid, tid) == "t" for tid in nest.lines)
    first = client.snapshot.get(target=target)
    second = client.snapshot.get(target=target)
    assert first["epoch"] == second["epoch"] and first["consistency"] == "stopped"
    assert second["stopped_us"] > first["stopped_us"]
    for part in ("threads", "parallels", "tasks"):
        assert first[part] == second[part], "in one epoch the same region has the same handle"
    resumed = client.target.resume(target=target)
    assert resumed["state"] == "running" and resumed["stopped_us"] >= second["stopped_us"]
    assert not stopped_threads(nest.pid) and not tracer(nest.pid)
    assert client.snapshot.get(target=target)["epoch"] > first["epoch"]


def test_holding_twice_is_holding(held):
    client, nest, target = held
    again = client.target.stop(target=target)
    assert again["state"] == "held"
    client.target.resume(target=target)
    assert not stopped_threads(nest.pid)
    with fails("not_stopped"):
        client.target.resume(target=target)


def test_detach_lets_a_held_target_go(held):
    client, nest, target = held
    client.target.detach(target=target)
    wait_until(lambda: not stopped_threads(nest.pid) and not tracer(nest.pid), "the target runs")


def test_closing_the_connection_lets_a_held_target_go(daemon, nest):
    with daemon.connect() as client:
        target = client.target.attach(pid=nest.pid, mode="stop")["target"]
        client.target.stop(target=target)
        assert stopped_threads(nest.pid)
    wait_until(lambda: not stopped_threads(nest.pid) and not tracer(nest.pid), "the target runs")


def test_another_client_may_not_let_go(daemon, held):
    client, nest, target = held
    with daemon.connect() as other:
        for method in ("target.stop", "target.resume", "target.detach"):
            with fails("target_held"):
                other.call(method, {"target": target})
        # A view changes nothing.
        result = other.snapshot.get(target=target)
        assert result["consistency"] == "stopped" and len(result["threads"]) == len(nest.lines)
    assert stopped_threads(nest.pid), "the other's leaving changes nothing"
    client.target.resume(target=target)


def test_observe_mode_holds_nothing(nest, client):
    target = client.target.attach(pid=nest.pid, mode="observe")["target"]
    for method in ("target.stop", "target.resume"):
        with fails("mode_unsupported"):
            client.call(method, {"target": target})
    assert not stopped_threads(nest.pid)


def test_target_that_somebody_stopped_reads_as_stopped(nest, client):
    """SIGSTOP from a shell: observe reads consistent memory, and reports that."""
    import signal
    target = client.target.attach(pid=nest.pid, mode="observe")["target"]
    assert client.snapshot.get(target=target)["consistency"] in ("proven", "racy")
    nest.signal(signal.SIGSTOP)
    wait_until(lambda: len(stopped_threads(nest.pid)) == len(nest.lines), "all threads stop")
    assert client.snapshot.get(target=target)["consistency"] == "stopped"
    nest.signal(signal.SIGCONT)
    wait_until(lambda: not stopped_threads(nest.pid), "all threads run")
    assert client.snapshot.get(target=target)["consistency"] in ("proven", "racy")


def test_job_control_stop_survives_a_snapshot(nest, client):
    """A process that the user stopped (^Z) is still stopped after a view in stop mode."""
    import signal
    target = client.target.attach(pid=nest.pid, mode="stop")["target"]
    nest.signal(signal.SIGSTOP)
    wait_until(lambda: len(stopped_threads(nest.pid)) == len(nest.lines), "all threads stop")
    assert len(client.snapshot.get(target=target)["threads"]) == len(nest.lines)
    wait_until(lambda: not tracer(nest.pid), "the detach")
    # A released thread wakes once, and then stops again.
    wait_until(lambda: all(task_state(nest.pid, tid) == "T" for tid in nest.lines), "all are stopped as before")
    nest.signal(signal.SIGCONT)
    wait_until(lambda: not stopped_threads(nest.pid), "all threads run")


# Requests.

def test_answers_may_come_in_another_order(daemon, nest, client):
    """The daemon's own answer overtakes the missing answer of a (stopped) worker."""
    import os
    import signal
    target = client.target.attach(pid=nest.pid, mode="observe")["target"]
    worker = daemon.worker()
    os.kill(worker, signal.SIGSTOP)
    try:
        slow = client.start("snapshot.get", {"target": target})
        assert client.daemon.info()["pid"] == daemon.pid
    finally:
        os.kill(worker, signal.SIGCONT)
    assert len(slow.result()["threads"]) == len(nest.lines)


def test_cancel(daemon, nest, client):
    import os
    import signal
    target = client.target.attach(pid=nest.pid, mode="observe")["target"]
    worker = daemon.worker()
    os.kill(worker, signal.SIGSTOP)
    try:
        slow = client.start("snapshot.get", {"target": target})
        assert client.request.cancel(id=slow.id) == {"id": slow.id}
        with fails("request_cancelled"):
            slow.result()
        with fails("no_such_request"):
            client.request.cancel(id=slow.id)
    finally:
        os.kill(worker, signal.SIGCONT)
    assert len(client.snapshot.get(target=target)["threads"]) == len(nest.lines), "the worker serves on"


def answered(ask, **params):
    """Return an answer in time; a busy machine may need a second request."""
    while True:
        try:
            return ask(**params)
        except ompdd.Error as error:
            assert error.name == "request_timeout", error


def test_worker_that_hangs_is_ended(daemons, nest):
    """--request-timeout: the request fails, the worker has ended, the target runs, and a new attach works."""
    import os
    import signal
    daemon = daemons("--request-timeout", "5000")
    daemon.expect_log.append("worker|request")
    with daemon.connect() as client:
        target = answered(client.target.attach, pid=nest.pid, mode="stop")["target"]
        worker = daemon.worker()
        os.kill(worker, signal.SIGSTOP)
        with fails("request_timeout"):
            client.snapshot.get(target=target)
        with fails("no_such_target"):
            client.snapshot.get(target=target)
        wait_until(lambda: worker not in daemon.workers(), "the worker is ended")
        assert not stopped_threads(nest.pid)

        def look():
            target = client.target.attach(pid=nest.pid, mode="stop")["target"]
            return client.snapshot.get(target=target)
        assert len(answered(look)["threads"]) == len(nest.lines)


# Handles.

def test_handles_of_another_connection_are_unknown(daemon, held):
    client, nest, target = held
    handle = client.snapshot.get(target=target)["parallels"][0]["handle"]
    with daemon.connect() as other:
        with fails("unknown_handle"):
            other.ompd.get_enclosing_parallel_handle(target=target, parallel_handle=handle)
        with fails("unknown_handle"):
            other.handle.release(target=target, handles=[handle])
    client.ompd.parallel_handle_compare(target=target, parallel_handle_1=handle, parallel_handle_2=handle)


def test_invented_handles_are_unknown(held):
    client, nest, target = held
    epoch = client.snapshot.get(target=target)["epoch"]
    for handle in (f"{target}:e{epoch}:par:999999", f"{target}:e{epoch + 1000}:par:1", f"{target}:e{epoch}:par:0",
                   f"{target}:e999999999999999999:par:999999999999999999"):
        with fails("unknown_handle"):
            client.ompd.get_enclosing_parallel_handle(target=target, parallel_handle=handle)


def test_handle_of_another_target(held, program):
    client, nest, target = held
    other = client.target.attach(pid=program("flat", 2).pid, mode="stop")["target"]
    client.target.stop(target=other)
    handle = client.snapshot.get(target=other)["parallels"][0]["handle"]
    with pytest.raises(Exception) as caught:
        client.ompd.get_enclosing_parallel_handle(target=target, parallel_handle=handle)
    assert caught.value.name in ("invalid_params", "unknown_handle")
    client.target.resume(target=other)


def test_handle_of_the_wrong_kind(held):
    client, nest, target = held
    handle = client.snapshot.get(target=target)["tasks"][0]["handle"]
    with fails("invalid_params", pointer="/params/parallel_handle"):
        client.call("ompd.get_enclosing_parallel_handle", {"target": target, "parallel_handle": handle}, validate=False)


def test_handles_are_stale_after_resume(held):
    client, nest, target = held
    snapshot = client.snapshot.get(target=target)
    client.target.resume(target=target)
    with fails("ompd_rc_stale_handle"):
        client.ompd.get_enclosing_parallel_handle(target=target, parallel_handle=snapshot["parallels"][0]["handle"])
    with fails("ompd_rc_stale_handle"):
        client.ompd.get_task_function(target=target, task_handle=snapshot["tasks"][0]["handle"])


def test_handles_of_a_stop_snapshot_are_stale_at_once(nest, client):
    """The target runs again when the answer arrives: requests about the earlier state are refused."""
    target = client.target.attach(pid=nest.pid, mode="stop")["target"]
    handle = client.snapshot.get(target=target)["parallels"][0]["handle"]
    with fails("ompd_rc_stale_handle"):
        client.ompd.get_enclosing_parallel_handle(target=target, parallel_handle=handle)


def test_released_handles_are_stale(held):
    client, nest, target = held
    handles = [parallel["handle"] for parallel in client.snapshot.get(target=target)["parallels"]]
    assert client.handle.release(target=target, handles=handles[:2]) == {"released": 2}
    with fails("ompd_rc_stale_handle"):
        client.ompd.get_enclosing_parallel_handle(target=target, parallel_handle=handles[0])
    client.ompd.parallel_handle_compare(target=target, parallel_handle_1=handles[2], parallel_handle_2=handles[2])


def test_many_snapshots_of_a_held_target_make_no_more_handles(held):
    """The same region has the same string in each answer."""
    client, nest, target = held
    first = client.snapshot.get(target=target)
    for _ in range(50):
        again = client.snapshot.get(target=target)
    assert [part["handle"] for part in again["parallels"]] == [part["handle"] for part in first["parallels"]]
    assert [part["handle"] for part in again["tasks"]] == [part["handle"] for part in first["tasks"]]


def test_history_has_what_was_sampled(client, nest):
    """It samples nothing itself, keeps one sample a second, and ends with the target."""
    target = client.target.attach(pid=nest.pid, mode="observe")["target"]
    client.thread.list(target=target)
    assert client.history.get(target=target)["ages_ms"] == client.history.get(target=target)["threads"] == []

    def sampled():
        view = client.view.get(target=target, view="states")
        return len(client.history.get(target=target)["ages_ms"]) >= 3 and view
    view = wait_until(sampled, "three seconds are kept")
    history = client.history.get(target=target)
    assert history["ages_ms"] == sorted(history["ages_ms"], reverse=True)
    now = {tid: view["states"][code]["text"] for tid, code in zip(view["tids"], view["codes"])}
    assert {thread["tid"]: {history["states"][ord(code) - ord("0")]["text"] for code in thread["codes"]} for thread in history["threads"]} == {tid: {text} for tid, text in now.items()}
    assert {thread["tid"]: thread["number"] for thread in history["threads"]} == dict(zip(view["tids"], view["numbers"]))
    assert {thread["tid"]: thread["name"] for thread in history["threads"]} == dict(zip(view["tids"], view["names"]))
    assert set(view["names"]) == {"nested"}
    client.target.detach(target=target)
    again = client.target.attach(pid=nest.pid, mode="observe")["target"]
    assert client.history.get(target=again)["ages_ms"] == []
