# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""OMPD's routines one to one, as a tool calls them to walk through a target."""
import pytest
from conftest import fails
from snapshots import check_structure, has_rc, icv_number
from targets import OMPRT

STATES_VALUES = {"work_serial": 0, "work_parallel": 1, "wait_barrier": 0x10, "wait_taskwait": 0x20, "wait_taskgroup": 0x21,
                 "wait_lock": 0x41, "wait_critical": 0x42, "wait_ordered": 0x44, "idle": 0x100, "overhead": 0x101}
ICVS_OF_5_2 = [
    "active-levels-var", "affinity-format-var", "bind-var", "cancel-var", "debug-var", "def-allocator-var", "default-device-var",
    "display-affinity-var", "dyn-var", "explicit-task-var", "final-task-var", "levels-var", "max-active-levels-var",
    "max-task-priority-var", "nteams-var", "nthreads-var", "num-procs-var", "place-partition-var", "run-sched-var",
    "stacksize-var", "target-offload-var", "team-size-var", "teams-thread-limit-var", "thread-limit-var", "thread-num-var",
    "tool-libraries-var", "tool-var", "tool-verbose-init-var", "wait-policy-var",
]
ALIASES = ["ompd-num-procs-var", "ompd-thread-num-var", "ompd-final-var", "ompd-final-task-var", "ompd-implicit-var", "ompd-implicit-task-var",
           "ompd-team-size-var"]


@pytest.fixture
def nest(program):
    return program("nested", 2, 3)


@pytest.fixture(params=["observe", "stop"])
def tool(request, nest, client):
    """(ompd namespace bound to a target, program, client, id).

    In stop mode the target is held for the whole session.
    """
    target = client.target.attach(pid=nest.pid, mode=request.param)["target"]
    if request.param == "stop":
        client.target.stop(target=target)

    class Tool:
        program = nest
        id = target

        def __getattr__(self, routine):
            return lambda **params: getattr(client.ompd, routine)(target=target, **params)
    return Tool()


def thread_handle(tool, tid):
    return tool.get_thread_handle(kind="OMPD_THREAD_ID_LWP", thread_id=tid)["thread_handle"]


def innermost(tool):
    """A thread of an inner team: (tid, its line)."""
    return next(iter(tool.program.lines.items()))


def test_library_routines(tool):
    assert tool.get_api_version()["version"] == 202111
    assert tool.get_version_string()["string"]
    # OpenMP 4.5 to 5.2 by the version of gcc, as in libgomp's own omp.h.
    assert tool.get_omp_version()["omp_version"] in (201511, 201811, 202011, 202111)
    assert tool.get_omp_version_string()["string"]


def test_initialize_again(tool):
    """It was initialised at attach.

    Initialise again, with versions that the library supports, and one that it does not.
    """
    for version in (201811, 202011, 202111, 202411):
        tool.initialize(api_version=version)
        thread_handle(tool, innermost(tool)[0])
    tool.finalize()
    with fails("ompd_rc_unsupported"):
        tool.initialize(api_version=199001)
    thread_handle(tool, innermost(tool)[0])


def test_finalize_makes_all_handles_stale(tool):
    thread = thread_handle(tool, innermost(tool)[0])
    tool.finalize()
    with fails("ompd_rc_stale_handle"):
        tool.get_curr_parallel_handle(thread_handle=thread)
    thread_handle(tool, innermost(tool)[0])


def test_process_and_devices(tool):
    host = tool.process_initialize()["host_handle"]
    assert tool.get_omp_version(address_space=host)["omp_version"] == tool.get_omp_version()["omp_version"]
    with fails("ompd_rc_unsupported") as failure:
        tool.device_initialize(kind="OMPD_DEVICE_KIND_CUDA", id=0)
    assert "kind 2 (CUDA) needs the debugger interface of its vendor" in failure.error.message, failure.error
    with fails("ompd_rc_bad_input"):
        tool.device_initialize(kind="OMPD_DEVICE_KIND_HOST", id=1)
    device = tool.device_initialize(kind="OMPD_DEVICE_KIND_HOST", id=0)["device_handle"]
    assert device != host
    tool.rel_address_space_handle(handle=device)
    with fails("ompd_rc_stale_handle"):
        tool.get_omp_version(address_space=device)
    kinds = tool.get_device_thread_id_kinds(device_handle=host)
    assert kinds["count"] == len(kinds["kinds"]) == len(kinds["thread_id_sizes"]) >= 2
    tool.rel_address_space_handle(handle=host)
    with fails("ompd_rc_stale_handle"):
        tool.get_omp_version(address_space=host)


def test_threads(tool):
    tid, line = innermost(tool)
    thread = thread_handle(tool, tid)
    assert int(tool.get_thread_id(thread_handle=thread, kind="OMPD_THREAD_ID_LWP")["thread_id"], 16) == tid
    pthread = tool.get_thread_id(thread_handle=thread, kind="OMPD_THREAD_ID_PTHREAD")["thread_id"]
    same = tool.get_thread_handle(kind="OMPD_THREAD_ID_PTHREAD", thread_id=pthread)["thread_handle"]
    assert tool.thread_handle_compare(thread_handle_1=thread, thread_handle_2=same)["cmp_value"] == 0
    other = thread_handle(tool, next(other for other in tool.program.lines if other != tid))
    one = tool.thread_handle_compare(thread_handle_1=thread, thread_handle_2=other)["cmp_value"]
    two = tool.thread_handle_compare(thread_handle_1=other, thread_handle_2=thread)["cmp_value"]
    assert one * two < 0, "an order"
    device = tool.get_device_from_thread(thread_handle=thread)["device"]
    tool.get_omp_version(address_space=device)
    tool.rel_thread_handle(thread_handle=other)
    with fails("ompd_rc_stale_handle"):
        tool.get_state(thread_handle=other)


def test_threads_that_are_none(tool):
    with fails("ompd_rc_unavailable"):
        thread_handle(tool, 1)
    with fails("ompd_rc_bad_input"):
        tool.get_thread_handle(kind="OMPD_THREAD_ID_LWP", thread_id=tool.program.pid, sizeof_thread_id=3)
    with fails("ompd_rc_unsupported"):
        tool.get_thread_handle(kind="OMPD_THREAD_ID_CUDALOGICAL", thread_id=1)


def test_thread_outside_openmp_is_unavailable(program, client, mode):
    one = program("pthreads")
    target = client.target.attach(pid=one.pid, mode=mode)["target"]
    for tid, line in one.lines.items():
        if line.get("openmp") is False:
            with fails("ompd_rc_unavailable"):
                client.ompd.get_thread_handle(target=target, kind="OMPD_THREAD_ID_LWP", thread_id=tid)


def test_regions(tool):
    """Up the enclosing regions and down into each team: the numbers of the thread's own oracle."""
    for tid, line in tool.program.oracle().items():
        thread = thread_handle(tool, tid)
        region = tool.get_curr_parallel_handle(thread_handle=thread)["parallel_handle"]
        again = tool.get_thread_in_parallel(parallel_handle=region, thread_num=line["thread_num"])["thread_handle"]
        assert tool.thread_handle_compare(thread_handle_1=thread, thread_handle_2=again)["cmp_value"] == 0
        for level in range(line["level"], -1, -1):
            size = line["team_sizes"][level]
            tool.get_thread_in_parallel(parallel_handle=region, thread_num=size - 1)
            with fails("ompd_rc_bad_input"):
                tool.get_thread_in_parallel(parallel_handle=region, thread_num=size)
            if level:
                outer = tool.get_enclosing_parallel_handle(parallel_handle=region)["enclosing_parallel_handle"]
                assert tool.parallel_handle_compare(parallel_handle_1=region, parallel_handle_2=outer)["cmp_value"] != 0
                region = outer
        with fails("ompd_rc_unavailable"):
            tool.get_enclosing_parallel_handle(parallel_handle=region)
        tool.rel_parallel_handle(parallel_handle=region)


def test_tasks(tool):
    tid, line = innermost(tool)
    thread = thread_handle(tool, tid)
    region = tool.get_curr_parallel_handle(thread_handle=thread)["parallel_handle"]
    task = tool.get_curr_task_handle(thread_handle=thread)["task_handle"]
    implicit = tool.get_task_in_parallel(parallel_handle=region, thread_num=line["thread_num"])["task_handle"]
    assert tool.task_handle_compare(task_handle_1=task, task_handle_2=implicit)["cmp_value"] == 0
    same = tool.get_task_parallel_handle(task_handle=task)["task_parallel_handle"]
    assert tool.parallel_handle_compare(parallel_handle_1=region, parallel_handle_2=same)["cmp_value"] == 0
    depth = 0
    while True:
        try:
            task = tool.get_generating_task_handle(task_handle=task)["generating_task_handle"]
            depth += 1
        except Exception as error:
            assert error.name == "ompd_rc_unavailable"
            break
    assert depth == line["level"], "an implicit task per level, then the initial task"
    if OMPRT and line["thread_num"] == 0:
        before = tool.get_scheduling_task_handle(task_handle=implicit)["scheduling_task_handle"]
        parent = tool.get_generating_task_handle(task_handle=implicit)["generating_task_handle"]
        assert tool.task_handle_compare(task_handle_1=before, task_handle_2=parent)["cmp_value"] == 0
    else:
        with fails("ompd_rc_unavailable"):
            tool.get_scheduling_task_handle(task_handle=implicit)
    tool.rel_task_handle(task_handle=implicit)
    with fails("ompd_rc_stale_handle"):
        tool.get_task_function(task_handle=implicit)


def test_what_libgomp_does_not_store_is_unavailable(tool):
    thread = thread_handle(tool, innermost(tool)[0])
    task = tool.get_curr_task_handle(thread_handle=thread)["task_handle"]
    if OMPRT:
        assert int(tool.get_task_function(task_handle=task)["entry_point"]["address"], 16) > 0x1000
        frames = tool.get_task_frame(task_handle=task)
        assert int(frames["exit_frame"]["frame_address"]["address"], 16) > 0x1000
        assert int(frames["enter_frame"]["frame_address"]["address"], 16) == 0, "it executes code of its own"
    else:
        for routine in ("get_task_function", "get_task_frame"):
            with fails("ompd_rc_unavailable"):
                getattr(tool, routine)(task_handle=task)
    # libgomp has no OMPT; ours has it, and no tool.
    with fails("ompd_rc_unavailable" if OMPRT else "ompd_rc_unsupported"):
        tool.get_tool_data(handle=thread, scope="ompd_scope_thread")


def test_explicit_task_has_its_function(program, client):
    one = program("tasks", "chain")
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    for tid in one.lines:
        thread = client.ompd.get_thread_handle(target=target, kind="OMPD_THREAD_ID_LWP", thread_id=tid)["thread_handle"]
        task = client.ompd.get_curr_task_handle(target=target, thread_handle=thread)["task_handle"]
        assert int(client.ompd.get_task_function(target=target, task_handle=task)["entry_point"]["address"], 16) > 0x1000


def test_states(tool):
    names, current = {}, 0x102
    while True:
        answer = tool.enumerate_states(current_state=current)
        assert answer["next_state"] not in names, "states repeat"
        names[answer["next_state"]] = answer["next_state_name"]
        current = answer["next_state"]
        if not answer["more_enums"]:
            break
    for name, value in STATES_VALUES.items():
        assert names[value] == f"ompt_state_{name}"
    with fails("ompd_rc_bad_input"):
        tool.enumerate_states(current_state=0x7777)
    # A parked thread in a region: libgomp's memory does not prove its state.
    thread = thread_handle(tool, innermost(tool)[0])
    if OMPRT:
        state = names[tool.get_state(thread_handle=thread)["state"]]
        assert state in ("ompt_state_work_parallel", "ompt_state_wait_barrier"), state
        return
    with fails("ompd_rc_unavailable"):
        tool.get_state(thread_handle=thread)


def test_state_of_an_idle_thread(program, client):
    one = program("idle", 3)
    target = client.target.attach(pid=one.pid, mode="observe")["target"]
    tid = next(tid for tid, line in one.lines.items() if line.get("idle"))
    thread = client.ompd.get_thread_handle(target=target, kind="OMPD_THREAD_ID_LWP", thread_id=tid)["thread_handle"]
    assert client.ompd.get_state(target=target, thread_handle=thread)["state"] == 0x100
    with fails("ompd_rc_unavailable"):
        client.ompd.get_curr_parallel_handle(target=target, thread_handle=thread)


def enumerate_icvs(tool):
    icvs, current = {}, 0
    while True:
        answer = tool.enumerate_icvs(current=current)
        assert answer["next_icv_name"] not in icvs, "a name twice"
        icvs[answer["next_icv_name"]] = (answer["next_id"], answer["next_scope"])
        current = answer["next_id"]
        if not answer["more"]:
            return icvs


def test_every_icv_is_enumerated(tool):
    icvs = enumerate_icvs(tool)
    assert not set(ICVS_OF_5_2) - set(icvs), set(ICVS_OF_5_2) - set(icvs)
    assert not set(ALIASES) - set(icvs), set(ALIASES) - set(icvs)
    assert len({ident for ident, _ in icvs.values()}) == len(icvs), "ids are unique"
    with fails("ompd_rc_bad_input"):
        tool.enumerate_icvs(current=99999)


def test_every_icv_is_right_or_unavailable(tool):
    """Each one through its own scope's handle, as number and as text: a value, or a reason."""
    tid, line = innermost(tool)
    thread = thread_handle(tool, tid)
    region = tool.get_curr_parallel_handle(thread_handle=thread)["parallel_handle"]
    task = tool.get_curr_task_handle(thread_handle=thread)["task_handle"]
    handles = {"ompd_scope_thread": thread, "ompd_scope_parallel": region, "ompd_scope_task": task,
               "ompd_scope_implicit_task": task}
    values = {}
    import ompdd
    for name, (ident, scope) in enumerate_icvs(tool).items():
        where = {"scope": scope, "icv_id": ident}
        if scope in handles:
            where["handle"] = handles[scope]
        for routine, key in (("get_icv_from_scope", "icv_value"), ("get_icv_string_from_scope", "icv_string")):
            try:
                values.setdefault(name, []).append(getattr(tool, routine)(**where)[key])
            except ompdd.Error as error:
                assert error.name in ("ompd_rc_unavailable", "ompd_rc_incompatible", "ompd_rc_incomplete"), (name, error)
    expected = {"levels-var": line["level"], "active-levels-var": line["active_level"], "team-size-var": line["num_threads"],
                "ompd-team-size-var": line["num_threads"], "thread-num-var": line["thread_num"],
                "ompd-thread-num-var": line["thread_num"], "nthreads-var": line["max_threads"],
                "max-active-levels-var": line["max_active_levels"], "num-procs-var": line["num_procs"],
                "ompd-num-procs-var": line["num_procs"], "final-task-var": 0, "ompd-final-var": 0, "explicit-task-var": 0,
                "ompd-implicit-var": 1, "dyn-var": line["dynamic"]}
    for name, number in expected.items():
        assert values[name][0] == number, (name, values[name], number)


def test_icv_of_the_wrong_scope(tool):
    ident, scope = enumerate_icvs(tool)["levels-var"]
    thread = thread_handle(tool, innermost(tool)[0])
    wrong = "ompd_scope_thread" if scope != "ompd_scope_thread" else "ompd_scope_address_space"
    with fails("ompd_rc_incompatible"):
        tool.get_icv_from_scope(handle=thread, scope=wrong, icv_id=ident) if wrong == "ompd_scope_thread" \
            else tool.get_icv_from_scope(scope=wrong, icv_id=ident)
    with fails("ompd_rc_bad_input"):
        tool.get_icv_from_scope(handle=thread, scope="ompd_scope_thread", icv_id=99999)


def test_display_control_vars(tool):
    values = tool.get_display_control_vars()["control_vars"]
    assert values and all("=" in entry for entry in values), values
    names = [entry.split("=")[0] for entry in values]
    assert len(set(names)) == len(names)
    assert "OMP_NUM_THREADS" in names
    tool.rel_display_control_vars()
    with fails("ompd_rc_bad_input"):
        tool.rel_display_control_vars()


def test_snapshot_and_routines_agree(tool, client):
    """The aggregates use the routines: the same thread numbers, the same ICVs."""
    snapshot = check_structure(client.snapshot.get(target=tool.id))
    icvs = enumerate_icvs(tool)
    for tid in tool.program.lines:
        thread = thread_handle(tool, tid)
        region = tool.get_curr_parallel_handle(thread_handle=thread)["parallel_handle"]
        ident, scope = icvs["team-size-var"]
        assert tool.get_icv_from_scope(handle=region, scope=scope, icv_id=ident)["icv_value"] == \
            snapshot.parallel_of(tid)["team_size"]
        task = tool.get_curr_task_handle(thread_handle=thread)["task_handle"]
        ident, scope = icvs["max-active-levels-var"]
        if scope == "ompd_scope_task":
            entry = snapshot.icvs(tid)["max-active-levels-var"]
            assert not has_rc(entry)
            assert tool.get_icv_from_scope(handle=task, scope=scope, icv_id=ident)["icv_value"] == icv_number(entry)
