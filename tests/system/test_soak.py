# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All methods, again and again, on one daemon: in rounds, after which nothing has grown, and in random order, which
does no harm. OMPDD_SOAK_REQUESTS and OMPDD_SOAK_SECONDS end the rounds, whichever comes first: a few hundred
requests in the suite, 10^7 or most of an hour in the soak preset. OMPDD_SOAK_RANDOM_SECONDS is the length of the
random order: 40 seconds under sanitizers, an hour in the soak preset. OMPDD_SEED repeats one.
"""
import collections
import contextlib
import os
import pathlib
import random
import signal
import statistics
import time

import ompdd
from cores import gcore
from daemons import SANITIZED
from random_requests import METHODS, RandomRequests
from targets import PROGRAMS

REQUESTS = int(os.environ.get("OMPDD_SOAK_REQUESTS", "450"))
SECONDS = float(os.environ.get("OMPDD_SOAK_SECONDS", "600"))
SEED = int(os.environ.get("OMPDD_SOAK_SEED", "1"))
# Time in which at least one profile must have looked, on a busy machine.
PROFILE_SECONDS = 60
RANDOM_SECONDS = float(os.environ.get("OMPDD_SOAK_RANDOM_SECONDS", "40" if SANITIZED else "10"))
# These start and end each round, or would resume the target within it.
FRAME = {"target.attach", "target.detach", "target.stop", "target.resume", "target.launch", "target.kill", "target.step",
         "ompd.finalize", "rpc.authenticate"}
# Errors that no valid request may get, whatever state the target is in.
NEVER = {"internal_error", "worker_failed", "plugin_crashed", "plugin_hung", "plugin_misbehaved", "request_timeout", "parse_error",
         "invalid_request", "method_not_found", "unauthorized", "not_allowed", "tracer_failed"}
ALLOWED_KB = 3072
# Limit of the growth of a latency, once there are enough samples: other load on the machine must not fail it.
MANY = 100000


class Soak:
    """The requests of one client, with their results."""

    def __init__(self, client, one):
        self.client, self.one = client, one
        self.random = random.Random(SEED)
        self.n = 0
        self.seen = set()
        self.times = []

    def ask(self, method, params):
        self.n += 1
        is_new = method not in self.seen
        self.seen.add(method)
        begun = time.monotonic()
        try:
            return self.client.call(method, params, validate=is_new)
        except ompdd.Error as error:
            assert error.name not in NEVER, f"{method} {params}: {error}"
            return {}
        finally:
            self.times.append(time.monotonic() - begun)

    def handles(self, target):
        """One new handle of each kind."""
        def ompd(name, member, **params):
            return self.ask(f"ompd.{name}", {"target": target, **params}).get(member)
        thread = ompd("get_thread_handle", "thread_handle", kind="OMPD_THREAD_ID_LWP", thread_id=self.one.pid)
        return {"thr": thread, "par": ompd("get_curr_parallel_handle", "parallel_handle", thread_handle=thread),
                "task": ompd("get_curr_task_handle", "task_handle", thread_handle=thread),
                "as": ompd("process_initialize", "host_handle")}

    def params(self, method, target, handles):
        params = dict(METHODS[method]["examples"][0]["params"])
        kinds = {"thread_handle": "thr", "parallel_handle": "par", "task_handle": "task"}
        for name in params:
            kind = next((kind for prefix, kind in kinds.items() if name.startswith(prefix)), None)
            if name == "handle":
                kind = "as" if "address_space" in method else "task"
            if kind:
                params[name] = handles[kind]
        fixed = {"target": target, "pid": self.one.pid, "thread": self.one.pid, "thread_id": self.one.pid, "timeout_ms": 0,
                 "handles": [handles["par"]], "core": "/nonexistent/core"}
        params.update({name: value for name, value in fixed.items() if name in params})
        params.pop("since", None)
        return params

    def round(self):
        """Attach, hold, all requests in some order, release, detach; then launch a program and end it."""
        target = self.ask("target.attach", {"pid": self.one.pid})["target"]
        self.ask("target.stop", {"target": target})
        order = [method for method in METHODS if method not in FRAME]
        self.random.shuffle(order)
        for method in order:
            # Some release handles that others need.
            needed = any("handle" in name for name in METHODS[method]["examples"][0]["params"])
            handles = self.handles(target) if needed else dict.fromkeys(("thr", "par", "task", "as"))
            result = self.ask(method, self.params(method, target, handles))
            if method == "target.open_core" and result:
                self.ask("target.detach", {"target": result["target"]})
            if method == "event.subscribe":
                self.ask("event.unsubscribe", {"subscription": result["subscription"]})
            if handles["thr"]:
                self.ask("handle.release", {"target": target, "handles": [handle for handle in handles.values() if handle]})
        self.ask("profile.stop", {"target": target})
        self.ask("target.resume", {"target": target})
        self.ask("ompd.finalize", {"target": target})
        self.ask("target.detach", {"target": target})
        launched = self.ask("target.launch", {"argv": ["/bin/sleep", "1000"]})["target"]
        self.ask("target.step", {"target": launched, "kind": "into_parallel", "thread": 1})
        self.ask("target.kill", {"target": launched})
        self.ask("target.detach", {"target": launched})
        self.seen.add("rpc.authenticate")  # A unix socket has no token.


def usage(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    rss = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:"))
    return {"rss_kb": rss, "descriptors": len(os.listdir(f"/proc/{pid}/fd"))}


def test_soak(program, daemon, capsys):
    one, watched = program("flat", 2), program("nested", 2, 2)
    begun = time.monotonic()
    with daemon.connect() as client, daemon.connect() as other:
        kept = other.target.attach(pid=watched.pid, mode="observe")["target"]
        worker = daemon.worker()
        soak = Soak(client, one)

        def rounds(part):
            """Continue until this share of the requests, or of the time, is used."""
            done = soak.n
            while soak.n == done or (soak.n < REQUESTS * part and time.monotonic() < begun + SECONDS * part):
                soak.round()
                for method in ("snapshot.get", "diagnose.get", "thread.list", "stack.groups"):
                    other.call(method, {"target": kept}, validate=False)
        rounds(1 / 3)
        assert soak.seen == set(METHODS), set(METHODS) - soak.seen
        before = {pid: usage(pid) for pid in (daemon.pid, worker)}
        warm = len(soak.times)
        rounds(1)
        after = {pid: usage(pid) for pid in before}
        for pid, was in before.items():
            assert after[pid]["descriptors"] == was["descriptors"], (before, after)
            assert SANITIZED or after[pid]["rss_kb"] <= was["rss_kb"] + ALLOWED_KB, (before, after)
        assert client.daemon.info()["targets"] == 1 and client.daemon.info()["box"]["refused_calls"] == 0
        took = time.monotonic() - begun
        with capsys.disabled():  # Also in the log of a run that passes.
            print(f"{soak.n} requests in {took:.0f} s, {soak.n / took:.0f} a second; {before} -> {after}")
        if soak.n >= MANY:
            tenth = len(soak.times[warm:]) // 10
            early, late = soak.times[warm:warm + tenth], soak.times[-tenth:]
            assert statistics.median(late) < 3 * statistics.median(early), "answers come later and later"


# Waiting requests of a client, and open targets at a time.
DEPTH, OPEN = 4, 6
# Launched programs that run at a time. Most of them spin, in a session of their own: more would starve the daemon.
RUNNING = 4
# Shares of: a client that disappears, a profile that starts, a request about an ended target.
LEAVE, PROFILE, GONE = 0.003, 0.1, 0.05


class Connection:
    """A client, the requests that it creates from earlier answers, and the waiting ones."""

    def __init__(self, client, requests):
        self.client, self.requests = client, requests
        self.pending = collections.deque()


class Crowd:
    """Two connections with several targets. Any answer is right unless no valid request may get it."""

    def __init__(self, daemon, random, fixed):
        self.daemon, self.random, self.targets, self.ids = daemon, random, [], [0]
        self.fixed = {**fixed, "target": self.targets, "id": self.ids}
        self.launched = set()
        self.running = collections.deque()
        self.counts = collections.Counter()
        self.samplings = 0
        self.connections = [self.connection(), self.connection()]

    def connection(self):
        return Connection(self.daemon.connect(), RandomRequests(self.random, self.fixed))

    def start(self, one, method, params):
        self.counts[method] += 1
        if METHODS[method].get("x-role") == "launch":
            self.end_programs(RUNNING - 1)
        pending = one.client.start(method, params, validate=False)
        self.ids[:] = [pending.id]
        one.pending.append((pending, method, params))
        while len(one.pending) > DEPTH:
            self.take(one)

    def take(self, one):
        """Read the oldest answer."""
        pending, method, params = one.pending.popleft()
        try:
            result = pending.result()
        except ompdd.Error as error:
            assert error.name not in NEVER, f"{method} {params}: {error}"
            return
        one.requests.learn(result, params.get("target", result.get("target")))
        if method == "profile.get":
            self.samplings = max(self.samplings, result["profile"]["samplings"])
        role = METHODS[method].get("x-role")
        if role in ("attach", "launch", "open_core"):
            self.targets.append(result["target"])
        if role == "launch":
            self.launched.add(result["target"])
            with contextlib.suppress(ProcessLookupError):
                self.running.append(os.pidfd_open(result["pid"]))

    def end_programs(self, kept):
        """Kill the launched programs, without a request, but for the newest `kept`."""
        while len(self.running) > kept:
            pidfd = self.running.popleft()
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(pidfd, signal.SIGKILL)
            os.close(pidfd)

    def take_all(self):
        for one in self.connections:
            while one.pending:
                self.take(one)

    def detach(self, one, target):
        """A launched program ends with its target, unless the kill is refused."""
        if target in self.launched:
            self.start(one, "target.kill", {"target": target})
        self.start(one, "target.detach", {"target": target})
        if target in self.targets and self.random.random() > GONE:
            self.targets.remove(target)

    def leave(self, one):
        self.take_all()
        one.client.close()
        self.connections.remove(one)
        self.connections.append(self.connection())

    def step(self):
        one = self.random.choice(self.connections)
        if self.random.random() < LEAVE:
            self.leave(one)
            return
        method, params = one.requests.next()
        if "target" in params and self.random.random() < PROFILE:
            self.start(one, "profile.start", {"target": params["target"], "rate_hz": 1000})
        if method == "target.detach":
            self.detach(one, params["target"])
        else:
            self.start(one, method, params)
        while len(self.targets) > OPEN:
            self.detach(one, self.targets[0])

    def close(self):
        """Leave no target open and no program running."""
        self.take_all()
        for held in self.connections:
            for target in held.client.target.list()["targets"]:
                self.detach(held, target["target"])
            self.take_all()
        assert not self.connections[0].client.target.list()["targets"]
        self.end_programs(0)


def test_random_order(program, daemon, moments, tmp_path, capsys):
    programs = [program("flat", 2), program("nested", 2, 2), program("rounds", 2), program("churn")]
    if (PROGRAMS / "llvm" / "dlopen_part.so").exists():  # libgomp and libomp in one process.
        programs.append(program("several", PROGRAMS / "llvm" / "dlopen_part.so"))
    core = gcore(programs[1], tmp_path)
    fifo = tmp_path / "stdin"
    os.mkfifo(fifo)
    stdin = os.open(fifo, os.O_RDWR | os.O_CLOEXEC)
    crowd = Crowd(daemon, moments, {
        # Values that keep requests away from other processes, and from files outside the test's folder.
        "pid": [one.pid for one in programs],
        "argv": [[str(PROGRAMS / "flat"), "2"], ["/bin/sh", "-c", f"exec {PROGRAMS}/rounds 2"], [str(PROGRAMS / "execs"), "100"]],
        "env": [{}], "cwd": [str(tmp_path)], "stdin": [str(fifo)], "stdout": ["/dev/null"], "stderr": ["/dev/null"],
        "core": [str(core), "/nonexistent/core"], "exe": [str(PROGRAMS / "nested")], "path": [str(tmp_path)],
        "max_stop_ms": [60000],
    })
    try:
        deadline = time.monotonic() + RANDOM_SECONDS
        while time.monotonic() < deadline or set(crowd.counts) != set(METHODS) or (
                not crowd.samplings and time.monotonic() < deadline + PROFILE_SECONDS):
            crowd.step()
        crowd.close()
    finally:
        os.close(stdin)
    assert crowd.samplings > 0, "no profile has looked at anything"
    with capsys.disabled():
        print(f"{sum(crowd.counts.values())} requests in random order, {crowd.samplings} looks of the longest profile")
