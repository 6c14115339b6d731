#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A fake ompdd that answers from made-up snapshots, or misbehaves; the tests of ompdctl start it.

fake_ompdd.py --listen stdio|unix:PATH|tcp:PORT [--token-file F]

$FAKE_OMPDD         how it behaves: ok (default), exit, crash, garbage, hang, huge, half, notify, late_target,
                    refused, linger, not_object, mutated (by $FAKE_OMPDD_SEED)
$FAKE_OMPDD_STATE   which snapshot: nested (default), flat, flat_unknown, tasks, hostile, odd, empty
$FAKE_OMPDD_LOG     a file that gets one line per request: its method
$FAKE_OMPDD_GATE    a method that is answered only when the file of this name beside the log is there
"""

import json
import os
import random
import pathlib
import signal
import socket
import subprocess
import sys
import time

import mutated_answers

BUILD = pathlib.Path(os.environ.get("OMPDD_BUILD_DIR", pathlib.Path(__file__).parents[2] / "build"))
RC = {"rc": "ompd_rc_unavailable"}
RUNTIME = {
    "kind": "libgomp",
    "path": "/usr/lib/x86_64-linux-gnu/libgomp.so.1",
    "version": "12",
    "build_id": "5c1d3bb09c1c5b2a3d6a0c3f8b5ac2f0a0b1c2d3",
}
PLUGIN = {
    "path": "/usr/lib/ompdd/libompd.so",
    "api_version": 202111,
    "version_string": "ompdd libompd 0.2.0",
}


def state(name, source="inferred"):
    return {"name": "ompt_state_" + name, "value": 1, "source": source}


def function(symbol):
    return {"address": "0x55d0c0de1189", "symbol": symbol}


def wait(value, what):
    return {"value": hex(value), "what": what, "source": "inferred"}


def thread(tid, num, st, par, task, waits=RC, comm="solver"):
    return {
        "tid": tid,
        "pthread": hex(0x7F0000000000 + tid * 0x1000),
        "comm": comm,
        "openmp": True,
        "thread_num": num,
        "state": st,
        "wait_id": waits,
        "parallel": par,
        "task": task,
    }


def icvs(level, active, size, nthreads, num=0):
    def v(value):
        return {"value": str(value), "int": value}

    return {
        "dyn-var": v(0),
        "nthreads-var": v(nthreads),
        "run-sched-var": {"value": "static,0"},
        "max-active-levels-var": v(2),
        "thread-limit-var": v(2147483647),
        "levels-var": v(level),
        "active-levels-var": v(active),
        "team-size-var": v(size),
        "thread-num-var": v(num),
        "place-partition-var": RC,
        "def-allocator-var": RC,
    }


class State:
    """Builds a snapshot.get result piece by piece."""

    def __init__(self):
        self.threads, self.parallels, self.tasks = [], [], []

    def par(self, level, active, size, enclosing, fn, threads):
        handle = f"t1:e1:par:{len(self.parallels) + 1}"
        self.parallels.append({
            "handle": handle, "level": level, "active_level": active, "team_size": size,
            "enclosing": enclosing, "function": function(fn) if fn else RC, "threads": threads,
        })
        return handle

    def task(self, kind, tid, par, generating, values, fn=None, scheduling=RC):
        handle = f"t1:e1:task:{len(self.tasks) + 1}"
        self.tasks.append({
            "handle": handle, "kind": kind, "thread": tid, "parallel": par,
            "generating": generating, "scheduling": scheduling,
            "function": function(fn) if fn else RC, "icvs": values,
        })
        return handle

    def result(self):
        def v(value):
            return {"scope": "address_space", "value": str(value), "int": value}

        return {
            "target": "t1", "pid": 4711, "epoch": 1, "consistency": "stopped", "stopped_us": 212,
            "runtime": RUNTIME, "plugin": PLUGIN, "threads": self.threads,
            "parallels": self.parallels, "tasks": self.tasks,
            "icvs": {
                "num-procs-var": v(2), "cancel-var": v(0), "stacksize-var": v(0),
                "wait-policy-var": {"scope": "address_space", "rc": "ompd_rc_unavailable"},
            },
        }


def flat(n=300):
    """One team of n: thread 0 works, two wait for a lock, the others are at the barrier; and a logger thread."""
    s = State()
    tids = list(range(4711, 4711 + n))
    outer = s.par(0, 0, 1, RC, None, [4711])
    first = s.task("initial", 4711, outer, RC, icvs(0, 0, 1, n))
    inner = s.par(1, 1, n, outer, "main._omp_fn.0", tids)
    for i, tid in enumerate(tids):
        task = s.task("implicit", tid, inner, first, icvs(1, 1, n, n, i))
        st, waits = state("wait_barrier_implicit_parallel"), wait(0x55D0F8012344, "barrier")
        if i == 0:
            st, waits = state("work_parallel"), RC
        elif i in (17, 42):
            st, waits = state("wait_lock"), wait(0x55D0F80100A0, "lock")
        s.threads.append(thread(tid, i, st, inner, task, waits))
    s.threads.append({"tid": 4711 + n, "pthread": "0x7f0000999000", "comm": "logger", "openmp": False})
    return s.result()


def nested():
    """Two levels: a team of 3, whose threads encounter a team of 4 each; two idle threads of the pool."""
    s = State()
    outer = s.par(0, 0, 1, RC, None, [4711])
    first = s.task("initial", 4711, outer, RC, icvs(0, 0, 1, 3))
    mid_tids = [4711, 4712, 4713]
    mid = s.par(1, 1, 3, outer, "main._omp_fn.1", mid_tids)
    mid_tasks = [s.task("implicit", t, mid, first, icvs(1, 1, 3, 4, i)) for i, t in enumerate(mid_tids)]
    tid = 4714
    for i, master in enumerate(mid_tids):
        team = [master] + list(range(tid, tid + 3))
        tid += 3
        inner = s.par(2, 2, 4, mid, "main._omp_fn.0", team)
        for num, t in enumerate(team):
            task = s.task("implicit", t, inner, mid_tasks[i], icvs(2, 2, 4, 4, num))
            busy = num == 0 if i < 2 else num != 3
            s.threads.append(thread(
                t, num, state("work_parallel" if busy else "wait_barrier_implicit_parallel"), inner,
                task, RC if busy else wait(0x55D0F8012000 + 0x100 * i, "barrier")))
    for t in (tid, tid + 1):
        s.threads.append(thread(t, RC, state("idle", "plugin"), RC, RC, wait(0x55D0F8013000, "dock")))
    s.threads.sort(key=lambda t: t["tid"])
    return s.result()


def tasks():
    """Explicit tasks: thread 0 in a taskwait inside one, the others in its children."""
    s = State()
    tids = [4711, 4712, 4713, 4714]
    outer = s.par(0, 0, 1, RC, None, [4711])
    first = s.task("initial", 4711, outer, RC, icvs(0, 0, 1, 4))
    inner = s.par(1, 1, 4, outer, "fib_parallel._omp_fn.0", tids)
    implicit = [s.task("implicit", t, inner, first, icvs(1, 1, 4, 4, i)) for i, t in enumerate(tids)]
    root = s.task("explicit", 4711, inner, implicit[0], icvs(1, 1, 4, 4), "fib._omp_fn.1")
    child = s.task("explicit", 4711, inner, root, icvs(1, 1, 4, 4), "fib._omp_fn.2", root)
    current = [child]
    for t in tids[1:]:
        current.append(s.task("explicit", t, inner, root, icvs(1, 1, 4, 4), "fib._omp_fn.2"))
    s.task("explicit", RC, inner, child, icvs(1, 1, 4, 4), "fib._omp_fn.3")
    s.task("explicit", RC, inner, child, icvs(1, 1, 4, 4), "fib._omp_fn.3")
    for i, t in enumerate(tids):
        st = state("wait_taskwait", "plugin") if i == 0 else state("work_parallel")
        s.threads.append(thread(t, i, st, inner, current[i]))
    return s.result()


def hostile():
    """Names, and a warning, that would control a terminal."""
    s = State()
    outer = s.par(0, 0, 1, RC, "\x1b]0;owned\x07\x1b[2J\u202eevil\u009b31m" + "A" * 300, [4711])
    task = s.task("initial", 4711, outer, RC, icvs(0, 0, 1, 1), "line\nbreak\r\t")
    s.threads.append(thread(4711, 0, state("work_serial", "plugin"), outer, task, comm="\x1b[31mred\x7f"))
    s.threads.append({"tid": 4712, "pthread": RC, "comm": "a\nb", "openmp": RC})
    result = s.result()
    result["warnings"] = [{"name": "walk_cut", "message": "cut \x1b[5m here"}]
    return result


def odd():
    """Wrong types everywhere, references in circles: shown as well as possible."""
    return {
        "target": 7, "pid": "x", "threads": [
            3, None, {}, {"tid": "x", "openmp": 5, "comm": []},
            {"tid": 1, "openmp": True, "parallel": "nowhere", "task": 9, "state": [], "wait_id": 4},
            {"tid": 2, "openmp": True, "parallel": "a", "task": "x", "state": {"name": 5}},
        ],
        "parallels": [
            {"handle": "a", "enclosing": "b", "threads": [2, 2, "y", 99]},
            {"handle": "b", "enclosing": "a", "threads": {}},
            {"handle": "c", "enclosing": "c", "level": -1, "team_size": "many"}, 5,
        ],
        "tasks": [
            {"handle": "x", "kind": "explicit", "scheduling": "y", "thread": 2, "parallel": "a"},
            {"handle": "y", "kind": "explicit", "scheduling": "x", "thread": 2, "parallel": "a"},
            {"handle": "z", "kind": 5, "icvs": 5}, [],
        ],
        "icvs": {"a": 5, "b": {"value": {"deep": []}}, "c": None}, "runtime": 5, "warnings": {"a": 1},
    }


def empty():
    return State().result()


def flat_unknown():
    """The states of two threads are unavailable, for the same reason."""
    s = flat()
    for thread in s["threads"][1:3]:
        thread["state"] = {"rc": "ompd_rc_unavailable", "message": "the thread runs"}
    return s


STATES = {"nested": nested, "flat": flat, "flat_unknown": flat_unknown, "tasks": tasks, "hostile": hostile, "odd": odd, "empty": empty}


def info(target, params):
    return {
        "target": target, "pid": params.get("pid", 4711), "mode": params.get("mode", "stop"),
        "exe": "/home/u/bin/solver", "max_stop_ms": params.get("max_stop_ms", 200),
        "state": "running", "epoch": 0, "n_threads": 300, "runtime": RUNTIME, "plugin": PLUGIN,
    }


def view(params, source, about):
    """Return the answer of view.get, from the service's own code."""
    request = {**params, "source": source, "info": about}
    done = subprocess.run([BUILD / "tests/support/view_of"], input=json.dumps(request), capture_output=True, check=True, text=True)
    result = json.loads(done.stdout)
    if "error" in result:
        raise Fail(-32602, "invalid_params", result["error"], result["hint"])
    return result


class Fail(Exception):
    def __init__(self, code, name, message, hint):
        super().__init__(message)
        self.error = {"code": code, "message": message, "data": {"name": name, "hint": hint}}


class Daemon:
    def __init__(self, behaviour):
        self.behaviour = behaviour
        self.targets = {}
        self.next = 7 if behaviour == "late_target" else 1
        if behaviour == "mutated":
            self.liar = mutated_answers.Liar(random.Random(os.environ["FAKE_OMPDD_SEED"]), os.getpid())

    def target(self, params):
        if params.get("target") not in self.targets:
            raise Fail(-32003, "no_such_target", f"no target {params.get('target')}",
                       "target.list shows the targets; target.attach makes one")
        return self.targets[params["target"]]

    def call(self, method, params):
        if method == "target.attach":
            if params["pid"] == 999999:
                raise Fail(1000, "no_such_process", "no process has pid 999999",
                           "check the pid with ps")
            target = f"t{self.next}"
            self.next += 1
            self.targets[target] = info(target, params)
            return self.targets[target]
        if method == "target.list":
            keys = ("target", "pid", "mode", "max_stop_ms")
            return {"targets": [{**{k: t[k] for k in keys}, "state": "attached"}
                                for t in self.targets.values()]}
        if method == "target.info":
            odd = {"": 7, "n_": 8, "\x1b[1m_ms": 9} if os.environ.get("FAKE_OMPDD_STATE") == "hostile" else {}
            return {**self.target(params), **odd}
        if method == "target.detach":
            t = self.target(params)
            del self.targets[t["target"]]
            return {"target": t["target"], "pid": t["pid"]}
        if method == "daemon.info":
            return {"version": "0.2.0", "params": params}
        if method == "test.echo":
            return params
        self.target(params)
        whole = STATES[os.environ.get("FAKE_OMPDD_STATE", "nested")]()
        lists = {"thread.list": "threads", "task.list": "tasks", "icv.list": "icvs"}
        if method == "snapshot.get":
            return whole
        if method == "view.get":
            return view(params, whole, self.target(params))
        if method in lists:
            keys = ("target", "pid", "epoch", "consistency", "stopped_us", lists[method])
            return {k: whole[k] for k in keys}
        raise Fail(-32601, "method_not_found", f"no method {method}", "rpc.discover lists the methods")

    def answer(self, request):
        head = {"jsonrpc": "2.0", "id": request["id"]}
        if self.behaviour == "refused":
            return {"jsonrpc": "2.0", "id": None, "error": Fail(
                -32000, "limit_exceeded", "64 connections are open", "close one").error}
        if self.behaviour == "not_object":
            return {**head, "result": 5}
        try:
            return {**head, "result": self.call(request["method"], request["params"])}
        except Fail as f:
            return {**head, "error": f.error}

    def misbehave(self, send):
        """Act before the first answer. Return whether to continue."""
        if self.behaviour == "exit":
            sys.stderr.write("error: cannot find ompdd-worker\x1b[31m\n")
            sys.stderr.flush()
            os._exit(4)
        if self.behaviour == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        if self.behaviour == "garbage":
            send(b"SSH-2.0-OpenSSH_9.2\x1b[31m\r\n")
        if self.behaviour == "half":
            send(b'{"jsonrpc":"2.0","id":1,"resu')
            os._exit(0)
        if self.behaviour == "hang":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(600)
        if self.behaviour == "huge":
            for _ in range(70):
                send(b"x" * (1 << 20))
        if self.behaviour == "notify":
            send(b'{"jsonrpc":"2.0","method":"event.thing","params":{}}\n\n')
        return True

    def serve(self, lines, send, token=None):
        first = True
        for line in lines:
            request = json.loads(line)
            if os.environ.get("FAKE_OMPDD_LOG"):
                with open(os.environ["FAKE_OMPDD_LOG"], "a", encoding="utf-8") as log:
                    log.write(request["method"] + "\n")
            if token is not None:
                if request["method"] != "rpc.authenticate" or request["params"]["token"] != token:
                    send(json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": Fail(
                        -32002, "unauthorized", "wrong token", "send the token").error}).encode() + b"\n")
                    return
                send(b'{"jsonrpc":"2.0","id":1,"result":{}}\n')
                token = None
                continue
            if request["method"] == os.environ.get("FAKE_OMPDD_GATE"):
                while not os.path.exists(os.path.join(os.path.dirname(os.environ["FAKE_OMPDD_LOG"]), request["method"])):
                    time.sleep(0.01)
            if first:
                self.misbehave(send)
            first = False
            if self.behaviour == "mutated":
                send(self.liar.answer(request))
                continue
            send(json.dumps(self.answer(request)).encode() + b"\n")
        if self.behaviour == "linger":
            time.sleep(600)


def send_stdout(data):
    try:
        while data:
            data = data[os.write(1, data):]
    except BrokenPipeError:
        os._exit(0)


def main():
    options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
    daemon = Daemon(os.environ.get("FAKE_OMPDD", "ok"))
    listen = options["--listen"]
    if listen == "stdio":
        daemon.serve(sys.stdin, send_stdout)
        return
    token = None
    if listen.startswith("unix:"):
        server = socket.socket(socket.AF_UNIX)
        server.bind(listen[5:])
        name = listen
    else:
        server = socket.socket(socket.AF_INET)
        server.bind(("127.0.0.1", int(listen.rpartition(":")[2])))
        name = f"tcp:127.0.0.1:{server.getsockname()[1]}"
        with open(options["--token-file"], encoding="utf-8") as f:
            token = f.read().strip()
    server.listen()
    print(f"listening on {name}", flush=True)
    while True:
        conn, _ = server.accept()
        with conn, conn.makefile("rb") as lines:
            try:
                daemon.serve(lines, conn.sendall, token)
            except ConnectionError:
                pass


if __name__ == "__main__":
    main()
