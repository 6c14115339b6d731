# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where OpenMP threads spend their time: profile.start, .get and .stop."""
import ctypes
import json
import struct
import subprocess

import pytest
from conftest import fails
from daemons import BIN
from targets import BUILD, LIBGOMP, OMPRT, PROGRAMS, wait_until

OURS = {} if OMPRT else {"LD_LIBRARY_PATH": str(BUILD / "lib" / "ompdd")}
# LLVM's runtime in place of libgomp.
AS_LIBGOMP = PROGRAMS / "llvm" / "as_libgomp"
# The states that tests/programs/shares.c counts, and the states of a profile.
STATES = {"work": {"work"}, "serial": {"serial"}, "critical": {"critical"}, "taskwait": {"taskwait"}, "idle": {"idle"}, "overhead": {"overhead"},
          "barrier": {"barrier", "barrier_implicit", "barrier_explicit"}}
ORDER = ["work", "serial", "critical", "barrier", "taskwait", "idle", "overhead"]


class Shares:
    """The program that measures its own shares."""

    def __init__(self, program, path, mode, n, env):
        self.path, self.n = path, n
        path.write_bytes(bytes(8 * len(ORDER) * n))
        self.program = program("shares", mode, path, n, env=env)

    def spent(self):
        """Return nanoseconds by thread number and state, until now."""
        words = struct.unpack(f"<{len(ORDER) * self.n}Q", self.path.read_bytes())
        return [dict(zip(ORDER, words[i:i + len(ORDER)])) for i in range(0, len(words), len(ORDER))]


def shares_of(times):
    total = sum(times.values())
    return {name: sum(times.get(state, 0) for state in states) / total for name, states in STATES.items()}


def profile_shares(client, program, path, mode, n, looks, env=None, **options):
    """Return a profile of this many samples, its times per thread, and the program's own counters of the same interval.
    """
    one = Shares(program, path, mode, n, OURS if env is None else env)
    wait_until(lambda: min(sum(row.values()) for row in one.spent()) > 0, "each thread has done something")
    target = client.target.attach(pid=one.program.pid, mode="observe")["target"]
    before = one.spent()
    client.profile.start(target=target, **options)
    wait_until(lambda: client.profile.get(target=target)["profile"]["samplings"] >= looks, "the looks")
    client.profile.stop(target=target)
    after = one.spent()
    counted = [{name: late[name] - early[name] for name in ORDER} for early, late in zip(before, after)]
    profile = client.profile.get(target=target, stacks=True)
    return profile, shares_of(profile["total"]["times"]), shares_of({k: sum(row[k] for row in counted) for k in ORDER}), counted


@pytest.mark.parametrize("mode", ["critical", "imbalance", "idle", "taskwait"])
def test_moving_threads(program, client, tmp_path, mode):
    """All states are found and named. A loaded machine blurs the shares: tests/bench compares those."""
    profile, seen, counted, rows = profile_shares(client, program, tmp_path / "shares", mode, 2, 200, rate_hz=200)
    region = max(profile["regions"], key=lambda row: row["times"].get("work", 0))
    assert region["place"]["function"] == "region._omp_fn.0" and region["place"]["location"]["file"].endswith("shares.c")
    assert region["members"] == 2 and region["threads"] == 2 and region["level"] == 1
    if mode == "critical":
        lock = profile["locks"][0]
        assert lock["symbol"] == ".gomp_critical_user_shared" and lock["state"] == "critical"
        assert lock["wait_us"] == profile["total"]["times"]["critical"] and lock["max_waiters"] == 1
    if mode == "imbalance":
        assert region["imbalance"] > 1
    if mode == "idle":
        assert any(row["outside"] and row["times"].get("serial") for row in profile["regions"])
    if mode == "taskwait":
        task = profile["tasks"][0]
        assert task["place"]["function"].startswith("taskwait._omp_fn") and task["run_us"] > 0
    check_stacks(profile["stacks"])


# OMPT's names as in programs/waits.c, and the names in a profile.
PROFILE_STATES = {
    "ompt_state_work_parallel": {"asleep"},
    "ompt_state_wait_critical": {"critical", "mutex"}, "ompt_state_wait_lock": {"lock", "mutex"},
    "ompt_state_wait_atomic": {"atomic", "mutex"}, "ompt_state_wait_ordered": {"ordered", "mutex"},
    "ompt_state_wait_barrier": {"barrier", "barrier_implicit"}, "ompt_state_wait_barrier_implicit": {"barrier_implicit"},
    "ompt_state_wait_barrier_explicit": {"barrier_explicit"}, "ompt_state_wait_barrier_implicit_workshare": {"barrier_implicit"},
    "ompt_state_wait_barrier_implicit_parallel": {"barrier_implicit"},
}


@pytest.mark.parametrize("env", [{}, OURS], ids=["default", "ours"])
@pytest.mark.parametrize("waits", ["critical", "named", "lock", "barrier", "single", "end", "ordered"])
def test_known_shares(program, client, mode, waits, env):
    """Threads that stay at the place that they report: all of their time is there, on any machine."""
    one = program("waits", waits, env=env)
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    one.wait_settled()
    client.profile.start(target=target, rate_hz=500)
    samples(client, target, 30)
    client.profile.stop(target=target)
    profile = client.profile.get(target=target, stacks=True)
    for row in profile["threads"]:
        wanted = set().union(*(PROFILE_STATES[name] for name in one.lines[row["tid"]]["states"]))
        assert set(row["times"]) <= wanted, (row, wanted)
    n = len(one.lines)
    total = sum(profile["total"]["times"].values())
    assert abs(profile["total"]["times"]["asleep"] - total / n) < 2
    addresses = {line["wait_address"] for line in one.lines.values() if "wait_address" in line}
    if addresses:
        (lock,) = profile["locks"]
        assert {lock["address"]} == addresses
        assert lock["max_waiters"] == n - 1 and lock["mean_waiters"] == n - 1
        assert lock["wait_us"] == total - profile["total"]["times"]["asleep"]
        (place,) = lock["places"]
        assert place["place"]["location"]["file"].endswith("waits.c") and place["wait_us"] == lock["wait_us"]
        if OMPRT or env:
            # The holder sleeps in a system call, so its place is known: a function of the program, not of the C
            # library.
            (holder,) = lock["holders"]
            assert holder["place"]["function"] == "park" and holder["place"]["location"]["file"].endswith("park.c") and "source" not in holder
            assert (holder["us"] + lock["holders_other_us"]) * (n - 1) == lock["wait_us"]
    check_stacks(profile["stacks"])


class Calls:
    """A program that counts its regions; go() makes it leave the current one."""

    def __init__(self, program, path, env):
        self.path, self.at = path, 0
        path.write_bytes(bytes(8))
        self.pid = program("calls", path, env=env, wait=False).pid
        self.wait()

    def wait(self):
        """Wait until it waits for the next go()."""
        wait_until(lambda: self.path.read_bytes()[4:] == struct.pack("i", self.at + 1), "the next region")

    def go(self):
        self.at += 1
        with self.path.open("r+b") as file:
            file.write(struct.pack("i", self.at))


def calls_of(client, target, name, level):
    """Return the entry of the current region, once it was sampled."""
    def look():
        rows = [row for row in client.profile.get(target=target)["regions"]
                if row["place"]["function"] == name and row["level"] == level]
        return rows and rows[0]["calls"]
    return wait_until(look, f"{name} in the profile")


# Return what programs/calls.c has executed up to its place.
CALLED = [("flat._omp_fn.0", 1, 1000 + 30 + 40 + 3 + 1), ("inner._omp_fn.0", 1, 7 + 1), ("outer._omp_fn.0", 1, 50 + 1),
          ("inner._omp_fn.0", 2, 50 * 2 + 2), ("many_69._omp_fn.0", 1, 3 + 1)]


@pytest.mark.parametrize("mode", ["observe", "stop"])
def test_calls_are_counted(program, client, tmp_path, mode):
    """By all threads, also ended ones, since the start of the profile. Each level has its own count."""
    one = Calls(program, tmp_path / "go", OURS)
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    client.profile.start(target=target, rate_hz=200)
    for name, level, wanted in CALLED:
        one.go()
        one.wait()
        assert calls_of(client, target, name, level) == wanted
    # They stay after the end of a profile. The next profile starts at zero.
    client.profile.stop(target=target)
    one.go()
    rows = {(row["place"]["function"], row["level"]): row["calls"] for row in client.profile.get(target=target)["regions"] if not row["outside"]}
    assert all(rows[name, level] == wanted for name, level, wanted in CALLED)
    assert all("rc" in row["calls"] for row in client.profile.get(target=target)["regions"] if row["outside"])


def test_who_sleeps_at_the_end_of_a_region_is_idle_when_that_is_over(program, client, tmp_path):
    """On our runtime nothing wakes it then: its region no longer exists."""
    one = Calls(program, tmp_path / "go", {**OURS, "OMP_WAIT_POLICY": "passive"})
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    client.profile.start(target=target, rate_hz=500)

    def spent():
        profile = client.profile.get(target=target)
        return profile["profile"]["samplings"], {row["tid"]: row["times"] for row in profile["threads"] if row["tid"] != one.pid}

    def spend():
        """Return the states of each remaining thread in the next samples."""
        n, before = spent()
        samples(client, target, n + 20)
        done = [sorted(state for state, us in times.items() if us > before[tid].get(state, 0)) for tid, times in spent()[1].items() if tid in before]
        return sorted(filter(None, done))

    for _ in CALLED[:-1]:
        one.go()
        one.wait()
    # An idle thread belongs to the former team of thread 1 of the outer region.
    wait_until(lambda: spend() == [["barrier_implicit"], ["barrier_implicit"], ["idle"]], "a member of each team at its end")
    one.go()
    one.wait()
    assert spend() == [["idle"]] * 3


@pytest.mark.skipif(OMPRT, reason="of a runtime that does not count")
def test_calls_are_unknown(program, client, tmp_path):
    one = Calls(program, tmp_path / "go", {})
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    client.profile.start(target=target, rate_hz=200)
    one.go()
    assert calls_of(client, target, "flat._omp_fn.0", 1)["rc"] == "ompd_rc_unavailable"


SPINS = {"OMP_WAIT_POLICY": "active", "GOMP_SPINCOUNT": "infinite"}


def rows_until(client, target, fits):
    """Return the threads' states in a profile in which all rows match. A thread on its way is sampled again."""
    def have():
        client.profile.start(target=target, rate_hz=500)
        samples(client, target, 20)
        client.profile.stop(target=target)
        # The kernel has not sampled a thread without a free processor.
        rows = {row["tid"]: set(row["times"]) - {"unknown"} for row in client.profile.get(target=target)["threads"]}
        return rows if all(rows.values()) and fits(rows) else None
    return wait_until(have, "threads where they shall be")


@pytest.mark.parametrize("waits", ["barrier", "single", "sections", "loop", "end", "critical", "lock"])
def test_who_spins_is_named(program, client, waits):
    """A thread that never sleeps, on at least two processors: its stack and the runtime's code show what it waits for.
    """
    one = program("waits", waits, 2, env=SPINS, wait=False)
    lines = [one.read_line() for _ in range(3)][1:]
    wanted = {line["tid"]: set().union(*(PROFILE_STATES[name] for name in line["states"])) for line in lines}
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    rows = rows_until(client, target, lambda rows: set(rows) == set(wanted) and all(rows[tid] <= wanted[tid] for tid in rows))
    assert len(rows) == 2


@pytest.mark.skipif(not AS_LIBGOMP.exists() or bool(LIBGOMP), reason="no clang with libomp here")
@pytest.mark.parametrize("waits", ["barrier", "single", "end", "critical", "lock"])
def test_who_waits_on_libomp_is_named(program, client, waits):
    """LLVM's runtime without symbols: memory proves some states, stacks the others."""
    one = program("waits", waits, 2, env={"LD_LIBRARY_PATH": str(AS_LIBGOMP)}, wait=False)
    lines = [one.read_line() for _ in range(3)][1:]
    wanted = {line["tid"]: set().union(*(PROFILE_STATES[name] for name in line["states"])) for line in lines}
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    rows_until(client, target, lambda rows: all(rows.get(tid, {"nothing"}) <= states for tid, states in wanted.items()))


@pytest.mark.skipif(bool(LIBGOMP), reason="of stock libgomp")
@pytest.mark.parametrize("waits", ["named", "lock"])
def test_what_is_spun_for_is_named(program, client, waits):
    """Memory does not show what a thread spins for; its innermost call does."""
    one = program("waits", waits, 2, env=SPINS, wait=False)
    address = {line.get("wait_address") for line in [one.read_line() for _ in range(3)][1:]} - {None}
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    client.profile.start(target=target, rate_hz=500)
    (lock,) = wait_until(lambda: [row for row in client.profile.get(target=target)["locks"] if row["places"]], "the lock")
    assert {lock["address"]} == address and lock["max_waiters"] == 1
    assert lock["places"][0]["place"]["location"]["file"].endswith("waits.c")


@pytest.mark.skipif(bool(LIBGOMP), reason="of stock libgomp")
def test_who_has_a_critical_construct_is_found(program, client, tmp_path):
    """Stock libgomp does not store the holder; the code on its stack proves it."""
    one = Shares(program, tmp_path / "shares", "critical", 2, {})
    target = client.target.attach(pid=one.program.pid, mode="observe")["target"]
    client.profile.start(target=target, rate_hz=500)
    lock = wait_until(lambda: next((row for row in client.profile.get(target=target)["locks"]
                                    if row["symbol"] == ".gomp_critical_user_shared" and isinstance(row["holders"], list)), None), "the holder")
    place = lock["holders"][0]["place"]
    assert place["function"] in ("in_critical", "spin", "now") and place["location"]["file"].endswith("shares.c")


def test_who_spins_in_the_pool_is_idle(program, client):
    one = program("idle", 2, env=SPINS, wait=False)
    one.read_line()
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    wait_until(lambda: client.target.info(target=target)["runtime"].get("kind"), "its runtime")
    rows = rows_until(client, target, lambda rows: len(rows) == 2 and all(
        states == ({"asleep"} if tid == one.pid else {"idle"}) for tid, states in rows.items()))
    assert one.pid in rows


def samples(client, target, least):
    """Return the profile once it has this many samples."""
    def have():
        profile = client.profile.get(target=target)
        return profile if profile["profile"]["samplings"] >= least else None
    return wait_until(have, f"{least} looks")


def test_needs_a_start(program, client, mode):
    target = client.target.attach(pid=program("flat", 2).pid, mode=mode)["target"]
    with fails("no_profile"):
        client.profile.get(target=target)
    with fails("no_profile"):
        client.profile.stop(target=target)


def test_one_at_a_time(program, client, daemon, mode):
    target = client.target.attach(pid=program("flat", 2).pid, mode=mode)["target"]
    assert client.profile.start(target=target)["profile"]["recording"]
    with fails("profile_running"):
        client.profile.start(target=target)
    with daemon.connect() as other:
        assert other.profile.get(target=target)["profile"]["recording"]
        assert other.profile.stop(target=target)["profile"]["ended"] == "stopped"
    assert client.profile.stop(target=target)["profile"]["ended"] == "stopped"
    assert client.profile.start(target=target)["profile"]["samplings"] == 0


def test_times_add_up(program, client, mode):
    """Parked threads: each sample sees each of them, and all tables have the same time."""
    one = program("flat", 4)
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    client.profile.start(target=target)
    profile = samples(client, target, 20)
    client.profile.stop(target=target)
    profile = client.profile.get(target=target, stacks=True, timeline=True)
    assert profile["total"]["threads"] == 4
    total = sum(profile["total"]["times"].values())
    assert total == sum(sum(row["times"].values()) for row in profile["regions"])
    assert total == sum(sum(row["times"].values()) for row in profile["threads"])
    assert sorted(row["tid"] for row in profile["threads"]) == sorted(one.lines)
    region = profile["regions"][0]
    assert region["level"] == 1 and region["team_size"] == 4 and region["threads"] == 4
    assert profile["profile"]["samples"] == sum(row["samples"] for row in profile["regions"])
    check_stacks(profile["stacks"])
    timeline = profile["timeline"]
    assert {row["tid"] for row in timeline["threads"]} == set(one.lines)
    for row in timeline["threads"]:
        assert len(row["t_us"]) == len(row["state"]) == len(row["region"]) > 0
        assert row["t_us"] == sorted(row["t_us"]) and row["t_us"][-1] <= timeline["end_us"]


def check_stacks(stacks):
    """The tables fit together."""
    frames, nodes = stacks["frames"], stacks["nodes"]
    assert len({len(column) for column in frames.values()}) == 1
    assert len({len(column) for column in nodes.values()}) == 1
    n_frames, n_nodes = len(frames["kind"]), len(nodes["parent"])
    assert n_nodes > 0
    assert all(-1 <= parent < i for i, parent in enumerate(nodes["parent"]))
    assert all(0 <= frame < n_frames for frame in nodes["frame"])
    assert all(0 <= text < len(stacks["strings"]) for column in ("function", "file", "module") for text in frames[column])
    # Time is in the leaves, which are states.
    inner = set(nodes["parent"])
    assert all(frames["kind"][nodes["frame"][i]] == "state" and i not in inner for i in range(n_nodes) if nodes["self_us"][i])


def test_ends_with_its_connection(program, client, daemon):
    target = client.target.attach(pid=program("flat", 2).pid, mode="observe")["target"]
    for keep in False, True:
        with daemon.connect() as other:
            other.profile.start(target=target, keep=keep)
        if keep:
            assert client.profile.stop(target=target)["profile"]["ended"] == "stopped"
        else:
            wait_until(lambda: client.profile.get(target=target)["profile"].get("ended") == "disconnected", "its end")


def test_is_there_when_the_target_has_ended(program, client, mode):
    one = program("flat", 2)
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    client.profile.start(target=target)
    before = samples(client, target, 5)
    one.close()
    wait_until(lambda: client.profile.get(target=target)["profile"].get("ended") == "exited", "the end of the profile")
    after = client.profile.get(target=target, stacks=True)
    assert after["profile"]["samples"] >= before["profile"]["samples"]
    assert after["regions"][0]["place"] == before["regions"][0]["place"]


def test_pauses_while_the_target_is_held(program, client):
    target = client.target.attach(pid=program("flat", 2).pid, mode="stop")["target"]
    client.profile.start(target=target)
    samples(client, target, 2)
    client.target.stop(target=target)
    held = client.profile.get(target=target)["profile"]
    later = wait_until(lambda: (p := client.profile.get(target=target)["profile"])["held_us"] > 50000 and p, "time passes")
    assert later["samplings"] == held["samplings"]
    client.target.resume(target=target)
    samples(client, target, held["samplings"] + 2)


def test_new_threads_are_followed(program, client):
    """churn starts and ends teams and threads all the time."""
    one = program("churn", 4, wait=False)
    one.read_line()
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    wait_until(lambda: client.target.info(target=target)["runtime"].get("kind"), "its runtime")
    client.profile.start(target=target)
    wait_until(lambda: client.profile.get(target=target)["total"]["threads"] > 4, "threads that were not there before")
    client.profile.stop(target=target)


def refuse_perf():
    """A seccomp filter: from here on perf_event_open(2) fails with EACCES, as kernel.perf_event_paranoid makes it."""
    class Program(ctypes.Structure):
        _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.c_void_p)]

    # Load the number of the call; if it is that of perf_event_open, return EACCES; else allow it.
    code = struct.pack("<HBBIHBBIHBBIHBBI", 0x20, 0, 0, 0, 0x15, 0, 1, 298, 0x06, 0, 0, 0x0005000d, 0x06, 0, 0, 0x7fff0000)
    text = ctypes.create_string_buffer(code, len(code))
    filters = Program(4, ctypes.addressof(text))
    libc = ctypes.CDLL(None)
    assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, ctypes.byref(filters)) == 0


class Worker:
    """A worker started by hand, in which the kernel refuses to sample."""

    def __init__(self):
        self.process = subprocess.Popen([BIN / "ompdd-worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=refuse_perf)
        self.id = 0

    def ask(self, method, **params):
        self.id += 1
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}).encode() + b"\n")
        self.process.stdin.flush()
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.id:
                return answer["result"]


def test_where_the_kernel_refuses(program, mode, request):
    """Mode stop stops the target for samples, at most for the given time. Mode observe names the missing part."""
    one = program("flat", 3)
    worker = Worker()
    request.addfinalizer(worker.process.wait)
    request.addfinalizer(worker.process.stdin.close)
    worker.ask("target.attach", pid=one.pid, mode=mode, max_stop_ms=60000)
    worker.ask("profile.start", target="t1", max_overhead_permille=100)
    profile = wait_until(lambda: (p := worker.ask("profile.get", target="t1", stacks=True))["profile"]["samplings"] > 8 and p, "looks")
    status = profile["profile"]
    if mode == "stop":
        assert status["running_stacks"] == "stop" and status["stopped_us"] > 0 and status["no_stack"] == 0
    else:
        assert status["running_stacks"]["name"] == "perf_refused" and "perf_event_paranoid" in status["running_stacks"]["hint"]
        assert status["stopped_us"] == 0
    assert set(row["tid"] for row in profile["threads"]) == set(one.lines)
    check_stacks(profile["stacks"])


def test_ends_with_another_program(program, client, mode):
    one = program("events", "exec")
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    client.profile.start(target=target)
    before = samples(client, target, 5)
    one.signal()
    one.wait_ready()
    wait_until(lambda: client.profile.get(target=target)["profile"].get("ended") == "exec", "the end of the profile")
    assert client.profile.get(target=target)["profile"]["samples"] >= before["profile"]["samples"]


def test_without_stacks(program, client, mode):
    """Tables that were not requested are absent; states are present."""
    one = program("waits", "named")
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    one.wait_settled()
    client.profile.start(target=target, stacks=False, timeline=False)
    samples(client, target, 10)
    profile = client.profile.get(target=target, stacks=True, timeline=True)
    assert not profile["stacks"]["nodes"]["parent"] and not profile["timeline"]["threads"]
    assert set(profile["total"]["times"]) <= {"asleep", "critical", "mutex"} and profile["locks"]


def test_ends_when_its_time_is_over(program, client):
    target = client.target.attach(pid=program("flat", 2).pid, mode="observe")["target"]
    client.profile.start(target=target, duration_s=1)
    wait_until(lambda: client.profile.get(target=target)["profile"].get("ended") == "duration", "the end of the profile")
