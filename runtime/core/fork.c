/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Handlers of pthread_atfork(): the child forgets the threads that it does not have. */
#include "core/fork.h"

#include <pthread.h>

#include "core/pool.h"
#include "core/root.h"
#include "core/sleep.h"
#include "core/team.h"
#include "core/thread.h"
#include "core/wait.h"
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
	wait_forget_others();
	sleep_forget_others();
	if (!t->serial)
		return;
	t->tid = os_thread_id();
	/*
	 * The threads of its pools are not there. If the process forked within a region, its end will wait for them:
	 * nothing can be done about that, and the specification has no such program.
	 */
	if (t->team->level == 0)
		pool_forget(t->pool);
	t->pool = NULL;
}

void fork_init(void)
{
	pthread_atfork(before, after_in_parent, after_in_child);
}
