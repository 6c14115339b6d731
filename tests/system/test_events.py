# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Events: notifications, polling and GET /events; their order, and the notice to a slow reader."""
import http.client
import json
import os
import signal
import subprocess
import time

import ompdd
import pytest
import validator
from conftest import fails
from control import Events
from targets import read_text, stopped_threads, tasks, tracer, wait_until
from test_bad_plugins import PLUGIN_DIR, SHORT
from wire import line, request


@pytest.fixture
def nest(program):
    return program("nested", 2, 3)


@pytest.fixture(params=["lines", "content-length"])
def subscribed(request, daemon):
    """A client of each framing that gets all events."""
    with daemon.connect(framing=request.param) as one:
        one.event.subscribe()
        yield one


def take(client, n, timeout=600.0):
    """Return the next n events."""
    events = client.events(timeout)
    return [next(events) for _ in range(n)]


def test_a_session_as_events(nest, subscribed):
    target = subscribed.target.attach(pid=nest.pid)["target"]
    epoch = subscribed.target.stop(target=target)["epoch"]
    subscribed.snapshot.get(target=target)
    subscribed.target.resume(target=target)
    subscribed.snapshot.get(target=target)  # A stop of its own, without an event.
    subscribed.target.detach(target=target)
    events = take(subscribed, 4)
    assert events == [
        {"cursor": 1, "target": target, "seq": 1, "type": "attached", "pid": nest.pid, "mode": "stop"},
        {"cursor": 2, "target": target, "seq": 2, "type": "stopped", "epoch": epoch},
        {"cursor": 3, "target": target, "seq": 3, "type": "resumed", "epoch": epoch},
        {"cursor": 4, "target": target, "seq": 4, "type": "detached", "pid": nest.pid},
    ]


def test_the_answer_comes_before_its_event(nest, daemon):
    with daemon.wire() as wire:
        wire.ask("event.subscribe")
        wire.ask("target.attach", {"pid": nest.pid, "mode": "stop"})
        assert wire.read_line()["params"]["type"] == "attached"
        for ident in range(10, 60, 2):
            wire.send(line(request("target.stop", {"target": "t1"}, ident)) +
                      line(request("target.resume", {"target": "t1"}, ident + 1)))
            got = [wire.read_line() for _ in range(4)]
            names = [message.get("id") or message["params"]["type"] for message in got]
            # The second request may reach the worker before the event of the first arrives here.
            assert names == [ident, "stopped", ident + 1, "resumed"], names


def test_holder_that_leaves_resumes(nest, daemon, subscribed):
    with daemon.connect() as holder:
        target = holder.target.attach(pid=nest.pid)["target"]
        holder.target.stop(target=target)
    assert [event["type"] for event in take(subscribed, 3)] == ["attached", "stopped", "resumed"]


def test_kill_of_the_target(nest, mode, subscribed):
    nest.expect_end = True
    subscribed.target.attach(pid=nest.pid, mode=mode)
    os.kill(nest.pid, signal.SIGKILL)
    nest.process.wait()
    assert [event["type"] for event in take(subscribed, 2)] == ["attached", "exited"]


def test_kill_of_the_worker(nest, daemon, subscribed):
    target = subscribed.target.attach(pid=nest.pid)["target"]
    os.kill(daemon.worker(), signal.SIGKILL)
    attached, failed = take(subscribed, 2)
    assert failed["type"] == failed["name"] == "worker_failed" and failed["target"] == target and failed["seq"] == 2
    assert "signal 9" in failed["message"] and failed["pid"] == nest.pid


def test_selection_and_unsubscribe(nest, daemon, client):
    target = client.target.attach(pid=nest.pid)["target"]
    with daemon.connect() as reader:
        first = reader.event.subscribe(targets=[target], types=["resumed"])["subscription"]
        client.target.stop(target=target)
        client.target.resume(target=target)
        assert [event["type"] for event in take(reader, 1)] == ["resumed"]
        assert reader.event.unsubscribe(subscription=first) == {"subscriptions": 0}
        with fails("invalid_params", "/params/subscription"):
            reader.event.unsubscribe(subscription=first)
        with fails("no_such_target"):
            reader.event.subscribe(targets=["t99"])
        for wrong, where in (({"types": ["lost"]}, "/params/types/0"), ({"types": []}, "/params/types"),
                             ({"targets": ["x"]}, "/params/targets/0"), ({"types": "exited"}, "/params/types")):
            with fails("invalid_params", where):
                reader.call("event.subscribe", wrong, validate=False)
        for _ in range(32):
            reader.event.subscribe()
        with fails("limit_exceeded"):
            reader.event.subscribe()


def test_poll(nest, daemon, client):
    assert client.event.poll() == {"events": [], "cursor": 0}
    target = client.target.attach(pid=nest.pid)["target"]
    with daemon.connect() as reader:
        first = reader.event.poll(timeout_ms=60000)
        assert [event["type"] for event in first["events"]] == ["attached"] and first["cursor"] == 1
        waiting = reader.start("event.poll", since=1, timeout_ms=60000)
        assert reader.daemon.info()["limits"]["max_events"] == 4096  # It blocks no client.
        client.target.stop(target=target)
        answer = waiting.result()
        assert [(event["type"], event["seq"]) for event in answer["events"]] == [("stopped", 2)]
        client.target.resume(target=target)
        wait_until(lambda: reader.event.poll(since=2)["cursor"] == 3, "resumed")
        again = reader.event.poll(since=1, max=1)
        assert [event["cursor"] for event in again["events"]] == [2] and again["cursor"] == 2
        begin = time.monotonic()
        assert reader.event.poll(since=3, timeout_ms=200) == {"events": [], "cursor": 3}
        assert 0.2 <= time.monotonic() - begin < 600


def test_poll_over_http(nest, daemon, client):
    with daemon.connect(f"http+unix:{daemon.path}") as web:
        with fails("invalid_request"):
            web.event.subscribe()
        client.target.attach(pid=nest.pid)
        assert [event["type"] for event in web.event.poll(timeout_ms=60000)["events"]] == ["attached"]
        assert web.event.poll(since=1, timeout_ms=100) == {"events": [], "cursor": 1}


def test_slow_reader_is_told_what_it_lost(nest, daemon, client):
    target = client.target.attach(pid=nest.pid)["target"]
    with daemon.wire() as slow:
        start = slow.ask("event.subscribe")["result"]["cursor"]
        n, begin = 6000, time.monotonic()
        for _ in range(n // 50):
            if time.monotonic() - begin > 25:
                pytest.skip("this machine is too slow: who reads nothing for 30 s is closed")
            batch = client.batch()
            for _ in range(25):
                batch.call("target.stop", target=target)
                batch.call("target.resume", target=target)
            assert not any(isinstance(answer, ompdd.Error) for answer in batch.send())
        last = start + n
        wait_until(lambda: client.event.poll(since=last - 1)["cursor"] == last, "all events")
        seen, lost = start, 0
        while seen < last:
            message = slow.read_line()
            if message is None and time.monotonic() - begin > 30:
                pytest.skip("this machine is too slow: who reads nothing for 30 s is closed")
            validator.check_notification(message)
            params = message["params"]
            if params["type"] == "lost":
                assert params["from"] == seen + 1 and params["to"] == params["cursor"]
                lost += params["to"] - params["from"] + 1
            else:
                assert params["cursor"] == seen + 1
            seen = params["cursor"]
        # The daemon keeps 4096 events. More were on their way in buffers.
        assert 0 < lost <= n - 4096
        # It still answers.
        assert slow.ask("target.list", ident=2)["result"]["targets"]


# GET /events.

class Stream:
    """curl -N on GET /events."""

    def __init__(self, daemon, *args, path=None):
        self.process = subprocess.Popen(["curl", "-sS", "-N", "--max-time", "600", "--unix-socket", path or daemon.path,
                                         *args, "http://localhost/events"], stdout=subprocess.PIPE, text=True)

    def next(self):
        """Return the next event as (id, name, data). Skip comments."""
        fields = {}
        for text in self.process.stdout:
            text = text.rstrip("\n")
            if not text and fields:
                return int(fields["id"]), fields["event"], json.loads(fields["data"])
            name, _, value = text.partition(": ")
            if text and name:
                fields[name] = value
        raise AssertionError("the stream ended")

    def wait_begin(self):
        assert self.process.stdout.readline().startswith(": ")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def test_server_sent_events(nest, daemon, client):
    with Stream(daemon) as stream:
        stream.wait_begin()
        target = client.target.attach(pid=nest.pid)["target"]
        client.target.stop(target=target)
        client.target.resume(target=target)
        for number, name in enumerate(["attached", "stopped", "resumed"], 1):
            ident, event, data = stream.next()
            assert (ident, event) == (number, name) and data["type"] == name and data["cursor"] == number
            validator.check_notification({"jsonrpc": "2.0", "method": "event", "params": data})
    wait_until(lambda: client.daemon.info()["connections"] == 1, "the end of the stream is noticed")
    with Stream(daemon, "-H", "Last-Event-ID: 1") as stream:
        assert [stream.next()[0] for _ in range(2)] == [2, 3]
        client.target.detach(target=target)
        assert stream.next()[1] == "detached"


def test_stream_ends_with_the_daemon(daemon):
    with Stream(daemon) as stream:
        stream.wait_begin()
        assert daemon.terminate() == 0
        assert stream.process.wait(600) in (0, 18, 56)


def status(host, method="GET", **headers):
    """Read the head of the response, whose body may have no end."""
    connection = http.client.HTTPConnection(host, timeout=600)
    connection.request(method, "/events", headers=headers)
    answer = connection.getresponse()
    connection.close()
    return answer.status


def test_events_are_guarded(daemons, tmp_path):
    token = tmp_path / "token"
    daemon = daemons("--token-file", token, listen=["http:0"])
    host = daemon.uris[0].removeprefix("http:")
    bearer = {"Authorization": f"Bearer {token.read_text().strip()}"}
    assert status(host) == 401
    assert status(host, **bearer, Origin="http://evil.example") == 403
    assert status(host, **bearer, Host="evil.example") == 403
    assert status(host, "POST", **bearer) == 405
    assert status(host, **bearer) == 200


def test_examples_of_notifications_are_valid():
    for path in (validator.SCHEMA / "notifications").glob("*.json"):
        for example in json.loads(path.read_text())["examples"]:
            validator.check_notification({"jsonrpc": "2.0", "method": path.stem, "params": example["params"]})


# Events of a traced target. A breakpoint at an unused place makes it traced.

def traced(client, one):
    target = client.target.attach(pid=one.pid)["target"]
    client.breakpoint.set(target=target, function="main")
    assert tracer(one.pid)
    return target, Events(client, target, since=0)


def test_threads_that_start_and_exit(program, client):
    one = program("events", "grow")
    target, events = traced(client, one)
    one.signal()
    assert one.read_line() == {"threads": 10}
    started = []
    while len(started) < 10:
        started.append(events.until("thread_started")[-1]["tid"])
    assert set(started) == set(tasks(one.pid)) - set(one.lines)
    # All end with the process, whose event is the last.
    one.expect_end = True
    os.kill(one.pid, signal.SIGTERM)
    rest = events.until("exited")
    assert rest[-1]["exit"] == {"signal": 15, "signal_name": "SIGTERM", "core_dumped": False}
    assert client.target.info(target=target)["exit"] == rest[-1]["exit"]


def test_threads_that_come_and_go(program, client):
    one = program("churn", 4)
    _, events = traced(client, one)
    alive = set()
    for _ in range(50):
        event = events.until("thread_exited")[-1]
        assert event["tid"] not in tasks(one.pid)
        alive.add(event["tid"])
    assert one.pid not in alive


def test_more_than_a_worker_can_follow(program, daemon, client):
    """It reports the number of lost events, and its count continues without a gap."""
    one = program("churn", 4)
    target, events = traced(client, one)
    worker = daemon.worker()

    def last_pid():
        return int(read_text("/proc/loadavg").split()[-1])

    os.kill(worker, signal.SIGSTOP)
    try:
        begin = last_pid()
        wait_until(lambda: abs(last_pid() - begin) > 4000, "thousands of threads have come and gone", timeout=600)
    finally:
        os.kill(worker, signal.SIGCONT)
    seen = events.until("lost", timeout=600)
    assert seen[-1]["target"] == target and seen[-1]["count"] > 0
    seen += events.until("thread_started")
    assert [event["seq"] for event in seen] == list(range(1, len(seen) + 1))
    assert client.snapshot.get(target=target)["threads"]


def test_fork_of_a_traced_target(program, client):
    one = program("events", "fork")
    _, events = traced(client, one)
    one.signal()
    child = one.read_line()["child"]
    try:
        event = events.until("fork")[-1]
        assert event["child"] == child and event["tid"] == one.pid
        wait_until(lambda: not tracer(child) and not stopped_threads(child), "it is a process of its own")
    finally:
        os.kill(child, signal.SIGKILL)


@pytest.mark.parametrize("kind", ["exit", "crash"])
def test_end_of_a_traced_target(program, client, kind):
    """The tracer learns the exit status although it is not the parent. The parent gets it as always."""
    one = program("events", kind)
    one.expect_end = True
    target, events = traced(client, one)
    one.signal()
    how = events.until("exited")[-1]["exit"]
    if kind == "exit":
        assert how == {"status": 3} and one.process.wait(600) == 3
    else:
        assert how["signal_name"] == "SIGABRT" and one.process.wait(600) == -signal.SIGABRT
    assert client.target.info(target=target)["exit"] == how
    with fails("target_exited"):
        client.snapshot.get(target=target)


def test_end_of_a_target_that_is_not_traced(program, client, mode):
    """Then only its parent knows the status."""
    one = program("events", "exit")
    one.expect_end = True
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    one.signal()
    assert one.process.wait(600) == 3
    assert "exit" not in Events(client, target, since=0).until("exited")[-1]
    assert "exit" not in client.target.info(target=target)


def test_exec_of_a_traced_target(program, client):
    """At once, and all breakpoints have disappeared with their program."""
    one = program("events", "exec")
    target, events = traced(client, one)
    one.signal()
    # Only the calling thread remains.
    assert [event["type"] for event in events.until("exec")] == ["attached", *["thread_exited"] * (len(one.lines) - 1), "exec"]
    one.wait_ready()
    assert not tracer(one.pid)
    with fails("target_exec"):
        client.snapshot.get(target=target)


def test_exec_of_a_target_that_is_not_traced(program, client, mode):
    """The next request notices it, and one event reports it."""
    one = program("events", "exec")
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    one.signal()
    one.wait_ready()
    for _ in range(2):
        with fails("target_exec"):
            client.snapshot.get(target=target)
    client.target.detach(target=target)
    assert [event["type"] for event in Events(client, target, since=0).until("detached")] == ["attached", "exec", "detached"]


def test_hits_come_behind_the_answer(program, daemon):
    """First the answer to target.resume, then its consequences."""
    one = program("rounds", 2)
    with daemon.wire() as wire:
        wire.ask("target.attach", {"pid": one.pid}, ident=1)
        assert "result" in wire.ask("event.subscribe", {"types": ["breakpoint"]}, ident=2)
        assert "result" in wire.ask("breakpoint.set", {"target": "t1", "function": "chore"}, ident=3)
        assert wire.read_line()["params"]["type"] == "breakpoint"
        for ident in range(10, 60):
            wire.send(line(request("target.resume", {"target": "t1"}, ident)))
            answer, event = wire.read_line(), wire.read_line()
            assert answer.get("id") == ident and "result" in answer
            assert event["params"]["type"] == "breakpoint"


def test_each_target_counts_for_itself(program, client):
    """Each target has its own seq without gaps. Cursors are common to all targets."""
    targets = {}
    for _ in range(3):
        one = program("flat", 2)
        target, _ = traced(client, one)
        client.target.stop(target=target)
        client.target.resume(target=target)
        targets[target] = 0
    # attached, stopped, resumed of each target, between hits of no breakpoint.
    events = wait_until(lambda: (lambda events: events if len(events) >= 9 else None)(client.event.poll()["events"]), "all events")
    for cursor, event in enumerate(events, 1):
        assert event["cursor"] == cursor
        assert event["seq"] == targets[event["target"]] + 1
        targets[event["target"]] += 1
    assert set(targets.values()) == {3}


@pytest.mark.parametrize("evil,name", [("crash", "plugin_crashed"), ("hang", "plugin_hung")])
def test_failure_of_the_library(program, daemons, evil, name):
    """It takes the worker with it. Waiting and subscribed clients get the same report."""
    one = program("flat", 2)
    daemon = daemons("--libompd", PLUGIN_DIR / f"libompd_{evil}.so", *(SHORT if evil == "hang" else ()))
    daemon.expect_log.append("worker|OMPD library|crash|plugin")
    with daemon.connect() as client:
        target = client.target.attach(pid=one.pid, mode="observe")["target"]
        with fails(name):
            for _ in range(20):
                client.snapshot.get(target=target)
        event = Events(client, target, since=0).until("plugin_failed")[-1]
        assert event["name"] == name and event["pid"] == one.pid and event["message"]
