# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compare what libompd finds out about a stripped libgomp with the debug information of the same build.

check_layout.py PROGRAM DIR [--refused]: PROGRAM is matrix_layout, DIR what build.sh made (libgomp.so.1,
debug/libgomp.so.1). Exit 0: all right and nothing missing that MUST be there, or, with --refused, libompd said that it
cannot read this build; 1: not so; 77: no such build.
"""
import os
import pathlib
import subprocess
import sys

PARTS = {"th": "gomp_thread", "ts": "gomp_team_state", "team": "gomp_team", "bar": "gomp_barrier_t", "pool": "gomp_thread_pool",
         "task": "gomp_task", "tg": "gomp_taskgroup", "tw": "gomp_taskwait",
         "ws": "gomp_work_share", "dx": "gomp_doacross_work_share"}
MEMBERS = {
    "th_ts": "ts", "th_task": "task", "th_release": "release", "th_place": "place", "th_pool": "thread_pool",
    "th_num_teams": "num_teams", "th_team_num": "team_num", "ts_work_share": "work_share", "ts_team_id": "team_id", "ts_level": "level",
    "ts_active_level": "active_level", "ts_place_off": "place_partition_off", "ts_place_len": "place_partition_len",
    "ts_def_allocator": "def_allocator", "team_nthreads": "nthreads", "team_prev_ts": "prev_ts",
    "team_master_release": "master_release", "team_ordered_release": "ordered_release",
    "team_implicit_task": "implicit_task", "team_barrier": "barrier", "bar_total": "total",
    "bar_generation": "generation", "bar_awaited": "awaited", "bar_awaited_final": "awaited_final", "pool_threads": "threads", "pool_threads_used": "threads_used", "pool_last_team": "last_team",
    "task_parent": "parent", "task_taskgroup": "taskgroup", "task_taskwait": "taskwait",
    "task_nthreads": "icv.nthreads_var", "task_run_sched": "icv.run_sched_var",
    "task_run_chunk": "icv.run_sched_chunk_size", "task_device": "icv.default_device_var",
    "task_thread_limit": "icv.thread_limit_var", "task_dyn": "icv.dyn_var",
    "task_max_active": "icv.max_active_levels_var", "task_bind": "icv.bind_var", "task_fn": "fn",
    "task_kind": "kind", "task_final": "final_task", "tg_prev": "prev", "tg_waiting": "in_taskgroup_wait",
    "tg_sem": "taskgroup_sem", "tw_taskwait": "in_taskwait", "tw_depend": "in_depend_wait", "tw_sem": "taskwait_sem",
    "task_children": "children_queue", "task_dependers": "dependers", "task_dependees": "num_dependees", "task_nodes": "pnode",
    "ws_ordered_ids": "ordered_team_ids", "ws_ordered_owner": "ordered_owner", "ws_ordered_cur": "ordered_cur",
    "ws_sched": "sched", "ws_doacross": "doacross", "dx_size": "elt_sz", "dx_array": "array", "tg_queue": "taskgroup_queue", "tg_children": "num_children",
}
# libgomp's names of the variables, by release if they differ: (symbol, offset in it).
ICV = "gomp_global_icv"
VARIABLES = {
    "nthreads": [(ICV, 0)], "run_sched": [(ICV, 8)], "run_chunk": [(ICV, 12)], "device": [(ICV, 16)],
    "thread_limit": [(ICV, 20)], "dyn": [(ICV, 24)], "max_active": [(ICV, 25), ("gomp_max_active_levels_var", 0)],
    "bind": [(ICV, 26)], "cancel": [("gomp_cancel_var", 0)], "max_task_priority": [("gomp_max_task_priority_var", 0)],
    "def_allocator": [("gomp_def_allocator", 0)], "affinity_format": [("gomp_affinity_format_var", 0)],
    "available_cpus": [("gomp_available_cpus", 0)], "places_list": [("gomp_places_list", 0)],
    "places_len": [("gomp_places_list_len", 0)], "cpuset_size": [("gomp_cpuset_size", 0)],
    "nteams": [("gomp_num_teams_var", 0), ("gomp_nteams_var", 0)],
    "teams_thread_limit": [("gomp_teams_thread_limit_var", 0)],
    "nthreads_list": [("gomp_nthreads_var_list", 0)], "nthreads_list_len": [("gomp_nthreads_var_list_len", 0)],
    "bind_list": [("gomp_bind_var_list", 0)], "bind_list_len": [("gomp_bind_var_list_len", 0)],
    "stacksize": [("stacksize", 0), ("gomp_stacksize_var", 0)], "wait_policy": [("wait_policy", 0), ("gomp_wait_policy", 0)],
    "spin_count": [("gomp_spin_count_var", 0)],
    "display_affinity": [("gomp_display_affinity_var", 0)], "target_offload": [("gomp_target_offload_var", 0)],
}
MUST = {"nthreads", "run_sched", "run_chunk", "thread_limit", "dyn", "max_active", "bind", "cancel", "max_task_priority",
        "places_list", "places_len", "affinity_format"}


def truth(library):
    """Return offsets by "struct.member" and sizes by "struct", from gdb, and addresses of variables, from nm."""
    facts = pathlib.Path(__file__).with_name("facts.py")
    text = subprocess.run(["gdb", "-nx", "-batch", "-x", facts, library], capture_output=True, text=True, check=True).stdout
    offsets, sizes = {}, {}
    for line in text.splitlines():
        words = line.split()
        if len(words) >= 3 and words[1] == "sizeof":
            sizes[words[0]] = int(words[2])
        elif len(words) >= 3 and words[0].startswith("gomp_") and words[1].isdigit():
            offsets.setdefault(words[0], int(words[1]))
    addresses = {}
    for line in subprocess.run(["nm", library], capture_output=True, text=True, check=True).stdout.splitlines():
        words = line.split()
        if len(words) == 3 and words[1] in "bBdDrR":
            addresses.setdefault(words[2], set()).add(int(words[0], 16))
    return offsets, sizes, addresses


def expected(field, offsets, sizes):
    struct, _, rest = field.partition("_")
    if rest == "size" and field not in MEMBERS:
        return sizes.get(PARTS[struct])
    return offsets.get(f"{PARTS[struct]}.{MEMBERS[field]}")


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    if not (folder / "libgomp.so.1").exists():
        print(f"{folder}: no libgomp.so.1")
        return 77
    done = subprocess.run([program], capture_output=True, text=True, env={**os.environ, "LD_LIBRARY_PATH": str(folder)})
    if "--refused" in sys.argv[3:]:
        refused = done.returncode == 1 and "\nfailed the code of " in "\n" + done.stdout
        print(f"{folder}: {done.stdout}")
        return 0 if refused and "used" not in done.stdout else 1
    release = folder.name.partition("-")[0]
    trouble = [] if done.returncode == 0 else [f"{program} ended with {done.returncode}: {done.stderr}"]
    offsets, sizes, addresses = truth(folder / "debug" / "libgomp.so.1")
    seen, used, variables = set(), set(), set()
    for line in done.stdout.splitlines():
        kind, _, rest = line.partition(" ")
        words = rest.split()
        if kind in ("seen", "used"):
            (seen if kind == "seen" else used).add(words[0])
            if expected(words[0], offsets, sizes) != int(words[1]):
                trouble.append(f"{kind} {words[0]}: {words[1]}, is {expected(words[0], offsets, sizes)}")
        elif kind == "variable":
            variables.add(words[0])
            names = [(name, at) for name, at in VARIABLES[words[0]] if name in addresses]
            if not any(address + at == int(words[1]) for name, at in names for address in addresses[name]):
                trouble.append(f"variable {words[0]} at {int(words[1]):#x}, is none of {names}")
        elif kind == "version" and rest != release:
            trouble.append(f"version {rest}, is {release}")
        elif kind == "failed" or kind == "said" and rest:
            trouble.append(line)
    for field in MEMBERS:
        if field not in used and expected(field, offsets, sizes) is not None:
            trouble.append(f"{field} is in this release and libompd does not use it")
    missing = {name for name in VARIABLES if name not in variables and any(symbol in addresses for symbol, _ in VARIABLES[name])}
    for name in sorted(missing & MUST):
        trouble.append(f"variable {name} not found")
    print(f"{folder}: {len(seen)} offsets proven, {len(used)} used, {len(variables)} variables;"
          f" by code not seen: {' '.join(sorted(used - seen))}; variables not found: {' '.join(sorted(missing)) or 'none'}")
    for line in trouble:
        print("  " + line)
    return 1 if trouble else 0


if __name__ == "__main__":
    sys.exit(main())
