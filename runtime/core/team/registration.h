/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Registration: how the program's threads become root threads of the runtime. */
#ifndef OMPDD_RUNTIME_CORE_TEAM_REGISTRATION_H
#define OMPDD_RUNTIME_CORE_TEAM_REGISTRATION_H

#include "core/state/thread.h"
#include "os/spin.h"

/* Called once, by the library's constructor. */
void thread_init(void);

/* Makes the calling thread a root thread, with an implicit region of level 0, a team of one, and an initial task. */
void thread_register(struct thread *t) __attribute__((cold));

/* Returns the calling thread with team, task and member set. */
static inline struct thread *thread_self(void)
{
	struct thread *t = &thread_tls;

	if (unlikely(!t->team))
		thread_register(t);
	return t;
}

/*
 * As thread_self(), for routines that can answer an unknown thread. Registers the thread only if a tool exists or may
 * exist.
 */
void thread_introduce(struct thread *t) __attribute__((cold));

static inline struct thread *thread_get_introduced(void)
{
	struct thread *t = &thread_tls;

	if (unlikely(!t->team))
		thread_introduce(t);
	return t;
}

#endif
