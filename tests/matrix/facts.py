# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Print the layout of a libgomp with debug information, one "struct.member offset size" a line.

Run inside gdb:  gdb -nx -batch -x facts.py ~/.cache/ompdd-matrix/12/debug/libgomp.so.1
Bit-fields end in ":first bit:bits". Members of nested structs are written out to their leaves.
The layout tables of libompd are compared with this.
"""

import gdb

STRUCTS = (
    "gomp_thread", "gomp_team_state", "gomp_team", "gomp_task", "gomp_task_icv", "gomp_taskwait",
    "gomp_taskgroup", "gomp_task_depend_entry", "gomp_work_share", "gomp_doacross_work_share", "gomp_thread_pool",
    "gomp_barrier_t", "gomp_simple_barrier_t", "priority_queue", "priority_list", "priority_node",
    "gomp_ptrlock_t", "gomp_mutex_t", "gomp_sem_t", "gomp_icv_list", "gomp_initial_icvs",
    "gomp_default_icv", "gomp_offload_icvs",
)
ENUMS = ("gomp_task_kind", "gomp_schedule_type", "gomp_cancel_kind", "memmodel")
DEPTH = 6
# Globals that a reader of process-wide state needs; only the unstripped library has them.
GLOBALS = (
    "gomp_tls_data", "gomp_global_icv", "gomp_initial_icv_list", "gomp_initial_icvs_none",
    "gomp_default_icv_values", "gomp_max_active_levels_var", "gomp_thread_limit_var",
    "gomp_cancel_var", "gomp_max_task_priority_var", "gomp_places_list", "gomp_places_list_len",
    "gomp_nthreads_var_list", "gomp_nthreads_var_list_len", "gomp_bind_var_list",
    "gomp_bind_var_list_len", "gomp_display_affinity_var", "gomp_affinity_format_var",
    "gomp_managed_threads", "gomp_available_cpus", "gomp_num_teams_var", "gomp_teams_thread_limit_var",
    "gomp_spin_count_var", "gomp_throttled_spin_count_var", "stacksize", "gomp_target_offload_var",
    "gomp_def_allocator", "gomp_debug_var", "default_lock", "atomic_lock",
)


def find(name):
    for form in ("struct " + name, name, "union " + name, "enum " + name):
        try:
            return gdb.lookup_type(form).strip_typedefs()
        except gdb.error:
            continue
    return None


def walk(prefix, kind, base, depth):
    for field in kind.fields():
        if not hasattr(field, "bitpos"):
            continue
        label = prefix + ("." + field.name if field.name else "")
        inner = field.type.strip_typedefs()
        if field.bitsize:
            bit = base + field.bitpos
            print("%s %d %d:%d:%d" % (label, bit // 8, inner.sizeof, bit % 8, field.bitsize))
            continue
        at = base + field.bitpos
        print("%s %d %d  %s" % (label, at // 8, inner.sizeof, field.type))
        if inner.code == gdb.TYPE_CODE_ARRAY and inner.sizeof:
            inner = inner.target().strip_typedefs()
            label += "[0]"
        if inner.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION) and depth:
            walk(label, inner, at, depth - 1)


for name in STRUCTS:
    kind = find(name)
    if kind is None or kind.code not in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        if kind is not None:
            print("# %s: %s, %d bytes" % (name, kind, kind.sizeof))
        else:
            print("# %s: not in this version" % name)
        continue
    print("%s sizeof %d" % (name, kind.sizeof))
    walk(name, kind, 0, DEPTH if name not in ("gomp_team", "gomp_task", "gomp_thread") else 2)
for name in ENUMS:
    kind = find(name)
    if kind is not None and kind.code == gdb.TYPE_CODE_ENUM:
        for field in kind.fields():
            print("enum %s %s %d" % (name, field.name, field.enumval))
for name in GLOBALS:
    symbol = gdb.lookup_global_symbol(name) or gdb.lookup_static_symbol(name)
    if symbol is not None and symbol.needs_frame is False:
        print("global %s %d  %s" % (name, symbol.type.sizeof, symbol.type))
