# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A region whose threads call Python. Arguments: the extension, and one of

held: the main thread holds the GIL and waits at the end of the region, whose threads need it: a deadlock.
released: the twin that gives the GIL away first: its regions end, again and again.
sleeping: another thread sleeps with the GIL.
"""
import ctypes
import json
import os
import sys
import threading

path, kind = sys.argv[1:]
CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_int)
called = []


@CALLBACK
def callback(number):
    called.append(number)


def report():
    print(json.dumps({"pid": os.getpid(), "lines": 0}), flush=True)


with_gil, without = ctypes.PyDLL(path), ctypes.CDLL(path)
report()
if kind == "held":
    with_gil.each(callback)
elif kind == "released":
    while True:
        without.each(callback)
        called.clear()
else:
    threading.Timer(0.5, with_gil.hold).start()
    while True:
        without.each(callback)
