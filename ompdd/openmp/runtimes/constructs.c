/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of entry points, by the longest prefix that fits. libgomp's ABI (libgomp.map) and LLVM's (kmp.h). */
#include "openmp/runtimes/constructs.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *prefix;
	enum construct construct;
} prefixes[] = {
	{"GOMP_parallel", CONSTRUCT_PARALLEL},
	{"GOMP_parallel_end", CONSTRUCT_PARALLEL},
	{"GOMP_teams", CONSTRUCT_TEAMS},
	{"GOMP_barrier", CONSTRUCT_BARRIER},
	{"GOMP_critical_", CONSTRUCT_CRITICAL},
	{"GOMP_atomic_", CONSTRUCT_ATOMIC},
	{"GOMP_ordered_", CONSTRUCT_ORDERED},
	{"GOMP_doacross_", CONSTRUCT_ORDERED},
	{"GOMP_single_", CONSTRUCT_SINGLE},
	{"GOMP_sections", CONSTRUCT_SECTIONS},
	{"GOMP_loop_", CONSTRUCT_LOOP},
	{"GOMP_scope_", CONSTRUCT_SCOPE},
	{"GOMP_task", CONSTRUCT_TASK},
	{"GOMP_taskloop", CONSTRUCT_TASKLOOP},
	{"GOMP_taskwait", CONSTRUCT_TASKWAIT},
	{"GOMP_taskgroup_", CONSTRUCT_TASKGROUP},
	{"GOMP_taskgroup_reduction_", CONSTRUCT_REDUCTION},
	{"GOMP_taskyield", CONSTRUCT_TASKYIELD},
	{"GOMP_workshare_task_reduction_", CONSTRUCT_REDUCTION},
	{"GOMP_target", CONSTRUCT_TARGET},
	{"omp_", CONSTRUCT_API},
	{"omp_set_lock", CONSTRUCT_LOCK},
	{"omp_set_nest_lock", CONSTRUCT_LOCK},
	{"omp_unset_lock", CONSTRUCT_LOCK},
	{"omp_unset_nest_lock", CONSTRUCT_LOCK},
	{"omp_test_lock", CONSTRUCT_LOCK},
	{"omp_test_nest_lock", CONSTRUCT_LOCK},
	{"__kmpc_fork_call", CONSTRUCT_PARALLEL},
	{"__kmpc_serialized_parallel", CONSTRUCT_PARALLEL},
	{"__kmpc_end_serialized_parallel", CONSTRUCT_PARALLEL},
	{"__kmpc_fork_teams", CONSTRUCT_TEAMS},
	{"__kmpc_barrier", CONSTRUCT_BARRIER},
	{"__kmpc_cancel_barrier", CONSTRUCT_BARRIER},
	{"__kmpc_critical", CONSTRUCT_CRITICAL},
	{"__kmpc_end_critical", CONSTRUCT_CRITICAL},
	{"__kmpc_atomic_", CONSTRUCT_ATOMIC},
	{"__kmpc_ordered", CONSTRUCT_ORDERED},
	{"__kmpc_doacross_", CONSTRUCT_ORDERED},
	{"__kmpc_single", CONSTRUCT_SINGLE},
	{"__kmpc_copyprivate", CONSTRUCT_SINGLE},
	{"__kmpc_sections_", CONSTRUCT_SECTIONS},
	{"__kmpc_next_section", CONSTRUCT_SECTIONS},
	{"__kmpc_for_static_", CONSTRUCT_LOOP},
	{"__kmpc_dispatch_", CONSTRUCT_LOOP},
	{"__kmpc_omp_task", CONSTRUCT_TASK},
	{"__kmpc_omp_taskwait", CONSTRUCT_TASKWAIT},
	{"__kmpc_omp_wait_deps", CONSTRUCT_TASKWAIT},
	{"__kmpc_omp_taskyield", CONSTRUCT_TASKYIELD},
	{"__kmpc_taskloop", CONSTRUCT_TASKLOOP},
	{"__kmpc_taskgroup", CONSTRUCT_TASKGROUP},
	{"__kmpc_end_taskgroup", CONSTRUCT_TASKGROUP},
	{"__kmpc_reduce", CONSTRUCT_REDUCTION},
	{"__kmpc_set_lock", CONSTRUCT_LOCK},
	{"__kmpc_set_nest_lock", CONSTRUCT_LOCK},
	{"__tgt_", CONSTRUCT_TARGET},
};

static const char *const names[N_CONSTRUCTS] = {
	[CONSTRUCT_PARALLEL] = "parallel",   [CONSTRUCT_TEAMS] = "teams",
	[CONSTRUCT_BARRIER] = "barrier",     [CONSTRUCT_CRITICAL] = "critical",
	[CONSTRUCT_ATOMIC] = "atomic",	     [CONSTRUCT_LOCK] = "lock",
	[CONSTRUCT_ORDERED] = "ordered",     [CONSTRUCT_SINGLE] = "single",
	[CONSTRUCT_SECTIONS] = "sections",   [CONSTRUCT_LOOP] = "loop",
	[CONSTRUCT_SCOPE] = "scope",	     [CONSTRUCT_TASK] = "task",
	[CONSTRUCT_TASKLOOP] = "taskloop",   [CONSTRUCT_TASKWAIT] = "taskwait",
	[CONSTRUCT_TASKGROUP] = "taskgroup", [CONSTRUCT_TASKYIELD] = "taskyield",
	[CONSTRUCT_REDUCTION] = "reduction", [CONSTRUCT_TARGET] = "target",
	[CONSTRUCT_API] = "api",
};

enum construct construct_of(const char *name)
{
	enum construct found = CONSTRUCT_UNKNOWN;
	size_t longest = 0;

	for (size_t i = 0; name && i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t len = strlen(prefixes[i].prefix);

		if (len > longest && !strncmp(name, prefixes[i].prefix, len)) {
			found = prefixes[i].construct;
			longest = len;
		}
	}
	return found;
}

const char *construct_name(enum construct construct)
{
	return construct < N_CONSTRUCTS ? names[construct] : NULL;
}

bool construct_is_runtime_name(const char *name)
{
	static const char *const inside[] = {"GOMP_", "gomp_", "GOACC_", "goacc_", "omp_", "__kmp", "__tgt_"};

	for (size_t i = 0; name && i < sizeof(inside) / sizeof(inside[0]); i++) {
		if (!strncmp(name, inside[i], strlen(inside[i])))
			return true;
	}
	return false;
}
