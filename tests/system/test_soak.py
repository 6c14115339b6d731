# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All methods, mixed, with handles that are valid, again and again: nothing grows, no descriptor stays, no answer comes later than before.

OMPDD_SOAK_REQUESTS and OMPDD_SOAK_SECONDS end it, whichever comes first: a few hundred requests in the suite, 10^7 or most of an hour in the
soak preset.
"""
import json
import os
import pathlib
import random
import statistics
import time

import ompdd
from daemons import SANITIZED

SCHEMA = pathlib.Path(__file__).parents[2] / "protocol" / "schema"
METHODS = {schema["title"]: schema for schema in (json.loads(path.read_text()) for path in sorted(SCHEMA.glob("*.json")))}
REQUESTS = int(os.environ.get("OMPDD_SOAK_REQUESTS", "450"))
SECONDS = float(os.environ.get("OMPDD_SOAK_SECONDS", "600"))
SEED = int(os.environ.get("OMPDD_SOAK_SEED", "1"))
# These begin and end each round, or would let the target run in the middle of it.
FRAME = {"target.attach", "target.detach", "target.stop", "target.resume", "target.launch", "target.kill", "target.step",
         "ompd.finalize", "rpc.authenticate"}
# What is no answer to a valid request, whatever state the target is in.
NEVER = {"internal_error", "worker_failed", "plugin_crashed", "plugin_hung", "plugin_misbehaved", "request_timeout", "parse_error",
         "invalid_request", "method_not_found", "unauthorized", "not_allowed", "tracer_failed"}
ALLOWED_KB = 3072
# Of a latency, from when there is enough to compare: a machine that does something else must not fail it.
MANY = 100000


class Soak:
    """One client's requests, with what has come of them."""

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
        """Of each kind one, made anew."""
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
        """Attach, hold, everything in some order, let go, leave; and a program of our own, launched and ended."""
        target = self.ask("target.attach", {"pid": self.one.pid})["target"]
        self.ask("target.stop", {"target": target})
        order = [method for method in METHODS if method not in FRAME]
        self.random.shuffle(order)
        for method in order:
            # Some release what others need.
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
        self.seen.add("rpc.authenticate")  # a unix socket has no token


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
            """Until that part of the requests, or of the time, is over."""
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
        with capsys.disabled():  # also in the log of a run that passes
            print(f"{soak.n} requests in {took:.0f} s, {soak.n / took:.0f} a second; {before} -> {after}")
        if soak.n >= MANY:
            tenth = len(soak.times[warm:]) // 10
            early, late = soak.times[warm:warm + tenth], soak.times[-tenth:]
            assert statistics.median(late) < 3 * statistics.median(early), "answers come later and later"
