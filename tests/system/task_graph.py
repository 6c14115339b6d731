# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tasks graph` on each of the three runtimes: a thread in taskwait, a running task, two tasks that wait for it, and
one that waits for these two.
"""
import pytest
from daemons import SANITIZED
from targets import BUILD, PROGRAMS, wait_until

# Return the program's folder and its environment.
RUNTIMES = {"libgomp": ("", None), "libomp": ("llvm/", None), "ours": ("", {"LD_LIBRARY_PATH": str(BUILD / "lib" / "ompdd")})}
N_TASKS = 4


def attach(runtime, program, client, mode):
    """Return the target once its thread waits.

    A waiter in libomp's taskwait does not sleep, so the program does not announce itself.
    """
    folder, env = RUNTIMES[runtime]
    if env and SANITIZED:
        pytest.skip("this build's runtime has a sanitizer that its programs do not start with")
    if not (PROGRAMS / f"{folder}tasks").exists():
        pytest.skip("no clang with libomp: stock libomp is not looked at")
    one = program("tasks", "graph", path=PROGRAMS / f"{folder}tasks", env=env, wait=False)
    for _ in range(3):
        one.read_line()
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    wait_until(lambda: sum(task["kind"] == "explicit" for task in client.task.list(target=target, dependences=True)["tasks"]) == N_TASKS, "the thread waits")
    return target
