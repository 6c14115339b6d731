/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How the program's threads become root threads, and leave. */
#include "core/team/registration.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/affinity/places.h"
#include "core/state/team.h"
#include "core/team/pool.h"
#include "core/team/region.h"
#include "core/team/thread_life.h"
#include "tools/observer.h"
#include "tools/ompt.h"
#include "tools/point.h"

static pthread_key_t key;
static bool have_key;

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
	ompt_start(pool_destroy);
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
