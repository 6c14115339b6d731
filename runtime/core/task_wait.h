/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A task waits for others: taskwait, the end of a taskgroup, dependences of an undeferred task. Meanwhile its thread
 * runs descendants of it.
 */
#ifndef OMPDD_RUNTIME_CORE_TASK_WAIT_H
#define OMPDD_RUNTIME_CORE_TASK_WAIT_H

#include "core/task.h"
#include "core/team.h"

/* For what: the first that is set, else for the current task's children. */
struct task_condition {
	const struct taskgroup *group;
	const int32_t *pending; /* until it is zero: depend_node.n_pending */
};

void task_wait(struct thread *t, struct task_condition until, ompt_state_t state, struct site site);

/* Let @m look again at what it waits for, if it sleeps. The caller changed that before, by a read-modify-write. */
void task_wake_slow(struct member *m) __attribute__((cold));

static inline void task_wake(struct member *m)
{
	/* Sequentially consistent, as the sleeper's store to it and its look at the condition: one of us sees the
	 * other. */
	if (unlikely(__atomic_load_n(&m->asleep, __ATOMIC_SEQ_CST)))
		task_wake_slow(m);
}

/* A descendant of what they wait for was made ready: let all sleeping members look. */
void task_wake_all(struct team *team) __attribute__((cold));

#endif
