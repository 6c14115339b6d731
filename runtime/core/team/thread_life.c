/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The start and the end of each thread. */
#include "core/team/thread_life.h"

#include <pthread.h>

#include "core/state/lock_word.h"
#include "core/state/team.h"
#include "core/sync/thread_list.h"
#include "core/sync/wait.h"
#include "core/team/pool.h"
#include "core/team/region_count.h"
#include "core/team/team_memory.h"
#include "os/thread.h"
#include "tools/point.h"

void thread_enter(struct thread *t)
{
	t->spins = wait_first_spins();
	t->tid = os_thread_id();
	t->pthread = (uint64_t)pthread_self();
	thread_list_add(t);
	POINT(thread_begin, t);
}

void thread_leave(struct thread *t)
{
	struct team *team;

	POINT(thread_end, t);
	pool_destroy(t->pool);
	t->pool = NULL;
	while ((team = t->spare_teams)) {
		t->spare_teams = team->next_free;
		team_destroy(team);
	}
	region_count_leave(t);
	thread_list_remove(t);
	t->serial = 0;
	t->lock_word = THREAD_LOCK_UNKNOWN;
}
