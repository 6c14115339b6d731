/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See fork.h. */
#include "core/fork.h"

#include <pthread.h>

#include "core/root.h"
#include "core/thread.h"
#include "os/thread.h"

/* The list of threads is sound in the child when its lock was held here. */
static void before(void)
{
	root_lock_acquire();
}

static void after_in_parent(void)
{
	root_lock_release();
}

static void after_in_child(void)
{
	struct thread *t = thread_peek();

	root_lock_release();
	root_keep_only(t);
	if (!t->serial)
		return;
	t->tid = os_thread_id();
	/*
	 * The threads of its pools are not there; what they would have freed stays, once for each fork(). If the process
	 * forked within a region, its end would wait for them: nothing can be done there, and the specification has no such
	 * program.
	 */
	t->pool = NULL;
}

void fork_init(void)
{
	pthread_atfork(before, after_in_parent, after_in_child);
}
