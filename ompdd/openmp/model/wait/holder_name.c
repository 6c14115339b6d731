/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Protocol names for holders. */
#include "openmp/model/wait/holder.h"

static const char *const kind_names[HOLDER_KINDS] = {
	[HOLDER_NONE] = "none",		  [HOLDER_LOCK] = "lock",
	[HOLDER_NEST_LOCK] = "nest_lock", [HOLDER_CRITICAL] = "critical",
	[HOLDER_ATOMIC] = "atomic",	  [HOLDER_MUTEX] = "mutex",
	[HOLDER_ORDERED] = "ordered",	  [HOLDER_SINGLE] = "single",
	[HOLDER_BARRIER] = "barrier",	  [HOLDER_PTHREAD] = "pthread_mutex",
	[HOLDER_GIL] = "python_gil",	  [HOLDER_TASKWAIT] = "taskwait",
	[HOLDER_TASKGROUP] = "taskgroup", [HOLDER_RWLOCK] = "rwlock",
	[HOLDER_DEVICE] = "device",	  [HOLDER_CONDITION] = "condition",
	[HOLDER_SEMAPHORE] = "semaphore", [HOLDER_JOIN] = "join",
	[HOLDER_STREAM] = "stream",	  [HOLDER_ARENA] = "malloc_arena",
};

const char *holder_kind_name(enum holder_kind kind)
{
	return kind_names[kind < HOLDER_KINDS ? kind : HOLDER_NONE];
}

const char *holder_source_name(enum holder_source source)
{
	static const char *const names[] = {
		[HOLDER_FROM_PLUGIN] = "plugin", [HOLDER_FROM_MEMORY] = "memory", [HOLDER_FROM_CODE] = "code",
		[HOLDER_FROM_KERNEL] = "kernel", [HOLDER_INFERRED] = "inferred",
	};

	return names[source <= HOLDER_INFERRED ? source : HOLDER_INFERRED];
}

const char *holder_doing_name(enum holder_doing doing)
{
	static const char *const names[] = {
		[HOLDER_DOING_UNKNOWN] = "unknown", [HOLDER_WORKS] = "works",	    [HOLDER_WAITS] = "waits",
		[HOLDER_SLEEPS] = "sleeps",	    [HOLDER_IDLE] = "idle",	    [HOLDER_QUEUED] = "queued",
		[HOLDER_OFFLOADED] = "offloaded",   [HOLDER_DETACHED] = "detached", [HOLDER_ENDED] = "ended",
		[HOLDER_ELSEWHERE] = "elsewhere",
	};

	return names[doing <= HOLDER_ELSEWHERE ? doing : HOLDER_DOING_UNKNOWN];
}
