/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds entry points by the longest matching prefix, among OpenMP's own routines and those of the descriptors. */
#include "openmp/runtimes/constructs.h"

#include <string.h>

#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/entries.h"

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
static const struct descriptor_construct *find_longer_prefix(const struct descriptor_construct *prefixes,
							     const char *name, const struct descriptor_construct *best)
{
	for (const struct descriptor_construct *i = prefixes; i && i->prefix; i++) {
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
	const struct descriptor_construct *best = find_longer_prefix(omp_constructs, name, NULL);

	for (const struct runtime_descriptor *const *i = runtime_descriptors; *i; i++)
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

bool construct_is_of_lock_acquire(const char *name)
{
	return name && strstr(name, "_set_") && construct_of(name) == CONSTRUCT_LOCK;
}

static bool has_suffix(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len >= n && !strcmp(text + len - n, end);
}

bool construct_is_of_end(const char *name)
{
	return name && (has_suffix(name, "_end") || has_suffix(name, "_post") ||
			!strncmp(name, "__kmpc_end_", strlen("__kmpc_end_")));
}

bool construct_is_of_doacross(const char *name)
{
	return name && strstr(name, "_doacross_");
}

const char *construct_critical_name(const char *symbol, size_t *len_ret)
{
	for (const struct runtime_descriptor *const *i = runtime_descriptors; *i; i++) {
		const char *prefix = (*i)->proofs ? (*i)->proofs->critical_lock : NULL;

		if (!prefix || strncmp(symbol, prefix, strlen(prefix)) != 0)
			continue;
		/* clang adds ".var". */
		*len_ret = strcspn(symbol + strlen(prefix), ".");
		return symbol + strlen(prefix);
	}
	return NULL;
}

bool construct_is_runtime_name(const char *name)
{
	bool is_one = name && !strncmp(name, "omp_", strlen("omp_"));

	for (const struct runtime_descriptor *const *i = runtime_descriptors; name && *i && !is_one; i++) {
		for (const char *const *prefix = (*i)->own_prefixes; prefix && *prefix && !is_one; prefix++)
			is_one = !strncmp(name, *prefix, strlen(*prefix));
	}
	return is_one;
}

void construct_each_runtime_prefix(void (*add)(void *arg, const char *prefix), void *arg)
{
	add(arg, "omp_");
	for (const struct runtime_descriptor *const *i = runtime_descriptors; *i; i++) {
		for (const char *const *prefix = (*i)->own_prefixes; prefix && *prefix; prefix++)
			add(arg, *prefix);
	}
}

void construct_each_region_prefix(void (*add)(void *arg, const char *prefix), void *arg)
{
	for (const struct runtime_descriptor *const *i = runtime_descriptors; *i; i++) {
		for (const struct descriptor_construct *c = (*i)->constructs; c && c->prefix; c++) {
			if (c->construct == CONSTRUCT_PARALLEL || c->construct == CONSTRUCT_TEAMS)
				add(arg, c->prefix);
		}
	}
}

static const struct {
	const char *part;
	enum construct_target kind;
} target_parts[] = {
	{"omp_target_memcpy", CONSTRUCT_TARGET_COPY},
	{"omp_target_memset", CONSTRUCT_TARGET_FILL},
	{"interop", CONSTRUCT_TARGET_INTEROP},
	{"omp_target_", CONSTRUCT_TARGET_OPERATION},
	{"enter_exit_data", CONSTRUCT_TARGET_ENTER_EXIT_DATA},
	{"data_begin", CONSTRUCT_TARGET_DATA},
	{"data_end", CONSTRUCT_TARGET_END_DATA},
	{"end_data", CONSTRUCT_TARGET_END_DATA},
	{"target_data_update", CONSTRUCT_TARGET_UPDATE},
	{"target_update", CONSTRUCT_TARGET_UPDATE},
	{"target_data", CONSTRUCT_TARGET_DATA},
	{"GOMP_target", CONSTRUCT_TARGET_REGION},
	{"__tgt_target", CONSTRUCT_TARGET_REGION},
};

enum construct_target construct_target_of(const char *callee)
{
	for (size_t i = 0; i < sizeof(target_parts) / sizeof(target_parts[0]); i++) {
		if (strstr(callee, target_parts[i].part))
			return target_parts[i].kind;
	}
	return CONSTRUCT_TARGET_OPERATION;
}

const char *construct_target_name(enum construct_target kind)
{
	static const char *const target_names[] = {
		[CONSTRUCT_TARGET_REGION] = "target",
		[CONSTRUCT_TARGET_DATA] = "target_data",
		[CONSTRUCT_TARGET_END_DATA] = "target_end_data",
		[CONSTRUCT_TARGET_ENTER_EXIT_DATA] = "target_enter_exit_data",
		[CONSTRUCT_TARGET_UPDATE] = "target_update",
		[CONSTRUCT_TARGET_COPY] = "copy",
		[CONSTRUCT_TARGET_FILL] = "fill",
		[CONSTRUCT_TARGET_INTEROP] = "interop",
		[CONSTRUCT_TARGET_OPERATION] = "operation",
	};

	return target_names[kind];
}

const char *construct_target_noun(const char *callee)
{
	static const char *const nouns[] = {
		[CONSTRUCT_TARGET_REGION] = "the target region",
		[CONSTRUCT_TARGET_DATA] = "the start of the target data region",
		[CONSTRUCT_TARGET_END_DATA] = "the end of the target data region",
		[CONSTRUCT_TARGET_ENTER_EXIT_DATA] = "the target enter or exit data",
		[CONSTRUCT_TARGET_UPDATE] = "the target update",
		[CONSTRUCT_TARGET_COPY] = "the copy",
		[CONSTRUCT_TARGET_FILL] = "the fill",
		[CONSTRUCT_TARGET_INTEROP] = "the interop construct",
		[CONSTRUCT_TARGET_OPERATION] = "the operation",
	};

	return nouns[construct_target_of(callee)];
}

/* Return whether @callee has the flags of the construct in an argument: one name with and without nowait. */
static bool has_flags(const char *callee)
{
	return has_suffix(callee, "_ext") || !strcmp(callee, "GOMP_target_enter_exit_data") ||
	       !strcmp(callee, "__tgt_target_kernel") || strstr(callee, "interop");
}

enum construct_nowait construct_nowait_of(const char *callee)
{
	if (strstr(callee, "_nowait") || strstr(callee, "_async"))
		return CONSTRUCT_NOWAIT_YES;
	/* target data has no nowait clause. */
	if (!strcmp(callee, "GOMP_target_data_ext"))
		return CONSTRUCT_NOWAIT_NO;
	return has_flags(callee) ? CONSTRUCT_NOWAIT_UNKNOWN : CONSTRUCT_NOWAIT_NO;
}

int construct_device_argument(const char *callee)
{
	static const struct {
		const char *prefix;
		int argument;
	} arguments[] = {
		{"GOMP_target_end_data", -1},	 {"GOMP_target", 0},
		{"omp_target_memcpy_rect", -1},	 {"omp_target_memcpy", 5},
		{"omp_target_memset", 3},	 {"omp_target_alloc", 1},
		{"omp_target_free", 1},		 {"omp_target_is_present", 1},
		{"omp_target_associate_ptr", 4}, {"omp_target_disassociate_ptr", 1},
		{"__tgt_target_kernel", 1},	 {"__tgt_target", 0},
	};

	/* Since LLVM 12, the first argument is a place in the source. */
	if (!strncmp(callee, "__tgt_target", strlen("__tgt_target")) && strstr(callee, "_mapper"))
		return 1;
	for (size_t i = 0; i < sizeof(arguments) / sizeof(arguments[0]); i++) {
		if (!strncmp(callee, arguments[i].prefix, strlen(arguments[i].prefix)))
			return arguments[i].argument;
	}
	return -1;
}

int construct_region_argument(const char *callee)
{
	return !strcmp(callee, "GOMP_target") || !strcmp(callee, "GOMP_target_ext") ? 1 : -1;
}

bool construct_is_of_device_copy(const char *callee)
{
	return !strncmp(callee, "omp_target_memcpy", strlen("omp_target_memcpy"));
}

bool construct_has_default_device(const char *callee)
{
	return strncmp(callee, "omp_", strlen("omp_")) != 0;
}
