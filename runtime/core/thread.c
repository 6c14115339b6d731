/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How threads become known to the runtime, and leave. */
#include "core/thread.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/places.h"
#include "core/pool.h"
#include "core/region_count.h"
#include "core/root.h"
#include "core/team.h"
#include "core/wait.h"
#include "os/thread.h"
#include "tools/ompt.h"
#include "tools/point.h"

__thread struct thread thread_tls = {
	.n_threads = 1,
	.spins = WAIT_SPINS,
	.lock_word = THREAD_LOCK_UNKNOWN,
	.counted = &region_count_none,
};

static pthread_key_t key;
static bool have_key;

void thread_enter(struct thread *t)
{
	t->spins = wait_first_spins();
	t->tid = os_thread_id();
	t->pthread = (uint64_t)pthread_self();
	root_add(t);
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
	root_remove(t);
	t->serial = 0;
	t->lock_word = THREAD_LOCK_UNKNOWN;
}

/* A root thread ends. Destructors of the program's own keys may still use OpenMP; the thread then registers again. */
static void on_root_thread_end(void *arg)
{
	struct thread *t = arg;

	/* pthread_exit() within a region: the other members may still use this thread's data. */
	if (!t->team || t->team->level)
		return;
	POINT(initial_end, t);
	team_end_initial(t);
	thread_leave(t);
}

void thread_register(struct thread *t)
{
	ompt_start();
	if (t->team) {
		/*
		 * The tool's initializer used OpenMP although it must not. The thread and its initial task are
		 * reported to it now.
		 */
		if (point_has_tool()) {
			ompt_thread_begin(t);
			ompt_initial_begin(t, false);
		}
		return;
	}
	t->n_threads = 1;
	t->state = ompt_state_work_serial;
	team_begin_initial(t);
	thread_enter(t);
	if (have_key)
		pthread_setspecific(key, t);
	places_bind_root(t);
	POINT(initial_begin, t, false);
}

void thread_introduce(struct thread *t)
{
	if (point_may_have_tool() && !ompt_is_starting())
		thread_register(t);
}

void thread_init(void)
{
	have_key = pthread_key_create(&key, on_root_thread_end) == 0;
}
