/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A task waits for others: taskwait, the end of a taskgroup, dependences of an undeferred task. Meanwhile its thread
 * runs descendants of it.
 */
#ifndef OMPDD_RUNTIME_CORE_TASK_WAIT_H
#define OMPDD_RUNTIME_CORE_TASK_WAIT_H

#include "core/sleep.h"
#include "core/task.h"
#include "core/team.h"

/* For what: the first that is set, else for the current task's children. */
struct task_condition {
	const struct taskgroup *group;
	const int32_t *pending; /* until it is zero: depend_node.n_pending */
};

void task_wait(struct thread *t, struct task_condition until, ompt_state_t state, struct site site);

/* Let @m look again at what it waits for, if it sleeps. The caller has just changed that. */
static inline void task_wake(struct member *m)
{
	sleeper_wake(&m->asleep);
}

/* The region was cancelled: let all sleeping members look. */
void task_wake_all(struct team *team) __attribute__((cold));

/* A descendant of what they wait for has just been made ready: the same, if there is one. */
static inline void task_wake_sleepers(struct team *team)
{
	if (unlikely(sleep_is_said(&team->n_sleepers)))
		task_wake_all(team);
}

#endif
