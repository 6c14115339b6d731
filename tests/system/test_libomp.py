# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs on the LLVM libomp of distributions, without symbols: our own libompd must agree with their reports."""
import pathlib

import pytest
from cores import gcore
from snapshots import check_oracle, check_structure, diagnose, has_rc
from targets import LIBGOMP, LIBOMP, PROGRAMS, TWIN, tasks, wait_until

CLANG = PROGRAMS / "llvm"
pytestmark = [pytest.mark.skipif(not (CLANG / "flat").exists(), reason="no clang with libomp here"),
              pytest.mark.skipif(bool(LIBGOMP), reason="of no other libgomp")]

CASES = [
    ["flat", 1], ["flat", 4], ["flat", 300], ["flat_stripped", 4],
    ["nested", 2, 3], ["nested", 2, 2, 2], ["nested", 1, 4], ["nested", 3, 1, 2],
    ["serialized", "if0"], ["serialized", "one"], ["serialized", "limit"], ["serialized", "between"],
    ["deep", 20],
    # (libomp starts deferred tasks where libgomp waits, so these report the same for both.)
    *[["tasks", mode] for mode in ("running", "nested", "queued", "undeferred", "final", "serial")],
    ["icvs"], ["procbind"], ["idle", 4], ["idle", 4, 2], ["idle", 2, 5],
    ["pthreads"], ["unjoined"],
    ["dlopen", CLANG / "dlopen_part.so"],
]
ENVIRONMENTS = [
    {"OMP_NUM_THREADS": "5,3,2", "OMP_SCHEDULE": "guided,7", "OMP_DYNAMIC": "false", "OMP_MAX_ACTIVE_LEVELS": "5"},
    {"OMP_THREAD_LIMIT": "9", "OMP_CANCELLATION": "true", "OMP_DEFAULT_DEVICE": "3", "OMP_MAX_TASK_PRIORITY": "4"},
    {"OMP_PROC_BIND": "spread,close", "OMP_PLACES": "threads"},
    {"OMP_WAIT_POLICY": "active", "OMP_SCHEDULE": "dynamic,3"},
]


def name_of(case):
    return "-".join(str(getattr(part, "name", part)) for part in case) if isinstance(case, list) else "+".join(case)


@pytest.fixture
def libomp(program):
    """Start a program that clang compiled, or with `gcc` a program of gcc on libomp in place of libgomp."""
    def start(*args, gcc=False, env=None, **options):
        folder = CLANG / "as_libgomp" if gcc else LIBOMP
        path = CLANG / args[0]
        if gcc or not path.exists():
            path = PROGRAMS / args[0]
        return program(*args, path=path, env={**({"LD_LIBRARY_PATH": str(folder)} if folder else {}), **(env or {})},
                       **options)
    return start


def agree(result, one):
    assert result["runtime"]["kind"] == "libomp", result["runtime"]
    assert result["plugin"]["version_string"].startswith("ompdd libompd"), result["plugin"]
    assert not result.get("warnings"), result["warnings"]
    snapshot = check_structure(result)
    for line in one.oracle().values():
        check_oracle(snapshot, line)
        if "chain" in line:
            assert snapshot.chain(snapshot.task_of(line["tid"])) == line["chain"], line
    for tid, line in one.lines.items():
        if line.get("openmp") is False:
            assert snapshot.threads[tid]["openmp"] is False
    # A thread without a report is idle, or not an OpenMP thread.
    for tid, thread in snapshot.threads.items():
        idle = thread["openmp"] and thread["state"].get("name") == "ompt_state_idle"
        assert tid in one.lines or thread["openmp"] is False or idle, thread
    return snapshot


def look(client, one, mode):
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    result = client.snapshot.get(target=target)
    assert set(thread["tid"] for thread in result["threads"]) == set(tasks(one.pid))
    return result


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_every_answer_agrees(case, mode, libomp, client):
    one = libomp(*case)
    agree(look(client, one, mode), one)


@pytest.mark.parametrize("env", ENVIRONMENTS, ids=name_of)
@pytest.mark.parametrize("case", [["nested", 2, 2], ["icvs"]], ids=name_of)
def test_every_answer_agrees_whatever_the_environment(case, env, mode, libomp, client):
    one = libomp(*case, env=env)
    agree(look(client, one, mode), one)


@pytest.mark.skipif(bool(LIBOMP or TWIN), reason="asked of one libomp only")
@pytest.mark.parametrize("case", [["flat", 4], ["nested", 2, 3], ["serialized", "between"], ["tasks", "nested"], ["icvs"]],
                         ids=name_of)
def test_gccs_programs_on_libomp_in_libgomps_place(case, mode, libomp, client):
    one = libomp(*case, gcc=True)
    agree(look(client, one, mode), one)


def test_tasks_that_have_not_begun(mode, libomp, client):
    one = libomp("tasks", "queued")
    result = look(client, one, mode)
    snapshot = agree(result, one)
    maker = next(line for line in one.lines.values() if "children" in line)
    queued = [task for task in result["tasks"] if "queued" in task]
    assert len(queued) == maker["children"] == 20
    assert {task["generating"] for task in queued} == {snapshot.threads[maker["tid"]]["task"]}
    assert all(task["kind"] == "explicit" and task["queued"] == {"predecessors": 0} for task in queued)
    assert all("omp_task_entry" in task["function"]["symbol"] for task in queued)
    assert snapshot.parallel_of(maker["tid"])["queued"] == 20


LOCATED = ["barrier", "region_end", "single", "copyprivate", "loop", "reduction", "taskwait", "taskgroup", "nested", "again", "serialized"]


def check_locations(result, one):
    """Each construct is at the place that the program reports, and nothing else has a place."""
    source = (pathlib.Path(__file__).parent.parent / "programs" / "located.c").read_text().splitlines()
    regions = {region["handle"]: region for region in result["parallels"]}
    tasks_by_handle = {task["handle"]: task for task in result["tasks"]}
    functions = set()
    for thread in result["threads"]:
        line = one.lines.get(thread["tid"])
        task = tasks_by_handle.get(thread.get("task") if isinstance(thread.get("task"), str) else None, {})
        if not line or "waits" not in line:
            assert not thread["openmp"] or line is None
            continue
        for what, item in (("waits", thread), ("region", regions[thread["parallel"]]), ("task", task)):
            location = item.get("location", {"line": 0})
            assert location["line"] == line[what], (what, line, location)
            if line[what]:
                assert location["file"].endswith("located.c"), location
                # The place of a reduction is after its clause.
                assert 1 <= location["column"] <= 1 + len(source[line[what] - 1]), location
                functions.add(location["function"])
    assert len(functions) == (0 if one.name.endswith("serialized") else 1), functions
    assert all("location" not in region for region in result["parallels"] if region["level"] == 0)


def see_locations(target, client, one):
    """A spinning thread announces itself before, when all wait."""
    waiting = {tid for tid, line in one.lines.items() if line.get("waits")}

    def seen():
        result = client.snapshot.get(target=target)
        return result if waiting <= {thread["tid"] for thread in result["threads"] if "location" in thread} else None
    return wait_until(seen, "the waits", timeout=120)


@pytest.mark.parametrize("what", LOCATED)
def test_where_constructs_are_of_a_stripped_program(what, mode, libomp, client):
    """clang has written the place into the program, and the runtime stores it with regions, tasks and waiting threads.
    """
    one = libomp("located", what)
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    check_locations(see_locations(target, client, one), one)


def test_ompdctl_says_places_of_a_stripped_program(libomp, client, ompdctl):
    one = libomp("located", "barrier")
    see_locations(client.target.attach(pid=one.pid)["target"], client, one)
    line = next(line for line in one.lines.values() if line["waits"])
    region, barrier = f"located.c:{line['region']}", f"located.c:{line['waits']}"
    threads = ompdctl("-p", one.pid, "threads").stdout
    assert region in threads and f"barrier of {region}" in threads and f"barrier {barrier}" in threads, threads
    tree = ompdctl("-p", one.pid, "tree").stdout
    assert f"team of 3: {region}" in tree and f"at {barrier}" in tree, tree
    why = " ".join(ompdctl("-p", one.pid, "why").stdout.split())
    assert f"in barrier() at {barrier}" in why, why


@pytest.mark.parametrize("what", ["barrier", "nested", "taskwait"])
def test_where_constructs_are_in_a_core(what, libomp, client, tmp_path):
    one = libomp("located", what, env={"OMP_STACKSIZE": "128K"})
    see_locations(client.target.attach(pid=one.pid)["target"], client, one)
    target = client.target.open_core(core=str(gcore(one, tmp_path)))["target"]
    check_locations(client.snapshot.get(target=target), one)


@pytest.mark.parametrize("what", ["barrier", "nested"])
def test_no_places_where_the_compiler_has_written_none(what, mode, libomp, client):
    result = look(client, libomp("located_plain", what), mode)
    assert not any("location" in item for kind in ("threads", "parallels", "tasks") for item in result[kind])


def test_states_of_threads_that_work(mode, libomp, client):
    """Their places in the program's code prove it; the runtime stores no states."""
    one = libomp("flat", 3)
    for thread in look(client, one, mode)["threads"]:
        # With files that serve devices, only the stack shows that the program sleeps, and not a driver.
        if TWIN and mode == "observe" and has_rc(thread["state"]):
            continue
        assert thread["state"] == {"value": 1, "name": "ompt_state_work_parallel", "source": "inferred"}, thread


@pytest.mark.parametrize("case", [["nested", 2, 3], ["serialized", "between"], ["tasks", "nested"]], ids=name_of)
def test_core(case, libomp, client, tmp_path):
    one = libomp(*case, env={"OMP_STACKSIZE": "128K"})
    target = client.target.open_core(core=str(gcore(one, tmp_path)))["target"]
    agree(client.snapshot.get(target=target), one)


@pytest.mark.parametrize("name, last", [("ordered", 1), ("ordered_chunks", None)])
def test_whose_turn_it_is_in_ordered(name, last, program, client):
    """Iteration counters have 4 or 8 bytes; the code of each release shows their offset."""
    one = program(name, path=PROGRAMS / "hangs" / "llvm" / name, env={"LD_LIBRARY_PATH": str(LIBOMP)} if LIBOMP else {}, wait=False)
    assert one.read_line()["pid"] == one.pid
    target = client.target.attach(pid=one.pid)["target"]

    def seen():
        result = diagnose(client, target, interval_ms=50)
        return result if result["verdict"] == "blocked" and result["findings"][0].get("waits_for") == "ordered" else None
    (thread,) = wait_until(seen, "the turn")["findings"][0]["threads"]
    assert thread["calls"] == "pause" and thread["thread_num"] in ((last,) if last is not None else (0, 1, 2))


@pytest.mark.parametrize("teams, threads", [(3, 2), (2, 1), (1, 2)])
def test_teams_of_a_league(teams, threads, mode, libomp, client):
    """One region of level 0 with the teams' first threads, by omp_get_team_num().

    Each team's region is nested in it. A team without a region stands alone.
    """
    # With few processors libomp creates small leagues.
    one = libomp("league", teams, threads, env={"KMP_TEAMS_THREAD_LIMIT": "16"})
    result = look(client, one, mode)
    assert not result.get("warnings"), result["warnings"]
    found = {thread["tid"]: thread for thread in result["threads"]}
    regions = {region["handle"]: region for region in result["parallels"]}
    assert len(one.lines) == teams * threads
    for tid, line in one.lines.items():
        number, n_teams = line["league"]
        assert n_teams == teams
        region = regions[found[tid]["parallel"]]
        assert (region["level"], region["active_level"]) == (line["level"], line["active_level"])
        if line["level"]:
            assert found[tid]["thread_num"] == line["thread_num"] and region["team_size"] == line["num_threads"]
            assert region["threads"][line["thread_num"]] == tid
            league = regions[region["enclosing"]]
            assert league["level"] == 0 and league["team_size"] == n_teams, league
            assert league["threads"][number] == region["threads"][0], (line, league)
        else:
            assert (region["team_size"], region["threads"]) == (1, [tid]), region


@pytest.mark.skipif(bool(LIBOMP) and b"LIBOMP_USE_HIDDEN_HELPER_TASK" not in pathlib.Path(LIBOMP, "libomp.so.5").read_bytes(),
                    reason="before LLVM 12 there are none")
def test_hidden_helper_threads(mode, libomp, client):
    """They are a team of the runtime's own.

    One executes the task, and the program's other threads look as without them.
    """
    one = libomp("hidden")
    (helper,) = [tid for tid, line in one.lines.items() if line.get("helper")]
    result = look(client, one, mode)
    snapshot = check_structure(result)
    for line in one.oracle().values():
        check_oracle(snapshot, line)
    task = snapshot.tasks[snapshot.threads[helper]["task"]]
    assert task["kind"] == "explicit" and task["function"]["symbol"] == "help", task
    team = snapshot.parallel_of(helper)
    assert helper in team["threads"] and not set(team["threads"]) & set(one.oracle()), team
    assert snapshot.parallel_of(one.pid)["team_size"] == 2
