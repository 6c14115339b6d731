# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several OpenMP runtimes in one process: each has its own answer, as from its own omp_get_*()."""
import json
import subprocess

import ompdd
import pytest
from conftest import fails
from control import Hits, attach
from cores import gcore
from snapshots import Snapshot, check_oracle, has_rc
from targets import BUILD, PROGRAMS, wait_until

# It has the same length, so that it can replace the other name in a file.
NAME, OTHER = b"libgomp.so.1", b"libgomp-b.so"


def stock():
    """The system's libgomp, as the loader finds it."""
    for line in subprocess.run(["/sbin/ldconfig", "-p"], check=True, capture_output=True, text=True).stdout.splitlines():
        if line.strip().startswith("libgomp.so.1 ") and "x86-64" in line:
            return line.split("=> ")[1]
    raise AssertionError("no libgomp.so.1")


class Part:
    """A shared object in `folder` with a runtime whose file name starts with `runtime`."""

    def __init__(self, folder, runtime):
        self.folder = folder
        self.runtime = runtime

    def is_of(self, runtime):
        return runtime["path"].rsplit("/", 1)[1].startswith(self.runtime)


@pytest.fixture(params=["stock", "ours", "clang"])
def part(request, tmp_path):
    """As Python's wheels do, or a plugin from another compiler."""
    if request.param == "clang":
        if not (PROGRAMS / "llvm" / "dlopen_part.so").exists():
            pytest.skip("no clang with libomp")
        (tmp_path / "part.so").write_bytes((PROGRAMS / "llvm" / "dlopen_part.so").read_bytes())
        return Part(tmp_path, "libomp")
    library = stock() if request.param == "stock" else BUILD / "lib" / "ompdd" / "libgomp.so.1"
    for source, name in ((library, OTHER.decode()), (PROGRAMS / "dlopen_part.so", "part.so")):
        with open(source, "rb") as file:
            data = file.read()
        assert NAME in data
        (tmp_path / name).write_bytes(data.replace(NAME, OTHER))
    return Part(tmp_path, OTHER.decode())


def start(program, part, *more):
    return program("several", part.folder / "part.so", *more, env={"LD_LIBRARY_PATH": str(part.folder)})

def test_a_profile_has_both(program, client, part, mode):
    """Each thread counts once, with the runtime whose region it is in."""
    one = start(program, part)
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    one.wait_settled()
    numbers = {part.is_of(runtime): runtime["index"] for runtime in client.target.info(target=target)["runtimes"]}
    client.profile.start(target=target, rate_hz=200)

    def seen():
        profile = client.profile.get(target=target)
        return profile if profile["profile"]["samplings"] >= 10 else None

    wait_until(seen, "looks")
    client.profile.stop(target=target)
    profile = client.profile.get(target=target, stacks=True)
    assert {row["tid"] for row in profile["threads"]} == set(one.oracle()) and profile["total"]["threads"] == 8
    inside = {row["runtime"]: row for row in profile["regions"] if not row["outside"]}
    assert set(inside) == {0, 1} and all(row["runtime"] in (0, 1) for row in profile["regions"])
    assert inside[numbers[False]]["threads"] == 3 and inside[numbers[True]]["threads"] == 5
    assert set(inside[numbers[True]]["times"]) == {"asleep"}
    assert sum(sum(row["times"].values()) for row in profile["threads"]) == sum(profile["total"]["times"].values())


def of_runtime(result, index):
    """Return the part of a snapshot for one runtime, as if it were the only one."""
    icvs = result["runtimes"][index].get("icvs", {})
    return Snapshot({**result, "icvs": icvs, **{
        key: [item for item in result[key] if item.get("runtime") == index] for key in ("threads", "parallels", "tasks")}})


def check_both(result, one, part):
    """Three threads of the program's own runtime, five of the other."""
    assert [runtime["index"] for runtime in result["runtimes"]] == [0, 1]
    sizes = {}
    for index in (0, 1):
        snapshot = of_runtime(result, index)
        mine = {tid: line for tid, line in one.oracle().items()
                if tid in snapshot.threads and not has_rc(snapshot.threads[tid]["parallel"])
                and snapshot.parallel_of(tid)["level"] > 0}
        for line in mine.values():
            check_oracle(snapshot, line)
        sizes[part.is_of(result["runtimes"][index])] = len(mine)
        assert result["runtimes"][index]["n_threads"] == len(snapshot.threads)
    assert sizes == {False: 3, True: 5}
    assert [w["name"] for w in result["warnings"]] == ["several_runtimes"]


def test_each_agrees_with_itself(program, part, mode, client):
    one = start(program, part)
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    result = client.snapshot.get(target=target)
    check_both(result, one, part)
    # Most threads are in regions of the other runtime.
    assert part.is_of(result["runtime"])
    # Once per thread of the process and runtime that knows it.
    places = [(thread["tid"], thread.get("runtime")) for thread in result["threads"]]
    assert len(places) == len(set(places))
    assert set(client.thread.list(target=target)["threads"][0]) >= {"tid", "openmp"}
    assert len(client.target.info(target=target)["runtimes"]) == 2


def test_core(program, part, client, tmp_path):
    one = start(program, part)
    target = client.target.open_core(core=str(gcore(one, tmp_path)))["target"]
    check_both(client.snapshot.get(target=target), one, part)


def test_that_which_is_used_is_shown(program, part, mode, client):
    """The program's own runtime is loaded, but unused."""
    one = start(program, part, "quiet")
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    result = client.snapshot.get(target=target)
    quiet, used = result["runtimes"]
    assert quiet["state"]["name"] == "openmp_not_started"
    assert used["n_in_region"] == 5 and result["runtime"]["path"] == used["path"]
    assert not result.get("warnings")
    snapshot = of_runtime(result, 1)
    for line in one.oracle().values():
        check_oracle(snapshot, line)
    others = [thread for thread in result["threads"] if not thread["openmp"]]
    assert [thread["tid"] for thread in others] == [one.pid] and "runtime" not in others[0]


def test_routines_by_handle(program, part, client):
    """A handle contains its runtime: a library never gets a handle of another one."""
    one = start(program, part)
    target = client.target.attach(pid=one.pid)["target"]
    client.target.stop(target=target)
    result = client.snapshot.get(target=target)
    spaces = [client.ompd.process_initialize(target=target, runtime=i)["host_handle"] for i in (0, 1)]
    assert ":r1:" in spaces[1] and ":r" not in spaces[0]
    teams = []
    for index in (0, 1):
        snapshot = of_runtime(result, index)
        tid, thread = next((tid, t) for tid, t in snapshot.threads.items() if not has_rc(t["parallel"])
                           and snapshot.parallel_of(tid)["level"] > 0)
        handle = client.ompd.get_thread_handle(target=target, handle=spaces[index], kind="OMPD_THREAD_ID_LWP", thread_id=tid)
        current = client.ompd.get_curr_parallel_handle(target=target, thread_handle=handle["thread_handle"])["parallel_handle"]
        same = client.ompd.parallel_handle_compare(target=target, parallel_handle_1=current,
                                                   parallel_handle_2=thread["parallel"])
        assert same["cmp_value"] == 0
        teams.append(current)
    with fails("ompd_rc_bad_input"):
        client.ompd.parallel_handle_compare(target=target, parallel_handle_1=teams[0], parallel_handle_2=teams[1])
    with fails("invalid_params", "/params/runtime"):
        client.ompd.process_initialize(target=target, runtime=2)
    client.handle.release(target=target, handles=[*teams, *spaces])
    client.target.resume(target=target)


def test_one_that_comes_later(program, part, client):
    """The program's own runtime only, then the other one."""
    one = program("dlopen", part.folder / "part.so", "late", env={"LD_LIBRARY_PATH": str(part.folder)})
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    with pytest.raises(ompdd.Error):
        client.snapshot.get(target=target)
    one.signal()
    one.wait_ready()
    result = client.snapshot.get(target=target)
    assert [part.is_of(runtime) for runtime in result["runtimes"]] == [True]
    assert len(result["parallels"]) >= 3


@pytest.mark.parametrize("logical", [False, True], ids=["physical", "logical"])
def test_stacks_of_each(logical, program, part, client):
    """Each thread once, with the regions of its current runtime."""
    one = start(program, part)
    target = client.target.attach(pid=one.pid)["target"]
    of_part = {runtime["index"]: part.is_of(runtime) for runtime in client.target.info(target=target)["runtimes"]}
    groups = client.stack.groups(target=target, logical=logical)["groups"]
    seen = {thread["tid"]: (thread, group["frames"]) for group in groups for thread in group["threads"]}
    assert len(seen) == sum(len(group["threads"]) for group in groups)
    for tid, line in one.oracle().items():
        if line["level"] == 0:
            continue
        thread, shown = seen[tid]
        single = client.stack.get(target=target, thread=tid, logical=logical)
        assert single["thread"]["runtime"] == thread["runtime"]
        assert of_part[thread["runtime"]] == (line["level"] == 2), thread
        assert thread["openmp"] is True and thread["thread_num"] == line["thread_num"]
        for found in (shown, single["frames"]) if logical else ():
            assert [item["level"] for item in found if item["kind"] == "parallel"] == list(range(line["level"], 0, -1)), found


@pytest.fixture
def looping(program, part, client):
    one = start(program, part, "loop")
    target, hits = attach(client, one)
    other = next(tid for tid in one.lines if tid != one.pid)
    # The part's own thread runs already: its runtime is in use.
    found = [part.is_of(runtime) for runtime in client.target.info(target=target)["runtimes"]]
    assert sorted(found) == [False, True]
    return target, hits, {found.index(False): one.pid, found.index(True): other}


def hit_by(client, target, hits, n):
    """Return the threads of the next `n` hits."""
    found = []
    for _ in range(n):
        found.append(hits.next()["tid"])
        client.target.resume(target=target)
    return found


def test_events_of_each(looping, client):
    target, hits, tids = looping
    begin = next(event for event in client.breakpoint.addresses(target=target)["events"] if event["event"] == "parallel_begin")
    assert {place["runtime"] for place in begin["places"]} == {0, 1}
    both = client.breakpoint.set(target=target, event="parallel_begin")
    assert {place["runtime"] for place in both["places"]} == {0, 1} and "runtime" not in both
    found = set()
    while found != set(tids.values()):
        found.update(hit_by(client, target, hits, 1))
    # One more hit may have arrived meanwhile.
    client.target.stop(target=target)
    client.breakpoint.delete(target=target, breakpoint=both["breakpoint"])
    for index, tid in tids.items():
        only = client.breakpoint.set(target=target, event="parallel_begin", runtime=index)
        assert only["runtime"] == index and {place["runtime"] for place in only["places"]} == {index}
        hits = Hits(client, target)
        client.target.resume(target=target)
        assert set(hit_by(client, target, hits, 5)) == {tid}
        client.target.stop(target=target)
        client.breakpoint.delete(target=target, breakpoint=only["breakpoint"])
    with fails("invalid_params", "/params/runtime"):
        client.breakpoint.set(target=target, event="parallel_begin", runtime=5)
    client.target.resume(target=target)


def test_conditions_of_each(looping, client):
    """Outside of all regions, the threads of both runtimes are listed, each in its own runtime."""
    target, hits, tids = looping
    client.breakpoint.set(target=target, function="usleep", thread_num=0, level=0)
    found = set()
    while found != set(tids.values()):
        found.update(hit_by(client, target, hits, 1))


def test_steps_in_each(looping, client):
    target, hits, tids = looping
    hits.TYPES = ("stopped", "breakpoint")
    client.target.stop(target=target)
    hits.next()
    for index, tid in tids.items():
        into = hits.step("into_parallel", tid)
        assert len(into["threads"]) == 2 and tid in into["threads"]
        out = hits.step("out_of_parallel", max(into["threads"]))
        assert out["tid"] == tid
        over = hits.step("over_parallel", tid)
        assert over["tid"] == tid
    client.target.resume(target=target)


def test_ompdctl(program, part, ompdctl):
    one = start(program, part)
    tree = ompdctl("-p", one.pid, "tree").stdout
    assert "2 OpenMP runtimes" in tree and "─ runtime 0 libgomp" in tree and "several_runtimes" in tree
    threads = ompdctl("-p", one.pid, "threads").stdout
    assert " RT " in threads.splitlines()[3]
    assert "runtime 1" in ompdctl("-p", one.pid, "info").stdout


def test_break_of_one_of_them(program, part, ompdctl):
    """By its number, or by its kind if that is unique."""
    one = start(program, part, "loop")
    other = next(tid for tid in one.lines if tid != one.pid)
    info = json.loads(ompdctl("-p", one.pid, "info", "--json").stdout)["runtimes"]
    kinds = [runtime["kind"] for runtime in info]
    for index, runtime in enumerate(info):
        names = [index] + ([runtime["kind"]] if kinds.count(runtime["kind"]) == 1 else [])
        for name in names:
            done = ompdctl("break", "parallel_begin", "--runtime", name, "-p", one.pid, "-n", 4, "--json")
            hits = [json.loads(line)["event"]["tid"] for line in done.stdout.splitlines()]
            assert hits == 4 * [other if part.is_of(runtime) else one.pid], (name, info)
    done = ompdctl("break", "parallel_begin", "--runtime", "none", "-p", one.pid, status=3)
    assert "none of the process's runtimes is 'none'" in done.stderr
