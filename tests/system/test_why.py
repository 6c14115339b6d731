# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why a program hangs: each seeded hang with its kind, culprits and place, and no accusation of a healthy program."""
import json
import os
import subprocess
import time

import pytest
from conftest import needs, variants
from cores import gcore
from daemons import BIN, PATIENT_STOP_MS
from hangs import HANG, HANGS, LIBOMP, NO_HANG, NOT_SAID, OWN, RUNTIMES, diagnose_until, here, is_blocked, is_named, notes, pid_of, start
from snapshots import diagnose
from targets import children, tasks, wait_until

CASES = [(name, runtime) for name in HANG for runtime in RUNTIMES if name not in NO_HANG.get(runtime, ())]


@pytest.mark.parametrize("name, runtime", CASES)
def test_hang_is_named(name, runtime, program, client):
    expected = NOT_SAID.get(runtime, {}).get(name, HANG[name])
    one = start(program, name, runtime)
    pid = pid_of(one, name)
    if not expected:
        result = diagnose_until(client, pid, lambda r: r["verdict"] in ("unknown", "blocked") and
                                any(f["kind"] == "holder_unknown" for f in r["findings"]))
        unknown = [f for f in result["findings"] if f["kind"] == "holder_unknown"]
        assert unknown[0]["certainty"] == "candidate", result
        said = " ".join(claim["text"] for claim in unknown[0]["claims"])
        assert ("they may be detached, with an event that has not been fulfilled" in said) == (name == "detached"), said
        return
    diagnose_until(client, pid, lambda r: is_named(name, r, *expected))


@pytest.mark.parametrize("runtime", [runtime for runtime in RUNTIMES if runtime != "libomp"])
@pytest.mark.parametrize("name, n_waiting", (("barrier_late", 3), ("lock_late", 2)))
def test_who_sleeps_on_when_the_word_has_changed(name, n_waiting, runtime, mode, program, client):
    """A sleeper stays asleep until it is woken, and its word may have changed long before.

    With all threads waiting, it hangs.
    """
    one = start(program, name, runtime)
    diagnose_until(client, one.pid, lambda r: is_named(name, r, *HANG[name]) and r["findings"][0]["n_waiting"] == n_waiting, mode)


# Number of verdicts on each healthy program, kind and mode; four times as many while it is held. OMPDD_LOOKS=13 for
# more.
LOOKS = int(os.environ.get("OMPDD_LOOKS", "3"))
HEALTHY = ("locks", "rounds", "criticals", "barriers", "tasks", "depends", "ordered", "doacross", "singles", "nested", "serial",
           "sleeps", "detached", "mutexes", "naps", "roots", "library", "steps", "computes", "polls")
ACCUSATIONS = {"cycle", "holder_ended", "holder_elsewhere", "holder_idle", "different_barriers", "team_lost"}


@pytest.mark.parametrize("kind, runtime, mode", variants(HEALTHY, RUNTIMES))
def test_a_healthy_program_is_not_accused(kind, runtime, mode, program, client, moments):
    one = start(program, "healthy", runtime, kind)
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    for _ in range(LOOKS):
        assert_not_accused(diagnose(client, target, interval_ms=moments.randrange(5, 40)))


def assert_not_accused(result):
    accused = [f for f in result["findings"] if f["kind"] in ACCUSATIONS]
    assert result["verdict"] not in ("deadlock", "blocked") and not accused, json.dumps(result, indent=1)


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("kind", HEALTHY)
def test_nor_while_it_is_held(kind, runtime, program, client, moments):
    """A thread that is awake at that moment may be on its way, whatever it waits for: one moment is no proof."""
    one = start(program, "healthy", runtime, kind)
    target = client.target.attach(pid=one.pid)["target"]
    for _ in range(4 * LOOKS):
        client.target.stop(target=target)
        result = client.diagnose.get(target=target)
        client.target.resume(target=target)
        assert result["looks"] == {"n": 1}
        assert_not_accused(result)
        time.sleep(moments.uniform(0, 0.005))


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("kind", ("rounds", "barriers", "doacross", "roots"))
def test_nor_in_a_core(kind, runtime, program, client, tmp_path):
    one = start(program, "healthy", runtime, kind, env={"OMP_STACKSIZE": "128K"})
    for _ in range(LOOKS):
        assert_not_accused(client.diagnose.get(target=client.target.open_core(core=str(gcore(one, tmp_path)))["target"]))


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("name", ("barrier_miss", "mutex_pause", "nest_cycle", "ordered", "taskwait_pause"))
def test_without_a_stop(name, runtime, program, client):
    """A thread that slept all the time is as certain as in a stop."""
    if runtime == "libomp":
        pytest.skip("there threads spin, or their waits are known by stacks, and those in stops")
    verdict, kind, waits_for, numbers = HANG[name]
    one = start(program, name, runtime)
    result = diagnose_until(client, one.pid, lambda r: r["verdict"] == verdict and r["findings"][0]["kind"] == kind, "observe")
    assert result["consistency"] in ("proven", "racy") and result["stopped_us"] == 0
    assert result["findings"][0]["waits_for"] == waits_for
    assert numbers is None or {thread["thread_num"] for thread in result["findings"][0]["threads"]} == numbers


CORES = [(name, RUNTIMES[0]) for name in ("barrier_miss", "nest_cycle", "fork_child")]
CORES += [(name, runtime) for name in ("doacross", "mutex_critical", "mutex_ended", "ordered", "ordered_chunks") for runtime in RUNTIMES]


@pytest.mark.parametrize("name, runtime", CORES)
def test_a_core(name, runtime, program, client, tmp_path):
    verdict, kind, waits_for, _ = NOT_SAID.get(runtime, {}).get(name, HANG[name])
    one = start(program, name, runtime, env={"OMP_STACKSIZE": "128K"})
    if name in NO_HANG.get(runtime, ()):
        pytest.skip("it does not hang there")
    pid = pid_of(one, name)
    diagnose_until(client, pid, lambda r: r["verdict"] == verdict)

    def take():
        """A thread that has had no CPU since the last stop is not asleep in the core."""
        target = client.target.open_core(core=str(gcore(one, tmp_path, pid)))["target"]
        result = client.diagnose.get(target=target)
        client.target.detach(target=target)
        return result if result["verdict"] == verdict else None
    result = wait_until(take, "a core that shows the hang")
    assert (result["consistency"], result["looks"]) == ("core", {"n": 1})
    first = result["findings"][0]
    assert (first["kind"], first["certainty"]) == (kind, "proven") and waits_for in (None, first["waits_for"])
    assert {thread["place"]["location"]["line"] for thread in first["threads"]} <= here(name)


def test_views_warn_of_members_that_a_fork_left_behind(program, client):
    if "fork_child" in NO_HANG.get(RUNTIMES[0], ()):
        pytest.skip("it does not hang there")
    one = start(program, "fork_child", RUNTIMES[0])
    target = client.target.attach(pid=pid_of(one, "fork_child"))["target"]

    def warnings():
        return {warning["name"]: warning["message"] for warning in client.thread.list(target=target).get("warnings", [])}
    wait_until(warnings, "it is in the region")
    assert "4 members, but the process has 1 thread" in warnings()["members_missing"]
    parent = client.target.attach(pid=one.pid)["target"]
    assert not client.thread.list(target=parent).get("warnings")


@pytest.mark.skipif("omprt" not in RUNTIMES, reason="of our runtime")
@pytest.mark.parametrize("how, kind", (("set", "lock"), ("test", "lock"), ("critical", "critical")))
def test_a_holder_that_is_in_no_region(how, kind, mode, program, client, tmp_path):
    """Our runtime stores what each thread has acquired: no code is needed as proof, and a core has it, too."""
    one = start(program, "lock_outsider", "omprt", how)

    def matches(result):
        return result["verdict"] == "blocked" and result["findings"][0]["waits_for"] == kind
    target = None
    for _ in range(2):
        if target:
            result = client.diagnose.get(target=target)
            assert matches(result), result
        else:
            result = diagnose_until(client, one.pid, matches, mode)
        (thread,) = result["findings"][0]["threads"]
        assert thread["tid"] in set(tasks(one.pid)) - {one.pid}
        held = [claim for claim in result["findings"][0]["claims"] if "the lock names it as its holder" in claim["text"]]
        assert [(claim["source"], claim["thread"]) for claim in held] == [("memory", thread["tid"])], result
        if mode == "observe":
            return
        target = client.target.open_core(core=str(gcore(one, tmp_path)))["target"]


IN_NAMESPACE = ["unshare", "--pid", "--fork", "--kill-child"]


@pytest.mark.skipif("omprt" not in RUNTIMES, reason="of our runtime")
@pytest.mark.parametrize("how", ("set", "critical"))
def test_a_holder_in_a_container(how, mode, client):
    """The runtime has the threads' ids of its own namespace. A thread with another id here is not reported as ended."""
    needs(*IN_NAMESPACE)
    with subprocess.Popen([*IN_NAMESPACE, HANGS / "lock_outsider", how], env={**os.environ, "LD_LIBRARY_PATH": str(OWN)}, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as one:
        try:
            assert json.loads(one.stdout.readline())["pid"] == 1
            (pid,) = children(one.pid)
            result = diagnose_until(client, pid, is_blocked, mode)
            (thread,) = result["findings"][0]["threads"]
            assert thread["tid"] in set(tasks(pid)) - {pid}
        finally:
            one.kill()


def held_by_a_fork(program, kind, runtime):
    """The parent, its thread that holds the lock, and the child that waits for it."""
    one = start(program, "fork_held", runtime, kind)
    line = one.read_line()
    return one, line["keeper"], line["child"]


# LLVM's runtime forgets all locks in the child, and does not count threads that it does not know.
FORK_HELD = [("mutex", runtime) for runtime in RUNTIMES] + [("nest", runtime) for runtime in RUNTIMES if runtime != "libomp"]
FORK_HELD += [(kind, "omprt") for kind in ("lock", "critical") if "omprt" in RUNTIMES]


@pytest.mark.parametrize("kind, runtime", FORK_HELD)
def test_what_a_fork_has_copied_held(kind, runtime, mode, program, client, tmp_path):
    """Its holder has not ended: it is a thread of the parent, if that is visible."""
    one, keeper, child = held_by_a_fork(program, kind, runtime)
    result = diagnose_until(client, child, lambda r: r["verdict"] == "deadlock", mode)
    first = result["findings"][0]
    assert (first["kind"], first["certainty"], first["threads"]) == ("holder_elsewhere", "proven", []), first
    where = f", which thread {keeper} of process {one.pid} held when it forked this one" if kind == "mutex" else \
        ", but its holder is not a thread of this process"
    assert first["title"].endswith(f"{where}: no thread of this process can release it"), first
    assert any(f"fork_held.c:{line}" in first["claims"][0]["text"] for line in here("fork_held")), first
    assert "has ended" not in json.dumps(result)
    if mode == "stop":
        target = client.target.open_core(core=str(gcore(one, tmp_path, child)))["target"]
        result = client.diagnose.get(target=target)
        assert (result["verdict"], result["findings"][0]["kind"]) == ("deadlock", "holder_elsewhere")
        assert "its holder is not a thread of this process" in result["title"] and "has ended" not in json.dumps(result)


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_what_the_copy_of_its_holder_may_release(runtime, program, client):
    """The thread that forked held it. Its copy may release it, and the child's other threads may wait for that."""
    *_, child = held_by_a_fork(program, "own", runtime)
    result = diagnose_until(client, child, lambda r: any(f["kind"] == "holder_elsewhere" for f in r["findings"]))
    assert result["verdict"] == "unknown", result
    (finding,) = [f for f in result["findings"] if f["kind"] == "holder_elsewhere"]
    assert finding["certainty"] == "candidate" and "can release it" not in finding["title"], finding
    assert f"thread 0 ({child}) may be a copy of the holder" in finding["claims"][-1]["text"], finding


@pytest.mark.parametrize("runtime", [one for one in RUNTIMES if one == "libgomp"])
def test_who_could_hold_what_a_fork_has_copied(runtime, program, client):
    *_, child = held_by_a_fork(program, "critical", runtime)
    result = diagnose_until(client, child, lambda r: r["verdict"] == "deadlock")
    first = result["findings"][0]
    assert (first["kind"], first["certainty"]) == ("all_wait", "proven"), result
    assert first["title"].endswith(", and the process has no other thread: no thread can release it"), result
    assert "or it was held when the process was forked" in json.dumps(first["claims"]), result


def reached(result):
    """Return the claims about the barrier that threads wait for."""
    return next(claim["text"] for claim in result["findings"][0]["claims"] if "have arrived" in claim["text"])


@pytest.mark.parametrize("runtime", [one for one in RUNTIMES if one != "libomp"])
@pytest.mark.parametrize("kind", ("even", "chunks", "unsigned", "square", "dynamic"))
def test_who_executes_an_iteration(kind, runtime, program, client):
    """With a static schedule libgomp has one counter per thread.

    Otherwise a counter belongs to a chunk, and its executing thread is not stored.
    """
    one = start(program, "doacross", runtime, kind)
    if kind != "dynamic" or runtime == "omprt":
        numbers = {1} if kind != "dynamic" else None
        diagnose_until(client, one.pid, lambda r: is_named("doacross", r, "blocked", "blocked", "ordered", numbers))
        if kind == "even":  # Its first thread does not wait for a turn, but at the end of the region.
            diagnose_until(client, one.pid, lambda r: r["title"].startswith("blocked: 1 thread waits for a turn in ordered: thread 1 ")
                           and r["title"].endswith("; 1 more is blocked behind them"))
        return

    def is_not_known(result):
        unknown = [f for f in result["findings"] if f["kind"] == "holder_unknown" and f["waits_for"] == "ordered"]
        return bool(unknown) and all(f["certainty"] == "candidate" for f in unknown)
    diagnose_until(client, one.pid, is_not_known)


@pytest.mark.parametrize("policy", ("active", "passive"))
@pytest.mark.parametrize("runtime", RUNTIMES)
def test_which_barrier(policy, runtime, program, client):
    """Asleep or awake: all wait at the same barrier, the one at the end of the region."""
    one = start(program, "barrier_end", runtime, env={"OMP_WAIT_POLICY": policy})
    end = "wait for the barrier at the end of the region at which 3 of 4 threads have arrived"
    result = diagnose_until(client, one.pid, lambda r: is_blocked(r) and end in reached(r))
    assert result["findings"][0]["n_waiting"] == 3
    assert result["findings"][0]["thing"] == "the barrier at the end of the region"


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_who_is_at_the_end_already(runtime, program, client):
    """For threads at different barriers, each claim names its barrier."""
    one = start(program, "barrier_extra", runtime)
    result = diagnose_until(client, one.pid, lambda r: r["verdict"] == "deadlock")
    texts = {claim["text"] for claim in result["findings"][0]["claims"] if "thread" in claim}
    (first,) = [text for text in texts if text.startswith("thread 0 ")]
    assert any(f"barrier_extra.c:{line}" in first for line in here("barrier_extra")), first
    assert texts - {first} and all("has finished its part of the region and waits at the end of the region" in text for text in texts - {first}), texts


@pytest.mark.skipif("libomp" not in RUNTIMES, reason="no clang with libomp here, or of another runtime")
def test_locks_that_note_their_holder_when_told_to(program, client):
    """LLVM's runtime needs an environment variable for that, and the answer names it."""
    one = start(program, "lock_tail", "libomp")
    result = diagnose_until(client, one.pid, lambda r: any(f["kind"] == "holder_unknown" for f in r["findings"]))
    (unknown,) = [f for f in result["findings"] if f["kind"] == "holder_unknown"]
    assert any("does not store its holder; a run with KMP_CONSISTENCY_CHECK=all" in claim["text"] for claim in unknown["claims"]), unknown
    told = start(program, "lock_tail", "libomp", env={"KMP_CONSISTENCY_CHECK": "all"})
    diagnose_until(client, told.pid, lambda r: is_named("lock_tail", r, "blocked", "blocked", "lock", {1}))


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_what_is_not_seen_is_not_claimed(runtime, program, client):
    """Without a stop, running threads have no stack: the answer says whether they work or wait actively only if the
    runtime stores it.
    """
    one = start(program, "doacross", runtime)
    diagnose_until(client, one.pid, lambda r: r["verdict"] in ("blocked", "unknown") and any(
        "in late() at" in claim["text"] for f in r["findings"] for claim in f["claims"]))
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    for _ in range(3):
        result = diagnose(client, target, interval_ms=50)
        texts = [claim["text"] for f in result["findings"] for claim in f["claims"]]
        assert not any(text.startswith("thread 2 ") and "has finished its part of the region" in text for text in texts), texts
        assert result["verdict"] in ("blocked", "unknown"), json.dumps(result, indent=1)


@pytest.mark.parametrize("runtime", [one for one in RUNTIMES if one != "libomp"])
def test_graph(runtime, program, client):
    """Return the waiting threads, their objects, and the holders."""
    one = start(program, "nest_cycle", runtime)
    target = client.target.attach(pid=one.pid)["target"]

    def seen():
        result = diagnose(client, target, interval_ms=50, graph=True)
        return result if result["verdict"] == "deadlock" else None
    result = wait_until(seen, "the deadlock")
    nodes = {node["id"]: node for node in result["nodes"]}
    assert len(nodes) == len(result["nodes"])
    assert sorted(node["kind"] for node in nodes.values()) == ["barrier", "nest_lock", "nest_lock", "thread", "thread", "thread"]
    edges = {(edge["from"], edge["to"]): edge for edge in result["edges"]}
    locks = {node["name"]: ident for ident, node in nodes.items() if node["kind"] == "nest_lock"}
    assert set(locks) == {"nestable lock red", "nestable lock blue"}
    for lock in locks.values():
        (holder,) = [edge for edge in edges.values() if edge["from"] == lock]
        (waiter,) = [edge for edge in edges.values() if edge["to"] == lock]
        assert (holder["kind"], holder["certainty"], waiter["kind"]) == ("held_by", "proven", "waits_for")
        assert holder["source"] in ("plugin", "memory") and holder["evidence"]
        assert nodes[holder["to"]]["kind"] == "thread" and holder["to"] != waiter["from"]
    assert "nodes" not in client.diagnose.get(target=target, interval_ms=0)


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_nested_regions_of_one_thread(runtime, program, client):
    one = start(program, "serialized", runtime)
    result = diagnose_until(client, one.pid, lambda r: r["verdict"] == "waiting" and r["threads"]["sleeping"] == 2)
    assert notes(result)["serialized"].startswith("2 nested regions have one thread each: the limit of active nested regions is 1")


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_more_threads_than_processors(runtime, program, client):
    """One spins while the other counts for ever: no progress, and a note names the lack of CPUs."""
    one = start(program, "crowded", runtime, env={"OMP_WAIT_POLICY": "active", "GOMP_SPINCOUNT": "infinite"})
    result = diagnose_until(client, one.pid, lambda r: r["verdict"] == "unknown" and "oversubscribed" in notes(r))
    text = notes(result)["oversubscribed"]
    assert "ready to run, but the process may use only 1 CPU" in text, text


def test_two_runtimes(program, client):
    """The answer is about the runtime that hangs, and mentions the other one."""
    one = start(program, "two_runtimes", RUNTIMES[0], LIBOMP)
    result = diagnose_until(client, one.pid, is_blocked)
    assert {thread["thread_num"] for thread in result["findings"][0]["threads"]} == {2}
    assert "libomp" in notes(result)["several_runtimes"]


def screen(pid):
    """Return the answer, even if it is that the program has not started."""
    return subprocess.run([BIN / "ompdctl", "--max-stop-ms", str(PATIENT_STOP_MS), "-p", str(pid), "why"], capture_output=True, text=True, timeout=600).stdout


def test_the_screen(program, ompdctl):
    """Verdict first, in at most 24 lines of at most 80 columns."""
    one = start(program, "barrier_miss", RUNTIMES[0])
    wait_until(lambda: "blocked: 5 threads" in screen(one.pid), "the hang")
    text = ompdctl("-p", one.pid, "why").stdout
    lines = text.splitlines()
    assert len(lines) <= 24 and max(map(len, lines)) <= 80, text
    assert lines[1].startswith("blocked: 5 threads wait for a barrier: thread 3"), text
    assert f"in never() at barrier_miss.c:{min(here('barrier_miss'))}" in text.replace("\n    ", " "), text
    assert lines[-1].startswith("2 samples, "), text


def test_the_screen_of_many_threads(program, ompdctl):
    """One screen also for 300 threads, with the thread that the others wait for."""
    one = start(program, "barrier_miss", RUNTIMES[0], 300)
    wait_until(lambda: "blocked: 299 threads" in screen(one.pid), "the hang")
    text = ompdctl("-p", one.pid, "why").stdout
    assert len(text.splitlines()) <= 24 and max(map(len, text.splitlines())) <= 80, text
    assert "thread 3 " in text and "in never() at barrier_miss.c:" in text.replace("\n    ", " "), text
