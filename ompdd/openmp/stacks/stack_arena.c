/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Excludes every thread that cannot hold the lock of an arena. */
#include "openmp/stacks/stack_arena.h"

#include <string.h>

#include "openmp/stacks/stack_library.h"

const char *const stack_arena_functions[] = {
	"malloc",      "calloc",	"realloc",	  "reallocarray",  "free",    "cfree",
	"memalign",    "aligned_alloc", "posix_memalign", "valloc",	   "pvalloc", "malloc_trim",
	"mallinfo",    "mallinfo2",	"malloc_info",	  "malloc_stats",  "mallopt", "libc_malloc",
	"libc_calloc", "libc_realloc",	"libc_free",	  "libc_memalign", NULL,
};

/* It locks all arenas, one after the other, and waits for one while it holds others. */
static const char *const fork_functions[] = {"fork", "libc_fork", "forkpty", NULL};

enum answer { NO, YES, UNKNOWN };

static bool is_in(const char *name, const char *const *list)
{
	name += strspn(name, "_");
	for (; *list; list++) {
		if (!strcmp(name, *list))
			return true;
	}
	return false;
}

/* A function of malloc holds one arena at most. So a thread that sleeps there for one holds none. */
static bool waits_in(const struct snapshot_thread *thread, const struct library_run *run)
{
	return run->first == 0 && thread->bytes && is_in(run->function, stack_arena_functions);
}

static enum answer may_hold(struct stacks *st, const struct snapshot_thread *thread)
{
	size_t number = stacks_find(st, thread->tid);
	const struct stacks_thread *t = number == SIZE_MAX ? NULL : stacks_thread(st, number);
	struct library_run run = {0};

	if (!t || t->end != STACK_OUTERMOST)
		return UNKNOWN;
	while (stack_library_next(st, t, &run)) {
		/* A thread that starts or exits has frames of the C library only. */
		if (!run.function[0] || (run.first == 0 && run.end == t->n_frames))
			return UNKNOWN;
		bool is_fork = is_in(run.function, fork_functions);

		if (is_fork || (is_in(run.function, stack_arena_functions) && !waits_in(thread, &run)))
			return YES;
	}
	return NO;
}

bool stack_arena_find_holder(struct stacks *st, const struct snapshot *s, uint32_t *thread_ret)
{
	bool is_found = false;

	for (uint32_t i = 0; i < s->n_threads; i++) {
		enum answer answer = may_hold(st, &s->threads[i]);

		if (answer == UNKNOWN || (answer == YES && is_found))
			return false;
		if (answer == NO)
			continue;
		is_found = true;
		*thread_ret = i;
	}
	return is_found;
}
