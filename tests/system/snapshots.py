# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convert a snapshot into the values of OpenMP's own functions, and check the rules for any snapshot."""
import ompdd
from targets import wait_until

INT_MAX = 2**31 - 1
SCHEDULES = {"static": 1, "dynamic": 2, "guided": 3, "auto": 4}
BINDS = {"false": 0, "true": 1, "primary": 2, "master": 2, "close": 3, "spread": 4}


def diagnose(client, target, **params):
    """Call diagnose.get once a program that has just started has used its runtime."""
    def answer():
        try:
            return client.diagnose.get(target=target, **params)
        except ompdd.Error as error:
            assert error.name == "openmp_not_started", error
            return None
    return wait_until(answer, "its runtime is in use")


def has_rc(value):
    """Assert that the field gives the reason why it is not available."""
    return isinstance(value, dict) and "rc" in value


class Snapshot:
    def __init__(self, result):
        self.result = result
        self.threads = {thread["tid"]: thread for thread in result["threads"]}
        self.parallels = {parallel["handle"]: parallel for parallel in result["parallels"]}
        self.tasks = {task["handle"]: task for task in result["tasks"]}

    def parallel_of(self, tid):
        return self.parallels[self.threads[tid]["parallel"]]

    def task_of(self, tid):
        return self.tasks[self.threads[tid]["task"]]

    def regions(self, tid):
        """Return the regions around a thread by level, outermost (level 0) first.

        A target region, or a team of a league, is an outermost region.
        """
        chain = [self.parallel_of(tid)]
        while chain[-1]["level"] != 0 and not has_rc(chain[-1]["enclosing"]):
            chain.append(self.parallels[chain[-1]["enclosing"]])
            assert len(chain) <= len(self.parallels), "enclosing regions form a circle"
        return chain[::-1]

    def chain(self, task):
        """Return the kinds of a task and its generating tasks, innermost first."""
        kinds, seen = [], set()
        while True:
            assert task["handle"] not in seen, "generating tasks form a circle"
            seen.add(task["handle"])
            kinds.append(task["kind"])
            if has_rc(task["generating"]):
                return kinds
            task = self.tasks[task["generating"]]

    def icvs(self, tid):
        """Return all control variables that apply to a thread now, of any scope."""
        task = self.task_of(tid)
        merged = dict(self.result["icvs"])
        for part in (self.parallel_of(tid).get("icvs", {}), self.threads[tid].get("icvs", {}), task["icvs"]):
            assert not has_rc(part), part
            merged.update(part)
        return merged


def icv_number(entry):
    """Return an ICV as the number that omp_get_*() returns for it."""
    if "int" in entry and isinstance(entry["int"], int):
        return entry["int"]
    return {"true": 1, "enabled": 1, "false": 0, "disabled": 0}[entry["value"].lower()]


def icv_schedule(entry):
    """run-sched-var as (kind with the monotonic bit, chunk) of omp_get_schedule()."""
    text = entry["value"].lower()
    modifier, _, rest = text.rpartition(":")
    name, _, chunk = rest.partition(",")
    kind = SCHEDULES[name.strip()]
    if modifier == "monotonic":
        kind |= 0x80000000
    return kind, int(chunk or 0)


def icv_bind(entry):
    """bind-var as omp_proc_bind_t: the first of its list."""
    return BINDS[entry["value"].lower().split(",")[0].strip()]


# omp_get_*() by its key in an oracle line: the ICV, and the conversion to that function's result. (Levels, thread and
# team size are fields of regions and threads; test_methods checks their ICVs through ompd.*.)
ICV_OF = {
    "max_threads": ("nthreads-var", icv_number),
    "dynamic": ("dyn-var", icv_number),
    "max_active_levels": ("max-active-levels-var", icv_number),
    "in_final": ("final-task-var", icv_number),
    "schedule": ("run-sched-var", icv_schedule),
    "proc_bind": ("bind-var", icv_bind),
    "thread_limit": ("thread-limit-var", lambda entry: min(icv_number(entry), INT_MAX)),
    "cancellation": ("cancel-var", icv_number),
    "default_device": ("default-device-var", icv_number),
    "max_task_priority": ("max-task-priority-var", icv_number),
    "num_procs": ("num-procs-var", icv_number),
}


def check_structure(result, parked=True):
    """Rules for every consistent snapshot of any program.

    A program that is not parked may be in the middle of creating a team: a new thread that has not run yet is in no
    team, though the team's size counts it.
    """
    snapshot = Snapshot(result)
    assert len(snapshot.threads) == len(result["threads"]), "a thread twice"
    assert len(snapshot.parallels) == len(result["parallels"]), "a region twice"
    assert len(snapshot.tasks) == len(result["tasks"]), "a task twice"
    for thread in result["threads"]:
        if thread["openmp"] is not True:
            continue
        if not has_rc(thread["parallel"]):
            region = snapshot.parallels[thread["parallel"]]
            if not has_rc(thread["thread_num"]):
                assert thread["thread_num"] < region["team_size"]
                place = region["threads"].index(thread["tid"])
                assert place == thread["thread_num"] if parked else place <= thread["thread_num"]
        if not has_rc(thread["task"]):
            assert snapshot.tasks[thread["task"]]["thread"] == thread["tid"]
    for region in result["parallels"]:
        assert len(set(region["threads"])) == len(region["threads"]) <= region["team_size"], region
        assert set(region["threads"]) <= set(snapshot.threads)
        if parked:
            assert len(region["threads"]) == region["team_size"], region
        if has_rc(region["enclosing"]):
            assert region["level"] == 0 and region["active_level"] == 0 and region["team_size"] == 1, region
        else:
            outer = snapshot.parallels[region["enclosing"]]
            # While an initial region's thread gives back an inner team, its region is not known.
            leaves = not parked and outer["level"] == 0 and not outer["threads"]
            assert leaves or region["threads"][0] in outer["threads"], "the primary thread comes from the enclosing team"
            if region["level"] == 0:
                assert region["active_level"] == 0 and region["team_size"] == 1, region
                continue
            assert region["level"] == outer["level"] + 1
            assert region["active_level"] == outer["active_level"] + (region["team_size"] > 1)
    for task in result["tasks"]:
        if not has_rc(task["generating"]):
            assert task["generating"] in snapshot.tasks
        if not has_rc(task["parallel"]):
            assert task["parallel"] in snapshot.parallels
        if task["kind"] == "initial":
            assert has_rc(task["generating"]) == has_rc(snapshot.parallels[task["parallel"]]["enclosing"])
    return snapshot


def check_oracle(snapshot, line):
    """Compare everything that a thread reports about itself with ompdd's report."""
    tid = line["tid"]
    thread = snapshot.threads[tid]
    assert thread["openmp"] is True, thread
    assert thread["thread_num"] == line["thread_num"]
    regions = snapshot.regions(tid)
    innermost = regions[-1]
    assert [region["level"] for region in regions] == list(range(line["level"] + 1)), "a level is missing"
    assert innermost["active_level"] == line["active_level"]
    assert [region["team_size"] for region in regions] == line["team_sizes"]
    ancestors, ancestor = [], tid
    for region in reversed(regions):
        ancestors.append(region["threads"].index(ancestor))
        ancestor = region["threads"][0]
    assert ancestors[::-1] == line["ancestors"]
    icvs = snapshot.icvs(tid)
    for key, (name, convert) in ICV_OF.items():
        said = line[key]
        if key == "schedule":
            # auto has no chunk (OpenMP 5.2, 18.2.12). libgomp keeps the previous value.
            said = (said[0] & 0xffffffff, said[1] if said[0] & 0xff != SCHEDULES["auto"] else 0)
        entry = icvs[name]
        assert not has_rc(entry), f"thread {tid}: {name} is {entry}"
        assert convert(entry) == said, f"thread {tid}: {name} is {entry}, omp_get_{key}() said {said}"
    assert (innermost["active_level"] > 0) == bool(line["in_parallel"])
