# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that hang, the expected verdict on each, and how to start one and wait until it hangs."""
import json
import pathlib

import pytest
from snapshots import diagnose
from targets import BUILD, LIBGOMP, OMPRT, PROGRAMS, wait_until

HANGS = PROGRAMS / "hangs"
SOURCES = pathlib.Path(__file__).parents[1] / "programs" / "hangs"
OWN = BUILD / "lib" / "ompdd"
LLVM = HANGS / "llvm"
RUNTIMES = ["omprt"] if OMPRT else ["libgomp"] if LIBGOMP else ["libgomp", "omprt"] + (["libomp"] if LLVM.exists() else [])

LIBOMP = "libomp.so.5"
# By program: verdict, kind of the first finding, the object that the threads wait for, and the numbers of the named
# threads (None: any).
HANG = {
    "barrier_critical": ("blocked", "blocked", "critical", {0}),
    "barrier_end": ("blocked", "blocked", "barrier", {2}),
    "barrier_extra": ("deadlock", "different_barriers", "barrier", {0, 1, 2, 3}),
    "barrier_f": ("blocked", "blocked", "barrier", {2}),
    "barrier_late": ("blocked", "blocked", "lock", None),
    "barrier_miss": ("blocked", "blocked", "barrier", {3}),
    "barrier_nested": ("blocked", "blocked", "barrier", {2}),
    "barrier_tail": ("blocked", "blocked", "barrier", {2}),
    "condition": ("blocked", "blocked", "barrier", {2}),
    "copyprivate": ("blocked", "blocked", None, None),
    "critical_again": ("deadlock", "cycle", "critical", {1}),
    "critical_barrier": ("deadlock", "cycle", None, None),
    "critical_cycle": ("deadlock", "cycle", "critical", {0, 1}),
    "critical_f": ("deadlock", "cycle", "critical", {0, 1}),
    "critical_read": ("blocked", "blocked", "critical", {1}),
    "critical_self": ("deadlock", "cycle", "critical", {1}),
    "depend": ("blocked", "detached", "taskwait", None),
    "detached": ("blocked", "detached", "taskwait", None),
    "doacross": ("blocked", "blocked", "ordered", {1}),
    "exception": ("deadlock", "cycle", None, {0, 1}),
    "fork_child": ("deadlock", "team_lost", "barrier", {0}),
    "future": ("blocked", "blocked", "barrier", None),
    "guards": ("deadlock", "cycle", "lock", {0, 1}),
    "held_calls": ("blocked", "blocked", "lock", {1}),
    "join": ("blocked", "blocked", "barrier", {1}),
    "join_lock": ("deadlock", "cycle", None, None),
    "lock_again": ("deadlock", "cycle", "lock", {1}),
    "lock_barrier": ("deadlock", "cycle", None, None),
    "lock_cycle": ("deadlock", "cycle", "lock", {1, 2}),
    "lock_ended": ("deadlock", "holder_ended", "nest_lock", set()),
    "lock_f": ("deadlock", "cycle", "lock", {1}),
    "lock_idle": ("deadlock", "holder_idle", "nest_lock", None),
    "lock_late": ("blocked", "blocked", "lock", None),
    "lock_outsider": ("blocked", "blocked", "lock", None),
    "lock_pause": ("blocked", "blocked", "lock", {2}),
    "lock_self": ("deadlock", "cycle", "lock", {1}),
    "lock_tail": ("blocked", "blocked", "lock", {1}),
    "mpi_recv": ("waiting", "outside", None, {0, 1, 2}),
    "mutex_critical": ("deadlock", "cycle", None, {0, 1}),
    "mutex_ended": ("deadlock", "holder_ended", "pthread_mutex", set()),
    "mutex_pause": ("blocked", "blocked", "pthread_mutex", {1}),
    "mutex_self": ("deadlock", "cycle", "pthread_mutex", {1}),
    "nest_cycle": ("deadlock", "cycle", "nest_lock", {0, 2}),
    "ordered": ("blocked", "blocked", "ordered", {1}),
    "ordered_chunks": ("blocked", "blocked", "ordered", None),
    "ordered_f": ("blocked", "blocked", "ordered", {1}),
    "queued": ("blocked", "blocked", None, {0, 1}),
    "rwlock": ("blocked", "blocked", "rwlock", {2}),
    "sections": ("waiting", "outside", None, {0}),
    "semaphore": ("blocked", "blocked", "barrier", {2}),
    "serialized": ("waiting", "outside", None, {0}),
    "single": ("blocked", "blocked", "barrier", None),
    "std_mutex": ("deadlock", "cycle", None, {0, 1}),
    "stream": ("blocked", "blocked", "stream", {1}),
    "task_f": ("blocked", "blocked", None, None),
    "taskgroup_pause": ("blocked", "blocked", None, None),
    "taskwait_group": ("blocked", "blocked", "taskwait", None),
    "taskwait_pause": ("blocked", "blocked", "taskwait", None),
}
SEVERAL_PLACES = {"barrier_extra", "join_lock", "critical_barrier", "exception", "lock_barrier"}
# Waits that a runtime does not record: the right answer there is "not known".
NOT_SAID = {
    "libgomp": {
        "lock_idle": ("deadlock", "holder_ended", "nest_lock", set()), "queued": ("waiting", "outside", None, {0, 1}),
        "lock_tail": None,
    },
    "libomp": {
        "barrier_extra": ("deadlock", "different_barriers", "barrier", None),
        # Threads wait actively for tasks there: it is not proven that they stay.
        "depend": ("unknown", "detached", "taskwait", None),
        # A task counts its children and does not list them. Without dependences nothing leads to it.
        "detached": None, "lock_tail": None,
        # Its threads record which iterations are done, and not the executing thread.
        "doacross": ("blocked", "blocked", "barrier", {1}),
    },
}
# Left out: our runtime and LLVM's start again in the child of a fork. LLVM's forgets the holder of a lock when that
# thread has ended, and its waiters never sleep there.
NO_HANG = {"omprt": {"fork_child"}, "libomp": {"fork_child", "lock_ended", "lock_late"}}
# Programs that clang cannot compile here are gcc's programs on LLVM's runtime in place of libgomp.
AS_LIBGOMP = PROGRAMS / "llvm" / "as_libgomp"


def start(program, name, runtime, *args, env=None):
    is_clangs = runtime == "libomp" and (LLVM / name).exists()
    path = (LLVM if is_clangs else HANGS) / name
    if not path.exists() or runtime == "libomp" and not is_clangs and not AS_LIBGOMP.exists():
        pytest.skip(f"{name} was not built")
    library = OWN if runtime == "omprt" else AS_LIBGOMP if runtime == "libomp" and not is_clangs else None
    env = {**({"LD_LIBRARY_PATH": str(library)} if library else {}), **(env or {})}
    one = program(name, *args, path=path, env=env, wait=False)
    assert one.read_line()["pid"] == one.pid
    return one


def here(name):
    """Return the source lines that a verdict may name."""
    (source,) = [path for path in SOURCES.glob(f"{name}.*")]
    return {number for number, line in enumerate(source.read_text().splitlines(), 1) if "HERE" in line}


def diagnose_until(client, pid, matches, mode="stop"):
    """Request verdicts until the program hangs as expected: @matches returns True without an assertion.

    Before, it may still be on its way.
    """
    target = client.target.attach(pid=pid, mode=mode)["target"]
    last = {}

    def seen():
        last.update(result=diagnose(client, target, interval_ms=50), wrong=None)
        try:
            return matches(last["result"])
        except AssertionError as wrong:
            last["wrong"] = wrong
            return False
    try:
        wait_until(seen, "the hang")
    except AssertionError:
        raise AssertionError(f"{last['wrong']}\n{json.dumps(last['result'], indent=1)}") from None
    return last["result"]


def is_blocked(result):
    """Return whether a thread blocks others. A thread that is still on its way to its place polls, and may do that, too."""
    return result["verdict"] == "blocked" and result["findings"][0]["kind"] == "blocked"


def pid_of(one, name):
    """Return the process that hangs: the child, in a program that forks."""
    return one.read_line()["child"] if name == "fork_child" else one.pid


def is_named(name, result, verdict, kind, waits_for, numbers):
    """Return whether the verdict is the expected one. Then assert that everything else is right, too."""
    if result["verdict"] != verdict or result["findings"][0]["kind"] != kind:
        return False
    first = result["findings"][0]
    assert first["certainty"] == ("candidate" if verdict == "unknown" else "proven")
    assert all(claim["source"] != "inferred" for claim in first["claims"]), first
    assert result["looks"]["n"] == 2
    assert first.get("waits_for") == waits_for or waits_for is None
    if numbers is not None:
        assert {thread["thread_num"] for thread in first["threads"]} == numbers, first
    if kind == "detached":
        assert not first["threads"] and first["n_waiting"] == 2
        assert any(f".c:{line}" in first["claims"][0]["text"] for line in here(name)), first
        return True
    lines = {thread["place"]["location"]["line"] for thread in first["threads"] if "place" in thread}
    if kind in ("holder_ended", "holder_idle"):
        return True
    # No thread executes such a task: the finding names the waiting threads.
    if kind in ("detached", "dependence"):
        assert any(f"{name}.c:{line}" in claim["text"] for claim in first["claims"] for line in here(name)), first
        return True
    # For a cycle through a barrier, and for threads that have finished the region, the finding names one place.
    assert lines & here(name) if name in SEVERAL_PLACES else lines and lines <= here(name), first
    return True


def notes(result):
    return {note["kind"]: note["text"] for note in result["notes"]}
