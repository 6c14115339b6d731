/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Handlers of pthread_atfork(): the child forgets the threads that it does not have. */
#include "core/team/fork.h"

#include <pthread.h>

#include "core/state/team.h"
#include "core/state/thread.h"
#include "core/sync/sleep.h"
#include "core/sync/thread_list.h"
#include "core/sync/wait.h"
#include "core/team/pool.h"
#include "os/thread.h"

/* The lock is held during fork(), so the list of threads is consistent in the child. */
static void on_before_fork(void)
{
	thread_list_lock();
}

static void on_fork_parent(void)
{
	thread_list_unlock();
}

static void on_fork_child(void)
{
	struct thread *t = thread_peek();

	thread_list_unlock();
	thread_list_keep_only(t);
	wait_forget_others();
	sleep_forget_others();
	if (!t->serial)
		return;
	t->tid = os_thread_id();
	/*
	 * The child does not have the pools' threads. If the program forked within a region, the region's end waits
	 * for them for ever. The specification excludes such programs.
	 */
	if (t->team->level == 0)
		pool_forget(t->pool);
	t->pool = NULL;
}

void fork_init(void)
{
	pthread_atfork(on_before_fork, on_fork_parent, on_fork_child);
}
