/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds entry points by the longest matching prefix. OpenMP's own routines are listed here, all others in the runtimes'
 * profiles.
 */
#include "openmp/runtimes/constructs.h"

#include <stddef.h>
#include <string.h>

#include "openmp/runtimes/profile.h"

static const struct profile_construct routines[] = {
	{"omp_", CONSTRUCT_API},
	{"omp_set_lock", CONSTRUCT_LOCK},
	{"omp_set_nest_lock", CONSTRUCT_LOCK},
	{"omp_unset_lock", CONSTRUCT_LOCK},
	{"omp_unset_nest_lock", CONSTRUCT_LOCK},
	{"omp_test_lock", CONSTRUCT_LOCK},
	{"omp_test_nest_lock", CONSTRUCT_LOCK},
	{NULL, CONSTRUCT_UNKNOWN},
};

static const char *const names[N_CONSTRUCTS] = {
	[CONSTRUCT_PARALLEL] = "parallel",
	[CONSTRUCT_TEAMS] = "teams",
	[CONSTRUCT_BARRIER] = "barrier",
	[CONSTRUCT_CRITICAL] = "critical",
	[CONSTRUCT_ATOMIC] = "atomic",
	[CONSTRUCT_LOCK] = "lock",
	[CONSTRUCT_ORDERED] = "ordered",
	[CONSTRUCT_SINGLE] = "single",
	[CONSTRUCT_SECTIONS] = "sections",
	[CONSTRUCT_LOOP] = "loop",
	[CONSTRUCT_SCOPE] = "scope",
	[CONSTRUCT_TASK] = "task",
	[CONSTRUCT_TASKLOOP] = "taskloop",
	[CONSTRUCT_TASKWAIT] = "taskwait",
	[CONSTRUCT_TASKGROUP] = "taskgroup",
	[CONSTRUCT_TASKYIELD] = "taskyield",
	[CONSTRUCT_REDUCTION] = "reduction",
	[CONSTRUCT_TARGET] = "target",
	[CONSTRUCT_API] = "api",
};

/* Returns the longest entry of @prefixes that @name starts with, if it is longer than @best; else @best. */
static const struct profile_construct *find_longer_prefix(const struct profile_construct *prefixes, const char *name,
							  const struct profile_construct *best)
{
	for (const struct profile_construct *i = prefixes; i && i->prefix; i++) {
		size_t len = strlen(i->prefix);

		if ((!best || len > strlen(best->prefix)) && !strncmp(name, i->prefix, len))
			best = i;
	}
	return best;
}

enum construct construct_of(const char *name)
{
	if (!name)
		return CONSTRUCT_UNKNOWN;
	const struct profile_construct *best = find_longer_prefix(routines, name, NULL);

	for (const struct profile *const *i = profiles; *i; i++)
		best = find_longer_prefix((*i)->constructs, name, best);
	return best ? best->construct : CONSTRUCT_UNKNOWN;
}

const char *construct_name(enum construct construct)
{
	return construct < N_CONSTRUCTS ? names[construct] : NULL;
}

bool construct_is_of_nestable_lock(const char *name)
{
	return name && strstr(name, "_nest_lock");
}

bool construct_is_of_doacross(const char *name)
{
	return name && strstr(name, "_doacross_");
}

bool construct_is_runtime_name(const char *name)
{
	bool is_one = name && !strncmp(name, "omp_", strlen("omp_"));

	for (const struct profile *const *i = profiles; name && *i && !is_one; i++) {
		for (const char *const *prefix = (*i)->own_prefixes; prefix && *prefix && !is_one; prefix++)
			is_one = !strncmp(name, *prefix, strlen(*prefix));
	}
	return is_one;
}
