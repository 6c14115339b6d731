# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads park in Python functions that C and generators call. Each prints what Python says about its own stack.

Arguments: names of functions below, one thread each; "spin" runs for ever.
"""
import json
import os
import sys
import threading
import time

ARRIVED = threading.Barrier(len(sys.argv))
LEAVE = threading.Event()


class Model:
    def fit(self, depth):
        if depth:
            return self.fit(depth - 1)
        return sorted([1], key=self.key)

    def key(self, _):
        park()


def park():
    ARRIVED.wait()
    LEAVE.wait()


def nested():
    Model().fit(3)


def generator():
    def numbers():
        yield from (park() for _ in range(1))
    list(numbers())


def größe():
    exec(compile("def 関数(f):\n\n    f()\n", "/tmp/naïve 🐍.py", "exec"), globals())
    globals()["関数"](park)


def lines():
    (
        park
    )(
    )


def spin():
    ARRIVED.wait()
    while True:
        pass


def frames(top):
    """Return the functions of a stack, innermost first."""
    found = []
    while top:
        name = getattr(top.f_code, "co_qualname", top.f_code.co_name)
        found.append([name, top.f_code.co_filename, top.f_lineno])
        top = top.f_back
    return found


threads = [threading.Thread(target=globals()[name], daemon=True) for name in sys.argv[1:]]
for one in threads:
    one.start()
ARRIVED.wait()
time.sleep(0.3)
stacks = sys._current_frames()
print(json.dumps({"pid": os.getpid(), "lines": 0}))
print(json.dumps({str(one.native_id): frames(stacks[one.ident]) for one in threads}), flush=True)
sys.stdin.read()
os._exit(0)
